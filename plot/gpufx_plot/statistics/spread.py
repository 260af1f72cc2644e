"""How far the medians of one case differ from process to process, judged together with the other cases of its probe.

A few processes tell little about the spread of one case, and thousands of cases tell much about spreads. Three things
are learnt from them, probe by probe:

- A spread to expect of each case, and how many degrees of freedom that expectation is worth (Smyth 2004,
  doi:10.2202/1544-6115.1027, the statistics of limma). Cases of one probe differ by orders of magnitude, but what a
  case does inside a process predicts what it does between them: the expectation is a line through the logarithms of
  both (as limma's trend). A variance is then the mean of the measured and the expected one, weighted by degrees of
  freedom.
- How many cases have states: some processes here, others there, and hardly a spread within each (where a page lies, for
  one). No variance describes them; see `State`.
- How far apart such states are.

The program's choice of cases to measure once more (run/plan.c) is another, simpler rule.

Everything is over logarithms of medians, so a spread of 0.01 is 1 %. The unit, a column, is the process; `levels`
gives whole archives instead."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.special import digamma, polygamma

from .rules import UNKNOWN_FACTOR, UNKNOWN_SPREAD

LEAST = 5e-5  # of a spread: what clocks and rounding resolve; a hundredth of what a margin of 1 % asks for
FEWEST = 5  # cases that a line, or a mean, is drawn through
MOST_FREEDOM = 30.0  # that the expected variance is worth: no probe is so uniform that its cases need no data
STEEPEST = 1.5  # of the line; flat at the least
UNKNOWN_FREEDOM = 1.0  # of what rules.py has for spreads of which nothing is known
# States: apart by six times what lies within them. Before any data: 5 % of all cases, worth 20 cases; 10 % apart, worth
# 5 states. The share of one probe leans on that of all by the weight of 4 cases, the distance by that of 3 states.
APART, WITHIN_FREEDOM = 6.0, 2.0
ALL_SHARE, ALL_SHARE_WEIGHT, ALL_SIZE, ALL_SIZE_WEIGHT = 0.05, 20.0, 0.1, 5.0
SHARE_WEIGHT, SIZE_WEIGHT = 4.0, 3.0


@dataclass
class Side:
    """What one side of a comparison measured: row i is case i, a column is a unit (a process); NaN where it has none.

    inside: the standard error of each value as its own samples have it, NaN where that is unknown."""

    logs: np.ndarray
    inside: np.ndarray

    def __post_init__(self):
        known = np.isfinite(self.logs)
        self.count = known.sum(axis=1)
        filled = np.where(known, self.logs, 0.0)
        self.mean = filled.sum(axis=1) / np.maximum(self.count, 1)
        self.squares = np.where(known, (self.logs - self.mean[:, None]) ** 2, 0.0).sum(axis=1)

    @property
    def freedom(self) -> np.ndarray:
        return np.maximum(self.count - 1, 0)


@dataclass
class Spread:
    """Of each case: its variance between units, and the degrees of freedom of that."""

    variance: np.ndarray
    freedom: np.ndarray


@dataclass
class State:
    """Of each case: the chance that its units fall into two states, and how far apart these would be, on average."""

    share: np.ndarray
    size: np.ndarray

    def chance(self, difference: np.ndarray, base: np.ndarray, new: np.ndarray, alike: np.ndarray) -> np.ndarray:
        """That all `base` units of one side fell into one state and all `new` of the other into the other one, at least
        `difference` apart. How often a unit takes the first state is unknown, so anything from never to always is taken
        as equally likely; the integral of p^a (1-p)^b over p is 1 / ((a + b + 1) binomial(a + b, a)), and there are two
        ways round. alike: further units of the case that all took one state, which may be that of either side.
        Distances have a long tail: (1 + x / size)^-2, whose mean is `size`."""
        logs = np.cumsum(np.log(np.maximum(np.arange(int(np.max(base + new + alike)) + 2), 1)))

        def integral(a, b):
            return np.exp(logs[a] + logs[b] - logs[a + b + 1])

        split = 2 * integral(base, new)
        split = np.where(alike > 0, 2 * integral(base + alike, new) + 2 * integral(base, new + alike), split)
        return self.share * split * (1 + np.maximum(difference, 0) / self.size) ** -2


def mean(values: np.ndarray) -> np.ndarray:
    """The mean of each row's numbers, NaN where it has none."""
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)


