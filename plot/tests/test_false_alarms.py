"""`compare` between two sides of one archive, whose processes took turns: what repeats raises no alarm, by the spreads
that real archives have, and a difference that follows the sides is found. And between the reference archives, and cards
like theirs: it says the same in both orders and in every view."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from several import costing, part_of, processes_of

from gpufx_plot.archive import load as archives
from gpufx_plot.judging.compare import compare
from gpufx_plot.showing.report import build

pytestmark = pytest.mark.slow

MARGIN = 0.01
ALARMS = ("SLOWER", "FASTER", "MISSING", "NEW", "INCOMPARABLE")
STATES = {"transfer", "memory_latency"}  # whose processes differ most


def side_of(process: int) -> str:
    return "ABBA"[process % 4]


def compared(archive):
    base, new = (part_of(archive, {p for p in archive.process_ids if side_of(p) == side}) for side in "AB")
    return compare(base, new, MARGIN).rows


def alarms(rows) -> set[str]:
    return {row.case for row in rows if row.verdict in ALARMS}


def off(rows) -> float:
    """The share of 95 % intervals that leave zero out."""
    return sum(row.low is not None and not row.low <= 1 <= row.high for row in rows) / len(rows)


@pytest.fixture(scope="module")
def real(h200):
    return processes_of(archives.load(h200), 5)


def drawn(real, seed: int, shift=lambda point: 0.0):
    """Ten processes: each median is one of the case's own, wherever it came from, and on one side it is changed."""
    rng = np.random.default_rng(seed)
    points = []
    for point in real.points:
        taken = rng.integers(0, len(point.medians), 10)
        factor = [1 + (shift(point) if side_of(process) == "B" else 0) for process in range(10)]
        drew = {name: [getattr(point, name)[k] for k in taken] for name in ("medians", "intervals")}
        points.append(costing(structs.replace(point, **drew), factor, processes=list(range(10))))
    return replace(real, points=points, run=real.run | {"processes": 10}, waived=[], failed=[])


@pytest.mark.parametrize("seed", range(2))
def test_real_spreads_raise_no_alarm(real, seed):
    rows = compared(drawn(real, seed))
    assert not alarms(rows)
    assert off(rows) < 0.06


@pytest.mark.parametrize(("probe", "size", "least"), [(None, 0.02, 0.8), ("transfer", 0.5, 0.5)])
def test_a_planted_difference_is_found(real, probe, size, least):
    """2 % in every tenth case of the other probes; 50 % in every third case of transfer, whose processes differ by as
    much as 18 % (one standard deviation) in a tenth of its cases."""
    mine = [p.name for p in real.points if p.probe == probe or (probe is None and p.probe not in STATES)]
    planted = set(mine[:: 3 if probe else 10])
    rows = compared(drawn(real, 7, lambda point: size if point.name in planted else 0.0))
    found = {f"{row.probe}/{row.case}" for row in rows if row.verdict in ALARMS}
    assert len(found & planted) >= least * len(planted)
    assert len(found - planted) <= 0.02 * len(found)


# ---- Reference archives, and cards like theirs ----

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
    read = [archives.load(path) for path in references.values()]
    read = [replace(archive, points=archive.points[::4]) for archive in read]
    like, far = ([card(one, i + at, apart) for i, one in enumerate(read)] for at, apart in ((1, 0.002), (11, 0.03)))
    return [*read, *like, *far, card(read[0], 21, processes=2)]


def test_swapped_archives_give_mirrored_verdicts(tree):
    """Each card with its neighbours in the list, which are of its chip and of another, like it and far off."""
    for one, other in [*itertools.pairwise(tree), *itertools.pairwise(tree[::2])]:
        there, back = (compare(*pair, 0.01, others=tree).counts for pair in ((one, other), (other, one)))
        assert {MIRRORED.get(word, word): count for word, count in there.items()} == back, (one.path, other.path)


def test_an_order_has_one_sign_in_compare_report_and_sheet(cli, tmp_path, lists, h200, h100, monkeypatch):
    lists()
    monkeypatch.setattr(build, "draw_all", lambda *_: {})
    paths = [h200, h100]
    printed = [cli("compare", *paths), cli("sheet", *paths)]
    assert [status for status, _, _ in printed] == [0, 0], [err for _, _, err in printed]
    cases, sheet = printed[0][1].splitlines()[0], printed[1][1]
    assert cli("report", *paths, "--output", tmp_path / "r.html")[0] == 0
    page = re.sub(r"<[^>]+>", " ", (tmp_path / "r.html").read_text())
    of = r"\bdram\.read_rate\b[^\n]{0,140}? (-\d+\.\d) %"
    changes = [set(re.findall(of, text)) for text in (sheet, " ".join(page.split()))]
    assert len(changes[0]) == 1 and changes[0] == changes[1]
    assert cases[:20] in page


def test_what_moves_together_is_found_with_three_processes(h200):
    """3 processes for the base, 3 for the new side, and twice 3 in further archives."""
    many = processes_of(archives.load(h200), 12, seed=5)
    parts = [part_of(many, set(range(at, at + 3))) for at in range(0, 12, 3)]
    base, new, *others = (replace(one, run=one.run | {"id": f"{i:08x}"}) for i, one in enumerate(parts))

    def slower(point):
        if point.probe != "dram_locality" or not point.label.startswith("task:read/"):
            return point
        return costing(point, [1.03] * len(point.medians))

    found = compare(base, replace(new, points=[*map(slower, new.points)]), 0.01, others=others)
    reads = [row for row in found.rows if row.probe == "dram_locality" and row.case.startswith("task:read/")]
    slow = [row for row in found.rows if row.verdict == "SLOWER"]
    assert len(slow) > 0.7 * len(reads) and all(row in reads for row in slow)
    assert any("with its kind" in row.reason for row in slow)
