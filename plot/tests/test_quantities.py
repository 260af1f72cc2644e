"""Quantities: the data, the estimators on planted chips, the archives of the tree, and the sheet."""

import math
import os
from itertools import chain
from statistics import fmean

import numpy as np
import pytest
from invent import archive_lines, sealed, write
from msgspec.structs import replace
from planted_quantities import ROOT, Tally, judge
from several import point

from gpufx_plot import UserError
from gpufx_plot.archive import load as archives
from gpufx_plot.archive.file import lines_of
from gpufx_plot.archive.lines import decode
from gpufx_plot.chip import estimators as by
from gpufx_plot.chip.definitions import definitions, of_the_tree, read
from gpufx_plot.chip.inference import Inference, inferred
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import NotDetermined
from gpufx_plot.chip.uncertainty import Value, values
from gpufx_plot.statistics.steps import TOLERANCE, flat_parts, partition

CHIPS = int(os.environ.get("GPUFX_CHIPS", "3"))


def walk(costs, error=1e-4, start=0) -> list[Value]:
    return [Value(point([c], x=i), math.log(c), error, 30.0) for i, c in enumerate(costs, start)]


# ---- The data ----


def test_ids_are_unique_and_enough():
    ids = [d.id for effect in of_the_tree(ROOT).values() for d in effect]
    assert len(ids) == len(set(ids))
    assert 40 <= len(ids) <= 400


def test_a_definition_that_says_too_little_or_too_much_is_refused():
    whole = {"id": "a.b", "unit": "u", "meaning": "m", "by": "ratio", "cases": "x=1", "against": "x=2"}
    assert read([whole], "p", "here")[0].probe == "p"
    for change in ({"against": ""}, {"by": "guess"}, {"cases": "x"}, {"against": "x="}, {"colour": "red"}):
        with pytest.raises(UserError, match=r"^here: "):
            read([whole | change], "p", "here")


def test_the_archive_brings_definitions_of_what_this_tree_has_not(tmp_path):
    lines = archive_lines(2, probes=("null",))
    own = [{"id": "other.cost", "unit": "ns", "meaning": "m", "by": "best"}]
    own += [{"id": "other.later", "unit": "ns", "meaning": "m", "by": "a later estimator"}, {"id": 3}]
    lines[0]["probes"] |= {"elsewhere": lines[0]["probes"]["null"] | {"quantities": own}}
    for line in lines:
        if line["type"] == "case":
            line |= {"probe": "elsewhere", "name": "elsewhere"}
    found = {q.id: q for q in infer(archives.load(write(tmp_path / "x.jsonl", sealed(lines))))}
    assert not {name for name in found if name.startswith("other.")} - {"other.cost"}
    assert found["other.cost"].estimate.value == pytest.approx(350, rel=0.01)
    assert "l1.latency" in {d.id for d in definitions(lines[0])}


@pytest.mark.parametrize(("also", "unit", "by"), [([], "ns", "elsewhere"), (["null"], "ns", "null"), ([], "s", "null")])
def test_a_figure_that_another_probe_took_over_is_read_by_its_own_definition(monkeypatch, also, unit, by):
    """Unless the new probe was measured, too, or the figure is another one."""
    one = {"id": "a.cost", "unit": "ns", "meaning": "m", "by": "best"}
    monkeypatch.setattr(
        "gpufx_plot.chip.definitions.of_the_tree", lambda _: {"null": tuple(read([one], "null", "tree"))}
    )
    probes = {name: {} for name in also} | {"elsewhere": {"quantities": [one | {"unit": unit}]}}
    assert [(d.id, d.probe) for d in definitions({"probes": probes})] == [("a.cost", by)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"by": "crossing", "along": "nowhere", "share": 0.5}, "a case has no nowhere"),
        ({"by": "crossing", "along": "op", "share": 0.5}, "a case has no op"),
        ({"by": "crossing", "along": "nowhere", "against": "stride=1"}, "a case has no nowhere"),
        ({"by": "reported", "reported": {"path": "host.huge", "as": "same"}}, "the device does not report it"),
        ({"by": "best", "unit": "us"}, "its cases have access_cycles in us"),
    ],
)
def test_an_archived_definition_of_what_is_not_there_is_not_determined(tmp_path, changes, reason):
    lines = archive_lines(2, probes=("bank_conflict",))
    own = {"id": "elsewhere.x", "unit": "cycles", "meaning": "m"} | changes
    lines[0]["probes"]["elsewhere"] = lines[0]["probes"]["bank_conflict"] | {"quantities": [own]}
    lines[0]["host"]["huge"] = 10**400
    for line in lines:
        if line["type"] == "case":
            line |= {"probe": "elsewhere", "name": line["name"].replace("bank_conflict", "elsewhere", 1)}
            line["metric"] |= {"unit": own["unit"]}
    lines = [line for line in lines if line["type"] != "fit"]
    found = {q.id: q for q in infer(archives.load(write(tmp_path / "x.jsonl", sealed(lines))))}
    assert found["elsewhere.x"].reason == reason


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("process", [0, 1])
@pytest.mark.parametrize(("cost", "count"), [(1e300, 1), (1e-300, 1e160), (1, 0)])
def test_figures_as_no_chip_has_them_are_not_determined(tmp_path, process, cost, count):
    lines = archive_lines(2, n=1)
    for line in lines:
        if line["type"] == "case" and line["process"] >= process:
            line |= {"samples": [cost] * line["n"], "median": cost, "ci95": None}
        if line["type"] == "case" and line["law"]:
            line["law"]["count"] *= count
            line["law"]["counts"] = {name: value * count for name, value in line["law"]["counts"].items()}
    found = infer(archives.load(write(tmp_path / "x.jsonl", sealed(lines))))
    ends = [x for q in found if q.estimate for x in (q.estimate.low, q.estimate.high) if x is not None]
    assert found
    assert all(map(math.isfinite, ends))


