"""Atomics: the cost by distinct words in each memory, the rate of the whole device, and adding up beforehand."""

from functools import partial

from gpufx_plot.model import number
from gpufx_plot.charts.series import Series, pick, plot, split, usual, values
from gpufx_plot.charts.style import (
    GREY,
    MARKERS,
    binary,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    panel_key,
    shade,
    tiled,
)

TITLE = "What does an atomic operation cost?"
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
CROWDS = (
    ("one word for all", {"owner": "grid", "method": "plain"}),
    ("a word for each block", {"owner": "block", "method": "plain"}),
    ("one word, warps add up first", {"owner": "grid", "method": "redux"}),
    ("one word, left to the compiler", {"owner": "grid", "method": "compiler"}),
)
TABLES = (
    ("add int32", {"space": "global", "op": "add", "type": "int32", "result": "unused"}),
    ("add float32", {"space": "global", "op": "add", "type": "float32"}),
    ("exchange", {"space": "global", "op": "exch"}),
    ("compare-and-swap", {"space": "global", "op": "cas"}),
    ("private copies, add", {"space": "shared", "op": "add"}),
    ("private copies, add 1", {"space": "shared", "op": "inc"}),
)
METHODS = ("plain", "shuffle", "redux", "compiler")
OWNERS = {"warp": "own words", "block": "one word"}


def _alone(source, **wanted):
    """Plain atomics of all lanes, of warps that do not meet."""
    return pick(source.points, **{"method": "plain", "owner": "warp", "lanes": 32} | wanted)


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


def _rate(point) -> float:
    """Lanes per ns: 10^9 atomics per second."""
    return point.params["lanes"] / point.value if point.value > 0 else float("nan")


def _rates(c, ax, source, series: Series, places: list[float], look: dict, label: str):
    """A line of rates; the range over the launches as a bar where it is wide enough to be seen."""
    look = {"markersize": 3.8, "linewidth": 1.2} | look
    ax.plot(places, [_rate(p) for p in series.points], **look)
    for place, point in zip(places, series.points, strict=True):
        low, high = point.spread
        if high - low > 0.03 * abs(point.value) and low > 0:
            ends = [point.params["lanes"] / high, point.params["lanes"] / low]
            ax.plot([place, place], ends, color=look["color"], linewidth=1.0, alpha=0.6)
    panel_key(ax, label, **look)


def _blocks_of(source, point) -> int:
    return point.params["blocks"] or source.archive.run["device"].get("sm_count") or 128


def _crowd_points(source):
    wanted = {"mode": "device", "words": [0, None], "distinct": 1, "op": "add", "type": "int32", "result": "unused"}
    return pick(source.points, **wanted)


def _crowd(c, ax):
    drawn, places = [], []
    for source in c.sources:
        for index, (label, params) in enumerate(CROWDS):
            points = sorted(pick(_crowd_points(source), **params), key=lambda p: _blocks_of(source, p))
            if points:
                x = [_blocks_of(source, p) for p in points]
                _rates(c, ax, source, Series({}, points), x, c.look(source, index, len(CROWDS)), label)
                drawn += points
                places += x
    decorate(ax, "Whole device, by blocks at work", "blocks", "10⁹ atomics per second")
    log2_axis(ax.xaxis, places)
    log10_axis(ax.yaxis, [_rate(p) for p in drawn])
    legend_above(ax, 2)


def _table_points(source):
    return [p for p in pick(source.points, mode="device", blocks=[0, None]) if p.params.get("words")]


def _table(c, ax):
    drawn = []
    for source in c.sources:
        for index, (label, params) in enumerate(TABLES):
            for series in split(pick(_table_points(source), **params), "words"):
                x = [p.params["words"] for p in series.points]
                _rates(c, ax, source, series, x, c.look(source, index, len(TABLES)), label)
                drawn += series.points
    decorate(ax, "Whole device, random words of a table", "words in the table", "10⁹ atomics per second")
    log2_axis(ax.xaxis, [p.params["words"] for p in drawn], binary)
    log10_axis(ax.yaxis, [_rate(p) for p in drawn])
    legend_above(ax, 2)


def _gathered_points(source, **wanted):
    points = pick(source.points, mode="throughput", op="add", lanes=32, distinct=1, spacing=[4, None], **wanted)
    return pick(points, result=["unused", None], type=["int32", None])


def _gathered(c, ax):
    """One word a warp: an atomic for each lane against one for all of them."""
    groups = [
        (space, owner)
        for space in SPACES
        for owner in OWNERS
        if any(len(values(_gathered_points(s, space=space, owner=owner), "method")) > 1 for s in c.sources)
    ]
    step = 0.8 / (len(METHODS) * len(c.sources))
    highest = [1.0]
    for place, source in enumerate(c.sources):
        for index, method in enumerate(METHODS):
            label = method if source is c.sources[0] else None
            for group, (space, owner) in enumerate(groups):
                for point in usual(_gathered_points(source, space=space, owner=owner, method=method), "blocks"):
                    x = group + (index * len(c.sources) + place + 0.5) * step - 0.4
                    style = {"color": shade(source.colour, index, len(METHODS)), "label": label}
                    ax.bar(x, point.value, 0.9 * step, **style)
                    if len(c.sources) == 1:
                        text = number(point.value, 2)  # more figures than bars are wide
                        ax.text(x, point.value, text, ha="center", va="bottom", fontsize=6.4, color=GREY)
                    highest.append(1.06 * point.value)
                    label = None
    decorate(ax, "One SM, 32 lanes that add to one word", "", "SM cycles per warp")
    ax.set_xticks(range(len(groups)), [f"{space},\n{OWNERS[owner]}" for space, owner in groups])
    from_zero(ax, highest)
    ax.grid(visible=False, axis="x")
    legend_above(ax, 4)


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
    if any(pick(_crowd_points(s), **params) for s in sources for _, params in CROWDS):
        panels.append(partial(_crowd, c))
    if any(pick(_table_points(s), **params) for s in sources for _, params in TABLES):
        panels.append(partial(_table, c))
    if any(
        len(values(_gathered_points(s, space=space, owner=owner), "method")) > 1
        for s in sources
        for space in SPACES
        for owner in OWNERS
    ):
        panels.append(partial(_gathered, c))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.1 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note("points: medians over the launches; whole device: pairs of launches, every lane's operation counted")
    return finish(c, TITLE)
