"""From what the recorder wrote, a file for each process, to one trace: numbers that are the trace's own, names as they
stand in the source, the source line and the machine code of each instruction, and the times of a run that recorded
none."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median_low

import numpy as np

from ..call.number_text import counted
from ..call.text import safe
from ..judging.evidence import named
from .demangled import demangled
from .frames import MOST, Frame, Writer, read
from .loops import rounds
from .recorded import Process
from .recording import Ended
from .sass_text import WORD, Code, Instruction, Place, instructions, not_seen, nvdisasm, refined
from .trace_costs import UNSEEN

SYSTEM = ("/targets/", "/usr/include/", "/include/cuda/", "/include/thrust/", "/include/cub/", "/cuda/std/")
MOST_CALLERS = 4  # of an instruction that was inlined
NUMBERED = {"kernel", "instruction", "launch", "patterns", "columns"}
NAMED = 5  # kernels in a note
BY_FAR = 2  # times as long
Times = dict[tuple, tuple[float, bool]]  # of launches of one shape: ns, and whether it follows on itself
MOST_WORDS, MOST_OF_WORD = 32, 2048  # of the command line


def _codes(functions_of: list[tuple[str, str]], cubins: Path) -> dict[tuple[str, str], Code]:
    """By module and name; of a module that can't be read they are empty."""
    wanted: dict[str, dict[str, None]] = {}  # names in their order
    for module, name in functions_of:
        wanted.setdefault(module, {})[name] = None
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # nvdisasm takes half a second for each module
        read = pool.map(lambda of: instructions(cubins / f"{of[0]}.cubin", of[1]), wanted.items())
        parts = zip(wanted.items(), read, strict=True)
        return {(module, name): found.get(name, {}) for (module, names), found in parts for name in names}


def _place(chain: tuple[Place, ...]) -> dict:
    """The innermost line that is not the toolkit's own, and those that it was inlined from."""
    own = next((i for i, (file, _) in enumerate(chain) if not any(part in file for part in SYSTEM)), 0)
    chain = chain[own:]
    if not chain:
        return {}
    told = {"file": chain[0][0], "line": chain[0][1]}
    callers = [[file, line] for file, line in chain[1 : 1 + MOST_CALLERS]]
    return told | ({"inlined": callers} if callers else {})


class _Merger:
    """Puts the frames of one process after the other into a trace. Numbers of a file go behind those before it."""

    def __init__(self, writer: Writer, codes: dict[tuple[str, str], Code], times: Times | None, program: list[str]):
        self.writer, self.codes, self.times = writer, codes, times
        self.program = [safe(word[:MOST_OF_WORD]) for word in program[:MOST_WORDS]]
        self.next = Counter()  # number of each kind of frame
        self.base = Counter()  # of the present file
        self.begun = False
        self.full = False  # there is more than a reader takes
        self.untimed_graph = False  # a kernel of a graph has no time, though others were timed
        self.calls: dict[str, Counter] = {}  # by name: launches, and how many of them were recorded

    def add(self, process: Process) -> None:
        self.base, self.process = Counter(self.next), process
        for frame in read(process.path):
            if frame.kind == "end" or (self.full and frame.kind in NUMBERED):
                continue
            put = getattr(self, f"_put_{frame.kind}", None)
            if put is None or put(frame.value, frame):
                self.writer.put(frame.head, frame.content)
        self._put_calls()

    def _fits(self, kind: str, end: int) -> bool:
        self.full = self.full or end > MOST[kind]
        if not self.full:
            self.next[kind] = max(self.next[kind], end)
        return not self.full

    def _number(self, kind: str, value: dict) -> bool:
        value["id"] += self.base[kind]
        return self._fits(kind, value["id"] + 1)

    def _put_gpufx_trace(self, _value, frame: Frame) -> bool:
        first, self.begun = not self.begun, True
        frame.head["program"] = self.program
        return first

    def _put_kernel(self, value: dict, _frame) -> bool:
        value["shown"] = demangled(str(value["name"]))
        code = self.codes.get(self.process.key(value["id"]))
        if self._number("kernel", value) and code:
            self.writer.put({"kernel": value})
            self._put_code(value["id"], code)
            return False
        return not self.full

    def _put_code(self, kernel: int, code: Code) -> None:
        """The machine code of a kernel, from first to last instruction: what each waits for, its line, and its text."""
        files: dict[str, int] = {}
        lines, known = [], rounds(code)
        for pc in range(0, max(code) + WORD, WORD):
            i = code.get(pc, Instruction("NOP"))
            place = _place(i.places)
            file = files.setdefault(place["file"], len(files)) if place else -1
            operands = re.sub(r"\s*,\s*|\s+", ",", i.operands) + (f",rounds={known[pc]}" if pc in known else "")
            words = (f"{i.control:x}", str(file), str(place.get("line", -1)), i.predicate, i.opcode, operands)
            lines.append(" ".join(filter(None, words)))
        self.writer.put({"code": {"kernel": kernel, "files": [*files]}}, ("\n".join(lines) + "\n").encode())

    def _put_instruction(self, value: dict, _frame) -> bool:
        module, name = self.process.key(value["kernel"])
        if i := self.codes.get((module, value.get("function", name)), {}).get(value["pc"]):
            value |= _place(i.places) | {"sass": i.text, "op": refined(value["op"], i.text)}
        value["kernel"] += self.base["kernel"]
        return self._number("instruction", value)

    def _put_launch(self, value: dict, _frame) -> bool:
        time = (self.times or {}).get(self.process.shape(value))
        if time is not None and value.get("time_ns") is None:
            value["time_ns"], value["repeated"] = time
        self.untimed_graph |= self.times is not None and value.get("graph", False) and time is None
        value["kernel"] += self.base["kernel"]
        return self._number("launch", value)

    def _put_calls(self) -> None:
        for call in self.process.calls:
            name = demangled(self.process.key(call["kernel"])[1])
            self.calls.setdefault(name, Counter()).update({key: call[key] for key in ("launches", "recorded")})
            self.writer.put({"calls": [call | {"kernel": call["kernel"] + self.base["kernel"]}]})

    def notes(self) -> Iterator[tuple[str, str]]:
        lost = [f"{name}: {counted(n['launches'], 'launch')}" for name, n in self.calls.items() if not n["recorded"]]
        if lost:
            yield "not_recorded", f"seen, but not recorded: {named(lost, NAMED)}"
        if self.full:
            text = "the processes recorded more than one trace can hold, and the rest is left out: record fewer blocks"
            yield "full", text
        if self.untimed_graph:
            text = "kernels that only CUDA graphs launch are not timed, so their measured times are unknown"
            yield "graph_times", text

    def _put_patterns(self, value: dict, _frame) -> bool:
        value["first"] += self.base["pattern"]
        return self._fits("pattern", value["first"] + value["count"])

    def _put_columns(self, value: dict, frame: Frame) -> bool:
        """Steps of bases are from one instruction to the next whose numbers differ by a multiple of 256: that stays."""
        value["launch"] += self.base["launch"]
        if self.base["instruction"] or self.base["pattern"]:
            count = value["count"]
            words = np.frombuffer(frame.content, dtype="<u4").copy()
            words[:count] += self.base["instruction"]
            words[count : 2 * count] += self.base["pattern"]
            frame.content = words.tobytes()
        return self._fits("record", self.next["record"] + value["count"])


