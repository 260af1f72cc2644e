"""Short kernels: what one takes, by the blocks on each SM, and by what it does."""

from gpufx_plot.charts import scales
from gpufx_plot.charts.pen import Panel, cost, short
from gpufx_plot.charts.series import pick

QUESTION = "What does a kernel take that hardly does anything, on the whole device?"
KINDS = {
    "nothing": {"work": "nothing"},
    "copies from the L2": {"work": "copy", "memory": "l2"},
    "copies from DRAM": {"work": "copy", "memory": "dram"},
}


def _of(source, name):
    return pick(source.points, **KINDS[name])


def finding(source):
    found = {name: next((p.value for p in _of(source, name) if p.params["blocks"] == 1), None) for name in KINDS}
    if not found["nothing"]:
        return ""
    said = f"A kernel that does nothing takes {short(found['nothing'] / 1e3)} µs"
    if copying := found["copies from the L2"]:
        said += f", one whose threads copy 16 bytes {short(copying / 1e3)}"
    if dram := found["copies from DRAM"]:
        said += f", from DRAM {short(dram / 1e3)}"
    return said


def _by_blocks(pen):
    for source in pen.sources:
        for index, name in enumerate(KINDS):
            pen.plot(source, _of(source, name), "blocks", cost, name, index)
    pen.axes(
        "256 threads a block", "blocks on each SM (0: one in all)", "ns per kernel", scales.ticks_at(0, 1, 2, 4, 8)
    )


def panels(sources):
    return [Panel(_by_blocks)] if any(_of(s, name) for s in sources for name in KINDS) else []
