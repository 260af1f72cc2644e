"""What a claim depends on: the fewest axes by whose values the cases inside its bounds part from those outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from .model import ordered

MOST_AXES = 4  # that a split is looked for on; beyond them it is told by all that differ
MOST_VARIED = 12  # as many axes as a probe may have


@dataclass
class Split:
    """Values of the axes, a tuple each, where the claim holds and where it does not; mixed: where some cases are on
    either side, though all that names a case is the same."""

    axes: tuple[str, ...]
    inside: list[tuple]
    outside: list[tuple]
    mixed: list[tuple]


def _rank(value) -> tuple:
    return (isinstance(value, str), 0 if isinstance(value, str) else value, str(value))


def _by(axes: tuple[str, ...], inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    sides = [{tuple(row.get(axis, "") for axis in axes) for row in rows} for rows in (inside, outside)]
    mixed = sides[0] & sides[1]
    parts = (sides[0] - mixed, sides[1] - mixed, mixed)
    return Split(axes, *(sorted(part, key=lambda values: [_rank(v) for v in values]) for part in parts))


def _turns(split: Split) -> int:
    """How many turns there are from one side to the other along the values of one axis of numbers: one is a limit."""
    values = [value for (value,) in split.inside + split.outside] if len(split.axes) == 1 else []
    if not values or any(isinstance(value, str) for value in values):
        return 1
    sides = [(value,) in split.inside for value in ordered(values)]
    return sum(a != b for a, b in pairwise(sides))


def _cost(split: Split) -> tuple[int, int, int]:
    return len(split.mixed), _turns(split), len(split.inside) + len(split.outside)


def split(inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    """From the params of both kinds of cases, of which there is one each at the least."""
    rows = [*inside, *outside]
    varied = [axis for axis in rows[0] if len({row.get(axis) for row in rows}) > 1]
    for count in range(1, min(len(varied), MOST_AXES) + 1):
        best = min((_by(axes, inside, outside) for axes in combinations(varied[:MOST_VARIED], count)), key=_cost)
        if not best.mixed:
            return best
    return _by(tuple(varied), inside, outside)
