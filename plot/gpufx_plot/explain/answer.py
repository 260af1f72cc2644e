"""What a trace says: the lines of its kernels, what each takes above the best pattern that moves the same bytes, how
much a cure can save at most, and what bounds the kernel.

A line's own cost is that of its pipe: cycles of one SM by the laws and fits. What it can save is another matter: a
kernel takes as long as all its parts together (chip/demands.py), so the time is computed once as it is, and once with
the line at its best. Where little of the line's own saving is left, something else bounds the kernel, and the saving
is hidden.

Where the trace has the machine code of a kernel and the archive all rates, the time is that of a replay on one SM
(replay.py), which knows latency, issue and barriers too, and whose parts add up to it."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..call.number_text import counted
from ..chip.demands import START, STARTS, Chip, Time
from ..statistics.student import quantile
from .launch_demands import asked, of_busiest, requests, scale
from .names import demangled
from .played import PARTS, WORDS, Played, bound
from .trace_costs import Costs, Cure, Launch, Pattern, Row

HIDDEN = 0.25  # of what the line alone would save: less is left
EXPLAINED = 0.5  # of the measured time: where memory accesses explain less, something else bounds the kernel
NOT_MEMORY = "latency, arithmetic or barriers"
A_THIRD = 1 / 3
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
    sectors: float | None = None
    best_sectors: float | None = None
    wavefronts: float | None = None
    best_wavefronts: float | None = None
    cycles: float | None = None
    best_cycles: float | None = None
    served: dict[str, float] = field(default_factory=dict)
    claimed: float = 1.0  # of its accesses the law is meant for
    laws: list[str] = field(default_factory=list)
    error: float | None = None  # half of the 99 % interval over the value; None: not a sample
    patterns: list[Pattern] = field(default_factory=list)
    distinct: int = 0  # patterns, of the instruction that has most
    cures: list[Cure] = field(default_factory=list)
    share: float = 0.0  # of the kernel's memory cycles
    own_ns: float = 0.0  # what its pipe would be busy less
    saved_ns: float = 0.0  # what the kernel would take less, at most
    saved: float = 0.0  # the same as a share of the kernel's time
    estimated: float = 0.0  # that share, if prediction and measurement are off by the same factor
    estimated_ns: float = 0.0
    hidden_by: str | None = None

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file else f"{self.kernel}+0x{self.pc:x}"

    @property
    def unit(self) -> str:
        """What is counted of an access."""
        return "wavefronts" if self.space in ("shared", "remote") else "sectors"

    @property
    def count(self) -> float | None:
        return self.wavefronts if self.unit == "wavefronts" else self.sectors

    @property
    def best_count(self) -> float | None:
        return self.best_wavefronts if self.unit == "wavefronts" else self.best_sectors


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
    time: Time | None  # of all launches; None: no archive
    measured_ns: float | None
    best_ns: float | None = None  # with all lines at their best
    idle_sms: int = 0  # of its largest launch
    shapes: set[tuple] = field(default_factory=set)
    played: bool = False  # the time is a replay's
    named_bound: str | None = None  # by it
    unknown: str | None = None  # what the machine code and the records can't tell, so that there is no replay
    spent: list[Spent] = field(default_factory=list)  # the longest first

    @property
    def four(self) -> dict[str, float]:
        """Shares of issue, pipes, warp and starts; empty: not played."""
        if not self.played or not self.time.total:
            return {}
        of = {part: math.fsum(self.time.parts.get(WORDS[x], 0.0) for x in within) for part, within in PARTS.items()}
        return {part: ns / self.time.total for part, ns in of.items()}

    @property
    def predicted_ns(self) -> float | None:
        return self.time.total if self.time else None

    @property
    def bound(self) -> str | None:
        return self.named_bound or (self.time.bound if self.time else None)

    @property
    def explained(self) -> float | None:
        """The share of the measured time that its memory accesses take by the archive's rates."""
        return self.time.total / self.measured_ns if self.time and self.measured_ns else None

    @property
    def is_slower(self) -> bool:
        """By much than its accesses need, so that something that is not in a trace bounds it."""
        return not self.played and self.explained is not None and self.explained < EXPLAINED

    @property
    def differs(self) -> bool:
        """By more than a third from the measured time."""
        return self.played and self.explained is not None and not 1 - A_THIRD <= self.explained <= 1 + A_THIRD

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
    unrecorded: list[str] = field(default_factory=list)  # kernels that were launched, and have no records

    @property
    def lines(self) -> list[tuple[Kernel, Line]]:
        """The costliest first: by what they can save, then by what they take above the best, then by what they take.
        Lines of kernels that something else than memory bounds come last."""
        every = [(kernel, line) for kernel in self.kernels for line in kernel.lines]
        return sorted(every, key=lambda one: _rank(one[1]), reverse=True)


