"""Transposing B: the time of a product by the order in which B and A are read, relative to B as it is."""

from gpufx_plot.charts import scales
from gpufx_plot.charts.pen import Panel, between, short
from gpufx_plot.charts.series import pick, values
from gpufx_plot.model import time_text

QUESTION = "Does it pay to transpose B before a matrix product?"
STORED = {"plain": "B as it is", "transposed": "B transposed", "first": "B transposed first, each time"}
LANES = {"columns": "lanes along columns", "rows": "lanes along rows"}


def _base(source, n):
    """What the others are measured by: B as it is, lanes along the columns."""
    found = pick(source.points, n=n, b="plain", lanes="columns")
    return found[0].value if found and found[0].value > 0 else None


def _rows(source, n):
    """(name, point, times as long as the base)."""
    base = _base(source, n)
    for lanes, way in LANES.items():
        for b, name in STORED.items():
            for point in pick(source.points, n=n, b=b, lanes=lanes):
                if base:
                    yield f"{name}, {way}", point, tuple(v / base for v in (point.value, *point.spread))


def finding(source):
    ratios = [
        found[0]
        for n in values(source.points, "n")
        for name, p, found in _rows(source, n)
        if p.value != _base(source, n)
    ]
    if not ratios:
        return ""
    times = between(ratios, lambda v: short(round(v, 1)))
    if min(ratios) > 1.02:
        return f"Leave B as it is, with the lanes along its columns: everything else takes {times} times as long"
    return f"Against B as it is, with the lanes along its columns, the others take {times} times as long"


def _products(pen):
    """A row for each way, of the largest matrices."""
    sizes = values([p for s in pen.sources for p in s.points], "n")
    rows = []
    for source in pen.sources:
        rows += [(name, source, found, found[0] == 1) for name, _, found in _rows(source, sizes[-1])]
    pen.bars(rows)
    base = _base(pen.sources[0], sizes[-1])
    known = f" (1: {time_text(base)})" if pen.alone and base else ""
    pen.axes(
        f"Matrices of {sizes[-1]} × {sizes[-1]}", f"times B as it is, lanes along columns{known}", "", scales.zero, None
    )


def _by_size(pen):
    for source in pen.sources:
        for index, (b, name) in enumerate(STORED.items()):
            for lanes, way in LANES.items():
                points = [p for p in pick(source.points, b=b, lanes=lanes) if _base(source, p.params["n"])]

                def times(point, value, source=source):
                    return value / _base(source, point.params["n"])

                pen.plot(source, points, "n", times, f"{name}, {way}", 2 * index + (lanes == "rows"))
    pen.axes("The same by size", "n of the n × n matrices", "times B as it is", scales.counts)


def panels(sources):
    every = [n for s in sources for n in values(s.points, "n") if any(True for _ in _rows(s, n))]
    return [Panel(_products, 0.9, bars=True)] if every else []


def supplement(sources):
    return [Panel(_by_size)] if any(len(values(s.points, "n")) > 1 for s in sources) else []