# ---- The estimators ----


def test_flat_parts_are_found_and_ramps_are_none():
    found = flat_parts(walk([30] * 5 + [80, 150] + [280, 281, 279, 280] + [400, 500] + [660] * 4))
    assert [(p.first, p.last) for p in found] == [(0, 4), (7, 10), (13, 16)]
    assert [round(math.exp(p.log)) for p in found] == [30, 280, 660]
    assert len(partition(walk([30] * 9))) == 1


def test_a_size_is_a_bracket_that_noise_makes_wider():
    stairs = [30] * 5 + [30.5] + [60] * 5
    sharp = by.change(walk(stairs), "x", "first", 2, 0.03, str)
    assert (sharp.low, sharp.high, sharp.value) == (5, 6, None)
    for value, processes in zip(few := walk(stairs), [1] + [2] * 4 + [3] * 6, strict=True):
        value.point.processes = [*range(processes)]
    ways = (
        by.plateau(few, "x", "first", 1, str),
        by.plateau(few, "x", "last", 1, str),
        by.change(few, "x", "first", 2, 0.03, str),
    )
    assert [e.processes for e in ways] == [1, 3, 3]
    vague = walk(stairs)
    vague[6] = Value(vague[6].point, math.log(45), 0.2, 30.0)
    assert by.change(vague, "x", "first", 2, 0.03, str).high == 7
    last = by.change(walk(stairs), "x", "last", 2, 0.03, str)
    assert (last.low, last.high) == (5, 6)
    with pytest.raises(NotDetermined, match=r"1 plateau up to x 8.*2 are needed"):
        by.change(walk([30] * 9), "x", "first", 2, 0.03, str)
    assert by.change(walk([30] * 9), "x", "first", 1, 0.03, str).high is None


@pytest.mark.parametrize(("banks", "found"), [(16, 16), (32, 32), (64, None)])
def test_a_period_needs_a_multiple(banks, found):
    costs = [32 / (banks / math.gcd(x, banks)) if banks / math.gcd(x, banks) <= 32 else 1 for x in range(1, 65)]
    costs = [max(c, 1.0) for c in costs]
    if found:
        assert by.period(walk(costs, start=1), "x", "largest", str).value == found
    else:
        with pytest.raises(NotDetermined, match="no multiple of it"):
            by.period(walk(costs, start=1), "x", "largest", str)


def test_a_period_is_refuted_by_what_lies_between_and_left_open_by_noise():
    with pytest.raises(NotDetermined, match="no period"):
        by.period(walk([4, 2, 2, 4, 2, 4, 2, 2], start=1)[1:], "x", "largest", str)
    noisy = walk([1, 4, 1, 4, 1, 4], start=1)
    noisy[2] = Value(noisy[2].point, math.log(3.9), 0.5, 30.0)
    with pytest.raises(NotDetermined, match="noise"):
        by.period(noisy, "x", "largest", str)
    assert by.period(walk([4, 7, 7, 7, 4]), "x", "smallest", str).value == 4  # confirmed by 0


def test_a_crossing_is_where_all_that_follow_are_sure():
    assert by.crossing([(1, -1), (2, 0), (4, 1), (8, 1)], "x", str).low == 1
    assert by.crossing([(1, -1), (2, 0), (4, 1), (8, 1)], "x", str).high == 4
    with pytest.raises(NotDetermined, match="not certain at the largest"):
        by.crossing([(1, 1), (2, 0)], "x", str)


