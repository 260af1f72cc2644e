"""What a claim depends on: the fewest axes by whose values the cases inside its bounds part from those outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from ..archive.params import ordered

MOST_AXES = 3  # that part the cases cleanly; where it takes more, two are named that part most of them
MOST_VARIED = 12  # as many axes as a probe may have


@dataclass
class Split:
    """Values of the axes, a tuple each, where the claim holds, and where it does not. astray: cases that are on the
    other side than most at their values; where there are as many of both kinds, the claim does not hold."""

    axes: tuple[str, ...]
    inside: list[tuple]
    outside: list[tuple]
    astray: int


def _rank(value) -> tuple:
    return (isinstance(value, str), 0 if isinstance(value, str) else value, str(value))


def _by(axes: tuple[str, ...], inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    counts: dict[tuple, list[int]] = {}
    for side, rows in enumerate((inside, outside)):
        for row in rows:
            counts.setdefault(tuple(row.get(axis, "") for axis in axes), [0, 0])[side] += 1
    values = sorted(counts, key=lambda values: [_rank(value) for value in values])
    good = [value for value in values if counts[value][0] > counts[value][1]]
    bad = [value for value in values if counts[value][0] <= counts[value][1]]
    return Split(axes, good, bad, sum(map(min, counts.values())))


def _turns(split: Split) -> int:
    """How many turns there are from one side to the other along the values of one axis of numbers: one is a limit."""
    values = [value for (value,) in split.inside + split.outside] if len(split.axes) == 1 else []
    if not values or any(isinstance(value, str) for value in values):
        return 1
    sides = [(value,) in split.inside for value in ordered(values)]
    return sum(a != b for a, b in pairwise(sides))


def _cost(split: Split) -> tuple[int, int, int]:
    return split.astray, _turns(split), len(split.inside) + len(split.outside)


def split(inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    """From the params of both kinds of cases, of which there is one each at the least."""
    rows = [*inside, *outside]
    varied = [axis for axis in rows[0] if len({row.get(axis) for row in rows}) > 1][:MOST_VARIED]
    best = []
    for count in range(min(len(varied), MOST_AXES) + 1):
        best.append(min((_by(axes, inside, outside) for axes in combinations(varied, count)), key=_cost))
        if not best[-1].astray:
            return best[-1]
    return best[min(len(best) - 1, 2)]
