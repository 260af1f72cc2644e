"""Short kernels: what one takes, by the blocks on each SM, and by what it does."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a kernel take that hardly does anything, on the whole device?"
KINDS = {
    "nothing": {"work": "nothing"},
    "copies from the L2": {"work": "copy", "memory": "l2"},
    "copies from DRAM": {"work": "copy", "memory": "dram"},
}
FEW = 8  # blocks on each SM


def _us(_, value):
    return value / 1e3


def _of(source, name):
    return pick(source.points, **KINDS[name])


def finding(source):
    return source.said(
        "A kernel that does nothing takes {launch.grid_kernel}",
        "one whose threads copy 16 bytes {launch.copying_kernel}, from DRAM {launch.dram_kernel}",
    )


def _few(pen):
    for source in pen.sources:
        for index, name in enumerate(KINDS):
            pen.plot(source, [p for p in _of(source, name) if p.params["blocks"] <= FEW], "blocks", _us, name, index)
    xscale = scales.ticks_at(0, 1, 2, 4, FEW)
    pen.axes("Few blocks of 256 threads", "blocks on each SM (0: one in all)", "µs per kernel", xscale)


def _many(pen):
    for source in pen.sources:
        pen.plot(source, _of(source, "nothing"), "blocks", _us, "nothing")
    pen.axes("Many blocks", "blocks on each SM", "µs per kernel", scales.zero)


def panels(_):
    return [Panel(_few), Panel(_many)]
