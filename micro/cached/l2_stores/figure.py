"""Stores to the L2: the time of the whole chip by the lines that an access writes."""

from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a store cost the L2 of the whole chip, by the lines and sectors that it writes?"
PLACES = {"spread": "words in scattered sectors", "together": "words in adjacent sectors"}
FOOTPRINT = 8 << 20


def finding(source):
    scattered, whole = (
        pick(source.points, lines=n, place=place, footprint=FOOTPRINT) for n, place in ((32, "spread"), (1, "together"))
    )
    if not scattered or not whole:
        return ""
    ratio = ratio_text(scattered[0].value / whole[0].value)
    return f"A warp store of 32 words in 32 lines costs the L2 {ratio} as much time as one that fills a line"


def _lines(pen):
    pen.lines("lines", by("place", PLACES, footprint=FOOTPRINT))
    for lines, place in ((1, "together"), (32, "spread")):
        pen.say("lines", {"lines": lines, "place": place, "footprint": FOOTPRINT}, dy=7)
    pen.headroom(1.06)
    pen.axes(
        "Time of the whole GPU per warp store",
        "lines written by one warp store",
        "ns per warp store",
        scales.counts,
    )


def panels(_):
    return [Panel(_lines)]