def test_a_line_that_misses_or_says_nothing_is_not_determined():
    counts = [1, 2, 4, 8]
    lined = [Value(point([1.0]), math.log(2 + 3 * c), 1e-4, 30.0) for c in counts]
    for value, c in zip(lined, counts, strict=True):
        value.point.counts, value.point.in_fit = {"n": c}, True
    out_of_fit = Value(point([1.0]), 9.0, 1e-4, 30.0)
    out_of_fit.point.counts = {"n": 16}
    assert by.slope([*lined, out_of_fit], "n") == by.slope(lined, "n")
    assert by.slope(lined, "n").low <= 3 <= by.slope(lined, "n").high
    assert by.half(lined, "n").value == pytest.approx(2 / 3, rel=1e-6)
    with pytest.raises(NotDetermined, match="fewer than 3 counts"):
        by.slope(lined[:2], "n")
    bent = [Value(v.point, v.log + (3 if i == 3 else 0), 1e-4, 30.0) for i, v in enumerate(lined)]
    with pytest.raises(NotDetermined, match="residual"):
        by.slope(bent, "n")
    with pytest.raises(NotDetermined, match="is all that can be said"):
        by.checked(by.Estimate(1.0, -2.0, 4.0, 9), "ns")


def test_one_process_speaks_of_itself_and_several_of_the_card():
    rng = np.random.default_rng(3)
    points = [point(100 * (1 + 0.01 * rng.standard_normal(3)), x=i) for i in range(40)]
    wide = values(points, "cost")
    assert all(0.01 < v.half() < 0.06 for v in wide.values())
    for p in points:
        p.medians, p.intervals = p.medians[:1], [(p.medians[0] * 0.999, p.medians[0] * 1.001)]
    assert all(v.half() < 0.003 for v in values(points, "cost").values())
    for p in points:
        p.intervals = [None]
    assert all(v.half() > 0.009 for v in values(points, "cost").values())


TRUTH, ERROR, DRAWS = 100.0, 0.01, 1500


def _drawn(rng, count: int, common: bool) -> list[Value]:
    """Cases of one truth with a known error: of each its own, or one that a process gave to all of them."""
    errors = ERROR * rng.standard_normal(1 if common else count)
    logs = np.broadcast_to(math.log(TRUTH) + errors, count)
    return [Value(point([1.0], x=i), float(log), ERROR, 1e5) for i, log in enumerate(logs)]


@pytest.mark.parametrize(
    ("common", "estimate"),
    [
        (False, lambda drawn: by.best(drawn, "largest")),
        (False, lambda drawn: by.ratio([*zip(drawn[::2], drawn[1::2], strict=True)], "largest", TRUTH)),
        (True, lambda drawn: by.plateau(drawn, "x", "first", 1, str)),
    ],
    ids=["best", "ratio", "plateau"],
)
def test_an_interval_holds_what_was_planted(common, estimate):
    """In 99 of 100 draws or more, though the best of 20 is the luckiest, and a process moves a whole plateau."""
    rng = np.random.default_rng(7)
    found = [estimate(_drawn(rng, 20, common)) for _ in range(DRAWS)]
    assert sum(e.low <= TRUTH <= e.high for e in found) >= 0.985 * DRAWS


@pytest.mark.slow
def test_planted_chips_are_found(h200):
    template, tally = archives.load(h200), Tally()
    for seed in range(CHIPS):
        judge(seed, template, tally)
    assert tally.inside >= 0.99 * (tally.inside + tally.outside), tally.misses
    assert tally.wrongly_refused == 0, tally.misses
    assert tally.inside > 180 * CHIPS


# ---- Archives of the tree ----


@pytest.mark.slow
def test_what_the_device_reports_agrees_or_is_explained(reference):
    found = infer(archives.load(reference))
    assert sum(q.determined for q in found) >= 40
    for q in found:
        assert q.agrees is not False or q.definition.reported.note, q.id
        assert q.share_pct is None or 50 < q.share_pct <= 100, q.id


def test_what_is_paid_once_pays_after_so_many_uses():
    paid, used, instead = walk([900, 100]), *walk([20, 60])
    estimate = by.payback(paid, used, instead)
    assert estimate.value == pytest.approx(25)
    assert 24.9 < estimate.low < 25 < estimate.high < 25.1
    for other in (20, 19.99, 20.001):
        with pytest.raises(NotDetermined, match="not certain that a use saves anything"):
            by.payback(paid, used, walk([other])[0])


def test_a_ratio_counts_in_its_own_unit():
    (a,), (b,) = walk([2.0]), walk([1.0])
    assert by.ratio([(a, b)], "largest", 4).value == pytest.approx(8)


