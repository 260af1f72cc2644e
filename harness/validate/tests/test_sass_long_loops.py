"""The way out of a long loop, as the assembler writes it on sm_80 to sm_89, is no call of a division."""

from gpufx_validate.check_sass import check_kernel
from gpufx_validate.disassembly import Instruction, Kernel


def timed(call_to):
    """A timed loop of two loads in a pass loop with a clock read."""
    lines = [
        ("", "MOV", "R1, R2"),  # the pass loop
        ("", "LDS", "R1, [R2]"),  # 0x10: the timed loop
        ("", "LDS", "R1, [R1]"),
        ("@!P0", "CALL.REL.NOINC", f"0x{call_to:x}"),  # 0x30
        ("@P0", "BRA", "0x10"),
        ("", "CS2R", "R4, SR_CLOCKLO"),  # 0x50
        ("@P1", "BRA", "0x0"),
        ("", "EXIT", ""),  # 0x70
        ("", "MUFU.RCP", "R1, R1"),
        ("", "RET.REL.NODEC", "R20 0x0"),
    ]
    code = [Instruction(16 * i, *line) for i, line in enumerate(lines)]
    return Kernel(80, "void chase(fx_timed)", code)


def test_a_call_over_the_branch_back_is_a_jump():
    wanted = [{"kernel": "chase", "opcode": "LDS", "count": 2, "min_compute": 0}]
    assert check_kernel(timed(0x50), wanted)[0] == []
    assert "a division or a call: 1 CALL.REL.NOINC" in check_kernel(timed(0x80), wanted)[0]


def test_what_is_declared_is_no_division():
    """A special function that is timed itself: the call beside it still is one."""
    kernel = timed(0x80)
    kernel.code[2].opcode = "MUFU.LG2"
    declared = [{"kernel": "chase", "opcode": o, "count": 1, "min_compute": 0} for o in ("LDS", "MUFU.LG2")]
    assert check_kernel(kernel, declared)[0] == ["a division or a call: 1 CALL.REL.NOINC"]
    assert check_kernel(kernel, declared[:1])[0] == ["a division or a call: 1 MUFU.LG2, 1 CALL.REL.NOINC"]
