"""From what the recorder writes to a trace: the program that runs under it, source lines, machine code, several
processes, and files that end in the middle."""

import gzip
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpufx_plot import UserError
from gpufx_plot.call.program import root
from gpufx_plot.explain import recording as run
from gpufx_plot.explain import sass_text as machine_code
from gpufx_plot.explain.finish import finish as finish_processes
from gpufx_plot.explain.frames import LONGEST_LINE, MOST, Writer, read
from gpufx_plot.explain.recorded import process, processes
from gpufx_plot.explain.recording import nvidia_file

DATA = Path(__file__).parent / "data"
CUBIN = (DATA / "inlined.cubin").read_bytes()
STRIDED, SWAP, CALLS = "_Z7stridedIfEvPT_PKS0_i", "_Z4swapPi", "_Z5callsPiPKi"
OTHER = f"${CALLS}$_Z5otherPKii"  # as the assembler calls a copy of its own
TOOLKIT = "/usr/local/cuda/bin/../targets/x86_64-linux/include"
COUNTS, COLUMNS = "<8IQQ", "<IIIIQQIIHHHH"  # of a kernel's shape; of two records
FINE = run.Ended(0, None, 1.25, False)
USUAL = run.Wanted(None, "1", "64", 1 << 20)


def raw(path: Path, process: int, end: bool = True, **launch) -> Path:
    """What the recorder writes of a process: two kernels, three instructions, a launch."""
    writer = Writer(path)
    writer.put({"gpufx_trace": 1, "device": {"name": "NVIDIA H200", "arch": "sm_90"}})
    for id_, name in enumerate((STRIDED, SWAP)):
        writer.put({"kernel": {"id": id_, "name": name, "module": "m", "code_bytes": 512}})
    for id_, (kernel, pc, op) in enumerate(((0, 0xC0, "load"), (0, 0x140, "atomic"), (1, 0xA0, "atomic"))):
        own = {"id": id_, "kernel": kernel, "pc": pc, "space": "global", "op": op, "width": 4}
        writer.put({"instruction": own})
    writer.put({"patterns": {"first": 0, "count": 1}}, struct.pack("<II32i", 0xFFFFFFFF, 4, *range(0, 128, 4)))
    shape = {"grid": [8, 1, 1], "block": [32, 1, 1], "cluster": [1, 1, 1]} | launch
    blocks = {"total": 8, "recorded": 8}
    writer.put({"launch": {"id": 0, "kernel": 0, "process": process, "blocks": blocks} | shape})
    writer.put({"columns": {"launch": 0, "count": 1}}, struct.pack("<IIQIHH", 1, 0, 4096, 0, 0, 1))
    path.with_name(f"{path.name}.counts").write_bytes(struct.pack(COUNTS, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1) + bytes(48))
    if end:
        writer.put({"end": {"status": 0, "signal": None, "launches": 4, "seconds": 1.0}})
    writer.close()
    return path


@pytest.fixture
def cubins(tmp_path, printing) -> Path:
    (tmp_path / "m.cubin").write_bytes(CUBIN)
    return tmp_path


@pytest.fixture
def printing(tmp_path, monkeypatch):
    """An nvdisasm that prints what it once printed of the cubin."""
    tool = tmp_path / "nvdisasm"
    tool.write_text(f"#!/bin/sh\ncat {DATA}/inlined.sass\n")
    tool.chmod(0o755)
    monkeypatch.setattr(machine_code, "nvdisasm", lambda: tool)
    monkeypatch.setattr("gpufx_plot.explain.finish.nvdisasm", lambda: tool)


def finish(paths, cubins, target, ended, timed):
    return finish_processes(
        [process(path) for path in paths], cubins, target, ended, [process(path) for path in timed], ["./app", "\udcff"]
    )


def frames(path: Path) -> dict[str, list]:
    found: dict[str, list] = {}
    for frame in read(path):
        found.setdefault(frame.kind, []).append(frame.value if frame.content is None else (frame.value, frame.content))
    return found


