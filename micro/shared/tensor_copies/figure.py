"""Tensor copies: time by size of the box and by descriptor; rate by rows, what swizzles cure, and multicast."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "How long does a tensor copy (TMA) take, by box and descriptor?"
DESCRIPTORS = {
    "used": "descriptor in use",
    "fresh": "not in the cache",
    "prefetched": "prefetched",
}
WAYS = {"load": "each block loads", "multicast": "one load for all"}


def finding(source):
    return source.said(
        "A TMA copy of 128 bytes takes {tma.latency}",
        "; an uncached descriptor makes 1 KiB take {tma.descriptor_ratio} as long",
    )


def _latency(pen):
    wanted = {"mode": "latency", "way": "load", "dims": 2, "descriptor": "used"}
    pen.lines("rows", {"": wanted})
    pen.say("rows", wanted | {"rows": 1}, "{tma.latency}", dx=-8, ha="left")
    pen.headroom(1.1)
    pen.axes("One box at a time, from the L2", "rows of 128 bytes", "SM cycles per box", scales.counts)


def _rates(pen):
    pen.lines(
        "row",
        {"": {"mode": "throughput", "way": "load", "dims": 2, "swizzle": "none"}},
        rate,
    )
    pen.axes(
        "Four boxes in flight, by their rows",
        "bytes of a row",
        "bytes per SM cycle",
        scales.counts,
    )


def _readers(pen):
    swizzles = {f"rows of {row} bytes": str(row) for row in (32, 64, 128)}
    rows = [
        row
        for name, swizzle in swizzles.items()
        for index, words in enumerate(("none", swizzle))
        for row in pen.cases({name: {"mode": "reader", "row": int(swizzle), "swizzle": words}}, index)
    ]
    widest = [(s, p) for s in pen.sources for p in pick(s.points, mode="reader", row=128, swizzle="none")]
    after = {
        (s.index, p.name): f": {ratio}" for s, p in widest if pen.alone and (ratio := s.said("{tma.conflict_ratio}"))
    }
    pen.bars(rows, text="{:.1f}".format, series=["no swizzle", "swizzle as wide as the row"], after=after)
    pen.axes(
        "Reads down a column of the tile, 16 bytes per lane",
        "SM cycles per access",
        "",
        scales.zero,
        None,
    )


def _descriptors(pen):
    cases = by("descriptor", DESCRIPTORS, mode="latency", way="load", dims=2, rows=8)
    rows = [row for name in cases for row in pen.cases({name: cases[name]}, int(name == DESCRIPTORS["fresh"]))]
    fresh = [(s, p) for s in pen.sources for p in pick(s.points, **cases[DESCRIPTORS["fresh"]])]
    ratios = {(s.index, p.name): s.said("{tma.descriptor_ratio}") for s, p in fresh if pen.alone}
    after = {case: f": {ratio}" for case, ratio in ratios.items() if ratio}
    pen.bars(rows, text="{:.0f}".format, after=after)
    pen.axes("1 KiB by its descriptor", "SM cycles per box", "", scales.zero, None)


def _chip(pen):
    pen.lines("cluster", by("way", WAYS, mode="chip"), rate)
    pen.axes(
        "A tile that all blocks of a cluster want",
        "blocks of the cluster",
        "GB/s into all SMs",
        scales.counts,
    )


def panels(_):
    return [
        Panel(_latency, wide=True),
        Panel(_descriptors, wide=True),
    ]


def supplement(_):
    return [Panel(_readers, wide=True), Panel(_rates), Panel(_chip)]
