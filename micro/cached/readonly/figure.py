"""Read-only paths: hits against the plain load, the latency staircase of each, and two-dimensional walks."""

import math
from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.judging.compare import exp, welch
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import PALE
from gpufx_plot.showing.charts.pen import Panel, cost, short
from gpufx_plot.showing.charts.series import pick, usual, values

QUESTION = "Are read-only, texture or constant loads faster than plain ones?"
NAMES = {
    "plain": "plain load",
    "ca": "ld.global.ca",
    "nc": "ld.global.nc (__ldg)",
    "cg": "ld.global.cg",
    "tex": "texture, 1-D fetch",
    "tex2d_array": "texture, 2-D array",
    "tex2d_pitch": "texture, pitch-linear",
    "const": "constant",
    "plain_nc": "plain and ld.global.nc by turns",
    "plain_tex": "plain and texture by turns",
}
MARGIN = 0.01  # what counts as the same
WALKS = {"rows": "rows", "columns": "columns", "tiles": "tiles", "random": "random"}


def _base(source):
    """The path that the others are held against."""
    return "plain" if pick(source.points, path="plain") else "ca"


def _walked(source, path):
    """Latency over footprint. The walk is the one that most footprints share: the sweep's name does not tell, since a
    case that several sweeps hold carries the name of the first."""
    points = usual(pick(source.points, path=path, mode=["latency", None]), "walk")
    return sorted(points, key=lambda p: p.params["footprint"])


def _judged(point, plain):
    """Ratio of a path to the plain load and its 95 % interval from the processes; None of one process."""
    sides = [[math.log(v) for v in p.medians] for p in (plain, point)]
    if min(map(len, sides)) < 2:
        return point.value / plain.value, None
    difference, half = welch(*sides)
    return exp(difference), (exp(difference - half), exp(difference + half))


def verdict(ratio, interval):
    if interval is None:
        return f"{ratio:.2f} times, one process"
    if interval[0] >= 1 / (1 + MARGIN) and interval[1] <= 1 + MARGIN:
        return "the same"
    return f"{ratio:.2f} times" + ("" if interval[0] > 1 or interval[1] < 1 else ", not sure")


def _hits(source, size):
    """(path, mode, ratio, interval) of each path over the plain load, for data that stays in one cache."""
    hits = [p for p in usual(pick(source.points, footprint=size), "walk") if min(p.medians) > 0]
    for point in hits:
        path, mode = point.params.get("path"), point.params.get("mode")
        plain = pick(hits, path=_base(source), mode=mode)
        if path != _base(source) and plain and plain[0].metric == point.metric:
            yield path, mode, *_judged(point, plain[0])


def _sizes(source):
    return values([p for p in source.points if p.sweep == "hits"], "footprint")[:2]


def finding(source):
    sizes = _sizes(source)
    if not sizes:
        return ""
    found = {path: ratio for path, mode, ratio, _ in _hits(source, sizes[0]) if mode in ("throughput", None)}
    alike = [NAMES.get(path, path) for path, ratio in found.items() if abs(ratio - 1) <= MARGIN]
    others = [f"{NAMES.get(path, path)} {short(ratio)}x" for path, ratio in found.items() if abs(ratio - 1) > MARGIN]
    said = f"The plain load{', ' * (len(alike) > 1)}{' and ' * (len(alike) == 1)}"
    said += (
        f"{' and '.join(alike)} cost the same (throughput)"
        if alike
        else " is the fastest"
        if min(found.values()) > 1
        else ""
    )
    return "; ".join([said, ", ".join(others)] if others else [said]) if alike or others else ""


def _equal(pen, size):
    rows, words = [], {}
    for source in pen.sources:
        for path, mode, ratio, interval in _hits(source, size):
            name = NAMES.get(path, path) + (f", {mode}" if mode else "")
            rows.append(
                (name, source, (ratio, *(interval or (ratio, ratio))), [*NAMES].index(path) if path in NAMES else 0)
            )
            words[ratio] = verdict(ratio, interval)
    rows.sort(key=lambda row: (row[0].rpartition(", ")[2], row[3]))
    rows = [(name, source, found, 0) for name, source, found, _ in rows]
    pen.bars(rows, text=words.get if pen.alone else lambda v: f"{v:.2f}", dots=True)
    pen.ax.axvline(1, color=PALE, zorder=1)
    pen.notes.add("the same: within 1 %, by the 95 % interval over the processes")
    pen.xs.append(0.9)
    pen.axes(f"Hits in {size_text(size)}, over the plain load", "times as long", "", scales.log10, None)


def _latency(pen):
    """All paths in one panel: those that cost the same lie on each other."""
    for source in pen.sources:
        for index, (path, name) in enumerate(NAMES.items()):
            points = _walked(source, path)
            if len(points) > 1:
                pen.plot(source, points, "footprint", cost, name, index, size=0.8)
        pen.mark(source.device["l2_bytes"], "L2", source, top=False)
    pen.axes("Latency of a walk, by footprint", "footprint", "SM cycles", scales.sizes, scales.log10)


def _walk(pen, size):
    places = [walk for walk in WALKS if any(pick(s.points, walk=walk, footprint=size) for s in pen.sources)]
    for source in pen.sources:
        paths = [path for path in NAMES if pick(source.points, path=path, walk=list(WALKS), footprint=size)]
        for index, path in enumerate(paths):
            points = pick(source.points, path=path, walk=list(WALKS), footprint=size)
            pen.plot(source, points, lambda p: places.index(p.params["walk"]), cost, NAMES[path], index)
    title = f"Walks over a matrix of {size_text(size)}"
    pen.axes(title, "", "SM cycles per access", scales.named(places))


def _staircase(pen, path):
    """One path; the plain load lies behind it in grey."""
    for source in pen.sources:
        plain = _walked(source, _base(source))
        if path != _base(source):
            pen.ax.plot([p.params["footprint"] for p in plain], [p.value for p in plain], color=PALE, linewidth=3)
        points = _walked(source, path)
        pen.plot(source, points, "footprint", cost)
        if pen.alone:
            pen.stairs(source, points, "footprint")
    pen.notes.add("pale: the plain load")
    pen.axes(NAMES.get(path, path), "footprint", "SM cycles", scales.sizes, scales.log10)


def _swept(sources, path):
    return any(len(values(_walked(s, path), "footprint")) > 1 for s in sources)


def panels(sources):
    sizes = [*dict.fromkeys(size for s in sources for size in _sizes(s) if any(True for _ in _hits(s, size)))]
    found = [Panel(partial(_equal, size=size), 0.9, wide=True, bars=True) for size in sizes[:1]]
    if any(_swept(sources, path) for path in NAMES):
        found.append(Panel(_latency))
    walked = values([p for s in sources for p in pick(s.points, walk=list(WALKS))], "footprint")
    if walked:
        found.append(Panel(partial(_walk, size=walked[0])))
    return found


def supplement(sources):
    sizes = [*dict.fromkeys(size for s in sources for size in _sizes(s) if any(True for _ in _hits(s, size)))]
    found = [Panel(partial(_equal, size=size), 0.9, wide=True, bars=True) for size in sizes[1:]]
    found += [Panel(partial(_staircase, path=path), 0.85) for path in NAMES if _swept(sources, path)]
    walked = values([p for s in sources for p in pick(s.points, walk=list(WALKS))], "footprint")
    return found + [Panel(partial(_walk, size=size)) for size in walked[1:]]
