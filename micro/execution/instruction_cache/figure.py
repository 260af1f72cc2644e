"""Instructions: cost by how much code a loop runs through, of few warps, and of a full SM by the warps' paths."""

from functools import partial
from itertools import pairwise

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import BLANK, Panel, between
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do instructions cost, by how much code a loop runs through?"
SAID = {16 << 10: "1x", 64 << 10: "{icache.second_ratio}", 256 << 10: "{icache.long_ratio}"}  # bytes of code
STEP = 1.5  # times from one loop to the next: a level ends between them
MIDDLE = 0.55  # of the panel's height
UNIT = "SM cycles per instruction"
SHOWN = {
    "1 warp": {"paths": "same", "warps": 1, "blocks": 1},
    "32 warps": {"paths": "same", "warps": 32, "blocks": 1},
}
FEW = {
    "1 warp": {"paths": "same", "warps": 1, "blocks": 1},
    "4 warps": {"paths": "same", "warps": 4, "blocks": 1},
    "4 warps, all SMs": {"paths": "same", "warps": 4, "blocks": 0},
}
FULL = {
    "in step": {"paths": "same", "warps": 32, "blocks": 1},
    "spread over the loop": {"paths": "apart", "warps": 32, "blocks": 1},
    "in two loops": {"paths": "two", "warps": 32, "blocks": 1},
    "in step, on all SMs": {"paths": "same", "warps": 32, "blocks": 0},
}


def finding(source):
    return source.said(
        "One warp takes {icache.second_ratio} as long per instruction in a 64 KiB loop as in 16 KiB, "
        "{icache.long_ratio} in 256 KiB"
    )


def _each(point, value):
    """Cycles from one instruction of a warp to its next."""
    return value * point.params["warps"]


def _levels(pen, source, lone):
    """Shades where a level ends: as a search has found it, or at a step."""
    points = sorted(pick(source.points, **lone), key=lambda p: p.params["code"])
    pen.stairs(source, points, "code", lambda _: "")
    words = source.said("caches before the L2\nhold {icache.size}")
    named = [(size.low, words) for size in source.walks.sizes(points, "code") if size.low and size.high]
    steps = [(p, q) for p, q in pairwise(points) if q.value > STEP * p.value]
    for ends in [[p.params["code"] for p in step] for step in steps[:1]]:
        pen.band(*ends)
        named.append((ends[0], f"A first level\nholds {between(ends, size_text)}"))
    for place, text in named:
        pen.write(place, MIDDLE, text, -4, 0, "right", xycoords=pen.ax.get_xaxis_transform(), bbox=BLANK)
    for code, text in SAID.items() if finding(source) else ():
        pen.say("code", lone | {"code": code}, text, _each)


def _lines(pen, title, series):
    pen.lines("code", series, y=_each)
    for source in pen.sources if pen.alone and "1 warp" in series else ():
        _levels(pen, source, series["1 warp"])
    pen.notes.add("from one instruction of a warp to its next")
    pen.axes(title, "code of the loop", UNIT, scales.sizes)


def panels(_):
    return [Panel(partial(_lines, title="One SM, all warps in step", series=SHOWN), 1.2, wide=True)]


def supplement(_):
    shown = {"Few warps": FEW, "32 warps": FULL}
    return [Panel(partial(_lines, title=title, series=series), wide=True) for title, series in shown.items()]
