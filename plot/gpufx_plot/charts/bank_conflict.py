"""Shared-memory bank conflicts: the staircase over stride, and all patterns against the law."""

from .series import pick, plot, split, values
from .style import GREY, MARKERS, canvas, decorate, empty, finish, log2_axis, shade

TITLE = "What does a shared-memory bank conflict cost?"
MODES = {"latency": "Latency", "throughput": "Throughput"}
OPS = ("load", "store", "atomic_add", "atomic_cas")


def _stride(c, ax, mode, width, ops):
    title = f"{MODES[mode]}, {width} bytes a lane"
    drawn = []
    for source in c.sources:
        points = pick(source.points, mode=mode, width=width, pattern="stride", offset=[0, None])
        for series in split(points, "stride", "op"):
            op = series.key["op"]
            if op in ops:
                index = ops.index(op)
                # Ops that cost the same lie on each other: smaller markers over larger ones show both.
                look = c.look(source, index, len(ops)) | {"drawstyle": "steps-mid", "markersize": max(2.5, 5.5 - index)}
                plot(c, ax, source, series, "stride", look, op)
                drawn += series.points
    if not drawn:
        return empty(ax, title, "not in these archives")
    decorate(ax, title, "stride (elements)", "SM cycles per access")
    ax.set_xticks(range(0, 65, 8))
    log2_axis(ax.yaxis, [p.value for p in drawn])
    return None


def _against(c, ax, residual_ax, mode):
    """All cases that a fit speaks of: measured over predicted, and what is left."""
    patterns = [*dict.fromkeys(p.params.get("pattern", "-") for s in c.sources for p in s.points)]
    xs = []
    for source in c.sources:
        for index, pattern in enumerate(patterns):
            pairs = [(source.predicted(p), p.value) for p in pick(source.points, mode=mode, pattern=pattern)]
            pairs = [(x, y) for x, y in pairs if x]
            if not pairs:
                continue
            look = {"color": shade(source.colour, index, len(patterns)), "marker": MARKERS[index % len(MARKERS)]}
            style = look | {"linestyle": "none", "markersize": 4, "markeredgewidth": 0.6, "markerfacecolor": "none"}
            ax.plot(*zip(*pairs, strict=True), **style, label=pattern if source is c.sources[0] else None)
            residual_ax.plot([x for x, _ in pairs], [(y / x - 1) * 100 for x, y in pairs], **style)
            xs += [x for x, _ in pairs]
    if not xs:
        empty(ax, f"{MODES[mode]}, all patterns", "no fit in these archives")
        return empty(residual_ax, f"{MODES[mode]}: residual of the law", "no fit in these archives")
    for panel in (ax, residual_ax):
        log2_axis(panel.xaxis, xs)
    log2_axis(ax.yaxis, xs)
    ax.plot([min(xs), max(xs)], [min(xs), max(xs)], color=GREY, linewidth=0.8)
    residual_ax.axhline(0, color=GREY, linewidth=0.8)
    decorate(ax, f"{MODES[mode]}, all patterns and ops", "predicted cycles: a + b × wavefronts", "measured cycles")
    decorate(residual_ax, f"{MODES[mode]}: residual of the law", "predicted cycles", "measured over predicted (%)")
    low, high = residual_ax.get_ylim()
    residual_ax.set_ylim(min(low, -0.5), max(high, 0.5))
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left", ncols=2, handletextpad=0.3, columnspacing=0.8)
    return None


def draw(sources):
    found = {v for s in sources for v in values(s.points, "op")}
    ops = [op for op in OPS if op in found] + sorted(found - {*OPS})
    widths = sorted({v for s in sources for v in values(s.points, "width")}) or [4]
    c = canvas(sources, 13, 10.5)
    grid = c.figure.add_gridspec(3, 1)
    for row, mode in enumerate(MODES):
        for cell, width in zip(grid[row].subgridspec(1, len(widths)), widths, strict=True):
            _stride(c, c.figure.add_subplot(cell), mode, width, ops)
    bottom = grid[2].subgridspec(1, 4).subplots()
    for index, mode in enumerate(MODES):
        _against(c, bottom[2 * index], bottom[2 * index + 1], mode)
    c.note("lines: a + b × wavefronts with the fitted a and b; markers: measured medians over the launches")
    c.note_fits("mode")
    return finish(c, TITLE)
