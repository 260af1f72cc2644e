"""From the spreads of thousands of cases to verdicts that hold for the whole comparison.

Each case gives a difference of mean logarithms and a 95 % interval of it, by Student's t with the variance that
`spread` gives. Each case also gives p, the probability of a difference as large although the truth lies within the
margin. It is the sum of two: that of chance, by the same t, and that of states, of which each side met one.

Of 5,000 cases that are all the same, 50 have a p under 1 %. So what is called FASTER or SLOWER is chosen by the
procedure of Benjamini and Hochberg (1995): on average at most 1 % of what is so called lies within the margin, and
where nothing differs at all, the chance that anything is so called is at most 1 %.

`weigh` does this for things of one sort. `weigh_all` asks for three sorts, with a part of the 1 % each: what all
times of one timebase share (`together`), kinds of cases by their middles, and the cases one by one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .rules import ALONE, CONFIDENCE, FALSE_DISCOVERIES, OF_CASES, OF_COMMON, OF_KINDS, WITH_ALL, WITH_KIND, near
from .spread import Side, middle, spreads, states
from .spread import alike as units_alike
from .student import above, quantile
from .together import Common, commons, kind_sides, without


@dataclass
class Evidence:
    """Of each case that both sides have: logarithms of new / base."""

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


COUNTED = 10  # cases of one probe that count for another: what they share is one change


def found_by_probe(probe: np.ndarray, p: np.ndarray, rate: float) -> np.ndarray:
    """discoveries, of which a probe's count at most COUNTED times for another one: that a thousand cases of one probe
    changed, by one cause, makes no chance elsewhere a change."""
    found, index = discoveries(p, rate), np.unique(probe, return_inverse=True)[1]
    while True:
        own = np.bincount(index[found], minlength=index.max(initial=-1) + 1)
        others = np.minimum(own, COUNTED)
        kept = found & (p <= rate * (own + others.sum() - others)[index] / max(len(p), 1))
        if (kept == found).all():
            return found
        found = kept


def weigh(
    probe: np.ndarray,
    base: Side,
    new: Side,
    margin: float,
    history: Sequence[Side] = (),
    apart: np.ndarray | float = 0.0,
    rate: float = FALSE_DISCOVERIES,
    with_states: bool = True,
    timebase: np.ndarray | None = None,
    of_processes: bool = False,
) -> Evidence:
    """probe: of each case, as a number or a name. history: what further archives measured of the same cases,
    which tells about spreads and states only: a case that never showed two states hardly shows one on each side now.
    apart: how far apart, as a logarithm, each case may be without a change, if that is more than the margin."""
    sides = (base, new, *history)
    limit = math.log1p(margin)
    spread = spreads(probe, sides)
    if of_processes:
        # What one process measures scatters at least as its own samples do, however alike a few archives were.
        own = middle(np.concatenate([base.inside, new.inside], axis=1)) ** 2
        once = (base.count == 1) & (new.count == 1)
        spread.variance = np.where(once, np.fmax(spread.variance, own), spread.variance)
    difference = new.mean - base.mean
    both = (base.count > 0) & (new.count > 0)  # a kind whose cases no process of a side has together has no middle
    error = np.sqrt(spread.variance * (1 / np.maximum(base.count, 1) + 1 / np.maximum(new.count, 1)))
    away = np.abs(difference)
    allowed = np.maximum(limit, apart)
    p = above((away - allowed) / error, spread.freedom) + above((away + allowed) / error, spread.freedom)
    if with_states:
        same = units_alike(history, (base, new), limit)
        state = states(probe, sides, limit, timebase)
        p = np.minimum(p + state.chance(away - allowed, base.count, new.count, same), 1.0)
    half = quantile(spread.freedom, 0.5 + CONFIDENCE / 2) * error
    # An interval that holds a part of the margin is never called beyond it, whatever the other cases say.
    p = np.where(both, p, 1.0)
    beyond = both & found_by_probe(probe, p, rate) & (away - half > allowed)
    return Evidence(difference, half, p, beyond, np.sqrt(spread.variance), spread.freedom)


@dataclass
class Found:
    """Evidence about cases once what their timebase shares is taken out of them, and about what is shared."""

    cases: Evidence
    how: np.ndarray  # of each case: 0 not found, ALONE, WITH_KIND, WITH_ALL
    common: list[Common]
    kinds: Evidence
    kind: np.ndarray  # of each case: its row in `kinds`, -1 where its kind has too few cases
    taken: np.ndarray  # of each case: the common factor that was taken out, as a logarithm
    once: np.ndarray  # of each case: neither samples nor another unit say how it scatters, so its interval is a guess


def weigh_all(
    probe: np.ndarray,
    kind: np.ndarray,
    timebase: np.ndarray,
    sign: np.ndarray,
    base: Side,
    new: Side,
    margin: float,
    history: Sequence[Side] = (),
    apart: np.ndarray | float = 0.0,
    alike: bool = True,
    of_processes: bool = True,
) -> Found:
    """probe, kind, timebase: of each case, as numbers from 0. sign: 1 where more is worse, -1 where it is better.
    alike: both sides are one model. Of two models raw ratios are reported, what all times share and states, too.
    of_processes: a column is one, not the mean of several."""
    limit = math.log1p(margin)
    apart = np.broadcast_to(apart, len(probe))
    once = ~np.isfinite(np.concatenate([base.inside, new.inside], axis=1)).any(axis=1)
    once &= sum(side.freedom for side in (base, new, *history)) == 0
    common = commons(probe, timebase, sign, (base, new), history, limit, FALSE_DISCOVERIES * OF_COMMON, alike)
    base, new, history = without(common, timebase, sign, (base, new), history)
    rate = FALSE_DISCOVERIES * OF_CASES
    cases = weigh(probe, base, new, margin, history, apart, rate, alike, timebase, of_processes)
    rows, sides = kind_sides(kind, (base, new), history)
    first = np.array([np.flatnonzero(rows == row)[0] for row in range(rows.max(initial=-1) + 1)], dtype=int)
    arguments = (probe[first], *sides[:2], margin, sides[2:], apart[first], FALSE_DISCOVERIES * OF_KINDS, alike)
    arguments += (timebase[first], of_processes)
    kinds = weigh(*arguments) if len(first) else Evidence(*np.zeros((3, 0)), np.zeros(0, dtype=bool), *np.zeros((2, 0)))
    factor = np.array([one.factor for one in common])[timebase] * sign
    with_all = np.array([one.beyond for one in common])[timebase]
    taken = np.where(with_all, 0.0, factor)
    # What is beyond the margin only once the common factor is taken out is not beyond it.
    whole = cases.difference + taken
    able = (np.abs(whole) > limit) & (np.sign(whole) == np.sign(cases.difference))
    able &= np.abs(cases.difference) > np.maximum(limit, apart)
    how = np.where(cases.beyond & able & ~once, ALONE, 0)
    of_kind = np.append(kinds.difference, 0.0)[rows]
    with_kind = np.append(kinds.beyond, False)[rows]
    for found, shift, name in ((with_kind, of_kind, WITH_KIND), (with_all, factor, WITH_ALL)):
        how = np.where((how == 0) & found & able & _moved(cases, shift, limit), name, how)
    as_all = with_all & (np.abs(cases.difference - factor) <= near(cases.half, factor, limit, np.minimum, np.maximum))
    how = np.where((how > 0) & as_all, WITH_ALL, how)
    cases.beyond = how > 0
    return Found(cases, how, common, kinds, rows, taken, once)


def _moved(cases: Evidence, shift: np.ndarray, limit: float) -> np.ndarray:
    """Which cases moved by what they share, or by more."""
    return cases.difference * np.sign(shift) >= np.abs(shift) - near(cases.half, shift, limit, np.minimum, np.maximum)
