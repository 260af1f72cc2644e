"""Managed memory: rate against size, by how the pages get to the side that reads them."""

from functools import partial

from gpufx_plot.charts import scales
from gpufx_plot.charts.pen import Panel, rate, short
from gpufx_plot.charts.series import pick, values
from gpufx_plot.model import size_text

QUESTION = "What does it cost to move pages that host and device share one address of?"
DIRECTIONS = {"h2d": "host to device", "d2h": "device to host"}
KINDS = {"managed_fault": "page faults", "managed_prefetch": "prefetched", "managed_resident": "already there"}


def _known(source, **wanted):
    return [p for p in pick(source.points, **wanted) if p.gbps]


def finding(source):
    last = {}
    for kind in KINDS:
        points = _known(source, kind=kind, direction="h2d")
        if points:
            last[kind] = max(points, key=lambda p: p.params["size"])
    if not {"managed_fault", "managed_prefetch"} <= last.keys():
        return ""
    fault, ahead = last["managed_fault"], last["managed_prefetch"]
    return (
        f"The GPU gets {size_text(fault.params['size'])} of the host's pages at {short(fault.gbps)} GB/s by page "
        f"faults, at {short(ahead.gbps)} GB/s if they are prefetched"
    )


def _rates(pen, direction):
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            pen.plot(source, _known(source, kind=kind, direction=direction), "size", rate, name, index)
    pen.notes.add("GB = 10⁹ bytes")
    pen.axes(DIRECTIONS[direction].capitalize(), "bytes read", "GB/s", scales.sizes, scales.log10)


def panels(sources):
    return [
        Panel(partial(_rates, direction=direction))
        for direction in DIRECTIONS
        if any(len(values(_known(s, direction=direction), "size")) > 1 for s in sources)
    ]
