"""Flat parts of a staircase and where they end.

The flat parts are those of the best piecewise constant line through the logarithms, found among all by dynamic
programming (optimal partitioning: Jackson et al. 2005, doi:10.1109/LSP.2001.838216) with Schwarz's criterion as the
price of a step (Yao 1988, doi:10.1016/0167-7152(88)90118-6). FLAT is what a part may waver by and still be flat.
Neighbours within TOLERANCE of each other are one part. The program's search has the same (core/flat_parts.c); both are
held to tests/vectors/flat_parts.json.

Where a part ends is a bracket: going up from its start, the last point that is surely still flat and the first that is
surely above, each judged at the confidence of the points' intervals. That is the stepwise procedure of Hsu and Berger
(1999, doi:10.1080/01621459.1999.10474141): the hypotheses are ordered and the first one that is not rejected ends the
search, so that many points need no correction for many tests, and the bracket has the confidence of one interval. A
point too unsure to say anything, whose estimate is flat, does not end it, at the price that _surely names: a walk that
costs no less the farther it goes is flat there if it is so further on."""

import math
from dataclasses import dataclass
from typing import Protocol

FLAT = 0.01  # standard deviation of the logarithms within a flat part, beside the points' own errors
TOLERANCE = 0.03  # of a level: less is no step
FEWEST = 3  # points of a flat part


class Value(Protocol):
    """A figure whose logarithm is known to `error`; half: half of its interval, where so many are to hold together."""

    log: float
    error: float

    def half(self, among: int = 1) -> float: ...


@dataclass(frozen=True)
class Part:
    """Points first..last (indexes, both in it) lie flat round exp(log)."""

    first: int
    last: int
    log: float

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def partition(values: list[Value]) -> list[Part]:
    """All parts in order, those of one point as well."""
    n = len(values)
    sums = [(0.0, 0.0, 0.0)]
    for value in values:
        weight = 1 / (FLAT**2 + value.error**2)
        w, x, xx = sums[-1]
        sums.append((w + weight, x + weight * value.log, xx + weight * value.log**2))

    def part(i: int, j: int) -> tuple[float, float]:
        """What points i..j-1 lie away from their mean, and the mean."""
        w, x, xx = (b - a for a, b in zip(sums[i], sums[j], strict=True))
        return max(xx - x * x / w, 0.0), x / w

    price = 2 * math.log(max(n, 2))
    best, start = [-price], [0]
    for j in range(1, n + 1):
        w, x, xx = sums[j]
        # part(i, j)[0] written out: all of a search's time is here.
        away = [(xx - c) - (x - b) * (x - b) / (w - a) for a, b, c in sums[:j]]
        costs = [before + max(cost, 0.0) + price for before, cost in zip(best, away, strict=True)]
        start.append(min(range(j), key=costs.__getitem__))
        best.append(costs[start[j]])
    cuts, j = [], n
    while j > 0:
        cuts.append((start[j], j))
        j = start[j]
    parts: list[Part] = []
    for i, j in reversed(cuts):
        same = parts and abs(part(i, j)[1] - parts[-1].log) < math.log1p(TOLERANCE)
        first = parts.pop().first if same else i
        parts.append(Part(first, j - 1, part(first, j)[1]))
    return parts


def height(values: list[Value], part: Part) -> float:
    """Of the part, as a logarithm: the mean of its points, each of which counts the same."""
    return math.fsum(value.log for value in values[part.first : part.last + 1]) / part.count


def flat_parts(values: list[Value]) -> list[Part]:
    return [part for part in partition(values) if part.count >= FEWEST]


def _surely(values: list[Value], order: range, sign: int, limit: float) -> int | None:
    """The last index, in an order of ever larger walks from a flat part, that is surely within `limit` of it. A point
    that may be beyond is passed over if its estimate is not; each that was halves what may go wrong at the next ones,
    so that all together they go wrong in one part of a hundred at most."""
    found, passed = None, 0
    for i in order:
        value = values[i]
        if sign * (value.log - limit) > 0:
            break
        if sign * (value.log - limit) + value.half(2**passed) <= 0:
            found = i
        else:
            passed += 1
    return found


def end_of(values: list[Value], part: Part, tolerance: float = TOLERANCE) -> tuple[int | None, int | None]:
    """Indexes of the last point that surely belongs to what begins with the part, and of the first that surely costs
    more by `tolerance`; None: there is none."""
    return _either(values, part, part.first, tolerance, 1)


def begin_of(values: list[Value], part: Part, tolerance: float = TOLERANCE) -> tuple[int | None, int | None]:
    """The same from the upper end: of the last point surely cheaper than the part, and the first from which none is."""
    return _either(values, part, part.last, tolerance, -1)


@dataclass(frozen=True)
class _Bare:
    log: float
    error: float = 0.0

    def half(self, among: int = 1) -> float:
        return 0.0


def _either(values: list[Value], part: Part, within: int, tolerance: float, sign: int) -> tuple:
    """Errors may draw the foot of a step into the part, and so raise its level: the points have both where it ends by
    them and where it would if they were exact."""
    low, high = _ends(values, part, tolerance, sign)
    exact = [_Bare(value.log) for value in values]
    bare = next(other for other in partition(exact) if other.first <= within <= other.last)
    other_low, other_high = _ends(exact, bare, tolerance, sign)
    if None in (low, high, other_low, other_high):
        return low, high
    return min(low, other_low), max(high, other_high)


def _ends(values: list[Value], part: Part, tolerance: float, sign: int) -> tuple[int | None, int | None]:
    """sign: 1 upwards from the part's first point, -1 downwards from its last."""
    limit = part.log + sign * math.log1p(tolerance)
    order = range(part.first, len(values)) if sign > 0 else range(part.last, -1, -1)
    outside = next((i for i in order if sign * values[i].log - values[i].half() > sign * limit), None)
    return (_surely(values, order, sign, limit), outside)[::sign]
