"""From a claim's selections to the cases of an archive that it speaks of, and what each of them gives.

Every case that the selections hold is set against the one that differs in the axes of `against` alone. Each such pair
gives a ratio of geometric means over processes, and its interval: by Student's t, with the variance that `spread`
learns for each case from all of its probe, or, where it is a quantity, that of the sheet. Where the archive has
few processes, further archives of the device teach spreads, too, as in compare."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .. import UserError
from ..archive.cases import Point
from ..archive.load import Archive
from ..archive.params import key_of
from ..archive.selection import Axis, Selection, parse_all
from ..call.grouped import grouped
from ..chip.definitions import host_share
from ..chip.inference import Inference
from ..chip.quantities import infer
from ..chip.quantity import NotDetermined
from ..chip.uncertainty import reader, side, values
from ..statistics.rules import CONFIDENCE, ONCE_FLAGGED, ONCE_OF_HOST, UNKNOWN_FACTOR, UNKNOWN_SPREAD
from ..statistics.spread import Side, spreads
from ..statistics.student import student_quantile
from .compare import WATCHED_FLAGS, exp, timebase_of
from .levels import cases_of
from .ratio import INSIDE, OUTSIDE, UNCLEAR, Found, Ratio

OF_CLOCK = {"throttled", "clock_moved"}  # flags: how long a cycle is changes no count of cycles
BEST = "best_pct"  # peak_pct of the best of the cases that each selection takes


@dataclass
class Terms:
    """What is compared, of a claim or of what is given for it."""

    probe: str
    selections: list[Selection]
    instead: list[dict]  # the values that replace those of a case; empty: nothing
    quantity: str
    bounds: tuple[float, float]
    best: bool

    @classmethod
    def of(cls, probe: str, claim: dict, axes: dict[str, Axis]) -> "Terms":
        selections = parse_all(claim["where"], axes)
        instead = [s.alone() for s in parse_all(claim["against"], axes)] if claim["against"] is not None else []
        bounds = claim["low"] or 0.0, math.inf if claim["high"] is None else claim["high"]
        if len(instead) == 1:
            instead *= len(selections)
        if instead and len(instead) != len(selections):
            raise UserError("its two selections do not pair up")
        if not bounds[0] < bounds[1] or bounds[1] <= 0:
            raise UserError(f"the bounds {bounds[0]:g} to {bounds[1]:g} are empty")
        quantity = claim["quantity"]
        return cls(probe, selections, instead, "peak_pct" if quantity == BEST else quantity, bounds, quantity == BEST)

    def partners(self, params: dict) -> list[dict | None]:
        """What the case at `params` is set against; [None]: nothing. []: the claim does not speak of it."""
        held = [i for i, selection in enumerate(self.selections) if selection.holds(params)]
        if not self.instead:
            return [None] if held else []
        others = [params | self.instead[i] for i in held]
        return [other for i, other in enumerate(others) if other != params and other not in others[:i]]


def unit_of(quantity: str, point: Point) -> str:
    """What the quantity of a point is told in; extras carry their unit in their name."""
    rates = {"ns": "GB/s", "cycles": "B/cycle"}
    known = {"cost": point.unit, "rate": rates.get(point.unit, ""), "peak_pct": "% of peak"}
    named = {"pct": "%", "GBps": "GB/s", "ns": "ns"}
    return known.get(quantity, named.get(quantity.rpartition("_")[2], ""))


def values_of(point: Point, quantity: str) -> list[float]:
    """The quantity in each process; nothing where a process has none, or one that has no logarithm."""
    values = reader(quantity)(point)
    usable = values and len(values) == len(point.medians) and min(values) > 1e-100 and max(values) < 1e100
    return values if usable else []


@dataclass
class _Known:
    """Of one case: the mean logarithm of a quantity, the variance of that mean, and its degrees of freedom."""

    mean: float
    variance: float
    freedom: float
    logs: dict[int, float]  # by process
    errors: dict[int, float]  # of these, as their own samples have them; NaN where that is unknown


class Evidence:
    """An archive's cases as quantities with their spreads, each quantity when it is first asked for."""

    def __init__(self, archive: Archive, others: Sequence[Archive] = (), sheet: dict[tuple, float] | None = None):
        # What a search put at the edge of a level says where that is, not which way is faster.
        self.points = {point.key: point for point in archive.points if not point.searched}
        self.by_probe = grouped(self.points, lambda key: self.points[key].probe)
        self.absent = {a.key: (a, f"{a.kind}: {a.reason}") for a in archive.waived + archive.failed}
        self.others = [other for other in others if other.slug == archive.slug and other.synthetic == archive.synthetic]
        self.archive, self.several, self.sheet = archive, archive.processes > 1, sheet or {}
        self.known: dict[str, dict[tuple, _Known]] = {}

    def of(self, quantity: str) -> dict[tuple, _Known]:
        if quantity not in self.known:
            self.known[quantity] = self._weigh(quantity)
        return self.known[quantity]

    def _weigh(self, quantity: str) -> dict[tuple, _Known]:
        """By several processes as these and further archives of the device differ. What a run of several processes
        measured once repeats, so it is as sure as the sheet is of it (chip/uncertainty.py); of a run of one process
        nothing is known of others."""
        points = [point for point in self.points.values() if values_of(point, quantity)]
        if not points:
            return {}
        sides = [_side(points, quantity), *(_side(cases_of(other, points), quantity) for other in self.others)]
        kind = np.unique([point.probe for point in points], return_inverse=True)[1]
        spread = spreads(kind, sides)
        alone = {}
        for probe in {point.probe for point in points} if self.several else ():
            alone |= values([point for point in points if point.probe == probe], quantity)
        columns = (sides[0].mean, spread.variance / sides[0].count, spread.freedom, sides[0].logs, sides[0].inside)
        found = {}
        for point, *row, logs, inside in zip(points, *(column.tolist() for column in columns), strict=True):
            by_process = (dict(zip(point.processes, part, strict=False)) for part in (logs, inside))
            if len(point.medians) == 1 and point.key in alone:
                row[1:] = alone[point.key].error ** 2, alone[point.key].freedom
            found[point.key] = _Known(*row, *by_process)
        return found

    def find(self, terms: Terms) -> Found:
        found, reasons = Found(), {}
        pairs = []
        for params, why in self._candidates(terms.probe):
            for partner in terms.partners(params):
                keys = [(terms.probe, key_of(side)) for side in (params, partner) if side is not None]
                if keys[-1] not in self.points and keys[-1] not in self.absent:
                    continue  # nothing was meant to be set against it
                if reason := why or ("" if keys[-1] in self.points else self.absent[keys[-1]][1]):
                    reasons[reason] = reasons.get(reason, 0) + 1
                else:
                    pairs.append(keys)
        known = self.of(terms.quantity) if pairs else {}
        alike = [keys for keys in pairs if len({self.points[key].unit for key in keys}) == 1]
        good = [keys for keys in alike if all(key in known for key in keys)]
        zeros = [(keys, r) for keys in alike if keys not in good and (r := self._of_zeros(keys, terms))]
        found.ratios = [self._ratio(keys, known, terms, len(good) + len(zeros)) for keys in good]
        good += [keys for keys, _ in zeros]
        found.ratios += [ratio for _, ratio in zeros]
        if lost := len(pairs) - len(good):
            reasons[f"no {terms.quantity} to compare"] = lost
        if terms.best:
            parts = [[r for r in found.ratios if of.holds(r.params)] for of in terms.selections]
            found.ratios = [max(part, key=lambda r: r.value) for part in parts if part]
        found.missing = reasons
        found.unit = unit_of(terms.quantity, self.points[good[0][0]]) if good else ""
        found.of_host = any(self._of_host(keys) or host_share(self.archive.run, terms.probe) == 1 for keys in good)
        return found

    def _of_host(self, keys: list[tuple]) -> bool:
        """Whether the host took the time of its own work."""
        timed = any(timebase_of(self.archive, self.points[key]) == "host_ns" for key in keys)
        return timed and host_share(self.archive.run, keys[0][0]) > 0.5

    def _doubt(self, keys: list[tuple]) -> tuple[str, float]:
        """Why one process can't refute anything by these cases, and how far another run may lie apart."""
        points = [self.points[key] for key in keys]
        if min(len(point.processes) for point in points) > 1:
            return "", 0.0
        if self._of_host(keys):
            return "timed by the host in one process", math.log(ONCE_OF_HOST)
        far = ONCE_OF_HOST if host_share(self.archive.run, keys[0][0]) > 0.5 else ONCE_FLAGGED
        flags = set().union(*(point.flags for point in points)) & WATCHED_FLAGS
        flags -= OF_CLOCK if points[0].unit == "cycles" else set()
        return (f"{', '.join(sorted(flags))} in one process", math.log(far)) if flags else ("", 0.0)

    def _candidates(self, probe: str):
        for key in self.by_probe.get(probe, ()):
            yield self.points[key].params, ""
        for key, (absence, why) in self.absent.items():
            if absence.probe == probe and key not in self.points:
                yield absence.params, why

    def _ratio(self, keys: list[tuple], known: dict[tuple, _Known], terms: Terms, pairs: int) -> Ratio:
        sides = [known[key] for key in keys]
        difference = sides[0].mean - (sides[1].mean if len(sides) > 1 else 0.0)
        variance = sum(side.variance for side in sides)
        freedom = variance**2 / sum(side.variance**2 / side.freedom for side in sides) if variance > 0 else 1.0
        error = math.sqrt(variance)
        half = student_quantile(freedom, 0.5 + CONFIDENCE / 2) * error
        # That all pairs are inside takes each of them to be so; that any is outside could be chance among many.
        surely = student_quantile(freedom, 1 - (1 - CONFIDENCE) / 2 / pairs) * error
        of_sheet = self.sheet.get((terms.quantity, *keys))
        doubt, apart = ("", 0.0) if of_sheet else self._doubt(keys)
        half, surely = of_sheet or half, max(surely, of_sheet or 0.0, apart)
        labels = [self.points[key].label for key in keys] + [None]
        against = exp(sides[1].mean) if len(sides) > 1 else None
        ends = exp(difference), exp(sides[0].mean), against, exp(difference - half), exp(difference + half)
        ratio = Ratio(labels[0], labels[1], *ends, 99 if of_sheet else 95, doubt=doubt)
        ratio.params = self.points[keys[0]].params
        ratio.side = _side_of(difference, half, surely, terms.bounds)
        if ratio.side == UNCLEAR and _outside_in_each(sides, terms.bounds, pairs):
            ratio.side, ratio.in_each = OUTSIDE, True
        return ratio

    def _of_zeros(self, keys: list[tuple], terms: Terms) -> Ratio | None:
        """A figure that is 0 in some process has no logarithm: the means, and the range over the processes."""
        points = [self.points[key] for key in keys]
        rows = [reader(terms.quantity)(point) for point in points]
        (case, base), (tested, *against) = [*rows, [1.0]][:2], [sum(row) / (len(row) or 1) for row in rows]
        there = all(len(row) == len(point.medians) for row, point in zip(rows, points, strict=True))
        if terms.quantity in ("cost", "rate") or not there or min(case) < 0 or min(base) <= 0:  # no measurement
            return None
        value, low, high = tested / sum(base) * len(base), min(case) / max(base), max(case) / min(base)
        label, other, *_ = *(point.label for point in points), None
        ratio = Ratio(label, other, value, tested, *(against or [None]), low, high, params=points[0].params)
        least, most = terms.bounds
        ratio.side = INSIDE if least <= low and high <= most else OUTSIDE if high < least or low > most else UNCLEAR
        return ratio


