"""Where a probe's machine code comes from, and the table that is made of it. What a loop must hold is tested on
compiled faults: tests/sass."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from gpufx_validate import sass
from gpufx_validate.check_sass import Finding, check_kernels, is_variant
from gpufx_validate.disassembly import Instruction, Kernel
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
    program = tmp_path / "program"
    program.write_bytes(b"xyzFATBIN!")
    info = {"program": {"cuda_compiler": "13.0" if cuda else None}}
    probes = [declares(probe, "exchange<1>") | {"fatbin": {"offset": 3, "bytes": 6}} | declared]
    return SimpleNamespace(path=str(program), info=info, probes=probes, options=SimpleNamespace(probes=[probe]))


def test_the_machine_code_of_a_probe_is_cut_out_of_the_program(tmp_path, monkeypatch):
    read = []

    def check_objects(tool, paths, probes):
        read.extend(Path(path).read_bytes() for path in paths)
        return [check_kernels([kernel("exchange<1>", code=loads(2))], probe) for probe in probes]

    monkeypatch.setattr(sass.check_sass, "check_objects", check_objects)
    monkeypatch.setattr(sass.check_sass, "find_tool", lambda name: name)
    assert [(r.agree, r.failed) for r in sass.run(context(tmp_path, "p")).rows] == [(1, 0)]
    assert read == [b"FATBIN"]
    absent = sass.run(context(tmp_path, "p", fatbin=None))
    assert absent.details == ["FAILED  p: all on sm_0: none of its kernels is in the program"]


@pytest.mark.parametrize(("steps", "words"), [(61, []), (60, ["122 SHFL.IDX where 120 are declared"])])
def test_without_cuda_in_the_program_nvcc_compiles_the_named_probe(tmp_path, steps, words):
    if not (sass.check_sass.find_tool("nvcc") and sass.check_sass.find_tool("cuobjdump")):
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
