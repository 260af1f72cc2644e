"""Barriers: cost by who waits, signals between two warps, and clusters and grids by their blocks."""

from statistics import median

from gpufx_plot.call.number_text import time_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT
from gpufx_plot.showing.charts.pen import Panel, by, pooled, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a barrier cost, by scope and by mechanism?"
BLOCK = {"block": "__syncthreads", "mbarrier": "mbarrier"}
SIGNALS = {
    "named_signal": "named barrier",
    "mbarrier_signal": "mbarrier",
    "remote_signal": "remote mbarrier",
    "remote_release": "remote mbarrier, release at cluster scope",
}


def finding(source):
    return source.said(
        "With 8 warps per block a barrier of one block takes {barrier.block}",
        "of a two-block cluster {barrier.cluster}",
    )


def _block(pen):
    pen.lines("warps", by("op", BLOCK), law="default")
    pen.say(
        "warps", {"op": "block", "warps": 8}, "{barrier.block}", dx=5, ha="right", colour=pen.colour(pen.sources[0], 0)
    )
    pen.axes("Barrier of a block", "warps of the block", "SM cycles", scales.counts)


def _clusters(pen):
    names = {warps: f"{warps} warp{'s' if warps > 1 else ''} per block" for warps in (1, 8, 32)}
    pen.lines("blocks", by("warps", names, op="cluster"), pooled)
    pen.say(
        "blocks",
        {"op": "cluster", "warps": 8, "blocks": 2},
        "{barrier.cluster}",
        pooled,
        -4,
        9,
        "left",
        colour=pen.colour(pen.sources[0], 1),
    )
    pen.axes("Barrier of a cluster", "blocks of the cluster", "SM cycles", scales.counts)


def _grid(pen):
    """In the cycles of the other panels, by the archive's clock: a grid's barrier is measured in ns."""
    clocks = [median(mhz) / 1e3 if (mhz := source.archive.clocks.sm_mhz) else None for source in pen.sources]
    known = all(clocks)
    for source, ghz in zip(pen.sources, clocks, strict=True):
        points = pick(source.points, op="grid", warps=8)

        def y(point, ns, ghz=ghz if known else 1):
            return pooled(point, ns) * ghz

        pen.plot(source, points, lambda p, s=source: p.params["blocks"] or s.device.get("sm_count"), y)
        for p in pick(points, blocks=0) if pen.alone and (blocks := source.device.get("sm_count")) else ():
            cycles, time = short(y(p, p.value)), time_text(float(f"{pooled(p, p.value):.2e}"))
            words = f"{blocks} blocks: " + (f"{cycles} cycles ({time})" if known else time)
            pen.write(blocks, y(p, p.value), words, 6, 8, "right", "bottom", TEXT)
    pen.headroom(1.2)
    pen.axes(
        "Barrier of a grid, 8 warps per block", "blocks of the grid", "SM cycles" if known else "ns", scales.counts
    )


def _signals(pen):
    rows = [
        (label, source, point, 0)
        for op, label in SIGNALS.items()
        for source in pen.sources
        for point in pick(source.points, op=op)[:1]
    ]
    pen.bars(rows, text="{:.0f}".format)
    pen.axes("A signal from warp to warp", "SM cycles", "", scales.zero, None)


def panels(_):
    return [Panel(_block), Panel(_clusters), Panel(_grid), Panel(_signals)]
