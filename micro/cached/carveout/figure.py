"""The carve-out: the L1 that is left by share, the walk's cost by footprint, and what it means for throughput."""

from functools import partial
from itertools import pairwise

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT
from gpufx_plot.showing.charts.pen import Panel, cost, rate, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How much L1 does shared memory take away?"
MODES = {"throughput": "one SM alone", "device": "all SMs at once"}
DRIVER = -1  # the share that stands for the driver's choice
MOST_LINES = 2
MOST_HIT = 1.2  # a flat part that costs more than this many hits is no longer the L1


def _brackets(source):
    """Share to size of the L1, for each share whose walk shows where it ends."""
    walks = pick(source.points, mode="latency")
    hit = min((p.value for p in walks), default=0)
    found = {}
    for share in values(walks, "carveout"):
        found_here = source.walks.sizes(pick(walks, carveout=share), "footprint")
        size = next((size for size in found_here if size.cost < MOST_HIT * hit), None)
        if share != DRIVER and size and size.low:
            found[share] = size
    return found


def _text(size):
    """The last footprint that fits, in KiB, as the title and the bars have it."""
    return short(size.low / 1024)


def finding(source):
    found = _brackets(source)
    if len(found) < 2:
        return ""
    least, most = min(found), max(found)
    return (
        f"The L1 shrinks from {_text(found[least])} to {_text(found[most])} KiB as the shared-memory share grows from "
        f"{least} to {most} %"
    )


def _left(pen):
    """The size of the L1 by the share: the last footprint that fits."""
    rows = []
    for source in pen.sources:
        for share, size in sorted(_brackets(source).items()):
            rows.append((f"{share} %", source, (size.low / 1024,) * 3, 0))
    rows.sort(key=lambda row: int(row[0].split()[0]))
    pen.bars(rows)
    pen.notes.add("bars: the largest footprint that fits")
    pen.ax.set_ylabel("requested shared-memory share")
    pen.axes("Remaining L1", "L1 (KiB)", "shared-memory share", scales.zero, None)


def _some(shares):
    """Not all shares find room as lines."""
    asked = [s for s in shares if s != DRIVER]
    step = max(1, -(-(len(asked) - 1) // (MOST_LINES - 1)))
    return [*dict.fromkeys([*asked[::step], *asked[-1:]])]


def _rise(points):
    """Where a line of latencies has half of its rise behind it, for its name beside it."""
    way = sorted((p.params["footprint"], p.value) for p in points)
    middle = sum(end(p.value for p in points) for end in (min, max)) / 2 if way else 0
    for (left, before), (right, after) in pairwise(way):
        if before < middle <= after:
            return left * (right / left) ** ((middle - before) / (after - before)), middle
    return None


def _walk(pen, mode, y, title, unit):
    shares = _some(values([p for s in pen.sources for p in pick(s.points, mode=mode)], "carveout"))
    for source in pen.sources:
        for index, share in enumerate(shares):
            points = pick(source.points, mode=mode, carveout=share)
            rise = _rise(points) if pen.alone and index and y is cost else None  # the first lies furthest right
            pen.plot(source, points, "footprint", y, f"{share} %", index, len(shares), size=0.8, named=not rise)
            if rise:
                pen.write(*rise, f"{share} %", -5, 0, "right", colour=pen.colour(source, index, len(shares)))
    pen.axes(title, "footprint", unit, partial(scales.log2, text=scales.bytes_text, most=4))


def _latency(pen):
    _walk(pen, "latency", cost, "Latency of a walk, by shared-memory share", "SM cycles")
    for source in pen.sources if pen.alone else ():
        found = _brackets(source)
        for share in {min(found), max(found)} if len(found) > 1 else ():  # as in the title
            size = found[share]
            pen.write(size.low, size.cost, f"{_text(size)} KiB", 0, -6, "right", "top", TEXT)
        largest = values(pick(source.points, mode="latency"), "footprint")[-1:]
        pen.notes.add(f"the footprints of b end at {size_text(*largest)}") if largest else None


def _rates(pen, mode):
    _walk(pen, mode, rate, f"Rate of an SM: {MODES[mode]}", "bytes per SM cycle")


def _driver(pen):
    """What the driver chooses by itself."""
    for source in pen.sources:
        points = pick(source.points, mode="latency", carveout=DRIVER)
        pen.plot(source, points, "footprint", cost, "the driver's choice", 1)
        if pen.alone:
            pen.stairs(source, points, "footprint")
        whole = source.device.get("shared_per_sm_bytes")
        if whole:
            pen.mark(whole, f"L1 and shared, {size_text(whole)}", source, top=False)
    pen.axes("Without a requested share", "footprint", "SM cycles", scales.sizes)


def panels(_):
    return [Panel(_left), Panel(_latency, 1.1)]


def supplement(_):
    return [*(Panel(partial(_rates, mode=mode)) for mode in MODES), Panel(_driver)]
