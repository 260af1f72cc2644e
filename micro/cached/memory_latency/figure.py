"""Latencies: one ladder of all memories, the staircase over the footprint, few links over many pages, and the places
of the L2."""

from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import pvariance

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    LEAST_WIDTH,
    PALE,
    brackets,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    heights,
    legend_above,
    log10_axis,
    panel_key,
    shade,
    tiled,
)
from gpufx_plot.model import number, size_text

TITLE = "How long does one dependent access take, in each memory?"
LINE_BYTES, LEAST_L2_BYTES = 128, 512 << 10
BINS = 32
QUICKNESS = ("quicker for the first SM", "slower for the first SM")


def _dense(source, space):
    """Walks whose links lie line by line (constant memory's lines are shorter), in order of the footprint."""
    points = [p for p in pick(source.points, space=space) if p.params.get("stride", LINE_BYTES) <= LINE_BYTES]
    return sorted((p for p in points if p.params.get("footprint")), key=lambda p: p.params["footprint"])


def _placed(source):
    """One line, read by one SM, in the first process alone: with other physical pages a line changes sides. It has been
    read many times: what a first touch costs these cases do not say."""
    points = [p for p in pick(source.points, space="l2") if p.params.get("stride", 0) <= LINE_BYTES]
    return [replace(p, medians=p.medians[:1], intervals=p.intervals[:1]) for p in points]


def _level(label, points):
    """A rung of the ladder: where the costs of these points lie, and of which footprint it tells."""
    sizes = values(points, "footprint")
    room = f" ({size_text(sizes[0])})" if len(sizes) == 1 and sizes[0] else ""
    return label, room, min(p.value for p in points), max(p.value for p in points)


def _ladder(source):
    """(label, footprint, lowest, highest) of each memory and level that was measured. A level is told by its size: the
    smallest one for the first, a quarter of the L2 at most for the L2, four times the L2 at least for the DRAM."""
    l2 = source.archive.run["device"]["l2_bytes"]
    found = []
    if registers := pick(source.points, space="register"):
        found.append(_level("register", registers))
    for space, name in (("shared", "shared memory"), ("local", "local memory, in the L1")):
        if points := _dense(source, space):
            found.append(_level(name, points[:1]))
    if points := _dense(source, "constant"):
        found.append(_level("constant memory, small", points[:1]))
        if points[-1].params["footprint"] >= 16 << 10:
            found.append(_level("constant memory, large", points[-1:]))
    for space, name in (("global", "global"), ("texture", "texture")):
        points = _dense(source, space)
        rungs = (
            ("L1", [p for p in points if p.params["footprint"] < 64 << 10][:1]),
            ("L2", [p for p in points if LEAST_L2_BYTES <= p.params["footprint"] <= l2 / 4][-1:]),
            ("DRAM", [p for p in points if p.params["footprint"] >= 4 * l2][-1:]),
        )
        found += [_level(f"{name}, {level}", part) for level, part in rungs if part]
    if places := _placed(source):
        found.append(_level("global, L2, by line and SM", places))
    return sorted(found, key=lambda level: (level[2], level[0]))


