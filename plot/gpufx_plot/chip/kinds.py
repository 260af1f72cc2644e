"""Kinds of cards: boards of one model that are built in different ways, with memory of two makers for instance, and
that are all healthy. Whoever holds a card against others asks here: `accept`, `fleet report`, `compare`.

The board part number tells kinds apart where archives have it. The figures tell where they don't, and whether numbers
matter at all: a kind shows in the figures of several probes, each of which falls into two groups with nothing between
them. Figures of one probe share cases and memory, so that what disturbs one disturbs the others: a probe has one vote.
A figure with a `state`, which lasts longer than an archive and not as long as a card, has none, nor has the host's."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics.rules import MAD
from ..statistics.spread import LEAST
from .definitions import OF_HOST, Definition, definitions
from .quantity_text import amount

APART = 8.0  # from the one group to the other, in standard deviations within the groups
FARTHEST = 20.0  # the same in one of them at least, if no number parts them: a change of the method does, too, by less
LEAST_SIDE = 3  # cards of a group; one, where part numbers say the same
BACKING, BACKING_SIDE = 5.0, 2  # the same two, of a quantity that need only part the cards as another does
LEAST_VOTES = 2  # probes whose figures part the cards alike
NO_NUMBERS = "without part numbers this may also be a fault of some cards"
WIDEST = 3  # gaps of a quantity that are tried
MANY = 32  # cards on a side, of which one more or less parts nothing; trying each takes minutes


def voters(names: Iterable[str], known: dict[str, Definition] | None = None) -> list[str]:
    """With which probe each quantity votes; "" where it has no vote. A quantity that nobody defines votes by itself.
    known: None, what this tree defines."""
    known = {d.id: d for d in definitions({"probes": {}})} if known is None else known
    found = ((name, known.get(name)) for name in names)
    return [name if d is None else "" if d.state or d.kind in OF_HOST else d.probe or name for name, d in found]


@dataclass(frozen=True)
class Kinds:
    """Two groups of the cards of a table. upper: those on the side of the larger figures of quantities[0]."""

    upper: np.ndarray
    numbers: list[str]  # of each card; "" where its archives have none
    quantities: list[int]  # that part the cards, the farthest apart first
    centres: np.ndarray  # [side, quantity]: logarithms
    votes: list[str]  # of each of the quantities: with which probe it votes

    @property
    def numbered(self) -> bool:
        """Whether part numbers tell the two apart."""
        return bool(_numbers_part(np.array(self.numbers, dtype=object), ~self.upper, self.upper))

    def known(self, side: bool) -> list[str]:
        """The part numbers of a side, the most frequent first."""
        found = Counter(n for n, up in zip(self.numbers, self.upper, strict=True) if n and up == side)
        return [number for number, _ in found.most_common()]

    def name(self, side: bool, quantities: Sequence[str], known: dict[str, Definition]) -> str:
        """Its part numbers, else the figure in which the kinds are farthest apart."""
        if numbers := sorted(self.known(side)):
            return " or ".join(numbers)
        name = quantities[self.quantities[0]]
        unit = known[name].unit if name in known else ""
        return f"{name} near {amount(math.exp(self.centres[int(side), 0]), unit, 3)}"

    def side(self, number: str, row: np.ndarray) -> bool | None:
        """Of one more card: by its number where a side has it, else by its figures; None where the base lacks its
        kind, or nothing tells."""
        mine = self.upper[np.array(self.numbers, dtype=object) == number] if number else []
        if len(mine):
            return bool(np.mean(mine) > 0.5)
        place = _place(row, self.quantities, self.centres, self.votes)
        if np.isnan(place):
            return None
        side = bool(place > 0.5)
        return None if number and self.known(side) else side


def _place(row: np.ndarray, quantities: Sequence[int], centres: np.ndarray, votes: Sequence[str]) -> float:
    """0 in the lower group, 1 in the upper one; by the middle vote, each by its middle quantity: a fault moves some."""
    places: dict[str, list[float]] = {}
    for vote, place in zip(votes, (row[list(quantities)] - centres[0]) / (centres[1] - centres[0]), strict=True):
        if np.isfinite(place):
            places.setdefault(vote, []).append(place)
    return float(np.median([np.median(of) for of in places.values()])) if places else float("nan")


def _numbers_part(numbers: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool | None:
    """Whether the part numbers of two groups differ; None where one of them has none."""
    below, above = set(numbers[low]) - {""}, set(numbers[high]) - {""}
    return not below & above if below and above else None


def _cut(
    column: np.ndarray, numbers: np.ndarray, apart: float = APART, side: int = LEAST_SIDE
) -> tuple[np.ndarray, float] | None:
    """Of each card its side by one quantity (-1 where it has none), and how far apart these are."""
    order = np.argsort(column)[: int(np.isfinite(column).sum())]
    values = column[order]
    gaps = np.diff(values)
    for at in np.argsort(-gaps, kind="stable")[:WIDEST]:
        low, high = order[: at + 1], order[at + 1 :]
        parted = _numbers_part(numbers, low, high)
        least = 1 if parted else side
        if parted is False or min(len(low), len(high)) < least or len(order) < 2 * LEAST_SIDE:
            continue
        away = np.concatenate([np.abs(column[of] - np.median(column[of])) for of in (low, high)])
        # The middle card of each side lies nowhere away from itself.
        within = max(MAD * float(np.median(np.sort(away)[2:])), LEAST)
        if gaps[at] >= apart * within:
            sides = np.full(len(column), -1)
            sides[low], sides[high] = 0, 1
            return sides, float(gaps[at] / within)
    return None


def _alike(one: np.ndarray, other: np.ndarray) -> int:
    """1 if both part the cards that both know alike, -1 if the other way round, 0 if not."""
    both = (one >= 0) & (other >= 0)
    if len(set(one[both])) < 2:
        return 0
    same = one[both] == other[both]
    return 1 if same.all() else -1 if not same.any() else 0


def kinds(logs: np.ndarray, numbers: Sequence[str], votes: Sequence[str], least: int = LEAST_VOTES) -> Kinds | None:
    """None where the cards are of one kind, as far as can be told: also where they would be without one of them, or
    would part otherwise. logs: [card, quantity]. numbers: of each card, "" where it is not known. votes: of each
    quantity (`voters`). least: probes that part the cards alike; of one, the widest gap counts."""
    logs, numbers = np.asarray(logs, dtype=float), np.array(numbers, dtype=object)
    whole = _parted(logs, numbers, votes, least)
    few = np.bincount(whole.upper, minlength=2)[whole.upper.astype(int)] <= MANY if whole else []
    for out in np.flatnonzero(few):
        rest = np.arange(len(logs)) != out
        if min(np.bincount(whole.upper[rest], minlength=2)) >= LEAST_SIDE:
            found = _parted(logs[rest], numbers[rest], votes, least)
            if not found or (found.upper != whole.upper[rest]).any():
                return None
    return whole


def _parted(logs: np.ndarray, numbers: np.ndarray, votes: Sequence[str], least: int) -> Kinds | None:
    voting = [q for q in range(logs.shape[1]) if votes[q]]
    cuts = {q: cut for q in voting if (cut := _cut(logs[:, q], numbers, BACKING, BACKING_SIDE))}
    firm = [q for q in cuts if _cut(logs[:, q], numbers)]
    backers = {q: [p for p in cuts if _alike(cuts[q][0], cuts[p][0])] for q in firm}

    def backed(q: int) -> tuple:
        return len({votes[p] for p in backers[q]}), len(backers[q]) * (least > 1), (cuts[q][0] >= 0).sum(), cuts[q][1]

    def far(q: int) -> float:  # how far it has to part the cards: a change of the method knows no part numbers
        sides = [cuts[q][0] == side for side in (0, 1)]
        told = _numbers_part(numbers, *sides) and min((numbers[of] != "").sum() for of in sides) >= LEAST_SIDE
        return APART if told or least == 1 else FARTHEST

    best = max((q for q in firm if max(cuts[p][1] for p in backers[q]) >= far(q)), key=backed, default=None)
    if best is None or backed(best)[0] < least:
        return None
    quantities = sorted(backers[best], key=lambda q: (-(cuts[q][0] >= 0).sum(), -cuts[q][1]))
    sides = cuts[best][0]
    if _alike(sides, cuts[quantities[0]][0]) <= 0:
        sides = np.where(sides >= 0, 1 - sides, -1)
    centres = np.array([[np.nanmedian(logs[sides == side, q]) for q in quantities] for side in (0, 1)])
    theirs = [votes[q] for q in quantities]
    places = [_place(row, quantities, centres, theirs) for row in logs]
    upper = np.where(sides >= 0, sides == 1, np.array(places) > 0.5)
    return Kinds(upper, list(numbers), quantities, centres, theirs)
