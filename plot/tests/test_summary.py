"""The summary of one archive, probe by probe."""

import re

import invent
import pytest
from invent import CYCLES, archive_lines, case_line, declared, failed_line, name_of, run_line, sealed, write

from gpufx_plot.archive import load as archives
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
    for line, spec in zip(cases, specs, strict=True):
        line["derived"].update(spec.get("derived", {}))
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
def test_it_holds_the_key_results(full, other, cli):
    status, out, err = cli("summary", "--full", full)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "transfer: 195 cases, 1 waived" in lines
    assert any(
        re.search(r"copy pinned h2d +2 µs \+ bytes at 55\.4 GB/s.* held out 100 % within 10 %", line) for line in lines
    )
    assert any(re.search(r"latency load +cycles = 21 \+ 2 × wavefronts", line) for line in lines)
    assert cli("summary", "--full", full, other)[0] == 2


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
    assert re.split("  +", lines[-1])[1:] == ["l1 load", "cycles = 0 + 1 × rounds", "±1.0 %"]
