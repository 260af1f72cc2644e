"""The screen about one archive."""

import json

from invent import archive_lines, write

from gpufx_plot import archive as archives
from gpufx_plot.summary import SCREEN, summarise


def test_it_fits_a_screen_and_holds_the_key_results(full, other, cli):
    status, out, err = cli("summary", other, "--against", full)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= SCREEN
    assert lines[0].startswith("NVIDIA RTX 4090 (sm_89), driver 580.65.06")
    assert "transfer: 371 cases, 1 waived" in lines
    pinned = next(line for line in lines if "copy pinned" in line)
    assert "27.7 GB/s, t0 4 µs, half at 108 KiB" in pinned
    assert any(line.startswith("  l2 load") and "0.5 per sector" in line for line in lines)
    assert any("best GB/s moved: dram" in line for line in lines)
    assert lines[-1].strip().startswith("3")
    assert "SLOWER" in lines[-1]


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
    assert "8 fits" in text
