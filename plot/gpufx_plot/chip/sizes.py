"""Sizes of caches from staircases: the cost of walks over growing footprints is flat while all of it fits, and higher
from there on. A size found so is a bracket: the largest footprint that surely fits and the smallest that surely does
not. What the device says of itself is not asked; where it lies in the bracket, `summary` says so.
"""

import math
from dataclasses import dataclass
from statistics import fmean

from ..archive.model import Point, plateaus
from ..call.number_text import size_text
from ..statistics.quantiles import student_quantile, variance

TOLERANCE = 0.03  # a footprint that costs this much more than the flat part does not fit
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Size:
    """A footprint of `low` bytes fits, one of `high` does not: 95 % sure. low is None where processes differ too much
    to be sure of any, high where all that was tried may fit."""

    cost: float
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """208..216 KiB: from there the size is, the upper end left out."""
        if self.low is None:
            return "a size that is not sure"
        if self.high is None:
            return f"{size_text(self.low)} at least"
        low, high = size_text(self.low), size_text(self.high)
        if low.split()[1] == high.split()[1]:
            low = low.split()[0]
        return f"{low}..{high}"


def interval(point: Point) -> tuple[float, float]:
    """Where the cost of a point lies, 95 % sure: by Student's t over the logs of its processes; of one process, the
    interval of its median, or the median itself where there are too few samples for one."""
    if len(point.medians) < 2:
        return tuple(point.intervals[0] or (point.value, point.value))
    logs = [math.log(value) for value in point.medians]
    half = student_quantile(len(logs) - 1, 0.5 + CONFIDENCE / 2) * math.sqrt(variance(logs) / len(logs))
    middle = fmean(logs)
    return math.exp(middle - half), math.exp(middle + half)


def bracket(costs: list[tuple[float, float, float]], start: float, cost: float) -> Size:
    """The size of what costs `cost` from footprint `start` on. costs: (footprint, low, high) in order, low and high the
    95 % interval of the cost there.

    low is the last footprint before which none reaches above cost x 1.03 with any part of its interval, high the first
    one that lies above with all of it; a footprint that is neither stays inside the bracket. To be wrong, the interval
    of the footprint next to the size must miss the truth on one side, which it does in 2.5 % of cases at either end:
    hence 95 %. A cache whose misses cost less than 3 % on the whole is taken to fit.
    """
    limit = cost * (1 + TOLERANCE)
    behind = [entry for entry in costs if entry[0] >= start]
    outside = next((i for i, (_, low, _) in enumerate(behind) if low > limit), len(behind))
    inside = next((i for i, (_, _, high) in enumerate(behind) if high > limit), len(behind))
    low = behind[inside - 1][0] if inside else None
    return Size(cost, low, behind[outside][0] if outside < len(behind) else None)


def sizes(points: list[Point], axis: str) -> list[Size]:
    """The sizes that a staircase over an axis of bytes shows, one for each flat part of three points or more."""
    swept = sorted((p for p in points if min(p.medians) > 0), key=lambda p: p.params[axis])
    costs = [(p.params[axis], *interval(p)) for p in swept]
    found: dict[float | None, Size] = {}
    for cost, first, _ in plateaus([(p.params[axis], p.value) for p in swept]):
        # Noise may cut one flat part in two, which then end at the same footprint.
        size = bracket(costs, first, cost)
        found.setdefault(size.high, size)
    return list(found.values())
