"""What a probe may declare beside a count: at least one, branches, local memory. What never runs is none."""

import pytest

from gpufx_validate.check_sass import check_kernel
from gpufx_validate.disassembly import Instruction, Kernel


def found(timed, *declared):
    """What is wrong with a kernel whose timed loop holds these instructions; declared: (opcode, count)."""
    head = 0x10
    end = head + 16 * len(timed)
    lines = [
        ("", "MOV", "R1, R2"),  # the pass loop
        *timed,
        ("@P0", "BRA", hex(head)),
        ("", "CS2R", "R4, SR_CLOCKLO"),
        ("@P1", "BRA", "0x0"),
        ("", "EXIT", ""),
    ]
    assert end == 16 * (1 + len(timed))
    code = [Instruction(16 * i, *line) for i, line in enumerate(lines)]
    wanted = [{"kernel": "k", "opcode": opcode, "count": count, "min_compute": 0} for opcode, count in declared]
    return check_kernel(Kernel(90, "void k(fx_timed)", code), wanted)[0]


LDS = ("", "LDS", "R1, [R1]")
POLL = ("@P2", "BRA", "0x20")  # back to itself: the second instruction of the loop


@pytest.mark.parametrize("times", [1, 5])
def test_zero_asks_for_one_at_least(times):
    assert found([LDS] * times, ("LDS", 0)) == []


def test_zero_is_not_satisfied_by_none():
    assert found([LDS], ("LDS", 1), ("STS", 0)) == ["no STS, which is declared"]


def test_a_branch_in_the_loop_must_be_declared():
    wrong = found([LDS, POLL, LDS], ("LDS", 2))
    assert len(wrong) == 1 and "2 branches in the timed loop" in wrong[0]
    assert found([LDS, POLL, LDS], ("LDS", 2), ("BRA", 0)) == []


def test_local_memory_must_be_declared():
    local = ("", "LDL", "R1, [R1]")
    assert "local memory: 1 LDL" in found([LDS, local], ("LDS", 1))
    assert found([LDS, local], ("LDS", 1), ("LDL", 1)) == []


def test_what_never_runs_is_no_access():
    assert found([LDS, ("@!PT", "LDS.64", "RZ, [RZ]")], ("LDS", 1)) == []
    assert "not declared: 1 LDS.64" in "; ".join(found([LDS, ("@P3", "LDS.64", "RZ, [RZ]")], ("LDS", 1)))


def untimed(*lines):
    """What is wrong with a kernel without a clock that declares one LDS.64."""
    code = [Instruction(16 * i, *line) for i, line in enumerate(lines)]
    wanted = [{"kernel": "k", "opcode": "LDS.64", "count": 1, "min_compute": 0}]
    return check_kernel(Kernel(90, "void k(task)", code), wanted)[0]


def test_what_never_runs_is_no_access_without_a_clock_either():
    wide = ("", "LDS.64", "R2, [R1]")
    assert untimed(wide, ("@!PT", "LDS", "RZ, [RZ]")) == []
    assert untimed(wide, ("@P3", "LDS", "R4, [R1]")) == ["another width or path: 1 LDS"]
