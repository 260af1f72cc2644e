"""Comparisons of the reference archives, and of cards like theirs, say the same in both orders and in every view. How
often equal processes are called changed: test_false_alarms.py and tests/studies/gates.py.
"""

import itertools
import re
from dataclasses import replace

import pytest
from msgspec import structs
from several import part_of, processes_of

from gpufx_plot.archive.load import load, load_medians
from gpufx_plot.judging.compare import compare
from gpufx_plot.showing.report import build

MIRRORED = {"SLOWER": "FASTER", "FASTER": "SLOWER", "MISSING": "NEW", "NEW": "MISSING"}


def card(archive, number: int, apart: float = 0.002, processes: int = 1):
    """Another card of the model: an archive of the times of one SM."""
    made = processes_of(archive, processes, number, apart)
    device = made.run["device"] | {"uuid": f"GPU-{number}"}
    return replace(made, run=made.run | {"id": f"{number:08x}", "device": device})


@pytest.fixture(scope="module")
def tree(references):
    """The reference archives, of every fourth case; of each chip a card like it, one that is far off; and one of two
    processes."""
    read = [load_medians(path) for path in references.values()]
    read = [replace(archive, points=archive.points[::4]) for archive in read]
    like, far = ([card(one, i + at, apart) for i, one in enumerate(read)] for at, apart in ((1, 0.002), (11, 0.03)))
    return [*read, *like, *far, card(read[0], 21, processes=2)]


@pytest.mark.slow
def test_swapped_archives_give_mirrored_verdicts(tree):
    """Each card with its neighbours in the list, which are of its chip and of another, like it and far off."""
    for one, other in [*itertools.pairwise(tree), *itertools.pairwise(tree[::2])]:
        there, back = (compare(*pair, 0.01, others=tree).counts for pair in ((one, other), (other, one)))
        assert {MIRRORED.get(word, word): count for word, count in there.items()} == back, (one.path, other.path)


@pytest.mark.slow
def test_an_order_has_one_sign_in_compare_report_and_sheet(cli, tmp_path, lists, h200, h100, monkeypatch):
    lists()
    monkeypatch.setattr(build, "draw_all", lambda *_: {})
    paths = [h200, h100]
    printed = [cli("compare", *paths, "--all"), cli("sheet", *paths)]
    assert [status for status, _, _ in printed] == [0, 0], [err for _, _, err in printed]
    cases, sheet = printed[0][1].splitlines()[0], printed[1][1]
    assert cli("report", *paths, "--output", tmp_path / "r.html")[0] == 0
    page = re.sub(r"<[^>]+>", " ", (tmp_path / "r.html").read_text())
    changes = [
        set(re.findall(r"\bdram\.read_rate\b[^\n]*? (-\d+) %", text)) for text in (sheet, " ".join(page.split()))
    ]
    assert len(changes[0]) == 1 and changes[0] == changes[1]
    assert cases[:20] in page


@pytest.mark.slow
def test_what_moves_together_is_found_with_three_processes(h200):
    """3 processes for the base, 3 for the new side, and twice 3 in further archives."""
    many = processes_of(load(h200), 12, seed=5)
    archives = [part_of(many, set(range(at, at + 3))) for at in range(0, 12, 3)]
    base, new, *others = (replace(one, run=one.run | {"id": f"{i:08x}"}) for i, one in enumerate(archives))

    def slower(point):
        if point.probe != "dram_locality" or not point.label.startswith("task:read/"):
            return point
        ends = [end and (1.03 * end[0], 1.03 * end[1]) for end in point.intervals]
        return structs.replace(point, medians=[1.03 * value for value in point.medians], intervals=ends)

    found = compare(base, replace(new, points=[*map(slower, new.points)]), 0.01, others=others)
    reads = [row for row in found.rows if row.probe == "dram_locality" and row.case.startswith("task:read/")]
    slow = [row for row in found.rows if row.verdict == "SLOWER"]
    assert len(slow) > 0.7 * len(reads) and all(row in reads for row in slow)
    assert any("with its kind" in row.reason for row in slow)
