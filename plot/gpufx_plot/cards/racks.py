"""Groups of cards that are off together: a rack, a host, a driver. What all cards of a rack share is the rack's fault.

The middle card of each group is held against those of the other groups of its kind, whose own spread, by median
absolute deviation, says what racks differ by; Student's tail, and Bonferroni over groups and quantities.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..statistics.rules import MAD, MEDIAN_ERROR
from ..statistics.spread import LEAST, middle
from ..statistics.student import above
from .judge import FEW_FREEDOM, MARGIN, Judged, Table, worse

FEWEST_CARDS, FEWEST_GROUPS = 3, 4
MANY_GROUPS, MANY_FREEDOM = 30, 15.0
LARGEST = 0.5  # share of the cards: a larger group is what the others are held against
CHANCE = 0.01  # that any group of a fleet is called off where none is


class Grouped(Table, Protocol):
    groups: dict[str, np.ndarray]


@dataclass(frozen=True)
class Off:
    """One group that is off in one quantity."""

    group: str  # rack
    value: str  # r12
    quantity: str
    place: int  # of the quantity
    members: np.ndarray  # places of the cards
    away: float  # logarithm, against the other groups
    p: float  # over all groups and quantities


def off(cards: Grouped, judged: Judged) -> list[Off]:
    """Worst first."""
    found = []
    for name in cards.groups:
        found += _of_kind(cards, judged, name)
    return sorted(found, key=lambda one: one.p)


def _of_kind(cards: Grouped, judged: Judged, name: str) -> list[Off]:
    labels = np.asarray(cards.groups[name])
    values, index = np.unique(labels, return_inverse=True)
    members = [np.flatnonzero(index == i) for i in range(len(values))]
    usable = [
        i for i, of in enumerate(members) if values[i] and FEWEST_CARDS <= len(of) <= LARGEST * len(labels)
    ]  # without a label: no group
    if len(usable) < FEWEST_GROUPS:
        return []
    middles = np.array([middle(judged.away[members[i]].T) for i in usable])
    count = np.array([np.isfinite(judged.away[members[i]]).sum(axis=0) for i in usable])
    centre = middle(middles.T)
    own = MEDIAN_ERROR * judged.spread / np.sqrt(np.maximum(count, 1))
    between = np.fmax(MAD * middle(np.abs(middles - centre).T), LEAST)
    error = np.sqrt(np.maximum(between**2, own**2))
    away = middles - centre
    freedom = MANY_FREEDOM if len(usable) >= MANY_GROUPS else FEW_FREEDOM
    bad = worse(np.asarray(cards.better), away)
    known = np.isfinite(bad) & (count >= FEWEST_CARDS) & np.isfinite(error)
    p = np.where(known, above(np.nan_to_num(bad / error), np.full(bad.shape, freedom)), 1.0)
    p = np.minimum(p * np.where(np.asarray(cards.better) == 0, 2, 1) * max(int(known.sum()), 1), 1.0)
    chosen = known & (p < CHANCE) & (bad >= MARGIN)
    return [
        Off(name, str(values[usable[g]]), cards.quantities[q], q, members[usable[g]], float(away[g, q]), float(p[g, q]))
        for g, q in np.argwhere(chosen).tolist()
    ]
