"""Read-only paths: the latency staircase of each, hits as equivalence, and two-dimensional walks."""

import math
from functools import partial

from gpufx_plot.charts.series import pick, plot, split, usual, values
from gpufx_plot.charts.style import (
    GREY,
    PALE,
    brackets,
    bytes_axis,
    canvas,
    decorate,
    finish,
    heights,
    legend_above,
    log10_axis,
    shade,
    tiled,
)
from gpufx_plot.compare import exp, welch
from gpufx_plot.model import number, size_text

TITLE = "Does it matter by which path read-only data is read?"
NAMES = {
    "plain": "plain load",
    "ca": "ld.global.ca",
    "nc": "ld.global.nc",
    "cg": "ld.global.cg",
    "tex": "texture, 1-D fetch",
    "tex2d_array": "texture, 2-D array",
    "tex2d_pitch": "texture, pitch-linear",
    "const": "constant",
    "plain_nc": "plain and ld.global.nc by turns",
    "plain_tex": "plain and texture by turns",
}
REACH, MARGIN = 0.03, 0.01  # what the equivalence panel spans, and what it calls the same
WALKS = ("rows", "columns", "tiles", "random")


def _base(sources) -> str:
    """The path that the others are held against."""
    return "plain" if any(pick(s.points, path="plain") for s in sources) else "ca"


def _stairs(source, path):
    """Latency over footprint. The walk is the one that most footprints share: the sweep's name does not tell, since a
    case that several sweeps hold carries the name of the first."""
    points = usual(pick(source.points, path=path, mode=["latency", None]), "walk")
    series = next(iter(split(points, "footprint")), None)
    return series if series and len(series.points) > 1 else None


def _staircase(c, ax, path, extent):
    """One path; the plain load lies behind it in grey, so that a difference is seen as one."""
    for source in c.sources:
        if path != _base(c.sources) and (plain := _stairs(source, _base(c.sources))):
            xs, ys = [p.params["footprint"] for p in plain.points], [p.value for p in plain.points]
            ax.plot(xs, ys, color=PALE, linewidth=3)
        if series := _stairs(source, path):
            plot(c, ax, source, series, "footprint", c.look(source, 0, 1), "", law=None)
            if source is c.sources[0]:
                heights(ax, [(p.params["footprint"], p.value) for p in series.points])
                brackets(ax, series.points, "footprint")
        l2 = source.archive.run["device"]["l2_bytes"]
        ax.axvline(l2, color=GREY, linewidth=0.8, linestyle=":")
        if path == _base(c.sources):
            ax.annotate(f"L2 {size_text(l2)}", (l2, extent[1][0]), (-3, 0), textcoords="offset points", ha="right",
                        va="bottom", fontsize=7.2, color=GREY)  # fmt: skip
    decorate(ax, NAMES.get(path, path), "footprint", "latency (SM cycles)")
    bytes_axis(ax.xaxis, extent[0], 7)
    log10_axis(ax.yaxis, extent[1])
    ax.set_ylim(extent[1][0] / 1.3, extent[1][1] * 1.5)


def _judged(point, plain):
    """Ratio of a path to the plain load, its 95 % interval from the processes, and the verdict."""
    sides = [[math.log(v) for v in p.medians] for p in (plain, point)]
    if min(map(len, sides)) < 2:
        return point.value / plain.value, None, "(one process)"
    difference, half = welch(*sides)
    low, high = exp(difference - half), exp(difference + half)
    inside = -math.log1p(MARGIN) <= difference - half and difference + half <= math.log1p(MARGIN)
    word = "SAME" if inside else "DIFFERENT" if low > 1 or high < 1 else "UNDECIDED"
    return exp(difference), (low, high), word


def _hit_rows(sources, size):
    """(source, name, ratio, interval, verdict) of each path over the plain load, for data that stays in one cache."""
    rows = []
    for source in sources:
        hits = [p for p in usual(pick(source.points, footprint=size), "walk") if min(p.medians) > 0]
        for point in hits:
            path, mode = point.params.get("path"), point.params.get("mode")
            plain = pick(hits, path=_base(sources), mode=mode)
            if path != _base(sources) and plain and plain[0].metric == point.metric:
                rows.append((source, f"{path}, {mode}" if mode else path, *_judged(point, plain[0])))
    return rows


