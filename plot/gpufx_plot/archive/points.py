"""What archives mean once the processes of a run are laid together: one point a case."""

import math
from array import array
from functools import cached_property
from math import isnan
from statistics import median

from msgspec import Struct, field
from msgspec.structs import replace

from ..call.number_text import number, size_text
from .limits import Limits
from .params import NOTHING, key_of


class Figures(Struct, array_like=True, gc=False):
    """Named figures of each line of a case, as rows of one table: a thousand lines take little more than their numbers.
    A figure that a line lacks is NaN, which no archive holds."""

    names: tuple[str, ...] = ()
    values: array = field(default_factory=lambda: array("d"))
    lines: int = 0

    def add(self, row: dict[str, float]) -> None:
        if tuple(row) == self.names:
            self.values.extend(row.values())
        else:  # the first row, or one that has other names than those before
            rows = [*self.rows(), row]
            self.names = tuple(dict.fromkeys(name for row in rows for name in row))
            self.values = array("d", (row.get(name, math.nan) for row in rows for name in self.names))
        self.lines += 1

    def rows(self) -> list[dict[str, float]]:
        width = len(self.names)
        parts = (self.values[i * width : (i + 1) * width] for i in range(self.lines))
        return [{n: v for n, v in zip(self.names, part, strict=True) if not isnan(v)} for part in parts]

    def column(self, name: str) -> list[float]:
        """One figure of the lines that have it."""
        if name not in self.names:
            return []
        return [value for value in self.values[self.names.index(name) :: len(self.names)] if not isnan(value)]

    def medians(self) -> dict[str, float]:
        if self.lines == 1:
            return dict(zip(self.names, self.values, strict=True))
        columns = {name: self.values[i :: len(self.names)] for i, name in enumerate(self.names)}
        return {name: median(value for value in column if not isnan(value)) for name, column in columns.items()}

    def laid_together(self, groups: list[list[int]]) -> "Figures":
        """One row for each group of rows."""
        rows, result = self.rows(), Figures()
        for same in groups:
            part = Figures()
            for index in same:
                part.add(rows[index])
            result.add(part.medians())
        return result


LISTS = ("processes", "medians", "intervals", "samples")  # of a point: one entry per process


class Point(Struct, array_like=True, dict=True):
    """One case over all processes. The lists hold one entry per process, in the order of the file."""

    probe: str
    name: str
    sweep: str
    params: dict[str, str | int]
    metric: str
    unit: str
    better: str
    method_version: int
    law: str | None
    count: float | None
    in_fit: bool
    counts: dict
    useful_bytes: float
    moved_bytes: float
    processes: list[int] = field(default_factory=list)
    medians: list[float] = field(default_factory=list)
    intervals: list[tuple[float, float] | None] = field(default_factory=list)  # ci95
    figures: Figures | None = None  # derived ones
    more: Figures | None = None  # extras
    flags: frozenset[str] = frozenset()  # of any process
    code: frozenset[tuple] = (
        frozenset()
    )  # what ran: kernels, their machine code and launch, of all processes; empty: unknown
    over_sms: tuple[float, float] | None = None  # lowest and highest median of an SM, where several took turns
    limits: Limits | None = None  # where one of them is `throttled`
    units: dict = field(default_factory=lambda: NOTHING)  # of the axes, as far as the archive says
    marginal: bool = False  # (T(2N) - T(N)) / N: what more of it costs, without the start and the end of a kernel
    searched: bool = False  # a search added it to its sweep: other archives have other ones
    samples: list[array] = field(default_factory=list)  # where they were asked for

    @cached_property
    def key(self) -> tuple:
        """What tells the case from others, in any archive."""
        return self.probe, key_of(self.params)

    @property
    def byte_axes(self) -> list[str]:
        """The axes that count bytes."""
        return [axis for axis in self.params if self.units.get(axis) == "bytes"]

    @property
    def label(self) -> str:
        """The name without the probe."""
        return self.name.removeprefix(self.probe + "/")

    @property
    def value(self) -> float:
        return median(self.medians)

    @property
    def spread(self) -> tuple[float, float]:
        """Range of the processes' medians; the interval of the median where there is one process."""
        if len(self.medians) == 1 and self.intervals[0]:
            return tuple(self.intervals[0])
        return min(self.medians), max(self.medians)

    @property
    def gbps(self) -> float | None:
        """Useful GB/s, where the case is a matter of bytes and time."""
        if self.unit == "ns" and self.useful_bytes and self.value > 0:
            rate = self.useful_bytes / self.value
            return rate if rate < 1e300 else None
        return self.derived.get("useful_GBps")

    @property
    def one_launch(self) -> tuple[str, str]:
        """What one launch gets, where the point's rate is a marginal one and the archive has it, and over how many
        bytes."""
        rate, size = (self.derived.get(f"one_launch_{unit}") for unit in ("GBps", "bytes"))
        if not self.marginal or not rate:
            return "", ""
        return number(rate, 4), f"{size / 2**30:.2g} GiB" if size > 0.9 * 2**30 else size_text(size)

    @cached_property
    def derived(self) -> dict[str, float]:
        """Medians over the processes."""
        return self.figures.medians() if self.figures else {}

    @cached_property
    def extras(self) -> dict[str, float]:
        return self.more.medians() if self.more else {}

    def lay_repetitions_together(self) -> None:
        """Repetitions within a process share it, so that they are one piece of evidence: their median counts, and the
        interval reaches over all of theirs."""
        groups: dict[int, list[int]] = {}
        for index, process in enumerate(self.processes):
            groups.setdefault(process, []).append(index)
        ends = [[end for i in same for end in self.intervals[i] or ()] for same in groups.values()]
        self.intervals = [(min(e), max(e)) if e else None for e in ends]
        self.medians = [median(self.medians[i] for i in same) for same in groups.values()]
        if self.samples:
            self.samples = [sum((self.samples[i] for i in same[1:]), self.samples[same[0]]) for same in groups.values()]
        for table in ("figures", "more"):
            if figures := getattr(self, table):
                setattr(self, table, figures.laid_together(list(groups.values())))
        self.processes = list(groups)

    def part(self, processes: set[int]) -> "Point | None":
        """The case as these processes measured it, or None. Its derived figures and extras stay those of all."""
        kept = [i for i, process in enumerate(self.processes) if process in processes]
        if not kept:
            return None
        lists = {name: [getattr(self, name)[i] for i in kept] for name in LISTS if getattr(self, name)}
        return replace(self, **lists)
