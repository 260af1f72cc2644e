"""How ncu is called, what its words mean, and its table: among other lines, numbers as it writes them, the case in the
NVTX range. The messages are those of Nsight Compute 2025."""

import re
from pathlib import Path

import pytest

from gpufx_validate import ncu

TABLE = '"ID","Process ID","Kernel Name","a__b.sum"\n'


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.", "run as root"),
        ("==ERROR== The driver resource was unavailable. Ensure that no other tool is running.", "another profiler"),
        ("==WARNING== Profiling is not supported on device 0 as it uses the Windows Subsystem.", "can't profile"),
        ("==ERROR== Unsupported GPU (GP100)", "can't profile"),
    ],
)
def test_what_waives_all_counters(said, part):
    for status in (0, 1):  # whatever the status: ncu lets the program end
        outcome = ncu.judge(f"{said}\n{TABLE}", status)
        assert part in outcome.waiver and outcome.waiver.endswith(".") and not outcome.trouble


def test_unknown_metrics_are_named():
    outcome = ncu.judge("==ERROR== Failed to find metric idc__requests.sum\n", 1)
    assert outcome.unknown == {"idc__requests.sum"} and outcome.waiver is None
    outcome = ncu.judge("==ERROR== Failed to find metrics: a__b.sum, c__d.sum.\n", 1)
    assert outcome.unknown == {"a__b.sum", "c__d.sum"}
    assert not ncu.judge("==ERROR== Failed to open the report\n", 1).unknown


def test_other_trouble_is_told_with_its_last_words():
    assert ncu.judge(TABLE, 0).trouble is None
    assert ncu.judge(f"==ERROR== It broke.\n{TABLE}", 139).trouble == "ncu ended with status 139: It broke"
    assert ncu.judge("==WARNING== No kernels were profiled.\n", 0).trouble == (
        "ncu printed no table: No kernels were profiled"
    )


def test_the_filter_takes_the_declared_kernels_alone():
    expression = ncu.kernel_filter(["chase<0, 4, 1>", "store<4>", "sum", "load<2, true>"]).removeprefix("regex:")
    for name in ("void chase<0, 4, 1>(fx_timed, ring)", "chase<0, 4, 1>(fx_timed, ring)", "void store<4>(fx_timed)",
                 "void chase<(int)0, (int)4, (int)1>(fx_timed, ring)", "void load<(int)2, (bool)1>(fx_timed)",
                 "void load<2, true>(fx_timed)", "sum(int *)"):  # fmt: skip
        assert re.search(expression, name)
    for name in ("void chase<0, 4, 10>(fx_timed)", "void restore<4>(fx_timed)", "summary(int *)",
                 "void load<(int)2, (bool)0>()", "void load<2, false>()",
                 "void chase<(int)0, (int)4, (int)4>()"):  # fmt: skip
        assert not re.search(expression, name)


def test_the_command_leaves_clocks_and_caches_alone_and_asks_for_one_table():
    words = ncu.command("ncu", ["a__b.sum", "c__d.sum"], ["k"], Path("x.csv"), ["gpufx", "run"])
    text = " ".join(words)
    for part in ("--csv --page raw", "--print-units base", "--nvtx", "--clock-control none", "--cache-control none",
                 "--metrics a__b.sum,c__d.sum", "--kernel-name-base demangled", "--log-file x.csv"):  # fmt: skip
        assert part in text
    assert words[-2:] == ["gpufx", "run"]


def test_known_metrics_and_a_tool_that_does_not_say(tmp_path):
    def tool(script: str) -> str:
        path = tmp_path / "ncu"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    listing = "Device X\\n-----\\nMetric Name  Type\\ndram__bytes  Counter  byte\\nidc__requests  Counter\\n"
    assert ncu.known_metrics(tool(f"printf '{listing}'")) == {"dram__bytes", "idc__requests"}
    assert ncu.known_metrics(tool(f"printf '{listing}'; exit 1")) is None
    assert ncu.known_metrics(tool("echo nothing")) is None
    assert ncu.known_metrics(str(tmp_path / "absent")) is None


def test_it_is_found_on_path_else_in_the_usual_places_the_newest_first(tmp_path, monkeypatch):
    for place in ("2024.1", "2025.3", "path"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "ncu").write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / place / "ncu").chmod(0o755)
    monkeypatch.setattr(ncu, "PLACES", (f"{tmp_path}/none/ncu", f"{tmp_path}/2*/ncu"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert ncu.find() == str(tmp_path / "path" / "ncu")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ncu.find() == str(tmp_path / "2025.3" / "ncu")
    (tmp_path / "2025.3" / "ncu").chmod(0o644)
    assert ncu.find() == str(tmp_path / "2024.1" / "ncu")
    monkeypatch.setattr(ncu, "PLACES", ())
    assert ncu.find() is None


# ---- Its table ----

RAW = (Path(__file__).parent / "data" / "raw.csv").read_text(encoding="utf-8")
NAMES = {"bank_conflict/op:load/stride:2", "bank_conflict/op:load/stride:20"}


def test_the_table_is_found_among_the_messages():
    launches = ncu.read(RAW)
    assert len(launches) == 4
    assert launches[0].metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 1136640
    assert set(launches[0].metrics) == {m for m in launches[0].metrics if "__" in m} and len(launches[0].metrics) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234,567", 1234567), ("1,234.50", 1234.5), ("n/a", None), ("", None), ("nan", None), ("inf", None)],
)
def test_numbers(text, value):
    assert ncu.number(text) == value


def test_the_longest_name_that_fits_is_the_case():
    found = [ncu.case_of(launch.ranges, NAMES) for launch in ncu.read(RAW)]
    two, twenty = sorted(NAMES)
    assert found == [two, two, twenty, None]
    assert ncu.case_of('1 "gpufx:bank_conflict/op:load/stride:200:none:none"', NAMES) is None
    assert ncu.case_of("gpufx:bank_conflict/op:load/stride:2", NAMES) == two  # without its quotes


def test_a_line_that_was_cut_off_is_left_out():
    for missing in range(2, 12):
        assert len(ncu.read(RAW[:-missing])) == 3
    assert ncu.read("") == [] and ncu.read("==ERROR== nothing\n") == []
