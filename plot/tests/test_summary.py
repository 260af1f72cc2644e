"""The screen about one archive."""

import json
import re
from dataclasses import replace

import pytest
from invent import archive_lines, write

from gpufx_plot import archive as archives
from gpufx_plot.model import half_size
from gpufx_plot.summary import SCREEN, summarise


def test_it_fits_a_screen_and_holds_the_key_results(full, other, cli):
    status, out, err = cli("summary", other, "--against", full)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= SCREEN
    assert lines[0].startswith("NVIDIA RTX 4090 (sm_89), driver 580.65.06")
    assert "transfer: 371 cases, 1 waived" in lines
    pinned = next(line for line in lines if "copy pinned" in line)
    assert re.search(r"27\.7\d GB/s, t0 4 µs, half at 108 KiB", pinned)
    assert any(line.startswith("  l2 load") and "cycles = 1.5 + 0.5 × l2 load" in line for line in lines)
    assert any("best useful rate: l1 load" in line and "% of peak" in line for line in lines)
    assert any(re.match(r"  \d+ cases: 371 SLOWER", line) for line in lines)
    assert re.match(r"  transfer +371 +\+100 %", lines[-1])


def test_a_synthetic_archive_says_so_first(full):
    assert "SYNTHETIC: these numbers come from a parameter file" in summarise(archives.load(full), None, 0.01)


def test_flags_failures_and_an_interrupted_run_are_told(tmp_path):
    lines = archive_lines(1, n=1, probes=("null",))
    lines[1]["flags"] = ["throttled"]
    failed = {"type": "failed", "launch": 0, "name": "x/y", "probe": "x", "params": {}, "status": "s", "reason": "r"}
    path = write(tmp_path / "x.jsonl", [*lines[:-1], failed])
    text = summarise(archives.load(path), None, 0.01)
    assert "INCOMPLETE: cut off" in text
    assert "null: 1 case, flagged: 1 throttled; overhead_ns: " in text
    assert "x: 0 cases, 1 FAILED" in text


def test_many_probes_and_fits_are_merged(tmp_path):
    lines = archive_lines(1, n=1, probes=("bank_conflict", "coalescing"))
    more = [json.loads(json.dumps(line).replace('"bank_conflict', f'"b{i}')) for i in range(4) for line in lines[1:-1]]
    text = summarise(archives.load(write(tmp_path / "x.jsonl", [*lines[:-1], *more])), None, 0.01)
    assert len(text.splitlines()) <= SCREEN
    assert "fits)" in text


def test_half_sizes_are_those_of_one_way_where_both_ways_are_copied_at_once(full):
    loaded = archives.load(full)
    points = {p.params["direction"]: p for p in loaded.points if p.probe == "transfer" and p.params["kind"] == "pinned"
              and p.in_fit}  # fmt: skip
    fit = next(f for f in loaded.merged_fits if f.holds(points["h2d"]))
    one_way, words = half_size(fit, points["h2d"])
    assert (one_way, words) == (pytest.approx(fit.a / fit.b), "half at 176 KiB")
    both = replace(points["both"], count=2.0 * points["both"].params["size"])
    assert half_size(fit, both) == (pytest.approx(one_way / 2), "half at 87.9 KiB each way")
