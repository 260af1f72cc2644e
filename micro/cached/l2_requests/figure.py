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
    return f"The L2 serves {between(rates)} requests per ns for random single words, depending on table size"


def _sizes(pen):
    for source in pen.sources:
        points = pick(source.points, requests=32)
        pen.plot(source, points, "footprint", _rate)
        for end in (min, max) if points else ():  # as in the title
            pen.say("footprint", end(points, key=lambda p: _rate(p, p.value)).params, short, _rate)
    pen.headroom(1.1)
    pen.axes("32 single words per warp access", "size of the table", "requests per ns", scales.sizes)


def _lines(pen, footprint):
    for source in pen.sources:
        pen.plot(source, pick(source.points, footprint=footprint), "requests", _rate)
    pen.headroom(1.1)
    title, x = f"Table of {size_text(footprint)}", "cache lines touched by a warp access"
    pen.axes(title, x, "requests per ns", scales.counts, scales.zero)


def panels(sources):
    every = [p for s in sources for p in s.points]
    swept = usual(every, "footprint")
    return [Panel(_sizes), *(Panel(partial(_lines, footprint=size)) for size in values(swept, "footprint"))]
