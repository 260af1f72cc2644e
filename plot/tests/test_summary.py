"""The summary of one archive, probe by probe; laws held out, and rates by one launch."""

import re

import invent
import pytest
from invent import CYCLES, NS, archive_lines, case_line, declared, failed_line, name_of, run_line, sealed, write

from gpufx_plot.archive import load as archives
from gpufx_plot.archive.pooled_fits import HeldOut, held_out
from gpufx_plot.showing.laws import as_text, of_probe


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")


def fit_line(probe: str, group: dict, a: float, b: float, law="rounds", metric="access_cycles", **changes) -> dict:
    line = invent.fit_line(0, probe, group, law, metric, a, b, worst_case=name_of(probe, group | {"size": 7}))
    return line | {"r_squared": 0.9999, "largest_residual_pct": 0.5} | changes


def told(tmp_path, specs: list[dict], fits=(), probe="made_up") -> list[str]:
    """What is said of one probe whose cases are these."""
    specs = [{"sweep": "s", "metric": ("access_cycles", *CYCLES)} | spec for spec in specs]
    cases = [case_line(probe, spec, 0, [spec["value"]]) for spec in specs]
    head = run_line(1, provenance="measured", probes={probe: declared(probe, specs)})
    loaded = archives.load(write(tmp_path / "told.jsonl", sealed([head, *cases, *fits])))
    return of_probe(loaded, probe)


def test_flags_failures_and_an_interrupted_run_are_told(tmp_path):
    lines = archive_lines(1, n=1, probes=("null",))
    lines[1]["flags"] = ["throttled"]
    lines[1]["clocks"] = {"sm_clock_MHz": None, "nvml": [
        {"sm_MHz": 1845, "memory_MHz": None, "temperature_C": None, "power_W": 690, "age_ms": 1,
         "throttle_reasons": ["gpu_idle", "sw_power_cap"]}
    ]}  # fmt: skip
    path = write(tmp_path / "x.jsonl", [*lines[:-1], failed_line(0, "x", {}, "r")])
    text = as_text(archives.load(path))
    assert "INCOMPLETE: cut off" in text
    assert "null: 1 case, flagged: 1 throttled (sw_power_cap; clock reported by the driver)" in text
    assert "x: 0 cases, 1 FAILED" in text


@pytest.mark.slow
def test_it_holds_the_key_results(full, cli):
    status, out, err = cli("summary", "--full", full)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "transfer: 195 cases, 1 waived" in lines
    assert any(
        re.search(r"copy pinned h2d +2 µs \+ bytes at 55\.4 GB/s.* held out 100 % within 10 %", line) for line in lines
    )
    assert any(re.search(r"latency load +cycles = 21 \+ 2 × wavefronts", line) for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 100])
