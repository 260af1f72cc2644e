"""Instructions that a law takes from machine code are recounted: before, in and behind the loop."""

import pytest

from gpufx_validate.check_sass import check_kernels
from gpufx_validate.disassembly import Instruction, Kernel
from gpufx_validate.recount import faults, parts

# A loop with a loop in it, which is left for code of diverged lanes; then an exit that one warp passes.
LINES = [
    ("", "S2R", "R0, SR_TID.X"),  # 0x00
    ("", "IMAD.MOV", "R1, RZ, RZ, RZ"),
    ("", "LDG.E", "R2, [R4]"),  # 0x20, the loop's head
    ("", "BRA.DIV", "UR7, 0xd0"),
    ("", "IMAD", "R1, R1, R2, R1"),  # 0x40, the inner loop
    ("@P0", "BRA", "0x40"),
    ("", "NOP", ""),
    ("@P1", "BRA", "0x20"),
    ("@P2", "EXIT", ""),  # 0x80
    ("", "IADD3", "R1, R1, R1, RZ"),
    ("", "STG.E", "[R4], R1"),
    ("", "EXIT", ""),
    ("", "BRA", "0xc0"),  # never reached
    ("", "WARPSYNC.COLLECTIVE", "R10, 0xf0"),  # 0xd0, lanes that have diverged
    ("", "BRA", "0x40"),
    ("", "NOP", ""),
]
KERNEL = Kernel(90, "void k(task)", [Instruction(16 * i, *line) for i, line in enumerate(LINES)])
COUNTS = {"before": 3, "loop": 6, "behind": 3, "all": 12}


def line(part, count, opcode=None):
    return {"kernel": "k", "part": part, "opcode": opcode, "count": count}


def test_the_parts():
    found = parts(KERNEL.code)
    assert {part: len(code) for part, code in found.items()} == COUNTS
    assert [i.opcode for i in found["before"]] == ["S2R", "IMAD.MOV", "EXIT"]
    assert not any(i.opcode.startswith("WARPSYNC") for i in found["all"])


def test_without_a_loop_or_a_second_exit():
    code = [Instruction(16 * i, "", opcode, "") for i, opcode in enumerate(["S2R", "NOP", "EXIT", "NOP"])]
    assert {part: len(found) for part, found in parts(code).items()} == {"before": 3, "loop": 0, "behind": 0, "all": 3}


@pytest.mark.parametrize("part", COUNTS)
def test_one_more_or_less_is_a_fault(part):
    assert list(faults(KERNEL, [line(part, COUNTS[part])])) == []
    for count in (COUNTS[part] - 1, COUNTS[part] + 1):
        (fault,) = faults(KERNEL, [line(part, count)])
        assert fault.startswith(f"{COUNTS[part]} instructions ") and fault.endswith(f"the law takes {count}")


def test_kinds_of_instructions():
    assert list(faults(KERNEL, [line("loop", 1, "IMAD"), line("all", 2, "IMAD"), line("loop", 1, "LDG")])) == []
    assert list(faults(KERNEL, [line("loop", 2, "IMAD")])) == ["1 IMAD in the loop, and the law takes 2"]


def probe(*code):
    loop = [{"kernel": "k", "opcode": "LDG.E", "count": 1, "min_compute": 0},
            {"kernel": "k", "opcode": "STG.E", "count": 1, "min_compute": 0}]  # fmt: skip
    return {"name": "p", "sass": loop, "code": list(code)}


def test_the_check_of_machine_code_fails_by_it():
    (good,) = check_kernels([KERNEL], probe(line("loop", 6)))
    (bad,) = check_kernels([KERNEL], probe(line("loop", 7)))
    assert (good.verdict, bad.verdict) == ("agree", "failed")
    assert "6 instructions in the loop, and the law takes 7" in bad.reason


def test_counts_are_those_of_one_architecture():
    (other,) = check_kernels([Kernel(80, KERNEL.name, KERNEL.code)], probe(line("loop", 7)))
    assert other.verdict == "agree"


def test_a_kernel_that_nobody_declares_is_a_fault():
    findings = check_kernels([KERNEL], probe(line("loop", 6) | {"kernel": "gone"}))
    assert [f.verdict for f in findings] == ["agree", "failed"]
