"""A warp's sum first: one word per warp or block, by how the lanes' values get there."""

from functools import partial

from gpufx_plot.charts.series import pick, usual, values
from gpufx_plot.charts.style import GREY, canvas, decorate, finish, from_zero, legend_above, shade, tiled
from gpufx_plot.model import number

TITLE = "What does it gain to add up a warp's values first?"
SPACES = ("shared", "global")
METHODS = ("plain", "shuffle", "redux", "compiler")
OWNERS = {"warp": "own words", "block": "one word"}


def _gathered_points(source, **wanted):
    return pick(source.points, mode="throughput", type="int32", **wanted)


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
    if not any(
        len(values(_gathered_points(s, space=space, owner=owner), "method")) > 1
        for s in sources
        for space in SPACES
        for owner in OWNERS
    ):
        return None
    c = canvas(sources, 8.0, 4.0)
    tiled(c, [partial(_gathered, c)], 1)
    c.note("bars: medians over the processes")
    return finish(c, TITLE)
