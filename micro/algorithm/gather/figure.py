"""Gather: elements per ns by the size of the table, and what sorting, paths and lanes together make of it."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import DASHES
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does out[i] = table[index[i]] cost, by the size of the elements and of the table?"
ELEMENTS = 4 << 20
OTHERS = {"plain": "plain", "readonly": "__ldg", "texture": "texture", "together": "lanes together"}


def _rate(_, value):
    """Elements per ns."""
    return ELEMENTS / value if value > 0 else None


def _plain(source, element):
    return pick(source.points, variant="plain", element=element)


def _gains(source):
    """What sorting most indices at a time gains: (case, ratio) of each table."""
    every = pick(source.points, variant="sorted", window=4 << 20)
    return [(p, q.value / p.value) for p in every for q in pick(_plain(source, 4), footprint=p.params["footprint"])]


def finding(source):
    return source.said("Random 4-byte gathers take {gather.dram_ratio} as long from 1 GiB as from 8 MiB")


def _tables(axis, values):
    scales.sizes(axis, values)
    axis.set_ticks([64 << 10, 8 << 20, 64 << 20, 1 << 30])


def _sizes(pen):
    for source in pen.sources:
        elements = [e for e in values(source.points, "element") if len(_plain(source, e)) > 3]
        for index, element in enumerate(elements):
            pen.plot(source, _plain(source, element), "footprint", _rate, f"{element}-byte elements", index)
        size = source.device.get("l2_bytes")
        if size:
            pen.mark(size, "L2", source)
        times = source.said("{gather.dram_ratio}")
        for size, after in ((8 << 20, ""), (1 << 30, f", {times} as long" * bool(times))):
            wanted, name = {"variant": "plain", "element": 4, "footprint": size}, size_text(size)
            pen.say("footprint", wanted, lambda v, of=name, and_=after: f"{of}: {short(v)}{and_}", _rate, 2, 6, "left")
    pen.ys.append(0.7 * min(pen.ys, default=1))  # room for a tick below the last numbers
    pen.axes("Random elements, by table size", "table size", "elements per ns", _tables, scales.log10)


def _sorted(pen):
    for source in pen.sources:
        tables = values(pick(source.points, variant="sorted"), "footprint")
        for index, footprint in enumerate(tables):
            points = pick(source.points, variant="sorted", footprint=footprint)
            pen.plot(source, points, "window", _rate, f"table of {size_text(footprint)}", index)
            for p in pick(_plain(source, 4), footprint=footprint):
                y, colour = _rate(p, p.value), pen.colour(source, index)
                pen.ax.axhline(y, color=colour, linewidth=0.12 * pen.sheet.size, linestyle=DASHES[1], zorder=2.7)
                pen.ys.append(y)
                pen.notes.add("dashed: the same table, indices at random")
        for p, gain in (gains := _gains(source)):
            lowest = p.value == max(q.value for q, _ in gains)
            place = (0, -9, "right", "top") if lowest else (-6, 1, "right")
            pen.say("window", p.params, lambda _, gain=gain: ratio_text(gain), _rate, *place)
    pen.axes(
        "Elements of 4 bytes, sorted indices", "indices sorted at a time", "elements per ns", scales.counts, scales.zero
    )


def panels(_):
    return [Panel(_sizes, 1.1, wide=True)]


def _ways(pen, element):
    """The ways to read elements of one size, from each table."""
    rows = []
    for source in pen.sources:
        others = pick(source.points, variant=[v for v in OTHERS if v != "plain"], element=element)
        for footprint in values(others, "footprint"):
            for variant, name in OTHERS.items():
                for p in pick(source.points, variant=variant, element=element, footprint=footprint):
                    rows.append((f"{size_text(footprint)}, {name}", source, p, 0))
    pen.bars(rows, _rate)
    pen.axes(f"Elements of {element} B by table and way", "elements per ns", "", scales.zero, None)


def supplement(sources):
    others = [p for s in sources for p in pick(s.points, variant=[v for v in OTHERS if v != "plain"])]
    return [
        Panel(_sorted, wide=True),
        *(Panel(partial(_ways, element=element)) for element in values(others, "element")),
    ]