def test_a_payback_asks_another_probe():
    whole = {"id": "a.b", "unit": "copies", "meaning": "m", "by": "payback", "cases": "x=1"}
    with pytest.raises(UserError, match="needs more"):
        read([whole], "p", "here")
    saves = {"probe": "q", "cases": "x=1", "against": "x=2"}
    assert read([whole | {"saves": saves}], "p", "here")[0].saves.probe == "q"
    with pytest.raises(UserError, match="NAME=VALUES"):
        read([whole | {"saves": saves | {"against": "x"}}], "p", "here")


def vague(values: list[Value], *which: int) -> list[Value]:
    """The same with some that are no surer than 4 %."""
    return [replace(v, error=0.04) if i in which else v for i, v in enumerate(values)]


def test_a_vague_point_does_not_end_what_is_flat_behind_it():
    stairs = walk([34] * 8 + [70] * 4)
    for unsure in ((), (0,), (3,), (0, 1, 2, 6)):
        estimate = by.change(vague(stairs, *unsure), "x", "first", 2, 0.03, str)
        assert (estimate.low, estimate.high) == (7, 8)
    estimate = by.change(vague(stairs, 7), "x", "first", 2, 0.03, str)
    assert (estimate.low, estimate.high) == (6, 8)
    for unsure in ((11,), (9, 10)):
        estimate = by.change(vague(stairs, *unsure), "x", "last", 2, 0.03, str)
        assert (estimate.low, estimate.high) == (7, 8)


def test_what_is_passed_over_has_its_price():
    """What is just sure as the only test is not as the fourth."""
    stairs = walk([34] * 8 + [70] * 4)
    error = math.log(1.03) / stairs[7].half() * stairs[7].error * 0.97
    sure = [*stairs[:7], replace(stairs[7], error=error), *stairs[8:]]
    assert by.change(sure, "x", "first", 2, 0.03, str).low == 7
    assert by.change(vague(sure, 1, 2, 3), "x", "first", 2, 0.03, str).low == 6


@pytest.mark.slow
def test_searched_sizes_are_known_to_a_few_percent(reference):
    """A search ends within 4 %; noise leaves a few walks wider, and their intervals say so."""
    inference = Inference(archives.load(reference))
    searched = {point.key for point in inference.archive.points if point.searched}
    wide = []
    for q in inferred(inference.archive, inference):
        selected = inference.select(q.definition) if q.definition.by == "change" and q.unit == "bytes" else []
        if not searched.isdisjoint(value.point.key for value in selected):
            d, exact = q.definition, [replace(value, error=0.0) for value in selected]
            closed = by.change(exact, d.along, d.which, d.levels, d.tolerance or TOLERANCE, str)
            assert q.estimate.low <= closed.low < closed.high <= q.estimate.high, q.id
            wide.append(q.estimate.high > 1.04 * q.estimate.low)
    assert len(wide) >= 9 and sum(wide) <= len(wide) // 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gone", "left"), [(set(), {"rate", "shared_ratio"}), ({"variant"}, {"rate"}), ({"variant", "data"}, set())]
)
def test_an_effect_of_other_axes_under_an_old_name_is_not_asked(h200, gone, left):
    run = archives.load(h200).run
    axes = [axis for axis in run["probes"]["histogram"]["axes"] if axis["name"] not in gone]
    told = definitions(run | {"probes": run["probes"] | {"histogram": {"axes": axes}}})
    assert {d.id for d in told if d.probe == "histogram"} == {f"histogram.{name}" for name in left}
    assert {d.probe for d in told} >= {"bank_conflict", "memory_latency"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "task"), [("chip.fma_rate", "fma"), ("chip.product_rate", "mma")])
def test_the_work_in_a_rate_of_the_chip_is_what_the_probe_divides_its_energy_by(reference, name, task):
    """Watts over joules per operation are operations per second, of the mean of the launches that were counted."""
    archive = archives.load(reference)
    (rate,) = infer(archive, wanted=[name])
    of_task = {p.params["data"]: p for p in archive.points if p.probe == "data_toggle" and p.params["task"] == task}
    point = next(p for p in (of_task["random"], of_task["sparse"]) if "power_W" in p.extras)  # a look can come too late
    per_ps = point.extras["power_W"] / point.extras["pJ_per_flop"]
    of_case = (
        decode(line)
        for line in lines_of(reference)
        if line.startswith(b'{"type":"case"') and point.name.encode() in line
    )
    mean = rate.estimate.value * point.value / fmean(chain.from_iterable(line.samples for line in of_case))
    assert mean * archive.run["device"]["sm_count"] / 1000 == pytest.approx(per_ps, rel=0.01)
