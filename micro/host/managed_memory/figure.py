"""Managed memory: rate against size, by how the pages get to the side that reads them."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, rate, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does it cost to access managed memory, with page faults, prefetches or advice?"
DIRECTIONS = {"h2d": "Host to device", "d2h": "Device to host"}
KINDS = {"managed_fault": "page faults", "managed_prefetch": "prefetched", "managed_resident": "resident"}
SAID = {
    "managed_fault": (0, -5, "right", "top"),
    "managed_prefetch": (0, 5, "right"),
}
SIDES = {"h2d": "the device", "d2h": "the host"}
ADVICE = {
    "first_touch": "first touch",
    "managed_fault": "no advice",
    "read_mostly": "ReadMostly, first read",
    "read_again": "ReadMostly, second read",
    "preferred": "PreferredLocation: {other}",
    "accessed_by": "AccessedBy: {reader}",
}
BY = {"first_touch": 0, "managed_fault": 0, "read_mostly": 0, "read_again": 4, "preferred": 3, "accessed_by": 3}
ADVISED = 16 << 20
ROOM = {128 << 20: "half of capacity", 256 << 20: "all of capacity", 320 << 20: "5/4 of capacity"}


def finding(source):
    return source.said(
        "Managed memory moves to the device at {link.managed.fault_rate} by page faults, at "
        "{link.managed.prefetch_rate} if prefetched"
    )


def _gbps(value):
    return f"{short(value)} GB/s"


def _both(sources):
    """The largest size that went to the device in both ways."""
    found = [p for s in sources for p in pick(s.points, direction="h2d")]
    fault, prefetch = (values(pick(found, kind=kind), "size") for kind in SAID)
    return [size for size in fault if size in prefetch][-1:]


def _rates(pen, direction):
    pen.lines("size", by("kind", KINDS, direction=direction), rate)
    for size in _both(pen.sources) if direction == "h2d" else ():
        pen.mark(size, size_text(size), top=False)
        for kind, place in SAID.items():
            pen.say("size", {"kind": kind, "direction": direction, "size": size}, _gbps, rate, *place)
    pen.axes(DIRECTIONS[direction], "bytes read", "GB/s", scales.sizes, scales.log10)


def _advice(pen, direction):
    reader = SIDES[direction]
    (other,) = {*SIDES.values()} - {reader}
    names = {kind: name.format(reader=reader, other=other) for kind, name in ADVICE.items()}
    named = by("kind", names, direction=direction, size=ADVISED)
    rows = [row for kind, name in names.items() for row in pen.cases({name: named[name]}, BY[kind])]
    pen.bars(rows, y=rate, dots=True, series=[*KINDS.values(), "placed by advice", "read-only copy"])
    pen.axes(f"{size_text(ADVISED)} read by {reader}, by cudaMemAdvise advice", "GB/s", "", scales.log10, None)


def _crowded(pen):
    named = {f"{size_text(size)}: {name}": {"kind": "crowded", "size": size} for size, name in ROOM.items()}
    pen.bars(pen.cases(named), y=rate)
    pen.axes("Second read with 256 MiB of the device free", "GB/s", "", scales.zero, None)


def panels(sources):
    return [Panel(partial(draw, direction="h2d"), wide=True) for draw in (_rates, _advice)]


def supplement(sources):
    to_host = [Panel(partial(draw, direction="d2h"), wide=True) for draw in (_rates, _advice)]
    return [*to_host, Panel(_crowded, wide=True)]
