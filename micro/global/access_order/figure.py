"""Access order: how many times longer chunks take, and the rate of a sum by size and by blocks."""

from functools import partial

from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import against, pick, values

QUESTION = "What does it cost to read an array in the wrong order?"
ORDERS = {"interleaved": "interleaved", "blocked": "blocked", "chunked": "chunk per thread"}
NARROW, WIDE = [4, None], [16]


def _times(points):
    """How many times as long chunks take as interleaved reads: (point, ratio) where both are there."""
    return [(p, p.value / q.value) for p, q in against(points, "order", "chunked", "interleaved")]


def _swept(sources):
    """Sizes that were read by several numbers of blocks."""
    every = [p for s in sources for p in pick(s.points, width=NARROW)]
    return [size for size in values(every, "size") if len(values(pick(every, size=size), "blocks")) > 1]


def _told(source):
    """The cases that take least and most, over all sizes that were swept: (point, ratio)."""
    found = [case for size in _swept([source]) for case in _times(pick(source.points, size=size, width=NARROW))]
    return sorted(found, key=lambda case: case[1])[:: len(found) - 1] if len(found) > 1 else []


def finding(source):
    return source.said("One chunk per thread takes {dram.chunked_ratio} as long as interleaved reads of 256 MiB")


def _ratios(pen):
    every = [p for s in pen.sources for p in pick(s.points, width=NARROW, order="chunked")]
    sizes = [size for size in _swept(pen.sources) if any(_times(pick(s.points, size=size)) for s in pen.sources)]
    blocks = sorted(values(pick(every, size=sizes), "blocks"), key=lambda v: (v == 0, v))
    first = len(ORDERS)  # colours of the orders mean something else
    named = not pen.names_above([scales.bytes_text(size) for size in sizes], first=first)
    for source in pen.sources:
        for index, size in enumerate(sizes, first):
            found = {p.name: ratio for p, ratio in _times(pick(source.points, size=size, width=NARROW))}
            points = [p for p in pick(source.points, size=size, width=NARROW, order="chunked") if p.name in found]

            def times(point, value, found=found):
                return found[point.name] * value / point.value

            def at(point):
                return blocks.index(point.params["blocks"])

            pen.plot(source, points, at, times, scales.bytes_text(size), index, named=named)
            place = (5, "center", "bottom") if index == first else (-6, "center", "top")
            for p, _ in _told(source):
                if p in points:
                    pen.say(at, p.params, ratio_text, times, 0, *place, pen.colour(source, index))
    pen.level(1, "interleaved")
    pen.headroom(1.25)
    names = ["full grid" if b == 0 else str(b) for b in blocks]
    pen.axes(
        "A chunk per thread, by array size",
        "blocks of 256 threads",
        "time vs interleaved",
        scales.named(names),
        scales.log2,
    )


def _rates(pen, width):
    """The full grid; whose rate it is, the L1s', the L2's or the DRAM's, follows from the size."""
    lines = pen.together("size", {name: {"blocks": 0, "order": o, "width": width} for o, name in ORDERS.items()})
    for source in pen.sources:
        for index, names, wanted in lines:
            pen.plot(source, pick(source.points, **wanted), "size", rate, ", ".join(names), index, named=not pen.alone)
        _levels(pen, source)
    if pen.alone:
        pen.key([(", ".join(names), pen.colour(pen.sources[0], index)) for index, names, _ in lines])
    pen.axes(f"Full grid, {width[0]} bytes per load", "size of the array", "GB/s", scales.sizes, scales.log10)


def _levels(pen, source):
    device = source.device
    l1s = (device.get("shared_per_sm_bytes") or 0) * (device.get("sm_count") or 0)
    for size, text in ((l1s, "all L1s"), (device.get("l2_bytes") or 0, "L2")):
        if pen.xs and min(pen.xs) < size < max(pen.xs):
            pen.mark(size, text, source, top=False, left=text != "L2")
    pen.notes.add("dotted: total L1 of all SMs, and the L2")
    if peak := device.get("memory_peak_GBps"):
        pen.level(peak, "DRAM peak", source, left=False)


def _by_blocks(pen, size):
    every = [p for s in pen.sources for p in pick(s.points, size=size, width=NARROW)]
    blocks = sorted(values(every, "blocks"), key=lambda v: (v == 0, v))
    for source in pen.sources:
        for index, (order, name) in enumerate(ORDERS.items()):
            points = pick(source.points, size=size, width=NARROW, order=order)
            pen.plot(source, points, lambda p: blocks.index(p.params["blocks"]), rate, name, index)
    names = ["full" if b == 0 else str(b) for b in blocks]
    title = f"{scales.bytes_text(size)}: rate by blocks of 256 threads"
    pen.axes(title, "blocks", "GB/s", scales.named(names), scales.log10)


def panels(_):
    return [Panel(_ratios), Panel(partial(_rates, width=NARROW))]


def supplement(sources):
    return [*(Panel(partial(_by_blocks, size=size)) for size in _swept(sources)), Panel(partial(_rates, width=WIDE))]
