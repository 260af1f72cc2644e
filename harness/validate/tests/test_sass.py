"""Whose a kernel is, and the table that comes of it. What a loop must hold is tested on compiled faults: tests/sass."""

from gpufx_validate import sass
from gpufx_validate.check_sass import Finding, check_kernels, is_kin
from gpufx_validate.disassembly import Instruction, Kernel
from gpufx_validate.results import exit_status


def kernel(name, unit, architecture=90, code=()):
    return Kernel(architecture, f"void {name}(fx_timed)", list(code), unit)


def declares(name, *kernels, min_compute=0):
    line = {"opcode": "LDS", "count": 2, "min_compute": min_compute}
    return {"name": name, "sass": [line | {"kernel": k} for k in kernels], "code": []}


def loads(count):
    return [Instruction(16 * i, "", "LDS", "R1, [R2]") for i in range(count)]


def test_kernels_of_one_name_go_by_the_file_they_stand_in():
    probes = [declares("one", "chase<1>", "chase<2>"), declares("two", "chase<1>", "store"), declares("none")]
    one, two = [kernel("chase<1>", 1), kernel("chase<2>", 1)], [kernel("chase<1>", 2), kernel("store", 2)]
    owned = sass.units_of([*one, *two, kernel("fill", 3)], probes)
    assert {name: [k.unit for k in kernels] for name, kernels in owned.items()} == {"one": [1, 1], "two": [2, 2]}


def test_probes_that_share_their_kernels_have_a_file_each():
    probes = [declares("first", "shared"), declares("second", "shared"), declares("third", "shared", "own")]
    files = [[kernel("shared", 1)], [kernel("shared", 2)], [kernel("shared", 3), kernel("own", 3)]]
    files += [[kernel("shared", 4, 75)], [kernel("shared", 5, 75)]]
    owned = sass.units_of([k for file in files for k in file], probes)
    assert {name: {k.unit for k in kernels} for name, kernels in owned.items()} == {
        "first": {1, 4},
        "second": {2, 5},
        "third": {3},
    }


def test_findings_count_what_agrees_is_waived_and_fails():
    probe = declares("p", "good", "short", "absent")
    findings = check_kernels([kernel("good", 1, code=loads(2)), kernel("short", 1, code=loads(1))], probe)
    assert {f.kernel: f.verdict for f in findings} == {"good": "agree", "short": "failed", "absent": "failed"}
    assert {f.kernel: f.reason for f in findings}["short"] == "1 LDS where 2 are declared"
    old = check_kernels([kernel("good", 1, 75, loads(2))], declares("p", "good", min_compute=80))
    assert [(f.verdict, f.reason) for f in old] == [("waived", "declared from sm_80 on")]
    alone = declares("p", "good", min_compute=-90)
    later = check_kernels([kernel("good", 1, 90, loads(2)), kernel("good", 1, 100)], alone)
    assert [(f.architecture, f.verdict, f.reason) for f in later] == [
        (90, "agree", None),
        (100, "waived", "declared for sm_90 alone"),
    ]
    assert [f.verdict for f in check_kernels([kernel("good", 1, 90)], alone)] == ["failed"]
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
    assert is_kin(here(arrival), arrival)
    assert is_kin(here("SYNCS.ARRIVE.TRANS64.RED.A1T0"), arrival)
    assert not is_kin(here("SYNCS.PHASECHK.TRANS64.TRYWAIT"), arrival)
    assert is_kin(here("LDS.64"), "LDS.128")
