"""Short kernels: what one takes, by the blocks on each SM, and by what it does."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import SERIES
from gpufx_plot.showing.charts.pen import Panel, pooled
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How long does a nearly empty kernel take on the whole device?"
KINDS = {
    "empty kernel": {"work": "nothing"},
    "copies from the L2": {"work": "copy", "memory": "l2"},
    "copies from DRAM": {"work": "copy", "memory": "dram"},
}
SAID = {  # at one block per SM, below or above the mark
    "empty kernel": ("{launch.grid_kernel}", -5, "top"),
    "copies from the L2": ("{launch.copying_kernel}", 5, "bottom"),
    "copies from DRAM": ("{launch.dram_kernel}", 5, "bottom"),
}
FEW = 8  # blocks on each SM


def _us(point, value):
    return pooled(point, value) / 1e3


def _of(source, name):
    return pick(source.points, **KINDS[name])


def finding(source):
    return source.said(
        "With one block per SM an empty kernel takes {launch.grid_kernel}",
        "one that copies 16 bytes per thread {launch.copying_kernel} from the L2, {launch.dram_kernel} from DRAM",
    )


def _few(pen):
    counts = [n for n in values([p for s in pen.sources for p in s.points], "blocks") if n <= FEW]

    def place(point):
        return counts.index(point.params["blocks"]) if point.params["blocks"] in counts else None

    pen.lines(place, KINDS, _us)
    for name, (text, dy, va) in SAID.items():
        pen.say(place, KINDS[name] | {"blocks": 1}, text, _us, dy=dy, va=va, colour=SERIES[[*KINDS].index(name)])
    names = scales.named(["1 in all" if n == 0 else str(n) for n in counts])
    pen.axes("Few blocks of 256 threads", "blocks per SM", "µs per kernel", names)


def _many(pen):
    for source in pen.sources:
        pen.plot(source, _of(source, "empty kernel"), "blocks", _us, "empty kernel")
    pen.axes("Many blocks", "blocks per SM", "µs per kernel", scales.zero)


def panels(_):
    return [Panel(_few, 1.3, wide=True)]


def supplement(_):
    return [Panel(_many)]
