"""Any probe, from its axes alone: a panel per sweep, along x the number with the most values, a line per combination
of the choices. Axes that would take too many lines make further panels; what finds no room is told in the caption."""

from dataclasses import dataclass, field
from math import prod

from ..model import Point
from .series import pick, plot, split, values
from .style import binary, canvas, decorate, finish, from_zero, log2_axis, log10_axis

MOST_LINES, MOST_PANELS = 8, 6


@dataclass
class Panel:
    sweep: str
    metric: str
    x: str
    lines: list[str]
    where: dict = field(default_factory=dict)

    def of(self, points: list[Point]) -> list[Point]:
        return pick([p for p in points if (p.sweep, p.metric) == (self.sweep, self.metric)], **self.where)

    @property
    def title(self) -> str:
        return ", ".join([f"sweep {self.sweep}", *(f"{axis} {value}" for axis, value in self.where.items())])


def _axes_of(points: list[Point]) -> tuple[str | None, list[str]]:
    """The axis for x, and the others that vary: choices first, then numbers, the shorter ones first."""
    names = dict.fromkeys(axis for p in points for axis in p.params)
    several = [a for a in names if len(values(points, a)) > 1]
    numbers = [a for a in several if not any(isinstance(v, str) for v in values(points, a))]
    x = max(numbers, key=lambda a: len(values(points, a)), default=None)
    rest = sorted((a for a in several if a != x), key=lambda a: (a in numbers, len(values(points, a))))
    return x, rest


def _lines_and_panels(points: list[Point], rest: list[str]) -> tuple[list[str], list[str]]:
    """The axes told apart by lines, as many as eight lines allow; the others make panels."""
    lines: list[str] = []
    for axis in rest:
        if prod(len(values(points, a)) for a in [*lines, axis]) <= MOST_LINES:
            lines.append(axis)
    return lines, [a for a in rest if a not in lines]


def _bars(c, ax, metric):
    """No number varies: one dot per case."""
    names = [*dict.fromkeys(p.label for s in c.sources for p in s.points if p.metric == metric)]
    kept = names[:30]
    for source in c.sources:
        points = [p for p in source.points if p.metric == metric and p.label in kept]
        places = [kept.index(p.label) for p in points]
        for place, point in zip(places, points, strict=True):
            ax.plot(point.spread, [place, place], color=source.colour, linewidth=2, alpha=0.5)
        ax.plot([p.value for p in points], places, "o", color=source.colour, markersize=5)
    ax.set_yticks(range(len(kept)), kept)
    ax.set_ylim(len(kept) - 0.5, -0.5)
    ax.set_xlim(0, 1.08 * max(p.value for s in c.sources for p in s.points if p.metric == metric))
    decorate(ax, metric, metric, "")
    if len(names) > len(kept):
        c.note(f"left out: {len(names) - len(kept)} more cases")


def _draw_panel(c, ax, panel):
    every = split(panel.of([p for s in c.sources for p in s.points]), panel.x, *panel.lines)
    labels = [series.label for series in every]
    drawn = []
    for source in c.sources:
        for series in split(panel.of(source.points), panel.x, *panel.lines):
            index = labels.index(series.label)
            if index < MOST_LINES:
                look = c.look(source, index, min(MOST_LINES, len(labels)))
                plot(c, ax, source, series, panel.x, look, "")
                if source is c.sources[0]:
                    ax.plot([], [], label=series.label or None, **look, markersize=3.8)
                drawn += series.points
    if len(labels) > MOST_LINES:
        c.note(f"left out: {len(labels) - MOST_LINES} more lines of {panel.title}")
    xs, ys = [p.params[panel.x] for p in drawn], [p.value for p in drawn]
    if min(xs) > 0 and max(xs) / min(xs) > 64:
        log2_axis(ax.xaxis, xs, binary)
    if min(ys) > 0 and max(ys) / min(ys) > 50:
        log10_axis(ax.yaxis, ys)
    else:
        from_zero(ax, ys)
    decorate(ax, panel.title, panel.x, panel.metric)
    ax.title.set_fontsize(8.5)
    if ax.get_legend_handles_labels()[1]:
        frame = {"frameon": True, "framealpha": 0.8, "edgecolor": "none"}
        ax.legend(loc="best", fontsize=6.8, handlelength=1.8, labelspacing=0.25, **frame)


def _panels(points: list[Point]) -> list[Panel]:
    """All panels that the sweeps ask for, those with the most cases first."""
    found = []
    for sweep, metric in dict.fromkeys((p.sweep, p.metric) for p in points):
        start = Panel(sweep, metric, "", [])
        x, rest = _axes_of(start.of(points))
        if x is None:
            continue
        start.x = x
        start.lines, others = _lines_and_panels(start.of(points), rest)
        panels = [start]
        for axis in others:
            panels = [
                Panel(sweep, metric, x, start.lines, p.where | {axis: v})
                for p in panels
                for v in values(p.of(points), axis)
            ]
        found += panels
    found = [p for p in found if len(values(p.of(points), p.x)) > 1]
    return sorted(found, key=lambda panel: -len(panel.of(points)))


def draw(sources):
    points = [p for s in sources for p in s.points]
    metrics = [*dict.fromkeys(p.metric for p in points)]
    probe = points[0].probe
    panels = _panels(points)
    if not panels:
        rows = max(sum(p.metric == m for p in sources[0].points) for m in metrics)
        c = canvas(sources, 8, 1.6 + min(30, max(rows, 2)) * 0.3 * len(metrics))
        for ax, metric in zip(c.figure.subplots(len(metrics), 1, squeeze=False).ravel(), metrics, strict=True):
            _bars(c, ax, metric)
        return finish(c, f"{probe}: what does each case cost?")
    shown = panels[:MOST_PANELS]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    c = canvas(sources, max(7.5, 4.6 * columns), 3.4 * rows + 1.2)
    axes = c.figure.subplots(rows, columns, squeeze=False).ravel()
    for ax, panel in zip(axes, shown, strict=False):
        _draw_panel(c, ax, panel)
    for ax in axes[len(shown) :]:
        ax.set_axis_off()
    seen = {id(p) for panel in shown for p in panel.of(points)}
    unseen = [p for p in points if id(p) not in seen]
    if unseen:
        c.note(f"left out: {len(unseen)} cases of the sweeps {', '.join(dict.fromkeys(p.sweep for p in unseen))}")
    at_rest = [a for a in points[0].params if len(values(points, a)) == 1]
    if at_rest:
        c.note("the same everywhere: " + ", ".join(f"{a} {values(points, a)[0]}" for a in at_rest))
    return finish(c, f"{probe}: how does the cost go with {', '.join(dict.fromkeys(p.x for p in shown))}?")
