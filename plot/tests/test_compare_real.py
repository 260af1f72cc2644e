"""Comparisons of the reference archives, and of cards like theirs, say the same in both orders and in every view. How
often equal processes are called changed, and planted changes found: tests/studies/gates.py.
"""

import itertools
import re
from dataclasses import replace

import pytest
from msgspec import structs
from other_cards import another
from several import part_of, processes_of

from gpufx_plot.archive.load import load, load_medians
from gpufx_plot.judging.compare import compare
from gpufx_plot.showing.report import build

MIRRORED = {"SLOWER": "FASTER", "FASTER": "SLOWER", "MISSING": "NEW", "NEW": "MISSING"}


@pytest.fixture(scope="module")
def tree(references, tmp_path_factory):
    """The reference archives; of each chip a card of one SM's times, and one that is far off; and two processes."""
    folder = tmp_path_factory.mktemp("cards")
    like = [another(path, i, folder, turns=False) for i, path in enumerate(references.values(), 1)]
    far = [another(path, i, folder, apart=0.03) for i, path in enumerate(references.values(), 11)]
    read = [load_medians(path) for path in (*references.values(), *like, *far)]
    return [*read, processes_of(load_medians(another(references["h200"], 21, folder)), 2)]


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
    cases = cli("compare", *paths, "--all")[1].splitlines()[0]
    sheet = cli("sheet", *paths)[1]
    assert cli("report", *paths, "--output", tmp_path / "r.html")[0] == 0
    page = re.sub(r"<[^>]+>", " ", (tmp_path / "r.html").read_text())
    changes = [
        set(re.findall(r"\bdram\.read_rate\b[^\n]*? (-\d+) %", text)) for text in (sheet, " ".join(page.split()))
    ]
    assert len(changes[0]) == 1 and changes[0] == changes[1]
    assert cases[:20] in page


# ---- Power and false alarms, on processes as far apart as a card's ----


@pytest.fixture(scope="module")
def twelve(h200):
    """3 processes for the base, 3 for the new side, and twice 3 in further archives."""
    many = processes_of(load(h200), 12, seed=5)
    return [part_of(many, set(range(at, at + 3))) for at in range(0, 12, 3)]


def planted(archive, factor, chosen=lambda point: True, processes=range(12)):
    """The archive as it would be if the chosen cases took longer in these processes."""
    points = []
    for point in archive.points:
        by = [factor if chosen(point) and process in processes else 1.0 for process in point.processes]
        medians = [value * f for value, f in zip(point.medians, by, strict=True)]
        ends = [e and (e[0] * f, e[1] * f) for e, f in zip(point.intervals, by, strict=True)]
        points.append(structs.replace(point, medians=medians, intervals=ends))
    return replace(archive, points=points)


def as_runs(archives):
    named = zip(archives, ("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"), strict=True)
    return [replace(archive, run=archive.run | {"id": name}) for archive, name in named]


def judged(twelve, change):
    base, new, *others = as_runs(twelve)
    return compare(base, change(new), 0.01, others=others)


@pytest.mark.slow
@pytest.mark.parametrize("drifting", [(), (3,), (3, 4, 5)])
def test_equal_sides_are_not_called_changed_nor_is_a_drift_of_one_per_cent(twelve, drifting):
    found = judged(twelve, lambda new: planted(new, 1.01, processes=drifting))
    assert not {"SLOWER", "FASTER"} & set(found.counts)
    assert not {"SLOWER", "FASTER"} & {one.verdict for one in found.shared}


def is_dram_read(point):
    return point.probe == "dram_locality" and point.label.startswith("task:read/")


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "least"), [(1.03, 0.7), (1.05, 0.8)])
def test_what_moves_together_is_found_with_three_processes(twelve, factor, least):
    found = judged(twelve, lambda new: planted(new, factor, is_dram_read))
    slower = [row for row in found.rows if row.verdict == "SLOWER"]
    reads = [row for row in found.rows if row.probe == "dram_locality" and row.case.startswith("task:read/")]
    assert len(slower) > least * len(reads)
    assert all(row in reads for row in slower)
    assert any("with its kind" in row.reason for row in slower)
