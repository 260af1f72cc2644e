"""Comparisons of the archives of the tree: they say the same in both orders and in every view, and equal processes are
never called changed while changes that are planted in them are found (tests/studies/bench_verdicts.py says how often).
"""

import itertools
import re

import pytest
from conftest import H100, H200

from gpufx_plot.archive.lean import load_lean
from gpufx_plot.call.program import root
from gpufx_plot.judging.compare import compare

MIRRORED = {"SLOWER": "FASTER", "FASTER": "SLOWER", "MISSING": "NEW", "NEW": "MISSING"}


@pytest.fixture(scope="module")
def tree():
    return [load_lean(path) for path in sorted((root() / "results").glob("sm_*/*/*.jsonl.gz"))]


def test_swapped_archives_give_mirrored_verdicts(tree):
    for one, other in itertools.combinations(tree, 2):
        there, back = (compare(*pair, 0.01, others=tree).counts for pair in ((one, other), (other, one)))
        assert {MIRRORED.get(word, word): count for word, count in there.items()} == back, (one.path, other.path)


@pytest.mark.slow
def test_an_order_has_one_sign_in_compare_report_and_sheet(cli, tmp_path, lists):
    lists()
    paths = [root() / "results" / path for path in (H200, H100)]
    cases = cli("compare", *paths, "--all")[1].splitlines()[0]
    shown = [cli(*words, *paths)[1] for words in (("compare", "--by", "quantity"), ("sheet",))]
    assert cli("report", *paths, "--format", "md", "--output", tmp_path / "r.md")[0] == 0
    page = (tmp_path / "r.md").read_text()
    changes = [set(re.findall(r"^[| ]*`?dram\.read_rate\b[^\n]*? (-\d+) %", text, re.M)) for text in (*shown, page)]
    assert len(changes[0]) == 1 and changes == [changes[0]] * 3
    assert cases[:20] in page
