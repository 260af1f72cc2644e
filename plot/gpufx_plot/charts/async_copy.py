"""Copies into shared memory: what one costs, what an SM gets from the L2, and what the chip gets from DRAM."""

from functools import partial

from ..model import number, ordered, size_text
from .series import pick, plot, split
from .style import GREY, bytes_axis, canvas, decorate, finish, from_zero, legend_above, log2_axis, log10_axis, tiled

TITLE = "How does data get best from global into shared memory?"
NAMES = {"load_store": "load and store", "cp_async": "cp.async", "bulk": "bulk copy"}
WAYS = list(NAMES)


def _name(way, width=None):
    return NAMES.get(way, str(way)) + (f" {width} B" if width and way != "bulk" else "")


def _look(c, source, way, width=16):
    """Marker and lightness say the way; narrow copies have small markers."""
    index = WAYS.index(way) if way in WAYS else len(WAYS)
    return c.look(source, index, 3) | {"markersize": {4: 2.6, 8: 3.6}.get(width, 4.8)}


def _alone(source):
    return pick(source.points, level="l2", stages=1, warps=1)


def _latency(c, ax):
    drawn = []
    for source in c.sources:
        for series in split(_alone(source), "tile", "way", "width"):
            way, width = series.key["way"], series.key["width"]
            plot(c, ax, source, series, "tile", _look(c, source, way, width), _name(way, width), own=True)
            drawn += series.points
    decorate(ax, "One warp, one tile at a time, from the L2", "tile", "SM cycles from order to arrival")
    bytes_axis(ax.xaxis, [p.params["tile"] for p in drawn], 6)
    log10_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax)


def _rates(source):
    """Tiles of one size on one SM, by warps and stages."""
    return [p for p in pick(source.points, level="l2", tile=2048, width=16) if p.value > 0]


def _rate(c, ax):
    drawn, ys = [], []
    for source in c.sources:
        for series in split(_rates(source), "warps", "way", "stages"):
            way, stages = series.key["way"], series.key["stages"]
            if len(series.points) > 1:
                look = _look(c, source, way) | ({"linestyle": "--"} if stages == 1 else {})
                xs = [p.params["warps"] for p in series.points]
                rates = [p.useful_bytes / p.value for p in series.points]
                ax.plot(xs, rates, linewidth=1.2, **look)
                if source is c.sources[0]:
                    ax.plot([], [], label=f"{_name(way)}, {stages} in flight", linewidth=1.2, **look)
                drawn += series.points
                ys += rates
    decorate(ax, "One SM from the L2, tiles of 2 KiB", "warps", "bytes per SM cycle")
    log2_axis(ax.xaxis, [p.params["warps"] for p in drawn])
    from_zero(ax, ys)
    legend_above(ax, 2)


def _flying(point):
    params = point.params
    return params.get("tile", 0) * params.get("stages", 0) * params.get("warps", 0)


def _dram_points(source):
    return [p for p in pick(source.points, level="dram") if p.gbps and _flying(p)]


def _dram(c, ax):
    """What the memory delivers depends on the bytes in flight, whoever has ordered them."""
    xs, ys = [], []
    for source in c.sources:
        points = _dram_points(source)
        for way, width in dict.fromkeys((p.params.get("way"), p.params.get("width")) for p in points):
            mine = sorted(pick(points, way=way, width=width), key=_flying)
            look = _look(c, source, way, width) | {"linestyle": "none"}
            ax.plot([_flying(p) for p in mine], [p.gbps for p in mine], **look)
            if source is c.sources[0]:
                ax.plot([], [], label=_name(way, width), **look)
            one = [p for p in mine if p.params.get("warps") == 1 and width == 16]
            ax.plot([_flying(p) for p in one], [p.gbps for p in one], linestyle="none", marker="o", markersize=10,
                    markerfacecolor="none", markeredgecolor=source.colour, markeredgewidth=0.7)  # fmt: skip
            xs += [_flying(p) for p in mine]
            ys += [p.gbps for p in mine]
        peak = source.archive.run["device"]["memory_peak_GBps"]
        if points and peak:
            ax.axhline(peak, color=source.colour if len(c.sources) > 1 else GREY, linewidth=0.9, linestyle=":")
            at = {"xytext": (0, 3), "textcoords": "offset points", "ha": "right", "va": "bottom"}
            ax.annotate(f"peak {number(peak, 4)} GB/s", (max(xs), peak), fontsize=7.2, color=GREY, **at)
            ys.append(peak)
    decorate(ax, "The whole chip from DRAM; ringed: one warp an SM", "bytes in flight per SM", "GB/s")
    bytes_axis(ax.xaxis, xs, 7)
    from_zero(ax, ys)
    legend_above(ax)


def draw(sources):
    panels = []
    if any(_alone(s) for s in sources):
        panels.append(_latency)
    if any(len(series.points) > 1 for s in sources for series in split(_rates(s), "warps", "way", "stages")):
        panels.append(_rate)
    if any(_dram_points(s) for s in sources):
        panels.append(_dram)
    if not panels:
        return None
    c = canvas(sources, 13, 3.9)
    tiled(c, [partial(panel, c) for panel in panels], 3)
    tiles = ordered(p.params["tile"] for s in sources for p in _dram_points(s))
    if tiles:
        c.note(f"points: medians over the launches; DRAM with tiles of {size_text(tiles[0])} to {size_text(tiles[-1])}")
    return finish(c, TITLE)
