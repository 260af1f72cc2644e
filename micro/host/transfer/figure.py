"""Host-device copies: bandwidth against size per kind of host memory, many small copies, and what pinning costs."""

from functools import partial

import numpy as np

from gpufx_plot.model import half_size, size_text, time_text
from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    BLANK,
    MARKERS,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    tiled,
)

TITLE = "What does a copy between host and device cost?"
DIRECTIONS = {"h2d": "host to device", "d2h": "device to host", "both": "both at once (sum)"}


def _curve(c, ax, source, fit, points):
    """The fitted V / (t0 + V/B), and a mark where half of B is reached. The fit counts all bytes, the axis those of one
    way: `ways` lies between. Returns what the fit says, in words."""
    ways = (points[-1].count / points[-1].params["size"] if points[-1].params["size"] > 0 else 1) or 1
    t0, rate = max(fit.a, 0.0), 1 / fit.b
    inside = [p.params["size"] for p in points if fit.holds(p) and p.params["size"] > 0] or [1]
    sizes = np.geomspace(inside[0], inside[-1], 80)
    ax.plot(sizes, ways * sizes / (t0 + ways * sizes / rate), **c.law_look(source))
    c.key("the law: t0 + V/B, as fitted", **c.law_look(source))
    half, half_text = half_size(fit, points[-1])
    if points[0].params["size"] < half < points[-1].params["size"]:
        mark = {"marker": "D", "color": "black", "markerfacecolor": "white", "markersize": 5, "linestyle": "none"}
        ax.plot([half], [0.5 * rate], **mark, zorder=4)
        c.key("the law reaches half of B", **mark)
    return f"t0 {time_text(t0)}, B {rate:.3g} GB/s, {half_text}"


def _kind(c, ax, kind, extent):
    drawn, said = [], []
    for source in c.sources:
        for series in split(pick(source.points, kind=kind, task=["copy", None]), "size", "direction"):
            direction = series.key["direction"]
            index = [*DIRECTIONS, direction].index(direction)
            look = c.look(source, index, 3)
            fit = next((f for p in series.points for f in source.fits if f.over_bytes and f.holds(p)), None)
            shown = [p for p in series.points if p.gbps]
            look |= {"linestyle": "none"} if fit else {}
            plot(c, ax, source, series, "size", look, DIRECTIONS.get(direction, str(direction)), rate=True)
            if fit and shown:
                said.append(f"{direction}: {_curve(c, ax, source, fit, shown)}")
            drawn += shown
    decorate(ax, f"{kind.replace('_', ' ')} memory", "bytes copied one way", "GB/s")
    bytes_axis(ax.xaxis, extent[0], 6)
    resident = max((p.gbps for p in drawn), default=0) > 1.5 * extent[1][1]
    log10_axis(ax.yaxis, [p.gbps for p in drawn] if resident else extent[1])
    if not resident:
        ax.set_ylim(extent[1][0] / 2, extent[1][1] * 2)
    if len(c.sources) == 1:
        style = {"ha": "right", "va": "bottom", "fontsize": 6.6, "linespacing": 1.35, "bbox": BLANK, "zorder": 5}
        ax.text(0.995, 0.02, "\n".join(said), transform=ax.transAxes, **style)


def _many(c, ax, size):
    """The same bytes in ever more pieces: a loop of copies against the batch call."""
    drawn = []
    for source in c.sources:
        points = pick(source.points, task=["loop", "batch"], size=size)
        for series in split(points, "pieces", "task", "direction"):
            task, direction = series.key.values()
            look = c.look(source, 2 * (task == "batch"), 3) | {"marker": MARKERS[direction == "d2h"]}
            plot(c, ax, source, series, "pieces", look, f"{task}, {direction}", rate=True, own=True)
            drawn += [p for p in series.points if p.gbps]
    decorate(ax, f"{size_text(size)} in many copies, pinned", "copies", "GB/s")
    log2_axis(ax.xaxis, [p.params["pieces"] for p in drawn], most=6)
    from_zero(ax, [p.gbps for p in drawn])
    legend_above(ax, 2)