def finish(
    processes: list[Process], cubins: Path, target: Path, ended: Ended, timed: list[Process], program: list[str]
) -> None:
    """timed: those of a run that recorded no accesses. program: the command line."""
    kernels = [process.key(n) for process in processes for n in sorted(process.used)]
    called = [name for process in processes for name in process.called]
    codes = _codes([*kernels, *called], cubins)
    with Writer(target) as writer:
        merger = _Merger(writer, codes, _times(timed) if timed else None, program)
        for process in processes:
            merger.add(process)
        notes = [*merger.notes(), *_notes({name: codes[name] for name in kernels})]
        whole = all(one.launches is not None for one in processes)
        if not whole:
            how = f"was killed by signal {ended.signal}" if ended.signal else f"exited with status {ended.status}"
            notes.append(("cut", f"the program {how} before everything was recorded"))
        for code, text in notes:
            writer.put({"note": {"code": code, "text": text}})
        if whole:
            end = {"status": ended.status, "signal": ended.signal, "launches": sum(one.launches for one in processes)}
            writer.put({"end": end | {"seconds": round(ended.seconds, 3)}})


def _times(processes: list[Process]) -> Times:
    found: dict[tuple, list[tuple[float, bool]]] = {}
    for process in processes:
        for shape, times in process.times.items():
            found.setdefault(shape, []).extend(times)
    return {shape: _typical(times) for shape, times in found.items()}


def _typical(times: list[tuple[float, bool]]) -> tuple[float, bool]:
    """The lower median, of launches before the first that takes longer by far than one before it, or less by far than
    all: that one has other arguments, it seems, than the first, which is the recorded one."""
    ns = [time for time, _ in times]
    apart = (i for i in range(1, len(ns)) if ns[i] > BY_FAR * min(ns[:i]) or BY_FAR * ns[i] < min(ns[:i]))
    end = next(apart, None)
    return median_low(times[:end])


def _notes(codes: dict[tuple[str, str], Code]) -> Iterator[tuple[str, str]]:
    """What the machine code has and the recorder can't see."""
    for (_, name), code in codes.items():
        if seen := not_seen(code):
            what = ", ".join(f"{count} to {kind}" for kind, count in sorted(seen.items()))
            yield "not_seen", f"{demangled(name)}{UNSEEN}{what}"
    without = sum(not any(i.places for i in code.values()) for code in codes.values())
    if codes and not nvdisasm():
        text = "nvdisasm is missing: no source lines, no replay of machine code, and all atomics count as one kind"
        yield "no_nvdisasm", text
    elif without:
        yield "no_lines", f"{counted(without, 'kernel')} without source lines: compile with nvcc -lineinfo"
