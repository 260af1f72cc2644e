"""Alignment: shifted streams, rows by length and pitch, arrays of structures against structures of arrays."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import LAW
from gpufx_plot.showing.charts.pen import Panel, by, cost, rate
from gpufx_plot.showing.charts.series import against, over, pick, values

QUESTION = "What does misaligned data cost?"
LEVELS = {"dram": "DRAM", "l2": "L2"}
READS = {"one": "one field read", "whole": "all fields read"}
PITCHES = {"tight": "tight", "p64": "multiple of 64", "cuda": "cudaMallocPitch"}
NAMED = 64  # bytes of a shift, at which the lines lie apart
ALL_PITCHES = ("tight", "p32", "p64", "p128", "p512", "cuda")


def _law(pen, pairs, axis):
    """What the ratio would be by the counts of what is fetched."""
    laws = sorted({(p.params[axis], p.count / q.count) for p, q in pairs if p.count and q.count})
    if len(laws) > 1:
        style = {"color": LAW, "linewidth": 0.09 * pen.sheet.size, "zorder": 2.1}
        pen.ax.plot(*zip(*laws, strict=True), **style)
        pen.ys += [y for _, y in laws]
        pen.notes.add("thin grey: ratio of the bytes fetched, by the law")


def _shifted(source):
    """(width, points, y: times the aligned time)."""
    for width in values(pick(source.points, task="base"), "width"):
        points = pick(source.points, task="base", width=width)
        aligned = [p.value for p in points if p.params["base"] == 0 and p.value > 0]
        if aligned and len(points) > 1:
            yield width, points, lambda p, v, base=aligned[0]: v / base


def finding(source):
    return source.said(
        "A DRAM stream shifted by 4 bytes takes {dram.misaligned_ratio} as long",
        "; one field of four from an array of structures takes {dram.structure_ratio} as long as from its own array",
    )


def _base(pen):
    for source in pen.sources:
        for index, (width, points, y) in enumerate(_shifted(source)):
            shifted = [p for p in points if p.params["base"]]
            named = [p for p in shifted if p.params["base"] == NAMED] if pen.alone else []
            words = f"{width} B per lane"
            pen.plot(source, shifted, "base", y, words, index, named=not named)
            for p in named:
                above = (-4, 6, "right", "bottom") if not index else (-4, -6, "right", "top")
                pen.write(NAMED, y(p, p.value), words, *above, pen.colour(source, index))
            if width == 4:
                wanted = {"task": "base", "width": width, "base": 4}
                pen.say("base", wanted, "{dram.misaligned_ratio}", y, colour=pen.colour(source, index))
    pen.level(1, "aligned")
    pen.headroom(1.005)
    pen.axes(
        "A DRAM stream, by shift of its base",
        "shift (bytes)",
        "time, shifted / aligned",
        scales.log2,
        scales.linear,
    )


def _structs(pen, level):
    for source in pen.sources:
        for index, read in enumerate(READS):
            points = pick(source.points, task="structs", read=read, level=level, width=4)
            pairs = against(points, "layout", "aos", "soa")
            points, times = over(pairs)
            pen.plot(source, points, "fields", times, READS[read], index, join=read != "one")
            _law(pen, pairs, "fields")
            for p in pick(points, fields=4) if (read, level) == ("one", "dram") else ():
                pen.say("fields", p.params, "{dram.structure_ratio}", times, -5, 3, "right")
    pen.level(1)
    title = f"Array of structures in the {LEVELS[level]}, by the fields of a structure"
    pen.axes(title, "fields per structure (4 bytes each)", "time vs separate arrays")


def _gain(pen):
    for source in pen.sources:
        for index, (order, name) in enumerate((("random", "random order"), ("linear", "in order"))):
            pairs = against(pick(source.points, task="rows", order=order), "pitch", "tight", "cuda")
            points, times = over(pairs)
            pen.plot(source, points, "row", times, name, index, join=False)
            if order == "random":
                _law(pen, pairs, "row")
    pen.level(1)
    pen.axes(
        "Rows packed tightly", "length of a row (bytes)", "time, tight / cudaMallocPitch", scales.counts, scales.linear
    )


def _rows(pen):
    pen.lines("row", by("pitch", PITCHES, task="rows", order="random"), rate)
    for source in pen.sources:
        pen.peak(source)
    pen.axes("Rows in random order, by pitch: useful rate", "length of a row (bytes)", "GB/s", scales.counts)


def _pitches(pen):
    rows = _many(pen.sources)
    every = [p for s in pen.sources for p in pick(s.points, task="rows", order="random", row=rows)]
    places = [pitch for pitch in ALL_PITCHES if pick(every, pitch=pitch)]
    for source in pen.sources:
        for index, row in enumerate(rows):
            points = pick(source.points, task="rows", order="random", row=row)
            pen.plot(
                source,
                points,
                lambda p: places.index(p.params["pitch"]),
                cost,
                f"{row} bytes",
                index,
                law="ticks",
                join=False,
            )
    names = scales.named([pitch.removeprefix("p") for pitch in places])
    pen.axes("Rows in random order, every pitch", "pitch", "ns per row, whole GPU", names)


def _many(sources):
    every = [p for s in sources for p in pick(s.points, task="rows", order="random")]
    return [row for row in values(every, "row") if len(values(pick(every, row=row), "pitch")) > 3]


def panels(_):
    return [Panel(_base, wide=True), Panel(partial(_structs, level="dram"), wide=True)]


def supplement(_):
    return [Panel(partial(_structs, level="l2"), wide=True), Panel(_gain), Panel(_rows), Panel(_pitches)]
