"""Matrix products: the rate of each step of the ladder, and how far the best are from the library."""

from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import against, over, pick, values

QUESTION = "How much does each optimisation gain between a naive matrix product and the library?"
NAMES = {
    "rows": "naive, uncoalesced",
    "columns": "naive, coalesced",
    "tile16": "tiles of 16 × 16",
    "tile32": "tiles of 32 × 32",
    "one_shared": "16 outputs per thread",
    "both_shared": "8 × 8 per thread",
    "async": "8 × 8, cp.async",
    "bulk": "8 × 8, bulk copies",
    "tensor": "mma",
    "wgmma": "wgmma",
    "cublas": "cuBLAS",
}
TYPES = {"fp32": "FP32", "tf32": "TF32", "fp16": "FP16"}
OWN = {
    "both_shared": "8 × 8 outputs per thread lift",
    "async": "8 × 8 outputs per thread and cp.async lift",
    "bulk": "8 × 8 outputs per thread and bulk copies lift",
}
ABOVE, BELOW = (0, 5, "center", "bottom"), (0, -5, "center", "top")
LARGE = 4096  # n from which on the title speaks
STORED = {"plain": "B as stored", "transposed": "B transposed", "first": "transposed each time"}


def _tflops(point, value):
    return 2e-3 * point.params["n"] ** 3 / value if value > 0 else None


def _fp32(source, **wanted):
    return pick(source.points, b="plain", type="fp32", **wanted)


def _side(source):
    """The size at which most steps were measured."""
    sides = values(source.points, "n")
    return max(sides, key=lambda n: (len(_fp32(source, n=n)), n), default=0)


def _best(source, n):
    """The fastest product of our own in FP32."""
    points = [p for way in OWN for p in _fp32(source, n=n, variant=way)]
    return min(points, key=lambda p: p.value, default=None)


def _own(source):
    """(points, time over that of the library) of the best FP32 kernels here, by size."""
    best = {p.params["n"]: p for n in values(source.points, "n") if (p := _best(source, n))}
    pairs = [(best[q.params["n"]], q) for q in _fp32(source, variant="cublas") if q.params["n"] in best]
    return over(pairs)


def _tensor(source, way, type_):
    return over(against(pick(source.points, type=type_, b="plain"), "variant", way, "cublas"))


def _large(points):
    return [p for p in points if p.params["n"] >= LARGE]


def finding(source):
    """From the medians that the ladder shows."""
    n = _side(source)
    rates = {way: short(_tflops(p, p.value)) for way in NAMES for p in _fp32(source, n=n, variant=way)}
    best = _best(source, n)
    if not best or not {"columns", "cublas"} <= rates.keys():
        return ""
    way = best.params["variant"]
    ours = f"{OWN[way]} coalesced FP32 products from {rates['columns']} to {rates[way]} TFLOP/s"
    return f"{ours}; cuBLAS reaches {rates['cublas']}"


def _ladder(pen):
    """A row for each step, FP32."""
    n = _side(pen.sources[0])
    rows = []
    for source in pen.sources:
        best = _best(source, n)
        told = {"columns", best and best.params["variant"], "cublas"}
        for way, name in NAMES.items():
            rows += [(name, source, p, int(way in told)) for p in _fp32(source, n=n, variant=way)]
    pen.bars(rows, _tflops)
    pen.note_titled()
    pen.axes(f"FP32, n = {n}", "TFLOP/s", "", scales.zero, None)


def _times(pen):
    """The time of the best kernels here over that of the library."""
    for source in pen.sources:
        own, own_y = _own(source)
        pen.plot(source, own, "n", own_y, "FP32", 0)
        fast, fast_y = _tensor(source, "wgmma", "fp16")
        beside = {p.params["n"]: fast_y(p, p.value) for p in fast}
        for p in _large(own):
            lower = own_y(p, p.value) < beside.get(p.params["n"], 0)
            pen.say("n", p.params, ratio_text, own_y, *(BELOW if lower else ABOVE), pen.colour(source, 0))
        for q in _large(fast):
            lower = fast_y(q, q.value) <= max(
                (own_y(p, p.value) for p in own if p.params["n"] == q.params["n"]), default=0
            )
            pen.say("n", q.params, ratio_text, fast_y, *(BELOW if lower else ABOVE), pen.colour(source, 4))
        for index, (way, type_) in enumerate((("tensor", "tf32"), ("tensor", "fp16"), ("wgmma", "fp16"))):
            points, y = _tensor(source, way, type_)
            pen.plot(source, points, "n", y, f"{TYPES[type_]}, {NAMES[way]}", 2 + index)
    pen.level(1, "cuBLAS", what="cuBLAS")
    pen.axes(
        "Time of the best kernels here, over that of cuBLAS",
        "n of the n × n matrices",
        "time, ours / cuBLAS",
        scales.log2,
    )


def _sizes(pen):
    for source in pen.sources:
        own = [p for n in values(source.points, "n") if (p := _best(source, n))]
        pen.plot(source, own, "n", _tflops, "FP32, our best", 0)
        pen.plot(source, _fp32(source, variant="cublas"), "n", _tflops, "FP32, cuBLAS", 1)
        for index, type_ in enumerate(("tf32", "fp16")):
            for place, way in enumerate(("tensor", "cublas")):
                points = pick(source.points, variant=way, type=type_)
                pen.plot(source, points, "n", _tflops, f"{TYPES[type_]}, {NAMES[way]}", 2 + 2 * index + place)
        pen.plot(source, pick(source.points, variant="wgmma"), "n", _tflops, "FP16, wgmma", 6)
    pen.axes("By size", "n of the n × n matrices", "TFLOP/s", scales.counts, scales.log10)


def _order(pen):
    """How B lies, one thread per element."""
    sides = values([p for s in pen.sources for p in pick(s.points, variant="rows")], "n")
    known = [m for m in sides if all(pick(s.points, b="first", n=m) for s in pen.sources)]
    n = max(known or sides, default=0)
    rows = []
    for source in pen.sources:
        for way in ("columns", "rows"):
            for b, name in STORED.items():
                rows += [
                    (f"{NAMES[way].removeprefix('naive, ')}, {name}", source, p, 0)
                    for p in pick(source.points, variant=way, b=b, n=n)
                ]
    pen.bars(rows, _tflops)
    pen.axes(f"Naive kernels, n = {n}", "TFLOP/s", "", scales.zero, None)


def _padding(pen):
    rows = []
    n = max(values([p for s in pen.sources for p in pick(s.points, variant="tile32_padded")], "n"), default=0)
    for source in pen.sources:
        for b in ("plain", "transposed"):
            for way, name in (("tile32", "rows of 32"), ("tile32_padded", "rows of 33")):
                rows += [(f"{STORED[b]}, {name}", source, p, 0) for p in pick(source.points, variant=way, b=b, n=n)]
    pen.bars(rows, _tflops)
    pen.axes(f"Tiles of 32 × 32, n = {n}", "TFLOP/s", "", scales.zero, None)


def panels(_):
    return [Panel(_ladder, wide=True)]


def supplement(_):
    return [Panel(_times, wide=True), Panel(_sizes, wide=True), Panel(_order), Panel(_padding)]
