"""Histogram: the rate of each way of counting, by data and by bins."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a histogram cost, by where and how it is counted?"
NAMES = {
    "global": "global atomics",
    "aggregated": "global, warp-aggregated",
    "shared": "shared, a copy per block",
    "per_warp": "shared, a copy per warp",
    "copies": "shared, eight copies",
    "runs": "shared, run-length first",
}
OVER_BINS = {name: NAMES[name] for name in ("global", "shared")}
DATA = {"uniform": "uniform values", "constant": "all values the same"}
FURTHER = {"skewed": "skewed values", "repeated": "16 equal values in a row"}


def finding(source):
    return source.said(
        "A 256-bin histogram of uniform values takes {histogram.shared_ratio} as long in global as in shared memory"
    )


def _ways(data):
    def draw(pen):
        several = enumerate(data)
        rows = [row for i, values in several for row in pen.cases(by("variant", NAMES, data=values, bins=256), i)]
        after = {}
        for p in pick(pen.sources[0].points, variant="global", data="uniform", bins=256) if pen.alone else ():
            if times := pen.sources[0].said("{histogram.shared_ratio}"):
                after[pen.sources[0].index, p.name] = f": {times} as long as shared"
        pen.bars(rows, rate, series=[*data.values()], dots=True, after=after)
        pen.axes("256 bins, by where and how they are counted", "GB/s of values", "", scales.log10, None)

    return draw


def _bins(pen):
    pen.lines("bins", by("variant", OVER_BINS, data="uniform"), rate, 2)
    for source in pen.sources:
        pen.peak(source)
    pen.headroom(1.8)
    pen.axes("Uniform values, by bins", "bins", "GB/s of values", scales.counts, scales.log10)


def panels(sources):
    return [Panel(_ways(DATA), wide=True)]


def supplement(sources):
    return [Panel(_bins, 0.9, wide=True), Panel(_ways(FURTHER), wide=True)]
