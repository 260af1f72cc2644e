"""Occupancy: bandwidth against bytes in flight over Little's line, against warps by loads, and under other limits."""

from functools import partial

import numpy as np

from gpufx_plot.charts.series import Series, pick, plot, split, values
from gpufx_plot.charts.style import (
    BLANK,
    GREY,
    MARKERS,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    panel_key,
    peak_line,
    tiled,
)
from gpufx_plot.model import span

TITLE = "How many bytes must be in flight, and who has to bring them?"
LEVELS = {"dram": "DRAM", "l2": "L2"}
LOADS = (1, 2, 4, 8)
WIDTHS = (4, 16)
AXES = {"loads": "", "width": " B"}  # of a fit's group, and how they are written
LANES = 32


def _in_flight(point):
    """Bytes in flight on an SM: counted by the law, or from the warps that the device said it holds."""
    warps = point.extras.get("warps_per_sm") or 0
    known = warps * LANES * point.params.get("loads", 0) * point.params.get("width", 0)
    return point.counts.get("bytes_in_flight") or known or None


def _peak(source, level):
    """GB/s that the driver tells for DRAM, else the best that was measured."""
    told = source.archive.run["device"].get("memory_peak_GBps") if level == "dram" else None
    return told or max((p.gbps for p in pick(source.points, level=level) if p.gbps), default=None)


def _look(c, source, loads, width=16):
    index = LOADS.index(loads) if loads in LOADS else 0
    look = c.look(source, index, len(LOADS)) | {"markersize": 4.2}
    return look | ({"markerfacecolor": "none"} if width == 4 else {})


def _little(c, ax, source, level):
    """Rate = bytes in flight / latency, as fitted to few bytes in flight, up to where it crosses the peak. Of the fits
    of one level that with the fewest loads of the widest kind is drawn: their latencies differ by less than a line."""
    peak, drawn = _peak(source, level), [p for p in pick(source.points, level=level) if _in_flight(p)]
    fits = [f for f in source.fits if f.group.get("level", level) == level and f.b > 0]
    fits.sort(key=lambda f: (-f.group.get("width", 0), f.group.get("loads", 0)))
    for fit in fits[:1]:
        points = [p for p in drawn if fit.group.items() <= p.params.items() and p.law == fit.law]
        if not points or not peak:
            continue
        # Rounds of latency are the bytes that an SM reads by those in flight: the cost is a line over 1 / in flight.
        costs = sorted((1 / _in_flight(p), cost) for p in points if (cost := source.predicted(p, claimed=False)))
        if not costs:
            continue
        rounds, times = zip(*costs, strict=True)
        flight = np.geomspace(1 / rounds[-1], 1 / rounds[0], 80)
        rates = points[0].useful_bytes / np.interp(1 / flight, rounds, times)
        line = [(x, rate) for x, rate in zip(flight, rates, strict=True) if rate <= peak]
        if line:
            ax.plot(*zip(*line, strict=True), **c.law_look(source))
        c.key("Little's law: bytes in flight / latency, as fitted, and the peak", **c.law_look(source))
        if len(c.sources) == 1:
            who = " × ".join(f"{fit.group[axis]}{unit}" for axis, unit in AXES.items() if axis in fit.group)
            text = f"line: latency {fit.b:.0f} ns" + f" ({who})" * bool(who)
            if len(fits) > 1:
                text += f"\nall fits: {span([f.b for f in fits], '{:.0f}'.format).replace('..', ' to ')} ns"
            style = {"ha": "right", "fontsize": 7.5, "color": GREY, "linespacing": 1.4}
            ax.text(0.97, 0.06, text, transform=ax.transAxes, **style)
    if peak:
        ax.axhline(peak, **c.law_look(source))


