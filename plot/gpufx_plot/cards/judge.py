"""Card-to-card variation of a chip, and the cards that deviate by more, as docs/fleet.md describes.

Centre and spread come from median and median absolute deviation, and then from the cards that are not far off by these.
With few cards the variance is shrunk towards those of the other quantities (`spread.spreads`). The weight of the tails
follows with many cards from the ratio of two pairs of quantiles; where bad cards have made it larger than any tail
does, from those of the side that is lighter, as a fault moves cards to one side. Few cards don't show it, so at most
FEW_FREEDOM degrees of freedom are assumed. A card's own error counts where it exceeds that of the base's figures."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics.rules import MAD
from ..statistics.spread import LEAST, Side, middle, spreads
from ..statistics.student import above, quantile
from ..statistics.verdicts import discoveries
from .card_table import Cards
from .declared import FEWEST, margins_of, parts

RATE = 1 / 1500  # of healthy cards that fail in any quantity, by design; docs/fleet.md promises under 1 in 1,000
MARGIN = 0.01  # a smaller deviation is no failure, however significant
KIND = 0.05  # share of the cards, as far out on the same side, that makes a kind of card
COMMON, LEAST_COMMON = 0.10, 3  # share and number of cards from which such a kind counts as healthy
SUSPECT = 0.02  # of healthy cards as bad, below which a deviation is reported
SELDOM = f"fewer than {100 * SUSPECT:g} in 100 healthy cards deviate as much"
FALSE_SUSPECTS = 0.1  # of the cards of a fleet that are so reported, on average: large fleets have many cards
FALSE_SHARE = 0.04  # of the cards called sick in a fleet, on average (Benjamini and Hochberg 1995)
ALONE = 60  # cards, up to which each is judged against the others without itself
FEW_FREEDOM, MANY_CARDS, LEAST_TAIL, MOST_TAIL = 5.0, 200, 3.0, 1e4
RATIO_ERROR = 1.5  # standard error of the log ratio of quantiles, times the root of the number of cards; simulated
FAR = 0.005  # tail probability beyond which a card is left out of centre and spread
USUAL = 1.5  # standard deviations, below which the tail need not be computed
DOUBT = 0.1  # that SUSPECT of healthy cards or more do not belong to a group that the base shows
AS_FAR = 0.7  # cards at >= 70 % of a card's distance lie as far out as it does

# Quantiles 97.5 % - 2.5 % over 75 % - 25 % of Student's distribution.
_TAILS = (3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 30.0, 100.0, 1e4)


@dataclass(frozen=True)
class Healthy:
    """Centre and spread of the cards of a chip, one entry per quantity."""

    centre: np.ndarray
    spread: np.ndarray  # standard deviation from card to card
    freedom: np.ndarray
    count: np.ndarray  # cards used; those far off are left out
    errors: np.ndarray  # standard error of these cards' own figures
    away: np.ndarray  # [Q, C] sorted: how far each card of the base lies from the centre, NaN last

    def error(self, own: np.ndarray) -> np.ndarray:
        """Standard error of the prediction for one more card, whose figures have the errors `own`."""
        more = np.maximum(np.nan_to_num(own) ** 2 - self.errors**2, 0.0)
        return np.sqrt(self.spread**2 * (1 + 1 / np.maximum(self.count, 1)) + more)

    def as_far_out(self, away: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Count, for each card and quantity, the cards of the base that lie as far out on the same side, and all."""
        found = np.zeros(away.shape, dtype=int)
        total = np.isfinite(self.away).sum(axis=1)
        for q in range(away.shape[-1]):
            row, mine = self.away[q, : total[q]], np.nan_to_num(away[..., q])
            above_it = total[q] - np.searchsorted(row, AS_FAR * mine, side="left")
            below_it = np.searchsorted(row, AS_FAR * mine, side="right")
            found[..., q] = np.where(mine > 0, above_it, below_it)
        return found, total


