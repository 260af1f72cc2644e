"""Shared-memory bank conflicts: measured points on the predicted staircase, and all patterns against the law."""

from functools import partial
from itertools import pairwise

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import GREY, MARKERS, canvas, decorate, finish, log2_axis, shade, tiled
from gpufx_plot.model import number

TITLE = "What does a shared-memory bank conflict cost?"
MODES = {"throughput": "Throughput", "latency": "Latency"}
TOGETHER = (("load", "store"), ("atomic_add", "atomic_cas"))


def _panels(sources, mode):
    """(ops, width) of the staircases of one mode: loads and stores by width, then atomics."""
    points = [p for s in sources for p in pick(s.points, mode=mode, pattern="stride")]
    known = [op for ops in TOGETHER for op in ops]
    others = tuple((op,) for op in values(points, "op") if op not in known)
    found = []
    for ops in TOGETHER + others:
        found += [(tuple(values(pick(points, op=list(ops), width=w), "op")), w) for w in values(points, "width")]
    return [(ops, width) for ops, width in found if ops]


def _look(c, source, op, size=4.4):
    """Ops that cost the same lie on each other: a small pale marker over a large dark one shows both."""
    index = next((ops.index(op) for ops in TOGETHER if op in ops), 0)
    atomic = op in TOGETHER[1]
    look = c.look(source, 2 * index, 3)
    look |= {"marker": MARKERS[index + 2 * atomic], "markersize": size - 1.6 * index, "markeredgewidth": 0.6}
    # Atomics differ in cost: the pale ones stand on white, where only an edge shows them.
    edged = {"markersize": size - 0.8, "markeredgecolor": shade(source.colour, 0, 3)}
    return look | edged if atomic and index else look


def _stairs(c, ax, mode, ops, width):
    drawn = []
    for source in c.sources:
        points = pick(source.points, mode=mode, width=width, pattern="stride", offset=[0, None], op=list(ops))
        for series in sorted(split(points, "stride", "op"), key=lambda s: ops.index(s.key["op"])):
            op = series.key["op"]
            strides = [p.params["stride"] for p in series.points]
            # A staircase over strides that were left out would say what was not computed.
            law = "steps-mid" if all(b - a == 1 for a, b in pairwise(strides)) else "ticks"
            plot(c, ax, source, series, "stride", _look(c, source, op), op, law)
            drawn += series.points
    title = f"{MODES[mode]}, {width} B per lane: {'atomics' if ops[0] in TOGETHER[1] else ', '.join(ops)}"
    decorate(ax, title, "stride (elements)", "SM cycles per access")
    ax.set_xticks(range(0, 65, 8))
    log2_axis(ax.yaxis, [p.value for p in drawn])


def _pairs(c, mode):
    """(source, point, predicted) for all that the law speaks of."""
    found = [(s, p, s.predicted(p)) for s in c.sources for p in pick(s.points, mode=mode)]
    return [(s, p, law) for s, p, law in found if law]


def _against(c, ax, mode, pairs):
    xs = [law for _, _, law in pairs]
    for source in c.sources:
        for op in values([p for s, p, _ in pairs if s is source], "op"):
            mine = [(law, p.value) for s, p, law in pairs if s is source and p.params["op"] == op]
            ax.plot(*zip(*mine, strict=True), **_look(c, source, op) | {"linestyle": "none"})
    log2_axis(ax.xaxis, xs)
    log2_axis(ax.yaxis, xs)
    ax.plot([min(xs), max(xs)], [min(xs), max(xs)], color=GREY, linewidth=0.9, zorder=1.8)
    title = f"{MODES[mode]}: all patterns, {len(pairs)} cases"
    decorate(ax, title, "cycles by the law: a + b × count", "measured SM cycles per access")


def _residuals(c, ax, mode, pairs):
    """What the law leaves, by pattern and op: each case is a point, ops stand beside each other."""
    patterns = values([p for _, p, _ in pairs], "pattern")
    ops = values([p for _, p, _ in pairs], "op")
    for source in c.sources:
        for index, op in enumerate(ops):
            mine = [(p, law) for s, p, law in pairs if s is source and p.params["op"] == op]
            places = [patterns.index(p.params["pattern"]) + 0.18 * (index - (len(ops) - 1) / 2) for p, _ in mine]
            look = _look(c, source, op) | {"linestyle": "none", "markersize": 3, "markerfacecolor": "none"}
            ax.plot(places, [(p.value / law - 1) * 100 for p, law in mine], **look)
    ax.axhline(0, color=GREY, linewidth=0.9, zorder=1.8)
    ax.set_xticks(range(len(patterns)), patterns, rotation=25, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.5, len(patterns) - 0.5)
    ax.grid(visible=False, axis="x")
    worst = max(abs(p.value / law - 1) * 100 for _, p, law in pairs)
    decorate(ax, f"{MODES[mode]}: residual, worst {number(worst, 2)} %", "", "measured over law (%)")
    reach = max(0.5, 1.1 * worst)
    ax.set_ylim(-reach, reach)


def draw(sources):
    rows = {mode: panels for mode in MODES if (panels := _panels(sources, mode))}
    c = canvas(sources, 13, 1)
    held = {mode: pairs for mode in MODES if (pairs := _pairs(c, mode))}
    count = len(rows) + bool(held)
    if not rows or not count:
        return None
    c.figure.set_size_inches(13, 2.9 * count)
    grid = c.figure.add_gridspec(count, 1)
    for row, (mode, panels) in enumerate(rows.items()):
        tiled(
            c, [partial(_stairs, c, mode=mode, ops=ops, width=width) for ops, width in panels], len(panels), grid[row]
        )
    below = [partial(panel, c, mode=m, pairs=v) for m, v in held.items() for panel in (_against, _residuals)]
    if below:
        tiled(c, below, len(below), grid[-1])
    c.note("points: medians over the processes")
    return finish(c, TITLE)
