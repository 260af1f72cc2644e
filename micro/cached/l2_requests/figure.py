"""Requests to the L2: the rate of the whole chip by the lines that an access asks for."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, between, short
from gpufx_plot.showing.charts.series import pick, usual, values

QUESTION = "How many small requests does the L2 of the whole chip serve?"


def _rate(point, value):
    """Requests per ns."""
    return point.params["requests"] / value if value > 0 else None


def finding(source):
    rates = [_rate(p, p.value) for p in pick(source.points, requests=32)]
    if not rates:
        return ""
    return f"The L2 serves {between(rates)} requests per ns for random words in 32 lines, by table size"


def _sizes(pen):
    for source in pen.sources:
        points = pick(source.points, requests=32)
        pen.plot(source, points, "footprint", _rate)
        for end in (min, max) if points else ():  # as in the title
            pen.say("footprint", end(points, key=lambda p: _rate(p, p.value)).params, short, _rate)
    pen.headroom(1.1)
    pen.axes("32 lines per access, by size of the table", "size of the table", "requests per ns", scales.sizes)


def _lines(pen, footprint):
    for source in pen.sources:
        points = sorted(pick(source.points, footprint=footprint), key=lambda p: p.params["requests"])
        pen.plot(source, points, "requests", _rate)
        for end, *place in ((points[:1], 6, -2, "left", "top"), (points[-1:], 0, 5)):
            for p in end:
                pen.say("requests", p.params, short, _rate, *place)
    beside = (_rate(p, p.value) for s in pen.sources for p in pick(s.points, requests=32))
    pen.ys += [rate for rate in beside if rate]
    pen.headroom(1.1)
    title, x = f"Table of {size_text(footprint)}, by lines per access", "cache lines touched by a warp access"
    pen.axes(title, x, "requests per ns", scales.counts, scales.zero)


def panels(sources):
    every = [p for s in sources for p in s.points]
    swept = usual(every, "footprint")
    return [Panel(_sizes), *(Panel(partial(_lines, footprint=size)) for size in values(swept, "footprint"))]
