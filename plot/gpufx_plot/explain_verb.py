"""`gpufx explain`: a program under the recorder, or a trace, to the lines that cost most."""

import ctypes
import stat
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING

from . import UserError
from .call.arguments import Call
from .call.number_text import time_text
from .call.output import write
from .call.program import ask, root
from .call.tables import fitted
from .call.terminal import columns, complain, is_quiet, notice, say
from .call.text import clipped, from_here, shown
from .explain import saving_gate
from .explain.answer import Answer, Pair, explain, label, pairs
from .explain.demangled import IN_SENTENCES, SHORT, demangled, labels, short_name
from .explain.recording import (
    Ended,
    NothingToRunError,
    Wanted,
    input_begins,
    limit_s,
    recorder,
    run,
    run_again,
    sanitizer,
)
from .explain.trace_costs import archive_of, costs_of
from .judging.evidence import named
from .showing.explain_text import as_text, on_each_chip, shortest

if TYPE_CHECKING:
    from .explain.recorded import Process

NOTHING, BAD_INPUT = 77, 2
BESIDE = 64  # columns beside a kernel's name in a table
OF_A_RUN = ("--record", "--once", "--time", "--list")
OF_ONE_CHIP = ("--against", "--against-kernel", "--fail-on", "--format")
EXCLUDED = (
    ("--list", "--json"),
    ("--once", "--time"),
    ("--archive", "--arch"),
    ("--format", "--json"),
    ("--against", "--against-kernel"),
)
EXTENDED, IGNORED_CASE = 1, 2  # REG_EXTENDED and REG_ICASE, of glibc, musl and the BSDs
REGEX_BYTES = 1024  # a regex_t has 64 at most
BEGINS = (b"\x1f\x8b", b'{"gpufx_trace"')


def _matching(kernel: str, names: Iterable[str] = (), flags: int = 0) -> list[str]:
    """Names that have a part which matches, by the C library, as the recorder and `gpufx trace-cost` match them:
    Python's expressions have (?i) and other words that it refuses."""
    library, none = ctypes.CDLL(None), (ctypes.c_size_t(0), None, 0)
    compiled, problem = ctypes.create_string_buffer(REGEX_BYTES), ctypes.create_string_buffer(200)
    if code := library.regcomp(compiled, kernel.encode(errors="surrogateescape"), EXTENDED | flags):
        library.regerror(code, compiled, problem, ctypes.c_size_t(len(problem)))
        why = problem.value.decode(errors="replace")
        raise UserError(f"--kernel '{clipped(kernel)}' is not a valid extended regular expression: {why}")
    found = [name for name in names if not library.regexec(compiled, name.encode(errors="surrogateescape"), *none)]
    library.regfree(compiled)
    return found


def _checked(call: Call) -> None:
    _matching(call.get("--kernel") or "")
    for one, other in EXCLUDED:
        if call.has(one) and call.has(other):
            raise UserError(f"{one} and {other} exclude each other; leave one out")
    for name in OF_ONE_CHIP if "," in (call.get("--archive") or "") else ():
        if call.has(name):
            raise UserError(f"{name} takes one --archive, not several")


def _trace(call: Call) -> Path:
    if len(call.words) != 1:
        raise UserError(f"give one trace, not {len(call.words)}; a program goes after --: gpufx explain -- ./app")
    for name in OF_A_RUN:
        if call.has(name):
            raise UserError(f"{name} only applies to a program after --; leave it out")
    return _looked_at(call.words[0])


def _looked_at(word: str) -> Path:
    """A program that was meant to be run is the likeliest mistake."""
    try:
        if stat.S_ISFIFO(Path(word).stat().st_mode):
            raise UserError(f"'{shown(word)}' is a pipe, but a trace is read twice; write it to a file first")
        with Path(word).open("rb") as file:
            begins = file.read(len(BEGINS[1]))
    except OSError as error:
        raise UserError(f"'{shown(word)}' can't be read: {error.strerror}") from None
    if not begins.startswith(BEGINS):
        how = "compile it with nvcc -lineinfo, then" if word.endswith(".cu") else "to run a program, write:"
        raise UserError(f"'{shown(word)}' is not a trace; {how} gpufx explain -- {shown(word.removesuffix('.cu'))}")
    return Path(word)


def _wanted(call: Call) -> Wanted:
    memory = int(call["--memory"]) << 20
    return Wanted(call.get("--kernel"), call["--launches"], call["--blocks"], memory, call.get("--range") or "all")