def _rank(line: Line) -> tuple:
    above = (line.cycles or 0.0) - (line.best_cycles or 0.0)
    more = (line.count or 0.0) - (line.best_count or 0.0)
    return line.hidden_by != NOT_MEMORY, line.estimated_ns, above, more, line.cycles or 0.0, line.executed


def _weights(launches: list[Launch]) -> dict[int, float]:
    """How many launches each recorded one speaks for."""
    alike = Counter((launch.kernel, launch.grid, launch.block) for launch in launches)
    return {x.id: max(x.calls or 1, 1) / alike[x.kernel, x.grid, x.block] for x in launches}


def _kept(costs: Costs, names: dict[int, str]) -> tuple[list[Launch], list[str]]:
    """Launches of which the trace has accesses, if they made any; and what is to be said of the others."""
    kept = [x for x in costs.launches if x.accesses.kept or not x.accesses.seen]
    lost = Counter(names[x.id] for x in costs.launches) - Counter(names[x.id] for x in kept)
    return kept, [f"{name}: nothing is kept of {counted(n, 'launch')}" for name, n in lost.items()]


def _add(sum_: float | None, value: float | None, times: float) -> float | None:
    return sum_ if value is None else (sum_ or 0.0) + value * times


def _key(row: Row, kernel: str) -> tuple:
    i = row.instruction
    place = (i.file, i.line) if i.file and i.line else (i.pc,)
    return kernel, place, i.space, i.op, i.width


def _names(costs: Costs) -> dict[int, str]:
    """Of each launch its kernel's, which is one kernel in however many processes it ran."""
    known = {kernel.id: kernel.shown or demangled(kernel.name) for kernel in costs.kernels}
    return {x.id: known.get(x.kernel) or f"kernel {x.kernel}" for x in costs.launches}


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
        line, times = self.line, calls * scale(launch)
        line.instructions.add(row.instruction.id)
        line.lanes += (row.lanes or 0.0) * row.executed * times
        line.executed += row.executed * times
        line.bytes += (row.bytes or 0.0) * times
        for name in ("sectors", "best_sectors", "wavefronts", "best_wavefronts", "cycles", "best_cycles"):
            setattr(line, name, _add(getattr(line, name), getattr(row, name), times))
        for level, share in row.served.items():
            self.served[level] += (share or 0.0) * row.executed * times
        accesses = [(x.claimed, x.accesses or x.count or 0.0) for x in row.levels if x.level != "dram"]
        of = sum(count for _, count in accesses)
        shares = [(1.0 if share is None else share) * count for share, count in accesses]
        self.claimed += (sum(shares) / of if of else 1.0) * row.executed * times
        line.laws = sorted({*line.laws, *(level.law for level in row.levels if level.law)})
        self._sampled(row, launch, calls)
        line.distinct = max(line.distinct, row.distinct)
        heavy = (row.cycles if row.cycles is not None else row.executed) * times
        if heavy > self.heaviest:
            self.heaviest, line.patterns, line.sass, line.pc = (
                heavy,
                row.patterns,
                row.instruction.sass,
                row.instruction.pc,
            )
        _add_cures(line, row, times)

    def _sampled(self, row: Row, launch: Launch, calls: float) -> None:
        """Blocks are drawn without putting back; errors of instructions of the same blocks add up at worst."""
        n, total = row.blocks.n, launch.blocks.total
        self.mean += (row.blocks.mean or 0.0) * total * calls
        if n >= total or not n:
            return
        self.sampled = True
        spread = math.sqrt(max(row.blocks.variance or 0.0, 0.0) / n * (1 - n / total)) if n > 1 else math.inf
        t = float(quantile(np.array([n - 1.0]), LEVEL)[0]) if n > 1 else math.inf
        self.far += (t * spread if spread else 0.0) * total * calls

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


