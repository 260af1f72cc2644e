"""Histogram: the rate by bins and by data, for each way of counting."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a histogram cost, by where and how it is counted?"
NAMES = {
    "global": "global atomics",
    "aggregated": "global, by warps",
    "shared": "shared, a copy per block",
    "per_warp": "shared, a copy per warp",
    "copies": "shared, eight copies",
    "runs": "shared, runs first",
}
DATA = {"uniform": "uniform", "skewed": "skewed", "repeated": "16 in a row", "constant": "all the same"}


def _of(source, data, bins):
    return {p.params["variant"]: p for p in pick(source.points, data=data, bins=bins)}


def finding(source):
    return source.said("256 bins in global memory take {histogram.shared_ratio} as long as in shared memory")


def _bins(pen):
    for source in pen.sources:
        for index, (variant, name) in enumerate(NAMES.items()):
            points = pick(source.points, variant=variant, data="uniform")
            pen.plot(source, points, "bins", rate, name, index, len(NAMES))
        if peak := source.device.get("memory_peak_GBps"):
            pen.level(peak, f"peak {peak:.0f} GB/s", source)
    pen.axes("Uniform values by bins", "bins", "GB/s of values", scales.counts, scales.log10)


def _data(pen, data):
    rows = []
    for source in pen.sources:
        found = _of(source, data, 256)
        rows += [(NAMES[v], source, found[v], 0) for v in NAMES if v in found]
    pen.bars(rows, lambda point, value: point.useful_bytes / value if value > 0 else None)
    pen.axes(f"256 bins, values {DATA[data]}", "GB/s of values", "", scales.zero, None)


def panels(sources):
    return [Panel(_bins)] if any(pick(s.points, data="uniform", variant=list(NAMES)) for s in sources) else []


def supplement(sources):
    return [Panel(partial(_data, data=data), bars=True) for data in DATA if any(_of(s, data, 256) for s in sources)]
