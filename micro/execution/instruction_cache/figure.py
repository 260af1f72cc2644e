"""Instructions: cost by how much code a loop runs through, of few warps, and of a full SM by the warps' paths."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel

QUESTION = "What do instructions cost, by how much code a loop runs through?"
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
        "Caches before the L2 hold {icache.size} of code",
        "; in a loop of 256 KiB an instruction of one warp takes {icache.long_ratio} as long",
        "with 32 warps {icache.full_ratio}",
    )


def _few(pen):
    pen.lines("code", FEW, y=lambda p, v: v * p.params["warps"])
    pen.axes("Few warps", "code of the loop", "SM cycles per instruction of a warp", scales.sizes)


def _full(pen):
    pen.lines("code", FULL)
    pen.axes("32 warps", "code of a loop", "SM cycles per instruction", scales.sizes)


def panels(_):
    return [Panel(_few), Panel(_full)]