CALLS = {
    ("pin", "registered"): "cudaHostRegister",
    ("unpin", "registered"): "cudaHostUnregister",
    ("pin", "pinned"): "cudaHostAlloc",
    ("unpin", "pinned"): "cudaFreeHost",
}


def _pinning(c, ax):
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, task=["pin", "unpin"]), "size", "kind", "task"):
            kind, task = series.key.values()
            look = c.look(source, 2 * (task == "unpin"), 3) | {"marker": MARKERS[kind == "pinned"]}
            plot(c, ax, source, series, "size", look, CALLS.get((task, kind), f"{task} {kind}"), own=True)
            drawn += series.points
    decorate(ax, "What pinning costs", "bytes pinned", "ns")
    bytes_axis(ax.xaxis, [p.params["size"] for p in drawn], 6)
    log10_axis(ax.yaxis, [p.value for p in drawn], time_text)
    ax.set_ylabel("time of the call")
    legend_above(ax, 2)


def break_even(points, direction):
    """(size, copies after which registering has paid for itself) for each size at which a registered copy is faster."""

    def by_size(**wanted):
        return {p.params["size"]: p.value for p in pick(points, **wanted)}

    slow = by_size(task="copy", kind="pageable", direction=direction)
    fast = by_size(task="copy", kind="registered", direction=direction)
    pin, unpin = by_size(task="pin", kind="registered"), by_size(task="unpin", kind="registered")
    return [
        (size, (pin[size] + unpin.get(size, 0.0)) / (slow[size] - fast[size]))
        for size in sorted({*slow} & {*fast} & {*pin})
        if slow[size] > fast[size]
    ]


def _break_even(c, ax):
    drawn = []
    for source in c.sources:
        for index, direction in enumerate(("h2d", "d2h")):
            if pairs := break_even(source.points, direction):
                look = c.look(source, 2 * index, 3) | {"markersize": 3.8}
                label = direction if source is c.sources[0] else None
                ax.plot(*zip(*pairs, strict=True), **look, label=label)
                drawn += pairs
    decorate(ax, "Registering pays from so many copies on", "bytes registered", "copies of all the bytes")
    bytes_axis(ax.xaxis, [size for size, _ in drawn], 6)
    log10_axis(ax.yaxis, [count for _, count in drawn] + [0.8, 2])
    ax.axhline(1, color="black", linewidth=0.8, linestyle=":")
    legend_above(ax)
    c.note("registering pays: (register + unregister) / (pageable copy - registered copy)")


def draw(sources):
    copies = [p for s in sources for p in pick(s.points, task=["copy", None]) if p.gbps]
    kinds = values(copies, "kind")
    # Managed memory that is resident moves at the rate of its own memory: on an axis of its own.
    moved = [p for p in copies if p.params["kind"] != "managed_resident"] or copies
    extent = [(min(v), max(v)) for v in ([p.params["size"] for p in copies], [p.gbps for p in moved]) if v]
    panels = [partial(_kind, kind=kind, extent=extent) for kind in kinds]
    everything = [p for s in sources for p in s.points]
    many = pick(everything, task=["loop", "batch"])
    if len(values(many, "pieces")) > 1:
        panels += [partial(_many, size=size) for size in values(many, "size")[:2]]
    if len(values(pick(everything, task=["pin", "unpin"]), "size")) > 1:
        panels.append(_pinning)
    if any(break_even(s.points, direction) for s in sources for direction in ("h2d", "d2h")):
        panels.append(_break_even)
    if not panels:
        return None
    c = canvas(sources, 15, 2.75 * -(-len(panels) // 4))
    tiled(c, [partial(panel, c) for panel in panels], 4)
    c.note("points: medians over the launches; sizes without a curve are not part of its fit; GB = 10⁹ bytes")
    return finish(c, TITLE)
