"""Constant memory: serialisation by distinct addresses, the crossover with shared and global memory, the caches."""

from itertools import pairwise

from ..model import number
from .series import pick, plot, split, usual, values
from .style import bytes_axis, canvas, decorate, empty, finish, from_zero, shade

TITLE = "What does a divergent constant read cost?"
MODES = {"latency": "Latency", "throughput": "Throughput"}
SPACES = ("constant", "shared", "global")
NOTHING = "not in these archives"


def _distinct(ax, title, drawn, room=1.0):
    decorate(ax, title, "distinct addresses in the warp", "SM cycles per access")
    ax.set_xticks([1, *range(4, 33, 4)])
    from_zero(ax, [room * p.value for p in drawn])


def _divergence(c, ax, mode):
    spacings = sorted({v for s in c.sources for v in values(pick(s.points, space="constant"), "spacing")})
    drawn = []
    for source in c.sources:
        points = pick(source.points, mode=mode, space="constant", path=["indexed", None])
        for series in split(usual(points, "footprint"), "distinct", "spacing"):
            spacing = series.key["spacing"]
            if len(series.points) > 1:
                index = spacings.index(spacing) if spacing in spacings else 0
                # Where the spacing makes no difference the lines coincide: smaller markers over larger ones show all.
                look = c.look(source, index, len(spacings)) | {"marker": "o", "markersize": 9.5 - index}
                plot(c, ax, source, series, "distinct", look, f"{spacing} bytes apart")
                drawn += series.points
        for point in pick(source.points, mode=mode, space="constant", distinct=1):
            if (path := point.params.get("path", "indexed")) != "indexed":
                style = {"color": source.colour, "marker": "*", "linestyle": "none", "markersize": 9}
                ax.plot([1], [point.value], **style)
                c.key(f"{path} address: {number(point.value, 4)} cycles", **style)
    title = f"{MODES[mode]} by spacing"
    return _distinct(ax, title, drawn) if drawn else empty(ax, title, NOTHING)


def _crossing(left, right, x):
    """The least x at which `left` costs more than `right`, on straight lines between common points, or None; and what
    to say of the two."""
    other = {p.params[x]: p.value for p in right}
    common = [(p.params[x], p.value - other[p.params[x]]) for p in left if p.params[x] in other]
    if not common:
        return None, ""
    if all(d > 0 for _, d in common):
        return None, "constant is everywhere dearer than"
    for (x0, d0), (x1, d1) in pairwise(common):
        if d0 <= 0 < d1:
            return x0 + (x1 - x0) * -d0 / (d1 - d0), "constant is dearer than"
    return None, "constant is nowhere dearer than"


def _crossover_panels(sources):
    """(mode, spacing) with which the same pattern was read from several spaces: throughput first, three at most."""
    found = []
    for mode in reversed(MODES):
        points = [p for s in sources for p in pick(s.points, mode=mode, path=["indexed", None])]
        for spacing in values(points, "spacing"):
            spaces = values(pick(points, spacing=spacing), "space")
            if "constant" in spaces and len(spaces) > 1:
                found.append((mode, spacing))
    return found[:3]


def _crossover(c, ax, mode, spacing):
    title = f"{MODES[mode]}: the spaces, {spacing} bytes apart"
    spaces = [
        s for s in SPACES if any(pick(source.points, mode=mode, spacing=spacing, space=s) for source in c.sources)
    ]
    drawn, said = [], []
    for source in c.sources:
        lines = {}
        mine = usual(pick(source.points, mode=mode, path=["indexed", None], spacing=spacing), "footprint")
        for series in split(mine, "distinct", "space"):
            space = series.key["space"]
            if space in spaces:
                look = c.look(source, SPACES.index(space), 3) | {"marker": "osD"[SPACES.index(space)]}
                plot(c, ax, source, series, "distinct", look, f"{space} memory", law=False)
                lines[space] = series.points
                drawn += series.points
        for space in spaces[1:]:
            at, text = _crossing(lines.get("constant", []), lines.get(space, []), "distinct")
            if at is not None:
                ax.axvline(at, color=source.colour, linewidth=0.8, linestyle=":")
            if text:
                said.append((source, f"{text} {space}{f' from {at:.1f} addresses on' if at is not None else ''}"))
    for index, (source, text) in enumerate(said):
        colour = shade(source.colour, 0, 4)
        ax.text(0.03, 0.96 - 0.07 * index, text, fontsize=7.5, color=colour, va="top", transform=ax.transAxes)
    _distinct(ax, title, drawn, room=1.2)


def _footprint(c, ax):
    title = "Latency by footprint"
    drawn = []
    for source in c.sources:
        points = [p for p in pick(source.points, mode="latency", space="constant") if p.params.get("footprint")]
        for series in split(usual(points, "distinct", "spacing", "path"), "footprint"):
            plot(c, ax, source, series, "footprint", c.look(source, 0, 1), "", law=False)
            drawn += series.points
    if not drawn:
        return empty(ax, title, NOTHING)
    decorate(ax, title, "footprint", "SM cycles per access")
    bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn], 7)
    from_zero(ax, [p.value for p in drawn])
    return None


def draw(sources):
    c = canvas(sources, 13, 7.6)
    above, below = c.figure.subplots(2, 3)
    for ax, mode in zip(above, MODES, strict=False):
        _divergence(c, ax, mode)
    _footprint(c, above[2])
    panels = _crossover_panels(sources)
    for ax, panel in zip(below, panels, strict=False):
        _crossover(c, ax, *panel)
    for ax in below[len(panels) :]:
        empty(ax, "The spaces compared", NOTHING)
    c.note("thin lines: the fitted law, where it makes a claim; markers: measured medians over the launches")
    c.note_fits("space")
    return finish(c, TITLE)
