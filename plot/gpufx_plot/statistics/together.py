"""What cases share: a factor common to all times of one timebase in one process, and the middle of a kind of cases.

A process in which a clock runs 1 % slow has thousands of cases that are 1 % longer, and none says anything by itself.
So each process's factor is taken out before cases are judged, timebase by timebase (SM cycles, times of the device,
times of the host), and is judged itself by what such factors differ by between processes. The factor is the median over
probes of the median over a probe's cases, so that one memory that is slower is no clock.

What slows 58 cases by 3 % is seen in their middle long before it is seen in any of them: what they do by chance each by
itself is gone from it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .rules import CONFIDENCE, LEAST_OF_KIND, MAD, MEDIAN_ERROR
from .spread import FEWEST, Side, mean, middle
from .student import above, student_quantile

COMMON_SPREAD, COMMON_FREEDOM = 0.01, 4.0  # of common factors between processes, before any data


@dataclass
class Common:
    """One timebase's factor, new / base, as a logarithm; positive: longer."""

    factor: float
    half: float  # of the 95 % interval
    p: float
    beyond: bool
    cases: int
    columns: list[np.ndarray]  # the deviation of each process of each side and archive; NaN: too few of its cases

    @classmethod
    def none(cls, sides: Sequence[Side]) -> "Common":
        return cls(0.0, 0.0, 1.0, False, 0, [np.zeros(side.logs.shape[1]) for side in sides])


def middles(group: np.ndarray, values: np.ndarray, groups: int) -> np.ndarray:
    """The median of each group's numbers, column by column; NaN where it has none."""
    order = np.argsort(group, kind="stable")
    parts = np.split(values[order], np.cumsum(np.bincount(group, minlength=groups))[:-1])
    return np.array([middle(part.T) for part in parts[:groups]]).reshape(groups, values.shape[1])


def _deviations(sides: Sequence[Side], history: Sequence[Side]) -> list[np.ndarray]:
    """Each value against the middle of both sides, or against its own archive's mean."""
    both = sum(side.mean for side in sides) / len(sides)
    parts = [side.logs - both[:, None] for side in sides]
    return parts + [side.logs - np.where(side.count > 0, side.mean, np.nan)[:, None] for side in history]


def commons(probe, timebase, sign, sides, history, limit: float, rate: float, alike: bool = True) -> list[Common]:
    """One for each timebase. Of fewer than FEWEST probes nobody can tell what is common from what is theirs; of two
    models everything is theirs."""
    parts = _deviations(sides, history)
    found = []
    for one in range(int(timebase.max(initial=-1)) + 1):
        mine = timebase == one
        probes, index = np.unique(probe[mine], return_inverse=True)
        if len(probes) < FEWEST or not alike:
            found.append(Common.none((*sides, *history)))
            continue
        by_probe = [middles(index, part[mine] * sign[mine, None], len(probes)) for part in parts]
        columns = [_of_whole(part[mine], index, of) for part, of in zip(parts, by_probe, strict=True)]
        if not all(np.isfinite(column).any() for column in columns[:2]):
            found.append(Common.none((*sides, *history)))
            continue
        moved = mean(by_probe[1]) - mean(by_probe[0])
        known = moved[np.isfinite(moved)]
        scatter = MAD * float(np.median(np.abs(known - np.median(known))))
        error = MEDIAN_ERROR * scatter / math.sqrt(len(known))  # of a median of values that scatter as these do
        found.append(_judged(columns, error, int(mine.sum()), limit))
    chosen = [one for one in found if one.cases]
    for one in chosen:
        one.beyond = one.p <= rate / len(chosen) and abs(one.factor) - one.half > limit
    return found


def _of_whole(cases: np.ndarray, index: np.ndarray, by_probe: np.ndarray) -> np.ndarray:
    """The factor of each process; NaN of one that measured fewer than FEWEST probes, or less than half of their cases,
    which may have been chosen for what they are."""
    has = np.isfinite(by_probe)
    asked = has.T @ np.bincount(index, minlength=len(by_probe))
    whole = (has.sum(axis=0) >= FEWEST) & (2 * np.isfinite(cases).sum(axis=0) >= asked)
    return np.where(whole, middle(by_probe.T), np.nan)


def _judged(columns: list[np.ndarray], of_median: float, cases: int, limit: float) -> Common:
    known = [column[np.isfinite(column)] for column in columns]
    base, new = known[:2]
    squares = sum(float(((column - column.mean()) ** 2).sum()) for column in known if len(column))
    freedom = COMMON_FREEDOM + sum(max(len(column) - 1, 0) for column in known)
    variance = (COMMON_FREEDOM * COMMON_SPREAD**2 + squares) / freedom
    factor = float(new.mean() - base.mean())
    error = math.sqrt(variance * (1 / len(base) + 1 / len(new)) + of_median**2)
    p = float(sum(above((abs(factor) + side) / error, freedom) for side in (-limit, limit)))
    return Common(factor, student_quantile(freedom, 0.5 + CONFIDENCE / 2) * error, p, False, cases, columns)


def without(common: list[Common], timebase, sign, sides, history) -> tuple[Side, Side, list[Side]]:
    """The sides without what their cases share; a factor that is no chance stays between the sides."""
    every, result = (*sides, *history), []
    for at, side in enumerate(every):
        shift = np.empty(side.logs.shape)
        for one, factor in enumerate(common):
            column = factor.columns[at]
            known = np.isfinite(column)
            middle_of = column[known].mean() if known.any() else 0.0
            # A process of which nothing is known has what the others of its side have.
            column = np.where(known, column, middle_of)
            shift[timebase == one] = column - middle_of if factor.beyond else column
        result.append(Side(side.logs - shift * sign[:, None], side.inside))
    return result[0], result[1], result[2:]


def kind_sides(kind: np.ndarray, sides, history) -> tuple[np.ndarray, list[Side]]:
    """Of each case its kind's row, -1 where that has too few cases, and the sides with a row for each kind: the middle
    of its cases, and a hint at how surely each is known inside a process."""
    _, index, counts = np.unique(kind, return_inverse=True, return_counts=True)
    large = counts >= LEAST_OF_KIND
    rows = np.where(large, np.cumsum(large) - 1, -1)[index]
    mine, total = rows >= 0, int(large.sum())
    size = counts[large][:, None]
    found = []
    for side, part in zip((*sides, *history), _deviations(sides, history), strict=True):
        inside = side.inside[mine]
        known = np.isfinite(inside)
        squares = np.column_stack(
            [np.bincount(rows[mine], np.where(k, i, 0.0) ** 2, total) for i, k in zip(inside.T, known.T, strict=True)]
        )
        times = np.column_stack([np.bincount(rows[mine], k, total) for k in known.T])
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.where(times > 0, np.sqrt(squares / times / size), np.nan)
        logs = middles(rows[mine], part[mine], total)
        here = np.column_stack([np.bincount(rows[mine], k, total) for k in np.isfinite(part[mine]).T])
        found.append(Side(np.where(2 * here >= size, logs, np.nan), error))
    return rows, found
