"""Device memory: calls by size, calls on a busy device, pages by how they came, and compressible data."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does device memory cost until it can be used, and until it is given back?"
WAYS = {
    "malloc": "cudaMalloc",
    "pool": "cudaMallocAsync, pool keeps nothing",
    "pool_kept": "cudaMallocAsync, pool keeps all",
    "mapped": "cuMemCreate and map",
    "pieces": "mapped in pieces of 2 MiB",
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
    for source in pen.sources:
        for index, way in enumerate(("malloc", "pool", "pool_kept", "mapped")):
            pen.plot(
                source,
                pick(source.points, task="allocate", way=way),
                "size",
                _us,
                WAYS[way],
                index,
            )
    pen.axes("Allocation, by the host's clock", "bytes", "µs", scales.sizes, scales.log10)


def _busy(pen):
    rows = []
    for source in pen.sources:
        for index, (task, word) in enumerate(BUSY.items()):
            for way in ("malloc", "pool_kept", "mapped"):
                points = pick(source.points, task=task, way=way)[:1]
                rows += [(f"{word}: {WAYS[way]}", source, p, index) for p in points]
    pen.bars(rows, y=_us, text=lambda v: f"{v:.0f}")
    pen.axes("Beside a kernel of 400 µs in another stream", "µs", "", scales.zero, None)


def _walk(pen):
    for source in pen.sources:
        for index, way in enumerate(("malloc", "pool", "mapped", "pieces")):
            pen.plot(
                source,
                pick(source.points, task="walk", way=way),
                "size",
                cost,
                WAYS[way],
                index,
            )
    pen.axes("One load in each 2 MiB", "bytes", "SM cycles", scales.sizes)


def _read(pen):
    rows = []
    for source in pen.sources:
        for index, (data, name) in enumerate(DATA.items()):
            for way in ("mapped", "compressible"):
                points = pick(source.points, task="read", way=way, data=data)[:1]
                rows += [(f"{name}, {way}", source, p, index) for p in points]
    pen.bars(rows, y=lambda p, v: 128 / v if v else None, text=lambda v: f"{v:.0f}")
    pen.axes("Read from DRAM", "GB/s", "", scales.zero, None)


def panels(sources):
    found = []
    for draw, tasks, bars in (
        (_calls, ["allocate"], False),
        (_busy, list(BUSY), True),
        (_walk, ["walk"], False),
        (_read, ["read"], True),
    ):
        if any(pick(s.points, task=tasks) for s in sources):
            found.append(Panel(draw, bars=True) if bars else Panel(draw))
    return found