def _time(chip: Chip, demanded: Counter) -> Time:
    return chip.time({STARTS: 1.0, **{name: amount for name, amount in demanded.items() if amount > 0}})


def _sum(times: Iterable[tuple[Time, float]], model: str) -> Time:
    """Launches one after the other."""
    whole = _Whole(model=model)
    for time, calls in times:
        whole.start += time.start * calls
        whole.ns += time.total * calls
        whole.unpriced += [name for name in time.unpriced if name not in whole.unpriced]
        for part, ns in time.parts.items():
            whole.parts[part] = whole.parts.get(part, 0.0) + ns * calls
    return whole


@dataclass
class _Whole(Time):
    ns: float = 0.0

    @property
    def total(self) -> float:
        return self.ns


def explain(costs: Costs, chip: Chip | None, played: dict[int, Played] | None = None) -> Answer:
    names = _names(costs)
    kept, lost = _kept(costs, names)
    of_loads = requests(chip) if chip else None
    launches = {launch.id: launch for launch in kept}
    weights = _weights(kept)
    gathered: dict[tuple, _Gathered] = {}
    sums: dict[int, Counter] = defaultdict(Counter)  # of each launch
    less: dict[tuple, dict[int, Counter]] = defaultdict(lambda: defaultdict(Counter))  # of each line, in each launch
    for row in costs.rows:
        if row.launch not in launches:
            continue
        launch, name = launches[row.launch], names[row.launch]
        key = _key(row, name)
        gathered.setdefault(key, _Gathered(row, name)).add(row, launch, weights[launch.id])
        if chip:
            now, best = asked(row, launch, chip.sms, of_loads)
            sums[launch.id].update(now)
            less[key][launch.id].update(now)
            less[key][launch.id].subtract(best)
    kernels = []
    by_name: dict[str, list[Launch]] = defaultdict(list)
    for launch in kept:
        by_name[names[launch.id]].append(launch)
    lines: dict[str, dict[tuple, Line]] = defaultdict(dict)
    for key, one in gathered.items():
        lines[key[0]][key] = one.done()
    for name, own in by_name.items():
        of = lines[name]
        kernels.append(_kernel(name, own, of, weights))
        if chip and not _play(kernels[-1], own, of, chip, played or {}, weights):
            _judge(kernels[-1], own, of, chip, sums, less, weights)
    kernels.sort(key=lambda kernel: kernel.weight, reverse=True)
    known = dict.fromkeys(kernel.shown or demangled(kernel.name) for kernel in costs.kernels)
    without = [name for name in known if name not in {kernel.name for kernel in kernels}]
    return Answer(costs, chip, kernels, [*costs.said, *lost], without)


def _kernel(name: str, own: list[Launch], of: dict[tuple, Line], weights: dict[int, float]) -> Kernel:
    times = [launch.time_ns for launch in own]
    measured = math.fsum(launch.time_ns * weights[launch.id] for launch in own) if own and None not in times else None
    blocks = sum(launch.blocks.recorded for launch in own), sum(launch.blocks.total for launch in own)
    calls = round(math.fsum(weights[launch.id] for launch in own))
    cycles = math.fsum(line.cycles or 0.0 for line in of.values())
    for line in of.values():
        line.share = (line.cycles or 0.0) / cycles if cycles else 0.0
    shapes = {(launch.grid, launch.block) for launch in own}
    return Kernel(name, [*of.values()], calls, len(own), blocks, None, measured, shapes=shapes)


