"""Distributed shared memory: latency by owner, rate by size of the cluster, and many readers of one block."""

from functools import partial
from statistics import median

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, cost, rate
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does an access to the shared memory of another SM cost?"
WHO = {"one": "one block reads", "ring": "each from its neighbour", "hot": "all from block 0"}


def _own(source, mode, path="plain", **wanted):
    found = pick(source.points, mode=mode, cluster=1, hop=0, path=path, **wanted)
    return found[0] if found else None


def _others(source):
    """Reads of another block's memory by one reader."""
    points = pick(source.points, mode="latency", path="mapped", readers="one")
    return [p for p in points if p.params["hop"]]


def _width(source):
    return max(values(pick(source.points, mode="throughput"), "width"), default=None)


def _rates(source, who):
    points = pick(source.points, mode="throughput", path="mapped", width=_width(source), readers=who)
    return [p for p in points if p.params["cluster"] > 1 and p.value > 0]


def finding(source):
    return source.said(
        "A load from another SM's shared memory takes {cluster.latency}",
        "{cluster.latency_ratio} as long as one from its own",
    )


def _latency(pen):
    rows, after = [], {}
    for source in pen.sources:
        for path, name in (("plain", "own, shared address"), ("mapped", "own, cluster address")):
            if point := _own(source, "latency", path):
                rows.append((name, source, point, 0))
        if others := [p.value for p in _others(source)]:
            near = pick(_others(source), cluster=2, hop=1)
            middle = near[0].value if near else median(others)
            found = (middle, min(others), max(others), near[0].name if near else "")
            rows.append(("another SM's", source, found, 1))
            if ratio := source.said("{cluster.latency_ratio}"):
                after[source.index, found[-1]] = f": {ratio} own"
    pen.bars(rows, text=lambda v: f"{v:.0f}", after=after if pen.alone else None)
    pen.notes.add("bar of another SM's: a cluster of 2; black line: range over all hops and clusters")
    pen.axes("Latency of one load", "SM cycles", "", scales.zero, None)


def _rate(pen):
    for source in pen.sources:
        for index, (who, name) in enumerate(WHO.items()):
            points = _rates(source, who)
            last = [rate(p, p.value) for p in points if p.params["cluster"] == max(values(points, "cluster"))]
            pen.plot(
                source, points, "cluster", rate, f"{name}, {last[0]:.2g}" if pen.alone and last else name, index + 1
            )
        if own := _own(source, "throughput", width=_width(source)):
            pen.level(
                own.useful_bytes / own.value,
                f"own memory, {own.useful_bytes / own.value:.0f}",
                source,
                what="own memory",
            )
    pen.headroom(1.4)
    width = max((w for s in pen.sources if (w := _width(s))), default=0)
    title = f"Rate of each reader, {width} bytes per lane"
    pen.axes(title, "blocks of the cluster", "bytes per SM cycle", scales.counts, partial(scales.log2, most=10))


def _hops(pen):
    """The largest cluster alone: the smaller ones lie on it."""
    size = max((p.params["cluster"] for s in pen.sources for p in _others(s)), default=0)
    for source in pen.sources:
        pen.plot(source, pick(_others(source), cluster=size), "hop", cost, "", 1)
    title = f"Latency by the block that is read, cluster of {size}"
    pen.axes(title, "hop: blocks from the reader to the owner", "SM cycles")


def panels(_):
    return [Panel(_latency, wide=True), Panel(_rate, wide=True)]


def supplement(_):
    return [Panel(_hops), Panel(_hot)]


def _hot(pen):
    """The law: cycles grow with the readers."""
    points = [p for s in pen.sources for p in pick(s.points, mode="throughput", readers="hot")]
    widths = {width: f"{width} bytes per lane" for width in values(points, "width")}
    pen.lines("cluster", by("width", widths, mode="throughput", readers="hot"), of=len(widths), law="default")
    pen.axes("All blocks read block 0", "blocks of the cluster", "SM cycles per access", scales.counts, scales.log2)
