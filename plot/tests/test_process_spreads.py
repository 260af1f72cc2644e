"""How far processes of a run differ, by a planted archive."""

import json
import math

import pytest
from process_spreads import SHARES, text_of
from test_compare import made, point


def test_how_far_processes_differ_is_told_by_probe():
    cases = [point([100.0, 100.0 * math.exp(math.sqrt(2) * i / 1000)], i) for i in range(101)]
    told = json.loads(text_of([made(*cases, run_id="abcdef01")]))
    assert told["runs"] == ["abcdef01"]
    assert told["spreads"] == {cases[0].probe: pytest.approx([share / 1000 for share in SHARES])}
