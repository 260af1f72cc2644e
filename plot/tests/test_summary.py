"""The summary of one archive, probe by probe."""

import random
import re

import invent
import pytest
from invent import CYCLES, NS, archive_lines, case_line, declared, failed_line, name_of, run_line, sealed, write
from msgspec.structs import replace

from gpufx_plot.archive import load as archives
from gpufx_plot.showing.fit_formula import half_size
from gpufx_plot.showing.summary import summarise
from gpufx_plot.showing.summary.blocks import block_of


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
    return block_of(loaded, probe)


def crowd(path, copies: int, processes=1, broken=True, **run):
    """An archive of many probes: all that can be invented, several times over, with every other case. Of every third
    fit the law is broken."""
    lines, more = archive_lines(processes, n=3, **run), []
    seldom = {str(line.get("params")): random.Random(str(line.get("params"))).random() for line in lines}
    for copy in range(copies):
        for line in lines[1:-2]:
            if line["type"] == "case" and seldom[str(line["params"])] > 0.5 and "null" not in line["name"]:
                continue
            named = dict(line, probe=f"{line['probe']}_{copy}")
            for key in {"name", "worst_case"} & set(line):
                named[key] = named["probe"] + line[key].removeprefix(line["probe"])
            if line["type"] == "fit" and broken and random.Random(str(line["group"])).random() < 0.3:
                named |= {"largest_residual_pct": 33.3, "holds": False}
            more.append(named)
    probes = {f"{name}_{copy}": entry for name, entry in lines[0]["probes"].items() for copy in range(copies)}
    return write(path, sealed([lines[0] | {"probes": probes}, *more]))


@pytest.mark.slow
def test_it_holds_the_key_results(full, other, cli):
    status, out, err = cli("summary", "--full", other, full)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("NVIDIA RTX 4090 (sm_89), driver 580.65.06")
    assert "transfer: 325 cases, 1 waived" in lines
    pinned = next(line for line in lines if "copy pinned" in line)
    assert re.search(r"27\.\d\d GB/s, t0 4 µs, half at 108 KiB", pinned)
    assert any("l2 load" in line and re.search(r"cycles = 1\.5 \+ 0\.5 × l2 load", line) for line in lines)
    assert any(re.match(r"\d+ cases: 325 SLOWER", line) for line in lines)
    assert re.match(r"transfer +325 +\+100 %", lines[-1])


@pytest.mark.slow
def test_a_synthetic_archive_says_so_first(full):
    assert "SYNTHETIC: these numbers come from a parameter file" in summarise(archives.load(full), None, 0.01)


