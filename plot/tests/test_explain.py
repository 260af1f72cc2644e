"""What `explain` says of a trace's costs: which line, how much it can save, what hides it, when a gate may pass."""

import json
import os
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from explained import ALL, BLOCKS, ROWS, TILE, instruction, launch, printed, row, transposes

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.call.program import root
from gpufx_plot.chip.definitions import of_the_tree
from gpufx_plot.chip.prices import chip_of
from gpufx_plot.explain import source
from gpufx_plot.explain.answer import CALLS, MOVES, explain, pairs
from gpufx_plot.explain.cures import cures
from gpufx_plot.explain.demangled import bare_name, demangled, labels, short_name
from gpufx_plot.explain.frames import Writer, read
from gpufx_plot.explain.played import ASKED, bound
from gpufx_plot.explain.recorded import processes
from gpufx_plot.explain.saving_gate import answer as judged
from gpufx_plot.explain.saving_gate import parse
from gpufx_plot.explain.trace_costs import costs_of, parsed
from gpufx_plot.explain_verb import kernel_list
from gpufx_plot.showing.explain_exports import as_github, as_json, as_sarif
from gpufx_plot.showing.explain_text import as_text, differences

PROGRAM = os.environ.get("GPUFX_PROGRAM") or str(root() / "build" / "bin" / "gpufx")


@pytest.fixture(scope="module")
def chip(h200):
    return chip_of(load(h200))


def test_each_price_is_asked_for_by_its_name_and_given_by_one_quantity():
    given = [d.price for effect in of_the_tree(root()).values() for d in effect if d.price]
    asked = {name for price, _, *others in ASKED.values() for name in (price, *others)} | {"launches"}
    assert sorted(given) == sorted(asked)


@pytest.fixture
def found(chip):
    return explain(parsed(transposes()), chip)


def kernel_of(found, name: str):
    return next(kernel for kernel in found.kernels if kernel.name.startswith(name))


def one(found, kernel: str, space: str, op: str):
    return next(line for line in kernel_of(found, kernel).lines if (line.space, line.op) == (space, op))


def words(found, every: bool = False) -> str:
    return " ".join(as_text(found, None, every).split())


def test_the_line_that_costs_most_comes_first(found):
    kernel, line = found.lines[0]
    assert (kernel.name, kernel.where(line), line.op) == ("naive(float*, float const*, int)", "/src/app.cu:4", "store")
    # 4 instructions, 8 warps of 16384 blocks, 3 launches
    assert (len(line.instructions), line.executed) == (4, 4 * 8 * ALL * 3)
    assert (line.count / line.executed, line.best_count / line.executed) == (32, 4)
    assert line.cycles / line.executed == pytest.approx(63.3)
    assert (line.share, line.hidden_by) == (pytest.approx(63.3 / (63.3 + 1.05)), None)


def test_what_another_part_takes_anyway_is_hidden(found):
    line = one(found, "tiled", "shared", "load")
    assert (line.hidden_by, line.saved_ns, line.own_ns > 0) == ("barriers", 0, True)
    assert ": saves nothing: hidden by barriers" in words(found, True)


def test_what_is_not_known_of_a_kernel_hides_what_its_lines_could_save(chip):
    document = transposes()
    document["launches"][0]["time"]["unknown"] = "it has loops without accesses"
    found = explain(parsed(document), chip)
    kernel, line = kernel_of(found, "naive"), one(found, "naive", "global", "store")
    assert (kernel.played, kernel.bound, kernel.four, kernel.spent) == (False, None, {}, [])
    assert (kernel.predicted_ns, line.saved, line.hidden_by) == (3e5, pytest.approx(0.6), None)
    document["launches"][0]["time_ns"] = 1e6
    found = explain(parsed(document), chip)
    kernel, line = kernel_of(found, "naive"), one(found, "naive", "global", "store")
    assert (kernel.measured_ns, kernel.explained) == (3e6, pytest.approx(0.1))
    assert line.hidden_by == "latency, arithmetic or barriers"
    status, said = judged(found, None, parse("saved>10%"))
    assert (status, len(said), "is no evidence: naive" in said[0]) == (3, 1, True)
    assert "note: naive is not explained: it has loops without accesses" in words(found)
    assert "note: accesses explain 10 % of naive; the rest of the measured time is bound by" in words(found)
    document["launches"][0]["time"] |= {"unknown": None, "managed": True}
    for ns, moves in ((None, [MOVES]), (1.2e5, []), (1e6, [MOVES])):  # of 1e5 predicted
        document["launches"][0]["time_ns"] = ns
        found = explain(parsed(document), chip)
        assert [kernel.unknown for kernel in found.kernels if kernel.unknown] == moves
    assert one(found, "naive", "global", "store").hidden_by == "the link to the host"
    assert "not explained: it accesses managed or host memory" in words(found) and "the rest of" not in words(found)
    assert "misses something" not in words(found)


