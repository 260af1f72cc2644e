"""Fleets that do not exist: cards that differ as real boards do, in hosts and racks, some with planted faults.

    PYTHONPATH=plot python tests/studies/simulate.py     prints tables of what is found

Each quantity's spread from board to board and from process to process is that of the archives in results/ (stable.py),
and each card is measured in three processes, as an acceptance of three minutes does. Of the boards' variance a
quarter is shared by a host's cards and a tenth by a rack's, which no archive can tell yet.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import rivals
from faults import SIZES, Fault, faults
from gpufx_plot import UserError
from gpufx_plot.call.program import root
from gpufx_plot.call.tables import markdown_table
from gpufx_plot.call.terminal import complain
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.card_groups import of_many, without
from gpufx_plot.cards.card_table import Cards
from gpufx_plot.cards.judge import judge
from gpufx_plot.statistics.rules import MAD
from gpufx_plot.statistics.spread import middle
from stable import Stable, stable

CARDS, FLEETS = 10_000, 40
PER_HOST, PER_RACK = 8, 32
OF_HOST, OF_RACK = 0.25, 0.10  # of the variance
SICK = 0.01
PROCESSES = 3
MOST_SPREAD = 0.25  # what differs by more from board to board is no part of an acceptance
DRIVERS = ("A", "B", "C")


@dataclass(frozen=True, kw_only=True)
class Fleet(Cards):
    """sick: which fault each card has, -1 for none."""

    sick: np.ndarray
    size: np.ndarray
    faults: Sequence[Fault] = field(default_factory=faults)


def real() -> list[Stable]:
    """By the archives in results/."""
    found, unread = boards(sorted((root() / "results").glob("sm_*/*/*.jsonl.gz")))
    for why in unread:
        complain(f"note: left out: {why}")
    return [one for one in stable(found) if one.of(PROCESSES) <= MOST_SPREAD]


def _draw(rng: np.random.Generator, shape: tuple, tails: float | None) -> np.ndarray:
    """Of variance 1."""
    if tails is None:
        return rng.standard_normal(shape)
    return rng.standard_t(tails, shape) / math.sqrt(tails / (tails - 2))


def healthy(
    known: Sequence[Stable],
    cards: int,
    rng: np.random.Generator,
    tails: float | None = None,
    processes: int = PROCESSES,
) -> Fleet:
    spread = np.array([one.board if one.process == one.process else one.spread for one in known])
    error = np.array([one.process if one.process == one.process else 0.0 for one in known]) / math.sqrt(processes)
    host, rack = np.arange(cards) // PER_HOST, np.arange(cards) // PER_RACK
    parts = (
        (np.arange(cards), 1 - OF_HOST - OF_RACK),
        (host, OF_HOST),
        (rack, OF_RACK),
    )
    logs = np.zeros((cards, len(known)))
    for index, share in parts:
        logs += math.sqrt(share) * (_draw(rng, (index[-1] + 1, len(known)), tails) * spread)[index]
    logs += _draw(rng, logs.shape, tails) * error
    groups = {
        "host": np.array([f"h{i}" for i in host]),
        "rack": np.array([f"r{i}" for i in rack]),
        "driver": np.array(DRIVERS)[host % len(DRIVERS)],
    }
    return Fleet(
        *([f"card {i}" for i in range(cards)], [one.name for one in known], np.array([one.better for one in known])),
        *(logs, np.tile(error, (cards, 1)), groups),
        **{"sick": np.full(cards, -1), "size": np.zeros(cards)},
    )


def plant(fleet: Fleet, rng: np.random.Generator, share: float = SICK) -> None:
    """One fault of one size on `share` of the cards, all equally often."""
    place = {name: q for q, name in enumerate(fleet.quantities)}
    chosen = rng.choice(len(fleet.cards), max(round(share * len(fleet.cards)), 1), replace=False)
    kinds = [(f, size) for f in range(len(fleet.faults)) for size in SIZES]
    for i, card in enumerate(chosen):
        f, size = kinds[(i + int(rng.integers(len(kinds)))) % len(kinds)]
        fleet.sick[card], fleet.size[card] = f, size
        for name, shift in fleet.faults[f].shift(size).items():
            if name in place:
                fleet.logs[card, place[name]] += shift


@dataclass
class Score:
    """What one way of judging found, over several fleets."""

    found: dict[tuple[str, float], list[int]] = field(default_factory=dict)  # (where, size): found, planted
    by_fault: dict[tuple[str, float], list[int]] = field(default_factory=dict)
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
            fault = fleet.faults[fleet.sick[card]]
            for table, key in ((self.found, fault.where), (self.by_fault, fault.id)):
                entry = table.setdefault((key, float(fleet.size[card])), [0, 0])
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


REPEATS = 0.01  # a spread from board to board that somebody may set a threshold of 5 % on


def _of_stable(way):
    """The rule, of what repeats alone: as somebody sets it who knows the spreads."""

    def judged(fleet: Fleet) -> np.ndarray:
        return way(fleet) & (MAD * middle(np.abs(fleet.logs - middle(fleet.logs.T)).T) <= REPEATS)

    return judged


WAYS = {
    "gpufx": lambda fleet: judge(fleet).sick,
    "threshold of 5 %": rivals.thresholds,
    "threshold of 5 %, of what repeats to 1 %": _of_stable(rivals.thresholds),
    "threshold of 2 %, of what repeats to 1 %": _of_stable(lambda fleet: rivals.thresholds(fleet, 0.02)),
    "3.5 median absolute deviations": rivals.deviations,
    "3.5 of these, of what repeats to 1 %": _of_stable(rivals.deviations),
}


def compete(
    known: Sequence[Stable],
    seed: int = 1,
    fleets: int = FLEETS,
    cards: int = CARDS,
    tails: float | None = None,
    processes: int = PROCESSES,
    ways: Sequence[str] = tuple(WAYS),
) -> dict[str, Score]:
    rng = np.random.default_rng(seed)
    scores = {name: Score() for name in ways}
    for _ in range(fleets):
        fleet = healthy(known, cards, rng, tails, processes)
        plant(fleet, rng)
        for name in ways:
            scores[name].add(fleet, WAYS[name](fleet))
    return scores


@dataclass(frozen=True)
class Rack:
    """A fault that one rack shares: whether the rack was found, what else was, and how many of its cards were called
    sick by themselves before and after."""

    found: bool
    others: int
    before: int
    after: int
    cards: int


def rack(known: Sequence[Stable], seed: int = 2, cards: int = CARDS, size: float = 0.05, fault: int = 0) -> Rack:
    rng = np.random.default_rng(seed)
    fleet = healthy(known, cards, rng)
    fleet = replace(fleet, groups={"rack": fleet.groups["rack"]})
    bad = str(rng.choice(fleet.groups["rack"]))
    members = fleet.groups["rack"] == bad
    place = {name: q for q, name in enumerate(fleet.quantities)}
    for name, shift in fleet.faults[fault].shift(size).items():
        if name in place:
            fleet.logs[members, place[name]] += shift
    before = judge(fleet)
    groups = of_many(fleet, before)
    after = judge(replace(fleet, logs=without(fleet.logs, groups)))
    named = {label for one in groups for label in one.names}
    bad = f"rack = {bad}"
    moved = {place[name] for name in fleet.faults[fault].moves if name in place}
    right = bad in named and any(one.quantity in moved for one in groups if bad in one.names)
    sick = [int(one.sick[members].any(axis=1).sum()) for one in (before, after)]
    return Rack(right, len(named - {bad}), *sick, int(members.sum()))


# ---- The tables ----

HERE = ("chip", "dram")


def _pct(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def ways_table(scores: dict[str, Score]) -> list[str]:
    head = ("judged by", *(f"found at {100 * s:g} %" for s in SIZES), "precision", "false, of healthy cards")
    rows = []
    for name, score in scores.items():
        false = f"1 in {1 / score.false_rate:,.0f}" if score.false_rate else "none"
        rows.append((name, *(_pct(score.recall(HERE, size)) for size in SIZES), _pct(score.precision), false))
    return markdown_table(head, rows, set(head[1:]))


def faults_table(score: Score) -> list[str]:
    head = ("fault", *(f"{100 * size:g} %" for size in SIZES))
    rows = []
    for fault in faults():
        cells = [score.by_fault.get((fault.id, size), [0, 0]) for size in SIZES]
        rows.append((fault.what, *(f"{a} of {b}" for a, b in cells)))
    return markdown_table(head, rows, set(head[1:]))


def stable_table(known: Sequence[Stable]) -> list[str]:
    rows = []
    for word in dict.fromkeys(one.word for one in sorted(known, key=lambda one: one.spread)):
        names = [one.name for one in known if one.word == word]
        rows.append((word, str(len(names)), ", ".join(names)))
    return markdown_table(("repeat from board to board", "quantities", "which"), rows)


def tables() -> dict[str, list[str]]:
    known = real()
    scores, long = compete(known), compete(known, seed=3, tails=5)
    fewer = compete(known, seed=4, processes=2, ways=("gpufx",))["gpufx"]
    racks = [rack(known, seed=10 + i, size=size, fault=0) for i, size in enumerate(SIZES[:3])]
    rack_rows = []
    for size, one in zip(SIZES, racks, strict=False):
        called = (f"{count} of {one.cards}" for count in (one.before, one.after))
        rack_rows.append((f"{100 * size:g} %", "yes" if one.found else "no", str(one.others), *called))
    rack_head = (
        "DRAM of a rack is slow by",
        "the rack is named",
        "other racks",
        "cards called sick",
        "without the rack's",
    )
    return {
        "ways": ways_table({"gpufx": scores["gpufx"], "gpufx, two processes a card": fewer} | scores),
        "long-tails": ways_table(long),
        "faults": faults_table(scores["gpufx"]),
        "racks": markdown_table(rack_head, rack_rows, set(rack_head[2:])),
        "stable": stable_table(known),
    }


def main() -> int:
    try:
        for name, lines in tables().items():
            print(f"\n{name}\n")
            print("\n".join(lines))
    except UserError as error:
        return complain(f"gpufx: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
