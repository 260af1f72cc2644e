"""Read-only paths: hits against the plain load, the latency staircase of each, and two-dimensional walks."""

import math
from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.judging.compare import exp, welch
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import PALE
from gpufx_plot.showing.charts.pen import Panel, by, cost, short
from gpufx_plot.showing.charts.series import pick, usual, values

QUESTION = "Are read-only, texture or constant loads faster than plain ones?"
NAMES = {
    "plain": "plain load",
    "ca": "ld.global.ca",
    "nc": "__ldg (ld.global.nc)",
    "cg": "ld.global.cg",
    "tex": "1-D texture",
    "tex2d_array": "2-D texture, array",
    "tex2d_pitch": "2-D texture, pitch-linear",
    "const": "constant",
    "plain_nc": "plain and ld.global.nc, alternating",
    "plain_tex": "plain and texture, alternating",
}
ALTERNATING = ("plain_nc", "plain_tex")
MARGIN, SAME = 0.01, "the same"  # as the processes show, within the margin
WALKS = {"rows": "along rows", "columns": "along columns", "tiles": "in tiles", "random": "at random"}
WALKERS = ("plain", "tex2d_array", "tex2d_pitch")
SHOWN = ("plain", "nc", "cg", "tex", "const")  # over the footprint; the others are in the supplement


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
    if interval and interval[0] >= 1 / (1 + MARGIN) and interval[1] <= 1 + MARGIN:
        return SAME
    return f"{ratio:.2f}x" + ("" if not interval or interval[0] > 1 or interval[1] < 1 else ", uncertain")


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
    found = [(mode, NAMES.get(path, path), judged) for path, mode, *judged in _hits(source, sizes[0])]
    rates = [(name, judged) for mode, name, judged in found if mode in ("throughput", None)]
    alike = [name.split(" (")[0] for name, judged in rates if verdict(*judged) == SAME and name != NAMES["ca"]]
    said = [f"{' and '.join(alike)} cost{'s' * (len(alike) == 1)} the same as a plain load"] if alike else []
    size = min(values(pick(source.points, walk="columns"), "footprint"), default=0)
    if said and (ratio := _against(source, size, "columns")):
        rows = _against(source, size, "rows")
        return f"{said[0]}; a 2-D texture reads columns {ratio}" + f", but takes {rows} for rows" * bool(rows)
    others = [(judged[0], name) for mode, name, judged in found if mode == "latency" and verdict(*judged) != SAME]
    if others and max(others)[0] > 1:
        ratio, name = max(others)
        said.append(
            f"{name} has {ratio_text(ratio)} its latency"
            if said
            else f"{name} has {ratio_text(ratio)} the latency of a plain load"
        )
    return "; ".join(said)


def _against(source, size, walk):
    """How a texture walks over a matrix, against plain loads, in words."""
    plain, texture = (pick(source.points, walk=walk, footprint=size, path=path) for path in WALKERS[:2])
    if not plain or not texture:
        return ""
    faster = plain[0].value / texture[0].value
    return f"{ratio_text(faster, 2)} as fast" if faster >= 1 else f"{ratio_text(1 / faster, 2)} as long"


def _equal(pen, size, alternating=False):
    rows, words = [], {}
    hits = [hit for source in pen.sources for hit in _hits(source, size)]
    rated = {path for path, mode, *_ in hits if mode != "latency"}
    for source in pen.sources:
        for path, mode, ratio, interval in _hits(source, size):
            if path in ALTERNATING and not alternating:
                continue
            found = (ratio, *(interval or (ratio, ratio)))
            name = NAMES.get(path, path) + ", latency only" * (pen.alone and path not in rated)
            rows.append((name, source, found, int(mode == "throughput")))
            words[ratio] = verdict(ratio, interval)
            if interval is None:
                pen.notes.add("one process: differences are not judged")
            else:
                pen.notes.add("the same: within 1 %, by the 95 % CI over the processes")
    rows.sort(key=lambda row: [*NAMES.values()].index(row[0]) if row[0] in NAMES.values() else len(NAMES))
    text = words.get if pen.alone else "{:.2f}x".format
    pen.bars(rows, text=text, series=["latency", "throughput"])
    pen.ax.axvline(1, color=PALE, zorder=1)
    pen.axes(f"Hits in {size_text(size)}", "time vs a plain load", "", scales.zero, None)


def _latency(pen):
    for source in pen.sources:
        for index, path in enumerate(SHOWN):
            pen.plot(source, _walked(source, path), "footprint", cost, NAMES[path], index, size=0.8)
        pen.mark(source.device["l2_bytes"], "L2", source, top=False)
    pen.axes("Latency of a walk, by footprint", "footprint", "SM cycles", scales.sizes, scales.log10)


def _walk(pen, size, walkers=WALKERS):
    """In colours of their own: the first two mean latency and throughput."""
    other, rows = 2, []
    for index, path in enumerate(walkers, other):
        rows += pen.cases(by("walk", WALKS, path=path, footprint=size), index)
    titled = [
        (s, p)
        for s in pen.sources
        for p in pick(s.points, walk=["rows", "columns"], path=WALKERS[1], footprint=size)
        if pen.alone and _against(s, size, p.params["walk"])
    ]
    words = {(s.index, p.name): f"{short(p.value)}: {_against(s, size, p.params['walk'])}" for s, p in titled}
    pen.bars(rows, series=[""] * other + [NAMES[path] for path in walkers], words=words)
    pen.axes(f"Walks over a matrix of {size_text(size)}", "SM cycles per access", "", scales.zero, None)


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


def _first_two(sources):
    """The sizes of which hits were taken, and those of matrices."""
    sizes = [*dict.fromkeys(size for s in sources for size in _sizes(s) if any(True for _ in _hits(s, size)))]
    return sizes, values([p for s in sources for p in pick(s.points, walk=list(WALKS))], "footprint")


def panels(sources):
    sizes, walked = _first_two(sources)
    found = [Panel(partial(_equal, size=size), wide=True) for size in sizes[:1]]
    return found + [Panel(partial(_walk, size=size, walkers=WALKERS[:2]), wide=True) for size in walked[:1]]


def supplement(sources):
    sizes, walked = _first_two(sources)
    found = [Panel(partial(_equal, size=size, alternating=True), wide=True) for size in sizes]
    found += [Panel(_latency, 1.2, wide=True)]
    found += [Panel(partial(_staircase, path=path), 0.85) for path in NAMES]
    return found + [Panel(partial(_walk, size=size), wide=True) for size in walked]
