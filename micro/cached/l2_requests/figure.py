"""Requests to the L2: the rate of the whole chip by the lines that an access asks for."""

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, between, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How many small requests does the L2 of the whole chip serve?"


def _rate(point, value):
    """Requests per ns."""
    return point.params["requests"] / value if value > 0 else None


def finding(source):
    rates = [_rate(p, p.value) for p in pick(source.points, requests=32)]
    if not rates:
        return ""
    return f"The L2 serves {between(rates)} requests per ns for random single words, depending on table size"


def _lines(pen):
    for source in pen.sources:
        sizes = values(source.points, "footprint")
        for index, footprint in enumerate(sizes):
            points = pick(source.points, footprint=footprint)
            if len(points) > 1:
                pen.plot(source, points, "requests", _rate, f"table of {size_text(footprint)}", index, len(sizes))
    for source in pen.sources if pen.alone else ():
        for end, *place in ((max, 5, "center", "bottom"), (min, -5, "center", "top")):
            if points := pick(source.points, requests=32):
                pen.say("requests", end(points, key=lambda p: _rate(p, p.value)).params, short, _rate, 0, *place)
    pen.axes("L2 request rate", "cache lines touched by a warp access", "requests per ns", scales.counts, scales.zero)


def panels(_):
    return [Panel(_lines)]