def _play(kernel: Kernel, own: list[Launch], of: dict, chip: Chip, played: dict[int, Played], weights: dict) -> bool:
    """The kernel's time and its lines' savings by replays of its launches; False: of some there is none."""
    found = [(played[x.id], weights[x.id]) for x in own if x.id in played]
    kernel.unknown = next((one.unknown for one, _ in found if one.unknown), None)
    if len(found) < len(own) or kernel.unknown or any(one.ns is None for one, _ in found):
        return False
    kernel.played, kernel.time = True, _Whole(model=chip.model)
    spent: dict[tuple, Spent] = {}
    parts, held = Counter(), Counter()
    for one, calls in found:
        kernel.time.ns += one.ns * calls
        parts.update({part: ns * calls for part, ns in one.parts.items()})
        held.update({part: ns * calls for part, ns in one.held.items()})
        for line in one.lines:
            key = (line.file, line.line) if line.file else (line.pc,)
            to = spent.setdefault(key, Spent(line.file, line.line, line.pc)).parts
            to.update({part: ns * calls for part, ns in line.parts.items()})
    kernel.time.parts = {WORDS[part]: ns for part, ns in parts.items()}
    busy = math.fsum(one.dram * one.ns * calls for one, calls in found) / (kernel.time.ns or 1.0)
    kernel.named_bound = bound(parts, held, busy)
    kernel.spent = sorted(spent.values(), key=lambda line: line.total, reverse=True)
    kernel.idle_sms = max(chip.sms - max(launch.blocks.total for launch in own), 0)
    kernel.best_ns = math.fsum(one.best.get("all", one.ns) * calls for one, calls in found)
    whole = kernel.measured_ns or kernel.time.ns
    for line in of.values():
        best = math.fsum(
            calls * min((one.best[str(i)] for i in line.instructions if str(i) in one.best), default=one.ns)
            for one, calls in found
        )
        share = max(1 - best / kernel.time.ns, 0.0) if kernel.time.ns else 0.0
        line.estimated = share if share > WORTH else 0.0
        line.estimated_ns = line.estimated * whole
        line.saved_ns = max(whole - best, line.estimated_ns) if line.estimated else 0.0
        line.saved = line.saved_ns / whole if whole else 0.0
        line.own_ns = _own(line, own, chip)
        if line.own_ns > WORTH * whole and line.estimated_ns < HIDDEN * line.own_ns:
            line.hidden_by = kernel.bound
    return True


def _judge(kernel, own, of, chip: Chip, sums, less, weights) -> None:
    """The kernel's time, and what each line can save of it."""
    times = {launch.id: _time(chip, sums[launch.id]) for launch in own}
    kernel.time = _sum(((times[launch.id], weights[launch.id]) for launch in own), chip.model)
    whole = max(kernel.time.total, kernel.measured_ns or 0.0)
    kernel.idle_sms = max(chip.sms - max(launch.blocks.total for launch in own), 0)
    kernel.best_ns = 0.0
    for launch in own:
        cured = Counter(sums[launch.id])
        for key in of:
            cured.subtract(less[key].get(launch.id, ()))
        kernel.best_ns += weights[launch.id] * _time(chip, cured).total
    for key, line in of.items():
        saved = 0.0
        for launch_id, fewer in less[key].items():
            cured = Counter(sums[launch_id])
            cured.subtract(fewer)
            saved += weights[launch_id] * (times[launch_id].total - _time(chip, cured).total)
        line.saved_ns = max(saved, 0.0)
        line.saved = line.estimated = line.saved_ns / whole if whole else 0.0
        line.estimated_ns = line.saved_ns
        line.own_ns = _own(line, own, chip)
        if kernel.is_slower and line.saved > WORTH:
            line.hidden_by = NOT_MEMORY
        elif line.own_ns > WORTH * whole and line.saved_ns < HIDDEN * line.own_ns:
            line.hidden_by = kernel.bound if kernel.bound != START else "launch overhead"


def _own(line: Line, own: list[Launch], chip: Chip) -> float:
    """What the line's own pipe is busy less at best, ns: cycles over the SMs that have blocks."""
    if line.cycles is None or line.best_cycles is None:
        return 0.0
    busiest = max((of_busiest(launch, chip.sms) for launch in own), default=0.0)
    return max(line.cycles - line.best_cycles, 0.0) * busiest / chip.ghz
