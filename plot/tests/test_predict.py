"""Algorithms predicted from what they ask of the chip: the model on chips of known figures, the screen, bad input."""

import json
import math
import random
import re
import sys
from dataclasses import replace
from itertools import product

import pytest
from invent import NS, archive_lines, case_line, declared, run_line, sealed, write
from scipy import stats

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.call.program import root
from gpufx_plot.chip.definitions import Definition, Serves, of_the_tree
from gpufx_plot.chip.demands import EXPONENT, START, STARTS, Chip, Time, asked, chip_of, demands
from gpufx_plot.chip.predict import TOLD, Case, Section, kendall, predict, scored
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Estimate, Quantity
from gpufx_plot.showing.predict_text import as_text, whole
from gpufx_plot.showing.report import content
from gpufx_plot.showing.screen import Side

UNITS = {"GB/s", "B/cycle per SM", "per SM cycle", "cycles", "ns"}


def price(demand: str, unit: str, value: float, engine="E", beside=None) -> Quantity:
    serves = Serves(demand, engine, beside)
    definition = Definition(f"a.{demand}", unit, "m", "best", serves=serves)
    return Quantity(definition, Estimate(value, value, value, 1))


def chip(*prices: Quantity, sms=10, ghz=2.0) -> Chip:
    by = {(q.definition.serves.demand, q.definition.serves.beside): q for q in prices}
    return Chip(None, sms, ghz, by, {})


# ---- The data ----


def test_the_demands_that_the_page_names_are_known():
    page = (root() / "docs/predict.md").read_text()
    assert "(../results/schema/demands-1.json)" in page
    named = set(re.findall(r"`([a-z0-9_]+_(?:bytes|steps|rounds|atomics|requests))`", page))
    assert len(named) >= 3 and named <= demands(root()).keys()


def test_each_demand_has_one_price_in_a_unit_that_is_known():
    known = demands(root())
    serving = [d for effect in of_the_tree(root()).values() for d in effect if d.serves]
    prices = [(d.serves.demand, d.serves.beside) for d in serving]
    assert len(prices) == len(set(prices))
    assert {name for pair in prices for name in pair if name} <= set(known)
    assert {d.unit for d in serving} <= UNITS
    for name, demand in known.items():
        if demand.of == "in_flight":
            assert demand.engine and {demand.limits, demand.by} <= set(known)
        assert ((name, None) in prices) == (demand.of != "in_flight"), name
    starts = [d for d in serving if d.serves.engine == START]
    assert [d.serves.demand for d in starts] == [STARTS]


# ---- The model ----


def test_each_unit_makes_a_time():
    of = chip(
        *(price("dram_read_bytes", "GB/s", 4), price("l2_bytes", "B/cycle per SM", 32)),
        *(price("issue", "per SM cycle", 4), price("shared_steps", "cycles", 3), price("launches", "ns", 50, START)),
    )
    assert of.time({"dram_read_bytes": 1000}).total == 250
    assert of.time({"l2_bytes": 6400}).total == 10  # 32 bytes, 10 SMs, 2 cycles a ns
    assert of.time({"issue": 80}).total == 10
    assert of.time({"shared_steps": 20}).total == 30
    assert of.time({"launches": 3}).total == 150
    odd = chip(price("issue", "furlongs", 4)).time({"issue": 80})
    assert (odd.total, odd.unpriced) == (0, ["issue"])


def test_the_start_is_added_to_the_part_that_is_busy_longest():
    of = chip(
        *(price("launches", "ns", 50, START), price("shared_steps", "ns", 2, "memory")),
        *(price("shuffles", "ns", 3, "memory"), price("issue", "ns", 1, "issue")),
    )
    time = of.time({"launches": 1, "shared_steps": 10, "shuffles": 10, "issue": 40})
    assert time.all == {START: 50, "memory": 50, "issue": 40}
    assert time.total == pytest.approx(50 + (50**EXPONENT + 40**EXPONENT) ** (1 / EXPONENT))
    assert of.time({"launches": 1, "issue": 60}).bound == "issue"
    assert of.time({"launches": 1, "issue": 40}).bound == START


def test_a_blend_lets_parts_hold_each_other_up():
    prices = [
        price("launches", "ns", 50, START),
        price("shared_steps", "ns", 4, "memory"),
        price("issue", "ns", 4, "x"),
    ]
    demanded = {"launches": 1, "shared_steps": 10, "issue": 10}
    blend = chip(*prices).time(demanded)
    assert blend.total == pytest.approx(50 + 40 * 2 ** (1 / EXPONENT))  # two parts that take as long
    assert blend.bound == START
    assert chip(*prices).time({"launches": 1}).total == 50


