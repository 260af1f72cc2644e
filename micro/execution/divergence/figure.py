"""Divergence: the cost against the paths in a warp, with whole warps as control; and what the body of an if costs."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT
from gpufx_plot.showing.charts.pen import Panel, by, cost, short
from gpufx_plot.showing.charts.series import pick, usual

QUESTION = "What does it cost when the lanes of a warp take different paths?"
MODES = {"throughput": "a full SM", "latency": "one warp alone"}
UNIT = "SM cycles per branch"
ONE = {"blocked": "lanes of a warp"}
ORDERS = {"blocked": "lanes in blocks", "interleaved": "lanes interleaved", "shuffled": "lanes shuffled"}
SHAPES = {"if": "If without else", "ifelse": "If with else"}
TAKEN = {16: "half", 32: "all", 0: "none"}
NEUTRAL = 5  # a series in grey: marks of all lanes
FLAT = 1.02  # an if that costs no more with half of the lanes than with none is predicated


def _switch(source, mode, **wanted):
    return usual(pick(source.points, shape="switch", mode=mode, **wanted), "seed")


def _predicated(source, mode, shape="if"):
    """The longest body for which lanes that do not take the if pay as much as those that do, as all shorter ones."""
    found = {
        taken: {p.params["length"]: p.value for p in pick(source.points, shape=shape, mode=mode, taken=taken)}
        for taken in (0, 16)
    }
    longest = 0
    for length in sorted(found[0].keys() & found[16].keys()):
        if found[16][length] > FLAT * found[0][length]:
            break
        longest = length
    return longest


def finding(source):
    said = source.said("32 paths in a warp cost {divergence.ratio} as much as one path")
    longest = _predicated(source, "throughput")
    more = f"; ifs without else of up to {longest} instructions are predicated: all lanes pay" if longest else ""
    return said + more if said else ""


def _paths(pen, mode, orders):
    for source in pen.sources:
        for index, (order, name) in enumerate(orders.items()):
            points = _switch(source, mode, on="lane", order=[order, None] if not index else order)
            pen.plot(
                source,
                points,
                "paths",
                cost,
                name,
                index,
                law="" if index else "default",
                join=False,
            )
        pen.plot(source, usual(_switch(source, mode, on="warp"), "order"), "paths", cost, "whole warps", len(orders))
    ends = {"shape": "switch", "mode": mode, "on": "lane", "order": [*orders, None], "paths": [1, 32]}
    if len(orders) == 1:
        for source in pen.sources if pen.alone else ():
            for p in pick(source.points, **ends | {"paths": 1}):
                pen.write(32, p.value, f"one path: {short(p.value)}", 6, 5, "right", "bottom", TEXT)
        ratio = pen.sources[0].said(": {divergence.ratio}")
        pen.say("paths", ends | {"paths": 32}, lambda v: short(v) + ratio)
        pen.headroom(1.1)
    pen.axes(f"Paths of 16 instructions: {MODES[mode]}", "different paths", UNIT, scales.ticks_at(1, 8, 16, 24, 32))


def _body(pen, shape, mode):
    """One line for each share of the lanes, of predicated bodies one for all; the law where there is a branch."""
    shares = pen.together("length", by("taken", TAKEN, shape=shape, mode=mode))
    for source in pen.sources:
        longest = _predicated(source, mode, shape)
        for index, names, wanted in shares:
            points = [p for p in pick(source.points, **wanted) if p.params["length"] > longest]
            pen.plot(source, points, "length", cost, " or ".join(names), index, law="default")
        if longest:
            points = [p for p in pick(source.points, **shares[0][2]) if p.params["length"] <= longest]
            pen.plot(source, points, "length", cost, "predicated", NEUTRAL, law="default", named=False)
            pen.mark(longest + 0.5, f"up to {longest}: predicated,\nthe same for all", source)
    title = f"{SHAPES[shape]}, by lanes that take it: {MODES[mode]}"
    pen.axes(title, "instructions in the body", UNIT, scales.ticks_at(1, 8, 16, 24, 32))


def _bodies(mode):
    return [Panel(partial(_body, shape=shape, mode=mode)) for shape in SHAPES]


def panels(_):
    return [Panel(partial(_paths, mode="throughput", orders=ONE), wide=True), *_bodies("throughput")]


def supplement(_):
    return [*(Panel(partial(_paths, mode=mode, orders=ORDERS)) for mode in MODES), *_bodies("latency")]