def test_machine_code_has_its_lines(cubins):
    code = machine_code.instructions(cubins / "m.cubin", [STRIDED, SWAP, CALLS])
    assert sorted(code) == [OTHER, SWAP, CALLS, STRIDED]
    strided, swap = code[STRIDED], code[SWAP]
    assert strided[0xC0].places == (("/src/helper.cuh", 3), ("/src/inlined.cu", 5))
    assert strided[0x130].places == (("/src/inlined.cu", 5),)
    assert strided[0x140].places == ((f"{TOOLKIT}/sm_20_atomic_functions.hpp", 84), ("/src/inlined.cu", 6))
    assert swap[0xA0].places == ((f"{TOOLKIT}/device_atomic_functions.hpp", 202), ("/src/inlined.cu", 9))
    assert swap[0x120].places == (("/src/inlined.cu", 9),)
    # of a function that is called, from its own beginning and from the kernel's
    assert code[OTHER][0x30] == code[CALLS][0x90 + 0x30]
    assert code[OTHER][0x30].places == (("/src/inlined.cu", 11),)
    assert code[CALLS][0x40].places[0] == ("/src/inlined.cu", 13)
    assert strided[0xC0].text == "LDG.E R2, desc[UR4][R2.64]"
    assert (swap[0xC0].predicate, swap[0xC0].opcode) == ("@P0", "ATOMG.E.ADD.STRONG.GPU")
    assert swap[0xC0].operands == "PT, R7, desc[UR4][R2.64], R7"
    jumps = [i.operands for i in code[CALLS].values() if i.opcode == "BRA"]
    assert jumps == ["0x110"]  # as an address, whatever its label
    assert machine_code.not_seen(strided) == {"indexed constant memory": 1}
    for sass, op in (
        ("ATOMS.POPC.INC.32 RZ, [R2]", "count"),
        ("ATOMS.CAS R1, [R2], R3, R4", "cas"),
        ("ATOMG.E.ADD.STRONG.GPU PT, R7, [R2.64], R7", "atomic"),
        ("RED.E.ADD.STRONG.GPU [R2.64], R7", "reduction"),
        ("", "atomic"),
    ):
        assert (machine_code.refined("atomic", sass), machine_code.refined("load", sass)) == (op, "load")
    second = 0x000EA2000C1E1900
    # what it waits for: bits 105 to 125 of its second word, as it is in the file
    assert second.to_bytes(8, "little") in CUBIN
    assert strided[0xC0].control == second >> 41 & 0x1FFFFF


@pytest.mark.skipif(not machine_code.nvdisasm(), reason="there is no nvdisasm")
def test_machine_code_is_what_nvdisasm_prints(cubins):
    printed = machine_code.instructions(cubins / "m.cubin", [STRIDED, SWAP, CALLS])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine_code, "nvdisasm", lambda: nvidia_file("nvdisasm"))
        assert machine_code.instructions(cubins / "m.cubin", [STRIDED, SWAP, CALLS]) == printed
        assert sorted(machine_code.instructions(cubins / "m.cubin", [STRIDED])) == [STRIDED]


@pytest.mark.slow
def test_bytes_that_were_turned_are_no_crash(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_code, "nvdisasm", lambda: Path("/bin/false"))
    turned = (CUBIN[:at] + bytes([CUBIN[at] ^ 0xFF]) + CUBIN[at + 1 :] for at in [*range(64), *range(64, 9000, 397)])
    for content in (b"", CUBIN[:1], CUBIN[:3000], *turned):
        (tmp_path / "m.cubin").write_bytes(content)
        finish([raw(tmp_path / "trace.1", 1)], tmp_path, tmp_path / "out", FINE, [])
        assert "file" not in frames(tmp_path / "out")["instruction"][0]
    notes = {note["code"]: note["text"] for note in frames(tmp_path / "out")["note"]}
    assert notes["no_lines"] == "2 kernels without source lines: compile with nvcc -lineinfo"


def test_columns_of_a_later_process_are_moved_and_the_steps_of_bases_stay(cubins):
    """Numbers of instructions and patterns behind those of the first process."""
    second = Writer(cubins / "trace.2")
    for frame in read(raw(cubins / "trace.1", 1)):
        if frame.kind == "columns":
            columns = struct.pack(COLUMNS, 1, 1, 0, 0, 4096, 128, 0, 1, 0, 0, 1, 1)
            second.put({"columns": {"launch": 0, "count": 2}}, columns)
        else:
            second.put(frame.head, frame.content)
    second.close()
    finish_processes(processes(cubins), cubins, cubins / "out", FINE, [], [])
    [_, (head, content)] = frames(cubins / "out")["columns"]
    assert head == {"launch": 1, "count": 2}
    assert struct.unpack(COLUMNS, content) == (4, 4, 1, 1, 4096, 128, 0, 1, 0, 0, 1, 1)