def test_where_the_time_goes_adds_up():
    time = Time(start=1.0, parts={"a": 4.0, "b": 2.0, "c": 0.1})
    assert sum(time.shares.values()) == pytest.approx(1)
    assert time.shares["a"] > time.shares["b"] >= time.shares["c"]
    assert sum(int(n or 0) for n in whole([time.shares[n] for n in ("start", "a", "b")])) == 100
    assert whole([1 / 3, 1 / 3, 1 / 6]) == ["33", "33", "17", "17"]
    assert Time().shares == {"start": 0.0}


def test_demands_beside_each_other_share_a_price_as_far_as_they_are_as_much():
    of = chip(
        *(price("dram_read_bytes", "GB/s", 4), price("dram_write_bytes", "GB/s", 5)),
        price("dram_read_bytes", "GB/s", 2, beside="dram_write_bytes"),
    )
    assert of.time({"dram_read_bytes": 100, "dram_write_bytes": 60}).total == 2 * 60 / 2 + 40 / 4
    assert of.time({"dram_write_bytes": 60}).total == 12


def test_bytes_in_flight_limit_by_littles_law():
    of = chip(price("dram_read_bytes", "GB/s", 100), price("dram_rounds", "cycles", 1000, "latency"))
    few = of.time({"dram_read_bytes": 1e6, "dram_in_flight_bytes": 2000})
    assert few.bound == "DRAM in flight"
    assert few.parts["DRAM in flight"] == pytest.approx(1e6 / (10 * 2000) * 500)  # rounds of 20,000 bytes, of 500 ns
    many = of.time({"dram_read_bytes": 1e6, "dram_in_flight_bytes": 20000})
    assert many.bound == "E" and many.parts["E"] == pytest.approx(1e6 / 100)
    assert chip(price("issue", "ns", 1)).time({"dram_in_flight_bytes": 5}).unpriced == ["dram_in_flight_bytes"]


def test_a_demand_without_a_price_is_told():
    time = chip(price("issue", "ns", 1)).time({"issue": 5, "barriers": 2, "fp64": 1})
    assert (time.total, sorted(time.unpriced)) == (5, ["barriers", "fp64"])


def test_a_case_without_launches_declares_no_demands():
    assert asked({"issue": 4}) is None
    assert asked({"launches": 0, "issue": 4}) is None
    assert asked({"launches": 1, "issue": 4, "fp64": 0}) == {"launches": 1, "issue": 4}


def test_tau_is_scipys():
    for first, second in product([[1, 2, 3, 4], [1, 1, 2, 3], [4, 2, 3, 1], [2, 2, 2, 1]], repeat=2):
        assert kendall(first, second) == pytest.approx(stats.kendalltau(first, second).statistic)
    assert kendall([1, 1, 1], [1, 2, 3]) is None


def case(rung: str, measured, start=0.0, **parts) -> Case:
    return Case(f"x/{rung}", {"rung": rung}, {}, Time(start, parts), measured)


def test_scores():
    cases = [case("a", 100, e=105), case("b", 50, e=60), case("c", 10, e=10), case("d", None, e=1)]
    score = scored(cases)
    assert (score.cases, score.near, score.right, score.pairs, score.tau) == (3, 2, 3, 3, 1)
    close = scored([case("a", 100, e=90), case("b", 104, e=80), case("c", 110, e=85)])
    assert (close.right, close.pairs) == (1, 2)  # of a, c and of b, c: 100 and 104 have no order
    assert score.median_error == pytest.approx(0.05)
    assert (score.told, score.somers) == (3, 1)
    assert (close.told, close.agree) == (3, -1)  # 100 and 104 are told apart
    assert scored(cases[3:]) is None
    assert scored(cases[:2]).tau is None


def test_somers_d_is_scipys_where_all_differ():
    """Of measured times that are all told apart or equal; predicted ones may tie."""
    draw = random.Random(12)
    for _ in range(50):
        measured = [1.1 ** draw.randrange(6) for _ in range(8)]
        predicted = [float(draw.randrange(1, 6)) for _ in range(8)]
        score = scored([case(str(i), m, e=p) for i, (m, p) in enumerate(zip(measured, predicted, strict=True))])
        if len(set(measured)) > 1:
            assert score.somers == pytest.approx(stats.somersd(measured, predicted).statistic)
        turned = scored([case(str(i), m, e=9 - p) for i, (m, p) in enumerate(zip(measured, predicted, strict=True))])
        assert turned.agree == -score.agree and turned.told == score.told


