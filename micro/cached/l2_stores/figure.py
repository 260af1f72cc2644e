"""Stores to the L2: the time of the whole chip by the lines that an access writes."""

from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a store cost the L2 of the whole chip, by the lines and sectors that it writes?"
PLACES = {"spread": "words in scattered sectors", "together": "words in adjacent sectors"}
FOOTPRINT = 8 << 20
LEAST = 8  # lines, of four sectors each, that hold 32 words in sectors of their own


def _ratio(source):
    scattered, whole = (
        pick(source.points, lines=n, place=place, footprint=FOOTPRINT) for n, place in ((32, "spread"), (1, "together"))
    )
    return ratio_text(scattered[0].value / whole[0].value) if scattered and whole else ""


def finding(source):
    ratio = _ratio(source)
    return ratio and f"A warp store of 32 words in 32 lines costs the L2 {ratio} as much time as one that fills a line"


def _lines(pen):
    pen.lines("lines", by("place", PLACES, footprint=FOOTPRINT))
    ends = (
        ("together", 1, lambda v: f"{short(v)} ns", "left"),
        ("spread", 32, lambda v: f"{short(v)} ns: {_ratio(pen.sources[0])}", "right"),
    )
    for place, lines, text, ha in ends:
        pen.say("lines", {"lines": lines, "place": place, "footprint": FOOTPRINT}, text, dy=7, ha=ha)
    pen.notes.add(f"scattered: each word in a sector of its own, which takes {LEAST} lines or more")
    pen.headroom(1.06)
    pen.axes(
        "Time of the whole GPU per warp store",
        "lines written by one warp store",
        "ns per warp store",
        scales.counts,
    )


def panels(_):
    return [Panel(_lines)]
