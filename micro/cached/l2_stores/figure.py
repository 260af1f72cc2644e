"""Stores to the L2: the time of the whole chip by the lines that an access writes."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does a store cost the L2 of the whole chip, by the lines and sectors that it writes?"


def finding(source):
    scattered, whole = (pick(source.points, lines=n, place=place) for n, place in ((32, "spread"), (1, "together")))
    if not scattered or not whole:
        return ""
    return f"A store of 32 lines keeps the L2 busy {scattered[0].value / whole[0].value:.3g}x the time of one line"


def _lines(pen):
    places = values([p for s in pen.sources for p in s.points], "place")
    pen.lines("lines", by("place", {place: f"words {place}" for place in places}, footprint=8 << 20))
    pen.axes("Time by lines of an access", "lines of an access", "ns of the chip per access", scales.counts)


def panels(_):
    return [Panel(_lines)]
