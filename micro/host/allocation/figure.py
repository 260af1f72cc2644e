"""Device memory: calls by size, calls on a busy device, pages by how they came, and compressible data."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does device memory cost until it can be used, and until it is given back?"
CALLS = {
    "malloc": "cudaMalloc",
    "pool": "cudaMallocAsync, pool trimmed",
    "pool_kept": "cudaMallocAsync, pool kept",
    "mapped": "cuMemCreate, cuMemMap",
}
RELEASES = {
    "malloc": "cudaFree",
    "pool_kept": "cudaFreeAsync, pool kept",
    "mapped": "cuMemUnmap, cuMemRelease",
}
BUSY = {CALLS[way]: {"task": "allocate_busy", "way": way} for way in RELEASES}
BUSY |= {name: {"task": "release_busy", "way": way} for way, name in RELEASES.items()}
PAGES = {"malloc": "cudaMalloc", "mapped": "mapped as one", "pieces": "mapped in pieces of 2 MiB"}
READ = {"mapped": "ordinary memory", "compressible": "compressible memory"}
KERNEL_US = 400  # of the kernel in another stream
DATA = {"zero": "zeros", "ramp": "counting words", "random": "random bits"}


def _us(_, value):
    return value / 1e3


def _text(us):
    return f"{short(us)} µs"


def finding(source):
    took = {p.params["way"]: _text(_us(p, p.value)) for p in pick(source.points, task="release_busy")}
    if {"malloc", "pool_kept"} <= took.keys():
        return f"Beside a kernel of {KERNEL_US} µs cudaFree took {took['malloc']}, cudaFreeAsync {took['pool_kept']}"
    return source.said("Zeros in compressible memory are read in {allocate.zero_ratio} the time")


def _calls(pen):
    pen.lines("size", by("way", CALLS, task="allocate"), y=_us)
    pen.axes("Time of one allocation, by the host's clock", "bytes", "µs", scales.sizes, scales.log10)


def _busy(pen):
    rows = [row for name in BUSY for row in pen.cases({name: BUSY[name]}, int(name in RELEASES.values()))]
    pen.bars(rows, y=_us, text=_text, dots=True)
    pen.names_above(["allocate", "give back"])
    pen.mark(KERNEL_US, "the kernel")
    pen.axes(f"Time of a call beside a kernel of {KERNEL_US} µs in another stream", "µs", "", scales.log10, None)


def _pages(pen):
    pen.lines("size", by("way", PAGES, task="walk"))
    pen.axes("One load in each 2 MiB", "bytes", "SM cycles", scales.sizes)


def _read(pen):
    rows = [row for i, way in enumerate(READ) for row in pen.cases(by("data", DATA, task="read", way=way), i)]
    pen.bars(rows, y=lambda p, v: 128 / v if v else None, series=[*READ.values()])
    pen.axes("Read from DRAM", "GB/s", "", scales.zero, None)


def panels(_):
    return [Panel(_busy, wide=True), Panel(_calls, 0.9, wide=True)]


def supplement(_):
    return [Panel(_read, wide=True), Panel(_pages)]
