"""Tensor cores: cycles per wgmma by the columns of the product and the place of A, in a queue and one by one."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does a wgmma take, by columns and place of A?"
PLACES = {"shared": "A in shared memory", "registers": "A in registers"}
TITLES = {"throughput": "Queued, one warpgroup", "latency": "Each waited for"}


def finding(source):
    return source.said(
        "A queued wgmma of 64 x 256 x 16 in FP16 takes {wgmma.fp16_cycles}",
        "the smallest that is waited for takes {wgmma.fp16_latency}",
    )


def _columns(source, mode):
    return pick(source.points, mode=mode, type="fp16", groups=1)


def _costs(pen, mode):
    for source in pen.sources:
        points = _columns(source, mode)
        for index, place in enumerate(values(points, "a")):
            law = "ticks" if mode == "throughput" and place == "shared" else None
            pen.plot(source, pick(points, a=place), "columns", label=PLACES[place], index=index, law=law, join=False)
    pen.axes(TITLES[mode], "columns N of the product", "SM cycles per wgmma", scales.log2, scales.log2)


def panels(sources):
    modes = [mode for mode in TITLES if any(len(_columns(s, mode)) > 1 for s in sources)]
    return [Panel(partial(_costs, mode=mode)) for mode in modes]