def _nothing(processes: list, call: Call) -> str:
    if failures := [text for one in processes for text in one.failures]:
        return failures[0]
    names = [demangled(str(kernel["name"])) for one in processes for kernel in one.kernels.values()]
    if call.has("--kernel") and (names or any(one.launches for one in processes)):
        kernel = call["--kernel"]
        told = _unmatched(kernel, names) if names else f"no kernel matches --kernel '{clipped(kernel)}'"
        return f"no launch was recorded: {told}; gpufx explain --list -- PROGRAM names all"
    if call.get("--range") == "profiler":
        return (
            "no launch was recorded between cudaProfilerStart and cudaProfilerStop: call cudaDeviceSynchronize before "
            "the first of them, since code is only patched while nothing runs"
        )
    if not processes and (why := ask("info", "--json").get("no_cuda_device")):
        return f"no launch was recorded: {why}; use --record FILE where there is a GPU, and explain that trace here"
    return "no launch was recorded: the program started no CUDA kernel"


def _unmatched(kernel: str, names: list[str]) -> str:
    alike = _matching(kernel, names, IGNORED_CASE)
    there = "only the case of letters differs from" if alike else "there are"
    return f"no kernel matches --kernel '{clipped(kernel)}'; {there} {named(sorted(labels(alike or names).values()))}"


def _answered(call: Call, trace: Path) -> tuple[Answer, list[Pair] | None]:
    first, *others = (call.get("--archive") or "").split(",")
    kernel, where = call.get("--kernel"), (first or None, call.get("--arch"))
    costs, chip = costs_of(trace, *where, kernel)
    found = explain(costs, chip)
    found.newest = not where[0]
    found.others = [explain(*costs_of(trace, archive, None, kernel)) for archive in others]
    if call.has("--against-kernel"):
        return found, [_two_kernels(found, call["--against-kernel"])]
    if not call.has("--against"):
        return found, None
    before = _looked_at(call["--against"])
    if before.samefile(trace):
        raise UserError(f"'{shown(call['--against'])}' is the same trace; it can't be compared with itself")
    # The same chip for both, whichever each was recorded on.
    archive = str(archive_of(costs)) if chip else where[0]
    then, _ = costs_of(before, archive, None if archive else where[1], kernel, chip)
    found.before = explain(then, chip)
    return found, pairs(found.before, found)


def _two_kernels(found: Answer, words: str) -> Pair:
    """OLD:NEW, each a part of one kernel's name."""
    old, colon, new = words.replace("::", "\0").partition(":")
    sides = []
    for word in (old, new):
        part = word.replace("\0", "::")
        having = [kernel for kernel in found.kernels if part and part in kernel.name]
        exact = [kernel for kernel in having if short_name(kernel.name) == part]
        if not colon or len(exact or having) != 1:
            which = [*labels(kernel.name for kernel in having or found.kernels).values()]
            why = f"{len(having)} kernels have '{clipped(part)}' in their names" if having else "write OLD:NEW"
            raise UserError(
                f"--against-kernel '{clipped(words)}': {why}; '{clipped(part)}' must be part of one of these names: "
                f"{named(which)}"
            )
        sides.append((exact or having)[0])
    return Pair(*sides)


def _room() -> int:
    return max(SHORT, columns() - BESIDE)


def kernel_list(processes: "list[Process]") -> str:
    """Kernels, how often they are launched, in which shapes and how long. processes: of a run that was only timed."""
    times: dict[tuple, list[float]] = defaultdict(list)
    launches: dict[tuple, int] = defaultdict(int)
    for one in processes:
        for (_, name, grid, block, _), found in one.times.items():
            times[demangled(name), grid, block] += [ns for ns, _ in found]
        for call in one.calls:
            _, name, grid, block, _ = one.shape(call)
            launches[demangled(name), grid, block] += call["launches"]
    rows, known = [], labels((name for name, *_ in {**launches, **times}), _room())
    for key in {**launches, **times}:
        one = median_low(times[key]) if times[key] else None
        count = max(launches[key], len(times[key]))
        rows.append((-(one or 0.0) * count, known[key[0]], _shape(key[1]), _shape(key[2]), str(count or "-"), one))
    cells = [(*row[1:5], time_text(row[5]) if row[5] else "-") for row in sorted(rows, key=lambda row: row[:4])]
    head = ("kernel", "grid", "block", "launches", "each")
    return "\n".join(fitted(head, cells, {"launches", "each"})) + "\n"


def _shape(sizes: tuple[int, ...]) -> str:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return "x".join(map(str, sizes)) or "-"


def _listed(call: Call) -> int:
    """The program runs as it is, and is only timed."""
    from .explain.recorded import processes

    recorder(), sanitizer()
    with tempfile.TemporaryDirectory(prefix="gpufx-") as name:
        ended = run(call.behind, Path(name), _wanted(call), True)
        found = processes(Path(name))
    if not found:
        complain(f"gpufx explain: {_nothing(found, call)}")
        return ended.status or NOTHING
    say(kernel_list(found))
    return ended.status


def _form(call: Call) -> str:
    return "json" if call.has("--json") else call.get("--format") or "text"