def test_every_fit_and_every_broken_law_is_there_and_no_line_is_too_long(tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    lines = archive_lines(1, n=3)
    for broken in [line for line in lines if line["type"] == "fit"][::3]:
        broken |= {"largest_residual_pct": 33.3, "holds": False}
    loaded = archives.load(write(tmp_path / "x.jsonl", sealed(lines)))
    whole = as_text(loaded)
    assert all(len(line) <= width for line in whole.splitlines() if not line.startswith("/"))
    for probe in loaded.probes:
        (block,) = re.findall(rf"^{probe}: \d+ case.*\n(?:  .*\n?)*", whole, re.M)
        fits = [f for f in loaded.merged_fits if f.probe == probe]
        assert block.count("LAW DOES NOT HOLD") == sum(not f.law_holds for f in fits)
        assert len(re.findall("±", block)) == len(fits)


def test_the_worst_of_the_broken_laws_comes_first(tmp_path):
    fits = [
        fit_line("made_up", {"level": level, "op": op}, 0, 1, largest_residual_pct=bad, holds=bad < 10)
        for level, op, bad in (("l2", "load", 20.0), ("dram", "load", 25.0), ("l1", "load", 1.0))
    ]
    lines = told(tmp_path, [{"params": {"level": "l2"}, "value": 1.0}], fits)
    assert [line for line in lines if "HOLD" in line] == [
        "  LAW DOES NOT HOLD: dram load over rounds, 25.0 % off at level:dram/op:load/size:7",
        "  LAW DOES NOT HOLD: l2 load over rounds, 20.0 % off at level:l2/op:load/size:7",
    ]
    assert re.split("  +", lines[-1])[1:] == ["l1 load", "cycles = 0 + 1 × rounds", "worst ±1.0 %"]


# ---- Laws judged by cases that had no part in their fits ----

LINE = [(1, 3.0), (2, 5.0), (4, 9.0), (5, 11.0)]  # 1 + 2 x


def test_a_case_cannot_vouch_for_itself():
    held = held_out([*LINE, (3, 70.0), (3, 70.0)], True)
    assert (held.predicted, held.right, held.within_pct) == (6, 0, 2)
    assert held.most == pytest.approx(10)  # both of 3 by 1 + 2 x
    assert held.least < 0.9


def test_right_is_2_percent_of_an_sm_and_10_of_a_chip():
    off = [(x, y * (1.05 if x == 4 else 1)) for x, y in LINE]
    assert held_out(LINE, True) == HeldOut(4, 4, 2, pytest.approx(1), pytest.approx(1))
    assert held_out(off, True).right < 4
    assert held_out(off, False).right == 4


def test_two_counts_say_nothing_of_a_third():
    assert held_out(LINE[:3], True) is None
    assert held_out([], True) is None


def test_one_wrong_in_a_thousand_is_said():
    assert HeldOut(1000, 999, 2, 1, 1).share == "99.9 % within 2 %"
    assert HeldOut(10000, 9999, 2, 1, 1).share == "99.9 % within 2 %"
    assert HeldOut(7, 7, 10, 1, 1).share == "100 % within 10 %"
    assert HeldOut(3, 2, 10, 1, 1).share == "66 % within 10 %"


def one_launch(tmp_path, **changes) -> list[float | None]:
    """Of a case that moves a byte per ns, but 0.8 in one launch of 2^30 bytes."""
    spec = {"sweep": "s", "params": {"task": "read"}, "metric": ("item_ns", *NS), "bytes": 64}
    case = case_line("made_up", spec, 0, [64.0])
    case["derived"]["peak_pct"] = 50.0
    lengths = {"n": 2**24, "t_n": [2**30 / 0.8, None, 2**30 / 0.8]}
    head = run_line(1, provenance="measured", probes={"made_up": declared("made_up", [spec])})
    path = write(tmp_path / "rates.jsonl", sealed([head, case | {"intercept": 0.2, "lengths": lengths} | changes]))
    (point,) = archives.load(path).points
    return [point.derived.get(name) for name in ("one_launch_GBps", "one_launch_bytes")]


def test_a_marginal_rate_knows_that_of_one_launch(tmp_path):
    assert one_launch(tmp_path) == [pytest.approx(0.8), pytest.approx(2**30)]
    assert one_launch(tmp_path, lengths=None) == [None, None]


@pytest.mark.parametrize(("n", "t_n"), [(8, [-5, 5]), (8, [-1]), (0, [1]), (1e300, [1e-300]), (1e300, [1e300, 1e300])])
def test_lengths_without_a_rate_are_no_launch(tmp_path, n, t_n):
    huge = {"samples": [1e300], "median": 1e300, "ci95": None, "n": 1} if abs(n) > 1e299 or n == 0 else {}
    derived = {"useful_GBps": 1e300 if huge else 1.0, "peak_pct": 50.0}
    assert one_launch(tmp_path, lengths={"n": n, "t_n": t_n}, derived=derived, **huge) == [None, None]


@pytest.mark.parametrize("far", [1e-300, 1e300])
def test_figures_beyond_any_line_predict_nothing(far):
    assert held_out([(x, far) for x in range(1, 7)], True) is None or far < 1
    assert held_out([(x * 1e-300, 1.0) for x in range(1, 7)], True) is None
    assert held_out([(x * 1e160, far) for x in range(1, 7)], True) is None


def test_the_screen_has_the_share_held_out(tmp_path):
    walk = [*LINE, (8, 34.0)]  # twice what the others say
    specs = [{"params": {"width": x}, "law": "rounds", "count": x, "value": y} for x, y in walk]
    text = "\n".join(told(tmp_path, specs, [fit_line("made_up", {}, 1, 2)]))
    assert "held out 0 % within 2 %" in text and "..2.000" in text and "R²" not in text
