"""Device memory: calls by size, calls on a busy device, pages by how they came, and compressible data."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What does device memory cost until it can be used, and until it is given back?"
CALLS = {
    "malloc": "cudaMalloc",
    "pool": "cudaMallocAsync, pool keeps nothing",
    "pool_kept": "cudaMallocAsync, pool keeps all",
    "mapped": "cuMemCreate, cuMemMap",
}
BUSY = {
    f"{word}: {CALLS[way]}": {"task": task, "way": way}
    for task, word in {"allocate_busy": "allocate", "release_busy": "release"}.items()
    for way in ("malloc", "pool_kept", "mapped")
}
PAGES = {"malloc": "cudaMalloc", "mapped": "mapped as one", "pieces": "mapped in pieces of 2 MiB"}
READ = {
    f"{name}, {way}": {"task": "read", "way": way, "data": data}
    for data, name in {"zero": "zeros", "ramp": "counting words", "random": "random bits"}.items()
    for way in ("mapped", "compressible")
}


def _us(_, value):
    return value / 1e3


def finding(source):
    return source.said(
        "32 MiB by cudaMalloc take {allocate.malloc}",
        "from a pool that kept as much {allocate.pool}",
        "to free {allocate.free}",
        "; zeros in compressible memory are read in {allocate.zero_ratio} the time",
    )


def _calls(pen):
    pen.lines("size", by("way", CALLS, task="allocate"), y=_us)
    pen.axes("Allocation, by the host's clock", "bytes", "µs", scales.sizes, scales.log10)


def _busy(pen):
    pen.bars(pen.cases(BUSY), y=_us, text="{:.0f}".format)
    pen.axes("Beside a kernel of 400 µs in another stream", "µs", "", scales.zero, None)


def _pages(pen):
    pen.lines("size", by("way", PAGES, task="walk"))
    pen.axes("One load in each 2 MiB", "bytes", "SM cycles", scales.sizes)


def _read(pen):
    pen.bars(pen.cases(READ), y=lambda p, v: 128 / v if v else None, text="{:.0f}".format)
    pen.axes("Read from DRAM", "GB/s", "", scales.zero, None)


def panels(_):
    return [Panel(_calls), Panel(_pages), Panel(_busy, wide=True), Panel(_read, wide=True)]