def test_times_of_another_chip_are_not_compared(chip):
    document = transposes()
    document["launches"][0]["time_ns"] = 1e6
    kernel = kernel_of(explain(parsed(document), chip), "naive")
    assert (kernel.explained, kernel.differs) == (pytest.approx(0.1), True)
    document["trace"]["device"]["name"] = "NVIDIA B200"
    found = explain(parsed(document), chip)
    kernel = kernel_of(found, "naive")
    assert (kernel.explained, kernel.differs) == (None, False)
    assert "predicted times and shares saved are the NVIDIA H200's, so they are not compared" in words(found)


def test_a_gate_calls_kernels_as_the_screen_does(chip):
    document = transposes()
    document["kernels"][0]["shown"] = f"void at::native::naive<4, {'a::b, ' * 200}float>(float*)"
    for r in document["rows"]:
        r["instruction"].pop("file", None)
    _, (said,) = judged(explain(parsed(document), chip), None, parse("saved>10%"))
    assert said == "--fail-on 'saved>10%' is met: naive<4, a::…::b, float>+0x40 could save 60 %"


def test_few_blocks_keep_sms_idle(chip):
    document = transposes()
    document["launches"][0]["blocks"] = {"total": 16, "recorded": 16}
    found = explain(parsed(document), chip)
    assert kernel_of(found, "naive").idle_sms == chip.sms - 16
    assert f"naive: 16 blocks, so {chip.sms - 16} of {chip.sms} SMs are idle" in words(found, True)


def test_without_fits_there_are_counts_and_no_cycles():
    document = transposes()
    for r in document["rows"]:
        r["cycles"] = r["best_cycles"] = None
    found = explain(parsed(document), None)
    text = as_text(found, None, False)
    assert "no archive has fits for this chip" in text
    assert "32 sectors per access, best 4; served by L2 88 %, DRAM 12 %\n" in text
    assert "cycles" not in text.split("\n", 2)[2]
    assert judged(found, None, parse("saved>20%"))[0] == 3


def test_several_recorded_launches_of_a_shape_share_its_calls(chip):
    document = transposes()
    again = json.loads(json.dumps(document))
    again["launches"].append(launch(2, 0))
    again["rows"] += [r | {"launch": 2} for r in document["rows"] if r["launch"] == 0]
    first, second = (explain(parsed(d), chip) for d in (document, again))
    assert one(first, "naive", "global", "store").executed == one(second, "naive", "global", "store").executed
    assert first.kernels[0].predicted_ns == pytest.approx(second.kernels[0].predicted_ns)
    assert (first.kernels[0].launches, second.kernels[0].launches) == (3, 3)
    again["calls"].append(again["calls"][0] | {"launches": 4})  # those of another device
    assert explain(parsed(again), chip).kernels[0].launches == 7


def test_a_kernel_of_two_processes_is_one(chip):
    document = transposes()
    document["kernels"].append({"id": 5, "name": "_Z5naivePfPKfi", "shown": "naive(float*, float const*, int)"})
    document["launches"].append(launch(2, 5))
    document["calls"].append(document["calls"][0] | {"kernel": 5})
    document["rows"] += [
        r | {"launch": 2, "instruction": r["instruction"] | {"id": 100 + r["instruction"]["id"], "kernel": 5}}
        for r in document["rows"]
        if r["launch"] == 0
    ]
    found = explain(parsed(document), chip)
    assert [(k.name[:5], k.launches, len(k.lines)) for k in found.kernels] == [("naive", 6, 2), ("tiled", 2, 4)]


