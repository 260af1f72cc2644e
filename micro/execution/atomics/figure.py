"""Atomics of one SM: the cost by distinct words in each memory, and latency."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split
from gpufx_plot.charts.style import (
    MARKERS,
    canvas,
    decorate,
    finish,
    legend_above,
    log2_axis,
    tiled,
)

TITLE = "What does an atomic operation cost one SM?"
SPACES = ("shared", "global")
# What is drawn of each space, in this order: label and params.
RATES = {
    "shared": (
        ("add int32", {"op": "add", "type": "int32", "result": "unused"}),
        ("add the constant 1", {"op": "inc"}),
        ("compare-and-swap int32", {"op": "cas", "type": "int32"}),
        ("add int64", {"op": "add", "type": "int64"}),
        ("add float32", {"op": "add", "type": "float32"}),
        ("plain store", {"op": "store"}),
    ),
    "global": (
        ("add, 4 bytes apart", {"op": "add", "type": "int32", "result": "unused", "spacing": 4}),
        ("32 bytes apart", {"op": "add", "type": "int32", "result": "unused", "spacing": 32}),
        ("128 bytes apart", {"op": "add", "type": "int32", "result": "unused", "spacing": 128}),
        ("add, result used", {"op": "add", "type": "int32", "result": "used", "spacing": 4}),
        ("compare-and-swap", {"op": "cas", "type": "int32", "spacing": 4}),
        ("add float32", {"op": "add", "type": "float32", "spacing": 4}),
        ("plain store", {"op": "store", "spacing": 4}),
    ),
}
CHAINS = (
    ("add int32", {"op": "add", "type": "int32"}),
    ("compare-and-swap", {"op": "cas", "type": "int32"}),
    ("add float32", {"op": "add", "type": "float32"}),
)


def _alone(source, **wanted):
    """Atomics of all lanes, of warps that do not meet."""
    return pick(source.points, **{"owner": "warp", "lanes": 32} | wanted)


def _distinct(c, ax, title, wanted, **common):
    drawn = []
    for source in c.sources:
        for index, (label, params) in enumerate(wanted):
            points = _alone(source, **common, **params)
            for series in split(points, "distinct"):
                look = c.look(source, index, len(wanted)) | {"markersize": 3.6}
                plot(c, ax, source, series, "distinct", look, label, own=True)
                drawn += series.points
    decorate(ax, title, "distinct words in the warp", "SM cycles per access")
    log2_axis(ax.xaxis, [p.params["distinct"] for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax, 2)


def _latency(c, ax):
    drawn = []
    for source in c.sources:
        for place, space in enumerate(SPACES):
            for index, (label, params) in enumerate(CHAINS):
                for series in split(_alone(source, mode="latency", space=space, **params), "distinct"):
                    look = c.look(source, 2 * place, 3) | {"marker": MARKERS[index], "markersize": 3.6}
                    plot(c, ax, source, series, "distinct", look, f"{space}: {label}", own=True)
                    drawn += series.points
    decorate(ax, "Latency, one warp", "distinct words in the warp", "SM cycles per result")
    log2_axis(ax.xaxis, [p.params["distinct"] for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    c = canvas(sources, 13, 1)
    panels = []
    for space in SPACES:
        common = {"mode": "throughput", "space": space}
        if any(_alone(s, **common, **params) for s in sources for _, params in RATES[space]):
            title = f"{space.capitalize()} memory, one full SM"
            panels.append(partial(_distinct, c, title=title, wanted=RATES[space], **common))
    if any(
        _alone(s, mode="latency", space=space, **params) for s in sources for space in SPACES for _, params in CHAINS
    ):
        panels.append(partial(_latency, c))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.1 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note("points: medians over the processes")
    return finish(c, TITLE)
