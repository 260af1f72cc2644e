"""Loops of a listing, and what a probe may declare of one beside a count: at least one, branches, local memory. That
faults are found in compiled kernels: tests/sass."""

import pytest

from gpufx_validate.check_sass import check_kernel
from gpufx_validate.disassembly import Instruction, Kernel, loops

PLAIN, LDS = ("", "FFMA", ""), ("", "LDS", "R1, [R1]")
POLL = ("@P2", "BRA", "0x20")  # back to itself: the second instruction of the loop


def code(*lines):
    return [Instruction(16 * i, *line) for i, line in enumerate(lines)]


def faults(lines, *declared):
    """declared: (opcode, count)."""
    wanted = [{"kernel": "k", "opcode": opcode, "count": count, "min_compute": 0} for opcode, count in declared]
    return check_kernel(Kernel(90, "void k(fx_timed)", code(*lines)), wanted)[0]


def timed(loop, *declared, behind=()):
    """What is wrong with a kernel whose timed loop, in a pass loop, holds these instructions."""
    lines = [
        ("", "MOV", "R1, R2"),
        *loop,
        ("@P0", "BRA", "0x10"),
        ("", "CS2R", "R4, SR_CLOCKLO"),
        ("@P1", "BRA", "0x0"),
    ]
    return faults([*lines, ("", "EXIT", ""), *behind], *declared)


@pytest.mark.parametrize(
    ("jump", "arms", "end"),
    [
        (1, [[PLAIN, ("", "BRA", "0x60")], [PLAIN, ("", "BRA", "0x60")]], [PLAIN]),
        (0, [[PLAIN, ("", "BRA", "0x40")], [PLAIN]], []),  # each case is reached by falling through, too
    ],
)
def test_all_cases_of_an_indirect_branch_belong_to_the_loop(jump, arms, end):
    body = [*[PLAIN] * jump, ("", "BRX", "R4 -0x20"), *arms[0], *arms[1], *end]
    trap = ("", "BRA", hex(16 * (len(body) + 2)))
    listing = code(*body, ("@P0", "BRA", "0x0"), ("", "EXIT", ""), trap)
    (loop,) = [found for found in loops(listing) if found.head == 0]
    assert loop.code == listing[: len(body) + 1]


@pytest.mark.parametrize("times", [1, 5])
def test_zero_asks_for_one_at_least(times):
    assert timed([LDS] * times, ("LDS", 0)) == []
    assert timed([LDS] * times, ("LDS", times), ("STS", 0)) == ["no STS, which is declared"]


def test_branches_and_local_memory_in_the_loop_must_be_declared():
    (wrong,) = timed([LDS, POLL, LDS], ("LDS", 2))
    assert "2 branches in the timed loop" in wrong
    assert timed([LDS, POLL, LDS], ("LDS", 2), ("BRA", 0)) == []
    local = ("", "LDL", "R1, [R1]")
    assert "local memory: 1 LDL" in timed([LDS, local], ("LDS", 1))
    assert timed([LDS, local], ("LDS", 1), ("LDL", 1)) == []


def test_what_never_runs_is_no_access():
    assert timed([LDS, ("@!PT", "LDS.64", "RZ, [RZ]")], ("LDS", 1)) == []
    assert "not declared: 1 LDS.64" in "; ".join(timed([LDS, ("@P3", "LDS.64", "RZ, [RZ]")], ("LDS", 1)))
    wide = ("", "LDS.64", "R2, [R1]")  # and without a clock
    assert faults([wide, ("@!PT", "LDS", "RZ, [RZ]")], ("LDS.64", 1)) == []
    assert faults([wide, ("@P3", "LDS", "R4, [R1]")], ("LDS.64", 1)) == ["another width or path: 1 LDS"]


DIVISION = [("", "MUFU.RCP", "R1, R1"), ("", "RET.REL.NODEC", "R20 0x0")]


def long_loop(call_to, second, *declared):
    """As the assembler writes the way out of a long loop on sm_80 to sm_89; at 0x80 lies a division."""
    return timed([LDS, second, ("@!P0", "CALL.REL.NOINC", call_to)], *declared, behind=DIVISION)


def test_a_call_over_the_branch_back_is_a_jump():
    assert long_loop("0x50", LDS, ("LDS", 2)) == []
    assert "a division or a call: 1 CALL.REL.NOINC" in long_loop("0x80", LDS, ("LDS", 2))


def test_a_special_function_that_is_declared_is_no_division():
    """The call beside it still is one."""
    both, log = ("LDS", 1), ("", "MUFU.LG2", "R1, R1")
    assert long_loop("0x80", log, both, ("MUFU.LG2", 1)) == ["a division or a call: 1 CALL.REL.NOINC"]
    assert long_loop("0x80", log, both) == ["a division or a call: 1 MUFU.LG2, 1 CALL.REL.NOINC"]
