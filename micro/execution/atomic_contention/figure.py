"""Atomics that many want: time per atomic of the whole device by the blocks at work, and by operation on one word."""

import math
from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, pooled, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does an atomic on a contended word cost?"
LANES = 32
CROWDS = (("one word for all", "grid", 1), ("a word per block", "block", 1), ("a word per lane", "warp", 32))
OPS = (
    ("add", "int32", "unused"),
    ("add", "float32", "unused"),
    ("cas", "int32", "used"),
    ("add", "int32", "used"),
    ("exch", "int32", "used"),
)
FIRST = 3  # of them in the first figure


def _each(point, value):
    """Nanoseconds from one lane's operation to the next."""
    return pooled(point, value) / LANES


def _crowd(source, owner, distinct=1):
    return pick(source.points, distinct=distinct, op="add", type="int32", result="unused", owner=owner)


def finding(source):
    return source.said(
        "Atomics on one word complete every {l2.atomic_word_time}, on a float every {l2.atomic_float_word_time}",
        "; a word per lane is {l2.atomic_contention_ratio} as fast",
    )


def _blocks(source, point):
    return point.params["blocks"] or source.device.get("sm_count") or 128


def _by_blocks(pen):
    for source in pen.sources:
        for index, (name, owner, distinct) in enumerate(CROWDS):
            points = _crowd(source, owner, distinct)
            pen.plot(source, points, lambda p, s=source: _blocks(s, p), _each, name, index)
            for p in pick(points, blocks=0) if pen.alone else ():
                dy, va = (-5, "top") if owner == "block" else (4, "bottom")  # the line of a word per block falls
                text = "{l2.atomic_contention_ratio} as fast" if owner == "warp" else short
                pen.say(partial(_blocks, source), p.params, text, _each, 4, dy, "right", va)
    pen.headroom(2)
    pen.ys += [10 ** math.floor(math.log10(min(pen.ys)))] if pen.ys else []  # a tick below the lowest mark
    pen.notes.add("counts the operation of every lane")
    pen.axes(
        "Add int32, by active blocks", "blocks (last mark: one per SM)", "ns per atomic", scales.counts, scales.log10
    )


def _ops(pen, ops=OPS):
    rows = []
    for op, kind, result in ops:
        for source in pen.sources:
            points = pick(source.points, distinct=1, owner="grid", blocks=0, op=op, type=kind, result=result)
            rows += [(f"{op} {kind}" + ", result used" * (result == "used"), source, p, 0) for p in points]
    pen.bars(rows, _each)
    pen.axes("One word for all, by operation", "ns per atomic", "", scales.zero, None)


def panels(_):
    return [Panel(_by_blocks), Panel(partial(_ops, ops=OPS[:FIRST]))]


def supplement(_):
    return [Panel(_ops)]