def of_sheet(archive: Archive) -> dict[tuple, float]:
    """Of the cases and pairs that make a quantity alone, what is compared and the cases: half of the interval of its
    logarithm, so that one number has one uncertainty, in the sheet and under a claim."""
    taken, found = Inference(archive), {}
    for q in infer(archive):
        d, e = q.definition, q.estimate
        with suppress(NotDetermined):
            pairs = taken.pairs(d) if d.by == "ratio" else [(one,) for one in taken.select(d)] if d.by == "best" else []
            for pair in pairs if len(pairs) == 1 and e and (e.low or 0) > 0 else ():
                half = max(math.log(e.high / e.value), math.log(e.value / e.low))
                keys = tuple(one.point.key for one in pair)
                found[d.of, *keys] = found[d.of, *keys[::-1]] = half
    return found


def _side(points: Sequence[Point | None], quantity: str) -> Side:
    rows = [values_of(point, quantity) if point else [] for point in points]
    return side(points, rows, quantity in ("cost", "rate", "peak_pct"))


def _limits(bounds: tuple[float, float]) -> tuple[float, float]:
    """The bounds as logarithms."""
    low, high = bounds
    return math.log(low) if low > 0 else -math.inf, math.log(high) if math.isfinite(high) else math.inf


def _outside_in_each(sides: Sequence[_Known], bounds: tuple[float, float], pairs: int) -> bool:
    """True if no process shows what is claimed. Cases with states, such as a line that lies here in one process and
    there in another one, have wide intervals over processes, and may still be apart in each of them."""
    shared = set.intersection(*(set(side.logs) for side in sides))
    if len(shared) < 2:
        return False
    low, high = _limits(bounds)
    surely = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / (pairs * len(shared)))
    for process in shared:
        difference = sides[0].logs[process] - (sides[1].logs[process] if len(sides) > 1 else 0.0)
        # As where nothing is known of how processes differ: the samples of one say too little.
        error = math.hypot(*(max(UNKNOWN_FACTOR * side.errors[process], UNKNOWN_SPREAD) for side in sides))
        if not (difference + surely * error < low or difference - surely * error > high):  # NaN: not known
            return False
    return True


def _side_of(difference: float, half: float, surely: float, bounds: tuple[float, float]) -> str:
    low, high = _limits(bounds)
    slack = 1e-12  # of rounding
    if low - slack <= difference - half and difference + half <= high + slack:
        return INSIDE
    if difference + surely < low or difference - surely > high:
        return OUTSIDE
    return UNCLEAR