def middle(values: np.ndarray) -> np.ndarray:
    """The median of each row's numbers, NaN where it has none."""
    count = np.isfinite(values).sum(axis=1)
    ordered = np.sort(values, axis=1)  # NaN come last
    rows, upper = np.arange(len(values)), np.minimum(count // 2, values.shape[1] - 1)
    lower = np.maximum((count - 1) // 2, 0)
    return (ordered[rows, lower] + ordered[rows, upper]) / 2


def _trigamma_inverse(value: float) -> float:
    """By Newton's method on 1 / trigamma, which is nearly straight (Smyth 2004, appendix)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        found = polygamma(1, x)
        step = found * (1 - found / value) / polygamma(2, x)
        x += step
        if abs(step) < 1e-8 * x:
            break
    return x


def _expectation(squares, freedom, inside, wanted) -> tuple[np.ndarray, float]:
    """From measured sums of squares: the variance to expect at `wanted` (logarithms of inside variances), and the
    degrees of freedom that this is worth."""
    half = freedom / 2
    # What the logarithm of a sample's variance says of that of the true one: it is too low on average, by this much.
    log_variance = np.log(squares / freedom + LEAST**2) - digamma(half) + np.log(half)
    slope, parameters = 0.0, 1
    away = inside - inside.mean()
    if len(log_variance) > FEWEST and float(np.std(inside)) > 0.3:
        slope, parameters = float(np.clip(away @ log_variance / (away @ away), 0.0, STEEPEST)), 2
    level = float(log_variance.mean())
    left = log_variance - level - slope * away
    scatter = float(left @ left) / (len(log_variance) - parameters) - float(polygamma(1, half).mean())
    worth = MOST_FREEDOM
    if scatter > 0:
        worth = min(2 * _trigamma_inverse(scatter), MOST_FREEDOM)
    return np.exp(level + slope * (wanted - inside.mean()) + digamma(worth / 2) - math.log(worth / 2)), worth


def spreads(kind: np.ndarray, sides: Sequence[Side]) -> Spread:
    """The variance of each case, from all sides together: what differs from side to side is not in it."""
    squares = sum(side.squares for side in sides)
    freedom = sum(side.freedom for side in sides).astype(float)
    inside = inside_of(sides)
    log_inside = np.log(inside**2 + LEAST**2)
    expected = np.maximum((UNKNOWN_FACTOR * inside) ** 2, UNKNOWN_SPREAD**2)
    worth = np.full(len(kind), UNKNOWN_FREEDOM)
    has = freedom > 0
    if has.sum() >= FEWEST:
        expected, one = _expectation(squares[has], freedom[has], log_inside[has], log_inside)
        worth[:] = one
    for name in set(kind.tolist()):
        mine = kind == name
        known = mine & has
        if known.sum() >= FEWEST:
            expected[mine], worth[mine] = _expectation(
                squares[known], freedom[known], log_inside[known], log_inside[mine]
            )
    total = freedom + worth
    return Spread((worth * expected + squares + freedom * LEAST**2) / total, np.maximum(total, 1.0))


def inside_of(sides: Sequence[Side]) -> np.ndarray:
    """The standard error inside a unit, as most of them have it; that of most cases where it is not known."""
    inside = middle(np.concatenate([side.inside for side in sides], axis=1))
    known = np.isfinite(inside)
    return np.where(known, inside, median(inside[known].tolist()) if known.any() else 0.0)


def _gaps(side: Side, inside: np.ndarray, least: float) -> np.ndarray:
    """Of each case: how far apart its two states are; 0 where it has but one."""
    rows, columns = side.logs.shape
    if columns < 2:
        return np.zeros(rows)
    ordered = np.sort(side.logs, axis=1)
    steps = np.nan_to_num(np.diff(ordered, axis=1), nan=-1.0)
    at = steps.argmax(axis=1)
    gap = np.maximum(steps[np.arange(rows), at], 0.0)
    known = np.isfinite(ordered)
    low = np.arange(columns)[None, :] <= at[:, None]
    within = np.zeros(rows)
    for part in (known & low, known & ~low):
        mean = np.where(part, ordered, 0.0).sum(axis=1) / np.maximum(part.sum(axis=1), 1)
        within += np.where(part, (ordered - mean[:, None]) ** 2, 0.0).sum(axis=1)
    within += WITHIN_FREEDOM * (inside**2 + LEAST**2)
    within /= np.maximum(side.count - 2, 0) + WITHIN_FREEDOM
    return np.where((gap > least) & (gap > APART * np.sqrt(within)), gap, 0.0)


def alike(history: Sequence[Side], sides: Sequence[Side], least: float) -> np.ndarray:
    """Of each case: the units of its history, where these and the units of both sides show but one state; else 0."""
    inside = inside_of((*sides, *history))
    apart = sum(_gaps(side, inside, least) > 0 for side in (*sides, *history))
    return np.where(apart == 0, sum((side.count for side in history), np.zeros(len(inside), dtype=int)), 0)


def states(probe: np.ndarray, sides: Sequence[Side], least: float, timebase: np.ndarray | None = None) -> State:
    """How likely states are that lie further apart than `least`. They are looked for on each side alone. Of n units
    with an unknown share in each state, all fall into the same one with a chance of 2 / (n + 1): so many are not
    seen. A probe leans on all cases of its timebase, where that is given: what the host waits for has states often, and
    work within an SM hardly ever."""
    all_of = np.zeros(len(probe), dtype=int) if timebase is None else timebase
    inside = inside_of(sides)
    seen, looked, apart = (np.zeros(len(probe)) for _ in range(3))
    for side in sides:
        gap = _gaps(side, inside, least)
        seen += gap > 0
        apart += gap
        looked += side.freedom / (side.count + 1)
    all_seen, all_looked, all_apart = (_totals(all_of, values) for values in (seen, looked, apart))
    share = (all_seen + ALL_SHARE * ALL_SHARE_WEIGHT) / (all_looked + ALL_SHARE_WEIGHT)
    all_size = (all_apart + ALL_SIZE * ALL_SIZE_WEIGHT) / (all_seen + ALL_SIZE_WEIGHT)
    count, far = (_totals(probe, values) for values in (seen, apart))
    size = (far + SIZE_WEIGHT * all_size) / (count + SIZE_WEIGHT)
    share = (count + SHARE_WEIGHT * share) / (_totals(probe, looked) + SHARE_WEIGHT)
    return State(np.minimum(share, 1.0), size)


def _totals(names: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Of each row: the sum over all rows of its name."""
    index = np.unique(names, return_inverse=True)[1]
    return np.bincount(index, values)[index]
