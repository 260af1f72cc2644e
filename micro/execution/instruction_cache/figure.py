"""Instructions: cost by how much code a loop runs through, of one warp, and of a full SM by the warps' paths."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do instructions cost, by how much code a loop runs through?"
FULL = {
    "in step": {"paths": "same", "blocks": 1},
    "spread over the loop": {"paths": "apart", "blocks": 1},
    "in two loops": {"paths": "two", "blocks": 1},
    "in step, on all SMs": {"paths": "same", "blocks": 0},
}


def finding(source):
    return source.said(
        "The first level holds {icache.first_size} of code",
        "; in a loop of 256 KiB an instruction takes {icache.long_ratio} as long",
        "with 32 warps {icache.full_ratio}",
    )


def _few(pen):
    for warps in (1, 4):
        for blocks, where in ((1, ""), (0, ", all SMs")):
            name = f"{warps} warp{'s' if warps > 1 else ''}{where}"
            for source in pen.sources:
                points = pick(source.points, paths="same", warps=warps, blocks=blocks)
                index = warps // 2 + (blocks == 0)
                pen.plot(source, points, "code", lambda _, v, n=warps: v * n, name, index)
    pen.axes("Few warps", "code of the loop", "SM cycles per instruction of a warp", scales.sizes)


def _full(pen):
    pen.lines("code", {name: {"warps": 32, **axes} for name, axes in FULL.items()})
    pen.axes("32 warps of an SM", "code of a loop", "SM cycles per instruction", scales.sizes)


def panels(_):
    return [Panel(_few), Panel(_full)]
