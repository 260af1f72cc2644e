"""What ncu prints: its table among other lines, numbers as it writes them, the case in the NVTX range."""

from pathlib import Path

import pytest

from gpufx_validate import ncu_csv

RAW = (Path(__file__).parent / "data" / "raw.csv").read_text(encoding="utf-8")
NAMES = {"bank_conflict/op:load/stride:2", "bank_conflict/op:load/stride:20"}
LOADS = "smsp__inst_executed_op_shared_ld.sum"


def test_the_table_is_found_among_the_messages():
    launches = ncu_csv.read(RAW)
    assert [launch.id for launch in launches] == ["0", "1", "2", "3"]
    assert launches[0].kernel == "void chase<0, 4, 4>(fx_timed, ring)"
    assert launches[0].metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 1136640
    assert set(launches[0].metrics) == {m for m in launches[0].metrics if "__" in m} and len(launches[0].metrics) == 3


def test_units_are_brought_to_base_and_what_is_no_number_is_none():
    told = [launch.metrics["dram__bytes_read.sum"] for launch in ncu_csv.read(RAW)]
    assert told == [1500, None, 0, 2_000_000]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1,234,567", "inst", 1234567),
        ("1,234.50", "", 1234.5),
        ("2.5", "Gbyte", 2.5e9),
        ("7", "Kinst", 7000),
        ("3", "M", 3e6),
        ("12", "byte", 12),
        ("n/a", "inst", None),
        ("", "inst", None),
        ("nan", "inst", None),
        ("inf", "inst", None),
    ],
)
def test_numbers(text, unit, value):
    assert ncu_csv.number(text, unit) == value


def test_the_longest_name_that_fits_is_the_case():
    found = [ncu_csv.case_of(launch.ranges, NAMES) for launch in ncu_csv.read(RAW)]
    two, twenty = sorted(NAMES)
    assert found == [two, two, twenty, None]
    assert ncu_csv.case_of('1 "gpufx:bank_conflict/op:load/stride:200:none:none"', NAMES) is None
    assert ncu_csv.case_of("gpufx:bank_conflict/op:load/stride:2", NAMES) == two  # without its quotes


def test_lines_of_one_launch_are_laid_together():
    head = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    one = '"0","7","k()","a__b.sum","inst","1,000"\n"0","7","k()","c__d.sum","Kbyte","2"\n'
    launches = ncu_csv.read(head + one + '"0","8","k()","a__b.sum","","3"\n')
    assert [launch.metrics for launch in launches] == [{"a__b.sum": 1000, "c__d.sum": 2000}, {"a__b.sum": 3}]
    wide = '"ID","Process ID","Kernel Name","a__b.sum","c__d.sum"\n'
    rows = '"","","","inst","inst"\n"0","7","k()","5",""\n"0","7","k()","","6"\n'
    assert [launch.metrics for launch in ncu_csv.read(wide + rows)] == [{"a__b.sum": 5, "c__d.sum": 6}]


def test_a_line_that_was_cut_off_is_left_out():
    for missing in range(2, 12):
        assert len(ncu_csv.read(RAW[:-missing])) == 3
    assert ncu_csv.read("") == [] and ncu_csv.read("==ERROR== nothing\n") == []
