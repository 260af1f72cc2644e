"""What repeats, by planted archives: processes, cards, chips and SMs each give their column."""

import json
import math

import pytest
from process_spreads import SHARES, text_of
from repeats import cell, columns, table
from test_compare import made, point


def archive(medians, slug="nvidia-h200", uuid="GPU-1", unit="cycles", **changes):
    """One case; of the probe named null."""
    case = point(medians, unit=unit)
    for name, value in changes.items():
        setattr(case, name, value)
    made_one = made(case, uuid=uuid, run_id=uuid[-1] * 8)
    made_one.run["device"] |= {"slug": slug}
    return made_one


def far(archives):
    return [column.get("null", []) for column in columns(archives)]


def test_each_level_has_its_column():
    first, card = archive([100.0, 101.0]), archive([110.0], uuid="GPU-2")
    chip = archive([200.0], slug="nvidia-h100", uuid="GPU-3")
    processes, cards, cards_turned, chips, chips_turned, sms = far([first, card, chip])
    assert processes == pytest.approx([0.01])
    assert cards == pytest.approx([110 / 100.5 - 1])
    assert chips == pytest.approx([200 / 100.5 - 1, 200 / 110 - 1])
    assert (cards_turned, chips_turned, sms) == ([], [], [])


@pytest.mark.slow
def test_one_sm_is_not_compared_with_many_nor_one_method_with_another():
    many = archive([100.0], uuid="GPU-2", over_sms=(98.0, 103.0))
    *others, sms = far([archive([100.0]), many])
    assert not any(others) and sms == pytest.approx([103 / 98 - 1])
    assert far([archive([101.0], over_sms=(98.0, 103.0)), many])[2] == pytest.approx([0.01])
    assert far([archive([100.0]), archive([100.0], uuid="GPU-2", method_version=2)])[1] == []


def test_cells():
    assert cell([]) == ""
    assert cell([0.0, 0.01]) == "100 %"
    assert cell([0.0, 0.002, 0.03]) == "67 % (0.2 %)"
    assert "| null | 100 % |" in table([archive([100.0, 100.1])])


def test_how_far_processes_differ_is_told_by_probe():
    cases = [point([100.0, 100.0 * math.exp(math.sqrt(2) * i / 1000)], i) for i in range(101)]
    told = json.loads(text_of([made(*cases, run_id="abcdef01")]))
    assert told["runs"] == ["abcdef01"]
    assert told["spreads"] == {cases[0].probe: pytest.approx([share / 1000 for share in SHARES])}
