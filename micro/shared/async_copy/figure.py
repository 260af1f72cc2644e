"""Copies into shared memory: what an SM gets from the L2, what one tile costs, and what the chip gets from DRAM."""

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost, rate
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What is the fastest way to copy from global to shared memory?"
NAMES = {"bulk": "bulk copy", "cp_async": "cp.async", "load_store": "load and store"}
NUMBER = {"bulk": (0, -8, "center", "top"), "cp_async": (0, 5, "center", "bottom")}  # beside the best mark
TILE, LEAST_WARPS = 2048, 4  # of the panel of rates: fewer warps can't issue as fast as the data come
COLLAPSE = 0.5  # of the best rate with fewer bytes in flight: the finding


def _flying(point):
    p = point.params
    return p["stages"] * p["warps"] * p["tile"]


def _rates(source, way):
    points = pick(source.points, level="l2", width=16, tile=TILE, way=way)
    return [p for p in points if p.params["warps"] >= LEAST_WARPS and p.value > 0]


def _best(points):
    """The best rate by bytes in flight."""
    found = {}
    for point in points:
        found[_flying(point)] = max(found.get(_flying(point), 0), point.useful_bytes / point.value)
    return found


def finding(source):
    bulk = _best(_rates(source, "bulk"))
    falls = []
    if bulk and bulk[max(bulk)] < COLLAPSE * max(bulk.values()):
        falls = [f"but {bulk[max(bulk)]:.0f} with {size_text(max(bulk))} in flight"]
    return source.said(
        "From the L2, cp.async copies {async.copy_rate}", "; bulk copies reach {async.bulk_rate}", *falls
    )


def _over_flight(pen, source, points, name, index, named=True):
    """The best way to have so many bytes in flight."""
    best = _best(points)
    found = [p for p in points if p.useful_bytes / p.value == best[_flying(p)]]
    pen.plot(source, found, _flying, rate, name, index, named=named)
    pen.notes.add("mark: the best combination of warps and stages")


def _flight(pen):
    for source in pen.sources:
        for index, (way, name) in enumerate(NAMES.items()):
            points = _rates(source, way)
            _over_flight(pen, source, points, name, index)
            best = _best(points)
            if pen.alone and best and way in NUMBER:
                peak = max(best, key=best.get)
                pen.write(peak, best[peak], f"{best[peak]:.0f}", *NUMBER[way], colour=pen.colour(source, index))
            if pen.alone and best and (last := best[max(best)]) < COLLAPSE * max(best.values()):
                pen.write(max(best), last, f"{last:.0f}", 0, -6, "center", "top", pen.colour(source, index))
                pen.notes.add(
                    f"the fall at {size_text(max(best))}, {max(best) // TILE} copies in flight: cause unknown"
                )
    pen.headroom(1.08)
    pen.axes(
        "One SM, tiles of 2 KiB from the L2",
        "bytes in flight: warps × stages × 2 KiB",
        "bytes per SM cycle",
        scales.sizes,
    )


def _alone(source, **wanted):
    return pick(source.points, level="l2", stages=1, warps=1, **wanted)


def _latency(pen, widths=(16,)):
    named = len(widths) > 1 or not pen.names_above([*NAMES.values()])
    for source in pen.sources:
        for index, (way, name) in enumerate(NAMES.items()):
            for place, width in enumerate(widths):
                label = name if len(widths) == 1 else f"{name}, {width} B"
                points = _alone(source, way=way, width=width)
                pen.plot(source, points, "tile", cost, label, index, size=1 + place / 2, named=named)
    title = "One tile at a time: from request to arrival"
    pen.axes(title, "bytes of the tile", "SM cycles", scales.sizes, scales.log10)


def _narrow(pen):
    _latency(pen, values([p for s in pen.sources for p in _alone(s)], "width"))


def _of_dram(source, **wanted):
    return [p for p in pick(source.points, level="dram", **wanted) if p.gbps]


def _dram(pen):
    named = not pen.names_above([*NAMES.values()])
    for source in pen.sources:
        for index, (way, name) in enumerate(NAMES.items()):
            points = _of_dram(source, way=way, width=16, tile=TILE)
            _over_flight(pen, source, [p for p in points if p.params["warps"] >= LEAST_WARPS], name, index, named)
        pen.peak(source)
    pen.headroom(1.1)
    pen.axes("The whole chip from DRAM", "bytes in flight per SM", "GB/s", scales.sizes)


def _one_warp(pen):
    """Few warps, many stages: what it takes to fill the DRAM with one warp per SM."""
    for source in pen.sources:
        for index, tile in enumerate(tiles := values(_of_dram(source, way="bulk", warps=1), "tile")):
            points = _of_dram(source, way="bulk", warps=1, tile=tile)
            pen.plot(source, points, "stages", rate, f"{size_text(tile)} tiles", index, len(tiles))
    pen.axes("One warp per SM, bulk copies from DRAM", "copies in flight", "GB/s", scales.counts)


def panels(_):
    return [Panel(_flight, wide=True), Panel(_latency), Panel(_dram)]


def supplement(_):
    return [Panel(_narrow, wide=True), Panel(_one_warp)]
