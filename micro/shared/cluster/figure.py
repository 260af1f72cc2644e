"""Distributed shared memory: latency by distance, rate by size of the cluster, and many readers of one block."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    BLANK,
    GREY,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    panel_key,
    tiled,
)
from gpufx_plot.model import number

TITLE = "What does another SM's shared memory cost?"
WHO = {"one": "one reader", "ring": "each from its neighbour", "hot": "all from block 0"}
CONTROLS = {"plain": "own, ld.shared", "mapped": "own, by its address in the cluster"}


def _chains(source):
    return pick(source.points, mode="latency", path="mapped", readers="one")


def _own(source, mode, **wanted):
    """A block's own memory without a cluster, by path."""
    points = pick(source.points, mode=mode, cluster=1, hop=0, **wanted)
    return {path: found[0] for path in CONTROLS if (found := pick(points, path=path))}


def _latency(c, ax):
    ys = []
    for source in c.sources:
        lines = [s for s in split(_chains(source), "hop", "cluster") if any(p.params["hop"] for p in s.points)]
        for index, series in enumerate(lines):
            look = c.look(source, index, len(lines))
            plot(c, ax, source, series, "hop", look, f"cluster of {series.key['cluster']}", law=None, own=True)
            ys += [p.value for p in series.points]
        for place, (path, point) in enumerate(_own(source, "latency").items()):
            ax.axhline(point.value, color=source.colour if len(c.sources) > 1 else GREY, linewidth=0.9, linestyle=":")
            if len(c.sources) == 1:
                text = f"{CONTROLS[path]}: {number(point.value, 4)}"
                ax.annotate(text, (0.98, point.value), (0, 2 if place else -2), xycoords=ax.get_yaxis_transform(),
                            textcoords="offset points", ha="right", va="bottom" if place else "top", fontsize=7.2,
                            color=GREY, bbox=BLANK)  # fmt: skip
            ys.append(point.value)
    decorate(ax, "Latency, by which block is read", "how much further the block stands (0: own)", "SM cycles per step")
    from_zero(ax, ys)
    legend_above(ax)


def _width(sources):
    """The width that the panel of rates shows: the widest."""
    found = values([p for s in sources for p in pick(s.points, mode="throughput", path="mapped")], "width")
    return found[-1] if found else None


def _rate_series(source, width):
    points = [p for p in pick(source.points, mode="throughput", path="mapped", width=width) if p.params["cluster"] > 1]
    return [s for s in split([p for p in points if p.value > 0], "cluster", "readers") if s.points]


def _rate(c, ax, width):
    xs, ys = [], []
    for source in c.sources:
        for series in _rate_series(source, width):
            who = series.key["readers"]
            look = c.look(source, [*WHO, who].index(who), 3) | {"linewidth": 1.2, "markersize": 4.8}
            sizes, rates = zip(*((p.params["cluster"], p.useful_bytes / p.value) for p in series.points), strict=True)
            ax.plot(sizes, rates, **look)
            panel_key(ax, WHO.get(who, who), **look)
            xs += sizes
            ys += rates
        if own := _own(source, "throughput", width=width).get("plain"):
            rate = own.useful_bytes / own.value
            ax.axhline(rate, color=source.colour if len(c.sources) > 1 else GREY, linewidth=0.9, linestyle=":")
            if len(c.sources) == 1:
                at = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "ha": "right", "va": "top"}
                text = f"{CONTROLS['plain']}: {number(rate, 4)}"
                ax.annotate(text, (0.98, rate), (0, -3), fontsize=7.2, color=GREY, bbox=BLANK, **at)
            ys.append(rate)
    decorate(ax, f"Rate of a reader, {width} bytes per lane", "blocks of the cluster", "bytes per SM cycle")
    log2_axis(ax.xaxis, xs)
    from_zero(ax, ys)
    legend_above(ax)


def _hot_points(source):
    return pick(source.points, mode="throughput", readers="hot")


def _hot(c, ax):
    ys = []
    for source in c.sources:
        lines = split(_hot_points(source), "cluster", "width")
        for index, series in enumerate(lines):
            look = c.look(source, index, len(lines))
            label = f"{series.key['width']} bytes per lane"
            plot(c, ax, source, series, "cluster", look, label, own=True)
            ys += [p.value for p in series.points]
    decorate(ax, "All read block 0", "blocks of the cluster", "SM cycles per access")
    log2_axis(ax.xaxis, [p.params["cluster"] for s in c.sources for p in _hot_points(s)])
    log2_axis(ax.yaxis, ys)
    legend_above(ax)


def draw(sources):
    panels = []
    if any(p.params["hop"] for s in sources for p in _chains(s)):
        panels.append(_latency)
    width = _width(sources)
    if any(_rate_series(s, width) for s in sources):
        panels.append(partial(_rate, width=width))
    if any(_hot_points(s) for s in sources):
        panels.append(_hot)
    if not panels:
        return None
    c = canvas(sources, 13, 3.7)
    tiled(c, [partial(panel, c) for panel in panels], 3)
    if len(sources) > 1:
        c.note("dotted: a block's own shared memory")
    c.note("points: medians over the processes; which SM a block of the cluster gets is the device's own choice")
    return finish(c, TITLE)
