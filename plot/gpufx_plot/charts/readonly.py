"""Read-only paths: the latency staircase of each, hits as equivalence, and two-dimensional walks."""

import math

from ..compare import welch
from ..model import size_text
from .series import pick, plot, split, usual, values
from .style import GREY, PALE, bytes_axis, canvas, decorate, empty, finish, log10_axis, shade

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
}
FAR = 0.3  # a difference beyond this is written, not drawn
WALKS = ("rows", "columns", "tiles", "random")


def _base(c) -> str:
    """The path that the others are held against."""
    return "plain" if any(pick(s.points, path="plain") for s in c.sources) else "ca"


def _stairs(source, path):
    """Latency over footprint. The walk is the one that most footprints share: the sweep's name does not tell, since a
    case that several sweeps hold carries the name of the first."""
    points = usual(pick(source.points, path=path, mode=["latency", None]), "walk")
    series = next(iter(split(points, "footprint")), None)
    return series if series and len(series.points) > 2 else None


def _staircase(c, ax, path):
    """One path; the plain load lies behind it in grey, so that a difference is seen as one."""
    for source in c.sources:
        if path != _base(c) and (plain := _stairs(source, _base(c))):
            ax.plot(
                [p.params["footprint"] for p in plain.points], [p.value for p in plain.points], color=PALE, linewidth=3
            )
    drawn = []
    for source in c.sources:
        series = _stairs(source, path)
        if series:
            plot(c, ax, source, series, "footprint", c.look(source, 0, 1), "", law=False)
            drawn += series.points
    decorate(ax, NAMES.get(path, path), "", "")
    return drawn


def _ratio(point, plain):
    """Ratio of a path to the plain load with its 95 % interval, from the launches."""
    sides = [[math.log(v) for v in p.medians if v > 0] for p in (plain, point)]
    if min(map(len, sides)) < 2:
        return point.value / plain.value - 1, None
    difference, half = welch(*sides)
    return math.expm1(difference), (math.expm1(difference - half), math.expm1(difference + half))


def _hits(c, ax, size):
    """Equivalence: the interval of each path over the plain load, for data that stays in one cache."""
    rows = []
    for source in c.sources:
        hits = usual(pick(source.points, footprint=size), "walk")
        for point in hits:
            path, mode = point.params.get("path"), point.params.get("mode")
            plain = pick(hits, path=_base(c), mode=mode)
            if path != _base(c) and plain and plain[0].value > 0 and plain[0].metric == point.metric:
                rows.append((source, f"{path}, {mode}" if mode else path, *_ratio(point, plain[0])))
    title = f"Hits at {size_text(size)} against the {NAMES[_base(c)]}"
    if not rows:
        return empty(ax, title, "not in these archives")
    names = [*dict.fromkeys(name for _, name, _, _ in rows)]
    sizes = [abs(v) for _, _, ratio, interval in rows for v in (interval or (ratio,))]
    reach = min(FAR, max(0.02, 1.1 * max(sizes)))
    for source, name, ratio, interval in rows:
        place = names.index(name) + 0.3 * (source.index - (len(c.sources) - 1) / 2)
        if abs(ratio) > reach:
            side = {"x": 98 * reach, "ha": "right"} if ratio > 0 else {"x": -98 * reach, "ha": "left"}
            ax.text(y=place, s=f"{100 * ratio:+.0f} %", color=source.colour, va="center", **side)
            continue
        if interval:
            ax.plot([100 * v for v in interval], [place, place], color=source.colour, linewidth=2.2, alpha=0.6)
        ax.plot([100 * ratio], [place], "o", color=source.colour, markersize=5)
    ax.axvspan(-1, 1, color=PALE, alpha=0.4, linewidth=0)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(-100 * reach, 100 * reach)
    decorate(ax, title, "difference (%), 95 % interval; grey: within 1 %", "")
    return None


def _walks(c, ax, mode, size):
    title = f"2-D walks over {size_text(size)}, {mode}"
    walked = [pick(s.points, mode=mode, footprint=size, walk=list(WALKS)) for s in c.sources]
    paths = [*dict.fromkeys(p.params.get("path") for points in walked for p in points)]
    step = 0.82 / (len(paths) * len(walked))
    metrics = set()
    for place, (source, points) in enumerate(zip(c.sources, walked, strict=True)):
        for index, path in enumerate(paths):
            found = {p.params.get("walk"): p for p in pick(points, path=path)}
            shown = [(i, found[w]) for i, w in enumerate(WALKS) if w in found]
            slot = index * len(walked) + place - (len(paths) * len(walked) - 1) / 2
            colour = shade(source.colour, index, len(paths))
            label = NAMES.get(path, path) if source is c.sources[0] else None
            ax.bar(
                [i + slot * step for i, _ in shown], [p.value for _, p in shown], step * 0.92, color=colour, label=label
            )
            metrics |= {p.metric for _, p in shown}
    ax.set_xticks(range(len(WALKS)), WALKS)
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper left", fontsize=7.5)
    ax.margins(y=0.3)
    units = {"access_cycles": "SM cycles per access", "access_ns": "ns per access"}
    decorate(ax, title, "", " or ".join(units.get(m, m) for m in sorted(metrics)))


def draw(sources):
    points = [p for s in sources for p in s.points]
    stairs = [path for path in NAMES if any(_stairs(s, path) for s in sources)]
    stairs += [v for v in values(points, "path") if v not in NAMES and any(_stairs(s, v) for s in sources)]
    rows = max(1, -(-len(stairs) // 5))
    columns = max(1, -(-len(stairs) // rows))
    sizes = values([p for p in points if p.sweep == "hits"], "footprint")[:2]
    walked = pick(points, walk=list(WALKS))
    walks = [*dict.fromkeys((p.params.get("mode"), p.params.get("footprint", 0)) for p in walked)][:2]
    below = max(1, len(sizes)) + max(1, len(walks))
    c = canvas(sources, 13, 2.6 * rows + 3.3 + 1.1)
    outer = c.figure.add_gridspec(2, 1, height_ratios=[2.6 * rows, 3.3])
    above, under = outer[0].subgridspec(rows, columns), outer[1].subgridspec(1, below)
    drawn, panels = [], []
    for index, path in enumerate(stairs or [_base(c)]):
        column = index % columns
        ax = c.figure.add_subplot(above[index // columns, column])
        found = _staircase(c, ax, path)
        if found:
            drawn += found
            panels.append((ax, index))
        else:
            empty(ax, NAMES.get(path, path), "no footprint sweep in these archives")
    for ax, index in panels:
        bytes_axis(ax.xaxis, [p.params["footprint"] for p in drawn], 5)
        log10_axis(ax.yaxis, [p.value for p in drawn])
        ax.set_ylim(min(p.value for p in drawn) / 1.3, max(p.value for p in drawn) * 1.3)
        ax.set_xlabel("footprint")
        ax.set_ylabel("latency (SM cycles)" if index % columns == 0 else "")
    for index, size in enumerate(sizes):
        _hits(c, c.figure.add_subplot(under[index]), size)
    for index, (mode, size) in enumerate(walks, start=max(1, len(sizes))):
        _walks(c, c.figure.add_subplot(under[index]), mode, size)
    if not sizes:
        empty(c.figure.add_subplot(under[0]), "Hits as equivalence", "not in these archives")
    if not walks:
        empty(c.figure.add_subplot(under[below - 1]), "2-D walks", "not in these archives")
    c.note(f"grey behind each staircase: the {NAMES[_base(c)]}; vertical bars: launches that differ by over 2 %")
    return finish(c, TITLE)
