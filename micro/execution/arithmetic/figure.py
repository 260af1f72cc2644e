"""Arithmetic: cycles per operation by the number of warps, down to the rate of the unit or of the issue."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import SERIES
from gpufx_plot.showing.charts.pen import Panel, by, short

QUESTION = "What does an arithmetic instruction cost, and how many can an SM issue?"
UNIT = "instructions per SM cycle"
FULL = 32  # warps, at which the rate of a unit is written
GROUPS = {
    "FP32 multiply-adds, and issue": {
        "fadd_rotate": "FADD and SHF alternating",
        "fma32": "FFMA",
    },
    "Units of their own": {
        "fp64": "DFMA",
        "shuffle": "shuffle",
        "log2": "log2",
        "divide": "int division",
    },
}
OTHERS = {
    "Packed words": {
        "half2_chains": "HFMA2, four chains",
        "dp4a": "dp4a",
        "vote": "comparison, vote",
        "match_distinct": "match, 32 words",
    },
    "Conversions": {
        "int_float": "int to float",
        "float_int": "float to int",
        "e4m3_half2": "FP8 to halves",
        "float_e4m3": "floats to FP8",
    },
    "More instructions": {
        "add3": "IADD3",
        "fma_add3": "FFMA and IADD3 alternating",
        "imad": "IMAD",
        "fma_imad": "FFMA and IMAD alternating",
        "half2": "HFMA2",
    },
    "More units": {
        "mma_fp16": "mma 16x8x16, fp16",
        "rsqrt": "root, add",
        "redux": "warp sum (redux)",
        "convert": "conversion",
        "barrier": "barrier",
    },
}
SAID = {  # at so many warps
    "fma32": (1, "FFMA waits {fma32.latency}", 4, -4, "left", "top", SERIES[1]),
    "fadd_rotate": (8, "{issue.rate}"),
}


def finding(source):
    return source.said("Instructions issue at {issue.rate}", "; a dependent multiply-add waits {fma32.latency}")


def _rate(_, value):
    return 1 / value if value > 0 else None


def _by_warps(pen, title, ops, first=0, law="default", ends=""):
    named = not pen.names_above([*ops.values()], first=first)
    pen.lines("warps", by("op", ops), _rate, first, law=law, named=named)
    for op in SAID.keys() & ops.keys():
        warps, text, *place = SAID[op]
        pen.say("warps", {"op": op, "warps": warps}, text, _rate, *place)
    for op in ends:
        pen.say("warps", {"op": op, "warps": FULL}, short, _rate, 6, 0, "left", "center")
    pen.headroom(1.4)
    pen.ys += [min(pen.ys) / 1.8] if SAID.keys() & ops.keys() and pen.ys else []  # and below the lowest
    pen.notes.add("counts an instruction of a warp once")
    pen.axes(title, "active warps on the SM", UNIT, scales.log2, scales.log10)


def panels(_):
    first = (0, len(next(iter(GROUPS.values()))))  # a colour means one instruction
    return [
        Panel(partial(_by_warps, title=title, ops=ops, first=at, law="", ends=ops.keys() - SAID.keys()), 1.2)
        for at, (title, ops) in zip(first, GROUPS.items(), strict=True)
    ]


def supplement(_):
    return [Panel(partial(_by_warps, title=title, ops=ops)) for title, ops in OTHERS.items()]
