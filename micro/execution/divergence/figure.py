"""Divergence: the cost against the paths in a warp, with whole warps as control; and what the body of an if costs."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, usual
from gpufx_plot.charts.style import GREY, canvas, decorate, finish, from_zero, legend_above, tiled

TITLE = "What does it cost when the lanes of a warp take different paths?"
MODES = {"throughput": "a full SM", "latency": "one warp alone"}
UNIT = "SM cycles per branch"
ORDERS = {"blocked": "blocked", "interleaved": "in turn", "shuffled": "shuffled"}
SHAPES = {"if": "An if without else", "ifelse": "An if with else"}
TAKEN = {0: "no lane takes it", 16: "half of the lanes", 32: "all lanes"}


def _switch(source, mode, **wanted):
    return usual(pick(source.points, shape="switch", mode=mode, **wanted), "seed")


def _paths(c, ax, mode):
    """Lanes on different paths, by their order, over the law; and whole warps on them, which should be flat."""
    drawn = []
    for source in c.sources:
        for series in split(_switch(source, mode, on="lane"), "paths", "order"):
            index = list(ORDERS).index(series.key["order"]) if series.key["order"] in ORDERS else len(ORDERS)
            look = c.look(source, index, 3) | {"markersize": 6.2 - 1.5 * index}
            law = "default" if index == 0 else None
            if index:
                look["linestyle"] = "none"
            plot(c, ax, source, series, "paths", look, f"lanes, {ORDERS.get(series.key['order'])}", law, own=True)
            drawn += series.points
        for series in split(usual(_switch(source, mode, on="warp"), "order"), "paths"):
            look = c.look(source, 0, 3) | {"marker": "^", "markersize": 4, "linestyle": (0, (1, 1.5))}
            plot(c, ax, source, series, "paths", look, "whole warps", law=None, own=True)
            drawn += series.points
        if len(c.sources) == 1:
            _ratio(ax, source, mode)
    decorate(ax, f"Paths of 16 instructions, {MODES[mode]}", "different paths", UNIT)
    ax.set_xticks([1, *range(4, 33, 4)])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax, 4)


def _ratio(ax, source, mode):
    """Says how many times as much the most paths cost as one."""
    blocked = {p.params["paths"]: p.value for p in _switch(source, mode, on="lane", order=["blocked", None])}
    most = max(blocked, default=1)
    if most > 1 and blocked.get(1):
        text = f"{most} paths: {blocked[most] / blocked[1]:.1f} times one path"
        ax.text(0.97, 0.1, text, transform=ax.transAxes, ha="right", fontsize=7.5, color=GREY)


def _body(c, ax, shape, mode):
    """One line for each share of the lanes; the law where the body is behind a branch."""
    drawn = []
    for source in c.sources:
        for series in split(pick(source.points, shape=shape, mode=mode), "length", "taken"):
            taken = series.key["taken"]
            index = list(TAKEN).index(taken) if taken in TAKEN else 1
            look = c.look(source, index, 3) | {"markersize": 6.2 - 1.5 * index}
            plot(c, ax, source, series, "length", look, TAKEN.get(taken, f"{taken} lanes"), own=True)
            drawn += series.points
    decorate(ax, f"{SHAPES[shape]}, {MODES[mode]}", "instructions in the body", UNIT)
    ax.set_xticks([1, *range(4, 33, 4)])
    from_zero(ax, [p.value for p in drawn])
    legend_above(ax)


def draw(sources):
    c = canvas(sources, 13, 1)
    panels = []
    for mode in MODES:
        if any(len({p.params["paths"] for p in _switch(s, mode)}) > 1 for s in sources):
            panels.append(partial(_paths, c, mode=mode))
        for shape in SHAPES:
            if any(len({p.params["length"] for p in pick(s.points, shape=shape, mode=mode)}) > 1 for s in sources):
                panels.append(partial(_body, c, shape=shape, mode=mode))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.1 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note(
        "points: medians over the processes; an if is drawn without a law where its body is short enough for the "
        "compiler to predicate it"
    )
    return finish(c, TITLE)