def test_the_error_of_a_sample_is_that_of_its_blocks(chip):
    document = transposes()
    for r in document["rows"]:
        r["blocks"]["variance"] = (0.4 * r["blocks"]["mean"]) ** 2
    line = one(explain(parsed(document), chip), "tiled", "shared", "load")
    # Student's t of 63 degrees of freedom at 99.5 % is 2.656
    assert line.error == pytest.approx(2.656 * 0.4 / 8 * (1 - BLOCKS / ALL) ** 0.5, rel=1e-3)
    for one_launch in document["launches"]:
        one_launch["blocks"] = {"total": BLOCKS, "recorded": BLOCKS}
    assert one(explain(parsed(document), chip), "tiled", "shared", "load").error is None


@pytest.mark.parametrize(
    ("condition", "spread", "status"),
    [("saved>20%", 0.0, 1), ("saved>90%", 0.0, 0), ("saved>70%", 3.0, 3), ("saved>20%,saved>99%", 0.0, 1)],
)
def test_a_gate_passes_only_on_evidence(chip, condition, spread, status):
    document = transposes()
    for r in document["rows"]:
        r["blocks"]["variance"] = (spread * r["blocks"]["mean"]) ** 2
    found, said = judged(explain(parsed(document), chip), None, parse(condition))
    assert (found, bool(said)) == (status, status > 0)


@pytest.mark.parametrize(("shared", "dram", "named"), [(6.0, 0.65, "DRAM"), (7.0, 0.65, "shared memory")])
def test_dram_is_named_where_it_is_busier_than_others_wait_for_other_pipes(shared, dram, named):
    assert bound({"shared": shared, "long": 10 - shared}, {"shared": 1.0}, dram) == named


def test_shared_memory_and_special_functions_are_one_reason_to_stall():
    assert bound({}, {"short": 2, "special": 3, "barrier": 4}, 0) == "special functions and constants"


OTHER = {"id": 2, "name": "_Z5otherv", "shown": "other()"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"notes": [{"code": "incomplete", "text": "the program was killed by signal 11"}]},
            "the program was killed by",
        ),
        ({"kernels": [*transposes()["kernels"], OTHER]}, "no records of other"),
    ],
)
def test_what_is_not_all_there_passes_no_gate_and_may_fail_one(chip, change, why):
    found = explain(parsed(transposes() | change), chip)
    status, (said,) = judged(found, None, parse("saved>99%"))
    assert (status, said.startswith(f"--fail-on 'saved>99%' can't be decided: {why}")) == (3, True)
    assert as_github(found).startswith("::warning title=gpufx explain::--fail-on 'saved>99%25' can't be")
    document = json.loads(as_json(found, None))
    assert (document["gate"], document["fail_on"], document["complete"]) == ("undecided", [said], "notes" not in change)
    assert document["not_judged"] == [{"kernel": "other()", "why": "no records"}] * ("kernels" in change)
    assert document["judged"][0].startswith(f"--fail-on 'saved>99%': 2 of {len(found.costs.kernels)} kernels judged")
    assert "notes" not in change or f"{found.costs.unfinished}; this is what was recorded" in words(found)
    assert judged(found, None, parse("saved>10%"))[0] == 1
    assert (found.gate, as_github(found)[:7]) == ("met", "::error")


def test_a_condition_that_is_none_is_refused(found):
    assert [str(one) for one in parse("saved > 20, slower>5%")] == ["saved>20%", "slower>5%"]
    for text in ("saved", "slow>3%", "saved>-1%", "saved>1e3%", "share:slower>1%", " ", "saved>20%,"):
        with pytest.raises(UserError, match="write 'saved>20%' or 'slower>5%', in quotes"):
            parse(text)
    with pytest.raises(UserError, match="add --against TRACE"):
        judged(found, None, parse("slower>5%"))


