"""Host-device copies: bandwidth against size, one panel per kind of host memory."""

import numpy as np

from ..model import number, size_text, time_text
from .series import pick, split, values
from .style import MARKERS, bytes_axis, canvas, decorate, empty, finish, from_zero, log2_axis, log10_axis, shade

TITLE = "What does a copy between host and device cost?"
NOTHING = "not in these archives"
DIRECTIONS = ("h2d", "d2h", "both")


def _line(c, ax, source, series, look, label):
    points = [p for p in series.points if p.gbps]
    ax.plot([p.params["size"] for p in points], [p.gbps for p in points], **look, markersize=4, linewidth=1.1)
    c.key(label, **look, markersize=4)
    return points


def _mark(ax, fit, points, colour, ink, line):
    """The fitted curve V / (t0 + V/B), its half-way size, and the figures in words. The fit counts all bytes, the axis
    those of one way: `ways` lies between."""
    ways = points[-1].count / points[-1].params["size"]
    useful = points[-1].useful_bytes / points[-1].params["size"]
    t0, ns_per_byte = max(fit.a, 0.0), fit.b * ways
    sizes = np.geomspace(points[0].params["size"], points[-1].params["size"], 100)
    ax.plot(sizes, useful * sizes / (t0 + sizes * ns_per_byte), color=colour, linewidth=3.5, alpha=0.25)
    half, rate = t0 / ns_per_byte, useful / ns_per_byte
    if points[0].params["size"] < half < points[-1].params["size"]:
        ax.plot([half, half], [0, 0.5 * rate], color=colour, linewidth=0.9, linestyle=":")
        ax.plot([half], [0.5 * rate], marker="|", color=colour, markersize=9)
    text = f"{fit.group.get('direction', '')}: t0 {time_text(t0)}, {rate:.4g} GB/s, half at {size_text(half)}"
    style = {"color": ink, "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.8}, "zorder": 5}
    ax.text(0.98, 0.03 + 0.075 * line, text, transform=ax.transAxes, ha="right", fontsize=7.2, **style)


def _kind(c, ax, kind):
    line = 0
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, kind=kind, task=["copy", None]), "size", "direction"):
            direction = series.key["direction"]
            index = DIRECTIONS.index(direction) if direction in DIRECTIONS else len(DIRECTIONS)
            look = {"color": shade(source.colour, index, 3), "marker": MARKERS[index], "linestyle": source.dash}
            shown = _line(c, ax, source, series, look, str(direction))
            drawn += shown
            fit = next((f for f in source.fits if shown and f.law == "bytes" and f.b > 0 and f.holds(shown[-1])), None)
            if fit:
                _mark(ax, fit, shown, look["color"], shade(source.colour, 0, 4), line)
                line += 1
    if not drawn:
        return empty(ax, kind, NOTHING)
    decorate(ax, kind, "bytes copied", "useful GB/s")
    return drawn


def _many(c, ax):
    """One copy against many: the same bytes in ever more pieces."""
    title = "one copy against many (pinned, h2d)"
    drawn = []
    for source in c.sources:
        points = pick(source.points, task=["loop", "batch"], direction=["h2d", None])
        every = split(points, "pieces", "task", "size")
        for index, series in enumerate(every):
            look = c.look(source, index, len(every))
            shown = [p for p in series.points if p.gbps]
            label = f"{series.key['task']}, {size_text(series.key['size'])}" if source is c.sources[0] else None
            ax.plot([p.params["pieces"] for p in shown], [p.gbps for p in shown], **look, markersize=4, label=label)
            drawn += shown
    if not drawn:
        return empty(ax, title, NOTHING)
    decorate(ax, title, "pieces", "useful GB/s")
    log2_axis(ax.xaxis, [p.params["pieces"] for p in drawn])
    from_zero(ax, [p.gbps for p in drawn])
    ax.legend(fontsize=7.5, frameon=True, framealpha=0.8, edgecolor="none")
    return None