def _steps(c, ax):
    ladders = [_ladder(source) for source in c.sources]
    rooms: dict[str, set] = {}
    for label, room, *_ in (rung for ladder in ladders for rung in ladder):
        rooms.setdefault(label, set()).add(room)
    labels = sorted(
        rooms, key=lambda label: min(low for ladder in ladders for name, _, low, _ in ladder if name == label)
    )
    step = 0.8 / len(c.sources)
    for index, (source, ladder) in enumerate(zip(c.sources, ladders, strict=True)):
        look = c.look(source, 0, 1) | {"linestyle": "none", "markersize": 5}
        for label, _, low, high in ladder:
            place = labels.index(label) + step * (index - (len(c.sources) - 1) / 2)
            ax.plot([low, high], [place, place], color=source.colour, linewidth=2.4, alpha=0.5)
            ax.plot([low] if high < 1.01 * low else [low, high], [place] * (1 + (high >= 1.01 * low)), **look)
            text = number(low, 3) if high < 1.01 * low else f"{number(low, 3)} to {number(high, 3)}"
            at = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
            ax.annotate(text, (high, place), fontsize=7.5 if len(c.sources) == 1 else 6, **at)
    reach = [v for ladder in ladders for _, _, *ends in ladder for v in ends if v > 0]
    # Archives that were swept otherwise took a level at other footprints, which then are not named.
    named = [label + (min(rooms[label]) if len(rooms[label]) == 1 else "") for label in labels]
    ax.set_yticks(range(len(labels)), named, fontsize=7.8)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    decorate(ax, "All memories, one access after the other", "latency (SM cycles)", "")
    log10_axis(ax.xaxis, reach)
    if reach:
        ax.set_xlim(min(reach) / 1.4, max(reach) * 2.6)


def _staircase(c, ax):
    drawn, l2s = [], {}
    for source in c.sources:
        points = pick(_dense(source, "global"), stride=[LINE_BYTES, None])
        for series in split(points, "footprint"):
            plot(c, ax, source, series, "footprint", c.look(source, 0, 1), "", law=None)
            if len(c.sources) == 1:
                heights(ax, [(p.params["footprint"], p.value) for p in series.points])
                brackets(ax, series.points, "footprint")
            drawn += series.points
        l2 = source.archive.run["device"]["l2_bytes"]
        ax.axvline(l2, color=c.law_look(source)["color"], linewidth=0.8, linestyle=":")
        l2s[l2] = source
    for row, (l2, source) in enumerate(l2s.items()):
        text = {"fontsize": 7.2, "color": c.law_look(source)["color"], "textcoords": "offset points"}
        ax.annotate(f"L2 {size_text(l2)}", (l2, min(p.value for p in drawn)), (3, 10 * row), **text)
    decorate(ax, "Global memory, by footprint", "footprint, every line of it", "latency (SM cycles)")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn])
    log10_axis(ax.yaxis, [p.value for p in drawn])
    if min(p.value for p in drawn) > 0:
        ax.set_ylim(min(p.value for p in drawn) / 1.3, max(p.value for p in drawn) * 1.4)


def _spread(source):
    """Few links over many pages, read past the L1, whose hits need no translation."""
    return [p for p in pick(source.points, space="l2") if p.params.get("stride", 0) > LINE_BYTES]


def _cached(source):
    """The same through the L1."""
    return [p for p in pick(source.points, space="global") if p.params.get("stride", 0) > LINE_BYTES]


def _pages(c, ax):
    drawn = []
    strides = values([p for s in c.sources for p in _spread(s)], "stride")
    for source in c.sources:
        dense = pick(_dense(source, "global"), stride=LINE_BYTES)
        shared = [p for p in dense if p.params["footprint"] >= 1 << 20]
        if len(c.sources) == 1 and shared:
            xs = [p.params["footprint"] for p in shared]
            ax.plot(xs, [p.value for p in shared], color=PALE, linewidth=3, label="every line")
            drawn += shared
        for series in split(_spread(source), "footprint", "stride"):
            look = c.look(source, strides.index(series.key["stride"]), max(2, len(strides)))
            label = f"one in {size_text(series.key['stride'])}, past the L1"
            plot(c, ax, source, series, "footprint", look, label, law=None, own=True)
            drawn += series.points
        for series in split(_cached(source), "footprint", "stride"):
            look = c.look(source, 0, 1) | {"marker": "x"}
            label = f"one in {size_text(series.key['stride'])}, through the L1"
            plot(c, ax, source, series, "footprint", look, label, law=None, own=True)
            drawn += series.points
    decorate(ax, "Few lines over many pages: the data stay in the cache", "footprint", "latency (SM cycles)")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax)


