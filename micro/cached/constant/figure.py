"""Constant memory: serialisation by distinct addresses, the caches, the crossover with shared and global memory."""

from functools import partial
from itertools import pairwise

from gpufx_plot.charts.series import Series, pick, plot, split, usual, values
from gpufx_plot.charts.style import (
    MARKERS,
    brackets,
    bytes_axis,
    canvas,
    decorate,
    finish,
    from_zero,
    heights,
    legend_above,
    log2_axis,
    tiled,
)

TITLE = "What does a divergent constant read cost?"
MODES = {"latency": "Latency", "throughput": "Throughput"}
SPACES = ("constant", "shared", "global")


def _indexed(source, **wanted):
    return pick(source.points, **{"path": ["indexed", None], "footprint": [0, None]} | wanted)


def _distinct(ax, title, drawn):
    """Both axes by powers of two: the cost grows with the addresses, and leaves the first cache level far above."""
    decorate(ax, title, "distinct addresses in the warp", "SM cycles per access")
    log2_axis(ax.xaxis, [p.params["distinct"] for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax)


def _divergence(c, ax, mode):
    drawn = []
    for source in c.sources:
        series = [s for s in split(_indexed(source, mode=mode, space="constant"), "distinct", "spacing") if s.points]
        # Spacings that the law holds for throughout lie on one line: they are one series.
        inside = [s for s in series if all(p.in_fit for p in s.points)]
        if len(inside) > 1:
            label = f"{inside[0].key['spacing']} to {inside[-1].key['spacing']} bytes apart"
            together = sorted((p for s in inside for p in s.points), key=lambda p: p.params["distinct"])
            shown = [(label, Series({}, together))]
            shown += [(f"{s.key['spacing']} bytes apart", s) for s in series if s not in inside]
        else:
            shown = [(f"{s.key['spacing']} bytes apart", s) for s in series]
        for index, (label, line) in enumerate(shown):
            look = c.look(source, index, max(3, len(shown))) | {"markersize": max(2.5, 6 - 1.5 * index)}
            plot(c, ax, source, line, "distinct", look, label, own=True)
            drawn += line.points
    _distinct(ax, f"{MODES[mode]} of a constant read", drawn)


def _crossing(left, right):
    """What to say of two lines: from how many distinct addresses on `left` costs more than `right`, on straight lines
    between common points."""
    other = {p.params["distinct"]: p.value for p in right}
    both = [(x, p.value - other[x]) for p in left if (x := p.params["distinct"]) in other]
    if not both or all(d > 0 for _, d in both):
        return "dearer everywhere" if both else ""
    for (x0, d0), (x1, d1) in pairwise(both):
        if d0 <= 0 < d1:
            return f"dearer from {x0 + (x1 - x0) * -d0 / (d1 - d0):.1f} addresses on"
    return "dearer nowhere"


def _crossovers(sources):
    """(mode, spacing) with which the same pattern was read from several spaces."""
    found = []
    for mode in MODES:
        points = [p for s in sources for p in _indexed(s, mode=mode)]
        for spacing in values(points, "spacing"):
            spaces = values(pick(points, spacing=spacing), "space")
            if "constant" in spaces and len(spaces) > 1:
                found.append((mode, spacing))
    return found[:3]


def _crossover(c, ax, mode, spacing):
    drawn, said = [], []
    for source in c.sources:
        lines = {}
        for series in split(_indexed(source, mode=mode, spacing=spacing), "distinct", "space"):
            space = series.key["space"]
            index = SPACES.index(space) if space in SPACES else len(SPACES)
            look = c.look(source, index, 3) | {"marker": MARKERS[(0, 4, 5, 6)[index]], "markersize": 5 - index}
            plot(c, ax, source, series, "distinct", look, f"{space} memory", own=True)
            lines[space] = series.points
            drawn += series.points
        for space in SPACES[1:]:
            if text := _crossing(lines.get("constant", []), lines.get(space, [])):
                said.append(f"constant against {space}: {text}")
    if len(c.sources) == 1:
        text = "\n".join(said)
        ax.text(0.03, 0.98, text, transform=ax.transAxes, va="top", fontsize=7.5, linespacing=1.4)
    _distinct(ax, f"{MODES[mode]}: the same pattern, {spacing} bytes apart", drawn)


def _footprint_series(source):
    points = [p for p in pick(source.points, mode="latency", space="constant") if p.params.get("footprint")]
    return next((s for s in split(usual(points, "distinct", "spacing", "path"), "footprint") if s.points), None)


def _footprint(c, ax):
    drawn = []
    for source in c.sources:
        if series := _footprint_series(source):
            plot(c, ax, source, series, "footprint", c.look(source, 0, 1), "", law=None)
            heights(ax, [(p.params["footprint"], p.value) for p in series.points])
            if source is c.sources[0]:
                brackets(ax, series.points, "footprint")
            drawn += series.points
    decorate(ax, "Latency of a uniform read, by footprint", "footprint", "SM cycles per access")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn], 9)
    from_zero(ax, [1.1 * p.value for p in drawn])


def draw(sources):
    constants = {m: [p for s in sources for p in _indexed(s, mode=m, space="constant")] for m in MODES}
    panels = [partial(_divergence, mode=mode) for mode, points in constants.items() if points]
    if any(_footprint_series(s) for s in sources):
        panels.append(_footprint)
    panels += [partial(_crossover, mode=mode, spacing=spacing) for mode, spacing in _crossovers(sources)]
    if not panels:
        return None
    c = canvas(sources, 13, 3.1 * -(-len(panels) // 3))
    tiled(c, [partial(panel, c) for panel in panels], 3)
    c.note(
        "points: medians over processes; shaded: where a level's size lies; where no law is drawn, the addresses do "
        "not fit into the first level"
    )
    return finish(c, TITLE)