def test_rungs_that_the_measurement_does_not_tell_apart_have_no_order():
    def of(first: dict, second: dict) -> tuple[int, int]:
        cases = [replace(case("a", 103, e=1), **first), replace(case("b", 100, e=2), **second)]
        return scored(cases).told, scored(cases).agree

    assert of({}, {}) == (1, -1)
    assert of({"measured": 100 * (1 + TOLD)}, {}) == (0, 0)
    assert of({"low": 101, "high": 105}, {"low": 99, "high": 101}) == (0, 0)
    assert of({"low": 102, "high": 105}, {"low": 99, "high": 101}) == (1, -1)
    assert of({"low": 102, "high": 105, "time": Time(parts={"e": 2.0})}, {"low": 99, "high": 101}) == (1, 0)
    assert scored([case("a", 100, e=1)]).somers is None


def test_what_the_next_rung_removes():
    steps = [case("a", 1, 5, e=100, f=80), case("b", 1, 5, e=90, f=10), case("c", 1, 5, f=40), case("d", 1, 4.9, f=40)]
    ladder = Section("rung", {}, steps)
    assert ladder.next_removes(0) == ("e", 100, 90)
    assert ladder.next_removes(1) == ("e", 90, 0)
    assert ladder.next_removes(2) is None  # less than 1 %
    assert ladder.next_removes(3) is None


# ---- The verb ----

RUNGS = ["slow", "quick", "best"]
IN_ORDER = "6 of 6 pairs in order (tau 1.00, Somers' d 1.00 of 6 that the measurement separates)"
STEPS = {"slow": 64000, "quick": 16000, "best": 4000}
AXES = [{"name": "rung", "unit": "", "choices": RUNGS}, {"name": "amount", "unit": "bytes"}]


def ladder(run: dict, factor=1.0) -> list[dict]:
    """What an archive has of a probe of three rungs and two sizes, at `factor` times a cycle for each wavefront."""
    lines = []
    run["probes"]["climb"] = {
        **declared("null"),
        "axes": AXES,
        "metrics": [{"name": "climb_ns", "unit": "ns", "timebase": "gpu_ns", "better": "lower", "per": "climb"}],
    }
    for amount, rung in product((1024, 4096), RUNGS):
        steps = STEPS[rung] * amount / 1024
        spec = {"sweep": "s", "params": {"rung": rung, "amount": amount}, "metric": ("climb_ns", *NS)}
        spec |= {"law": "amount", "count": amount, "in_fit": False, "a": 1, "b": 0}
        line = case_line("climb", spec, 0, [factor * steps / 1.98 * (1 + i / 1e4) for i in range(9)])
        line["law"]["counts"] = {"launches": 1, "shared_steps": steps, "barriers": 1}
        lines.append(line)
    return lines


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    lines = archive_lines(1, probes=("bank_conflict",))
    lines += ladder(lines[0])
    return write(tmp_path_factory.mktemp("predict") / "climbed.jsonl", sealed(lines))


def test_the_screen(cli, climbed):
    status, out, err = cli("predict", "climb", climbed)
    assert (status, err) == (0, "")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert f"6 of 6 within 10 %, {IN_ORDER}" in " ".join(out.split())
    assert "amount 1 KiB: median error" in out and "amount 4 KiB: median error" in out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] in (["slow"], ["quick"], ["best"])]
    assert [row[0] for row in rows] == RUNGS * 4
    slow = rows[0]
    assert slow[1].startswith("32") and slow[2].startswith("µs")  # 64000 wavefronts at 1.98 GHz
    assert "32.2 µs > 8.05 µs" in out
    assert "+: without barriers, launches, because no quantity gives their cost" in out


def test_the_other_formats(cli, climbed):
    document = json.loads(cli("predict", "climb", climbed, "--json")[1])
    assert document["algorithm"] == "climb" and document["per"] == "climb"
    assert (document["score"]["somers_d"], document["score"]["told_apart"]) == (1, 6)
    assert document["score"]["near"] == 6 and document["prices"]["shared_steps"] == "shared.wavefront_cycles"
    first = document["sections"][0]["cases"][0]
    assert first["params"] == {"rung": "slow", "amount": 1024}
    assert first["predicted_ns"] == pytest.approx(sum(first["parts_ns"].values()))
    assert first["ratio"] == pytest.approx(first["predicted_ns"] / first["measured_ns"])
    assert math.isclose(first["next_removes"]["ns"], 4 * first["next_removes"]["then_ns"])
    assert first["parts_ns"].keys() == {START, "shared memory"}
    assert re.search(r"slow +32\.2 µs\+ ", cli("predict", "climb", climbed)[1])


