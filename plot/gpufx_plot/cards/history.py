"""`gpufx history`: one quantity of cards over time, where it changed, and what else changed there.

What a card's figure does from one archive to the next without a cause is learnt from all cards of the chip: the median
of all such steps, which a few real changes can't drag along. A series is split where the means on both sides differ
most (binary segmentation: Scott and Knott 1974, doi:10.2307/2529204), if chance would do so in fewer than 1 of 100
whole answers, over all places and cards, and if it matters (MARGIN). A cause is told from all cards in which it
changed: a driver that moves every card by 1 % shows where no single card could show it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

import numpy as np

from ..call.text import clipped
from ..statistics.rules import MAD, MEDIAN_ERROR
from ..statistics.spread import LEAST
from ..statistics.student import above
from .card_table import FIGURES
from .dataset import ask
from .judge import MARGIN

RATE = 0.01  # how often an answer may tell of a change that is none
STEP = MAD / math.sqrt(2)  # standard deviation of one figure, in medians of absolute steps
FEW_STEPS = 5  # with fewer, the intervals of the archives are all that is known
UNSURE = 3.0  # by so much their errors are raised then: days differ by more than processes
MOST_FREEDOM = 1000.0
DAY_S, MONTH = 86400.0, 30.0
FEWEST_OF_DRIFT, SPAN_OF_DRIFT = 5, 20.0  # archives and days
CLOCK = 0.02  # by less, a clock has not changed
# What may explain a change: columns of the archives, as people call them.
FACTS = {
    "driver": "driver",
    "cuda_runtime": "CUDA runtime",
    "version": "gpufx",
    "commit": "build",
    "law_version": "law version",
    "host": "host",
    "power_limit_W": "power limit",
    "sm_max_clock_MHz": "maximum SM clock",
    "sm_clock_MHz": "SM clock",
    "memory_clock_MHz": "memory clock",
    "throttle_reasons": "throttling",
    "pcie_generation": "PCIe generation",
    "pcie_width": "PCIe width",
    "ecc": "ECC",
}
CLOCKS = ("sm_clock_MHz", "memory_clock_MHz")


@dataclass
class Series:
    """One quantity of one card, in the order of time."""

    card: str
    unit: str
    when: list[datetime] = field(default_factory=list)
    archives: list[str] = field(default_factory=list)
    logs: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    facts: list[dict] = field(default_factory=list)

    @property
    def days(self) -> np.ndarray:
        return np.array([(one - self.when[0]).total_seconds() / DAY_S for one in self.when])


@dataclass(frozen=True)
class Change:
    """at: index of the first archive that has the new level. drift: per 30 days, in place of a step."""

    series: Series
    at: int
    before: float  # logarithms
    after: float
    p: float
    causes: tuple[str, ...]
    drift: bool = False

    @property
    def away(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Cause:
    """What changed on several cards, and by how much their figures moved there."""

    text: str
    count: int
    away: float
    p: float


@dataclass(frozen=True)
class Told:
    quantity: str
    series: list[Series]
    changes: list[Change]
    causes: list[Cause]
    noise: float
    learnt: bool  # from the steps of all cards


def read(database, where: str, whose: list) -> dict[str, list[Series]]:
    """The cards' series by quantity; where, whose: which figures. Archives of the future have no place in time."""
    rows = ask(database, f"SELECT archive, {', '.join(FACTS)} FROM archives")
    facts = {archive: dict(zip(FACTS, told, strict=True)) for archive, *told in rows}
    sql = (
        f"SELECT quantity, card, unit, started_utc, archive, log, coalesce(error, 0) FROM ({FIGURES}) "
        f"WHERE month <> 'future' AND {where} ORDER BY quantity, card, unit, started_utc, archive"
    )
    found: dict[str, list[Series]] = {}
    for quantity, card, unit, when, archive, log, error in ask(database, sql, *whose):
        mine = found.setdefault(quantity, [])
        if not mine or (mine[-1].card, mine[-1].unit) != (card, unit):
            mine.append(Series(card, unit))
        one = mine[-1]
        one.when.append(when)
        one.archives.append(archive)
        one.logs.append(log)
        one.errors.append(error)
        one.facts.append(facts[archive])
    return found


def noise_of(series: list[Series]) -> tuple[float, float, bool]:
    """Standard deviation of a figure from archive to archive, its degrees of freedom, and whether it was learnt."""
    steps = [abs(b - a) for one in series for a, b in zip(one.logs, one.logs[1:], strict=False)]
    own = float(np.median([error for one in series for error in one.errors])) if series else 0.0
    if len(steps) < FEW_STEPS:
        return max(UNSURE * own, 10 * LEAST), 2.0, False
    # Of steps that all count, a median is worth a third.
    return max(STEP * float(np.median(steps)), own, LEAST), min(max(len(steps) / 3, 2.0), MOST_FREEDOM), True


def tell(quantity: str, series: list[Series]) -> Told:
    noise, freedom, learnt = noise_of(series)
    long = [one for one in series if len(one.logs) > 1]
    places = sum(len(one.logs) - 1 for one in long)
    changes = [
        change
        for one in long
        if max(one.logs) - min(one.logs) >= max(math.log1p(MARGIN), 2 * noise)
        for change in _changes(one, noise, freedom, places)
    ]
    return Told(quantity, series, changes, list(_causes(long, noise, freedom)), noise, learnt)


