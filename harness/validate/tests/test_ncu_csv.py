"""What ncu prints: its table among other lines, numbers as it writes them, the case in the NVTX range."""

from pathlib import Path

import pytest

from gpufx_validate import ncu_csv

RAW = (Path(__file__).parent / "data" / "raw.csv").read_text(encoding="utf-8")
NAMES = {"bank_conflict/op:load/stride:2", "bank_conflict/op:load/stride:20"}


def test_the_table_is_found_among_the_messages():
    launches = ncu_csv.read(RAW)
    assert len(launches) == 4
    assert launches[0].metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 1136640
    assert set(launches[0].metrics) == {m for m in launches[0].metrics if "__" in m} and len(launches[0].metrics) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234,567", 1234567), ("1,234.50", 1234.5), ("n/a", None), ("", None), ("nan", None), ("inf", None)],
)
def test_numbers(text, value):
    assert ncu_csv.number(text) == value


def test_the_longest_name_that_fits_is_the_case():
    found = [ncu_csv.case_of(launch.ranges, NAMES) for launch in ncu_csv.read(RAW)]
    two, twenty = sorted(NAMES)
    assert found == [two, two, twenty, None]
    assert ncu_csv.case_of('1 "gpufx:bank_conflict/op:load/stride:200:none:none"', NAMES) is None
    assert ncu_csv.case_of("gpufx:bank_conflict/op:load/stride:2", NAMES) == two  # without its quotes


def test_a_line_that_was_cut_off_is_left_out():
    for missing in range(2, 12):
        assert len(ncu_csv.read(RAW[:-missing])) == 3
    assert ncu_csv.read("") == [] and ncu_csv.read("==ERROR== nothing\n") == []