@pytest.mark.slow
def test_the_quantities_of_another_archive(cli, climbed, tmp_path):
    lines = archive_lines(1, probes=("bank_conflict",), scale={"bank_conflict": 2.0})
    other = write(tmp_path / "other.jsonl", sealed(lines))
    found = [json.loads(cli("predict", "climb", climbed, *more, "--json")[1]) for more in ((), ("--archive", other))]
    times = [document["sections"][0]["cases"][0]["predicted_ns"] for document in found]
    assert times[1] == pytest.approx(2 * times[0], rel=0.01)


def test_the_report_says_how_good_predictions_are(climbed):
    archive = load(climbed)
    (row,) = content.predicted([Side(archive, infer(archive)), Side(load(climbed, probes={"bank_conflict"}), [])])
    assert (row["name"], row["scores"]) == ("climb", ["median error 0.39 %, 6 of 6 cases within 10 %", ""])
    assert content.predicted([Side(archive, [])]) == []


def test_the_table_of_parts_fits_the_screen(climbed):
    archive = load(climbed)
    prediction = predict("climb", archive, chip_of(archive))
    for case in prediction.cases:
        case.time.parts.update({f"a part of the chip {i}": 1e5 - i for i in range(9)})
    text = as_text(prediction)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "a part of the chip 0" in text and "a part of the chip 8" not in text


def test_filter(cli, climbed):
    out = cli("predict", "climb", climbed, "--filter", "amount:4096")[1]
    assert "3 of 3 within 10 %" in out and "all cases: median error" in out
    assert cli("predict", "climb", climbed, "--filter", "none")[0] == 2
    assert "not a valid regular expression" in cli("predict", "climb", climbed, "--filter", "(")[2]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that lists one probe with demands, whose second case is waived, and one without."""
    cases = [
        {"name": f"climb/rung:{rung}", "params": {"rung": rung}, "waived": waived, "counts": counts}
        for rung, waived, counts in (
            ("slow", None, {"launches": 1.0, "shared_steps": 8000.0}),
            ("never", "no unit", {"launches": 1.0}),
            ("best", None, {"launches": 1.0, "shared_steps": 2000.0}),
            ("odd", None, {"sectors": 1.0}),
        )
    ]
    metric = {"name": "climb_ns", "unit": "ns", "timebase": "gpu_ns", "better": "lower", "per": "climb"}
    listed = [{"name": "climb", "method_version": 1, "axes": AXES[:1], "metrics": [metric], "cases": cases}]
    listed.append({"name": "other", "axes": [], "metrics": [], "cases": cases[3:]})
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(listed))
    path = tmp_path / "gpufx"
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, sys\n"
        f"listed = json.load(open({str(answers)!r}))\n"
        "words = sys.argv[1:]\n"
        "if '--device' in words:\n"
        "    device = json.load(open(words[words.index('--device') + 1].removeprefix('synthetic:')))\n"
        "    assert device['facts']['sm_count'] > 0\n"
        "print(json.dumps({'answer': [p for p in listed if words[1] in (p['name'], '--cases')]}))\n"
    )
    path.chmod(0o755)
    monkeypatch.setenv("GPUFX_PROGRAM", str(path))


def test_cases_that_nobody_measured_are_predicted_only(cli, program, tmp_path):
    bare = write(tmp_path / "bare.jsonl", archive_lines(1, probes=("bank_conflict",)))
    status, out, err = cli("predict", "climb", bare)
    assert (status, err) == (0, "")
    assert "2 cases: prediction only" in out
    assert "measured" not in out.replace("no measured case", "")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ") and " µs+" in line] == [
        "slow",
        "best",
    ]


@pytest.mark.slow
def test_what_can_be_predicted_is_listed(cli, program):
    assert cli("predict")[:2] == (0, "climb  3 cases\n")


def test_nothing_to_predict(cli, climbed, program, tmp_path):
    status, _, err = cli("predict", "nothing", climbed)
    assert status == 2
    assert "no case of 'nothing' declares demands; choose one of: climb" in err
    poor = write(tmp_path / "poor.jsonl", archive_lines(1, probes=("null",)))
    status, _, err = cli("predict", "climb", poor)
    assert status == 2
    assert "name an archive of a full run with --archive" in err


def test_no_probe_declares_demands(cli):
    status, out, err = cli("predict")
    assert (status, out) == (2, "")
    assert "no probe declares demands" in err


def test_a_chip_without_clock_or_sms_is_refused(climbed):
    archive = load(climbed)
    assert chip_of(archive).sms == run_line(1)["device"]["sm_count"]
    archive.run["device"]["sm_count"] = 0
    with pytest.raises(UserError, match="the number of SMs or the SM clock"):
        chip_of(archive)
