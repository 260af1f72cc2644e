"""Device memory: calls by size, calls on a busy device, pages by how they came, and compressible data."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What does device memory cost until it can be used, and until it is given back?"
WAYS = {
    "malloc": "cudaMalloc",
    "pool": "pool keeps nothing",
    "pool_kept": "pool keeps all",
    "mapped": "cuMemCreate, map",
    "pieces": "in pieces of 2 MiB",
}
BUSY = {"allocate_busy": "allocate", "release_busy": "release"}
DATA = {"zero": "zeros", "ramp": "counting words", "random": "random bits"}


def _us(_, value):
    return value / 1e3


def finding(source):
    return source.said(
        "32 MiB take {allocate.malloc} by cudaMalloc, {allocate.pool} from a pool that kept them",
        "and {allocate.free} to free",
    )


def _calls(pen):
    pen.lines("size", by("way", {way: WAYS[way] for way in ("malloc", "pool", "pool_kept", "mapped")}, task="allocate"))
    pen.axes("Allocation, by the host's clock", "bytes", "time", scales.sizes, scales.times)


def _busy(pen):
    rows = [
        row
        for index, task in enumerate(BUSY)
        for way in ("malloc", "pool_kept", "mapped")
        for row in pen.cases({WAYS[way]: {"task": task, "way": way}}, index)[:1]
    ]
    pen.bars(rows, y=_us, text="{:.0f}".format, series=[*BUSY.values()])
    pen.axes("Beside a kernel of 400 µs in another stream", "µs", "", scales.zero, None)


def _walk(pen):
    pen.lines("size", by("way", {way: WAYS[way] for way in ("malloc", "pool", "mapped", "pieces")}, task="walk"))
    pen.axes("One load in each 2 MiB", "bytes", "SM cycles", scales.sizes)


def _read(pen):
    ways = ("mapped", "compressible")
    rows = [row for i, way in enumerate(ways) for row in pen.cases(by("data", DATA, task="read", way=way), i)]
    pen.bars(rows, y=lambda _, v: 128 / v if v else None, text="{:.0f}".format, series=ways)
    pen.axes("Read from DRAM", "GB/s", "", scales.zero, None)


def panels(_):
    return [Panel(_calls), Panel(_walk), Panel(_busy), Panel(_read)]
