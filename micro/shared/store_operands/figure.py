"""Stores of fresh registers: the cost above the law, by the ways of the bank conflict, width by width."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import canvas, decorate, finish, legend_above, log2_axis, tiled

TITLE = "Does a store of freshly computed registers cost more?"
NAMES = {"shared": "Shared memory", "global": "Global memory, L2"}


def _label(key):
    turn = "4 sets in turn" if key["sets"] > 1 else "1 set"
    return f"{key['fresh'] or 'no'} fresh, {turn}"


def _panel(c, ax, memory, width):
    drawn = []
    for source in c.sources:
        series = split(pick(source.points, memory=memory, width=width), "ways", "fresh", "sets")
        for index, line in enumerate(s for s in series if s.points):
            plot(c, ax, source, line, "ways", c.look(source, index, max(4, len(series))), _label(line.key), own=True)
            drawn += line.points
    decorate(ax, f"{NAMES.get(memory, memory)}, {width} B per lane", "ways of the conflict", "SM cycles per access")
    log2_axis(ax.xaxis, [p.params["ways"] for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax)


def draw(sources):
    points = [p for s in sources for p in s.points]
    found = [(m, w) for m in values(points, "memory") for w in values(pick(points, memory=m), "width")]
    if not found:
        return None
    c = canvas(sources, 13, 3.4 * -(-len(found) // 3))
    tiled(c, [partial(_panel, c, memory=memory, width=width) for memory, width in found], 3)
    c.note("points: medians over the processes; thin lines: a + b × steps of the store, fitted to each")
    return finish(c, TITLE)