def _quick(points) -> set:
    """The lines that are quicker for the source's first SM than for others. What all SMs see alike says nothing of that
    and can hide it, so the latencies of the SM that sees most otherwise are subtracted, if that sets the lines further
    apart. They are parted at their widest gap."""
    seen = {sm: {p.params.get("line"): p.value for p in pick(points, sm=sm)} for sm in values(points, "sm")}
    first, *others = seen.values()
    whole = [dict.fromkeys(first, 0.0), *(other for other in others if other.keys() == first.keys())]
    ways = [{line: first[line] - other[line] for line in first} for other in whole]
    against = max(ways, key=lambda way: pvariance(way.values()))
    ranked = sorted(first, key=against.get)
    gaps = [against[b] - against[a] for a, b in pairwise(ranked)]
    return set(ranked[: gaps.index(max(gaps)) + 1] if gaps else ranked)


def _places(c, cell):
    """Above, how many of all (line, SM) have which latency; below, each line as one dot, SM by SM."""
    grid = cell.subgridspec(2, 1, height_ratios=(1, 2.6))
    top = c.figure.add_subplot(grid[0])
    ax = c.figure.add_subplot(grid[1], sharex=top)
    found = [(source, _placed(source)) for source in c.sources]
    reach = [p.value for _, points in found for p in points]
    width = max(max(reach) - min(reach), 1.0) / BINS
    sms = values([p for _, points in found for p in points], "sm")
    for row, (source, points) in enumerate(found):
        counts = [0] * (BINS + 1)
        for p in points:
            counts[int((p.value - min(reach)) / width)] += 1
        left = [min(reach) + i * width for i in range(BINS + 1)]
        top.bar(left, counts, width, align="edge", color=source.colour, alpha=0.75 / len(found) ** 0.5)
        # Lines keep on all SMs the colour that they have on the first: sides change then.
        quick = _quick(points) if points else set()
        for index, wanted in enumerate((True, False)):
            mine = [p for p in points if (p.params.get("line") in quick) is wanted]
            places = [sms.index(p.params["sm"]) + 0.3 * (row - (len(found) - 1) / 2) for p in mine]
            look = {"markersize": 4, "color": shade(source.colour, index, 2), "marker": "o^"[index]}
            look |= {"linestyle": "none"} | ({"markerfacecolor": "none"} if row else {})
            ax.plot([p.value for p in mine], places, **look)
            panel_key(top, QUICKNESS[index] if mine else "", **look)
    lines = len(values([p for _, points in found for p in points], "line"))
    decorate(
        top,
        f"L2: {lines} settled line{'' if lines == 1 else 's'} of memory, read from each of {len(sms)} SMs",
        "",
        "cases",
    )
    decorate(ax, "", "latency (SM cycles)", "SM")
    top.tick_params(labelbottom=False)
    legend_above(top)
    ax.set_yticks(range(len(sms)), sms)
    ax.set_ylim(len(sms) - 0.5, -0.5)


def draw(sources):
    panels = []
    if any(_ladder(s) for s in sources):
        panels.append(_steps)
    if any(pick(_dense(s, "global"), stride=[LINE_BYTES, None]) for s in sources):
        panels.append(_staircase)
    if any(_spread(s) or _cached(s) for s in sources):
        panels.append(_pages)
    placed = any(_placed(s) for s in sources)
    count = len(panels) + placed
    if not count:
        return None
    columns = min(2, count)
    c = canvas(sources, 13 if count > 1 else LEAST_WIDTH, 3.6 * -(-count // columns))
    grid = c.figure.add_gridspec(-(-count // columns), columns)
    for index, panel in enumerate(panels):
        tiled(c, [partial(panel, c)], 1, grid[index // columns, index % columns])
    if placed:
        _places(c, grid[(count - 1) // columns, (count - 1) % columns])
    if len(sources) == 1 and _staircase in panels:
        c.note("figures: the height of flat parts; shaded: where each ends")
    if placed:
        c.note("SM by SM: a mark per line, read over and over, of one process; a first touch of a far line costs more")
    return finish(c, TITLE)
