"""From the spreads of thousands of cases to verdicts that hold for the whole comparison.

Each case gives a difference of mean logarithms and a 95 % interval of it, by Student's t with the variance that
`spread` gives; where a side has one process alone, this is the interval in which one more process of the other side
would lie. Each case also gives p, the probability of a difference as large although the truth lies within the margin.
It is the sum of two: that of chance, by the same t, and that of states, in which each side happened to meet one.

Of 5,000 cases that are all the same, 50 have a p under 1 %. So what is called FASTER or SLOWER is chosen by the
procedure of Benjamini and Hochberg (1995): on average at most 1 % of what is so called lies within the margin, and
where nothing differs at all, the chance that anything is so called is at most 1 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .rules import CONFIDENCE, FALSE_DISCOVERIES
from .spread import Side, alike, spreads, states
from .student import above, quantile


@dataclass
class Evidence:
    """Of each case that both sides have: logarithms of new over base."""

    difference: np.ndarray
    half: np.ndarray  # of the 95 % interval
    p: np.ndarray  # that the truth is within the margin, and the difference chance or states
    beyond: np.ndarray  # bool: taken together with all others, the truth lies beyond the margin
    spread: np.ndarray  # between units, as a standard deviation
    freedom: np.ndarray


def discoveries(p: np.ndarray, rate: float = FALSE_DISCOVERIES) -> np.ndarray:
    """Which p are small enough that on average at most `rate` of those chosen are false: the k smallest, with the
    largest k whose k-th is at most rate x k / n."""
    order = np.argsort(p, kind="stable")
    small = p[order] <= rate * np.arange(1, len(p) + 1) / max(len(p), 1)
    chosen = np.zeros(len(p), dtype=bool)
    if small.any():
        chosen[order[: np.flatnonzero(small)[-1] + 1]] = True
    return chosen


def weigh(
    kind: np.ndarray,
    base: Side,
    new: Side,
    margin: float,
    history: Sequence[Side] = (),
    apart: np.ndarray | float = 0.0,
) -> Evidence:
    """kind: the probe of each case, as numbers or names. history: what further archives measured of the same cases,
    which tells about spreads and states only: a case that never showed two states hardly shows one on each side now.
    apart: how far apart, as a logarithm, each case may be without a change, if that is more than the margin."""
    sides = (base, new, *history)
    limit = math.log1p(margin)
    spread = spreads(kind, sides)
    state = states(kind, sides, limit)
    difference = new.mean - base.mean
    error = np.sqrt(spread.variance * (1 / base.count + 1 / new.count))
    away = np.abs(difference)
    allowed = np.maximum(limit, apart)
    p = above((away - allowed) / error, spread.freedom) + above((away + allowed) / error, spread.freedom)
    p = np.minimum(p + state.chance(away - allowed, base.count, new.count, alike(history, (base, new), limit)), 1.0)
    half = quantile(spread.freedom, 0.5 + CONFIDENCE / 2) * error
    # An interval that holds a part of the margin is never called beyond it, whatever the other cases say.
    beyond = discoveries(p) & (away - half > allowed)
    return Evidence(difference, half, p, beyond, np.sqrt(spread.variance), spread.freedom)
