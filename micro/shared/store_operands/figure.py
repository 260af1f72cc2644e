"""Stores of fresh registers: the cost over stores of the same registers again, by memory and width."""

from functools import partial
from statistics import median

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import against, pick, split, values

QUESTION = "Does a store of freshly computed registers cost more?"
NAMES = {"shared": "shared memory", "global": "global memory, L2"}
WIDTHS = (4, 8, 16)
ALIKE = 2  # per cent


def finding(source):
    ratios = [found[0] for memory in NAMES for width in WIDTHS if (found := _times(source, memory, width))]
    apart = 100 * max((abs(round(ratio, 3) - 1) for ratio in ratios), default=1)  # as the panel writes them
    if apart < ALIKE:
        return f"A store takes as long from registers just computed as from older ones: medians within {apart:.1f} %"
    return source.said(
        "A 16-byte store to shared memory takes {shared.fresh_store_ratio} as long"
        " from registers just computed as from older ones"
    )


def _times(source, memory, width):
    """The median and both ends over all conflicts, and the numbers of fresh registers and of sets."""
    points = pick(source.points, memory=memory, width=width)
    fresh = [n for n in values(points, "fresh") if n]
    ratios = sorted(p.value / q.value for n in fresh for p, q in against(points, "fresh", n, 0))
    return ratios and (median(ratios), ratios[0], ratios[-1])


def _ratios(pen):
    rows = [
        (f"{NAMES[memory]}, {width} bytes per lane", source, found, index)
        for index, memory in enumerate(NAMES)
        for width in WIDTHS
        for source in pen.sources
        if (found := _times(source, memory, width))
    ]
    pen.bars(rows, text=lambda v: f"{v:.3f}", dots=True)
    pen.mark(1)
    pen.notes.add("mark: median of all cases; line: their range")
    pen.axes("A store of registers that were just computed", "time, new / old registers", "", scales.ratio, None)


def _costs(pen, memory, width):
    for source in pen.sources:
        series = split(pick(source.points, memory=memory, width=width), "ways", "fresh", "sets")
        for index, line in enumerate(series):
            sets = "4 sets, alternating" if line.key["sets"] > 1 else "1 set"
            name = f"{line.key['fresh'] or 'no'} fresh, {sets}"
            pen.plot(source, line.points, "ways", cost, name, index, law="default")
    title = f"{NAMES[memory].capitalize()}, {width} bytes per lane"
    pen.axes(title, "ways of the conflict", "SM cycles per access", scales.counts, scales.log2)


def panels(sources):
    return [Panel(_ratios, wide=True)]


def supplement(sources):
    return [Panel(partial(_costs, memory=memory, width=width)) for memory in NAMES for width in WIDTHS]