def _flight(c, ax, level):
    """All of a level's cases: they lie on one line if it is the bytes that count, and not who brings them."""
    drawn = []
    for source in c.sources:
        _little(c, ax, source, level)
        for width in WIDTHS:
            for loads in LOADS:
                points = pick(source.points, level=level, limit=["warps", None], width=width, loads=loads)
                points = sorted((p for p in points if _in_flight(p) and p.gbps), key=_in_flight)
                if not points:
                    continue
                look = _look(c, source, loads, width) | {"linestyle": "none"}
                ax.plot([_in_flight(p) for p in points], [p.gbps for p in points], **look)
                panel_key(ax, f"{loads} × {width} B", **look)
                drawn += points
    decorate(ax, f"{LEVELS[level]}: rate by bytes in flight", "bytes in flight per SM", "GB/s")
    bytes_axis(ax.xaxis, [_in_flight(p) for p in drawn], 6)
    log2_axis(ax.yaxis, [p.gbps for p in drawn], lambda v: f"{v:.0f}")
    legend_above(ax)


def _warps(c, ax, level):
    """The same by warps: how far few warps with many loads each go."""
    drawn, peaks = [], []
    for source in c.sources:
        for series in split(pick(source.points, level=level, limit=["warps", None], width=16), "warps", "loads"):
            loads = series.key["loads"]
            label = f"{loads} load{'s' if loads > 1 else ''} per lane"
            plot(c, ax, source, series, "warps", _look(c, source, loads), label, rate=True, own=True)
            drawn += series.points
        if peak := _peak(source, level):
            peaks.append(peak)
            best = max((p.gbps for p in pick(source.points, level=level) if p.gbps), default=0)
            text = f"peak {peak:.0f} GB/s; best {best:.0f}, {100 * best / peak:.1f} %"
            peak_line(c, ax, source, peak, text if level == "dram" else f"best {best:.0f} GB/s", left=True)
    decorate(ax, f"{LEVELS[level]}: rate by warps, 16 B per lane", "warps per SM", "GB/s")
    log2_axis(ax.xaxis, [p.params["warps"] for p in drawn])
    from_zero(ax, [1.05 * v for v in [*peaks, *(p.gbps for p in drawn if p.gbps)]])
    legend_above(ax, 2)


def _limited(c, ax, limit, axis):
    """Rate by what limits the blocks, with the warps that are left room."""
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, limit=limit, level="dram"), axis, "loads"):
            loads = series.key["loads"]
            look = _look(c, source, loads) | {"marker": MARKERS[LOADS.index(loads) if loads in LOADS else -1]}
            label = f"{loads} load{'s' if loads > 1 else ''} per lane"
            plot(c, ax, source, Series({}, series.points), axis, look, label, rate=True, own=True)
            drawn += [p for p in series.points if p.gbps]
    told = {}
    for point in drawn:
        if point.extras.get("warps_per_sm"):
            told.setdefault(point.params[axis], (point.extras["warps_per_sm"], []))[1].append(point.gbps)
    for x, (warps, rates) in told.items():
        style = {"textcoords": "offset points", "ha": "center", "fontsize": 7, "color": GREY, "bbox": BLANK}
        ax.annotate(f"{warps:.0f} warps", (x, max(rates)), xytext=(0, 6), **style)
    word = {"registers": "registers per thread", "blocks": "blocks of 8 warps that fit into shared memory"}[axis]
    decorate(ax, f"DRAM: rate by {word.split(' that')[0]}", word, "GB/s")
    log2_axis(ax.xaxis, [p.params[axis] for p in drawn])
    ax.margins(x=0.12)  # room for the words at both ends
    from_zero(ax, [1.08 * p.gbps for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    c = canvas(sources, 13, 1)
    panels = []
    for level, limit, axis in (("dram", "registers", "registers"), ("l2", "shared", "blocks")):
        points = [p for s in sources for p in pick(s.points, level=level, limit=["warps", None]) if p.gbps]
        if len({_in_flight(p) for p in points}) > 1:
            panels.append(partial(_flight, c, level=level))
        if len(values(pick(points, width=16), "warps")) > 1:
            panels.append(partial(_warps, c, level=level))
        if any(len(values(pick(s.points, limit=limit, level="dram"), axis)) > 1 for s in sources):
            panels.append(partial(_limited, c, limit=limit, axis=axis))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.2 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note("points: medians over the processes; hollow: 4 bytes per lane; full: 16; loads: independent ones in flight")
    c.note("horizontal over the L2: the best that was measured")
    return finish(c, TITLE)
