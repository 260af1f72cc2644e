"""What each case costs, and how sure that is: the mean of its processes' logarithms and an interval round it.

Where an archive has several processes, the interval is Student's of the spread between them; that of a case leans on
what the other cases of its sweep show (spread.py), so that two processes say something. Where it has one process, the
interval is that of the median within it, and says nothing of other processes; a case that one process alone measured,
since it takes long, has the wider one of that and of the spread of its sweep. What archives differ by comes on top of
each (spreads.py). CONFIDENCE holds for the two ends of one interval together."""

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from ..archive.cases import Point
from ..archive.lines import LARGEST
from ..statistics.rules import HALF_WIDTHS, UNKNOWN_SPREAD
from ..statistics.spread import LEAST, Side, spreads
from ..statistics.student import student_quantile
from .quantity import CONFIDENCE

OF_SM = {"sm_least": 0, "sm_most": 1}
MANY = 1e5  # degrees of freedom that are as good as all
WITHIN_FREEDOM = 10.0  # that the interval of a median is worth, which is drawn from a few samples itself


class Value(msgspec.Struct, frozen=True):
    """A figure of one case: exp(log), between exp(log - half) and exp(log + half)."""

    point: Point
    log: float
    error: float  # standard error of the logarithm
    freedom: float

    def half(self, among: int = 1) -> float:
        """Half the interval; among: so many of these hold together, each with its share of what may go wrong."""
        return student_quantile(self.freedom, 1 - (1 - CONFIDENCE) / 2 / among) * self.error

    def settled(self) -> "Value":
        """As if its spread were known."""
        return Value(self.point, self.log, self.error, max(self.freedom, MANY))

    @property
    def number(self) -> float:
        return math.exp(self.log)

    @property
    def low(self) -> float:
        return math.exp(self.log - self.half())

    @property
    def high(self) -> float:
        return math.exp(self.log + self.half())


def side(points: Sequence[Point | None], rows: Sequence[Sequence[float]] | None = None, of_median: bool = True) -> Side:
    """What one archive has of some cases: a column is a process. rows: figures of the points in place of their medians,
    above zero as these are. of_median: computed from the median alone, so what samples say of its error is known."""
    rows = [point.medians if point else () for point in points] if rows is None else rows
    counts = np.array([len(row) for row in rows])
    there = np.arange(max(counts.max(initial=0), 1)) < counts[:, None]
    logs, inside = np.full(there.shape, np.nan), np.full(there.shape, np.nan)
    logs[there] = np.log([value for row in rows for value in row])
    if of_median:
        known = [ends for point, row in zip(points, rows, strict=True) if point for ends in point.intervals[: len(row)]]
        inside[there] = _errors(known)
    return Side(logs, inside)


def _errors(intervals: Sequence[tuple[float, float] | None]) -> np.ndarray:
    """The standard error that each 95 % interval of a median says of its logarithm; NaN where that is unknown."""
    low, high = np.array([ends or (0, 0) for ends in intervals], dtype=float).reshape(-1, 2).T
    known = (low > 0) & (high >= low)
    error = np.full(len(low), np.nan)
    error[known] = np.log(high[known] / low[known]) / 2 / HALF_WIDTHS
    return error


def in_its_unit(point: Point) -> bool:
    """The name of a metric ends in its unit; a figure in another one is not what quantities take it for."""
    return point.metric.endswith(point.unit)


def values(points: list[Point], name: str) -> dict[tuple, Value]:
    """The figure of every case of one probe that has it, by the case's key. All are to be given, since the spread of
    one is judged with the others of its sweep, or of the probe where these are few."""
    read = reader(name)
    read_all = ((point, read(point)) for point in points if in_its_unit(point))
    rows = [(point, found) for point, found in read_all if found and min(found) > 0 and max(found) <= LARGEST]
    if not rows:
        return {}
    kept, found = zip(*rows, strict=True)
    own = side(kept, found, name in ("cost", "rate"))  # of what does not follow from these no error inside is known
    kinds = np.array([f"{point.sweep} {point.metric}" for point in kept])
    spread = spreads(kinds, [own])
    between = np.sqrt(spread.variance / own.count)
    known = np.isfinite(own.inside)
    squares = np.where(known, own.inside, 0.0) ** 2
    within = np.maximum(np.sqrt(squares.sum(axis=1) / np.maximum(known.sum(axis=1), 1)), LEAST)
    within[~known.any(axis=1)] = UNKNOWN_SPREAD  # too few samples for an interval, or a figure beside the metric
    single = own.count == 1
    alone = within if single.all() else np.maximum(within, between)
    error = np.where(single, alone, between)
    freedom = np.minimum(spread.freedom, MANY)
    freedom[single] = WITHIN_FREEDOM if single.all() else np.maximum(freedom[single], WITHIN_FREEDOM)
    every = zip(kept, own.mean.tolist(), error.tolist(), freedom.tolist(), strict=True)
    return {point.key: Value(point, *figures) for point, *figures in every}


def reader(name: str) -> Callable[[Point], list[float]]:
    """How to read a figure of a case, one number per process: "cost", the metric; "rate", useful bytes per unit of it;
    where several SMs took turns "sm_least" and "sm_most", the cost on the fastest and on the slowest one, "sm_middle",
    midway between them, and "sms", the second over the first; or one of the derived figures and extras."""
    if name == "cost":
        return lambda point: point.medians
    if name == "sms":
        return lambda point: [point.over_sms[1] / point.over_sms[0]] if (point.over_sms or (0,))[0] > 0 else []
    if name == "sm_middle":
        return lambda point: [sum(point.over_sms) / 2] if point.over_sms else []
    if name in OF_SM:
        return lambda point: [point.over_sms[OF_SM[name]]] if point.over_sms else []
    if name == "rate":
        return lambda point: [point.useful_bytes / m for m in point.medians if m > 0] if point.useful_bytes else []

    def read(point: Point) -> list[float]:
        found = point.figures.column(name) if point.figures else []
        return found or (point.more.column(name) if point.more else [])

    return read
