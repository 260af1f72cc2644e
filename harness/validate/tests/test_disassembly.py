"""Loops of a listing: an indirect branch leads to the next block and to those that nothing else leads to."""

from gpufx_validate.disassembly import Instruction, loops

# A loop around an indirect branch to two cases, its end, and the trap behind a kernel.
SWITCH = (
    ("BSSY", "B0, 0x70"),
    ("BRX", "R4 -0x20"),
    ("IMAD", "R6, R6, 0x5, R5"),
    ("BRA", "0x60"),
    ("IMAD", "R6, R6, 0xd, R5"),
    ("BRA", "0x60"),
    ("BSYNC", "B0"),
    ("BRA", "0x0"),
    ("EXIT", ""),
    ("BRA", "0x90"),
)


def test_all_cases_of_an_indirect_branch_belong_to_the_loop():
    code = [Instruction(16 * i, "@P0" if i == 7 else "", *line) for i, line in enumerate(SWITCH)]
    (loop,) = [found for found in loops(code) if found.head == 0]
    assert [i.base for i in loop.code] == ["BSSY", "BRX", "IMAD", "BRA", "IMAD", "BRA", "BSYNC", "BRA"]


def test_an_indirect_branch_into_straight_code_belongs_to_the_loop():
    """Each case is reached by falling through, too."""
    lines = (("BRX", "R4 -0x10"), ("FFMA", ""), ("BRA", "0x40"), ("FFMA", ""), ("BRA", "0x0"), ("EXIT", ""))
    code = [Instruction(16 * i, "@P0" if i in (2, 4) else "", *line) for i, line in enumerate(lines)]
    (loop,) = loops(code)
    assert [i.base for i in loop.code] == ["BRX", "FFMA", "BRA", "FFMA", "BRA"]
