"""Instructions: cost by how much code a loop runs through, of few warps, and of a full SM by the warps' paths."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do instructions cost, by how much code a loop runs through?"
UNIT = "SM cycles per instruction of each warp"
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


def _few(pen):
    pen.lines("code", FEW, y=_each)
    for source in pen.sources if pen.alone else ():
        pen.stairs(source, pick(source.points, **FEW["1 warp"]), "code")
    pen.headroom(1.1)
    pen.axes("Few warps", "code of the loop", UNIT, scales.sizes)


def _full(pen):
    pen.lines("code", FULL, y=_each)
    pen.axes("32 warps", "code of the loop", UNIT, scales.sizes)


def panels(_):
    return [Panel(_few, wide=True), Panel(_full, 0.8, wide=True)]
