"""From points to lines: picks cases by their params and splits them into series by the axes that vary."""

from collections import Counter
from dataclasses import dataclass

from ..model import Point, ordered
from .style import Canvas, Source, panel_key


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


def plot(
    c: Canvas, ax, source: Source, series: Series, x: str, look: dict, label: str, law="default", rate=False, own=False
):
    """Draws one series: the law as a line under the measured points where it makes a claim, else a line from point to
    point; and the range over the processes as a bar where it is wide enough to be seen.

    law: how its line is drawn ("default" from point to point, "steps-mid" as a staircase, "ticks" as a dash at each
    point), None for no law.
    own: the label goes into the panel's legend instead of the figure's.
    rate: draws useful GB/s instead of the value; a law of costs is none of rates."""
    points = [p for p in series.points if p.gbps] if rate else series.points
    xs, ys = [p.params[x] for p in points], [p.gbps if rate else p.value for p in points]
    laws = [source.predicted(p) if law and not rate else None for p in points]
    style = {"markersize": 3.8, "linewidth": 1.2} | look
    if sum(value is not None for value in laws) > 1:
        style["linestyle"] = "none"
        line = c.law_look(source) | {"drawstyle": law}
        if law == "ticks":
            line |= {"drawstyle": "default", "linestyle": "none", "marker": "_", "markersize": 9, "zorder": 3}
        ax.plot(xs, [float("nan") if v is None else v for v in laws], **line)
        law = "t0 + V/B" if points[0].law == "bytes" else "a + b × count"
        c.key(f"the law: {law}, as fitted", **c.law_look(source))
    ax.plot(xs, ys, **style)
    for place, point, y in zip(xs, points, ys, strict=True):
        low, high = point.spread
        if high - low > 0.03 * abs(point.value):
            if rate and low <= 0:
                continue  # a time of zero has no rate
            ends = [y * point.value / high, y * point.value / low] if rate else [low, high]
            ax.plot([place, place], ends, color=look["color"], linewidth=1.0, alpha=0.6)
    if not own:
        c.key(label, **style)
    else:
        panel_key(ax, label, **style)