def test_counts_of_a_process_without_an_end_are_read_and_kernels_without_records_are_named(cubins):
    path = raw(cubins / "trace.1", 1, end=False)
    shapes = (1, 7, 1, 1, 32, 1, 1, 1, 5000, 0), (9, 7, 1, 1, 32, 1, 1, 1, 1, 1)  # there is no ninth kernel
    counts = b"".join(struct.pack(COUNTS, *shape) for shape in shapes)
    other = struct.pack(COUNTS, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1)
    path.with_name("trace.1.counts").write_bytes(counts + other + bytes(48))
    assert [one.path for one in processes(cubins)] == [path]
    finish([path], cubins, cubins / "out", FINE, [])
    found = frames(cubins / "out")
    assert found["calls"][:-1] == [
        [{"kernel": 1, "grid": [7, 1, 1], "block": [32, 1, 1], "launches": 5000, "recorded": 0}]
    ]
    assert "not_recorded" not in [note["code"] for note in found["note"]]  # one launch of another shape is
    path.with_name("trace.1.counts").write_bytes(counts)
    finish([path], cubins, cubins / "out", FINE, [])
    told = {note["code"]: note["text"] for note in frames(cubins / "out")["note"]}
    assert told["not_recorded"] == "seen, but not recorded: swap(int*): 5000 launches"


