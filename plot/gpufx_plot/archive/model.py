"""What archives mean once the processes of a run are laid together: points, fits, and numbers as people read them."""

import math
from array import array
from dataclasses import dataclass, field, replace
from math import isnan
from statistics import median

from ..statistics.leave_one_out import HeldOut, held_out, together
from .limits import Limits

NOTHING: dict = {}  # shared by all that have none, and never added to


def key_of(params: dict) -> tuple:
    """Params as a key that does not depend on their order."""
    return tuple(sorted(params.items()))


@dataclass(slots=True)
class Figures:
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


@dataclass(slots=True)
class Point:
    """One case over all processes. The lists hold one entry per process, in the order of the file."""

    probe: str
    name: str
    sweep: str
    params: dict
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
    intervals: list = field(default_factory=list)  # ci95, or None
    figures: Figures | None = None  # derived ones
    more: Figures | None = None  # extras
    flags: frozenset = frozenset()  # of any process
    code: frozenset = frozenset()  # what ran: kernels, their machine code and launch, of all processes; empty: unknown
    over_sms: tuple[float, float] | None = None  # lowest and highest median of an SM, where several took turns
    limits: Limits | None = None  # where one of them is `throttled`
    units: dict = field(default_factory=lambda: NOTHING)  # of the axes, as far as the archive says
    marginal: bool = False  # (T(2N) - T(N)) / N: what more of it costs, without the start and the end of a kernel
    searched: bool = False  # a search added it to its sweep: other archives have other ones
    samples: list | tuple = ()  # where they were asked for
    known_key: tuple | None = None
    known_medians: dict | None = field(default=None, repr=False, compare=False)

    @property
    def key(self) -> tuple:
        """What tells the case from others, in any archive."""
        return self.known_key or (self.probe, key_of(self.params))

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

    def _of(self, table: str) -> dict[str, float]:
        if self.known_medians is None:
            tables = {"figures": self.figures, "more": self.more}
            self.known_medians = {name: part.medians() if part else {} for name, part in tables.items()}
        return self.known_medians[table]

    @property
    def derived(self) -> dict[str, float]:
        """Medians over the processes."""
        return self._of("figures")

    @property
    def extras(self) -> dict[str, float]:
        return self._of("more")

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


@dataclass
class Fit:
    """metric = a + b * law over the cases that share the group's values, as the archive has it: over the medians of all
    processes, or, where there is no such line, of each process laid together. Then a and b are the medians, the
    intervals reach over those of all, the worst residual is kept, and the law holds where it does in half of the
    processes or more. The intervals are None for fits of two points, and in old archives."""

    probe: str
    group: dict
    law: str
    metric: str
    a: float
    b: float
    residual_pct: float
    worst_case: str
    n: int
    a_ci95: tuple[float, float] | None = None
    b_ci95: tuple[float, float] | None = None
    law_holds: bool = True
    r_squared: float | None = None
    residual_sd_pct: float | None = None
    processes: int = 0  # lines of single processes
    holds_in: int = 0  # so many of these say that the law holds
    held_out: HeldOut | None = None

    @property
    def over_bytes(self) -> bool:
        """A time over bytes: a is the start-up time, 1 / b the rate in GB/s."""
        return self.law == "bytes" and self.metric.endswith("_ns") and self.b > 0

    def holds(self, point: Point) -> bool:
        """True if the fit speaks of the point."""
        return point.in_fit and self.counts(point)

    def counts(self, point: Point) -> bool:
        """True also where the law counts what it makes no claim for."""
        return (self.probe, self.law, self.metric) == (
            point.probe,
            point.law,
            point.metric,
        ) and self.group.items() <= point.params.items()


def merge_fits(lines: list, points: list[Point] = ()) -> list[Fit]:
    """The fits of an archive, and how well they predict its points without these."""
    groups: dict[tuple, list] = {}
    for line in lines:
        groups.setdefault((line.probe, key_of(line.group), line.law, line.metric), []).append(line)
    fits = [_merge(same) for same in groups.values()]
    claimed: dict[tuple, list[Point]] = {}
    for point in points:
        if point.in_fit:
            claimed.setdefault((point.probe, point.law, point.metric), []).append(point)
    for fit in fits:
        mine = [p for p in claimed.get((fit.probe, fit.law, fit.metric), []) if fit.holds(p)]
        fit.held_out = held_out([(p.count, p.value) for p in mine], bool(mine) and mine[0].unit == "cycles")
    return fits


