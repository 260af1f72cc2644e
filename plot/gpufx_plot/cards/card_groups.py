"""Groups of cards that differ from the others: a rack, a host, a driver, a setting.

Of many groups of a kind, such as racks, each is judged against the others by its middle card, as one card is against
other cards. Of two or three, such as drivers, what such groups differ by is unknown: the median of a group is compared
with that of all other cards; its error is that of two medians, from the spread from card to card."""

from dataclasses import dataclass, replace

import numpy as np

from ..call.grouped import grouped
from ..statistics.rules import MEDIAN_ERROR
from ..statistics.spread import middle
from ..statistics.student import above
from ..statistics.verdicts import discoveries
from .card_table import Cards
from .judge import Judged, judge, learn

FEWEST = 3  # cards of a group, and of the others
FEWEST_GROUPS = 4  # of a kind, to estimate what such groups differ by
LARGEST = 0.5  # share of the cards in a group; a larger one is the rest of the fleet
GROUP_MARGIN = 0.005  # half of a card's: the median of a group is known better
GROUP_FALSE_SHARE = 0.01  # a quarter of that of cards, since a group's shift is subtracted from its cards
ALIKE = 0.3  # relative difference of two shifts that count as one


@dataclass(frozen=True)
class Group:
    """names: what its cards have in common that the others have not, such as "label rack = r7"."""

    names: tuple[str, ...]
    cards: np.ndarray  # bool
    quantity: int
    away: float  # of the logarithms
    p: float
    surely: bool = False  # no healthy one of many groups is so far off

    @property
    def count(self) -> int:
        return int(self.cards.sum())


def candidates(cards: Cards) -> list[tuple[str, tuple[str, ...], np.ndarray]]:
    """Groups of kinds with few groups, of at least FEWEST cards with as many others, each set of cards once: the kind,
    names, cards."""
    found: dict[bytes, tuple[str, list[str], np.ndarray]] = {}
    for name, values in cards.groups.items():
        known = sorted(set(values) - {""})
        for value in known if len(known) <= FEWEST_GROUPS else ():
            mine = values == value
            if FEWEST <= mine.sum() <= (values != "").sum() - FEWEST:
                found.setdefault(mine.tobytes(), (name, [], mine))[1].append(f"{name} = {value}")
    return [(kind, tuple(names), mine) for kind, names, mine in found.values()]


def groups(cards: Cards, judged: Judged) -> list[Group]:
    """All groups that differ, each once, in no order; of nested groups with one shift, the outer one."""
    found = [*of_few(cards), *of_many(cards, judged)]
    return outermost([*{(one.quantity, one.cards.tobytes()): one for one in found}.values()])


def of_many(cards: Cards, judged: Judged) -> list[Group]:
    """Racks, hosts and other kinds with many groups; groups of the same cards are merged."""
    every = sorted((g for name in cards.groups for g in _of_kind(cards, judged, name)), key=lambda g: g.p)
    alike = grouped(every, lambda one: (one.quantity, one.cards.tobytes())).values()
    return [replace(of[0], names=tuple(name for one in of for name in one.names)) for of in alike]


def _of_kind(cards: Cards, judged: Judged, name: str) -> list[Group]:
    labels = np.asarray(cards.groups[name])
    sets = [(value, labels == value) for value in sorted(set(labels) - {""})]
    sets = [(value, mine) for value, mine in sets if FEWEST <= mine.sum() <= LARGEST * len(labels)]
    if len(sets) < FEWEST_GROUPS:
        return []
    count = np.array([np.isfinite(judged.away[mine]).sum(axis=0) for _, mine in sets])
    middles = np.array([middle(judged.away[mine].T) for _, mine in sets])
    own = MEDIAN_ERROR * judged.spread / np.sqrt(np.maximum(count, 1))
    middles[count < FEWEST] = np.nan
    found = judge(Cards([value for value, _ in sets], cards.quantities, np.asarray(cards.better), middles, own))
    return [
        Group((f"{name} = {sets[g][0]}",), sets[g][1], q, found.away[g, q], found.p[g, q], bool(found.sick[g, q]))
        for g, q in np.argwhere(found.sick | (found.shared > 0)).tolist()
    ]


