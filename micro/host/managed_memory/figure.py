"""Managed memory: rate against size, by how the pages get to the side that reads them."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does it cost to touch pages that host and device share one address of?"
DIRECTIONS = {"h2d": "host to device", "d2h": "device to host"}
KINDS = {"managed_fault": "page faults", "managed_prefetch": "prefetched", "managed_resident": "already there"}
SIDES = {"h2d": "the device", "d2h": "the host"}
ADVICE = {
    "first_touch": "fresh pages",
    "managed_fault": "no advice",
    "read_mostly": "read mostly, first read",
    "read_again": "read mostly, read again",
    "preferred": "prefer the other side",
    "accessed_by": "mapped ahead",
}
ADVISED = 16 << 20
ROOM = {128 << 20: "half of the room", 256 << 20: "all of the room", 320 << 20: "a quarter more than the room"}


def _known(source, **wanted):
    return [p for p in pick(source.points, **wanted) if p.gbps]


def finding(source):
    return source.said(
        "Managed memory moves to the device at {link.managed.fault_rate} by page faults",
        "at {link.managed.prefetch_rate} if prefetched",
    )


def _rates(pen, direction):
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            pen.plot(source, _known(source, kind=kind, direction=direction), "size", rate, name, index)
    pen.notes.add("GB = 10⁹ bytes")
    pen.axes(DIRECTIONS[direction].capitalize(), "bytes read", "GB/s", scales.sizes, scales.log10)


def _advice(pen):
    rows = []
    for direction, side in SIDES.items():
        for index, (kind, name) in enumerate(ADVICE.items()):
            for source in pen.sources:
                points = _known(source, kind=kind, direction=direction, size=ADVISED)
                rows += [(f"{side}: {name}", source, point, index) for point in points]
    pen.bars(rows, y=rate, dots=True)
    pen.axes(f"{size_text(ADVISED)} read or written, by advice", "GB/s", "", scales.log10, None)


def _crowded(pen):
    rows = []
    for index, (size, name) in enumerate(ROOM.items()):
        for source in pen.sources:
            points = _known(source, kind="crowded", size=size)
            rows += [(f"{size_text(size)}: {name}", source, point, index) for point in points]
    pen.bars(rows, y=rate)
    pen.axes("Read a second time, 256 MiB of the device free", "GB/s", "", scales.zero, None)


def panels(sources):
    found = [
        Panel(partial(_rates, direction=direction))
        for direction in DIRECTIONS
        if any(len(values(_known(s, kind=list(KINDS), direction=direction), "size")) > 1 for s in sources)
    ]
    if any(_known(s, kind="read_mostly", size=ADVISED) for s in sources):
        found.append(Panel(_advice, 1.1, wide=True))
    if any(_known(s, kind="crowded") for s in sources):
        found.append(Panel(_crowded, 0.5, wide=True))
    return found
