"""An archive once it is loaded: its cases, a point each with what every process measured of it, and its run.

A case with the flag `throttled` has the limits of the clock that the driver named, and where the clock is known from.
That a limit was named says nothing of the number by itself. Where the SM recorded its clock with the samples, the
effect is in the archive (and `clock_moved` tells of it); what the driver reported before and after is a moment or two;
without either nobody knows."""

import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.text import clipped, safe
from . import lines
from .params import NOTHING, key_of
from .pooled_fits import Fit, merge_fits

FLAG = "throttled"
SLOWDOWN = re.compile(r"hw_|sw_thermal_")  # reasons that no healthy card has for long: heat, or too little power
HARMLESS = {"gpu_idle", "applications_clocks_setting"}  # reasons for a lower clock that are no limits
KNOWN = ("effect on the clock unknown", "clock reported by the driver", "clock recorded by the SM")


class Limits(NamedTuple):
    names: frozenset[str] = frozenset()  # as the driver has them, of any process
    known: int = len(KNOWN) - 1  # index of KNOWN, of the process that knows least

    def __str__(self) -> str:
        return f"{', '.join(sorted(self.names)) or 'no limit in the archive'}; {KNOWN[self.known]}"


def limits_with(limits: Limits | None, clocks) -> Limits:
    """limits: of the processes before; clocks: of one more line with the flag."""
    named = {safe(reason) for moment in clocks.nvml for reason in moment.throttle_reasons or ()} - HARMLESS
    mine = 2 if clocks.sm_clock else 1 if any(moment.sm_mhz for moment in clocks.nvml) else 0
    return limits_of_both(limits, Limits(named, mine))


def limits_of_both(one: Limits | None, other: Limits | None) -> Limits | None:
    if not (one and other):
        return one or other
    return Limits(one.names | other.names, min(one.known, other.known))


def flag_text(flag: str, limits: Limits | None) -> str:
    """A flag as people read it."""
    return f"{flag} ({limits})" if flag == FLAG and limits else flag


class Figures(msgspec.Struct, array_like=True, gc=False):
    """Named figures of each line of a case, a column each. What a line lacks is NaN, which no archive holds."""

    columns: dict[str, list[float]] = {}
    lines: int = 0

    def add(self, row: dict[str, float]) -> None:
        for name in row:
            if name not in self.columns:
                self.columns[name] = [math.nan] * self.lines
        for name, column in self.columns.items():
            column.append(row.get(name, math.nan))
        self.lines += 1

    def column(self, name: str) -> list[float]:
        """One figure of the lines that have it."""
        return [value for value in self.columns.get(name, ()) if not isnan(value)]

    def medians(self) -> dict[str, float]:
        return {name: median(self.column(name)) for name in self.columns}

    def laid_together(self, groups: list[list[int]]) -> "Figures":
        """One row for each group of rows."""
        result = Figures()
        for same in groups:
            known = {name: [of[i] for i in same if not isnan(of[i])] for name, of in self.columns.items()}
            result.add({name: median(of) for name, of in known.items() if of})
        return result


class Point(msgspec.Struct, array_like=True, dict=True):
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
    processes: list[int] = msgspec.field(default_factory=list)
    medians: list[float] = msgspec.field(default_factory=list)
    intervals: list[tuple[float, float] | None] = msgspec.field(default_factory=list)  # ci95
    figures: Figures | None = None  # derived ones
    more: Figures | None = None  # extras
    flags: frozenset[str] = frozenset()  # of any process
    code: frozenset[tuple] = frozenset()  # what ran: machine code and launch, of all processes; empty: unknown
    over_sms: tuple[float, float] | None = None  # lowest and highest median of an SM, where several took turns
    limits: Limits | None = None  # where one of them is `throttled`
    units: dict = msgspec.field(default_factory=lambda: NOTHING)  # of the axes, as far as the archive says
    searched: bool = False  # a search added it to its sweep: other archives have other ones

    @cached_property
    def key(self) -> tuple:
        """What tells the case from others, in any archive."""
        return self.probe, key_of(self.params)

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
        groups = grouped(range(len(self.processes)), self.processes.__getitem__)
        ends = [[end for i in same for end in self.intervals[i] or ()] for same in groups.values()]
        self.intervals = [(min(e), max(e)) if e else None for e in ends]
        self.medians = [median(self.medians[i] for i in same) for same in groups.values()]
        for table in ("figures", "more"):
            if figures := getattr(self, table):
                setattr(self, table, figures.laid_together(list(groups.values())))
        self.processes = list(groups)


@dataclass(slots=True)
class Absence:
    """A case without a result in one process."""

    kind: str  # waived, failed
    process: int
    probe: str
    name: str
    params: dict
    reason: str
    status: str = ""  # of one that failed

    @property
    def key(self) -> tuple:
        return (self.probe, key_of(self.params))


@dataclass
class Clocks:
    """What the cases say of the clocks, where it is known."""

    sm_mhz: list[float] = field(default_factory=list)  # during the cases
    memory_mhz: list[float] = field(default_factory=list)  # at their ends
    throttle_reasons: set[str] = field(default_factory=set)
    told: int = 0  # lines of cases whose driver told reasons
    slowed_C: list[float] = field(default_factory=list)  # noqa: N815  temperatures beside one of SLOWDOWN

    @property
    def reasons(self) -> str | None:
        """None: not known of any case."""
        return " ".join(sorted(self.throttle_reasons)) if self.told else None

    @property
    def slowdown(self) -> dict[str, float]:
        """In how many cases, and how hot the GPU was then."""
        hot = self.slowed_C
        return {"slowed_pct": 100 * len(hot) / self.told, "hottest_C": max(hot)} if hot else {}


