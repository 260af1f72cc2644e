"""Random access patterns: how far each lies from what the laws count."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT
from gpufx_plot.showing.charts.pen import Panel, cost, residual
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "Do random access patterns cost what the laws predict?"
NAMES = {"shared": "shared memory", "l1": "L1", "l2": "L2", "constant": "constant memory"}
NEAR = 2  # per cent: closer, a pattern counts as right
WIDE = 4  # times that: so wide a range is named


def _predicted(source, **wanted):
    return [p for p in pick(source.points, **wanted) if source.predicted(p)]


def finding(source):
    off = [residual(source)(p, p.value) for p in _predicted(source)]
    if not off:
        return ""
    near, worst = sum(abs(v) <= NEAR for v in off), max(off, key=abs)
    said = f"{near} of {len(off)} random patterns cost what the laws predict within {NEAR} %"
    return f"{said}; largest deviation {worst:+.1f} %"


def _group(point):
    """Memory and kind of operation."""
    memory = point.params["memory"]
    return NAMES.get(memory, memory), str(point.params["op"]).split("_")[0]


def _groups(sources):
    return [*dict.fromkeys(_group(p) for s in sources for p in _predicted(s))]


def _residuals(pen):
    pen.residuals("One mark per pattern", lambda p: ", ".join(_group(p)), NEAR)
    for row in sorted(pen.rows, key=lambda row: abs(row.y))[-1:] if pen.alone else ():
        pen.write(row.x, row.y, f"{row.y:+.1f} %", 5, colour=TEXT)
    for row in sorted(pen.rows, key=lambda row: row.high - row.low)[-1:] if pen.alone else ():
        if row.high - row.low > WIDE * NEAR:
            words = f"{row.source.range_text.split(': ')[1]}\nof one pattern"
            pen.write(row.x, row.low, words, 5, 0, va="bottom", linespacing=1.35)


def _costs(pen, group):
    for source in pen.sources:
        points = [p for p in _predicted(source) if _group(p) == group]
        for index, width in enumerate(widths := values(points, "width")):
            name = f"{width} B per lane"
            mine = pick(points, width=width)
            pen.plot(source, mine, lambda p: p.count, cost, name, index, len(widths), join=False, size=0.7)
    title = ": ".join(group)
    pen.axes(title[:1].upper() + title[1:], "count by the law", "SM cycles per access", scales.log2, scales.log2)


def panels(sources):
    return [Panel(_residuals, 1.2, wide=True)] if _groups(sources) else []


def supplement(sources):
    return [Panel(partial(_costs, group=group)) for group in _groups(sources)]
