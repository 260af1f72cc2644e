"""Adding up an array: the rungs of the ladder, by rate, by size, and from the L2."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, rate, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How fast is a sum reduction, and how much does each optimisation gain?"
NAMES = {
    "global": "tree in global memory",
    "divergent": "shared memory, lanes diverge",
    "conflicts": "packed lanes, bank conflicts",
    "sequential": "sequential addressing",
    "unroll2": "2 elements per thread",
    "unroll4": "4 elements per thread",
    "unroll8": "8 elements per thread",
    "last_warp": "last warp unrolled",
    "complete": "completely unrolled",
    "shuffle": "warp shuffles",
    "redux": "redux.sync",
    "vector": "shuffles, 16-byte loads",
    "atomic_thread": "an atomic per thread",
    "atomic_warp": "an atomic per warp",
    "atomic_block": "an atomic per block",
    "persistent": "persistent, 16-byte loads",
    "cub": "CUB",
}
ALIKE = ("last_warp", "complete", "redux")  # rungs of the supplement: they change nothing from DRAM
TITLED = ("divergent", "persistent")
TITLED_SIZE = 256 << 20
LINES = ("divergent", "sequential", "unroll8", "persistent")


def _sums(source, **wanted):
    return pick(source.points, type=["int32", None], **wanted)


def finding(source):
    return source.said(
        "A sum of 256 MiB in shared memory with diverging lanes takes {reduction.ladder_ratio} as long as with "
        "persistent blocks"
    )


def _ladder(pen, memory, size, without=()):
    rows, after = [], {}
    for source in pen.sources if pen.alone and memory == "dram" and size == TITLED_SIZE else ():
        if times := source.said("{reduction.ladder_ratio}"):
            first = _sums(source, variant=TITLED[0], memory=memory, size=size)
            after = {(source.index, p.name): f": {times} as long" for p in first}
    for source in pen.sources:
        found = {p.params["variant"]: p for p in _sums(source, memory=memory, size=size)}
        shown = [v for v in NAMES if v in found and v not in without]
        rows += [(NAMES[v], source, found[v], int(v in TITLED and bool(after))) for v in shown]
    if after:
        pen.note_titled()
    pen.bars(rows, y=rate, after=after)
    for source in pen.sources if memory == "dram" else ():
        pen.peak(source, across=True)
    place = "DRAM" if memory == "dram" else "the L2"
    pen.axes(f"Sum of {size_text(size)} from {place}", "GB/s", "", scales.zero, None)


def _sizes(pen):
    series = by("variant", {variant: NAMES[variant] for variant in LINES}, memory="dram", type=["int32", None])
    pen.lines("size", series, rate)
    for source in pen.sources if pen.alone else ():
        known = [p for p in _sums(source, variant=[*LINES], memory="dram") if p.gbps]
        for best in sorted(known, key=lambda p: p.gbps)[-1:]:
            pen.write(best.params["size"], best.gbps, short(best.gbps), 0, 5, "center", "bottom")
    pen.headroom(1.6)
    pen.axes("By size, from DRAM", "size", "GB/s", scales.sizes, scales.log10)


def _sizes_of(sources, memory):
    every = [p for s in sources for p in _sums(s, memory=memory)]
    rungs = {size: len({p.params["variant"] for p in pick(every, size=size)}) for size in values(every, "size")}
    return [size for size, count in rungs.items() if count > 2]


def panels(sources):
    largest = [*_sizes_of(sources, "dram"), *[256 << 20] * (256 << 20 in _sizes_of(sources, "dram"))][-1:]
    found = [Panel(partial(_ladder, memory="dram", size=size, without=ALIKE), wide=True) for size in largest]
    return found or [Panel(_sizes, wide=True)]


def supplement(sources):
    found = [Panel(_sizes, 0.9, wide=True)]
    found += [Panel(partial(_ladder, memory="l2", size=size)) for size in _sizes_of(sources, "l2")]
    small = [size for size in _sizes_of(sources, "dram") if size <= 256 << 20]
    return found + [Panel(partial(_ladder, memory="dram", size=size), wide=True) for size in small]
