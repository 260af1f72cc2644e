"""Fragments: the cost of ldmatrix and stmatrix by the distance of their rows, and what the swizzles make of it."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What do ldmatrix and stmatrix cost, by the addresses of their rows?"
NAMES = {"load": "ldmatrix", "store": "stmatrix"}
LAYOUTS = {
    ("none", 128): ("rows 128 bytes apart", False),
    ("none", 144): ("padded by 16 bytes", True),
    ("32", 128): ("32-byte swizzle", True),
    ("64", 128): ("64-byte swizzle", True),
    ("128", 128): ("128-byte swizzle", True),
}


def finding(source):
    return source.said(
        "ldmatrix of rows 128 bytes apart takes {shared.ldmatrix_conflict_ratio} as long as of padded rows",
        "with the 128-byte swizzle {shared.ldmatrix_swizzled_ratio}",
    )


def _pitches(source, **wanted):
    return pick(source.points, **{"mode": "throughput", "order": "plain", "swizzle": "none"} | wanted)


def _costs(pen, op):
    for source in pen.sources:
        points = _pitches(source, op=op)
        for index, matrices in enumerate(values(points, "matrices")):
            name = f"{matrices} matri{'ces' if matrices > 1 else 'x'}"
            pen.plot(source, pick(points, matrices=matrices), "pitch", label=name, index=index, law="ticks", join=False)
    pen.axes(f"{NAMES[op]}, a full SM", "bytes from row to row", "SM cycles per access", scales.counts, scales.log2)


def _layouts(pen):
    rows = []
    for source in pen.sources:
        loads = pick(source.points, mode="throughput", op="load", matrices=4, order="plain")
        base = next((p.value for p in pick(loads, swizzle="none", pitch=144)), None)
        for (swizzle, pitch), (name, cure) in LAYOUTS.items():
            if base:
                for point in pick(loads, swizzle=swizzle, pitch=pitch):
                    rows.append((name, source, tuple(v / base for v in (point.value, *point.spread)), cure))
    pen.bars(rows)
    pen.axes("What cures it, four matrices", "times an ldmatrix of padded rows", "", scales.zero, None)


def panels(sources):
    every = [p for s in sources for p in s.points]
    found = [Panel(partial(_costs, op=op)) for op in NAMES if any(len(_pitches(s, op=op)) > 1 for s in sources)]
    if pick(every, mode="throughput", op="load", matrices=4, order="plain", swizzle="none", pitch=144):
        found.append(Panel(_layouts, 0.62, wide=True, bars=True))
    return found