def _pinning(c, ax):
    title = "what pinning costs"
    drawn = []
    for source in c.sources:
        every = split(pick(source.points, task=["pin", "unpin"]), "size", "task", "kind")
        for index, series in enumerate(every):
            look = c.look(source, index, len(every))
            label = f"{series.key['task']} {series.key['kind']}" if source is c.sources[0] else None
            xs, ys = [p.params["size"] for p in series.points], [p.value / 1e3 for p in series.points]
            ax.plot(xs, ys, **look, markersize=4, label=label)
            drawn += series.points
    if not drawn:
        return empty(ax, title, NOTHING)
    decorate(ax, title, "bytes pinned", "µs")
    bytes_axis(ax.xaxis, [p.params["size"] for p in drawn], 6)
    log10_axis(ax.yaxis, [p.value / 1e3 for p in drawn])
    ax.legend(fontsize=7.5)
    return None


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
    title = "pinning pays after so many copies"
    drawn = []
    for source in c.sources:
        for index, direction in enumerate(DIRECTIONS[:2]):
            pairs = break_even(source.points, direction)
            if pairs:
                look = {"color": shade(source.colour, index, 3), "marker": MARKERS[index], "linestyle": source.dash}
                ax.plot(*zip(*pairs, strict=True), **look, markersize=4)
                drawn += pairs
    if not drawn:
        return empty(ax, title, NOTHING)
    decorate(ax, title, "bytes registered", "copies")
    bytes_axis(ax.xaxis, [size for size, _ in drawn], 6)
    log10_axis(ax.yaxis, [count for _, count in drawn])
    c.note("pinning pays: (register + unregister) / (pageable copy - registered copy)")
    return None


def _host(c, ax):
    title = "the host's own access"
    bars = [(s, task) for s in c.sources for task in ("host_write", "host_read") if pick(s.points, task=task)]
    kinds = [*dict.fromkeys(p.params["kind"] for s, task in bars for p in pick(s.points, task=task))]
    width = 0.8 / max(1, len(bars))
    for index, (source, task) in enumerate(bars):
        points = [p for p in pick(source.points, task=task) if p.gbps]
        places = [kinds.index(p.params["kind"]) + (index - (len(bars) - 1) / 2) * width for p in points]
        colour = shade(source.colour, 0 if task == "host_write" else 3, 5)
        label = task.replace("host_", "") if source is c.sources[0] else None
        ax.bar(places, [p.gbps for p in points], width * 0.9, color=colour, label=label)
        for place, point in zip(places, points, strict=True):
            ax.text(place, point.gbps, number(point.gbps, 3), ha="center", va="bottom", fontsize=7)
    if not bars:
        return empty(ax, title, NOTHING)
    decorate(ax, title, "", "GB/s")
    ax.set_xticks(range(len(kinds)), [kind.replace("_", "\n") for kind in kinds])
    ax.grid(visible=False, axis="x")
    ax.margins(y=0.25)
    ax.legend(ncols=2, loc="upper right", fontsize=7.5)
    return None


def draw(sources):
    kinds = [*dict.fromkeys(v for s in sources for v in values(pick(s.points, task=["copy", None]), "kind"))]
    extra = [_many, _pinning, _break_even, _host]
    rows = -(-len(kinds) // 4) + 1
    c = canvas(sources, 15, 2.75 * rows + 1.2)
    axes = c.figure.subplots(rows, 4, squeeze=False)
    upper = axes[:-1].ravel()
    drawn = []
    for ax, kind in zip(upper, kinds, strict=False):
        drawn += _kind(c, ax, kind) or []
    rates = [p.gbps for p in drawn]
    for ax in upper[: len(kinds)]:
        if ax.axison:
            bytes_axis(ax.xaxis, [p.params["size"] for p in drawn], 6)
            log10_axis(ax.yaxis, rates)
            ax.set_ylim(min(rates) / 2, max(rates) * 2)
    for ax in upper[len(kinds) :]:
        ax.set_axis_off()
    for ax, panel in zip(axes[-1], extra, strict=True):
        panel(c, ax)
    c.note("broad pale lines: V / (t0 + V/B) as fitted; the dotted mark: the size t0·B at which half of B is reached")
    if any("both" in values(s.points, "direction") for s in sources):
        c.note("both: the sum of the two directions under load")
    c.note("GB = 10⁹ bytes")
    return finish(c, TITLE)
