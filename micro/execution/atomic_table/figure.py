"""Atomics on a random table: the rate of the whole device by the words of the table."""

from functools import partial

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import DASHES, GREY
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do atomics on random words of a table cost?"
LANES = 32
TABLES = (
    ("shared, add the constant 1", {"space": "shared", "op": "inc"}),
    ("shared, add int32", {"space": "shared", "op": "add"}),
    ("global, add int32", {"space": "global", "op": "add", "type": "int32", "result": "unused"}),
    ("global, add float32", {"space": "global", "op": "add", "type": "float32"}),
)


def _rate(_, value):
    """Lanes per ns: 10^9 atomics per second."""
    return LANES / value if value > 0 else None


def _compared(source):
    """The largest table that was measured in both memories, and the times of an addition in either."""
    private = {p.params["words"]: p.value for p in pick(source.points, **TABLES[1][1])}
    common = {p.params["words"]: p.value for p in pick(source.points, **TABLES[2][1])}
    both = sorted(private.keys() & common.keys())
    return both and (both[-1], common[both[-1]], private[both[-1]])


def finding(source):
    if not (found := _compared(source)):
        return ""
    words, common, private = found
    gain = short(common / private)
    return f"Adding to {words} words is {gain}x as fast in a shared-memory copy per block as in one global table"


def _table(pen, tables=TABLES[1:3]):
    for source in pen.sources:
        for index, (label, params) in enumerate(tables):
            pen.plot(source, pick(source.points, **params), "words", _rate, label, index)
        if pen.alone and (found := _compared(source)):
            words, *times = found
            low, high = (_rate(None, time) for time in times)
            pen.ax.vlines(words, low, high, color=GREY, linewidth=0.1 * pen.sheet.size, linestyle=DASHES[2])
            pen.write(words, (low * high) ** 0.5, f"{words} words: {short(high / low)}x", 5)
        if size := source.device.get("shared_per_block_optin_bytes"):
            pen.notes.add(f"shared memory of a block ends at {size_text(size)}")
    pen.notes.add("counts the operation of every lane; shared: a copy per block, without the time to merge them")
    pen.axes(
        "Random words, whole device",
        "words of the table",
        "10⁹ atomics per second",
        scales.counts,
        scales.log10,
    )


def panels(_):
    return [Panel(_table, 1.2)]


def supplement(_):
    return [Panel(partial(_table, tables=TABLES)), Panel(_ops)]


def _ops(pen):
    """Operations that were measured with two tables alone."""
    rows = [
        (f"{p.params['op']} {p.params['type']}" + ", result used" * (p.params["result"] == "used"), source, p, 0)
        for source in pen.sources
        for p in pick(source.points, space="global", words=1024)
    ]
    pen.bars(rows, _rate)
    pen.axes("One table of 1024 words, by operation", "10⁹ atomics per second", "", scales.zero, None)
