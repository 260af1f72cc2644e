"""What pinning costs, and after how many copies it has paid for itself."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import MARKERS, bytes_axis, canvas, decorate, finish, legend_above, log10_axis, tiled
from gpufx_plot.model import time_text

TITLE = "What does it cost to make host memory page-locked?"
CALLS = {
    ("pin", "registered"): "cudaHostRegister",
    ("unpin", "registered"): "cudaHostUnregister",
    ("pin", "pinned"): "cudaHostAlloc",
    ("unpin", "pinned"): "cudaFreeHost",
}


def _pinning(c, ax):
    drawn = []
    for source in c.sources:
        for series in split(source.points, "size", "kind", "task"):
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
    """(size, copies after which registering has paid for itself), for each size at which a registered copy is faster.

    The copies are cases of another effect of the same archive."""

    def by_size(**wanted):
        return {p.params["size"]: p.value for p in pick(points, **wanted) if "kind" in p.params}

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
            if pairs := break_even(source.archive.points, direction):
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
    panels = []
    if len(values([p for s in sources for p in s.points], "size")) > 1:
        panels.append(_pinning)
    if any(break_even(s.archive.points, direction) for s in sources for direction in ("h2d", "d2h")):
        panels.append(_break_even)
    if not panels:
        return None
    c = canvas(sources, 5.2 * len(panels), 3.6)
    tiled(c, [partial(panel, c) for panel in panels], len(panels))
    c.note("points: medians over the processes")
    return finish(c, TITLE)