def _merge(lines: list) -> Fit:
    """The line over all processes, or those of the processes laid together."""
    of_one = [line for line in lines if line.process is not None]
    same = [line for line in lines if line.process is None] or of_one
    worst = max(same, key=lambda line: abs(line.largest_residual_pct))
    known = {name: _known(same, name) for name in ("r_squared", "residual_sd_pct")}
    return Fit(
        *(worst.probe, worst.group, worst.law, worst.metric),
        median(line.a for line in same),
        median(line.b for line in same),
        worst.largest_residual_pct,
        worst.worst_case,
        worst.n,
        *(_hull(getattr(line, key) for line in same) for key in ("a_ci95", "b_ci95")),
        2 * sum(line.holds for line in same) >= len(same),
        min(known["r_squared"], default=None),
        median(known["residual_sd_pct"]) if known["residual_sd_pct"] else None,
        len(of_one),
        sum(line.holds for line in of_one),
    )


def _known(lines: list, name: str) -> list[float]:
    return [value for line in lines if (value := getattr(line, name)) is not None]


def _hull(intervals) -> tuple[float, float] | None:
    known = [interval for interval in intervals if interval]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def half_size(fit: Fit, point: Point) -> tuple[float, str]:
    """The size of one copy at which a time over bytes reaches half its rate, and in words. The fit counts all bytes; a
    case that copies both ways at once moves twice its size, which is the one axis of bytes that it has."""
    swept = [point.params[axis] for axis in point.byte_axes if isinstance(point.params.get(axis), int)]
    size = swept[0] if len(swept) == 1 else 0
    ways = point.count / size if size > 0 and point.count > 0 else 1
    half = max(fit.a, 0.0) / fit.b / ways
    return half, f"half at {size_text(half)}{' each way' if ways > 1 else ''}"


def leading_axes(keys: list[dict], most: int) -> list[str]:
    """The leading axes that make at most `most` groups."""
    shown: list[str] = []
    for axis in dict.fromkeys(a for key in keys for a in key):
        if len({tuple(key.get(a) for a in [*shown, axis]) for key in keys}) > most:
            break
        shown.append(axis)
    return shown


def span(values: list[float], text) -> str:
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low}..{high}"


def formula(fits: list[Fit], figures: int = 4) -> str:
    """What a case costs: bytes over time as start-up time and rate, anything else as a + b × law."""
    if fits[0].over_bytes:
        rates = span([1 / f.b for f in fits], lambda x: number(x, figures))
        return f"{span([f.a for f in fits], time_text)} + bytes at {rates} GB/s"
    unit = fits[0].metric.rsplit("_", 1)[-1]
    # So many figures of b, and as many decimals of a.
    decimals = figures - 1 - math.floor(math.log10(max(abs(f.b) for f in fits) or 1))
    a, b = (
        span(v, lambda x: number(round(x, decimals) + 0.0, figures + 1))
        for v in ([f.a for f in fits], [f.b for f in fits])
    )
    return f"{unit} = {a} + {b} × {fits[0].law.replace('_', ' ')}"


def held_text(fits: list[Fit]) -> tuple[str, str]:
    """Of the cases held out the share that was predicted right, and measured over predicted."""
    held = together([f.held_out for f in fits])
    return (held.share, held.ratios) if held else ("-", "-")


def plateaus(pairs: list[tuple[float, float]], tolerance: float = 0.03) -> list[tuple[float, float, float]]:
    """The flat parts of a staircase: (median height, first x, last x) of each run of three points or more that lie
    within `tolerance` of their first."""
    runs: list[list[tuple[float, float]]] = []
    for x, y in pairs:
        if runs and abs(y - runs[-1][0][1]) <= tolerance * abs(runs[-1][0][1]):
            runs[-1].append((x, y))
        else:
            runs.append([(x, y)])
    return [(median(y for _, y in run), run[0][0], run[-1][0]) for run in runs if len(run) > 2]


def ordered(values) -> list:
    """Distinct values: numbers by size, then words in the order in which they came (the probe's own order)."""
    distinct = dict.fromkeys(values)
    numbers = sorted(v for v in distinct if not isinstance(v, str))
    return numbers + [v for v in distinct if isinstance(v, str)]


BEYOND = 1e15  # a figure that no device has


def number(value: float | None, digits: int = 5) -> str:
    """A figure with about `digits` significant ones, never in powers of ten where a person would not write them."""
    if value is None or not math.isfinite(value):
        return "-"
    if 10 ** (digits - 1) <= abs(value) < BEYOND:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def counted(count: int, what: str) -> str:
    """1 process, 2 processes, 3 quantities."""
    if count != 1 and what.endswith("y"):
        return f"{count} {what[:-1]}ies"
    return f"{count} {what}{'' if count == 1 else 'es' if what.endswith('s') else 's'}"


def size_text(size: float) -> str:
    """4096 -> 4 KiB."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(size) >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.3g} B"


def time_text(ns: float) -> str:
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns"


def driver_text(run: dict) -> str:
    """The driver's version; the object has no fixed keys, so the usual ones are tried."""
    driver = run["driver"]
    for key in ("driver_version", "version", "driver", "name"):
        if isinstance(driver.get(key), str | int | float):
            return f"driver {driver[key]}"
    return "driver unknown"
