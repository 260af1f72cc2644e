"""From points to lines: picks cases by their params and splits them into series by the axes that vary."""

from collections import Counter
from dataclasses import dataclass

from ..model import Point, ordered
from .style import Canvas, Source


@dataclass
class Series:
    """Points along one axis that agree in all other axes named in `key`."""

    key: dict
    points: list[Point]

    @property
    def label(self) -> str:
        return ", ".join(f"{axis} {value}" for axis, value in self.key.items())


def pick(points: list[Point], **wanted) -> list[Point]:
    """Points whose params have these values. A list or tuple means any of them; an axis that a point lacks rejects."""

    def fits(point: Point) -> bool:
        return all(
            point.params.get(axis) in value if isinstance(value, list | tuple) else point.params.get(axis) == value
            for axis, value in wanted.items()
        )

    return [point for point in points if fits(point)]


def values(points: list[Point], axis: str) -> list:
    return ordered(p.params[axis] for p in points if axis in p.params)


def usual(points: list[Point], *axes: str) -> list[Point]:
    """Keeps the commonest value of each axis: a sweep over one axis leaves the others at rest."""
    for axis in axes:
        found = Counter(p.params[axis] for p in points if axis in p.params)
        if len(found) > 1:
            points = pick(points, **{axis: found.most_common(1)[0][0]})
    return points


def split(points: list[Point], x: str, *by: str) -> list[Series]:
    """One series per combination of the `by` axes, each in the order of x; keys in order of value."""
    groups: dict[tuple, list[Point]] = {}
    for point in points:
        if isinstance(point.params.get(x), int):
            groups.setdefault(tuple(point.params.get(axis) for axis in by), []).append(point)
    order = [{v: i for i, v in enumerate(ordered(key[n] for key in groups))} for n in range(len(by))]
    keys = sorted(groups, key=lambda key: [order[n][v] for n, v in enumerate(key)])
    return [Series(dict(zip(by, key, strict=True)), sorted(groups[key], key=lambda p: p.params[x])) for key in keys]


def plot(c: Canvas, ax, source: Source, series: Series, x: str, look: dict, label: str, law: bool = True):
    """Draws one series: the law as a thin line where it makes a claim, the measured points over it, and the range
    over the launches as a bar where it is wide enough to be seen."""
    points = series.points
    xs, ys = [p.params[x] for p in points], [p.value for p in points]
    laws = [source.predicted(p) for p in points] if law else []
    claimed = [value for value in laws if value is not None]
    # With a law on the page the points stand alone over it; without one a line leads the eye.
    line = "none" if len(claimed) > 1 else look["linestyle"]
    style = {"markersize": 3.8, "linewidth": 1.2, "markeredgewidth": 0.6} | look | {"linestyle": line}
    if claimed:
        thin = {k: v for k, v in look.items() if k in ("color", "linestyle", "drawstyle")} | {"linewidth": 0.9}
        ax.plot(xs, [float("nan") if v is None else v for v in laws], **thin)
    ax.plot(xs, ys, **style)
    for place, point in zip(xs, points, strict=True):
        if point.spread[1] - point.spread[0] > 0.02 * abs(point.value):
            ax.plot([place, place], point.spread, color=look["color"], linewidth=1.0, alpha=0.6)
    c.key(label, **style | {"linestyle": "-" if line == "none" else line, "drawstyle": "default"})
