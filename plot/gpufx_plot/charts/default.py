"""Any probe, from its axes alone: a panel per sweep, along x the number with the most values, a line per combination
of the choices. Axes that would take too many lines make further panels; what finds no room is told in the caption."""

from dataclasses import dataclass
from functools import partial
from math import prod

from matplotlib.ticker import MaxNLocator

from ..model import Point
from .series import pick, plot, split, values
from .style import binary, bytes_axis, canvas, decorate, finish, from_zero, legend_above, log2_axis, log10_axis, tiled

MOST_LINES, MOST_PANELS, MOST_DOTS = 8, 6, 30


@dataclass
class Panel:
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


def _panels(points: list[Point]) -> list[Panel]:
    """All panels that the sweeps ask for, those with the most cases first."""
    found = []
    for sweep, metric in dict.fromkeys((p.sweep, p.metric) for p in points):
        mine = [p for p in points if (p.sweep, p.metric) == (sweep, metric)]
        axes = {axis: values(mine, axis) for p in mine for axis in p.params}
        numbers = [a for a, v in axes.items() if len(v) > 1 and not any(isinstance(value, str) for value in v)]
        x = max(numbers, key=lambda a: len(axes[a]), default=None)
        if x is None:
            continue
        lines, panels = [], [Panel(sweep, metric, x, [], {})]
        # Choices before numbers, short axes before long ones: lines for as many as eight allow, panels for the rest.
        rest = [a for a, v in axes.items() if len(v) > 1 and a != x]
        for axis in sorted(rest, key=lambda a: (a in numbers, len(axes[a]))):
            if prod(len(axes[a]) for a in [*lines, axis]) <= MOST_LINES:
                lines.append(axis)
            else:
                panels = [Panel(sweep, metric, x, [], p.where | {axis: v}) for p in panels for v in axes[axis]]
        found += [Panel(sweep, metric, x, lines, p.where) for p in panels if len(values(p.of(mine), x)) > 1]
    return sorted(found, key=lambda panel: -len(panel.of(points)))


def _lines(c, ax, panel):
    labels = [s.label for s in split(panel.of([p for s in c.sources for p in s.points]), panel.x, *panel.lines)]
    drawn = []
    for source in c.sources:
        for series in split(panel.of(source.points), panel.x, *panel.lines):
            look = c.look(source, labels.index(series.label), len(labels))
            plot(c, ax, source, series, panel.x, look, series.label, own=True)
            drawn += series.points
    xs, ys = [p.params[panel.x] for p in drawn], [p.value for p in drawn]
    if min(xs) > 0 and panel.x in drawn[0].byte_axes:
        bytes_axis(ax.xaxis, xs, 7)
    elif min(xs) > 0 and max(xs) / min(xs) > 64:
        log2_axis(ax.xaxis, xs, binary)
    if min(ys) > 0 and max(ys) / min(ys) > 50:
        log10_axis(ax.yaxis, ys)
    else:
        from_zero(ax, ys)
    decorate(ax, panel.title, panel.x, panel.metric)
    legend_above(ax, 2)


def _dots(c, ax, metric, names):
    """No number varies: one dot per case."""
    for source in c.sources:
        points = [p for p in source.points if p.metric == metric and p.label in names]
        for point in points:
            place = names.index(point.label)
            ax.plot(point.spread, [place, place], color=source.colour, linewidth=2, alpha=0.5)
            ax.plot([point.value], [place], "o", color=source.colour, markersize=5)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    shown = [v for s in c.sources for p in s.points if p.metric == metric for v in (p.value, *p.spread)]
    ax.set_xlim(1.08 * min(0, *shown), 1.08 * max(0, *shown) or 1)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    first = next(p for s in c.sources for p in s.points if p.metric == metric)
    per = next((per for s in c.sources if (per := s.archive.per(first.probe, metric))), None)
    words = metric.rpartition("_")[0].replace("_", " ") or metric
    words = f"{first.unit} per {per}" if per else f"{words} ({first.unit})"
    decorate(ax, "", f"{words}, {first.better} is better", "case")
    c.note("dot: median over the processes; bar: their range, or the interval of one process's median")


def draw(sources, note=""):
    """note: why it is this figure that is drawn, for the caption."""
    points = [p for s in sources for p in s.points]
    probe, panels = points[0].probe, _panels(points)
    if not panels:
        metrics = dict.fromkeys(p.metric for p in points)
        names = {m: [*dict.fromkeys(p.label for p in points if p.metric == m)] for m in metrics}
        shown = {metric: labels[:MOST_DOTS] for metric, labels in names.items()}
        c = canvas(sources, 8, sum(0.6 + 0.3 * max(2, len(labels)) for labels in shown.values()))
        tiled(c, [partial(_dots, c, metric=metric, names=labels) for metric, labels in shown.items()], 1)
        c.notes += [note] * bool(note)
        if left := sum(map(len, names.values())) - sum(map(len, shown.values())):
            c.note(f"left out: {left} more cases")
        return finish(c, f"{probe}: what does each case cost?")
    shown = panels[:MOST_PANELS]
    columns = min(3, len(shown))
    c = canvas(sources, max(7.5, 4.6 * columns), 3.4 * -(-len(shown) // columns))
    tiled(c, [partial(_lines, c, panel=panel) for panel in shown], columns)
    c.notes += [note] * bool(note)
    seen = {id(p) for panel in shown for p in panel.of(points)}
    unseen = [p for p in points if id(p) not in seen]
    if unseen:
        c.note(f"left out: {len(unseen)} cases of the sweeps {', '.join(dict.fromkeys(p.sweep for p in unseen))}")
    if at_rest := [a for a in points[0].params if len(values(points, a)) == 1]:
        c.note("the same everywhere: " + ", ".join(f"{a} {values(points, a)[0]}" for a in at_rest))
    return finish(c, f"{probe}: how does the cost go with {', '.join(dict.fromkeys(p.x for p in shown))}?")
