"""Barriers: cost by who waits, signals between two warps, and clusters and grids by their blocks."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What does a barrier cost, by scope and by mechanism?"
BLOCK = {"block": "__syncthreads", "mbarrier": "mbarrier"}
SIGNALS = {
    "named_signal": "named barrier",
    "mbarrier_signal": "mbarrier",
    "remote_signal": "mbarrier of another block",
    "remote_release": "the same, .release.cluster",
}


def finding(source):
    return source.said(
        "A block's barrier takes {barrier.block}, a cluster's {barrier.cluster}, a grid's {barrier.grid}",
    )


def _block(pen):
    pen.lines("warps", by("op", BLOCK), law="default")
    pen.axes("Barrier of a block", "warps of the block", "SM cycles", scales.counts)


def _clusters(pen):
    names = {warps: f"{warps} warp{'s' if warps > 1 else ''} per block" for warps in (1, 8, 32)}
    pen.lines("blocks", by("warps", names, op="cluster"))
    pen.axes("Barrier of a cluster", "blocks of the cluster", "SM cycles", scales.counts)


def _signals(pen):
    pen.bars([row for name, op in SIGNALS.items() for row in pen.cases({op: {"op": name}})[:1]], text="{:.0f}".format)
    pen.axes("A signal from one warp to another", "SM cycles", "", scales.zero, None)


def panels(_):
    return [Panel(_block), Panel(_clusters), Panel(_signals, wide=True)]
