"""Fragments: the cost of ldmatrix and stmatrix by the distance of their rows, and what the swizzles make of it."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a matrix load (ldmatrix) cost, by the addresses of its rows?"
NAMES = {"load": "ldmatrix", "store": "stmatrix"}
PLAIN = {"mode": "throughput", "order": "plain"}
LAYOUTS = {
    ("none", 128): ("rows 128 bytes apart", False),
    ("none", 144): ("padded by 16 bytes", True),
    ("32", 128): ("32-byte swizzle", True),
    ("64", 128): ("64-byte swizzle", True),
    ("128", 128): ("128-byte swizzle", True),
}


def finding(source):
    return source.said(
        "An ldmatrix of rows 128 bytes apart takes {shared.ldmatrix_conflict_ratio} as long as one of padded rows",
        "; with the 128-byte swizzle it takes {shared.ldmatrix_swizzled_ratio} as long",
    )


def _costs(pen, op, names):
    wanted = {"op": op, **PLAIN, "swizzle": "none"}
    pen.lines("pitch", by("matrices", names, **wanted), law="default", size=1.1, named=len(names) > 1)
    if len(names) == 1:  # as the title has it
        pen.say("pitch", wanted | {"matrices": 4, "pitch": 128}, "{shared.ldmatrix_conflict_ratio}")
        pen.headroom(1.3)
    pen.axes(
        f"{NAMES[op]}, {'by matrices' if len(names) > 1 else '4 matrices'}, a full SM",
        "row pitch (bytes)",
        "SM cycles per access",
        scales.counts,
        scales.log2,
    )
    if pen.xs:
        pen.ax.set_xticks(sorted({*pen.xs}))


def _layouts(pen):
    rows = []
    for source in pen.sources:
        loads = pick(source.points, **PLAIN, op="load", matrices=4)
        base = next((p.value for p in pick(loads, swizzle="none", pitch=144)), None)
        for (swizzle, pitch), (name, cure) in LAYOUTS.items():
            if base:
                for point in pick(loads, swizzle=swizzle, pitch=pitch):
                    rows.append((name, source, tuple(v / base for v in (point.value, *point.spread)), cure))
    pen.bars(rows, text="{:#.3g}x".format)
    pen.axes("Cures, four matrices", "time vs padded rows", "", scales.zero, None)


def panels(_):
    return [Panel(partial(_costs, op="load", names={4: "4 matrices"}), wide=True), Panel(_layouts, wide=True)]


def supplement(_):
    names = {1: "1 matrix", 2: "2 matrices", 4: "4 matrices"}
    return [Panel(partial(_costs, op=op, names=names), wide=True) for op in NAMES]
