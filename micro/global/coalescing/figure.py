"""Global-memory coalescing at each level: the cost against stride, offset and order of the lanes; the law as a line."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, usual, values
from gpufx_plot.charts.style import (
    GREY,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    shade,
    tiled,
)
from gpufx_plot.model import Point

TITLE = "What does an uncoalesced access cost?"
LEVELS = {"l1": "L1 hit", "l2": "L2 hit", "dram": "DRAM"}
OPS = ("load", "store")
ORDERS = ("linear", "reversed", "shuffled", "random")
MOST_WIDTHS = (4, 16)  # what is drawn where more than three widths were measured
UNITS = {"access_cycles": "SM cycles per access", "access_ns": "ns per access, whole GPU"}


def _unit(points: list[Point]) -> str:
    return " or ".join(sorted({UNITS.get(p.metric, p.metric) for p in points}))


def _at_rest(source, **wanted) -> list[Point]:
    return usual(pick(source.points, **{"order": ["linear", None], "layout": ["isolated", None]} | wanted), "seed")


def _stride(c, ax, level, op):
    """Isolated requests."""
    widths = values([p for s in c.sources for p in _at_rest(s, level=level, op=op, offset=[0, None])], "width")
    if len(widths) > 3 and {*MOST_WIDTHS} <= {*widths}:
        c.note(f"by stride, widths {' and '.join(map(str, MOST_WIDTHS))} are drawn; the archive has {widths}")
        widths = [*MOST_WIDTHS]
    drawn = []
    for source in c.sources:
        points = _at_rest(source, level=level, op=op, offset=[0, None], width=widths or [None])
        for series in split(points, "stride", "width"):
            index = widths.index(series.key["width"])
            look = c.look(source, 2 * index, 3)
            law = "ticks" if level == "l1" else "steps-mid"  # banks make a comb of it: no staircase to follow
            plot(c, ax, source, series, "stride", look, f"{widths[index]} bytes per lane", law)
            drawn += series.points
    decorate(ax, f"{LEVELS[level]}: {op}, by stride", "stride (elements)", _unit(drawn))
    log2_axis(ax.xaxis, [p.params["stride"] for p in drawn])
    (log10_axis if level == "dram" else log2_axis)(ax.yaxis, [p.value for p in drawn])


def _offset(c, ax, level, rate=False):
    """Misaligned requests of contiguous lanes: costs, or for DRAM the useful rate, alone and as a stream."""
    drawn = []
    layouts = [v for v in ("isolated", "stream") if rate or v == "isolated"]
    for source in c.sources:
        points = [p for layout in layouts for p in _at_rest(source, level=level, stride=[1, None], layout=layout)]
        for series in split(pick(points, width=[4, None]), "offset", "op", "layout"):
            if len(series.points) > 2:
                op, layout = series.key.values()
                look = c.look(source, 2 * OPS.index(op), 3) | {"marker": "o" if layout == "isolated" else "s"}
                look |= {"linestyle": source.dash if layout == "isolated" else (0, (1, 1.5)), "markersize": 3.4}
                label = f"{op}, {layout}" if rate else op
                plot(c, ax, source, series, "offset", look, label, "steps-mid", rate, own=True)
                drawn += series.points
    words = "useful rate" if rate else "cost"
    decorate(
        ax, f"{LEVELS[level]}: {words} by offset, 4 B per lane", "offset (bytes)", "GB/s" if rate else _unit(drawn)
    )
    ax.set_xticks(range(0, 129, 16))
    from_zero(ax, [(p.gbps or 0) if rate else p.value for p in drawn])
    legend_above(ax, 2)


def _streams(c, ax):
    """DRAM bandwidth in order, by width, against the theoretical peak."""
    drawn = []
    for source in c.sources:
        points = _at_rest(source, level="dram", stride=[1, None], offset=[0, None], layout=["stream", "isolated"])
        for series in split(points, "width", "op", "layout"):
            op, layout = series.key.values()
            look = c.look(source, 2 * OPS.index(op), 3) | {"marker": "o" if layout == "isolated" else "s"}
            look |= {"linestyle": source.dash if layout == "isolated" else (0, (1, 1.5))}
            plot(c, ax, source, series, "width", look, f"{op}, {layout}", rate=True, own=True)
            drawn += series.points
        peak = source.archive.run["device"]["memory_peak_GBps"]
        if peak:
            ax.axhline(peak, color=c.law_look(source)["color"], linewidth=0.9)
            best = max((p.gbps for p in points if p.gbps), default=0)
            text = f"peak {peak:.0f} GB/s; best {best:.0f}, {100 * best / peak:.1f} %"
            ax.text(1, peak, text, fontsize=7.2, color=GREY, va="bottom")
    decorate(ax, "DRAM: useful rate by width, contiguous", "bytes per lane", "GB/s")
    log2_axis(ax.xaxis, [p.params["width"] for p in drawn])
    peaks = [s.archive.run["device"]["memory_peak_GBps"] or 0 for s in c.sources]
    from_zero(ax, [p.gbps for p in drawn if p.gbps] + peaks)
    legend_above(ax, 2)


def _order(c, ax, level):
    """The same addresses dealt to the lanes in another order."""
    bars, drawn = [], []
    for source in c.sources:
        points = pick(source.points, level=level, op="load", layout=["isolated", None], stride=[1, None])
        for width in values(pick(points, order=list(ORDERS[1:])), "width"):
            found = {}
            for point in pick(points, width=width, offset=[0, None], order=list(ORDERS)):
                found.setdefault(point.params["order"], []).append(point)
            bars.append((source, width, found))
    step = 0.8 / len(bars)
    for index, (source, width, found) in enumerate(bars):
        look = c.look(source, index % 3, 3)
        for order, points in found.items():
            place = ORDERS.index(order) + (index - (len(bars) - 1) / 2) * step
            spread = [place + step * 0.6 * ((k + 0.5) / len(points) - 0.5) for k in range(len(points))]
            ax.plot(spread, [p.value for p in points], **look | {"linestyle": "none", "markersize": 3.6})
            for x, point in zip(spread, points, strict=True):
                if (law := source.predicted(point)) is not None:
                    half = 0.3 * step / len(points) + 0.012
                    ax.plot([x - half, x + half], [law, law], color=GREY, linewidth=1.2)
            drawn += points
        if source is c.sources[0]:
            ax.plot([], [], label=f"{width} bytes per lane", **look | {"linestyle": "none", "markersize": 3.6})
    decorate(ax, f"{LEVELS[level]}: load, by order of the lanes", "", _unit(drawn))
    ax.set_xticks(range(len(ORDERS)), ORDERS)
    log2_axis(ax.yaxis, [p.value for p in drawn])
    ax.grid(visible=False, axis="x")
    legend_above(ax)


def _residuals(c, ax):
    """How far the law holds: the share of cases that lie within so many percent of it."""
    reach = [0.1]
    for source in c.sources:
        groups: dict[tuple, list[float]] = {}
        for point in source.points:
            law = source.predicted(point)
            if law:
                key = (point.params.get("level"), point.params.get("op"))
                groups.setdefault(key, []).append(max(0.1, abs(point.value / law - 1) * 100))
        for index, ((level, op), left) in enumerate(groups.items()):
            shares = [100 * (k + 1) / len(left) for k in range(len(left))]
            colour = shade(source.colour, index, len(groups))
            label = f"{level} {op}" if source is c.sources[0] else None
            style = {"drawstyle": "steps-post", "linewidth": 1.6, "linestyle": source.dash}
            ax.plot([*sorted(left), 100], [*shares, 100], color=colour, label=label, **style)
            reach += left
    log10_axis(ax.xaxis, [*reach, 100])
    decorate(ax, "How far the law holds", "measured over law: at most so far off (%)", "share of the cases (%)")
    ax.set_ylim(0, 103)
    legend_above(ax, 4)


def _swept(sources, axis, **wanted) -> bool:
    return any(len(values(_at_rest(s, **wanted), axis)) > 2 for s in sources)


def draw(sources):
    c = canvas(sources, 13, 1)
    rest = {"stride": {"offset": [0, None]}, "offset": {"stride": [1, None]}}
    panels = [
        partial(_stride, c, level=level, op=op)
        for op in OPS
        for level in LEVELS
        if _swept(sources, "stride", level=level, op=op, **rest["stride"])
    ]
    streamed = [p for s in sources for p in pick(s.points, level="dram", layout="stream")]
    if len(values(streamed, "width")) > 2:
        panels.append(partial(_streams, c))
    for level in LEVELS:
        if any(_swept(sources, "offset", level=level, op=op, width=[4, None], **rest["offset"]) for op in OPS):
            panels.append(partial(_offset, c, level=level, rate=level == "dram"))
    for level in LEVELS:
        mixed = [p for s in sources for p in pick(s.points, level=level, op="load", order=list(ORDERS[1:]))]
        if len(values(mixed, "width")) > 1:
            panels.append(partial(_order, c, level=level))
    if any(s.fits for s in sources):
        panels.append(partial(_residuals, c))
    if not panels:
        return None
    c.figure.set_size_inches(13, 2.9 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note("points: medians over the processes; an isolated request shares no sector with another, a stream does")
    return finish(c, TITLE)
