"""How often loops run, by their machine code."""

from gpufx_plot.explain.loops import rounds
from gpufx_plot.explain.sass_text import WORD, Instruction


def code(*lines: str) -> dict[int, Instruction]:
    split = [line.rpartition(" ") for line in lines]
    return {
        i * WORD: Instruction(head.split()[-1], last, head.split()[0] if "@" in head else "")
        for i, (head, _, last) in enumerate(split)
    }


HALVING = (  # for (int offset = warpSize / 2; offset > 0; offset /= 2)
    "LEA.HI R2,R0.reuse,R0,RZ,0x1", "ISETP.GT.AND P0,PT,R0,0x3,PT", "SHF.R.S32.HI R3,RZ,0x1,R2",
    "SHFL.DOWN PT,R5,R6,R3,0x1f", "IMAD.MOV.U32 R0,RZ,RZ,R3", "@P0 BRA 0x10", "EXIT -",
)  # fmt: skip


def test_rounds_are_computed_from_numbers():
    assert rounds(code("IMAD.MOV.U32 R0,RZ,RZ,0x20", *HALVING)) == {0x60: 5}
    assert rounds(code("LDG.E R0,desc[UR4][R2.64]", *HALVING)) == {}  # it may be anything
    assert rounds(code("SHFL.DOWN PT,R0,R6,0x2,0x1f", *HALVING)) == {}
    up = ("UIADD3 UR4,UR4,0x1,URZ", "UISETP.NE.AND UP0,UPT,UR4,0x18,UPT", "PLOP3.LUT P0,PT,PT,PT,UP0,0x80,0x0")
    assert rounds(code("UMOV UR4,URZ", *up, "@P0 BRA 0x10")) == {0x40: 24}
    assert rounds(code("HFMA2.MMA R3,-RZ,RZ,0,1.430511474609375e-06", "IADD3 R3,R3,-0x1,RZ",
                       "ISETP.NE.U32.AND P1,PT,R3,RZ,PT", "@P1 BRA 0x10")) == {0x30: 24}  # fmt: skip


def test_what_another_way_may_write_is_not_known():
    skipped = ("MOV R0,0x20", "@P3 BRA 0x30", "MOV R0,0x10")
    down = ("VIADD R0,R0,0xffffffff", "ISETP.GT.AND P0,PT,R0,RZ,PT", "@P0 BRA 0x30")
    assert rounds(code(*skipped, *down)) == {}
    assert rounds(code(*skipped, "MOV R0,0x8", *down[:2], "@P0 BRA 0x40")) == {0x60: 8}
    down = ("VIADD R1,R1,0xffffffff", "ISETP.GT.AND P0,PT,R1,RZ,PT", "@P0 BRA 0x20")
    assert rounds(code("MOV R1,0x8", "LDS R0,[R9]", *down)) == {0x40: 8}
    assert rounds(code("MOV R1,0x8", "LDS.64 R0,[R9]", *down)) == {}
    assert rounds(code("MOV R16,0x2", "CALL.ABS.NOINC R2", "VIADD R16,R16,-0x1",
                       "ISETP.GT.AND P0,PT,R16,RZ,PT", "@P0 BRA 0x20")) == {0x40: 2}  # fmt: skip


def test_lanes_that_parted_do_the_same():
    aside = ("EXIT -", "SHFL.DOWN PT,R5,R6,R3,0x1f", "BRA 0x40")
    assert rounds(code("MOV R0,0x20", "LEA.HI R2,R0,R0,RZ,0x1", "SHF.R.S32.HI R3,RZ,0x1,R2", "BRA.DIV UR4,0x80",
                       "ISETP.GT.AND P0,PT,R0,0x3,PT", "MOV R0,R3", "@P0 BRA 0x10", *aside)) == {0x60: 5}  # fmt: skip
