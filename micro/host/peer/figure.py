"""Another GPU's memory: the rate over the size, the pairs as a matrix, alone and beside all others, and the latency."""

from functools import partial

from gpufx_plot.call.number_text import number
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import TEXT, ramp
from gpufx_plot.showing.charts.pen import Panel, Row, by, rate, short
from gpufx_plot.showing.charts.series import pick, values
from matplotlib.patches import Rectangle

QUESTION = "What does it cost to access the memory of another GPU of the host?"
MOVERS = {
    "push": "copy engine, pushed",
    "pull": "copy engine, pulled",
    "store": "kernel stores",
    "load": "kernel loads",
    "atomic": "kernel atomics",
    "staged": "without peer access",
}
LARGE = 256 << 20
LOADED = {"all_pairs": "all pairs at once", "both": "reverse direction"}


def _pairs(source, mover="push", traffic="alone"):
    """(from, to): the point of the largest size."""
    points = [p for p in pick(source.points, task="move", mover=mover, traffic=traffic) if p.gbps]
    size = max(values(points, "size"), default=0)
    if traffic == "alone" and pick(points, size=LARGE):
        size = LARGE  # as the pairs beside others have it
    return {(p.params["from_gpu"], p.params["to_gpu"]): p for p in pick(points, size=size)}


def _loaded(source):
    """What is at work beside each pair, and the pairs."""
    for traffic in LOADED:
        if pairs := _pairs(source, traffic=traffic):
            return traffic, pairs
    return "", {}


def finding(source):
    return (
        source.said(
            "Another GPU's memory is copied at {peer.copy_rate}",
            "and a dependent load of it takes {peer.latency}",
        )
        or "No second GPU: nothing was measured between two"
    )


def _rates(pen):
    pen.lines("size", by("mover", MOVERS, task="move", traffic="alone", from_gpu=0, to_gpu=1), rate)
    pen.axes("From GPU 0 to GPU 1", "bytes", "GB/s", scales.sizes, scales.log10)


def _matrix(pen, title, cells, unit):
    """cells: (from, to): (number, the point it is of)."""
    pen.comparable = False
    gpus = sorted({gpu for pair in cells for gpu in pair})
    highest = max((value for value, _ in cells.values()), default=1)
    for (origin, to), (value, point) in cells.items():
        step = min(2, int(3 * (1 - value / highest) * 1.5))
        at = (gpus.index(to) - 0.5, gpus.index(origin) - 0.5)
        pen.ax.add_patch(Rectangle(at, 1, 1, facecolor=ramp(step, 3), edgecolor="white", zorder=1.5))
        text = number(value, 3)
        pen.ax.text(
            at[0] + 0.5, at[1] + 0.5, text, ha="center", va="center", color="white", fontsize=pen.sheet.size, zorder=3
        )
        name = f"GPU {origin} to GPU {to}"
        pen.rows.append(Row(title, pen.sources[0], point.name, name, value, value, value))
        pen.xs.append(gpus.index(to))
        pen.ys.append(gpus.index(origin))
    names = [f"GPU {gpu}" for gpu in gpus]
    pen.axes(f"{title} ({unit})", "to", "from", scales.named(names), scales.named(names))
    pen.ax.invert_yaxis()
    pen.ax.tick_params(length=0, colors=TEXT)
    pen.ax.set_aspect("equal", adjustable="box")


def _alone(pen):
    cells = {pair: (p.gbps, p) for pair, p in _pairs(pen.sources[0]).items()}
    _matrix(pen, "A pair alone, pushed", cells, "GB/s")


def _beside(pen):
    alone, (traffic, loaded) = _pairs(pen.sources[0]), _loaded(pen.sources[0])
    cells = {pair: (100 * p.gbps / alone[pair].gbps, p) for pair, p in loaded.items() if pair in alone}
    _matrix(pen, f"With {LOADED[traffic]}", cells, "% of one alone")


def _pair(pen):
    """Two GPUs: each mover alone, and beside the way back: the best pair, and the range of all."""
    rows = []
    for mover, name in MOVERS.items():
        for source in pen.sources:
            for index, traffic in enumerate(("alone", "both")):
                points = [p for p in pick(source.points, task="move", mover=mover, traffic=traffic) if p.gbps]
                size = min(LARGE, max(values(points, "size"), default=0))
                largest = [p for p in points if p.params["size"] >= size]
                if rates := sorted(p.gbps for p in largest):
                    rows.append(
                        (name, source, (rates[-1], rates[0], rates[-1], max(largest, key=lambda p: p.gbps).name), index)
                    )
    pen.bars(rows, series=["one way", "both ways at once, per direction"])
    pen.axes("Large moves, the best pair", "GB/s", "", scales.zero, None)


def _latency_rows(source):
    """From GPU 0 to itself and to GPU 1, and the range of all such pairs."""
    points = pick(source.points, task="chase", size=64 << 10)
    for mover in ("load", "atomic"):
        for other, whose in enumerate(("own memory (L2 hit)", "another GPU's")):
            found = [p for p in pick(points, mover=mover) if (p.params["from_gpu"] != p.params["to_gpu"]) == other]
            if first := pick(found, from_gpu=0, to_gpu=other):
                every = [p.value for p in found]
                yield f"{mover}, {whose}", source, (first[0].value, min(every), max(every), first[0].name), 2 + other


def _latency(pen):
    rows = [row for source in pen.sources for row in _latency_rows(source)]
    several = any(index > 2 for *_, index in rows)
    loads = {"task": "chase", "mover": "load", "size": 64 << 10, "from_gpu": 0, "to_gpu": 1}
    titled = pen.titled({"{peer.latency}": loads})
    pen.bars(rows, text=lambda v: titled.get(v, short(v)).removesuffix(" cycles"))
    whose = "its own or of GPU 1's memory; black: range over all pairs" if several else "its own memory"
    pen.notes.add(f"dependent access: GPU 0 to 64 KiB of {whose}")
    pen.axes("One dependent access" + ": no second GPU" * (not several), "SM cycles", "", scales.zero, None)


def _shares(pen, traffic):
    rows = []
    for source in pen.sources:
        for index, mover in enumerate(MOVERS):
            alone, loaded = _pairs(source, mover), _pairs(source, mover, traffic)
            kept = sorted(100 * loaded[pair].gbps / alone[pair].gbps for pair in loaded if pair in alone)
            if kept:
                rows.append((MOVERS[mover], source, (kept[len(kept) // 2], kept[0], kept[-1]), index))
    pen.bars(rows)
    pen.axes(f"With {traffic.replace('_', ' ')}", "% of the pair alone, median and range", "", scales.zero, None)


WITHOUT = "it needs two GPUs"


def panels(sources):
    if not any(pick(source.points, task="move") for source in sources):
        return []
    latency = Panel(_latency, wide=True)
    if len(sources) == 1 and len(_pairs(sources[0])) > 2:
        return [Panel(_alone), *[Panel(_beside)] * bool(_loaded(sources[0])[1]), latency]
    return [Panel(_pair, wide=True), latency]


def supplement(sources):
    every = ("both", "one_to_all", "all_to_one", "all_pairs")
    return [Panel(_rates, 1.1, wide=True), *(Panel(partial(_shares, traffic=traffic), wide=True) for traffic in every)]
