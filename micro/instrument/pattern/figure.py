"""Random access patterns: the measured cost over what the laws count, and how far each pattern lies from its law."""

from functools import partial

from gpufx_plot.charts.series import pick, values
from gpufx_plot.charts.style import canvas, decorate, finish, log2_axis, tiled

TITLE = "Does a pattern that nobody chose cost what the laws say?"
NAMES = {
    "shared": "Shared memory",
    "l1": "Global memory, L1 hit",
    "l2": "Global memory, L2",
    "constant": "Constant memory",
}
NEAR = 2  # per cent: closer, a pattern counts as right


def _families(c):
    """(memory, operation) of each panel: the atomics of a memory share one."""
    found = []
    for memory in values([p for s in c.sources for p in s.points], "memory"):
        for op in values([p for s in c.sources for p in pick(s.points, memory=memory)], "op"):
            pair = (memory, str(op).split("_")[0])
            if pair not in found:
                found.append(pair)
    return found


def _panel(c, ax, memory, op):
    drawn, said = [], []
    for source in c.sources:
        mine = [p for p in pick(source.points, memory=memory) if str(p.params["op"]).split("_")[0] == op and p.count]
        ratios = [p.value / law - 1 for p in mine if (law := source.predicted(p))]
        for index, width in enumerate(widths := values(mine, "width")):
            points = pick(mine, width=width)
            look = c.look(source, index, len(widths)) | {"linestyle": "none", "markersize": 3, "alpha": 0.7}
            ax.plot([p.count for p in points], [p.value for p in points], **look)
            c.key(f"{width} bytes per lane", **look)
            for kind in values(points, "op"):
                ends = sorted({p.count: p for p in pick(points, op=kind)}.items())
                law = [(count, value) for count, p in ends if (value := source.predicted(p))]
                if len(law) > 1:
                    ax.plot(*zip(*law, strict=True), **c.law_look(source))
                    c.key("the law: a + b × count, as fitted", **c.law_look(source))
        drawn += mine
        if ratios:
            right = sum(abs(r) <= NEAR / 100 for r in ratios)
            worst = 100 * max(ratios, key=abs)
            said.append(f"{right} of {len(ratios)} within {NEAR} % of the law\nfarthest {worst:+.1f} %")
    ax.text(0.04, 0.96, "\n".join(said), transform=ax.transAxes, va="top", fontsize=7.5, linespacing=1.4)
    decorate(ax, f"{NAMES.get(memory, memory)}: {op}", f"count by the law ({drawn[0].law})", "SM cycles per access")
    log2_axis(ax.xaxis, [p.count for p in drawn])
    log2_axis(ax.yaxis, [p.value for p in drawn])


def draw(sources):
    c = canvas(sources, 13, 6.6)
    panels = _families(c)
    if not panels:
        return None
    tiled(c, [partial(_panel, c, memory=memory, op=op) for memory, op in panels], 4)
    c.note("points: medians over the processes, a point for each random pattern")
    return finish(c, TITLE)