CASES = ("points", "waived", "failed", "fits")  # what an archive has of its cases one by one
SUMMED = ("process_ids", "probes", "usual_processes", "least_processes")  # and of all of them


@dataclass
class Archive:
    """One archive, each case once with its processes merged. run: the first line, of schema 2; texts are safe."""

    path: Path
    run: dict
    points: list[Point] = field(default_factory=list)
    waived: list[Absence] = field(default_factory=list)
    failed: list[Absence] = field(default_factory=list)
    fits: list[lines.Fit] = field(default_factory=list)
    clocks: Clocks = field(default_factory=Clocks)
    counts: dict[str, int] = field(default_factory=dict)  # lines of each kind
    end: lines.End | None = None
    truncated: bool = False
    sum: bytes = field(default=b"", init=False, compare=False, repr=False)  # what it follows from; empty: not known
    quantities: dict | None = field(default=None, init=False, compare=False, repr=False)  # by id, once all are known

    def __getattr__(self, name: str):
        """Of an outline (load.py): its cases."""
        if name not in CASES or "rest" not in vars(self):
            raise AttributeError(name)
        whole = vars(self).pop("rest")()
        vars(self).update((part, getattr(whole, part)) for part in CASES)
        return getattr(self, name)

    @property
    def synthetic(self) -> bool:
        return self.run["provenance"] == "synthetic" or self.run.get("invented") is True

    @property
    def slug(self) -> str:
        return self.run["device"]["slug"]

    @cached_property
    def process_ids(self) -> list[int]:
        """Processes that left at least one case; the run line says how many were meant."""
        return sorted(set().union(*(point.processes for point in self.points)))

    @property
    def processes(self) -> int:
        return len(self.process_ids)

    @cached_property
    def usual_processes(self) -> int:
        """Of the middle case: fewer than `processes` where only some cases were measured in all of them."""
        return round(median(len(point.processes) for point in self.points)) if self.points else 0

    @cached_property
    def least_processes(self) -> int:
        """Of the case that the fewest measured."""
        return min((len(point.processes) for point in self.points), default=0)

    @property
    def processes_text(self) -> str:
        """5 processes; 1 to 5 processes, where some cases were measured in fewer."""
        least = self.least_processes
        return (f"{least} to " if least < self.processes else "") + counted(self.processes, "process")

    @property
    def incomplete(self) -> str | None:
        """Why the run did not come to its end, or None."""
        if self.end is None:
            return "cut off"
        if self.truncated:
            return "half a line follows its end"
        return None if self.end.complete else clipped(self.end.reason or "not complete")

    @cached_property
    def merged_fits(self) -> list[Fit]:
        return merge_fits(self.fits, self.points)

    @cached_property
    def probes(self) -> list[str]:
        """Probes with at least one case, in order of name."""
        return sorted({point.probe for point in self.points})

    @property
    def measured(self) -> set[str]:
        return {*self.probes}

    def sort(self) -> None:
        """By probe, metric and the values of the axes in their order, for a run shuffles its cases. What a first line
        does not declare comes as it is met."""
        declared = self.run["probes"]
        metrics = {(p, m["name"]): i for p, d in declared.items() for i, m in enumerate(d.get("metrics", ()))}
        choices = {
            (p, axis["name"], choice): i
            for p, d in declared.items()
            for axis in d["axes"]
            for i, choice in enumerate(axis.get("choices", ()))
        }

        def order(point: Point) -> tuple:
            probe = point.probe
            values = (
                choices.setdefault((probe, axis, value), len(choices)) if type(value) is str else value
                for axis, value in point.params.items()
            )
            return (probe, metrics.setdefault((probe, point.metric), len(metrics)), *values)

        self.points.sort(key=order)

    def units(self, probe: str) -> dict[str, str]:
        """The unit of each axis of a probe, as far as the archive says: "" for a choice or a plain number."""
        declared = self.run["probes"].get(probe) or {"axes": []}
        return {axis["name"]: axis["unit"] for axis in declared["axes"]}

    def without_cases(self) -> "Archive":
        """What is said of the run as a whole, and nothing that takes memory."""
        light = replace(self, **{part: [] for part in CASES})
        for name in ("sum", *SUMMED):
            setattr(light, name, getattr(self, name))
        return light


def value_at(run: dict, path: str):
    """What stands at a path of the run line such as device.l2_bytes; None where there is nothing."""
    value = run
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def describe(archive: Archive) -> str:
    """One archive in one line."""
    run = archive.run
    parts = [f"{run['device']['name']} ({run['device']['arch']})", driver_text(run), run["started_utc"] or "no date"]
    parts += [f"run {run['id']}", archive.processes_text, *["SYNTHETIC"] * archive.synthetic]
    parts += [f"INCOMPLETE: {archive.incomplete}"] if archive.incomplete else []
    return ", ".join(parts)


def driver_text(run: dict) -> str:
    return f"driver {value_at(run, 'driver.version') or value_at(run, 'driver.name') or 'unknown'}"