def test_before_and_after(chip):
    before = explain(parsed(transposes()), chip)
    document = transposes()
    for r in document["rows"]:
        if r["instruction"]["op"] == "store" and r["launch"] == 0:
            r["instruction"] |= {"line": 40}
            r |= {"sectors": r["best_sectors"], "cycles": r["best_cycles"]}
    document["launches"][0]["time"]["ns"] = 4e4
    document["kernels"][1]["shown"] = "other(float*)"
    now = explain(parsed(document), chip)
    both = pairs(before, now)
    assert [(bool(p.before), bool(p.now)) for p in both] == [(False, True), (True, True), (True, False)]
    text = as_text(now, both, False)
    assert re.search(r"app.cu:40, global store +63.3 cycles +4 cycles", text)
    last = [line.split()[-1] for line in text.splitlines() if line.startswith(("other ", "tiled "))]
    assert last[:2] == ["new", "gone"]
    status, (said,) = judged(now, both, parse("slower>5%"))
    assert (status, "not in both traces: other is new, tiled is gone; name those" in said) == (3, True)
    assert {bare_name(name): why for name, why in now.not_judged.items()} == {"other": "new", "tiled": "gone"}
    assert "takes 0.40x the time, 1 new: other, 1 gone: tiled" in " ".join(text.split())
    assert judged(now, both[1:2], parse("slower>5%"))[0] == 0
    assert judged(before, pairs(now, before), parse("slower>5%"))[0] == 1
    assert judged(now, pairs(now, now)[:0], parse("slower>5%"))[0] == 3
    assert "naive" not in as_github(now, both)
    (slower,) = (line for line in as_github(before, pairs(now, before)).splitlines() if line.startswith("::error"))
    assert slower.startswith(f"::error file={kernel_of(before, 'naive').first[0]},line=") and "naive" in slower


def cures_of(found, kernel: str, space: str, op: str):
    return cures(kernel_of(found, kernel), one(found, kernel, space, op))


def test_a_transposition_is_staged(found, chip):
    (told,) = cures_of(found, "naive", "global", "store")
    assert told.text.startswith("stage a tile of 32 rows of 33 elements in shared memory: ")
    assert (told.before, told.after) == (pytest.approx(63.3), pytest.approx(6.0))
    assert cures_of(found, "naive", "global", "load") == []
    document = transposes()  # a column without rows beside it is no transposition
    for r in (r for r in document["rows"] if r["launch"] == 0 and r["instruction"]["op"] == "load"):
        r["sectors"] = 2 * r["best_sectors"]
    assert [t.text for t in cures_of(explain(parsed(document), chip), "naive", "global", "store")] == [TILE]


