"""A change of one encoding is found; so is a kernel that is gone or new; names of types and bools do not matter."""

from gpufx_validate.compare_sass import compare, short

BEFORE = {
    (90, "chase<0, 4, 1>"): ["/*0000*/ LDS R0, [R1] ; /* 0x01 */", "/* 0x02 */"],
    (90, "store<4>"): ["/*0000*/ STS ; /* 0x03 */"],
}


def test_the_same_code_is_the_same():
    assert list(compare(BEFORE, dict(BEFORE))) == []


def test_scheduling_alone_counts_as_a_change():
    after = {**BEFORE, (90, "chase<0, 4, 1>"): ["/*0000*/ LDS R0, [R1] ; /* 0x01 */", "/* 0x12 */"]}
    assert list(compare(BEFORE, after)) == ["chase<0, 4, 1> on sm_90: 2 lines of code before, 2 after, 1 differ"]


def test_kernels_that_come_and_go_are_named():
    after = {(90, "chase<0, 4, 1>"): BEFORE[90, "chase<0, 4, 1>"], (80, "store<4>"): []}
    assert list(compare(BEFORE, after)) == ["store<4> on sm_80: new", "store<4> on sm_90: gone"]


def test_parameters_and_bools_are_no_part_of_the_name():
    names = ["_Z10load_slotsILi1ELb1EEv8fx_timed5slots", "_Z10load_slotsILi1ELi1EEv8fx_timed4task"]
    assert set(short(names).values()) == {"load_slots<1, 1>"}