def _changes(one: Series, noise: float, freedom: float, places: int) -> Iterator[Change]:
    logs = np.array(one.logs)
    cuts = sorted(_cuts(logs, 0, len(logs), noise, freedom, places))
    ends = [0, *(at for at, _ in cuts), len(logs)]
    drift = list(_drift(one, logs, noise, freedom, places))
    if drift and _line_is_nearer(one.days, logs, ends, noise):
        yield from drift
        return
    for k, (at, p) in enumerate(cuts, start=1):
        before, after = logs[ends[k - 1] : at].mean(), logs[at : ends[k + 1]].mean()
        if abs(after - before) >= math.log1p(MARGIN):
            yield Change(one, at, float(before), float(after), p, differing(one.facts[at - 1], one.facts[at]))


def _line_is_nearer(days: np.ndarray, logs: np.ndarray, ends: list[int], noise: float) -> bool:
    """Than the steps, by Schwarz's criterion: a line has one figure more than a level, a step two."""
    centred = days - days.mean()
    slope = centred @ (logs - logs.mean()) / (centred @ centred)
    line = np.sum((logs - logs.mean() - slope * centred) ** 2) / noise**2 + math.log(len(logs))
    parts = (logs[i:j] for i, j in pairwise(ends))
    steps = sum(np.sum((part - part.mean()) ** 2) for part in parts) / noise**2
    return line < steps + 2 * (len(ends) - 2) * math.log(len(logs))


def _cuts(logs: np.ndarray, first: int, end: int, noise: float, freedom: float, places: int) -> list[tuple[int, float]]:
    n = end - first
    if n < 2:
        return []
    sums = np.cumsum(logs[first:end])
    k = np.arange(1, n)
    apart = sums[-1] / n  # so that large sums don't cancel
    left, right = sums[:-1] / k, (sums[-1] - sums[:-1]) / (n - k)
    t = np.abs(left - right) / (noise * np.sqrt(1 / k + 1 / (n - k)))
    best = int(np.argmax(t))
    p = float(min(2 * above(t[best : best + 1], np.array([freedom]))[0] * places, 1.0))
    if p >= RATE or abs(left[best] - right[best]) < math.log1p(MARGIN) or not math.isfinite(apart):
        return []
    at = first + best + 1
    rest = (noise, freedom, places)
    return [*_cuts(logs, first, at, *rest), (at, p), *_cuts(logs, at, end, *rest)]


def _drift(one: Series, logs: np.ndarray, noise: float, freedom: float, places: int) -> Iterator[Change]:
    """A line through all of it."""
    days = one.days
    if len(logs) < FEWEST_OF_DRIFT or days[-1] < SPAN_OF_DRIFT:
        return
    centred = days - days.mean()
    slope = float(centred @ (logs - logs.mean()) / (centred @ centred))
    t = abs(slope) / (noise / math.sqrt(float(centred @ centred)))
    p = float(min(2 * above(np.array([t]), np.array([freedom]))[0] * places, 1.0))
    if p < RATE and abs(slope) * days[-1] >= math.log1p(MARGIN):
        middle = float(logs.mean())
        yield Change(one, len(logs) - 1, middle, middle + slope * MONTH, p, (), drift=True)


def differing(old: dict, new: dict) -> tuple[str, ...]:
    """What is not as it was, in words. Another build that calls itself the same is still another one."""
    return tuple(
        _words(name, old[name], new[name]) for name in FACTS if _differs(name, old[name], new[name])
    )  # fmt: skip


def _differs(name: str, old, new) -> bool:
    if name in CLOCKS and old and new:
        return abs(old - new) > CLOCK * max(old, new)
    return old != new


def _words(name: str, old, new) -> str:
    def text(value) -> str:
        if value is None or value == "":
            return "none"
        if name == "commit":
            return str(value)[:8]
        return f"{value:g}" if isinstance(value, float) else clipped(str(value))

    return f"{FACTS[name]} {text(old)} -> {text(new)}"


def _causes(series: list[Series], noise: float, freedom: float) -> Iterator[Cause]:
    """What changed between two archives of a card, laid together over the cards."""
    steps: dict[str, list[float]] = {}
    for one in series:
        for i in range(1, len(one.logs)):
            for text in differing(one.facts[i - 1], one.facts[i]):
                steps.setdefault(text, []).append(one.logs[i] - one.logs[i - 1])
    found = []
    for text, moved in steps.items():
        away = float(np.median(moved))
        error = noise * math.sqrt(2 / len(moved)) * (MEDIAN_ERROR if len(moved) > 2 else 1.0)
        p = float(min(2 * above(np.array([abs(away) / error]), np.array([freedom]))[0] * len(steps), 1.0))
        if p < RATE and abs(away) >= math.log1p(MARGIN) / 2 and len(moved) > 1:
            found.append(Cause(text, len(moved), away, p))
    yield from sorted(found, key=lambda cause: (cause.p, -abs(cause.away)))