def test_a_trace_is_finished(cubins, monkeypatch):
    places = lambda name, line: ((f"{TOOLKIT}/{name}.hpp", line), ("/src/inlined.cu", 6))  # noqa: E731
    i, inlined = machine_code.Instruction, (("/src/helper.cuh", 3), ("/src/inlined.cu", 5))
    code = {STRIDED: {0xC0: i("LDG.E", "R2, desc[UR4][R2.64]", "", 1, inlined)}}
    code[STRIDED][0x140] = i("REDG.E.ADD.F32", "desc[UR4][R6.64], R9", "@P0", 0x71, places("atomic", 84))
    code[STRIDED][0x150] = i("TEX.B", "R0, R2")
    code[SWAP] = {0xA0: i("ATOMG.E.CAS.STRONG.GPU", "PT, RZ, [R2], R8, R9", "", 0, (("/src/inlined.cu", 9),))}
    code[SWAP][0xB0] = i("LDC", "R1, c[0x3][R0]")
    monkeypatch.setattr("gpufx_plot.explain.finish.instructions", lambda *_: code)
    monkeypatch.setattr("gpufx_plot.explain.finish.nvdisasm", lambda: "nvdisasm")
    target = cubins / "out"
    finish([raw(cubins / "trace.1", 1)], cubins, target, FINE, [])
    found = frames(target)
    assert next(read(target)).head["program"] == ["./app", "?"]
    assert [kernel["shown"] for kernel in found["kernel"]] == [
        "void strided<float>(float*, float const*, int)",
        "swap(int*)",
    ]
    load, reduction, swap = found["instruction"]
    assert (load["file"], load["line"], load["inlined"]) == ("/src/helper.cuh", 3, [["/src/inlined.cu", 5]])
    # what stands in the toolkit's own headers is the line that calls it
    assert (reduction["file"], reduction["line"], reduction["op"]) == ("/src/inlined.cu", 6, "reduction")
    assert (swap["line"], swap["op"]) == (9, "cas")
    assert reduction["sass"] == "REDG.E.ADD.F32 desc[UR4][R6.64], R9"
    assert [note["text"] for note in found["note"]] == [
        "void strided<float>(float*, float const*, int): instructions whose addresses can't be recorded are not "
        "counted: 1 to textures",
        "swap(int*): instructions whose addresses can't be recorded are not counted: 1 to indexed constant memory",
    ]
    assert found["end"] == [{"status": 0, "signal": None, "launches": 4, "seconds": 1.25}]
    # the machine code: what each instruction waits for, its line, and its text
    code = next(frame for frame in read(target) if frame.kind == "code")
    lines = code.content.decode().splitlines()
    assert (code.value["kernel"], len(lines)) == (0, 0x150 // 16 + 1)
    control, file, line, *words = lines[0x140 // 16].split()
    assert words == ["@P0", "REDG.E.ADD.F32", "desc[UR4][R6.64],R9"]
    assert (code.value["files"][int(file)], line) == ("/src/inlined.cu", "6")
    assert int(control, 16) == 0x71


def test_without_nvdisasm_that_is_said(cubins, monkeypatch):
    monkeypatch.setattr("gpufx_plot.explain.finish.nvdisasm", lambda: None)
    monkeypatch.setattr("gpufx_plot.explain.sass_text.nvdisasm", lambda: None)
    finish([raw(cubins / "trace.1", 1)], cubins, cubins / "out", FINE, [])
    found = frames(cubins / "out")
    assert [note["code"] for note in found["note"]] == ["no_nvdisasm"]
    assert found["instruction"][1]["op"] == "atomic"


def test_processes_become_one_trace(cubins):
    for name, began, number in (("a", "T2", 30), ("b", "T1", 200), ("c", "T1", 40)):
        with Writer(cubins / f"trace.{name}") as to:
            to.put({"gpufx_trace": 1, "started": began, "process": number})
    assert [one.path.name[-1] for one in processes(cubins)] == ["c", "b", "a"]  # as they began
    paths = [raw(cubins / f"trace.{i}", i) for i in (7, 8)]
    finish(paths, cubins, cubins / "out", FINE, [])
    found = frames(cubins / "out")
    assert len(found["gpufx_trace"]) == len(found["end"]) == 1
    assert found["end"][0]["launches"] == 8
    for kind, count in (("kernel", 4), ("instruction", 6), ("launch", 2)):
        assert [value["id"] for value in found[kind]] == list(range(count))
    assert [value["kernel"] for value in found["instruction"]] == [0, 0, 1, 2, 2, 3]
    assert [(value["kernel"], value["process"]) for value in found["launch"]] == [(0, 7), (2, 8)]
    assert [value["first"] for value, _ in found["patterns"]] == [0, 1]
    assert [(value["launch"], struct.unpack("<IIQIHH", content)) for value, content in found["columns"]] == [
        (0, (1, 0, 4096, 0, 0, 1)),
        (1, (4, 1, 4096, 0, 0, 1)),
    ]
    assert [calls[0]["kernel"] for calls in found["calls"]] == [1, 3]


@pytest.mark.parametrize("kind", ["kernel", "instruction", "launch", "pattern", "record"])
def test_what_one_trace_cannot_hold_is_left_out(cubins, monkeypatch, kind):
    one = {"kernel": 2, "instruction": 3, "launch": 1, "pattern": 1, "record": 1}[kind]
    monkeypatch.setitem(MOST, kind, one)
    finish([raw(cubins / str(i), i) for i in (1, 2)], cubins, cubins / "out", FINE, [])
    found = frames(cubins / "out")
    assert len(found["columns"]) == 1
    assert [note["code"] for note in found["note"]].count("full") == 1
    assert len(found["kernel"]) <= (2 if kind == "kernel" else 4)


@pytest.mark.parametrize("last", (40.0, 4.0))  # of other arguments
def test_times_are_those_of_launches_of_the_shape(cubins, last):
    timed = [raw(cubins / f"time.{i}", i, time_ns=t) for i, t in enumerate((10.0, 18.0, 14.0, last, last, last))]
    other = raw(cubins / "time.9", 9, time_ns=5.0, grid=[9, 1, 1])
    finish([raw(cubins / "trace.1", 1)], cubins, cubins / "out", FINE, [*timed, other])
    assert frames(cubins / "out")["launch"][0]["time_ns"] == 14.0


def test_kernels_of_graphs_without_a_time_are_said(cubins):
    one = raw(cubins / "trace.1", 1, graph=True)
    other = [raw(cubins / "time.1", 1, time_ns=5.0, grid=[9, 1, 1])]
    none = [raw(cubins / "time.3", 1)]
    for timed, said in (([], 0), (none, 1), (other, 1), ([*other, raw(cubins / "time.2", 1, time_ns=7.0)], 0)):
        finish([one], cubins, cubins / "out", FINE, timed)
        assert [note["code"] for note in frames(cubins / "out")["note"]].count("graph_times") == said


def test_a_program_that_was_killed_leaves_what_it_had(tmp_path):
    cubins, whole = tmp_path, raw(tmp_path / "trace.1", 1)
    content = gzip.decompress(whole.read_bytes())
    for cut in range(1, len(content), 97):
        whole.write_bytes(gzip.compress(content[:cut]))
        finish([whole], cubins, cubins / "out", run.Ended(137, 9, 0.5, False), [])
        found = frames(cubins / "out")
        assert "end" not in found
        assert found["note"][-1]["text"] == "the program was killed by signal 9 before everything was recorded"
    packed = gzip.compress(content)
    whole.write_bytes(packed[: len(packed) // 2])
    finish([whole], cubins, cubins / "out", run.Ended(1, None, 0.5, False), [])
    assert "exited with status 1" in frames(cubins / "out")["note"][-1]["text"]


@pytest.mark.parametrize("content", [
    b"[]\n", b"{\n", b'{"a":"' + b"x" * LONGEST_LINE + b'"}\n', b"[" * 200_000 + b"\n",
    *(b'{"records":{},"bytes":' + size + b"}\n" for size in (b"-1", b'"x"', b"99999999999")),
])  # fmt: skip
def test_what_is_no_trace_is_refused(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(UserError, match="is not a trace: "):
        list(read(path))


@pytest.mark.parametrize("content", [b'{"a":1}', b'{"a":1,"bytes":4}\nab', b'{"a":1,"bytes":1}\nab', b""])
def test_what_ends_within_a_frame_ends_there(tmp_path, content):
    path, whole = tmp_path / "x", gzip.compress(b'{"b":2}\n')
    for end in (gzip.compress(content), gzip.compress(content * 9)[:-12], b"\x1f\x8bxxxx", b"no gzip"):
        path.write_bytes(whole + end)
        assert [frame.head for frame in read(path)] == [{"b": 2}]


# ---- The program: a script that writes what the recorder would ----


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """There is a recorder and its library; returns a script's command line."""
    for name, variable in (("r.so", "GPUFX_RECORDER"), ("s.so", "GPUFX_SANITIZER")):
        (tmp_path / name).touch()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.delenv(run.INJECTION, raising=False)
    return lambda text: ["sh", "-c", text]


def test_the_program_has_the_recorder_and_its_own_environment(recording, tmp_path, monkeypatch):
    monkeypatch.setenv("GPUFX_TRACE_STALE", "1")
    monkeypatch.setenv("PYTHONPATH", "mine")
    wanted = run.Wanted("^k", "3", "all", 1 << 20, "profiler")
    ended = run.run(recording("env >env; exit 7"), tmp_path, wanted, False)
    assert (ended.status, ended.signal, ended.interrupted) == (7, None, False)
    told = dict(line.split("=", 1) for line in Path("env").read_text().splitlines() if "=" in line)
    Path("env").unlink()
    assert told[run.INJECTION] == str(tmp_path / "r.so")
    assert {name: value for name, value in told.items() if name.startswith("GPUFX_TRACE_")} == {
        "GPUFX_TRACE_FILE": str(tmp_path / "trace.XXXXXX"),
        "GPUFX_TRACE_CUBINS": str(tmp_path),
        "GPUFX_TRACE_SANITIZER": str(tmp_path / "s.so"),
        "GPUFX_TRACE_KERNEL": "^k",
        "GPUFX_TRACE_RANGE": "profiler",
        "GPUFX_TRACE_LAUNCHES": "3",
        "GPUFX_TRACE_BLOCKS": "all",
        "GPUFX_TRACE_MEMORY": str(1 << 20),
    }
    assert (told["PYTHONPATH"], told.get("CUDA_MODULE_LOADING")) == ("mine", None)
    times = wanted.variables(True)
    assert (times["GPUFX_TRACE_TIME"], times["GPUFX_TRACE_KERNEL"]) == ("1", "^k")
    assert int(times["GPUFX_TRACE_LAUNCHES"]) > 3  # a median
    # The recorder's header lists what it reads: the names stand in C and here.
    header = (root() / "harness/trace/recorder_options.h").read_text("utf-8")
    read_by_it = set(re.findall(r"^ \*     (GPUFX_TRACE_[A-Z]+) ", header, re.MULTILINE))
    assert read_by_it == {name for name in told if name.startswith("GPUFX_TRACE_")} | {"GPUFX_TRACE_TIME"}


def test_a_signal_is_what_a_shell_reports(recording, tmp_path):
    ended = run.run(recording("kill -SEGV $$"), tmp_path, USUAL, False)
    assert (ended.status, ended.signal) == (139, signal.SIGSEGV)


WRITES = (
    "import os, shutil, sys; path = os.environ['GPUFX_TRACE_FILE'].replace('XXXXXX', str(os.getpid())); "
    "shutil.copy(sys.argv[1], path)"
)


def test_no_launch_is_no_answer(recording, cli, tmp_path):
    failed = tmp_path / "failed"
    with Writer(failed) as to:
        to.put({"gpufx_trace": 1})
        to.put({"note": {"code": "failed", "text": "the driver is too old"}})
    status, _, err = cli("explain", "--", sys.executable, "-c", WRITES, failed)
    assert (status, err) == (77, "gpufx explain: the driver is too old\n")
    none = raw(tmp_path / "none", 1, blocks={"total": 8, "recorded": 0})
    status, _, err = cli("explain", "--kernel", "k", "--", sys.executable, "-c", WRITES, none)
    nothing = "gpufx explain: no launch was recorded: no kernel matches --kernel 'k'; "
    assert (status, err.splitlines()[-1].startswith(f"{nothing}there are ")) == (77, True)
    other = tmp_path / "other"  # as the recorder leaves it where no kernel is asked for
    with Writer(other) as to:
        to.put({"gpufx_trace": 1})
        to.put({"end": {"launches": 3}})
    status, _, err = cli("explain", "--kernel", "k", "--", sys.executable, "-c", WRITES, other)
    assert (status, err.splitlines()[-1]) == (77, f"{nothing}gpufx explain --list -- PROGRAM names all")


@pytest.fixture
def answering(program, tmp_path, h200):
    """A program that takes a copy of the trace that it is given, and says what the two transposes cost."""
    from explained import printed

    seen = tmp_path / "seen"
    program(f'for last; do :; done; cp "$last" "{seen}" && exec cat "$answer"', printed(h200))
    return seen


def test_a_program_is_run_and_explained(recording, cli, answering, tmp_path):
    one, kept = raw(tmp_path / "raw", 1), tmp_path / "kept.fxtrace"
    says = f"{WRITES}; print('hello', flush=True); sys.exit(int(sys.argv[2]))"
    program = [sys.executable, "-c", says, str(one)]
    status, out, err = cli("explain", "--record", kept, "--", *program, "0")
    assert (status, "1. app.cu:4, naive" in out) == (0, True)
    assert "running the program again without recording, to time its launches: 60 s at most; Ctrl-C ends it" in err
    assert "the second run" not in err
    assert f"gpufx explain: trace: {os.path.relpath(kept)}" in err or f"trace: {kept}" in err
    assert frames(kept)["end"][0]["status"] == 0
    assert frames(answering) == frames(kept)
    assert cli("explain", "--", *program, "5")[0] == 5
    assert cli("explain", "--fail-on", "saved>20%", "--", *program, "0")[0] == 1
    assert cli("explain", "--fail-on", "saved>20%", "--", *program, "5")[0] == 5


SECOND = "os.environ.get('GPUFX_TRACE_TIME') == '1' and "  # in the second run


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("sys.exit(3)", "ended with status 3"),
        ("os.kill(os.getpid(), 11)", "ended with status 139"),
        ("time.sleep(600)", "was stopped after"),
        ("(signal.signal(15, signal.SIG_IGN), time.sleep(600))", "was stopped after"),
        ("os.system('sleep 600')", "was stopped after"),  # a child of its own
        ("os.remove(sys.argv[2])", None),
    ],
)
def test_a_second_run_that_goes_wrong_costs_times_alone(recording, cli, answering, tmp_path, monkeypatch, then, told):
    monkeypatch.setattr(run, "LEAST_LIMIT_S", 1 if told == "was stopped after" else 60)
    monkeypatch.setattr(run, "GRACE_S", 1)
    says = tmp_path / "says.py"
    says.write_text(f"import signal, time; {WRITES}; {SECOND}{then}")
    program = [sys.executable, says, raw(tmp_path / "raw", 1), says]
    status, out, err = cli("explain", "--", *program)
    assert (status, "1. app.cu:4, naive" in out) == (0, True)
    assert (f"the second run {told}" in err and "so times may be missing" in err) if told else "missing" not in err


def test_what_a_second_run_started_is_stopped_with_it(recording, tmp_path):
    words = recording("sleep 600 & echo $! >child; wait")
    ended = run.run_again(words, tmp_path, USUAL, None, 2)
    assert (ended.status, ended.interrupted) == (143, False)
    child = int(Path("child").read_text())
    Path("child").unlink()
    stat = Path(f"/proc/{child}/stat")
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":  # init may take its time
        time.sleep(0.01)


def test_a_second_run_reads_a_file_again_and_leaves_it_where_it_was(recording, tmp_path):
    (tmp_path / "input").write_text("first\nsecond\n")
    before = os.dup(0)
    with (tmp_path / "input").open("rb", buffering=0) as file:
        os.dup2(file.fileno(), 0)
        os.lseek(0, 6, os.SEEK_SET)
        begins = run.input_begins()
        os.lseek(0, 0, os.SEEK_END)
        run.run_again(recording(f"cat >{tmp_path}/copy; env >>{tmp_path}/copy"), tmp_path, USUAL, begins, 60)
        assert os.lseek(0, 0, os.SEEK_CUR) == 13
    os.dup2(before, 0)
    os.close(before)
    told = (tmp_path / "copy").read_text().splitlines()
    assert told[0] == "second"
    assert {"CUDA_MODULE_LOADING=EAGER", "GPUFX_TRACE_TIME=1"} <= set(told)
    run.run_again(recording(f"cat >{tmp_path}/copy"), tmp_path, USUAL, None, 60)
    assert (tmp_path / "copy").read_text() == ""


def test_json_stands_alone_on_standard_output(recording, answering, tmp_path):
    one = raw(tmp_path / "raw", 1)
    says = f"{WRITES}; print('hello', flush=True)"
    words = ["--launches", "1", "--blocks", "64", "--memory", "64", "--once", "yes", "--json", "yes"]
    words = [sys.executable, "-m", "gpufx_plot", "explain", *words, "--", sys.executable, "-c", says, str(one)]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    assert json.loads(done.stdout)["gpufx_explain"] == 1
    assert done.stderr == "hello\n"


def interrupted(ready, says, one):
    """explain, with a Ctrl-C as soon as its program has made the file `ready`: status, output, messages."""
    words = ["--launches", "1", "--blocks", "64", "--memory", "64"]
    heard = ["env", "--default-signal=INT", sys.executable]  # where the tests run in the background it is ignored
    words = [*heard, "-m", "gpufx_plot", "explain", *words, "--", sys.executable, "-c", says, str(one)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    while not ready.exists():
        assert child.poll() is None
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate()
    return child.returncode, out, err


def test_ctrl_c_keeps_what_was_recorded(recording, answering, tmp_path):
    one, ready = raw(tmp_path / "raw", 1, end=False), tmp_path / "ready"
    says = f"{WRITES}; open({str(ready)!r}, 'w').close(); import time; time.sleep(600)"
    status, out, err = interrupted(ready, says, one)
    assert status == 130
    assert "1. app.cu:4, naive" in out
    assert "the program was killed by signal 2; this is what was recorded" in err


def test_ctrl_c_in_the_second_run_keeps_the_answer(recording, answering, tmp_path):
    one, ready = raw(tmp_path / "raw", 1), tmp_path / "ready"
    says = f"{WRITES}; {SECOND}(open({str(ready)!r}, 'w').close(), __import__('time').sleep(600))"
    status, out, err = interrupted(ready, says, one)
    assert (status, "1. app.cu:4, naive" in out) == (0, True)
    assert "the second run was stopped after" in err
