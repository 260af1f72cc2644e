"""Any probe, from its axes alone: a panel per sweep, along x the number with the most values, a line per combination
of the choices. Axes that would take too many lines make further panels."""

from dataclasses import dataclass
from functools import partial
from math import prod

from ...archive.cases import Point
from ...archive.params import ordered
from ...call.grouped import grouped
from ...call.number_text import counted, number
from . import scales
from .look import Source
from .pen import Panel, Pen

MOST_LINES, MOST_PANELS, MOST_BARS = 6, 4, 24


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


def split(points: list[Point], x: str, *by: str) -> list[Series]:
    """One series per combination of the `by` axes, each in the order of x; keys in order of value."""
    along = (point for point in points if isinstance(point.params.get(x), int))
    groups = grouped(along, lambda point: tuple(point.params.get(axis) for axis in by))
    order = [{v: i for i, v in enumerate(ordered(key[n] for key in groups))} for n in range(len(by))]
    keys = sorted(groups, key=lambda key: [order[n][v] for n, v in enumerate(key)])
    return [Series(dict(zip(by, key, strict=True)), sorted(groups[key], key=lambda p: p.params[x])) for key in keys]


def words(source: Source, point: Point) -> str:
    """What the number of a case is."""
    per = source.archive.per(point.probe, point.metric)
    unit = {"cycles": "SM cycles"}.get(point.unit, point.unit)
    return f"{unit} per {per}" if per else f"{point.metric.rpartition('_')[0].replace('_', ' ')} ({unit})"


def finding(source: Source) -> str:
    points = source.points
    low, high = (end(points, key=lambda p: p.value) for end in (min, max))
    unit = words(source, low)
    if len(points) == 1:
        return f"{points[0].probe}: {number(low.value, 3)} {unit}"
    if low.metric != high.metric:
        return f"{low.probe}: {counted(len(points), 'case')}"
    return f"{low.probe}: {counted(len(points), 'case')} of {number(low.value, 3)} to {number(high.value, 3)} {unit}"


def question(sources: list[Source]) -> str:
    points = [p for s in sources for p in s.points]
    over = ", ".join(dict.fromkeys(part.x for part in _parts(points)))
    return f"{points[0].probe}: " + (f"how does cost vary with {over}?" if over else "what does each case cost?")


@dataclass
class Part:
    """The cases of one panel."""

    sweep: str
    metric: str
    x: str
    lines: list[str]
    where: dict

    def of(self, points: list[Point]) -> list[Point]:
        return pick([p for p in points if (p.sweep, p.metric) == (self.sweep, self.metric)], **self.where)

    @property
    def title(self) -> str:
        return ", ".join([f"sweep {self.sweep}", *(f"{axis} {value}" for axis, value in self.where.items())])


def _parts(points: list[Point]) -> list[Part]:
    """All panels that the sweeps ask for, those with the most cases first."""
    found = []
    for sweep, metric in dict.fromkeys((p.sweep, p.metric) for p in points):
        mine = [p for p in points if (p.sweep, p.metric) == (sweep, metric)]
        axes = {axis: values(mine, axis) for axis in dict.fromkeys(axis for p in mine for axis in p.params)}
        numbers = [a for a, v in axes.items() if len(v) > 1 and not any(isinstance(value, str) for value in v)]
        x = max(numbers, key=lambda a: len(axes[a]), default=None)
        if x is None:
            continue
        lines, panels = [], [Part(sweep, metric, x, [], {})]
        # Choices before numbers, short axes before long ones: lines for as many as there is room, panels for the rest.
        rest = [a for a, v in axes.items() if len(v) > 1 and a != x]
        for axis in sorted(rest, key=lambda a: (a in numbers, len(axes[a]))):
            if prod(len(axes[a]) for a in [*lines, axis]) <= MOST_LINES:
                lines.append(axis)
            else:
                panels = [Part(sweep, metric, x, [], p.where | {axis: v}) for p in panels for v in axes[axis]]
        found += [Part(sweep, metric, x, lines, p.where) for p in panels if len(values(p.of(mine), x)) > 1]
    return sorted(found, key=lambda panel: -len(panel.of(points)))


def _lines(pen: Pen, part: Part) -> None:
    labels = [s.label for s in split(part.of([p for s in pen.sources for p in s.points]), part.x, *part.lines)]
    drawn = []
    for source in pen.sources:
        for series in split(part.of(source.points), part.x, *part.lines):
            pen.plot(source, series.points, part.x, label=series.label, index=labels.index(series.label), law="default")
            drawn += series.points
    xs, ys = [p.params[part.x] for p in drawn], [p.value for p in drawn]
    across, up = scales.linear, scales.zero
    if min(xs) > 0 and part.x in drawn[0].byte_axes:
        across = scales.sizes
    elif min(xs) > 0 and max(xs) / min(xs) > 64:
        across = scales.counts
    if min(ys) > 0 and max(ys) / min(ys) > 50:
        up = scales.log10
    first = next(s for s in pen.sources if part.of(s.points))
    pen.axes(part.title, part.x, words(first, drawn[0]), across, up)


def _bars(pen: Pen, metric: str, names: list[str]) -> None:
    """No number varies: one bar per case."""
    rows = [(p.label, s, p, 0) for s in pen.sources for p in s.points if p.metric == metric and p.label in names]
    pen.bars(sorted(rows, key=lambda row: names.index(row[0])))
    pen.axes("", f"{words(rows[0][1], rows[0][2])}, {rows[0][2].better} is better", "", scales.zero, None)


def panels(sources: list[Source]) -> list[Panel]:
    points = [p for s in sources for p in s.points]
    parts = _parts(points)
    if parts:
        return [Panel(partial(_lines, part=part)) for part in parts[: 2 * MOST_PANELS]]
    names = {
        m: [*dict.fromkeys(p.label for p in points if p.metric == m)] for m in dict.fromkeys(p.metric for p in points)
    }
    return [
        Panel(partial(_bars, metric=metric, names=labels[:MOST_BARS]), wide=True) for metric, labels in names.items()
    ]