def outermost(groups: list[Group]) -> list[Group]:
    """Drop groups inside another one with the same shift, such as the hosts of a rack."""

    def told_by(group: Group, larger: Group) -> bool:
        inside = group.cards.sum() < larger.cards.sum() and not (group.cards & ~larger.cards).any()
        alike = abs(group.away - larger.away) <= ALIKE * abs(larger.away)
        return inside and alike and group.quantity == larger.quantity

    return [group for group in groups if not any(told_by(group, larger) for larger in groups)]


def without(logs: np.ndarray, groups: list[Group]) -> np.ndarray:
    """Subtract the shifts of groups from their cards' logarithms; of groups that share cards, that of the least p."""
    cleared, done = logs.copy(), np.zeros(logs.shape, dtype=bool)
    for group in sorted(groups, key=lambda one: one.p):
        mine = group.cards & ~done[:, group.quantity]
        cleared[mine, group.quantity] -= group.away
        done[mine, group.quantity] = True
    return cleared


def of_few(cards: Cards) -> list[Group]:
    """Kinds with two or three groups. Of each quantity the plainest group counts, then the plainest of what is left
    without its shift: a slow one of three racks makes the other two no fast ones."""
    tried, left = candidates(cards), cards
    found: dict[tuple, Group] = {}
    while tried:
        new = {_sides(one): one for one in _once(cards, _differing(left, tried)) if _sides(one) not in found}
        if not new:
            break
        found |= new
        left = replace(left, logs=without(left.logs, list(new.values())))
    return list(found.values())


def _differing(cards: Cards, tried: list[tuple[str, tuple[str, ...], np.ndarray]]) -> list[Group]:
    """Groups whose median differs from that of all other cards by more than chance explains."""
    inside = {kind: _inside(cards, kind) for kind, *_ in tried}
    rows, ps, off = [], [], []
    for kind, names, mine in tried:
        spread, freedom = inside[kind]
        sides = cards.logs[mine], cards.logs[~mine]
        (ours, n), (theirs, m) = ((middle(logs.T), np.isfinite(logs).sum(axis=0)) for logs in sides)
        error = MEDIAN_ERROR * spread * np.sqrt(1 / np.maximum(n, 1) + 1 / np.maximum(m, 1))
        away = ours - theirs
        enough = (n >= FEWEST) & (m >= FEWEST) & np.isfinite(away) & (error > 0)
        t = np.where(enough, np.abs(away) / np.where(enough, error, 1), 0)
        rows.append((names, mine, away))
        ps.append(np.where(enough, 2 * above(t, freedom), 1.0))
        off.append(enough & (np.abs(away) >= GROUP_MARGIN))
    p = np.array(ps)
    chosen = (discoveries(p.ravel(), GROUP_FALSE_SHARE)).reshape(p.shape) & np.array(off)
    return [Group(rows[i][0], rows[i][1], int(j), float(rows[i][2][j]), float(p[i, j])) for i, j in np.argwhere(chosen)]


def _inside(cards: Cards, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The spread from card to card inside the groups of a kind, and its degrees of freedom. That of all cards would
    hide a difference of two halves, since it has that in it."""
    values, logs = cards.groups[kind], cards.logs.copy()
    for value in set(values):
        logs[values == value] -= middle(logs[values == value].T)
    healthy = learn(replace(cards, logs=logs))
    freedom = np.maximum(np.isfinite(logs).sum(axis=0) - len(set(values)), 1.0)
    return healthy.spread * np.sqrt(1 + (len(set(values)) - 1) / freedom), np.minimum(healthy.freedom, freedom)


def _sides(group: Group) -> tuple[int, bytes]:
    """The quantity, and the two parts of the fleet."""
    return group.quantity, min(group.cards.tobytes(), (~group.cards).tobytes())


def _once(cards: Cards, found: list[Group]) -> list[Group]:
    """Of each quantity the plainest group; of two that make up the fleet the smaller one, of equal ones the worse."""
    of_each = grouped(found, lambda one: one.quantity)
    return [min(of, key=lambda one: (one.p, one.count, cards.better[q] * one.away)) for q, of in of_each.items()]