def test_a_narrow_block_is_told_another_shape(chip):
    document = transposes()
    document["launches"][0] |= {"block": [8, 8, 1]}
    lanes = [4 * (lane % 8) + 16384 * (lane // 8) for lane in range(32)]
    for r in document["rows"]:
        if r["launch"] == 0 and r["instruction"]["op"] == "store":
            r["patterns"][0]["lanes"] = lanes
            r["sectors"], r["best_sectors"] = 8 * r["executed"], 4 * r["executed"]
    first, *_ = cures_of(explain(parsed(document), chip), "naive", "global", "store")
    assert first.text.startswith("another block shape: 32 threads in x, not 8")
    assert (first.before, first.after, first.unit) == (8, 4, "sectors")


def test_what_saves_next_to_nothing_is_no_cure(chip):
    document = transposes()
    for r in document["rows"]:
        for cure in r["cures"]:
            cure["cycles"] = 0.97 * r["cycles"]
    assert cures_of(explain(parsed(document), chip), "tiled", "shared", "load") == []


def test_a_reduction_is_told_another_order_and_nothing_else(chip):
    document = transposes()
    row_ = next(r for r in document["rows"] if r["instruction"]["id"] == 21)
    steps = [[2 * k * 4 * lane if lane < 16 else -1 for lane in range(32)] for k in (1, 2, 4)]
    row_["patterns"] = [row_["patterns"][0] | {"lanes": lanes, "share": 0.3} for lanes in steps]
    (told,) = cures_of(explain(parsed(document), chip), "tiled", "shared", "load")
    assert "adds element tid + s to element tid" in told.text


def test_the_law_of_an_access_may_be_a_guess(chip):
    document = transposes()
    for r in document["rows"]:
        r["claimed"] = 0.0 if r["instruction"]["space"] == "shared" else 0.6
    text = words(explain(parsed(document), chip))
    assert "no hardware counter has confirmed the law for these accesses, so their cycles are uncertain" in text
    assert "no hardware counter has confirmed the law for 40 % of these accesses" in text


def test_fields_of_a_structure_are_one_access(chip):
    served = {"l1": 0.0, "l2": 0.0, "dram": 1.0}
    lanes = [16 * lane for lane in range(32)]
    rows = [row(0, instruction(i, 0, "load", 5 + i), (16, 4), (17, 1.05), served, lanes) for i in range(8)]
    for field, r in enumerate(rows):  # two rounds
        r["patterns"][0]["base"] = 4 * (field % 4) + 512 * (field // 4)
    found = explain(parsed(transposes() | {"rows": rows}), chip)
    kernel = next(k for k in found.kernels if k.lines)
    (told,) = cures(kernel, kernel.lines[0])
    assert told.text == "one access of 16 bytes (float4) per lane instead of 4 side by side"
    assert (told.before, told.after) == (pytest.approx(4 * 17), pytest.approx(17))
    found = explain(parsed(transposes() | {"rows": rows[:3]}), chip)
    assert cures(next(k for k in found.kernels if k.lines), found.lines[0][1]) == []


@pytest.mark.skipif(not Path(PROGRAM).is_file(), reason="no build that reads traces")
@pytest.mark.parametrize(
    ("code", "unknown"),
    [
        ("7e1 -1 -1 EXIT", None),
        ("7e1 -1 -1 @!P0 STG.E desc[UR4][R2.64],R3\n7e1 -1 -1 EXIT", None),
        ("7e1 -1 -1 STG.E desc[UR4][R2.64],R3\n7e1 -1 -1 EXIT", "its records don't fit its machine code"),
        ("ff5 -1 -1 @P0 CALL.ABS.NOINC R8\n7e1 -1 -1 EXIT", CALLS),
        ("ff5 -1 -1 @P0 BRA 0x20\nff5 -1 -1 CALL.ABS.NOINC R8\n7e1 -1 -1 EXIT", None),
    ],
)
def test_a_kernel_without_records(tmp_path, monkeypatch, code, unknown):
    monkeypatch.setenv("GPUFX_PROGRAM", PROGRAM)
    with Writer(tmp_path / "trace") as to:
        for frame in read(root() / "results/traces/pairs.fxtrace"):
            if frame.kind in ("gpufx_trace", "kernel", "launch", "end"):
                to.put(frame.head, frame.content)
            if frame.kind == "kernel":
                to.put({"code": {"kernel": frame.value["id"], "files": []}}, f"{code}\n".encode())
    costs, _ = costs_of(tmp_path / "trace", "h200", None, None)
    assert {(x.time.unknown, bool(x.time.ns)) for x in costs.launches} == {(unknown, True)}


@pytest.mark.slow
@pytest.mark.skipif(not Path(PROGRAM).is_file(), reason="no build that reads traces")
def test_a_kernel_alone_is_what_it_is_among_all(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUFX_PROGRAM", PROGRAM)
    trace = tmp_path / "pairs"
    managed = iter([[[0, 8], [8, 1 << 60]], [[8, 8]], 5, [7, ["a"], [{}, -1.5], [-9, None]], "x"])
    with Writer(trace) as to:
        for frame in read(root() / "results/traces/pairs.fxtrace"):
            if frame.kind == "launch":
                frame.value["managed"] = next(managed, None)
            to.put(frame.head, frame.content)
    costs, chip = costs_of(trace, "h200", None, None)
    assert [x.time.managed for x in costs.launches] == [True] + [False] * (len(costs.launches) - 1)
    for kernel in explain(costs, chip).kernels:
        alone, _ = costs_of(trace, "h200", None, f"^{re.escape(kernel.name)}$", chip)
        assert explain(alone, chip).kernels == [kernel]


SPINNING = (
    "701 0 1 LDS R3,[R5]\nfe4 0 1 FADD R4,R3,R2\n701 0 1 ATOMS.CAST.SPIN R4,[R5],R3,R4\n"
    "fed 0 1 ISETP.EQ.U32.AND P0,PT,R4,0x1,PT\n7e5 0 1 @!P0 BRA 0x0\n7e5 0 1 EXIT\n"
)


@pytest.mark.skipif(not Path(PROGRAM).is_file(), reason="no build that reads traces")
def test_tries_of_which_none_succeeds_are_no_time(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUFX_PROGRAM", PROGRAM)
    patterns = b"".join(struct.pack("<II32I", mask, 4, *[64] * 32) for mask in (0xFFFFFFFF, 0xFFFF0000))
    first = {frame.kind: frame.head for frame in reversed([*read(root() / "tests/traces/planted_h200.fxtrace")])}
    took = []
    for tries in ([0], [0] * 9, [0, 1]):
        with Writer(trace := tmp_path / "spin") as to:
            for kind in ("gpufx_trace", "kernel", "launch"):
                to.put(first[kind])
            to.put({"code": {"kernel": 0, "files": ["/a.cu"]}}, SPINNING.encode())
            for pc, op in ((0, "load"), (32, "cas")):
                to.put(
                    {"instruction": {"id": pc // 32, "kernel": 0, "pc": pc, "space": "shared", "op": op, "width": 4}}
                )
            to.put({"patterns": {"first": 0, "count": 2}}, patterns)
            at = [(i, of, 0, block, warp, 1) for block in (0, 1) for warp in (0, 1) for of in tries for i in (0, 1)]
            to.put({"records": {"launch": 0, "count": len(at)}}, b"".join(struct.pack("<IIQIHH", *x) for x in at))
            to.put(first["end"])
        took.append(explain(*costs_of(trace, "h200", None, None)).kernels[0].predicted_ns)
    assert took[0] == took[1] < took[2]


def test_json_says_all_of_it(found):
    document = json.loads(as_json(found, pairs(found, found)))
    assert document["gpufx_explain"] == 1
    kernel = document["kernels"][0]
    assert (kernel["played"], kernel["spent"][0]["parts_ns"]["L2"]) == (True, 2.4e5)
    line = kernel["lines"][0]
    assert (line["file"], line["line"], line["hidden_by"]) == ("/src/app.cu", 4, None)
    assert (line["cures"][0]["cycles"], line["patterns"][0]["lanes"]) == (pytest.approx(6.0), ROWS)
    assert [pair["ratio_of_a_launch"] for pair in document["against"]] == [1.0, 1.0]


def test_only_files_of_source_are_opened(tmp_path):
    secret, fifo, text = tmp_path / "id_rsa", tmp_path / "pipe.cu", tmp_path / "a.cu"
    secret.write_text("secret\n")
    os.mkfifo(fifo)
    text.write_text("one\n\x1b[31mtwo\n")
    assert (source.line(str(secret), 1), source.line(str(fifo), 1)) == ("", "")
    assert (source.line(str(text), 2), source.line(str(text), 3), source.line(str(text), 0)) == ("?[31mtwo", "", "")
    assert source.line("/src/none.cu", 1) == ""
    for name, to, found in (("link.cu", secret, ""), ("other.cu", text, "one")):
        (tmp_path / name).symlink_to(to)
        assert source.line(str(tmp_path / name), 1) == found


def test_names_as_people_say_them():
    names = {
        "naive(float*, float const*, int)": "naive",
        "void at::native::vectorized<4, f(int)>(int, T)": "at::native::vectorized<4, f(int)>",
        "(anonymous namespace)::softmax(float*)": "(anonymous namespace)::softmax",
        "_Zbroken": "_Zbroken",
        "f<&g(int)>::operator()(int)": "f<&g(int)>::operator()",
    }
    assert {name: short_name(name) for name in names} == names
    assert bare_name("void at::native::vectorized<4, a::b>(int, T)") == "vectorized<4, a::b>"
    assert bare_name("(anonymous namespace)::softmax(float*)") == "softmax"
    assert demangled("_Z5naivePfPKfi") == "naive(float*, float const*, int)"
    assert [demangled(name) for name in ("main", "_Zx", "_Z1fv\0", "")] == ["main", "_Zx", "_Z1fv\0", ""]


def test_no_two_kernels_look_alike():
    inner = [f"void a::each<128, loop<{op}<{of}>>::call({'long, ' * 9}int)#1>(int)" for op in "pq" for of in "fgh"]
    names = [*inner, "scan(int*)", "scan(float*)", "b::scan(int*)", "y" * 300, "y" * 300 + "z", "v<" + 40 * "x" + ">"]
    for most in (24, 60, 400):
        found = labels(names, most)
        assert [*found] == names and len({*found.values()}) == len(names) and max(map(len, found.values())) <= most
        assert all(found[name].startswith("each<") for name in inner)
    inner = "at::native::add_functor(at::Tensor&)::{lambda(Tensor)#1}, std::array<char*, 1ul>"
    cut = {"vectorized_gather_kernel<16, long>": "vectorized_g…l<16, long>", "x" * 30: "xxxxxxxxxxxx…xxxxxxxxxxx"}
    cut |= {f"each<4, loop<{inner}> >(int)": "each<4, loop…add_functo…"}
    assert labels(cut, 24) == cut


def test_what_the_program_does_not_mean_is_refused():
    for change, said in (({"launches": []}, "a row of a launch that it does not"), ({"notes": "x"}, "unexpected")):
        with pytest.raises(UserError, match=said):
            parsed(transposes() | change)


def test_odd_numbers_are_no_crash(chip):
    document = transposes()
    document["launches"][0]["blocks"] = {"total": 0, "recorded": 0}
    for r in document["rows"]:
        r["patterns"][0]["lanes"] = [-1] * 32
        r |= {"executed": 0, "sectors": 0, "wavefronts": 0, "cycles": 0, "best_cycles": 0}
        r["blocks"] = {"n": 1, "mean": 0, "variance": 0}
    found = explain(parsed(document), chip)
    assert as_text(found, pairs(found, found), True)
    assert as_json(found, None)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "a.fxtrace"
    path.write_text('{"gpufx_trace":1}\n')
    return path


ANSWERS = '[ "$1" = trace-cost ] && exec cat "$answer"'


def test_a_trace_is_compared_with_a_copy_but_not_with_itself(program, h200, cli, trace, tmp_path):
    program(ANSWERS, printed(h200))
    (then := tmp_path / "then.fxtrace").write_bytes(trace.read_bytes())
    status, out, _ = cli("explain", "--against", then, trace)
    assert (status, out.splitlines()[0]) == (0, "of 2 kernels predicted before and now, 0 slower, 0 faster")
    status, _, err = cli("explain", "--against", then, trace, "--fail-on", "slower>5%")
    assert (status, "can't be decided: both traces are of one recording" in err) == (3, True)
    status, _, err = cli("explain", "--against", trace, trace)
    assert (status, "can't be compared with itself" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kernel", "(", "{trace}"], "--kernel '(' is not a valid extended regular expression: Unmatched ("),
        (["--kernel", "[[:alpah:]]", "{trace}"], "is not a valid extended regular expression"),  # Python's own take it
        (["--format", "github", "--json", "{trace}"], "exclude each other"),
        (["--record", "x", "{trace}"], "--record only applies to a program"),
        (["--time", "{trace}"], "--time only applies to a program"),
        (["--time", "--once", "{trace}"], "--once and --time exclude each other"),
        (["--archive", "a", "--arch", "sm_90", "{trace}"], "--archive and --arch exclude each other"),
        (["--fail-on", "saved", "{trace}"], "write 'saved>20%'"),
        (["--fail-on", "saved>100%", "{trace}"], "nothing can save more than 100 %"),
        (["{trace}", "{trace}"], "give one trace, not 2"),
        (["{trace}", "--", "true"], "name a trace, or a program after --, not both"),
        (["--"], "name a trace, or a program after --, not both"),
    ],
)
def test_wrong_use(program, h200, cli, trace, arguments, words):
    program(ANSWERS, printed(h200))
    status, out, err = cli("explain", *(str(a).replace("{trace}", str(trace)) for a in arguments))
    assert (status, out) == (2, "")
    assert err.startswith("gpufx explain: ")
    assert words in err
    assert err.count("\n") == 1


def test_a_replay_is_the_time_and_its_parts_add_up(chip):
    document = transposes()
    document["launches"][0]["time_ns"] = 2e5
    found = explain(parsed(document), chip)
    naive, tiled = kernel_of(found, "naive"), kernel_of(found, "tiled")
    assert (naive.predicted_ns, naive.best_ns, naive.bound) == (3e5, 9e4, "global memory")
    assert naive.four == pytest.approx({"issue": 0.1, "pipes": 0.8, "warp": 0.0, "starts": 0.1})
    assert sum(tiled.four.values()) == pytest.approx(1)
    assert tiled.bound == "barriers"
    store = one(found, "naive", "global", "store")
    # of 600 us that were measured: the predicted share, and at most what is above the predicted best
    assert (store.estimated, store.estimated_ns) == (pytest.approx(0.6), pytest.approx(3.6e5))
    assert store.saved_ns == pytest.approx(6e5 - 3 * 4e4)
    text = words(found)
    for said in (
        "naive takes the longest, 3 launches of 200 µs measured and 100 µs predicted, bound by global memory; most",
        "naive: predicted 100 µs, measured 200 µs: the prediction misses something",
        " ipppppppps ",
        "app.cu:4, 85 %: L2 80 %, issue slots 5 %",
        "saves about 60 % (120 µs of 200 µs), at most 80 %",
    ):
        assert said in text
    few = replace(naive, launches=1, predicted_ns=5e3, measured_ns=9e3)
    assert "measured 9 µs: a program's first launch" in differences(replace(found, kernels=[few]))[0]
    every = as_text(found, None, True)  # half of the latency would save less than 1 %
    assert "cure: fewer barriers" in every and "(60 µs instead of 80 µs)" in every and "twice as many" not in every
    assert judged(found, None, parse("saved>70%"))[0] == 3
    assert judged(found, None, parse("saved>50%"))[0] == 3  # a prediction so far off its measured time is no evidence


def place_in_sarif(found) -> tuple[str, dict]:
    place = json.loads(as_sarif(found))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]


@pytest.mark.parametrize("checkout", [True, False])
def test_paths_are_those_of_the_checkout(found, tmp_path, monkeypatch, checkout):
    """GitHub knows files by their place in the checkout; without one, the working folder is what they are told from."""
    assert place_in_sarif(found)[0] == "file:///src/app.cu"
    here = tmp_path / "build"
    here.mkdir()
    (tmp_path / ".git").mkdir() if checkout else None
    monkeypatch.chdir(here)
    top = tmp_path if checkout else here
    for _, line in found.lines:
        line.file = line.file and str(top / "build" / ".." / "a b.cu") if checkout else str(here / "a b.cu")
    assert place_in_sarif(found) == ("a%20b.cu", {"startLine": 4})
    said = "::warning file=a b.cu,line=4,title=gpufx explain::naive: saves about 60 %25"
    assert as_github(found).startswith(said) and "\n\n" not in as_github(found)


def test_kernels_are_listed_by_their_time(tmp_path):
    path = tmp_path / "trace.1"
    with Writer(path) as to:
        to.put({"gpufx_trace": 1})
        for id_, name in enumerate(("_Z4longv", "_Z5shortv")):
            to.put({"kernel": {"id": id_, "name": name}})
        for kernel, ns in ((1, 2e3), (0, 9e3), (0, 5e3), (0, 5e3)):
            to.put({"launch": {"kernel": kernel, "grid": [8, 2, 1], "block": [64, 1, 1], "time_ns": ns}})
    (tmp_path / "trace.1.counts").write_bytes(struct.pack("<8IQQ", 0, 8, 2, 1, 64, 1, 1, 1, 40, 0))
    lines = kernel_list(processes(tmp_path)).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["long", "8x2", "64", "40", "5", "µs"],
        ["short", "8x2", "64", "1", "2", "µs"],
    ]
