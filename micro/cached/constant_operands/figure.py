"""Constants in the code: the cost of a word by how often it is used, and by how far the words lie apart."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split
from gpufx_plot.charts.style import canvas, decorate, finish, from_zero, legend_above, log2_axis, tiled

TITLE = "What does a constant cost whose address stands in the code?"
NAMES = {"constant": "words in constant memory", "register": "words in registers"}


def _uses(c, ax):
    drawn = []
    for source in c.sources:
        for index, series in enumerate(split(pick(source.points, spacing=8), "uses", "path")):
            look = c.look(source, index, 2)
            plot(c, ax, source, series, "uses", look, NAMES.get(series.key["path"], ""), own=True)
            drawn += series.points
    decorate(ax, "128 words, 8 bytes apart", "additions of each word", "SM cycles per word")
    log2_axis(ax.xaxis, [p.params["uses"] for p in drawn])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax)


def _spacing(c, ax):
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, path="constant", uses=1), "spacing"):
            plot(c, ax, source, series, "spacing", c.look(source, 0, 1), "", law=None)
            drawn += series.points
    decorate(ax, "128 words, each added once", "distance of neighbouring words (bytes)", "SM cycles per word")
    log2_axis(ax.xaxis, [p.params["spacing"] for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])


def draw(sources):
    panels = [_uses] * any(pick(s.points, spacing=8) for s in sources)
    panels += [_spacing] * any(len(pick(s.points, path="constant", uses=1)) > 1 for s in sources)
    if not panels:
        return None
    c = canvas(sources, 9, 3.6)
    tiled(c, [partial(panel, c) for panel in panels], 2)
    c.note("points: medians over the processes; beyond the first level of the constant cache no law is drawn")
    return finish(c, TITLE)
