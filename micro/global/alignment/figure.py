"""Alignment: shifted streams, rows by length and pitch, arrays of structures against structures of arrays."""

from functools import partial

from gpufx_plot.charts.series import pick, values
from gpufx_plot.charts.style import (
    GREY,
    MARKERS,
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

TITLE = "What does data cost that does not lie where sectors begin?"
LEVELS = {"dram": "DRAM", "l2": "L2"}
PITCHES = ("tight", "p32", "p64", "p128", "p512", "cuda")
DRAWN_PITCHES = ("tight", "p64", "cuda")
SAID = {"tight": "tight", "cuda": "cudaMallocPitch"} | {f"p{n}": f"multiple of {n}" for n in (32, 64, 128, 512)}


def _line(c, ax, source, index, count, label, pairs, **more):
    """One series of (x, y), labelled in the panel's own legend."""
    pairs = sorted(pairs)
    look = c.look(source, index, count) | {"markersize": 4.2, "linewidth": 1.2} | more
    ax.plot([x for x, _ in pairs], [y for _, y in pairs], **look)
    panel_key(ax, label if pairs else "", **look)
    return [y for _, y in pairs]


def _peak(c, ax):
    """The memory's theoretical peak, which rates are held against."""
    peaks = [(s, s.archive.run["device"]["memory_peak_GBps"] or 0) for s in c.sources]
    for source, peak in peaks:
        if peak:
            peak_line(c, ax, source, peak, f"DRAM peak {peak:.0f} GB/s")
    return [peak for _, peak in peaks]


def _base(c, ax):
    heights = []
    widths = values([p for s in c.sources for p in pick(s.points, task="base")], "width")
    for source in c.sources:
        for index, width in enumerate(widths):
            points = pick(source.points, task="base", width=width)
            pairs = [(p.params["base"], p.gbps) for p in points if p.gbps]
            heights += _line(c, ax, source, index, max(3, len(widths)), f"{width} bytes per lane", pairs)
    decorate(ax, "A stream from DRAM, by the shift of its base", "base (bytes)", "GB/s")
    ax.set_xticks(range(0, 129, 16))
    from_zero(ax, heights + _peak(c, ax))
    legend_above(ax)


def _rows(c, ax):
    """Useful rates of rows in random order."""
    heights, lengths = [], []
    for source in c.sources:
        for index, pitch in enumerate(DRAWN_PITCHES):
            points = [p for p in pick(source.points, task="rows", order="random", pitch=pitch) if p.gbps]
            pairs = [(p.params["row"], p.gbps) for p in points]
            heights += _line(c, ax, source, index, 3, SAID[pitch], pairs)
            lengths += [x for x, _ in pairs]
    decorate(ax, "Rows in random order, by pitch: useful rate", "bytes of a row", "GB/s")
    log2_axis(ax.xaxis, lengths)
    from_zero(ax, heights + _peak(c, ax))
    legend_above(ax)


def _against(points, axis, left, right):
    """Pairs of points that differ in `axis` alone."""

    def rest(point):
        return tuple(sorted((k, v) for k, v in point.params.items() if k != axis))

    others = {rest(p): p for p in pick(points, **{axis: right})}
    return [
        (p, others[rest(p)]) for p in pick(points, **{axis: left}) if rest(p) in others and others[rest(p)].value > 0
    ]


def _gain(c, ax):
    """What the pitch is worth: tight over cudaMallocPitch, with the ratio of the laws' counts."""
    heights, lengths = [1], []
    for source in c.sources:
        for index, order in enumerate(("random", "linear")):
            both = _against(pick(source.points, task="rows", order=order), "pitch", "tight", "cuda")
            name = "random order" if order == "random" else "in order"
            pairs = [(p.params["row"], p.value / q.value) for p, q in both]
            heights += _line(c, ax, source, index, 2, name, pairs, linestyle="none")
            laws = sorted((p.params["row"], p.count / q.count) for p, q in both if p.count and q.count)
            style = {"color": GREY, "linewidth": 0.9, "linestyle": ("-", (0, (2, 2)))[index]}
            ax.plot([x for x, _ in laws], [y for _, y in laws], **style)
            panel_key(ax, f"the law's pairs, {name}" if laws else "", **style)
            heights += [y for _, y in laws]
            lengths += [x for x, _ in pairs]
    decorate(ax, "What a pitch is worth", "bytes of a row", "tight / cudaMallocPitch")
    ax.axhline(1, color=GREY, linewidth=0.6)
    log2_axis(ax.xaxis, lengths)
    from_zero(ax, heights)
    legend_above(ax, 2)


def _pitches(c, ax):
    """All pitches of the rows for which most were measured."""
    every = [p for s in c.sources for p in pick(s.points, task="rows", order="random")]
    rows = _many_pitches(c.sources)[:3]
    heights = []
    places = [p for p in PITCHES if pick(every, pitch=p, row=rows)]
    for source in c.sources:
        for index, row in enumerate(rows):
            points = pick(source.points, task="rows", order="random", row=row)
            pairs = [(places.index(p.params["pitch"]), p.value) for p in points]
            heights += _line(c, ax, source, index, 3, f"{row} bytes", pairs, linestyle="none", markersize=5)
            laws = sorted((places.index(p.params["pitch"]), source.predicted(p)) for p in points if source.predicted(p))
            for x, y in laws:
                ax.plot([x - 0.25, x + 0.25], [y, y], **c.law_look(source))
    decorate(ax, "Rows in random order, every pitch", "pitch", "ns per row, whole GPU")
    ax.set_xticks(range(len(places)), [p.removeprefix("p") for p in places])
    ax.grid(visible=False, axis="x")
    from_zero(ax, heights)
    legend_above(ax)


def _many_pitches(sources) -> list[int]:
    every = [p for s in sources for p in pick(s.points, task="rows", order="random")]
    return [row for row in values(every, "row") if len(values(pick(every, row=row), "pitch")) > 3]


def _structs(c, ax, read):
    """Arrays of structures over structures of arrays, by the number of fields, and what the laws' counts say."""
    heights, drawn = [1], []
    for source in c.sources:
        for index, (level, name) in enumerate(LEVELS.items()):
            points = pick(source.points, task="structs", read=read, level=level, width=4)
            both = _against(points, "layout", "aos", "soa")
            pairs = [(p.params["fields"], p.value / q.value) for p, q in both]
            heights += _line(
                c, ax, source, index, 2, name, pairs, linestyle="none", marker=MARKERS[index], markersize=5
            )
            drawn += [(p.params["fields"], p.count / q.count) for p, q in both if p.count and q.count]
    laws = sorted(set(drawn))
    ax.plot([x for x, _ in laws], [y for _, y in laws], color=GREY, linewidth=0.9, label="the law's counts")
    what = "one field" if read == "one" else "every field"
    decorate(ax, f"Structures, {what} read: AoS over SoA", "fields of 4 bytes", "times as long")
    ax.set_xticks(sorted({x for x, _ in laws}) or [1])
    from_zero(ax, heights + [y for _, y in laws])
    legend_above(ax)


def _paired(sources, axis, left, right, **wanted) -> bool:
    return any(_against(pick(s.points, **wanted), axis, left, right) for s in sources)


def _rated(sources, **wanted) -> bool:
    return any(p.gbps for s in sources for p in pick(s.points, **wanted))


def draw(sources):
    c = canvas(sources, 13, 3.1)
    panels = []
    if _rated(sources, task="base"):
        panels.append(_base)
    if _rated(sources, task="rows", order="random", pitch=list(DRAWN_PITCHES)):
        panels.append(_rows)
    if _paired(sources, "pitch", "tight", "cuda", task="rows"):
        panels.append(_gain)
    if _many_pitches(sources):
        panels.append(_pitches)
    for read in ("one", "whole"):
        if _paired(sources, "layout", "aos", "soa", task="structs", read=read, width=4):
            panels.append(partial(_structs, read=read))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.1 * -(-len(panels) // 3))
    tiled(c, [partial(panel, c) for panel in panels], 3)
    c.note("points: medians over the processes")
    return finish(c, TITLE)
