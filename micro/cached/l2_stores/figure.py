"""Stores to the L2: the time of the whole chip by the lines that an access writes."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does a store cost the L2 of the whole chip, by the lines and sectors that it writes?"


def finding(source):
    scattered, whole = (pick(source.points, lines=n, place=place) for n, place in ((32, "spread"), (1, "together")))
    if not scattered or not whole:
        return ""
    return f"A store of 32 lines keeps the L2 busy for {scattered[0].value / whole[0].value:.3g} times as long as one of one line"


def _lines(pen):
    for source in pen.sources:
        for index, place in enumerate(values(source.points, "place")):
            points = pick(source.points, place=place, footprint=8 << 20)
            if len(points) > 1:
                pen.plot(source, points, "lines", None, f"words {place}", index)
    pen.axes("Time by lines of an access", "lines of an access", "ns of the chip per access", scales.counts, scales.zero)


def panels(sources):
    return [Panel(_lines)] if any(len(values(s.points, "lines")) > 1 for s in sources) else []
