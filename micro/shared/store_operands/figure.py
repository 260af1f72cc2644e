"""Stores of fresh registers: the cost over stores of the same registers again, by the ways of the bank conflict."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import against, pick, split, values

QUESTION = "Does a store of freshly computed registers cost more?"
NAMES = {"shared": "Shared memory", "global": "Global memory, L2"}


def _times(source, **wanted):
    """(point, times the same store of old registers)."""
    points = pick(source.points, **wanted)
    fresh = [n for n in values(points, "fresh") if n]
    return [(p, p.value / q.value) for n in fresh for p, q in against(points, "fresh", n, 0)]


def finding(source):
    return source.said(
        "A 16-byte shared store of registers just computed takes {shared.fresh_store_ratio} as long as of older ones"
    )


def _name(key):
    return f"{key['fresh'] or 'no'} fresh, {'4 sets in turn' if key['sets'] > 1 else '1 set'}"


def _costs(pen, memory, width):
    for source in pen.sources:
        series = split(pick(source.points, memory=memory, width=width), "ways", "fresh", "sets")
        for index, line in enumerate(series):
            pen.plot(source, line.points, "ways", cost, _name(line.key), index, law="default")
    title = f"{NAMES.get(memory, memory)}, {width} bytes per lane"
    pen.axes(title, "ways of the conflict", "SM cycles per access", scales.counts, scales.log2)


def _ratios(pen, memory):
    for source in pen.sources:
        found = {p.name: ratio for p, ratio in _times(source, memory=memory)}
        points = [p for p in source.points if p.name in found]
        for index, line in enumerate(split(points, "ways", "width", "fresh", "sets")):
            name = f"{line.key['width']} B, {_name(line.key)}"
            pen.plot(source, line.points, "ways", lambda p, v, f=found: f[p.name] * v / p.value, name, index)
    pen.level(1)
    title = f"{NAMES.get(memory, memory)}: fresh registers over old ones"
    pen.axes(title, "ways of the conflict", "times as long", scales.counts, scales.linear)


def panels(sources):
    return [
        Panel(partial(_ratios, memory=memory), wide=True)
        for memory in NAMES
        if any(_times(s, memory=memory) for s in sources)
    ]


def supplement(sources):
    every = [p for s in sources for p in s.points]
    return [
        Panel(partial(_costs, memory=memory, width=width))
        for memory in values(every, "memory")
        for width in values(pick(every, memory=memory), "width")
    ]
