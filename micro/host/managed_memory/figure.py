"""Managed memory: rate against size, by how the pages get to the side that reads them."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import bytes_axis, canvas, decorate, finish, legend_above, log10_axis, tiled

TITLE = "What does it cost to move pages that host and device share one address of?"
DIRECTIONS = {"h2d": "host to device", "d2h": "device to host"}


def _kind(c, ax, kind):
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, kind=kind), "size", "direction"):
            direction = series.key["direction"]
            look = c.look(source, 2 * (direction == "d2h"), 3)
            plot(c, ax, source, series, "size", look, DIRECTIONS.get(direction, str(direction)), rate=True)
            drawn += [p for p in series.points if p.gbps]
    decorate(ax, kind.replace("_", " "), "bytes read", "GB/s")
    bytes_axis(ax.xaxis, [p.params["size"] for p in drawn], 6)
    log10_axis(ax.yaxis, [p.gbps for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    kinds = values([p for s in sources for p in s.points if p.gbps], "kind")
    if not kinds:
        return None
    c = canvas(sources, 13, 3.6)
    tiled(c, [partial(_kind, c, kind=kind) for kind in kinds], len(kinds))
    c.note("points: medians over the processes; GB = 10⁹ bytes")
    return finish(c, TITLE)
