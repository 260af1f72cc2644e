"""Fleets that do not exist: cards that differ as real boards do, in hosts and racks, some with planted faults
(faults.json), and what the judge finds of them.

    PYTHONPATH=plot python tests/studies/simulate.py     prints a table of what is found

Each card is measured in three processes, as an acceptance of three minutes does. Of the boards' variance a quarter is
shared by a host's cards and a tenth by a rack's, which no archive can tell yet. Beside the judge stand a threshold of
5 % below the median of a first batch, as in SuperBench's rules for data diagnosis, and a modified z of more than 3.5
(Iglewicz and Hoaglin 1993, "How to Detect and Handle Outliers").
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from gpufx_plot.call.tables import markdown_table
from gpufx_plot.cards.card_table import Cards
from gpufx_plot.cards.judge import judge, worse
from gpufx_plot.statistics.rules import MAD
from gpufx_plot.statistics.spread import middle
from msgspec import Meta

CARDS, FLEETS = 10_000, 40
PER_HOST, PER_RACK = 8, 32
OF_HOST, OF_RACK = 0.25, 0.10  # of the variance
SICK = 0.01
SIZES = (0.02, 0.05, 0.10, 0.30)
BOARD, ERROR = 0.0022, 0.002 / math.sqrt(3)  # between boards, and of the mean of a card's three processes
BATCH, THRESHOLD, MODIFIED_Z = 32, 0.05, 3.5


class Fault(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A fault of 5 % takes 5 % of a rate (moves -1), or makes a time as much longer as such a rate would (1)."""

    id: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]*$")]
    what: str
    where: Literal["chip", "dram", "link", "host"]
    moves: Annotated[dict[str, Annotated[float, Meta(ge=-4, le=4)]], Meta(min_length=1)]

    def shift(self, size: float) -> dict[str, float]:
        """By how much each quantity's logarithm changes."""
        return {name: -power * math.log1p(-size) for name, power in self.moves.items()}


@cache
def faults() -> tuple[Fault, ...]:
    return tuple(msgspec.json.decode((Path(__file__).parent / "faults.json").read_bytes(), type=list[Fault]))


@dataclass(frozen=True, kw_only=True)
class Fleet(Cards):
    """sick: which fault each card has, -1 for none."""

    sick: np.ndarray
    size: np.ndarray


def healthy(cards: int, rng: np.random.Generator) -> Fleet:
    """Quantities that faults move, and twenty that none does."""
    moved = {name: int(-np.sign(power)) for fault in faults() for name, power in fault.moves.items()}
    better = moved | {f"other.q{i}": 0 for i in range(20)}
    host, rack = np.arange(cards) // PER_HOST, np.arange(cards) // PER_RACK
    logs = ERROR * rng.standard_normal((cards, len(better)))
    for index, share in ((np.arange(cards), 1 - OF_HOST - OF_RACK), (host, OF_HOST), (rack, OF_RACK)):
        logs += math.sqrt(share) * BOARD * rng.standard_normal((index[-1] + 1, len(better)))[index]
    names = [f"card {i}" for i in range(cards)]
    return Fleet(
        *(names, list(better), np.array([*better.values()]), logs, np.full(logs.shape, ERROR)),
        **{"sick": np.full(cards, -1), "size": np.zeros(cards)},
    )


def plant(fleet: Fleet, rng: np.random.Generator, share: float = SICK) -> None:
    """One fault of one size on `share` of the cards, all equally often."""
    place = {name: q for q, name in enumerate(fleet.quantities)}
    chosen = rng.choice(len(fleet.cards), max(round(share * len(fleet.cards)), 1), replace=False)
    kinds = [(f, size) for f in range(len(faults())) for size in SIZES]
    for i, card in enumerate(chosen):
        f, size = kinds[(i + int(rng.integers(len(kinds)))) % len(kinds)]
        fleet.sick[card], fleet.size[card] = f, size
        for name, shift in faults()[f].shift(size).items():
            if name in place:
                fleet.logs[card, place[name]] += shift


@dataclass
class Score:
    """What one way of judging found, over several fleets."""

    found: dict[tuple[str, float], list[int]] = field(default_factory=dict)  # (where, size): found, planted
    flagged: int = 0
    right: int = 0
    healthy: int = 0

    def add(self, fleet: Fleet, sick: np.ndarray) -> None:
        cards = sick.any(axis=1)
        planted = fleet.sick >= 0
        self.flagged += int(cards.sum())
        self.right += int((cards & planted).sum())
        self.healthy += int((~planted).sum())
        for card in np.flatnonzero(planted):
            key = (faults()[fleet.sick[card]].where, float(fleet.size[card]))
            entry = self.found.setdefault(key, [0, 0])
            entry[0] += bool(cards[card])
            entry[1] += 1

    def recall(self, where: Sequence[str], size: float) -> float:
        parts = [self.found.get((one, size), [0, 0]) for one in where]
        planted = sum(part[1] for part in parts)
        return sum(part[0] for part in parts) / planted if planted else math.nan

    @property
    def precision(self) -> float:
        return self.right / self.flagged if self.flagged else math.nan

    @property
    def false_rate(self) -> float:
        return (self.flagged - self.right) / self.healthy


def thresholds(cards: Cards) -> np.ndarray:
    away = cards.logs - middle(cards.logs[:BATCH].T)
    return worse(cards.better, away) > -math.log1p(-THRESHOLD)


def deviations(cards: Cards) -> np.ndarray:
    away = cards.logs - middle(cards.logs.T)
    return worse(cards.better, away) / (MAD * middle(np.abs(away).T)) > MODIFIED_Z


WAYS = {
    "gpufx": lambda fleet: judge(fleet).sick,
    "threshold of 5 %": thresholds,
    "3.5 median absolute deviations": deviations,
}


def compete(seed: int = 1, fleets: int = FLEETS, cards: int = CARDS) -> dict[str, Score]:
    rng = np.random.default_rng(seed)
    scores = {name: Score() for name in WAYS}
    for _ in range(fleets):
        fleet = healthy(cards, rng)
        plant(fleet, rng)
        for name, way in WAYS.items():
            scores[name].add(fleet, way(fleet))
    return scores


def main() -> int:
    head = ("judged by", *(f"found at {100 * s:g} %" for s in SIZES), "precision", "false, of healthy cards")
    rows = [
        (
            name,
            *(f"{100 * score.recall(('chip', 'dram'), size):.1f} %" for size in SIZES),
            f"{100 * score.precision:.1f} %",
            f"1 in {1 / score.false_rate:,.0f}" if score.false_rate else "none",
        )
        for name, score in compete().items()
    ]
    print("\n".join(markdown_table(head, rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
