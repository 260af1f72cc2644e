"""Copies into shared memory: what one costs, what an SM gets from the L2, and what the chip gets from DRAM."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    GREY,
    MARKERS,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    panel_key,
    peak_line,
    tiled,
)
from gpufx_plot.model import number, ordered, size_text

TITLE = "How does data get best from global into shared memory?"
NAMES = {"load_store": "load and store", "cp_async": "cp.async", "bulk": "bulk copy"}
WAYS = list(NAMES)
COLLAPSE = 0.5  # of the best rate with fewer bytes in flight: worth a word


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


def _filled(stages):
    """One tile in flight is hollow, two are half full."""
    return {1: "none", 2: "bottom"}.get(stages, "full")


def _rate(c, ax):
    drawn, ys = [], []
    for source in c.sources:
        for series in split(_rates(source), "warps", "way", "stages"):
            way, stages = series.key["way"], series.key["stages"]
            if len(series.points) > 1:
                look = _look(c, source, way) | {"linewidth": 1.2, "fillstyle": _filled(stages)}
                look.pop("markerfacecolor", None)  # a second archive is told by its dash here
                xs = [p.params["warps"] for p in series.points]
                rates = [p.useful_bytes / p.value for p in series.points]
                ax.plot(xs, rates, **look)
                panel_key(ax, f"{_name(way)}, {stages} in flight", **look)
                drawn += series.points
                ys += rates
    decorate(ax, "One SM from the L2, tiles of 2 KiB", "warps", "bytes per SM cycle")
    log2_axis(ax.xaxis, [p.params["warps"] for p in drawn])
    from_zero(ax, ys)
    legend_above(ax, 2)


def _flying(point):
    params = point.params
    return params.get("tile", 0) * params.get("stages", 0) * params.get("warps", 0)


def _flown(source):
    """All copies of 16 bytes a lane and all bulk copies on one SM."""
    return [p for p in pick(source.points, level="l2", width=[16, None]) if p.value > 0 and _flying(p)]


def _collapsed(points):
    """Points that get less than half of what the same way gets with fewer bytes in flight, by tiles as large."""
    rates = [(p, p.useful_bytes / p.value) for p in points]
    for point, rate in rates:
        same = pick(points, way=point.params.get("way"), tile=point.params.get("tile"))
        less = [r for p, r in rates if p in same and _flying(p) < _flying(point)]
        if rate < COLLAPSE * max(less, default=0):
            yield point, rate


def _flight(c, ax):
    """What an SM gets by the bytes that its warps have ordered and not yet got: too many can be worse than few."""
    xs, ys, room = [], [], 1.5
    warps = values([p for s in c.sources for p in _flown(s)], "warps")
    for source in c.sources:
        points = _flown(source)
        for series in split(points, "tile", "way", "warps"):
            way = series.key["way"]
            marker = MARKERS[warps.index(series.key["warps"]) % len(MARKERS)]
            look = _look(c, source, way) | {"linestyle": "none", "marker": marker}
            ax.plot([_flying(p) for p in series.points], [p.useful_bytes / p.value for p in series.points], **look)
            panel_key(ax, _name(way), color=look["color"], linewidth=4)
            xs += [_flying(p) for p in series.points]
            ys += [p.useful_bytes / p.value for p in series.points]
        for point, rate in _collapsed(points) if len(c.sources) == 1 else ():
            c.note("named: warps × tiles in flight that get less than half of what the same copies get with fewer")
            n, stages, tile = (point.params[axis] for axis in ("warps", "stages", "tile"))
            text = f"{n} warps × {stages} × {size_text(tile)}: {number(rate, 2)}"
            at = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
            room = 8
            ax.annotate(text, (_flying(point), rate), fontsize=7.2, color=GREY, **at)
    for index, n in enumerate(warps):
        style = {"color": GREY, "linestyle": "none", "marker": MARKERS[index % len(MARKERS)], "markersize": 4.8}
        panel_key(ax, f"{n} warp{'s' if n > 1 else ''}", **style)
    decorate(ax, "One SM from the L2, all tiles", "bytes in flight: warps × stages × tile", "bytes per SM cycle")
    bytes_axis(ax.xaxis, xs, 8)
    ax.set_xlim(min(xs) / 1.5, room * max(xs))
    from_zero(ax, ys)
    legend_above(ax, 4)


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
            panel_key(ax, _name(way, width), **look)
            one = [p for p in mine if p.params.get("warps") == 1 and width == 16]
            ax.plot([_flying(p) for p in one], [p.gbps for p in one], linestyle="none", marker="o", markersize=10,
                    markerfacecolor="none", markeredgecolor=source.colour, markeredgewidth=0.7)  # fmt: skip
            xs += [_flying(p) for p in mine]
            ys += [p.gbps for p in mine]
        peak = source.archive.run["device"]["memory_peak_GBps"]
        if points and peak:
            peak_line(c, ax, source, peak, f"peak {number(peak, 4)} GB/s", left=True)
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
    if any(len({_flying(p) for p in _flown(s)}) > 1 for s in sources):
        panels.append(_flight)
    if any(_dram_points(s) for s in sources):
        panels.append(_dram)
    if not panels:
        return None
    c = canvas(sources, 13, 3.7 * -(-len(panels) // 2))
    tiled(c, [partial(panel, c) for panel in panels], 2)
    tiles = ordered(p.params["tile"] for s in sources for p in _dram_points(s))
    if tiles:
        c.note(f"medians over the processes; DRAM with tiles of {size_text(tiles[0])} to {size_text(tiles[-1])}")
    return finish(c, TITLE)
