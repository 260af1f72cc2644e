"""Host-device copies: bandwidth against size per kind of host memory, and many small copies."""

from functools import partial

import numpy as np

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    BLANK,
    MARKERS,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    tiled,
)
from gpufx_plot.model import half_size, size_text, time_text

TITLE = "What does a copy between host and device cost?"
DIRECTIONS = {"h2d": "host to device", "d2h": "device to host", "both": "both at once (sum)"}


def _curve(c, ax, source, fit, points):
    """The fitted V / (t0 + V/B), and a mark where half of B is reached. The fit counts all bytes, the axis those of one
    way. Between two sizes the cost that is predicted lies on a line. Returns what the fit says, in words."""
    t0, rate = max(fit.a, 0.0), 1 / fit.b
    costs = [(p.params["size"], p.count, cost) for p in points if fit.holds(p) and (cost := source.predicted(p))]
    if costs := [known for known in costs if known[0] > 0]:
        sizes, counts, times = zip(*costs, strict=True)
        between = np.geomspace(sizes[0], sizes[-1], 80)
        ax.plot(between, np.interp(between, sizes, counts) / np.interp(between, sizes, times), **c.law_look(source))
    c.key("the law: t0 + V/B, as fitted", **c.law_look(source))
    half, half_text = half_size(fit, points[-1])
    if points[0].params["size"] < half < points[-1].params["size"]:
        mark = {"marker": "D", "color": "black", "markerfacecolor": "white", "markersize": 5, "linestyle": "none"}
        ax.plot([half], [0.5 * rate], **mark, zorder=4)
        c.key("the law reaches half of B", **mark)
    return f"t0 {time_text(t0)}, B {rate:.3g} GB/s, {half_text}"


def _kind(c, ax, kind, extent):
    drawn, said = [], []
    for source in c.sources:
        for series in split(pick(source.points, kind=kind, task=["copy", None]), "size", "direction"):
            direction = series.key["direction"]
            index = [*DIRECTIONS, direction].index(direction)
            look = c.look(source, index, 3)
            fit = next((f for p in series.points for f in source.fits if f.over_bytes and f.holds(p)), None)
            shown = [p for p in series.points if p.gbps]
            look |= {"linestyle": "none"} if fit else {}
            plot(c, ax, source, series, "size", look, DIRECTIONS.get(direction, str(direction)), rate=True)
            if fit and shown:
                said.append(f"{direction}: {_curve(c, ax, source, fit, shown)}")
            drawn += shown
    decorate(ax, f"{kind.replace('_', ' ')} memory", "bytes copied one way", "GB/s")
    bytes_axis(ax.xaxis, extent[0], 6)
    log10_axis(ax.yaxis, extent[1])
    ax.set_ylim(extent[1][0] / 2, extent[1][1] * 2)
    if len(c.sources) == 1:
        style = {"ha": "right", "va": "bottom", "fontsize": 6.6, "linespacing": 1.35, "bbox": BLANK, "zorder": 5}
        ax.text(0.995, 0.02, "\n".join(said), transform=ax.transAxes, **style)


def _many(c, ax, size):
    """The same bytes in ever more pieces: a loop of copies against the batch call."""
    drawn = []
    for source in c.sources:
        points = pick(source.points, task=["loop", "batch"], size=size)
        for series in split(points, "pieces", "task", "direction"):
            task, direction = series.key.values()
            look = c.look(source, 2 * (task == "batch"), 3) | {"marker": MARKERS[direction == "d2h"]}
            plot(c, ax, source, series, "pieces", look, f"{task}, {direction}", rate=True, own=True)
            drawn += [p for p in series.points if p.gbps]
    decorate(ax, f"{size_text(size)} in many copies, pinned", "copies", "GB/s")
    log2_axis(ax.xaxis, [p.params["pieces"] for p in drawn], most=6)
    from_zero(ax, [p.gbps for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    copies = [p for s in sources for p in pick(s.points, task=["copy", None]) if p.gbps]
    kinds = values(copies, "kind")
    extent = [(min(v), max(v)) for v in ([p.params["size"] for p in copies], [p.gbps for p in copies]) if v]
    panels = [partial(_kind, kind=kind, extent=extent) for kind in kinds]
    many = pick([p for s in sources for p in s.points], task=["loop", "batch"])
    if len(values(many, "pieces")) > 1:
        panels += [partial(_many, size=size) for size in values(many, "size")[:2]]
    if not panels:
        return None
    c = canvas(sources, 15, 2.75 * -(-len(panels) // 4))
    tiled(c, [partial(panel, c) for panel in panels], 4)
    c.note("points: medians over the processes; sizes without a curve are not part of its fit; GB = 10⁹ bytes")
    return finish(c, TITLE)
