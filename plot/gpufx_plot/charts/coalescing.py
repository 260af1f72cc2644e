"""Global-memory coalescing: one column per level, the cost against offset, stride and lane order."""

from .series import pick, plot, split, usual
from .style import canvas, decorate, empty, finish, from_zero, log2_axis, shade

TITLE = "What does an uncoalesced access cost?"
LEVELS = {"l1": "L1 hit", "l2": "L2 hit", "dram": "DRAM"}
WIDTHS = (1, 2, 4, 8, 16)
ORDERS = ("linear", "reversed", "shuffled", "random")


def _unit(points) -> str:
    metric = points[0].metric
    return (
        "SM cycles per access" if metric.endswith("_cycles") else "ns per access" if metric.endswith("_ns") else metric
    )


def _sweep(c, ax, level, op, x):
    """Isolated segments by width with the law's line; the in-order stream beside them where it was measured."""
    title = f"{LEVELS[level]}, {op}: {x}"
    drawn = []
    for source in c.sources:
        at_level = usual(pick(source.points, level=level, op=op, order=["linear", None]), "seed")
        rest = [0, None] if x == "stride" else [1, None]
        points = pick(at_level, **{"offset" if x == "stride" else "stride": rest})
        for series in split(points, x, "layout", "width"):
            layout, width = series.key["layout"], series.key["width"]
            if len(series.points) < 3:
                continue
            stream = layout == "stream"
            if stream and width not in (4, None):
                c.note("of the streams only width 4 is drawn")
                continue
            index = WIDTHS.index(width) if width in WIDTHS else 2
            look = c.look(source, index, len(WIDTHS))
            if stream:
                look |= {"marker": "x", "linestyle": (0, (1, 1.5))}
            label = f"{width} bytes a lane" + (", stream" if stream else "") if width else ""
            plot(c, ax, source, series, x, look, label, law=not stream)
            drawn += series.points
    if not drawn:
        return empty(ax, title, "not in these archives")
    unit = "elements" if x == "stride" else "bytes"
    decorate(ax, title, f"{x} ({unit})", _unit(drawn))
    if x == "stride":
        log2_axis(ax.xaxis, [p.params[x] for p in drawn])
    else:
        ax.set_xticks(range(0, 129, 32))
    from_zero(ax, [p.value for p in drawn])
    return None


def _order(c, ax, level):
    """Lane order at width 4, stride 1: the law says that only `random` may cost more."""
    title = f"{LEVELS[level]}: order of the lanes"
    drawn, bars = [], []
    for source in c.sources:
        for op in ("load", "store"):
            same = pick(
                source.points, level=level, op=op, layout=["isolated", None], offset=[0, None], stride=[1, None]
            )
            found = {p.params.get("order"): p for p in usual(pick(same, width=[4, None]), "seed")}
            shown = [(i, found[o]) for i, o in enumerate(ORDERS) if o in found]
            if len(shown) > 1:
                bars.append((source, op, shown))
    width = 0.8 / max(1, len(bars))
    for index, (source, op, shown) in enumerate(bars):
        places = [i + (index - (len(bars) - 1) / 2) * width for i, _ in shown]
        colour = shade(source.colour, 0 if op == "load" else 3, 5)
        label = op if source is c.sources[0] else None
        ax.bar(places, [p.value for _, p in shown], width * 0.9, color=colour, label=label)
        for place, (_, point) in zip(places, shown, strict=True):
            if (law := source.predicted(point)) is not None:
                ax.plot([place - width * 0.45, place + width * 0.45], [law, law], color="black", linewidth=1.2)
        drawn += [p for _, p in shown]
    if not drawn:
        return empty(ax, title, "not in these archives")
    decorate(ax, title, "", _unit(drawn))
    ax.set_xticks(range(len(ORDERS)), ORDERS)
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper left", ncols=2)
    ax.set_ylim(0, max(p.value for p in drawn) * 1.25)
    return None


def draw(sources):
    ops = [o for o in ("load", "store") if any(pick(s.points, op=o) for s in sources)] or ["load"]
    rows = [(op, x) for op in ops for x in ("offset", "stride")]
    c = canvas(sources, 12, 2.75 * (len(rows) + 1) + 1.2)
    axes = c.figure.subplots(len(rows) + 1, len(LEVELS), squeeze=False)
    for column, level in enumerate(LEVELS):
        for row, (op, x) in enumerate(rows):
            _sweep(c, axes[row][column], level, op, x)
        _order(c, axes[len(rows)][column], level)
    c.note("thin lines and black bars: the fitted law, where it makes a claim; markers and bars: measured")
    c.note_fits("level")
    return finish(c, TITLE)