@dataclass(frozen=True)
class Judged:
    """[C, Q] and [Q]; see docs/fleet.md."""

    spread: np.ndarray
    away: np.ndarray
    score: np.ndarray
    p: np.ndarray  # corrected for all quantities of the card
    sick: np.ndarray
    suspect: np.ndarray  # not sick, and off by more than nearly all healthy cards
    unsteady: np.ndarray  # would be sick if its processes varied as those of others do
    shared: np.ndarray  # how many cards are as far out, where it is not sick only for that; else 0


def _tail_freedom(logs: np.ndarray) -> np.ndarray:
    """Estimate Student's degrees of freedom of each column from its ratio of quantiles, shrunk towards the ratio of all
    columns (James and Stein)."""
    freedom = np.array(_TAILS)
    ratios = np.log(quantile(freedom, 0.975) / quantile(freedom, 0.75))
    away = np.abs(np.nanquantile(logs, [0.025, 0.25, 0.75, 0.975], axis=0) - np.nanmedian(logs, axis=0))
    known = (away > 0).all(axis=0)
    seen = np.full(logs.shape[1], ratios[-1])
    low, inner_low, inner_high, high = away[:, known]
    both, sides = (low + high) / (inner_low + inner_high), np.minimum(low / inner_low, high / inner_high)
    seen[known] = np.log(np.where(np.log(both) > ratios[0], sides, both))
    if known.sum() >= FEWEST:
        error = RATIO_ERROR**2 / np.isfinite(logs[:, known]).sum(axis=0)
        usual = float(np.median(seen[known]))
        own = max(float((MAD * np.median(np.abs(seen[known] - usual))) ** 2 - error.mean()), 0.0)
        seen[known] = usual + own / (own + error) * (seen[known] - usual)
    # ratios fall with the degrees of freedom
    return np.exp(np.interp(seen, ratios[::-1], np.log(freedom)[::-1]))


