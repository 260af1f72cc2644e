"""Occupancy: bandwidth against bytes in flight over Little's line, against warps by loads, and under other limits."""

from functools import partial

import numpy as np
from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import LAW
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "How many bytes must be in flight for full bandwidth?"
LEVELS = {"dram": "DRAM", "l2": "L2"}
LOADS = (1, 2, 4, 8)
WIDTHS = (16, 4)
APART = 4  # warps: where the lines of the loads lie farthest apart
LANES = 32
ENOUGH = 0.9  # of the best rate


def _in_flight(point):
    """Bytes in flight on an SM: counted by the law, or from the warps that the device said it holds."""
    warps = point.extras.get("warps_per_sm") or 0
    known = warps * LANES * point.params.get("loads", 0) * point.params.get("width", 0)
    return point.counts.get("bytes_in_flight") or known or None


def _flown(source, level, **wanted):
    points = pick(source.points, level=level, limit=["warps", None], **wanted)
    return sorted((p for p in points if _in_flight(p) and p.gbps), key=_in_flight)


def _enough(source, level):
    """From how many bytes in flight on all cases reach so much of the best rate."""
    points = _flown(source, level)
    best = max((p.gbps for p in points), default=0)
    less = [_in_flight(p) for p in points if p.gbps < ENOUGH * best]
    return min((_in_flight(p) for p in points if _in_flight(p) > max(less, default=0)), default=None)


def finding(source):
    found = {name: size for level, name in LEVELS.items() if (size := _enough(source, level))}
    if not found:
        return ""
    (name, size), *others = found.items()
    more = "".join(f" and {n}" if s == size else f", {size_text(s)} from {n}" for n, s in others)
    return f"Each SM needs {size_text(size)} in flight for {100 * ENOUGH:.0f} % of the best rate from {name}{more}"


def _little(pen, source, level):
    """Rate = bytes in flight / latency, as fitted to few bytes in flight, up to where it crosses the best rate. Of the
    fits of one level that with the fewest loads of the widest kind is drawn: their latencies differ by less than a
    line."""
    drawn = _flown(source, level)
    best = max((p.gbps for p in drawn), default=0)
    fits = [f for f in source.fits if f.group.get("level", level) == level and f.b > 0]
    fits.sort(key=lambda f: (-f.group.get("width", 0), f.group.get("loads", 0)))
    for fit in fits[:1]:
        points = [p for p in drawn if fit.group.items() <= p.params.items() and p.law == fit.law]
        # Rounds of latency are the bytes that an SM reads by those in flight: the cost is a line over 1 / in flight.
        costs = sorted((1 / _in_flight(p), v) for p in points if (v := source.predicted(p, claimed=False)))
        if len(costs) < 2:
            continue
        flight = np.geomspace(_in_flight(drawn[0]), 1 / costs[0][0], 80)
        rates = points[0].useful_bytes / np.polyval(np.polyfit(*zip(*costs, strict=True), 1), 1 / flight)
        line = [(x, y) for x, y in zip(flight, rates, strict=True) if y <= best]
        if line:
            pen.ax.plot(*zip(*line, strict=True), color=LAW, linewidth=0.09 * pen.sheet.size, zorder=2.1)
            pen.notes.add("thin grey: Little's law, bytes in flight / latency, as fitted")
        if line and pen.alone:
            pen.write(*line[len(line) // 2], f"law: latency\n{fit.b:.0f} ns", 6, -4, va="top", linespacing=1.35)


def _flight(pen, level):
    """All of a level's cases: they lie on one line if it is the bytes that count, and not who brings them."""
    names = [f"{width} B per lane" for width in WIDTHS]
    for source in pen.sources:
        for index, (width, name) in enumerate(zip(WIDTHS, names, strict=True)):
            points = _flown(source, level, width=width)
            pen.plot(source, points, _in_flight, rate, name, index, join=False, size=0.9)
        _little(pen, source, level)
        if size := _enough(source, level):
            pen.mark(size, f"{100 * ENOUGH:.0f} % from {size_text(size)}", source, top=False, left=True)
        if level == "dram":
            pen.peak(source)
    pen.notes.add("stacked marks: other warps × loads of as many bytes")
    pen.axes(f"{LEVELS[level]}: rate by bytes in flight", "bytes in flight per SM", "GB/s", scales.sizes, scales.log10)


def _warps(pen, level):
    """The same by warps: how far few warps with many loads each go."""
    for source in pen.sources:
        for index, loads in enumerate(LOADS):
            points = pick(source.points, level=level, limit=["warps", None], width=16, loads=loads)
            name = f"{loads} load{'s' if loads > 1 else ''}"
            pen.plot(source, points, "warps", rate, name, index, len(LOADS), named=not pen.alone)
            for p in pick(points, warps=APART) if pen.alone else ():  # all lines end at one place
                pen.write(APART, p.gbps, str(loads), 5, -2, "left", "top", pen.colour(source, index, len(LOADS)))
    title = f"{LEVELS[level]}: rate by warps (numbers: loads)"
    pen.notes.add("loads: of 16 bytes each, per lane")
    pen.axes(title, "warps per SM", "GB/s", scales.counts)


LIMITS = {"registers": ("registers", "registers per thread"), "shared": ("blocks", "blocks of 8 warps per SM")}


def _limited(pen, limit):
    """Rate by what limits the blocks, with the warps that are left room."""
    axis, words = LIMITS[limit]
    for source in pen.sources:
        for index, loads in enumerate(LOADS):
            points = pick(source.points, limit=limit, level="dram", loads=loads)
            name = f"{loads} load{'s' if loads > 1 else ''}"
            pen.plot(source, points, axis, rate, name, index, len(LOADS))
            for p in points if pen.alone and loads == 1 else ():
                if p.gbps and p.extras.get("warps_per_sm"):
                    pen.write(p.params[axis], p.gbps, f"{p.extras['warps_per_sm']:.0f} warps", 0, -6, "center", "top")
    pen.axes(f"DRAM: rate by {words}", words, "GB/s", scales.counts)


def panels(_):
    return [Panel(partial(_flight, level=level), 1.2) for level in LEVELS]


def supplement(_):
    return [
        *(Panel(partial(_warps, level=level)) for level in LEVELS),
        *(Panel(partial(_limited, limit=limit)) for limit in LIMITS),
    ]