def _hits(c, ax, size, rows):
    def order(name):
        path, _, mode = name.partition(", ")
        return mode, [*NAMES, path].index(path)

    names = sorted({name for _, name, *_ in rows}, key=order)
    for source, name, ratio, interval, word in rows:
        place = names.index(name) + 0.34 * (source.index - (len(c.sources) - 1) / 2)
        ends = [(v - 1) * 100 for v in (*(interval or (ratio, ratio)), ratio)]
        if abs(ends[-1]) <= 100 * REACH:
            ax.plot(ends[:2], [place, place], color=source.colour, linewidth=2.4, alpha=0.6)
            ax.plot(ends[2:], [place], color=source.colour, marker="o", markersize=4.5)
        else:
            ax.plot([math.copysign(97 * REACH, ends[-1])], [place], color=source.colour, marker="<>"[ratio > 1])
        style = {"va": "center", "fontsize": 7.5, "color": source.colour if len(c.sources) > 1 else "black"}
        ax.text(115 * REACH, place, f"{ratio:.{2 if ratio > 1.1 else 4}f}{' ×' * bool(interval)} {word}", **style)
    ax.axvspan(-100 * MARGIN, 100 * MARGIN, color=PALE, alpha=0.4, linewidth=0)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(-100 * REACH, 340 * REACH)  # room for the words
    ax.set_xticks([-2, 0, 2])
    label = "difference (%)" + ", 95 % interval" * any(interval for *_, interval, _ in rows)
    decorate(ax, f"Hits in {size_text(size)} over the {NAMES[_base(c.sources)]}", label, "")


def _walks(c, ax, mode, size):
    walked = [pick(s.points, mode=mode, footprint=size, walk=list(WALKS)) for s in c.sources]
    paths = [*dict.fromkeys(p.params.get("path") for points in walked for p in points)]
    count = len(paths) * len(walked)
    step = 0.84 / count
    for place, (source, points) in enumerate(zip(c.sources, walked, strict=True)):
        for index, path in enumerate(paths):
            found = {p.params.get("walk"): p for p in pick(points, path=path)}
            shown = [(WALKS.index(walk), p.value) for walk, p in found.items()]
            places = [i + (index * len(walked) + place - (count - 1) / 2) * step for i, _ in shown]
            label = path if source is c.sources[0] else None
            ax.bar(places, [v for _, v in shown], step * 0.92, color=shade(source.colour, index, 3), label=label)
            for x, (_, value) in zip(places, shown, strict=True):
                ax.text(x, value, number(value, 2), ha="center", va="bottom", fontsize=6.5 if count < 4 else 5)
    ax.set_xticks(range(len(WALKS)), WALKS, fontsize=7.5)  # four words stand under a narrow panel
    ax.grid(visible=False, axis="x")
    decorate(ax, f"2-D walks over {size_text(size)}: {mode}", "", "SM cycles per access")
    legend_above(ax)


def draw(sources):
    points = [p for s in sources for p in s.points]
    paths = dict.fromkeys([*NAMES, *values(points, "path")])
    stairs = [path for path in paths if any(_stairs(s, path) for s in sources)]
    shown = [p for s in sources for path in stairs if (t := _stairs(s, path)) for p in t.points]
    extent = [(min(v), max(v)) for v in ([p.params["footprint"] for p in shown], [p.value for p in shown]) if v]
    sizes = values([p for p in points if p.sweep == "hits"], "footprint")[:2]
    hits = {size: rows for size in sizes if (rows := _hit_rows(sources, size))}
    walked = pick(points, walk=list(WALKS))
    walks = [*dict.fromkeys((p.params.get("mode"), p.params.get("footprint", 0)) for p in walked)][:2]
    panels = [partial(_staircase, path=path, extent=extent) for path in stairs]
    below = [partial(_hits, size=size, rows=rows) for size, rows in hits.items()]
    below += [partial(_walks, mode=mode, size=size) for mode, size in walks]
    if not (panels or below):
        return None
    tall, low = 2.75 * -(-len(panels) // 3), 3.3 * bool(below)
    c = canvas(sources, 13, tall + low or 2)
    grid = c.figure.add_gridspec(2, 1, height_ratios=[tall or 1e-3, low or 1e-3])
    if panels:
        tiled(c, [partial(panel, c) for panel in panels], 3, grid[0])
    if below:
        widths = [1.25] * len(hits) + [1.0] * len(walks)
        tiled(c, [partial(panel, c) for panel in below], len(below), grid[1], widths)
    c.note(
        "grey behind each staircase: the plain load; figures: the height of its flat parts; shaded: where each ends; "
        "the same: within 1 %"
    )
    return finish(c, TITLE)
