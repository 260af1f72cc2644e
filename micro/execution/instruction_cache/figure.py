"""Instructions: cost by how much code a loop runs through, of one warp, and of a full SM by the warps' paths."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
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
    for source in pen.sources:
        for index, (warps, name) in enumerate({1: "1 warp", 4: "4 warps"}.items()):
            for blocks, where in {1: "", 0: ", all SMs"}.items():
                points = pick(source.points, paths="same", warps=warps, blocks=blocks)
                pen.plot(source, points, "code", lambda _, v, n=warps: v * n, name + where, 2 * index + 1 - blocks)
    pen.axes("Few warps", "code of the loop", "SM cycles per instruction of a warp", scales.sizes)


def _full(pen):
    for source in pen.sources:
        for index, (name, axes) in enumerate(FULL.items()):
            pen.plot(source, pick(source.points, warps=32, **axes), "code", cost, name, index)
    pen.axes("32 warps of an SM", "code of a loop", "SM cycles per instruction", scales.sizes)


def panels(sources):
    return [
        Panel(draw) for draw, warps in ((_few, 1), (_full, 32)) if any(pick(s.points, warps=warps) for s in sources)
    ]
