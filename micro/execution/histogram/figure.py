"""Atomics on a random table: the rate of the whole device by the words of the table."""

from functools import partial

from gpufx_plot.charts.series import Series, pick, split
from gpufx_plot.charts.style import (
    binary,
    canvas,
    decorate,
    finish,
    legend_above,
    log2_axis,
    log10_axis,
    panel_key,
    tiled,
)

TITLE = "What do atomics on random words of a table cost?"
LANES = 32
TABLES = (
    ("add int32", {"space": "global", "op": "add", "type": "int32", "result": "unused"}),
    ("add float32", {"space": "global", "op": "add", "type": "float32"}),
    ("exchange", {"space": "global", "op": "exch"}),
    ("compare-and-swap", {"space": "global", "op": "cas"}),
    ("private copies, add", {"space": "shared", "op": "add"}),
    ("private copies, add 1", {"space": "shared", "op": "inc"}),
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


def _table(c, ax):
    drawn = []
    for source in c.sources:
        for index, (label, params) in enumerate(TABLES):
            for series in split(pick(source.points, **params), "words"):
                x = [p.params["words"] for p in series.points]
                _rates(c, ax, source, series, x, c.look(source, index, len(TABLES)), label)
                drawn += series.points
    decorate(ax, "Whole device, random words of a table", "words in the table", "10⁹ atomics per second")
    log2_axis(ax.xaxis, [p.params["words"] for p in drawn], binary)
    log10_axis(ax.yaxis, [_rate(p) for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    if not any(pick(s.points, **params) for s in sources for _, params in TABLES):
        return None
    c = canvas(sources, 8.0, 4.0)
    tiled(c, [partial(_table, c)], 1)
    c.note("points: medians over the processes; every lane's operation counted")
    return finish(c, TITLE)