def _show(call: Call, found: Answer, against: list[Pair] | None) -> None:
    form = _form(call)
    if form == "text":
        every = call.has("--all")
        text = on_each_chip(found, every) if found.others else as_text(found, against, every)
        text = shortest(found, against) if is_quiet() else text
    elif form == "json":
        from .showing.explain_exports import as_json

        text = as_json(found, against)
    else:
        from .showing.explain_exports import as_github, as_sarif

        text = as_github(found, against) if form == "github" else as_sarif(found, against)
    if call.has("--output"):
        write(call["--output"], text.encode())
    else:
        say(text, plain=form != "text")


def _answer(call: Call, trace: Path) -> int:
    conditions = saving_gate.parse(call.get("--fail-on") or "")
    found, against = _answered(call, trace)
    label(filter(None, (found, found.before)), _room() if _form(call) == "text" else IN_SENTENCES)
    names = [kernel.shown or demangled(kernel.name) for kernel in found.costs.kernels]
    asked = call.get("--kernel") or ""
    if asked and names and not found.kernels:
        complain(f"gpufx explain: {_unmatched(asked, names)}")
        return BAD_INPUT
    # Of 'softmax|norm' each must match, or a kernel that got another name would leave the gate unseen.
    each = asked.split("|") if asked and not set(asked) & set("()[]\\") else []
    none = [part for part in each if not _matching(part, names)]
    for one in filter(None, (found, found.before)) if call.has("--kernel") else ():
        one.unrecorded = _matching(call["--kernel"], one.unrecorded)
    status, said = saving_gate.answer(found, against, conditions, _unmatched("|".join(none), names) if none else None)
    _show(call, found, against)
    for sentence in said:
        complain(f"gpufx explain: {sentence}")
    return status or (0 if any(kernel.lines or kernel.played for kernel in found.kernels) else NOTHING)


@contextmanager
def _recorded(
    words: list[str], wanted: Wanted, once: bool, output: int | None, keep: str | None
) -> "Iterator[tuple[Path, Ended, list[Process]]]":
    """The program's trace, how it ended, and what was recorded. once: it is not timed. output: where its standard
    output goes; None: to ours. keep: a file that the trace is kept in."""
    from .explain.finish import finish
    from .explain.recorded import processes

    with tempfile.TemporaryDirectory(prefix="gpufx-") as name:
        folder, again = Path(name), Path(name, "times")
        begins = input_begins()
        ended = run(words, folder, wanted, False, output)
        again.mkdir()
        found = processes(folder)
        if not (once or ended.interrupted or ended.status) and any(one.has_records for one in found):
            _time(words, again, wanted, begins, limit_s(ended))
        target = folder / "finished"
        finish(found, folder, target, ended, processes(again), words)
        if keep and any(one.has_records for one in found):
            write(keep, target.read_bytes())
        yield target, ended, found


def _time(words: list[str], folder: Path, wanted: Wanted, begins: int | None, limit: float) -> None:
    """What goes wrong in a second run costs times, and nothing else."""
    told = f"to time its launches: {limit:.0f} s at most; Ctrl-C ends it and keeps the answer, --once leaves it out"
    notice(f"gpufx explain: running the program again without recording, {told}")
    try:
        second = run_again(words, folder, wanted, begins, limit)
    except UserError as error:
        complain(f"gpufx explain: no times: {error}")
        return
    if second.status:
        stopped = second.interrupted or second.seconds >= limit
        how = f"was stopped after {second.seconds:.0f} s" if stopped else f"ended with status {second.status}"
        complain(f"gpufx explain: the second run {how}, so times may be missing")


def verb(call: Call) -> int:
    _checked(call)
    saving_gate.parse(call.get("--fail-on") or "")
    if call.behind is None:
        return _answer(call, _trace(call))
    extra = call.words[: len(call.words) - len(call.behind)]
    if extra or not call.behind:
        raise UserError("name a trace, or a program after --, not both: gpufx explain -- ./app")
    try:
        if call.has("--list"):
            return _listed(call)
        recorder(), sanitizer()  # before the program is started
        output = sys.stderr.fileno() if call.has("--json") else None
        with _recorded(call.behind, _wanted(call), call.has("--once"), output, call.get("--record")) as found:
            trace, ended, processes = found
            if not any(one.has_records for one in processes):
                complain(f"gpufx explain: {_nothing(processes, call)}")
                return ended.status or NOTHING
            if ended.signal:
                complain(f"gpufx explain: the program was killed by signal {ended.signal}; this is what was recorded")
            status = _answer(call, trace)
            if call.has("--record"):
                complain(f"gpufx explain: trace: {from_here(call['--record'])}")
            return ended.status or status
    except NothingToRunError as error:
        shipped = from_here(root() / "results" / "traces" / "pairs.fxtrace")
        complain(f"gpufx explain: {error}; a trace needs neither that nor a GPU: gpufx explain {shipped}")
        return NOTHING
