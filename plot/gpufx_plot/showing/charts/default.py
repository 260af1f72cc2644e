"""Any probe, from its axes alone: a panel per sweep, along x the number with the most values, a line per combination of
what else varies, where these are few, else marks. A probe of which no number varies has bars."""

from functools import partial

from ...archive.cases import Point
from ...call.grouped import grouped
from ...call.number_text import counted, number
from . import scales
from .look import Source
from .pen import Panel, Pen

MOST_LINES, MOST_PANELS, MOST_BARS = 6, 8, 24


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
    over = ", ".join(dict.fromkeys(x for _, x in _parts(points)))
    return f"{points[0].probe}: " + (f"how does cost vary with {over}?" if over else "what does each case cost?")


def _varied(points: list[Point]) -> dict[str, set]:
    axes = dict.fromkeys(axis for p in points for axis in p.params)
    seen = {axis: {p.params[axis] for p in points if axis in p.params} for axis in axes}
    return {axis: values for axis, values in seen.items() if len(values) > 1}


def _parts(points: list[Point]) -> list[tuple[tuple[str, str], str]]:
    """The sweeps and metrics with their x, those with the most cases first."""
    found = []
    for part, mine in sorted(grouped(points, _part).items(), key=lambda of: -len(of[1])):
        numbers = {x: len(of) for x, of in _varied(mine).items() if not any(isinstance(v, str) for v in of)}
        found += [(part, max(numbers, key=numbers.__getitem__))] if numbers else []
    return found


def _part(point: Point) -> tuple[str, str]:
    return point.sweep, point.metric


def _lines(pen: Pen, part: tuple[str, str], x: str) -> None:
    mine = [[p for p in s.points if _part(p) == part and isinstance(p.params.get(x), int)] for s in pen.sources]
    drawn = [p for of in mine for p in of]
    others = [axis for axis in _varied(drawn) if axis != x]

    def label(p: Point) -> str:
        return ", ".join(f"{axis} {p.params[axis]}" for axis in others if axis in p.params)

    labels = [*dict.fromkeys(map(label, drawn))]
    few = len(labels) <= MOST_LINES
    for source, of in zip(pen.sources, mine, strict=True):
        for name, cases in grouped(of, label if few else lambda _: "").items():
            law = "default" if few else ""
            pen.plot(source, cases, x, label=name, index=labels.index(name) if few else 0, law=law, join=few)
    xs, ys = [p.params[x] for p in drawn], [p.value for p in drawn]
    across, up = scales.linear, scales.zero
    if min(xs) > 0 and x in drawn[0].byte_axes:
        across = scales.sizes
    elif min(xs) > 0 and max(xs) / min(xs) > 64:
        across = scales.counts
    if min(ys) > 0 and max(ys) / min(ys) > 50:
        up = scales.log10
    first = next(s for s, of in zip(pen.sources, mine, strict=True) if of)
    pen.axes(f"sweep {part[0]}", x, words(first, drawn[0]), across, up)


def _bars(pen: Pen, metric: str, names: list[str]) -> None:
    """No number varies: one bar per case."""
    rows = [(p.label, s, p, 0) for s in pen.sources for p in s.points if p.metric == metric and p.label in names]
    pen.bars(sorted(rows, key=lambda row: names.index(row[0])))
    pen.axes("", f"{words(rows[0][1], rows[0][2])}, {rows[0][2].better} is better", "", scales.zero, None)


def panels(sources: list[Source]) -> list[Panel]:
    points = [p for s in sources for p in s.points]
    if parts := _parts(points):
        return [Panel(partial(_lines, part=part, x=x)) for part, x in parts[:MOST_PANELS]]
    found = []
    for metric, of in grouped(points, lambda p: p.metric).items():
        names = [*dict.fromkeys(p.label for p in of)]
        found.append(Panel(partial(_bars, metric=metric, names=names[:MOST_BARS]), wide=True))
    return found
