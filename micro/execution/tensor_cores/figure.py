"""Tensor cores: cycles per wgmma by the columns of the product and the place of A, in a queue and one by one; rates."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a wgmma cost, by columns and place of A?"
PLACES = {"shared": "A in shared memory", "registers": "A in registers"}
TYPES = {"e4m3": "FP8 e4m3", "int8": "INT8", "fp16_sparse": "FP16, A sparse", "fp16": "FP16", "bf16": "BF16"}
TYPES |= {"tf32": "TF32", "fp16_mma": "FP16, mma.sync"}
MORE_TYPES = {"e4m3": "FP8 e4m3", "e5m2": "FP8 e5m2"}
DEPTHS = {"tf32": 8, "fp16": 16, "bf16": 16, "e4m3": 32, "e5m2": 32, "int8": 32}  # K of a wgmma: 32 bytes
DEPTHS |= {"fp16_sparse": 32, "fp16_mma": 16}
ROWS, COLUMNS = 64, 256  # M and the largest N
TITLES = {"throughput": "FP16, queued, one warpgroup", "latency": "FP16, a wait after each"}
SAID = {
    "throughput": ("{wgmma.fp16_cycles}", 256, 0, 5, "right"),
    "latency": ("{wgmma.fp16_latency}", 8, -2, 7, "left"),
}


def finding(source):
    said = source.said("A queued 64 × 256 × 16 FP16 wgmma takes {wgmma.fp16_cycles}")
    rates = {kind: _products(p, p.value) for kind in ("fp16", "e4m3") for p in _queued(source.points, kind)}
    more = "".join(
        words.format(rates[kind])
        for kind, words in (("fp16", ", or {:.0f} multiply-adds per SM cycle"), ("e4m3", "; FP8 reaches {:.0f}"))
        if kind in rates
    )
    return said and said + more


def _queued(points, kind):
    return pick(points, mode="throughput", type=kind, columns=COLUMNS, groups=1, a="shared")


def _costs(pen, mode):
    wanted = {"mode": mode, "type": "fp16", "groups": 1}
    above = pen.names_above([*PLACES.values()])
    pen.lines("columns", by("a", PLACES, **wanted), named=not above)
    text, columns, *place = SAID[mode]
    pen.say("columns", wanted | {"a": "shared", "columns": columns}, text, cost, *place)
    pen.headroom(1.3)
    pen.axes(TITLES[mode], "columns N of the product", "SM cycles per wgmma", scales.log2, scales.log2)


def _products(point, value):
    return ROWS * point.params["columns"] * DEPTHS[point.params["type"]] / value


def _types(pen, types):
    rows = []
    old = {kind: name for kind, name in types.items() if kind.endswith("_mma")}
    for index, place in enumerate(PLACES):
        new = {kind: name for kind, name in types.items() if kind not in old}
        rows += pen.cases(by("type", new, mode="throughput", columns=COLUMNS, groups=1, a=place), index)
    rows += pen.cases(by("type", old, mode="throughput", columns=COLUMNS, groups=1), len(PLACES))
    pen.bars(rows, y=_products, text="{:.0f}".format, series=[*PLACES.values(), "A and B in registers"])
    if any("sparse" in kind for kind in types):
        pen.notes.add("A sparse: half of A is zeros, whose products are counted")
    pen.notes.add("no bar: not measured")
    pen.axes(f"By type, {COLUMNS} columns, queued", "multiply-adds per SM cycle", "", scales.zero, None)


def panels(_):
    return [
        Panel(partial(_costs, mode="throughput"), wide=True),
        Panel(partial(_types, types=TYPES), wide=True),
    ]


def supplement(_):
    return [Panel(partial(_costs, mode="latency"), wide=True), Panel(partial(_types, types=MORE_TYPES), wide=True)]
