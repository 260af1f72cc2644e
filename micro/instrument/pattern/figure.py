"""Random access patterns: how far each lies from what the laws count."""

from functools import partial

from gpufx_plot.charts import scales
from gpufx_plot.charts.pen import Panel, cost
from gpufx_plot.charts.series import pick, values

QUESTION = "Does a pattern that nobody chose cost what the laws say?"
NAMES = {"shared": "shared memory", "l1": "L1", "l2": "L2", "constant": "constant memory"}
NEAR = 2  # per cent: closer, a pattern counts as right


def _residual(source):
    return lambda p, v: 100 * (v / source.predicted(p) - 1)


def _predicted(source, **wanted):
    return [p for p in pick(source.points, **wanted) if source.predicted(p)]


def finding(source):
    off = [_residual(source)(p, p.value) for p in _predicted(source)]
    if not off:
        return ""
    near, worst = sum(abs(v) <= NEAR for v in off), max(off, key=abs)
    said = f"{near} of {len(off)} random patterns cost what the laws say to {NEAR} %"
    return f"{said}; the farthest is off by {worst:+.1f} %"


def _groups(sources):
    """(memory, kind of operation) of each column."""
    points = [p for s in sources for p in _predicted(s)]
    return [*dict.fromkeys((p.params["memory"], str(p.params["op"]).split("_")[0]) for p in points)]


def _residuals(pen):
    pen.comparable = False
    groups = _groups(pen.sources)
    for source in pen.sources:
        for index, (memory, op) in enumerate(groups):
            points = [p for p in _predicted(source, memory=memory) if str(p.params["op"]).split("_")[0] == op]
            # Side by side by width and by what the law counts, so that they do not hide each other.
            order = sorted(points, key=lambda p: (p.params["width"], p.count))
            place = {p.name: index + 0.7 * (i / max(1, len(order) - 1) - 0.5) for i, p in enumerate(order)}
            name = f"{NAMES.get(memory, memory)} {op}"
            pen.plot(
                source,
                points,
                lambda p, at=place: at[p.name],
                _residual(source),
                name,
                index,
                join=False,
                size=0.6,
                named=False,
            )
            if pen.alone:
                off = [abs(_residual(source)(p, p.value)) for p in points]
                pen.write(
                    index,
                    1,
                    f"{sum(v <= NEAR for v in off)} of {len(off)}",
                    ha="center",
                    va="top",
                    xycoords=("data", "axes fraction"),
                )
    pen.ax.axhspan(-NEAR, NEAR, color="#c4c7cc", alpha=0.4, linewidth=0, zorder=0.6)
    pen.notes.add(f"band: {NEAR} %; within a column by width and by count; numbers: patterns within the band")
    names = [f"{NAMES.get(memory, memory)}\n{op}" for memory, op in groups]
    pen.ys.append(1.25 * max(pen.ys))
    pen.axes("A mark per pattern", "", "measured over law (%)", scales.named(names), scales.linear)


def _costs(pen, memory, op):
    for source in pen.sources:
        points = [p for p in _predicted(source, memory=memory) if str(p.params["op"]).split("_")[0] == op]
        for index, width in enumerate(widths := values(points, "width")):
            pen.plot(
                source,
                pick(points, width=width),
                lambda p: p.count,
                cost,
                f"{width} B per lane",
                index,
                len(widths),
                join=False,
                size=0.7,
            )
    pen.axes(
        f"{NAMES.get(memory, memory).capitalize()}: {op}",
        "count by the law",
        "SM cycles per access",
        scales.log2,
        scales.log2,
    )


def panels(sources):
    return [Panel(_residuals, 1.2, wide=True)] if _groups(sources) else []


def supplement(sources):
    return [Panel(partial(_costs, memory=memory, op=op)) for memory, op in _groups(sources)]
