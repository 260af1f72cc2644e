"""How far a quantity lies from itself in another run, and on another card of the model: learnt from archives.

results/spreads.json holds what archives say of each quantity (learn_spreads.py writes it). The variance between cards,
and between archives of one card, is that of the quantity, leaning on the quantities of its kind (statistics/spread.py):
a few archives tell little about one quantity, and much about all. What an archive itself does not know of a quantity,
and how far cards lie apart, predicts how far two archives of one card do. No card was measured on two days.

What can fool it: the archives of one card follow each other, in one session of one machine. Where a quantity depends on
a state of the GPU that lasts (`state` of its definition), they share the state, so cards speak for days, too."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np

from ..call.grouped import grouped
from ..call.program import root
from ..statistics.spread import Side, mean, spreads
from ..statistics.student import quantile, student_quantile
from .definitions import Definition
from .quantity import CONFIDENCE, Estimate
from .spread_table import Row, Table, read

FEWEST_CARDS = 4  # of a model, before anything is said of its cards
QUANTILE = 1 - (1 - CONFIDENCE) / 2
EXACT = ("reported", "period")  # estimators whose values have no spread


@dataclass(frozen=True)
class Reach:
    """How far the logarithm of another archive's value lies away in 99 of 100 cases: of this card in another run, and
    of another card of the model. steps: by how many of its steps a bracket is to be wider at the least."""

    day: float
    cards: float
    steps: int = 0


@dataclass(frozen=True)
class Learnt:
    archives: int
    of: dict[str, Reach]
    cards: dict[str, dict[str, int]]  # how many of a model have the quantity
    kinds: dict[str, float]  # the middle reach in another run
    apart: dict[str, dict[str, float]] = field(default_factory=dict)  # the range of the logarithms by model

    def reach(self, d: Definition) -> Reach | None:
        return self.of.get(d.id) if d.by not in EXACT else None

    def steps(self, d: Definition) -> int:
        found = self.reach(d)
        return found.steps if found else 0

    def day(self, d: Definition) -> float:
        """Also of a quantity that no archive has had, by its kind."""
        if d.by in EXACT:
            return 0.0
        found = self.of.get(d.id)
        return found.day if found else self.kinds.get(d.kind, 0.0)

    def of_cards(self, d: Definition, model: str) -> float | None:
        found = self.reach(d)
        enough = self.cards.get(d.id, {}).get(model, 0) >= FEWEST_CARDS
        return found.cards if found and enough else None


def own_half(value: tuple) -> float:
    """Half of what an archive itself is unsure of, of the logarithm."""
    middle, low, high, *_ = value
    if middle is None:
        return 0.0
    ends = [abs(math.log(end / middle)) for end in (low, high) if end and end > 0]
    return max(ends, default=0.0)


def logs_of(row: Row, ids: list[str]) -> np.ndarray:
    """NaN where there is none. Of a bracket the place in it that is nearest to the middle of all brackets: brackets
    that share a value do not differ."""
    found = [row.values.get(one) for one in ids]
    whole = [v for v in found if v and v[0] is None and v[1] and v[2]]
    middle = median(math.log(v[1] * v[2]) / 2 for v in whole) if whole else 0.0

    def log(v) -> float:
        if v is None:
            return math.nan
        if v[0] is not None:
            return math.log(v[0]) if v[0] > 0 else math.nan
        return min(max(middle, math.log(v[1])), math.log(v[2])) if v[1] and v[2] else math.nan

    return np.array([log(v) for v in found])


def _parted(row: Row, ids: Iterable[str], table: Table) -> bool:
    """Whether two archives of one model have brackets that share no value."""
    ends: dict[str, list[tuple[float, float]]] = {}
    for one in ids:
        value, low, high, *_ = row.values.get(one, (0.0, None, None))
        if value is None:
            ends.setdefault(table.archives[one].model, []).append((low or 0.0, high or math.inf))
    return any(max(low for low, _ in of) >= min(high for _, high in of) for of in ends.values())


def _reach(spread) -> np.ndarray:
    """Of the difference of two archives: both have the spread."""
    return quantile(spread.freedom, QUANTILE) * np.sqrt(2 * spread.variance)


def learn(table: Table, without: str = "") -> Learnt:
    """without: as if that archive were not there."""
    ids = [one for one in table.archives if one != without]
    names = sorted(name for name, row in table.quantities.items() if np.isfinite(logs_of(row, ids)).any())
    if not names:
        return Learnt(0, {}, {}, {})
    rows = [table.quantities[name] for name in names]
    kinds = np.array([row.kind for row in rows])
    logs = np.stack([logs_of(row, ids) for row in rows])
    scale = student_quantile(1e5, QUANTILE)
    values = ([row.values.get(one) for one in ids] for row in rows)
    inside = np.array([[own_half(value) / scale if value else np.nan for value in of] for of in values])
    whose = [(table.archives[one].model, table.archives[one].card) for one in ids]
    cards = grouped(range(len(ids)), whose.__getitem__)
    sides, count, apart = [], *({name: {} for name in names} for _ in range(2))
    for model in sorted({model for model, _ in cards}):
        columns = [places for (of, _), places in cards.items() if of == model]
        side = Side(*(np.stack([mean(of[:, c]) for c in columns], axis=1) for of in (logs, inside)))
        sides.append(side)
        of_model = logs[:, np.concatenate(columns)]
        for name, known, values in zip(names, side.count, of_model, strict=True):
            count[name][model] = int(known)
            apart[name][model] = float(np.ptp(values[np.isfinite(values)])) if known else 0.0
    between = spreads(kinds, sides)
    of_cards = _reach(between)
    again = [logs[:, places] for places in cards.values() if len(places) > 1]
    if again:
        foretold = np.sqrt(between.variance)[:, None]
        of_days = _reach(spreads(kinds, [Side(one, np.repeat(foretold, one.shape[1], axis=1)) for one in again]))
        of_days = np.minimum(of_days, of_cards)  # cards are measured on days, too
    else:
        of_days = of_cards
    of_days = np.where([row.state for row in rows], of_cards, of_days)
    steps = [int(_parted(row, ids, table)) for row in rows]
    found = {n: Reach(float(d), float(c), s) for n, d, c, s in zip(names, of_days, of_cards, steps, strict=True)}
    middle = {kind: median(of_days[kinds == kind].tolist()) for kind in set(kinds.tolist())}
    return Learnt(len(ids), found, count, middle, apart)


@cache
def learnt(top: Path | None = None) -> Learnt:
    return learn(read(top or root()))


def widened(e: Estimate, day: float, steps: int = 0) -> Estimate:
    """What the archive does not know and what runs differ by, both independent. steps: of a bracket, at the least."""
    if e.bracket:
        return _wider_bracket(e, day, steps)
    if e.low is None or e.high is None or e.low <= 0:
        return e
    low, high = (math.hypot(math.log(end / e.value), day) for end in (e.low, e.high))
    return replace(e, low=e.value * math.exp(-low), high=e.value * math.exp(high))


def _wider_bracket(e: Estimate, day: float, steps: int) -> Estimate:
    """By whole steps, each the ratio of its ends; of one from 0 on, a doubling. One with an open end has none."""
    if e.low is None or e.high is None:
        return e
    ratio = e.high / e.low if e.low else 2.0
    wider = ratio ** max(steps, round(day / math.log(ratio)) if e.low else 0)
    return replace(e, low=e.low / wider, high=e.high * wider)
