"""Where a probe's machine code comes from, the table that is made of it, and the loops of a listing: what a probe may
declare of one beside a count: at least one, branches, local memory. Faults in compiled kernels: tests/sass."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from gpufx_validate import sass
from gpufx_validate.check_sass import Finding, check_kernel, check_kernels, is_variant
from gpufx_validate.disassembly import Instruction, Kernel, loops
from gpufx_validate.results import exit_status


def kernel(name, architecture=90, code=()):
    return Kernel(architecture, f"void {name}(fx_timed)", list(code))


def declares(name, *kernels, min_compute=0):
    line = {"opcode": "LDS", "count": 2, "min_compute": min_compute}
    return {"name": name, "sass": [line | {"kernel": k} for k in kernels]}


def loads(count):
    return [Instruction(16 * i, "", "LDS", "R1, [R2]") for i in range(count)]


def context(tmp_path, probe, *, cuda=True, **declared):
    """A program whose file is three bytes and then a fatbin."""
    (tmp_path / "program").write_bytes(b"xyzFATBIN!")
    info = {"program": {"cuda_compiler": "13.0" if cuda else None}}
    probes = [declares(probe, "exchange<1>") | {"fatbin": {"offset": 3, "bytes": 6}} | declared]
    return SimpleNamespace(info=info, probes=probes, options=SimpleNamespace(probes=[probe]))


def test_the_machine_code_of_a_probe_is_cut_out_of_the_program(tmp_path, monkeypatch):
    read = []

    def check_objects(tool, paths, probes):
        read.extend(Path(path).read_bytes() for path in paths)
        return [check_kernels([kernel("exchange<1>", code=loads(2))], probe) for probe in probes]

    monkeypatch.setenv("GPUFX_PROGRAM", str(tmp_path / "program"))
    monkeypatch.setattr(sass.check_sass, "check_objects", check_objects)
    monkeypatch.setattr(sass, "nvidia_file", lambda name: name)
    assert [(r.agree, r.failed) for r in sass.run(context(tmp_path, "p")).rows] == [(1, 0)]
    assert read == [b"FATBIN"]
    absent = sass.run(context(tmp_path, "p", fatbin=None))
    assert absent.details == ["FAILED  p: all on sm_0: none of its kernels is in the program"]


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "words"), [(61, []), (60, ["122 SHFL.IDX where 120 are declared"])])
def test_without_cuda_in_the_program_nvcc_compiles_the_named_probe(tmp_path, steps, words):
    if not (sass.nvidia_file("nvcc") and sass.nvidia_file("cuobjdump")):
        pytest.skip("there is no nvcc or no cuobjdump")
    lines = [
        {"kernel": f"exchange<{n}>", "opcode": "SHFL.IDX", "count": n * steps, "min_compute": 0} for n in (1, 2, 4)
    ]
    report = sass.run(context(tmp_path, "effect_template", cuda=False, sass=lines))
    assert [(r.what, r.agree, r.failed) for r in report.rows] == [
        ("effect_template, sm_90", 0 if words else 3, 3 if words else 0)
    ]
    assert all(any(word in line for line in report.details) for word in words)
    wrong = sass.run(context(tmp_path, "no_such_probe", cuda=False))
    assert "there is no micro/GROUP/no_such_probe/probe.cu" in wrong.details[0]


def test_findings_count_what_agrees_is_waived_and_fails():
    probe = declares("p", "good", "short", "absent")
    findings = check_kernels([kernel("good", code=loads(2)), kernel("short", code=loads(1))], probe)
    assert {f.kernel: f.verdict for f in findings} == {"good": "agree", "short": "failed", "absent": "failed"}
    assert {f.kernel: f.reason for f in findings}["short"] == "1 LDS where 2 are declared"
    old = check_kernels([kernel("good", 75, loads(2))], declares("p", "good", min_compute=80))
    assert [(f.verdict, f.reason) for f in old] == [("waived", "declared from sm_80 on")]
    alone = declares("p", "good", min_compute=-90)
    later = check_kernels([kernel("good", 90, loads(2)), kernel("good", 100)], alone)
    assert [(f.architecture, f.verdict, f.reason) for f in later] == [
        (90, "agree", None),
        (100, "waived", "declared for sm_90 alone"),
    ]
    assert [f.verdict for f in check_kernels([kernel("good", 90)], alone)] == ["failed"]
    rows = sass.rows_of(findings + old)
    assert [(r.what, r.agree, r.waived, r.failed, r.verdict) for r in rows] == [
        ("p, sm_90", 1, 0, 2, "FAILED"),
        ("p, sm_75", 0, 1, 0, "waived"),
    ]
    assert exit_status(rows) == 1 and exit_status(rows[1:]) == 77


def test_a_finding_says_where_and_why():
    text = str(Finding("p", "chase<1>", 90, "failed", "local memory: 2 STL"))
    assert text == "FAILED  p: chase<1> on sm_90: local memory: 2 STL"


def test_a_poll_of_a_barrier_in_shared_memory_is_no_arrival():
    def here(opcode):
        return Instruction(0, "", opcode, "[UR4]")

    arrival = "SYNCS.ARRIVE.TRANS64.A1T0"
    assert is_variant(here(arrival), arrival)
    assert is_variant(here("SYNCS.ARRIVE.TRANS64.RED.A1T0"), arrival)
    assert not is_variant(here("SYNCS.PHASECHK.TRANS64.TRYWAIT"), arrival)
    assert is_variant(here("LDS.64"), "LDS.128")


# ---- Loops ----

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
