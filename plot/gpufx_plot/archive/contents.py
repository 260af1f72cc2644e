"""What an archive is once it is loaded: its cases with their processes merged, and what is said of the run."""

from array import array
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median

from ..call.number_text import counted
from ..call.text import clipped
from .lines import End
from .lines import Fit as FitLine
from .params import key_of
from .points import Point
from .pooled_fits import Fit, merge_fits


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

    sm_mhz: array = field(default_factory=lambda: array("d"))  # during the cases
    memory_mhz: array = field(default_factory=lambda: array("d"))  # at their ends
    throttle_reasons: set = field(default_factory=set)


@dataclass
class Archive:
    """One archive, each case once with its processes merged. run is the first line as schema 2 has it; all texts are
    safe to print."""

    path: Path
    run: dict
    points: list[Point] = field(default_factory=list)
    waived: list[Absence] = field(default_factory=list)
    failed: list[Absence] = field(default_factory=list)
    fits: list[FitLine] = field(default_factory=list)
    counters: list[dict] = field(default_factory=list)
    clocks: Clocks = field(default_factory=Clocks)
    counts: Counter = field(default_factory=Counter)  # lines of each kind
    measured: set[str] = field(default_factory=set)  # all probes with a case, also those whose points were not wanted
    end: End | None = None
    truncated: bool = False
    sum: bytes = field(default=b"", init=False, compare=False, repr=False)  # what it follows from; empty: not known
    quantities: dict | None = field(default=None, init=False, compare=False, repr=False)  # by id, once all are known

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

        def place(point: Point) -> tuple:
            probe = point.probe
            values = (
                choices.setdefault((probe, axis, value), len(choices)) if type(value) is str else value
                for axis, value in point.params.items()
            )
            return (probe, metrics.setdefault((probe, point.metric), len(metrics)), *values)

        self.points.sort(key=place)

    def units(self, probe: str) -> dict[str, str]:
        """The unit of each axis of a probe, as far as the archive says: "" for a choice or a plain number."""
        declared = self.run["probes"].get(probe) or {"axes": []}
        return {axis["name"]: axis["unit"] for axis in declared["axes"]}

    def per(self, probe: str, metric: str) -> str | None:
        """What one sample of the metric stands for, as far as the archive says."""
        declared = self.run["probes"].get(probe) or {"metrics": []}
        return next((m.get("per") for m in declared["metrics"] if m["name"] == metric), None)

    def part(self, processes: set[int]) -> "Archive":
        """What these processes measured."""
        points = [part for point in self.points if (part := point.part(processes))]
        waived, failed = ([a for a in found if a.process in processes] for found in (self.waived, self.failed))
        return replace(self, points=points, waived=waived, failed=failed)

    def without_cases(self) -> "Archive":
        """What is said of the run as a whole, and nothing that takes memory."""
        light = replace(self, points=[], waived=[], failed=[], fits=[], counters=[])
        for name in ("sum", "process_ids", "probes", "usual_processes", "least_processes"):
            setattr(light, name, getattr(self, name))
        return light


def describe(archive: Archive) -> str:
    """One archive in one line."""
    run = archive.run
    parts = [
        f"{run['device']['name']} ({run['device']['arch']})",
        driver_text(run),
        run["started_utc"] or "no date",
        f"run {run['id']}",
        archive.processes_text,
    ]
    if archive.synthetic:
        parts.append("SYNTHETIC")
    if archive.incomplete:
        parts.append(f"INCOMPLETE: {archive.incomplete}")
    return ", ".join(parts)


def driver_text(run: dict) -> str:
    """The driver's version; the object has no fixed keys, so the usual ones are tried."""
    driver = run["driver"]
    for key in ("driver_version", "version", "driver", "name"):
        if isinstance(driver.get(key), str | int | float):
            return f"driver {driver[key]}"
    return "driver unknown"
