"""Global-memory coalescing at each level: the cost against stride, offset and order of the lanes; the law as a line."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick, usual

QUESTION = "What does an uncoalesced access cost?"
LEVELS = {"l1": "L1", "l2": "L2", "dram": "DRAM"}
OPS = ("load", "store")
FAR = 128  # bytes from lane to lane: a line for each
TITLED = {("l1", "load", 4): (0, 6, "center", "bottom"), ("dram", "load", 4): (4, -6, "left", "top")}
ORDERS = {"reversed": "reversed", "shuffled": "shuffled", "random": "random words"}


def _at_rest(source, **wanted):
    return usual(pick(source.points, **{"order": ["linear", None], "layout": ["isolated", None]} | wanted), "seed")


def _strided(source, **wanted):
    return _at_rest(source, **{"width": [4, None], "offset": [0, None]} | wanted)


def _contiguous(source, **wanted):
    """The cost of neighbouring lanes."""
    found = _strided(source, stride=[1, None], **wanted)
    return found[0].value if found and found[0].value > 0 else None


def _times(source, **wanted):
    """The cost over that of neighbouring lanes, or None where that is not known."""
    base = _contiguous(source, **wanted)
    return (lambda p, v: v / base) if base else lambda p, v: None


def _power(point):
    return not point.params["stride"] & (point.params["stride"] - 1)


def finding(source):
    return source.said(
        "A load of lanes 128 bytes apart takes {l1.uncoalesced_ratio} as long as one of neighbours from the L1",
        "{dram.uncoalesced_ratio} from DRAM",
    )


def _stride(pen, op="load", width=4, every=True, levels=tuple(LEVELS)):
    for source in pen.sources:
        for index, (level, name) in reversed([*enumerate(LEVELS.items())]):  # what is near lies over what is far
            if level not in levels:
                continue
            wanted = {"level": level, "op": op, "width": width}
            times = _times(source, **wanted)
            # Banks make a comb of the L1's: no staircase to follow, and no law where few strides are shown.
            law = "" if not every else "ticks" if level == "l1" else "steps-mid"
            points = [p for p in _strided(source, **wanted) if every or level == "dram" or _power(p)]
            pen.plot(source, points, "stride", times, name, index, law=law, size=0.9)
            if not every and (level, op, width) in TITLED:
                apart, words = (
                    wanted | {"stride": FAR // width, "order": "linear"},
                    f"128 bytes: {{{level}.uncoalesced_ratio}}",
                )
                pen.say("stride", apart, words, times, *TITLED[level, op, width], colour=pen.colour(source, index))
    if not every:
        pen.notes.add("L1 and L2: strides of powers of two alone; rings: marks under another")
    pen.axes(
        f"{op.capitalize()}s of {width} bytes per lane, by stride",
        f"stride (words of {width} bytes)",
        "time, strided / neighbouring",
        scales.counts,
        scales.log2,
    )


def _offset(pen, op="load"):
    named = not pen.names_above([*LEVELS.values()])
    for source in pen.sources:
        for index, (level, name) in enumerate(LEVELS.items()):
            wanted = {"level": level, "op": op}
            points = _at_rest(source, **wanted, stride=[1, None], width=[4, None])
            points = [p for p in points if p.params["offset"] < 128]  # there a line begins again
            if len(points) > 2:
                pen.plot(source, points, "offset", _times(source, **wanted), name, index, size=0.7, named=named)
    pen.axes(
        f"{op.capitalize()}s of neighbouring lanes, by offset",
        "offset from a line (bytes)",
        "time, shifted / aligned",
        scales.ticks_at(*range(0, 129, 32)),
    )


def _order(pen):
    rows = []
    for order, name in ORDERS.items():
        for index, level in enumerate(LEVELS):
            for source in pen.sources:
                points = pick(
                    source.points,
                    level=level,
                    op="load",
                    layout=["isolated", None],
                    stride=[1, None],
                    width=[4, None],
                    order=order,
                )
                base = _contiguous(source, level=level, op="load")
                ratios = sorted(p.value / base for p in points) if base else []
                if ratios:
                    middle = (ratios[len(ratios) // 2], ratios[0], ratios[-1])
                    rows.append((name, source, middle, index))
    pen.bars(rows, text="{:#.3g}x".format, series=[*LEVELS.values()])
    pen.notes.add("black lines: range over patterns")
    pen.axes("By the order of the lanes", "time vs lanes in order", "", scales.zero, None)


def _streams(pen):
    for source in pen.sources:
        for index, op in enumerate(OPS):
            for place, (layout, name) in enumerate((("stream", "stream"), ("isolated", "isolated"))):
                points = _at_rest(source, level="dram", stride=[1, None], offset=[0, None], layout=layout, op=op)
                pen.plot(source, points, "width", rate, f"{op}s, {name}", 2 * index + place)
        pen.peak(source)
    pen.notes.add("an isolated request shares no sector with another, a stream does")
    pen.axes("DRAM: useful rate by bytes per lane, contiguous", "bytes per lane", "GB/s", scales.counts)


def _shifted_streams(pen):
    for source in pen.sources:
        for index, op in enumerate(OPS):
            points = _at_rest(source, level="dram", stride=[1, None], layout="stream", width=[4, None], op=op)
            pen.plot(source, points, "offset", rate, f"{op}s", index)
    pen.axes(
        "DRAM: a stream of 4 bytes per lane, by its offset",
        "offset (bytes)",
        "useful GB/s",
        scales.ticks_at(*range(0, 129, 32)),
    )


def _residuals(pen):
    pen.residuals("Residuals of the law", lambda p: f"{LEVELS[p.params['level']]}, {p.params['op']}")


def panels(_):
    stride = partial(_stride, every=False)
    return [Panel(stride, 1.35, wide=True), Panel(_offset), Panel(_order)]


def supplement(_):
    ways = (("load", 4), ("store", 4), ("load", 16), ("store", 16), ("load", 1))
    strides = [Panel(partial(_stride, op=op, width=width)) for op, width in ways]
    return [*strides, Panel(partial(_offset, op="store")), Panel(_streams), Panel(_shifted_streams), Panel(_residuals)]