def _without_outliers(logs: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replace figures that lie far off by NaN; return also the limit of each column in standard deviations."""
    count = np.isfinite(logs).sum(axis=0)
    centre = middle(logs.T)
    floor = np.fmax(middle(errors.T), LEAST)
    scale = np.fmax(MAD * middle(np.abs(logs - centre).T), floor)
    far = quantile(np.maximum(0.4 * (count - 1), 1.0), 1 - FAR)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(logs - centre) <= far * scale, logs, np.nan), far


def _left(far: np.ndarray) -> np.ndarray:
    """The share of a normal distribution's variance that is left without its tails beyond `far`."""
    density = np.exp(-(far**2) / 2) / math.sqrt(2 * math.pi)
    inside = np.array([math.erf(one / math.sqrt(2)) for one in far])
    return 1 - 2 * far * density / inside


def _side(table: Cards) -> Side:
    logs, errors = np.asarray(table.logs, dtype=float), np.asarray(table.errors, dtype=float)
    if not len(logs):
        logs = errors = np.full((1, len(table.quantities)), np.nan)
    kept, far = _without_outliers(logs, errors)
    side = Side(kept.T, np.where(np.isfinite(kept), errors, np.nan).T)
    side.squares = side.squares / _left(far)
    return side


def learn(table: Cards, siblings: Sequence[Cards] = ()) -> Healthy:
    """Estimate centre and spread from the cards of a base, some of which may be bad. siblings: cards of other chips,
    with the same columns, which count for the spread alone."""
    logs = np.asarray(table.logs, dtype=float)
    side, *others = (_side(one) for one in (table, *siblings))
    kinds = np.array([name.partition(".")[0] for name in table.quantities])
    found = spreads(kinds, [side, *others])
    tail = np.full(len(kinds), FEW_FREEDOM)
    many = np.isfinite(logs).sum(axis=0) >= MANY_CARDS
    if many.any():
        tail[many] = np.clip(_tail_freedom(logs[:, many]), LEAST_TAIL, MOST_TAIL)
    own = middle(side.inside)
    centre = np.where(side.count > 0, side.mean, np.nan)
    away = np.sort((logs - centre).T, axis=1)
    return Healthy(
        centre,
        np.sqrt(found.variance),
        np.minimum(found.freedom, tail),
        side.count,
        np.where(np.isfinite(own), own, 0.0),
        away,
    )


def worse(better: np.ndarray, away: np.ndarray) -> np.ndarray:
    """Deviation in the worse direction; in any direction where neither is worse."""
    return np.where(better == 0, np.abs(away), -better * away)


def chance(healthy: Healthy, better: np.ndarray, away: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The probability that a healthy card is as bad, by quantity; 1 for small deviations, NaN where unknown."""
    bad = worse(better, away)
    score = np.nan_to_num(bad / healthy.error(own))
    tail = np.where(score > USUAL, above(score, healthy.freedom), 1.0)
    p = np.where(better == 0, np.minimum(2 * tail, 1.0), tail)
    return np.where(np.isfinite(bad) & (healthy.count >= FEWEST), p, np.nan)


def corrected(p: np.ndarray, of: np.ndarray, share: np.ndarray) -> np.ndarray:
    """p over all quantities of a card, which are the last axis; NaN are not judged. of, share: as parts() has them."""
    found = np.full(p.shape, np.nan)
    for part in np.unique(of):
        mine = np.flatnonzero(of == part)
        order = np.argsort(p[..., mine], axis=-1)  # NaN last
        ordered = np.take_along_axis(p[..., mine], order, axis=-1)
        count = np.isfinite(ordered).sum(axis=-1, keepdims=True)
        steps = np.minimum(ordered * count / np.arange(1, len(mine) + 1) / share[mine[0]], 1.0)
        least = np.fmin.accumulate(steps[..., ::-1], axis=-1)[..., ::-1]
        least = np.where(np.isfinite(ordered), least, np.nan)
        found[..., mine] = np.take_along_axis(least, np.argsort(order, axis=-1), axis=-1)
    return found


def limits(adjusted: np.ndarray, of: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The p below which each quantity fails, beside those of its part that do. adjusted: p of a card, corrected."""
    steps, count = np.bincount(of, adjusted < RATE), np.bincount(of, np.isfinite(adjusted))
    return RATE * share * (np.maximum(steps, 1) / np.maximum(count, 1))[of]


def reach(healthy: Healthy, better: np.ndarray, limit: np.ndarray, own: np.ndarray | None = None) -> np.ndarray:
    """The smallest deviation whose p is the limit, quantity by quantity, as a logarithm."""
    side = limit / np.where(better == 0, 2, 1)
    return quantile(healthy.freedom, 1 - side) * healthy.error(healthy.errors if own is None else own)


def judge(cards: Cards, margin: float = MARGIN) -> Judged:
    """Judge each card of a fleet against the others."""
    logs, better = np.asarray(cards.logs, dtype=float), np.asarray(cards.better)
    errors = np.asarray(cards.errors, dtype=float)
    healthy = learn(cards)
    alone = [slice(card, card + 1) for card in range(len(logs))] if len(logs) <= ALONE else []
    columns = []
    for one, at in [(learn(cards.without(at.start)), at) for at in alone] or [(healthy, slice(None))]:
        away, own = logs[at] - one.centre, errors[at]
        others, total = (np.maximum(count - (not alone), 0) for count in one.as_far_out(away))
        sides = [chance(one, better, away, error) for error in (own, np.fmin(own, one.errors))]
        columns.append((away, *sides, away / one.error(own), others, np.broadcast_to(total, away.shape)))
    away, p, steady, score, others, total = map(np.concatenate, zip(*columns, strict=True))
    as_far = others / np.maximum(total, 1)
    adjusted, steady = (corrected(one, *parts(cards.quantities)) for one in (p, steady))
    off, seldom = np.isfinite(p) & (worse(better, away) >= margins_of(cards.quantities, margin)), as_far < KIND

    def found(p: np.ndarray, rate: float = RATE, share: float = FALSE_SHARE) -> np.ndarray:
        least = np.where(off & seldom, p, 1.0).min(axis=1, initial=1.0)
        return off & seldom & (np.nan_to_num(p, nan=1.0) < rate) & discoveries(least, share)[:, None]

    shared = np.where(off & ~seldom & (np.nan_to_num(steady, nan=1.0) < RATE), others + 1, 0)
    sick = found(adjusted)
    suspect = found(adjusted, SUSPECT, FALSE_SUSPECTS) & ~sick
    return Judged(healthy.spread, away, score, adjusted, sick, suspect, found(steady), shared)
