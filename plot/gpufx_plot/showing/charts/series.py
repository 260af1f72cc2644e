"""From points to lines: picks cases by their params and splits them into series by the axes that vary."""

from dataclasses import dataclass

from ...archive.cases import Point
from ...archive.params import ordered
from ...call.grouped import grouped

ALIKE = 1.06  # times: lines that lie closer would hide each other


@dataclass
class Series:
    """Points along one axis that agree in all other axes named in `key`."""

    key: dict
    points: list[Point]

    @property
    def label(self) -> str:
        return ", ".join(f"{axis} {value}" for axis, value in self.key.items())


def pick(points: list[Point], **wanted) -> list[Point]:
    """Points whose params have these values; an axis that a point lacks rejects."""
    for axis, value in wanted.items():  # one after the other: the first leaves few to look at
        points = [point for point in points if point.params.get(axis) == value]
    return points if wanted else [*points]


def values(points: list[Point], axis: str) -> list:
    return ordered(p.params[axis] for p in points if axis in p.params)


def alike(one: list[Point], other: list[Point], axis: str) -> bool:
    """Whether the cases cost the same, wherever on an axis there are both."""
    costs = {p.params[axis]: p.value for p in one}
    ratios = [p.value / costs[at] for p in other if costs.get(at := p.params[axis])]
    return bool(ratios) and max(ratios) <= ALIKE and min(ratios) >= 1 / ALIKE


def split(points: list[Point], x: str, *by: str) -> list[Series]:
    """One series per combination of the `by` axes, each in the order of x; keys in order of value."""
    along = (point for point in points if isinstance(point.params.get(x), int))
    groups = grouped(along, lambda point: tuple(point.params.get(axis) for axis in by))
    order = [{v: i for i, v in enumerate(ordered(key[n] for key in groups))} for n in range(len(by))]
    keys = sorted(groups, key=lambda key: [order[n][v] for n, v in enumerate(key)])
    return [Series(dict(zip(by, key, strict=True)), sorted(groups[key], key=lambda p: p.params[x])) for key in keys]