def test_flags_failures_and_an_interrupted_run_are_told(tmp_path):
    lines = archive_lines(1, n=1, probes=("null",))
    lines[1]["flags"] = ["throttled"]
    lines[1]["clocks"] = {"sm_clock_MHz": None, "nvml": [
        {"sm_MHz": 1845, "memory_MHz": None, "temperature_C": None, "power_W": 690, "age_ms": 1,
         "throttle_reasons": ["gpu_idle", "sw_power_cap"]}
    ]}  # fmt: skip
    path = write(tmp_path / "x.jsonl", [*lines[:-1], failed_line(0, "x", {}, "r")])
    text = summarise(archives.load(path), None, 0.01)
    assert "INCOMPLETE: cut off" in text
    assert "null: 1 case, flagged: 1 throttled (sw_power_cap; clock reported by the driver)" in text
    assert "x: 0 cases, 1 FAILED" in text


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 100])
def test_every_probe_and_every_broken_law_is_there_and_no_line_is_too_long(tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.chdir(tmp_path)
    loaded = archives.load(crowd(tmp_path / "x.jsonl", 2))
    against = archives.load(crowd(tmp_path / "y.jsonl", 2, seed=3, scale={"constant": 1.5}))
    whole, _, compared = summarise(loaded, against, 0.01).partition("\nagainst ")
    assert all(len(line) <= width for line in (whole + compared).splitlines() if not line.startswith("/"))
    for probe in loaded.probes:
        (block,) = re.findall(rf"^{probe}: \d+ case.*\n(?:  .*\n?)*", whole, re.M)
        broken = [f for f in loaded.merged_fits if f.probe == probe and not f.law_holds]
        assert ("LAW DOES NOT HOLD" in block) == bool(broken)
        assert re.search(rf"^{probe} +\d", compared, re.M)


def test_names_of_broken_laws_are_put_together_and_all_there(tmp_path):
    fits = [
        fit_line("made_up", {"level": level, "op": op}, 0, 1, largest_residual_pct=bad, holds=bad < 10)
        for level, op, bad in (("l2", "load", 30.0), ("l2", "store", 20.0), ("dram", "load", 25.0),
                               ("dram", "store", 24.0), ("l1", "load", 1.0))
    ]  # fmt: skip
    lines = told(tmp_path, [{"params": {"level": "l2"}, "value": 1.0}], fits)
    law = next(line for line in lines if "HOLD" in line)
    assert law == ("  LAW DOES NOT HOLD: l2 load over rounds, 30.0 % off at level:l2/op:load/size:7; also l2 store, "
                   "dram load/store")  # fmt: skip


def test_rates_of_what_is_no_copy_have_no_column_of_copies_and_none_is_lost(tmp_path):
    specs, fits = [], []
    for order, width, rate in (
        ("inter", 4, 4600.0),
        ("inter", 16, 4650.0),
        ("blocked", 4, 3700.0),
        ("blocked", 16, 4450.0),
    ):
        group = {"order": order, "width": width}
        for size in (1 << 26, 1 << 28):
            spec = {"params": group | {"size": size}, "metric": ("sum_ns", *NS), "law": "bytes", "count": size}
            derived = {"peak_pct": rate / 48} if order == "inter" else {}
            specs.append(spec | {"bytes": size, "value": size / rate, "derived": derived})
        fits.append(fit_line("made_up", group, -500.0 if width == 4 else 5000.0, 1 / rate, "bytes", "sum_ns"))
    text = " ".join(told(tmp_path, specs, fits))
    assert "best of the fitted cases from 64 MiB up: " in text
    assert "copy" not in text
    for part in ("inter width 4 4600 GB/s (95.8 % of peak);", "inter width 16 4650 GB/s (96.9 % of peak), t0 5 µs",
                 "blocked width 4 3700 GB/s;", "blocked width 16 4450 GB/s, t0 5 µs"):  # fmt: skip
        assert part in text
    assert "t0 0" not in text


def test_fits_whose_slopes_differ_by_more_than_twice_stay_apart(tmp_path):
    slopes = {"dram": (380.0, 401.0, 403.0, 390.0, 390.0), "l2": (168.0, 175.0, 177.0, 188.0, 188.0)}
    fits = [
        fit_line("made_up", {"level": level, "width": 4 << i}, 900.0 - 40 * i, slope)
        for level, all_of in slopes.items()
        for i, slope in enumerate(all_of)
    ]
    case = {"params": {"level": "l2"}, "value": 1.0}
    text = " ".join(told(tmp_path, [case], fits))  # more than 8 rows
    assert re.search(r"dram \(5 fits\):? +cycles = 740\.\.900 \+ 380\.\.403 × rounds", text)
    assert re.search(r"l2 \(5 fits\):? +cycles = 740\.\.900 \+ 168\.\.188 × rounds", text)
    # Where two ops cost the same and a third twice and more, the two are put together.
    fits = [fit_line("made_up", {"op": op}, 0.1, b) for op, b in (("add", 1.0), ("cas", 4.0), ("max", 1.01))]
    assert [line.split("  ")[1] for line in told(tmp_path, [case], fits)[1:]] == ["add/max (2 fits)", "cas"]
    # The same slope at another start is another law: a chain of accesses and a stream of them.
    fits = [fit_line("made_up", {"mode": mode}, a, 1.0) for mode, a in (("latency", 28.0), ("throughput", 0.0))]
    assert len(told(tmp_path, [case], fits)) == 3


def test_half_sizes_are_those_of_one_way_where_both_ways_are_copied_at_once(full):
    loaded = archives.load(full)
    points = {p.params["direction"]: p for p in loaded.points if p.probe == "transfer" and p.params["kind"] == "pinned"
              and p.in_fit}  # fmt: skip
    fit = next(f for f in loaded.merged_fits if f.holds(points["h2d"]))
    one_way, words = half_size(fit, points["h2d"])
    assert (one_way, words) == (pytest.approx(fit.a / fit.b), "half at 108 KiB")
    both = replace(points["both"], count=2.0 * points["both"].params["size"])
    assert half_size(fit, both) == (pytest.approx(one_way / 2), "half at 54.1 KiB each way")
