"""What a trace says: the lines of its kernels, what each takes above the best pattern that moves the same bytes, how
much a cure can save at most, and what bounds the kernel.

A line's own cost is that of its pipe: cycles of one SM by the laws and fits. What it can save is another matter: a
launch is played as it is, and with the line at its best (replay.h). Where little of the line's own saving is left,
something else bounds the kernel, and the saving is hidden."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import PurePath

from ..call.grouped import grouped
from ..call.number_text import counted
from ..chip.prices import Chip
from ..statistics.student import student_quantile
from .demangled import SHORT, demangled, labels
from .played import PARTS, WORDS, Played, bound, rates
from .trace_costs import Costs, Cure, Launch, Pattern, Row

HIDDEN = 0.25  # of what the line alone would save: less is left
EXPLAINED = 0.5  # of the measured time: where memory accesses explain less, something else bounds the kernel
MOVES = "it accesses managed or host memory, which may come over the link: cudaMemPrefetchAsync it, or use cudaMalloc"
CALLS = "it calls functions whose code the trace lacks, such as printf"  # as harness/explain says it
ELSEWHERE = {MOVES: "the link to the host", CALLS: "what it calls"}
BESIDES = "latency, arithmetic or barriers", *ELSEWHERE.values()
A_THIRD = 1 / 3
SECTOR = 32  # bytes
WORTH = 0.005  # of the kernel's time: less is nothing
LEVEL = 0.995  # one side of a 99 % interval


@dataclass
class Line:
    """Instructions of a source line that do the same; of a kernel without lines one instruction. Sums are of all
    executions in all launches; cycles are of one SM, as if it did all of them."""

    kernel: str
    file: str | None
    line: int | None
    pc: int
    space: str
    op: str
    width: int
    sass: str | None
    inlined: list[tuple[str, int]]
    instructions: set[int] = field(default_factory=set)
    executed: float = 0.0
    lanes: float = 0.0  # the mean
    bytes: float = 0.0
    count: float | None = None  # sectors, or wavefronts
    best_count: float | None = None
    cycles: float | None = None
    best_cycles: float | None = None
    served: dict[str, float] = field(default_factory=dict)
    claimed: float = 1.0  # of its accesses the law is meant for
    laws: list[str] = field(default_factory=list)
    error: float | None = None  # half of the 99 % interval over the value; None: not a sample
    patterns: list[Pattern] = field(default_factory=list)
    cures: list[Cure] = field(default_factory=list)
    share: float = 0.0  # of the kernel's memory cycles
    own_ns: float = 0.0  # what its pipe would be busy less
    saved_ns: float = 0.0  # what the kernel would take less, at most
    saved: float = 0.0  # the same as a share of the kernel's time
    estimated: float = 0.0  # that share, if prediction and measurement are off by the same factor
    estimated_ns: float = 0.0
    hidden_by: str | None = None

    @property
    def unit(self) -> str:
        """What is counted of an access."""
        return "wavefronts" if self.space in ("shared", "remote") else "sectors"


@dataclass
class Spent:
    """A line of the source, or an instruction without one; parts: by replay.PARTS and within it, ns of all launches."""

    file: str | None
    line: int
    pc: int
    parts: Counter = field(default_factory=Counter)

    @property
    def total(self) -> float:
        return math.fsum(self.parts.values())


@dataclass
class Kernel:
    name: str
    lines: list[Line]
    launches: int  # all of them
    recorded: int
    blocks: tuple[int, int]  # recorded, all, of the recorded launches
    measured_ns: float | None
    of_other_chip: bool = False  # measured there: the predicted time is not its
    predicted_ns: float | None = None  # of all launches; None: no archive
    parts: dict[str, float] = field(default_factory=dict)  # ns, by played.WORDS; they add up to the time
    best_ns: float | None = None  # with all lines at their best
    cured_ns: dict[str, float] = field(default_factory=dict)  # with less of a part's cause, by the part
    idle_sms: int = 0  # of its largest launch
    shapes: set[tuple] = field(default_factory=set)
    bound: str | None = None
    dram: float = 0.0  # the share of the predicted time that it is busy
    unknown: str | None = None  # what the machine code and the records can't tell: the time is of what they tell
    spent: list[Spent] = field(default_factory=list)  # the longest first
    label: str = ""  # the name that people read

    def where(self, line: Line) -> str:
        return f"{line.file}:{line.line}" if line.file else f"{self.label}+0x{line.pc:x}"

    @property
    def first(self) -> tuple[str, int] | None:
        """File and line of its first instruction that has them."""
        first = min((x for x in (*self.lines, *self.spent) if x.file and x.line), key=lambda x: x.pc, default=None)
        return (first.file, first.line) if first else None

    @property
    def played(self) -> bool:
        """The time is all of it."""
        return self.predicted_ns is not None and not self.unknown

    @property
    def four(self) -> dict[str, float]:
        """Shares of issue, pipes, warp and starts; empty: not played."""
        if not self.played or not self.predicted_ns:
            return {}
        of = {part: math.fsum(self.parts.get(WORDS[x], 0.0) for x in within) for part, within in PARTS.items()}
        return {part: ns / self.predicted_ns for part, ns in of.items()}

    @property
    def dram_bytes(self) -> float:
        """Of all launches, by the model of the caches."""
        return math.fsum(SECTOR * (x.count or 0.0) * x.served.get("dram", 0.0) for x in self.lines)

    @property
    def explained(self) -> float | None:
        """Predicted over measured, of one chip."""
        known = self.predicted_ns is not None and self.measured_ns and not self.of_other_chip
        return self.predicted_ns / self.measured_ns if known else None

    @property
    def is_slower(self) -> bool:
        """By much than what is known of it takes."""
        return bool(self.unknown) and self.explained is not None and self.explained < EXPLAINED

    @property
    def differs(self) -> bool:
        """By more than a third from the measured time."""
        return self.explained is not None and not 1 - A_THIRD <= self.explained <= 1 + A_THIRD

    @property
    def is_evidence(self) -> bool:
        """Its predicted time tells what its lines could save."""
        return self.played and not self.differs

    @property
    def weight(self) -> float:
        """What it is sorted by: its time, else its accesses."""
        return self.measured_ns or self.predicted_ns or sum(line.executed for line in self.lines)


@dataclass
class Answer:
    costs: Costs
    chip: Chip | None
    kernels: list[Kernel]
    notes: list[str]
    newest: bool = False  # no archive was named: it is the nearest chip's newest
    unrecorded: list[str] = field(default_factory=list)  # kernels that were launched, and have no records
    before: "Answer | None" = None  # of --against
    others: "list[Answer]" = field(default_factory=list)  # of the same trace on other chips
    gate: str | None = None  # passed, met or undecided; None: nobody asked
    fail_on: list[str] = field(default_factory=list)  # as of a Comparison
    places: dict[str, tuple[str, int]] = field(default_factory=dict)  # file and line, by the sentence of fail_on
    judged: list[str] = field(default_factory=list)
    not_judged: dict[str, str] = field(default_factory=dict)  # kernels, and why

    @property
    def other_chip(self) -> str | None:
        """Whose costs these are, if not those of the chip that it was recorded on."""
        of = self.chip.archive.run["device"]["name"] if self.chip else None
        return None if of == self.costs.trace.device.name else of

    @property
    def lines(self) -> list[tuple[Kernel, Line]]:
        """The costliest first: by what they can save, then by what they take above the best, then by what they take.
        Lines of kernels that something else than memory bounds come last."""
        every = [(kernel, line) for kernel in self.kernels for line in kernel.lines]
        return sorted(every, key=lambda one: _rank(one[1]), reverse=True)


def _rank(line: Line) -> tuple:
    above = (line.cycles or 0.0) - (line.best_cycles or 0.0)
    more = (line.count or 0.0) - (line.best_count or 0.0)
    return line.hidden_by not in BESIDES, line.estimated_ns, above, more, line.cycles or 0.0, line.executed


def _weights(costs: Costs) -> dict[int, float]:
    """How many launches each recorded one speaks for."""
    shapes = {launch.id: (launch.kernel, launch.grid, launch.block) for launch in costs.launches}
    alike, calls = Counter(shapes.values()), Counter()
    for call in costs.calls:
        calls[call.kernel, call.grid, call.block] += call.launches
    return {id_: max(calls[shape], 1) / alike[shape] for id_, shape in shapes.items()}


def _add(sum_: float | None, value: float | None, times: float) -> float | None:
    return sum_ if value is None else (sum_ or 0.0) + value * times


class _Gathered:
    """Rows of one line, and what is added up of them."""

    def __init__(self, row: Row, kernel: str):
        i = row.instruction
        self.line = Line(kernel, i.file, i.line, i.pc, i.space, i.op, i.width, i.sass, i.inlined)
        self.heaviest = -1.0
        self.far = self.mean = 0.0  # of the sample: half intervals, and what they are of
        self.served = Counter()
        self.sampled = False
        self.claimed = 0.0

    def add(self, row: Row, launch: Launch, calls: float) -> None:
        line, blocks = self.line, launch.blocks
        times = calls * (blocks.total / blocks.recorded if blocks.recorded else 0.0)  # of all blocks
        line.instructions.add(row.instruction.id)
        line.lanes += (row.lanes or 0.0) * row.executed * times
        line.executed += row.executed * times
        line.bytes += (row.bytes or 0.0) * times
        line.count = _add(line.count, getattr(row, line.unit), times)
        line.best_count = _add(line.best_count, getattr(row, f"best_{line.unit}"), times)
        line.cycles = _add(line.cycles, row.cycles, times)
        line.best_cycles = _add(line.best_cycles, row.best_cycles, times)
        for level, share in row.served.items():
            self.served[level] += (share or 0.0) * row.executed * times
        self.claimed += (1.0 if row.claimed is None else row.claimed) * row.executed * times
        line.laws = sorted({*line.laws, *row.laws})
        self._sampled(row, launch, calls)
        heavy = (row.cycles if row.cycles is not None else row.executed) * times
        if heavy > self.heaviest:
            self.heaviest = heavy
            line.patterns, line.sass, line.pc = row.patterns, row.instruction.sass, row.instruction.pc
        _add_cures(line, row, times)

    def _sampled(self, row: Row, launch: Launch, calls: float) -> None:
        """Blocks are drawn without putting back; errors of instructions of the same blocks add up at worst."""
        n, total = row.blocks.n, launch.blocks.total
        self.mean += (row.blocks.mean or 0.0) * total * calls
        if n >= total or not n:
            return
        self.sampled = True
        spread = math.sqrt(max(row.blocks.variance or 0.0, 0.0) / n * (1 - n / total)) if n > 1 else math.inf
        if spread:  # else Student's distribution, which takes long to load, is not needed
            self.far += spread * (student_quantile(n - 1, LEVEL) if n > 1 else 1.0) * total * calls

    def done(self) -> Line:
        line = self.line
        line.lanes = line.lanes / line.executed if line.executed else 0.0
        line.served = {name: n / line.executed for name, n in self.served.items() if n} if line.executed else {}
        line.claimed = self.claimed / line.executed if line.executed else 1.0
        if self.sampled:
            line.error = self.far / self.mean if self.mean > 0 else math.inf
        return line


def _add_cures(line: Line, row: Row, times: float) -> None:
    for cure in row.cures:
        same = next((one for one in line.cures if one.text == cure.text), None)
        if not same:
            same = Cure(cure.text, None, None, cure.replaces)
            line.cures.append(same)
        same.count = _add(same.count, cure.count, times)
        same.cycles = _add(same.cycles, cure.cycles, times)


def explain(costs: Costs, chip: Chip | None) -> Answer:
    kernel_names = {kernel.id: kernel.shown or demangled(kernel.name) for kernel in costs.kernels}
    # Of each launch its kernel's, which is one kernel in however many processes it ran.
    names = {x.id: kernel_names.get(x.kernel) or f"kernel {x.kernel}" for x in costs.launches}
    launches = {launch.id: launch for launch in costs.launches}
    weights = _weights(costs)
    notes = costs.said(set(names.values()))
    gathered: dict[tuple, _Gathered] = {}
    for row in costs.rows:
        launch, name, i = launches[row.launch], names[row.launch], row.instruction
        key = (name, (i.file, i.line) if i.file and i.line else (i.pc,), i.space, i.op, i.width)
        gathered.setdefault(key, _Gathered(row, name)).add(row, launch, weights[launch.id])
    by_name = grouped(costs.launches, lambda launch: names[launch.id])
    lines = grouped((one.done() for one in gathered.values()), lambda line: line.kernel)
    kernels = [_kernel(name, own, lines.get(name, []), weights) for name, own in by_name.items()]
    found = Answer(costs, chip, kernels, notes)
    for kernel in kernels:
        kernel.of_other_chip = found.other_chip is not None
        if chip:
            _play(kernel, by_name[kernel.name], chip, weights)
    kernels.sort(key=lambda kernel: kernel.weight, reverse=True)
    lineless = sum(not any(one.file for one in (*kernel.lines, *kernel.spent)) for kernel in kernels)
    if lineless and any(note.code == "no_lines" for note in costs.notes):
        notes.append(f"{counted(lineless, 'kernel')} without source lines: compile with nvcc -lineinfo")
    found.unrecorded = [name for name in dict.fromkeys(kernel_names.values()) if name not in by_name]
    if chip and (lacking := rates(chip)[1]):
        notes.append(f"the archive has no rate of {', '.join(lacking)}, so predicted times are without them")
    label([found])
    return found


def label(answers: Iterable[Answer], most: int = SHORT) -> None:
    """Gives their kernels the names that people read."""
    every = [kernel for found in answers for kernel in found.kernels]
    known = labels((kernel.name for kernel in every), most)
    for kernel in every:
        kernel.label = known[kernel.name]


def _kernel(name: str, own: list[Launch], lines: list[Line], weights: dict[int, float]) -> Kernel:
    times = [launch.time_ns for launch in own]
    measured = math.fsum(launch.time_ns * weights[launch.id] for launch in own) if own and None not in times else None
    blocks = sum(launch.blocks.recorded for launch in own), sum(launch.blocks.total for launch in own)
    calls = round(math.fsum(weights[launch.id] for launch in own))
    cycles = math.fsum(line.cycles or 0.0 for line in lines)
    for line in lines:
        line.share = (line.cycles or 0.0) / cycles if cycles else 0.0
    shapes = {(launch.grid, launch.block) for launch in own}
    return Kernel(name, lines, calls, len(own), blocks, measured, shapes=shapes)


def _play(kernel: Kernel, own: list[Launch], chip: Chip, weights: dict[int, float]) -> None:
    """The kernel's time and its lines' savings by replays of its launches."""
    found = [(launch.time or Played(unknown="it was not played"), weights[launch.id]) for launch in own]
    kernel.unknown = next((one.unknown for one, _ in found if one.unknown), None)
    kernel.idle_sms = max(chip.sms - max(launch.blocks.total for launch in own), 0)
    if any(one.ns is None for one, _ in found):
        return
    spent: dict[tuple, Spent] = {}
    parts, held = Counter(), Counter()
    for one, calls in found:
        parts.update({part: ns * calls for part, ns in one.parts.items()})
        held.update({part: ns * calls for part, ns in one.held.items()})
        for line in one.lines:
            key = (line.file, line.line) if line.file else (line.pc,)
            to = spent.setdefault(key, Spent(line.file, line.line, line.pc)).parts
            to.update({part: ns * calls for part, ns in line.parts.items()})
    kernel.predicted_ns = predicted = math.fsum(one.ns * calls for one, calls in found)
    if any(one.managed for one, _ in found) and (kernel.explained or 0.0) < 1 - A_THIRD:
        kernel.unknown = kernel.unknown or MOVES
    kernel.best_ns = math.fsum(one.best.get("all", one.ns) * calls for one, calls in found)
    known = {part for one, _ in found for part in one.best if part in WORDS}
    kernel.cured_ns = {part: math.fsum(one.best.get(part, one.ns) * calls for one, calls in found) for part in known}
    kernel.parts = {WORDS[part]: ns for part, ns in parts.items()}
    if kernel.played:
        kernel.dram = math.fsum(one.dram * one.ns * calls for one, calls in found) / (predicted or 1.0)
        kernel.bound = bound(parts, held, kernel.dram)
        kernel.spent = sorted(spent.values(), key=lambda line: line.total, reverse=True)
    whole = kernel.measured_ns or predicted
    for line in kernel.lines:
        best = math.fsum(
            calls * min((one.best[str(i)] for i in line.instructions if str(i) in one.best), default=one.ns)
            for one, calls in found
        )
        share = max(1 - best / predicted, 0.0) if predicted else 0.0
        line.estimated = share if share > WORTH else 0.0
        line.estimated_ns = line.estimated * whole
        line.saved_ns = max(whole - best, line.estimated_ns) if line.estimated else 0.0
        line.saved = line.saved_ns / whole if whole else 0.0
        line.own_ns = _own(line, own, chip)
        if kernel.is_slower and line.estimated:
            line.hidden_by = ELSEWHERE.get(kernel.unknown, BESIDES[0])
        elif line.own_ns > WORTH * whole and line.estimated_ns < HIDDEN * line.own_ns:
            line.hidden_by = kernel.bound or max(kernel.parts, key=kernel.parts.__getitem__, default=BESIDES[0])


def _own(line: Line, own: list[Launch], chip: Chip) -> float:
    """What the line's own pipe is busy less at best, ns: cycles over the SMs that have blocks."""
    if line.cycles is None or line.best_cycles is None:
        return 0.0
    blocks = [launch.blocks.total for launch in own if launch.blocks.total]
    busiest = max((math.ceil(count / chip.sms) / count for count in blocks), default=0.0)
    return max(line.cycles - line.best_cycles, 0.0) * busiest / chip.ghz


