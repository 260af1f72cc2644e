"""Stencil: the time of a field by how neighbours are read, relative to reading and writing it once at the best rate."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a 2-D stencil cost, by how its neighbours are read?"
NAMES = {
    "columns": "plain loads, lanes along a column",
    "rows": "plain loads, lanes along a row",
    "readonly": "__ldg",
    "texture": "2-D texture",
    "tile": "plain tile in shared memory",
    "tile_async": "tile by cp.async",
    "march": "columns in registers",
    "vector": "four points per thread",
    "march_vector": "four columns in registers",
}
COMPARED = ("rows", "tile")  # of the widest stencil, in the title
WIDE = 4
SHAPES = {1: "5 points", 4: "17 points"}


def _of(source, radius, level):
    return {p.params["variant"]: p for p in pick(source.points, radius=radius, level=level)}


def finding(source):
    return source.said(
        "A 17-point stencil takes {stencil.tile_ratio} as long with plain loads as with a plain tile in shared memory"
    )


def _rates(pen, radius, level):
    rows, after, titled = [], {}, radius == WIDE and level == "dram"
    for source in pen.sources:
        found = _of(source, radius, level)
        rows += [(NAMES[v], source, found[v], titled and v in COMPARED) for v in NAMES if v in found]
        slow = found.get(COMPARED[0])
        if pen.alone and titled and slow and (said := source.said("{stencil.tile_ratio}")):
            after[source.index, slow.name] = f": {said} as long"
    pen.bars(rows, rate, after=after)
    for source in pen.sources if level == "dram" else ():
        pen.peak(source, across=True)
    if pen.alone and titled:
        pen.note_titled()
    where = "in DRAM" if level == "dram" else "in the L2"
    pen.axes(f"{SHAPES[radius]}, fields {where}", "GB/s in and out", "", scales.zero, None)


def panels(_):
    return [Panel(partial(_rates, radius=radius, level="dram"), wide=True) for radius in reversed(SHAPES)]


def supplement(_):
    return [Panel(partial(_rates, radius=radius, level="l2")) for radius in SHAPES]
