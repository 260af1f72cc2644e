"""Atomics that many want: the rate of the whole device by the blocks at work."""

from functools import partial

from gpufx_plot.charts.series import Series, pick
from gpufx_plot.charts.style import canvas, decorate, finish, legend_above, log2_axis, log10_axis, panel_key, tiled

TITLE = "What does an atomic on a word that many want cost?"
LANES = 32
CROWDS = (
    ("one word for all", {"owner": "grid"}),
    ("a word for each block", {"owner": "block"}),
)


def _rate(point) -> float:
    """Lanes per ns: 10^9 atomics per second."""
    return LANES / point.value if point.value > 0 else float("nan")


def _rates(c, ax, source, series: Series, places: list[float], look: dict, label: str):
    """A line of rates; the range over the processes as a bar where it is wide enough to be seen."""
    look = {"markersize": 3.8, "linewidth": 1.2} | look
    ax.plot(places, [_rate(p) for p in series.points], **look)
    for place, point in zip(places, series.points, strict=True):
        low, high = point.spread
        if high - low > 0.03 * abs(point.value) and low > 0:
            ends = [LANES / high, LANES / low]
            ax.plot([place, place], ends, color=look["color"], linewidth=1.0, alpha=0.6)
    panel_key(ax, label, **look)


def _blocks_of(source, point) -> int:
    return point.params["blocks"] or source.archive.run["device"].get("sm_count") or 128


def _crowd_points(source):
    return pick(source.points, distinct=1, op="add", type="int32", result="unused")


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


def draw(sources):
    if not any(pick(_crowd_points(s), **params) for s in sources for _, params in CROWDS):
        return None
    c = canvas(sources, 8.0, 4.0)
    tiled(c, [partial(_crowd, c)], 1)
    c.note("points: medians over the processes; every lane's operation counted")
    return finish(c, TITLE)