@dataclass(frozen=True)
class Pair:
    """A kernel of two traces, before and after a change, or of one of them. Kernels are the same by their names, lines
    by what they are, since numbers of lines move."""

    before: Kernel | None
    now: Kernel | None

    @property
    def kernel(self) -> Kernel:
        return self.now or self.before

    @property
    def each(self) -> list[float | None]:
        """Times of a launch, before and now: predicted ones, where one of the sides is not measured."""
        known = (kernel if kernel and kernel.predicted_ns is not None else None for kernel in (self.before, self.now))
        return [kernel and kernel.predicted_ns / kernel.launches for kernel in known]

    @property
    def ratio(self) -> float | None:
        before, now = self.each
        return now / before if now is not None and before else None


def pairs(before: Answer, now: Answer) -> list[Pair]:
    """In the order of now; what is gone comes last."""
    old = {kernel.name: kernel for kernel in before.kernels}
    names = {kernel.name for kernel in now.kernels}
    found = [Pair(old.get(kernel.name), kernel) for kernel in now.kernels]
    return found + [Pair(kernel, None) for kernel in before.kernels if kernel.name not in names]


def paired_lines(pair: Pair) -> list[tuple[Line | None, Line | None]]:
    """Lines of a file that do the same are told apart by their order."""
    every = (sorted(kernel.lines if kernel else [], key=lambda one: (one.file or "", one.line or one.pc))
             for kernel in (pair.before, pair.now))  # fmt: skip
    old, new = (grouped(of, lambda x: (PurePath(x.file or "").name, x.space, x.op, x.width)) for of in every)
    keys = dict.fromkeys([*new, *old])
    return [both for key in keys for both in zip_longest(old.get(key, []), new.get(key, []))]
