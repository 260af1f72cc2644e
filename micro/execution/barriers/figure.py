"""Barriers: cost by who waits, signals between two warps, and clusters and grids by their blocks."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT
from gpufx_plot.showing.charts.pen import Panel, by, pooled
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
    pen.say("warps", {"op": "block", "warps": 8}, "{barrier.block}", dx=5, ha="right")
    pen.axes("Barrier of a block", "warps of the block", "SM cycles", scales.counts)


def _clusters(pen):
    names = {warps: f"{warps} warp{'s' if warps > 1 else ''} per block" for warps in (1, 8, 32)}
    pen.lines("blocks", by("warps", names, op="cluster"), pooled)
    pen.say("blocks", {"op": "cluster", "warps": 8, "blocks": 2}, "{barrier.cluster}", pooled, -4, 9, "left")
    pen.axes("Barrier of a cluster", "blocks of the cluster", "SM cycles", scales.counts)


def _grid(pen):
    us = pen.alone and "µs" in pen.sources[0].said("{barrier.grid}")  # as the sheet has it
    for source in pen.sources:
        points = pick(source.points, op="grid", warps=8)

        def y(point, ns):
            return pooled(point, ns) / (1e3 if us else 1)

        pen.plot(source, points, lambda p, s=source: p.params["blocks"] or s.device.get("sm_count"), y)
        for p in pick(points, blocks=0) if pen.alone and source.device.get("sm_count") else ():
            pen.write(
                source.device["sm_count"], y(p, p.value), source.said("{barrier.grid}"), 0, -7, "right", "top", TEXT
            )
    pen.axes("Barrier of a grid, 8 warps per block", "blocks of the grid", "µs" if us else "ns", scales.counts)


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
