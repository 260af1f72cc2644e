"""What explains most of a comparison: planted factors on an archive of the tree, and the screen that says so."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from several import costing, processes_of
from test_compare import made, point

from gpufx_plot.archive import load as archives
from gpufx_plot.chip.quantities import infer
from gpufx_plot.judging.changes import by_probe, changed_rows, differing, factors, folded, unexplained
from gpufx_plot.judging.compare import compare
from gpufx_plot.showing.changes_text import as_text, factor_text

pytestmark = pytest.mark.slow

DRAM = {"dram_locality", "access_order"}


@pytest.fixture(scope="module")
def base(h200):
    return processes_of(archives.load(h200), 2)


def scaled(archive, factor_of, **facts):
    """A copy of the archive, each case's costs times what the function says of it."""
    points = []
    for p in archive.points:
        factor = factor_of(p)
        points.append(costing(p, [factor] * len(p.medians), figures=p.figures if factor == 1 else None))
    run = archive.run | {"id": "ffffffff", "device": archive.run["device"] | facts}
    return replace(archive, points=points, run=run)


def told(base, new, margin=0.01):
    result = compare(base, new, margin)
    result.quantities = differing(infer(base), infer(new))
    return result, factors(result, margin, result.quantities)


def slower_dram(p):
    return 1 / 0.7 if p.probe in DRAM and p.unit == "ns" else 1.0


def test_a_slower_memory_is_told_once_and_by_name(base):
    result, (found,) = told(base, scaled(base, slower_dram))
    assert found.value == pytest.approx(1 / 0.7, rel=1e-3)
    assert (found.unit, set(found.probes)) == ("ns", DRAM)
    rows = {id(row) for row in found.rows}
    assert rows == {id(row) for row in changed_rows(result) if row.probe in DRAM}
    assert factor_text(found).startswith(f"explained by DRAM rate -30 %: {len(rows)} of {found.of} changed cases")
    assert not unexplained(result, [found])


def test_a_fact_that_moved_so_too_is_the_name(base):
    old, new = (scaled(base, factor, memory_peak_GBps=peak) for factor, peak in ((lambda _: 1.0, 4800.0),
                                                                               (slower_dram, 3360.0)))  # fmt: skip
    result = compare(old, new, 0.01)
    (found,) = factors(result, 0.01)  # no quantities
    assert ("device.memory_peak_GBps", "4800.0", "3360.0") in found.facts
    assert "explained by memory_peak_GBps 4800.0 -> 3360.0: " in factor_text(found)
    old, new = (scaled(base, factor, l2_bytes=size) for factor, size in ((lambda _: 1.0, 100), (slower_dram, 70)))
    assert "explained by one factor: " in factor_text(factors(compare(old, new, 0.01), 0.01)[0])


def test_two_factors_are_told_apart_and_what_neither_explains_is_listed(base):
    odd = next(p.key for p in base.points if p.probe == "bank_conflict")

    def planted(p):
        if p.key == odd:
            return 3.0
        return 1.2 if p.unit == "cycles" and p.probe in ("constant", "divergence") else slower_dram(p)

    result, found = told(base, scaled(base, planted))
    assert sorted(round(f.value, 2) for f in found) == [1.2, 1.43]
    (rest,) = unexplained(result, found)
    assert (rest.probe, rest.verdict) == ("bank_conflict", "SLOWER")
    first, *others = by_probe(result, found)
    assert (first.probe, first.explained, first.worst is rest) == ("bank_conflict", 0, True)
    assert all(entry.explained == sum(entry.verdicts.values()) for entry in others)


def test_kinds_of_one_case_belong_to_the_factor_of_others(h200):
    slow = {"histogram", "data_toggle"}  # of the second each case has words of its own
    five = processes_of(archives.load(h200), 5)
    _, (found,) = told(five, scaled(five, lambda p: 1.5 if p.probe in slow else 1.0))
    assert set(found.probes) == slow
    assert sum(row.probe == "data_toggle" for row in found.rows) == 12


def test_a_few_cases_or_a_change_near_the_margin_are_no_factor():
    old = made(*(point([100.0] * 5, i) for i in range(40)))
    for change, few in ((1.025, 40), (1.5, 9)):
        new = made(*(point([100.0 * (change if i < few else 1)] * 5, i) for i in range(40)), run_id="bbbbbbbb")
        assert factors(compare(old, new, 0.01), 0.01) == []
    assert len(factors(compare(old, made(*(point([150.0] * 5, i) for i in range(40)), run_id="c"), 0.01), 0.01)) == 1
    old, new = (made(*(point([of(i)] * 5, i) for i in range(1000)), run_id=run_id)
                for run_id, of in (("a", lambda i: 100.0), ("b", lambda i: 120.0 if i < 40 else 150.0)))  # fmt: skip
    assert [round(one.value, 1) for one in factors(compare(old, new, 0.01), 0.01)] == [1.5]  # 4 % are too few


def test_what_undoes_what_all_times_share_is_no_factor(base):
    """It was removed from each case, those that did not change among them."""
    result, _ = told(base, scaled(base, lambda p: 1 / 1.089 if p.probe in DRAM and p.unit == "ns" else 1.0))
    assert len(factors(result, 0.01)) == 1
    result.shared = [SimpleNamespace(ratio=1.089)]
    assert not factors(result, 0.01)


def test_what_has_no_ratio_is_a_sentence():
    old = made(*(point([100.0] * 5, i) for i in range(30)))
    new = made(point([100.0] * 5, 0), point([100.0] * 5, 1, method_version=2), point([1.0], 99), run_id="bbbbbbbb")
    assert folded(compare(old, new, 0.01)) == [
        "INCOMPARABLE, not compared: 1 case of null (the method changed)",
        "MISSING, not in the new archive: 28 cases of null (not measured)",
        "NEW, not in the base: 1 case of null (not measured)",
    ]
    new.run["quick"] = True
    assert "the new archive is of a --quick run" in folded(compare(old, new, 0.01))[1]


@pytest.mark.parametrize(("wide", "high"), [(80, 24), (200, 60)])
def test_it_is_one_screen_at_every_size(base, monkeypatch, wide, high):
    monkeypatch.setenv("COLUMNS", str(wide))
    monkeypatch.setattr("gpufx_plot.showing.changes_text.height", lambda: high)
    result, _ = told(base, scaled(base, lambda p: slower_dram(p) * (1.1 if p.probe == "coalescing" else 1)))
    lines = as_text([result], 0.01).splitlines()
    assert len(lines) <= high
    assert max(len(line) for line in lines if not line.startswith("next: ")) <= wide  # a path is not broken
    assert any(line.startswith("explained by DRAM rate -30 %") for line in lines)
    assert any(line.startswith("probe ") for line in lines)
    of_both = f"all quantities: gpufx sheet {result.base.run['id']} {result.new.run['id']}"
    assert (of_both in " ".join(lines)) == (high == 24)  # where its table is cut
