"""Instructions: cost by how much code a loop runs through, of few warps, and of a full SM by the warps' paths."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do instructions cost, by how much code a loop runs through?"
SAID = [16 << 10, 64 << 10, 256 << 10]  # bytes of code
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
        "The instruction caches before the L2 hold {icache.size}",
        "; in a 256 KiB loop one warp takes {icache.long_ratio} as long per instruction as in 16 KiB",
    )


def _each(point, value):
    """Cycles from one instruction of a warp to its next."""
    return value * point.params["warps"]


def _lines(pen, title, series):
    pen.lines("code", series, y=_each)
    for source in pen.sources if pen.alone and "1 warp" in series else ():
        pen.stairs(source, pick(source.points, **series["1 warp"]), "code", lambda _: "")
    if "1 warp" in series:
        pen.say("code", series["1 warp"] | {"code": SAID}, y=_each)
    pen.notes.add("from one instruction of a warp to its next")
    pen.axes(title, "code of the loop", UNIT, scales.sizes)


def panels(_):
    return [Panel(partial(_lines, title="One SM, all warps in step", series=SHOWN), 1.2, wide=True)]


def supplement(_):
    shown = {"Few warps": FEW, "32 warps": FULL}
    return [Panel(partial(_lines, title=title, series=series), wide=True) for title, series in shown.items()]
