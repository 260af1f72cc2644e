"""Constant memory: serialisation by distinct addresses, the crossover with shared and global memory, the caches."""

from functools import partial
from itertools import pairwise

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost, short
from gpufx_plot.showing.charts.series import pick, usual, values

QUESTION = "What does a divergent constant read cost?"
MODES = {"throughput": "a full SM", "latency": "one warp alone"}
SPACES = ("constant", "shared", "global")
NEAR = 4  # bytes between the addresses of the main panels


def _indexed(source, **wanted):
    return pick(source.points, **{"path": ["indexed", None], "footprint": [0, None]} | wanted)


def _swept(source, **wanted):
    return sorted(_indexed(source, **{"spacing": NEAR} | wanted), key=lambda p: p.params["distinct"])


def _slope(points):
    """Cycles for each further address: the middle of the steps."""
    steps = sorted((b.value - a.value) / (b.params["distinct"] - a.params["distinct"]) for a, b in pairwise(points))
    return steps[len(steps) // 2] if steps else None


def finding(source):
    return source.said(
        "In a full SM 32 different constant addresses in a warp cost {constant.divergent_ratio} as much as one",
        "; each further address {constant.address_cycles}",
    )


def _crossover(pen, mode, spacing):
    for source in pen.sources:
        for index, space in enumerate(SPACES):
            points = _swept(source, mode=mode, space=space, spacing=spacing)
            pen.plot(source, points, "distinct", cost, f"{space} memory", index, size=0.7)
    if (mode, spacing) == ("throughput", NEAR):  # as the title has it
        ends = {"path": ["indexed", None], "footprint": [0, None], "space": "constant", "mode": mode}
        for distinct, words, *place in (
            (32, "{constant.divergent_ratio}", 0, 5, "center"),
            (16, "+{constant.address_cycles} per address", -5, 5, "right"),
        ):
            wanted = ends | {"spacing": spacing, "distinct": distinct}
            pen.say("distinct", wanted, words, cost, *place, colour=pen.colour(pen.sources[0], 0))
    pen.headroom(1.15)
    title = f"The same pattern, {spacing} bytes apart: {MODES[mode]}"
    pen.axes(title, "different addresses in the warp", "SM cycles per access", scales.ticks_at(1, 8, 16, 24, 32))


def _divergence(pen, mode):
    """Spacings that the law holds for throughout lie on one line: one of them is drawn."""
    for source in pen.sources:
        lines = {s: _swept(source, mode=mode, space="constant", spacing=s) for s in values(source.points, "spacing")}
        inside = [s for s, points in lines.items() if points and all(p.in_fit for p in points)]
        shown = [*inside[:1], *(s for s in lines if s not in inside)]
        for index, spacing in enumerate(shown):
            name = f"{inside[0]} to {inside[-1]} bytes apart" if spacing in inside and len(inside) > 1 else ""
            pen.plot(
                source,
                lines[spacing],
                "distinct",
                cost,
                name or f"{spacing} bytes apart",
                index,
                size=0.4,
                named=len(shown) > 1 or not pen.alone,
            )
        step = _slope(lines[inside[0]]) if inside else None
        if pen.alone and step:
            apart = f"{inside[0]} to {inside[-1]}" if len(inside) > 1 else inside[0]
            pen.corner(f"{apart} bytes apart:\n+{short(round(step, 2))} cycles\nper address")
    title = f"Constant reads: {MODES[mode]}"
    pen.axes(title, "different addresses in the warp", "SM cycles per access", scales.ticks_at(1, 8, 16, 24, 32))


def _uniform(source):
    points = [p for p in pick(source.points, mode="latency", space="constant") if p.params.get("footprint")]
    return sorted(usual(points, "distinct", "spacing", "path"), key=lambda p: p.params["footprint"])


def _footprint(pen):
    for source in pen.sources:
        points = _uniform(source)
        pen.plot(source, points, "footprint", cost)
        if pen.alone:
            pen.stairs(source, points, "footprint")
    pen.headroom(1.1)
    pen.axes("Latency of a uniform read, by footprint", "footprint", "SM cycles", scales.sizes)


def panels(_):
    crossover = partial(_crossover, mode="throughput", spacing=NEAR)
    return [Panel(crossover, wide=True), Panel(partial(_divergence, mode="latency")), Panel(_footprint)]


def supplement(sources):
    found = [Panel(partial(_divergence, mode="throughput"))]
    every = [p for s in sources for p in _indexed(s, mode="throughput")]
    for spacing in values(every, "spacing"):
        if spacing != NEAR and len(values(pick(every, spacing=spacing), "space")) > 1:
            found.append(Panel(partial(_crossover, mode="throughput", spacing=spacing)))
    return found
