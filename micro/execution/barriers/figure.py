"""Barriers: cost by who waits, signals between two warps, and clusters and grids by their blocks."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does it cost to wait for each other, by who waits and by what?"
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
    for source in pen.sources:
        for index, (op, name) in enumerate(BLOCK.items()):
            pen.plot(source, pick(source.points, op=op), "warps", cost, name, index, law="default")
    pen.axes("Barrier of a block", "warps of the block", "SM cycles", scales.counts)


def _signals(pen):
    rows = []
    for source in pen.sources:
        for op, name in SIGNALS.items():
            rows += [(name, source, point, 0) for point in pick(source.points, op=op)[:1]]
    pen.bars(rows, text=lambda v: f"{v:.0f}")
    pen.axes("A signal from one warp to another", "SM cycles", "", scales.zero, None)


def _clusters(pen):
    for source in pen.sources:
        for index, warps in enumerate((1, 8, 32)):
            points = pick(source.points, op="cluster", warps=warps)
            pen.plot(
                source, points, "blocks", cost, "1 warp per block" if warps == 1 else f"{warps} warps per block", index
            )
    pen.axes("Barrier of a cluster", "blocks of the cluster", "SM cycles", scales.counts)


def panels(sources):
    found = []
    for draw, ops, bars in ((_block, BLOCK, False), (_signals, SIGNALS, True), (_clusters, ["cluster"], False)):
        if any(pick(s.points, op=op) for s in sources for op in ops):
            found.append(Panel(draw, bars=True) if bars else Panel(draw))
    return found
