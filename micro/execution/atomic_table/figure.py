"""Atomics on a random table: the rate of the whole device by the words of the table."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do atomics on random words of a table cost?"
LANES = 32
TABLES = (
    ("a copy per block, add 1", {"space": "shared", "op": "inc"}),
    ("a copy per block, add", {"space": "shared", "op": "add"}),
    ("one table, add int32", {"space": "global", "op": "add", "type": "int32", "result": "unused"}),
    ("one table, add float32", {"space": "global", "op": "add", "type": "float32"}),
)


def _rate(_, value):
    """Lanes per ns: 10^9 atomics per second."""
    return LANES / value if value > 0 else None


def finding(source):
    private = {p.params["words"]: p.value for p in pick(source.points, **TABLES[1][1])}
    common = {p.params["words"]: p.value for p in pick(source.points, **TABLES[2][1])}
    both = sorted(private.keys() & common.keys())
    if not both:
        return ""
    words = both[-1]
    times = common[words] / private[words]
    return f"A histogram of {words} words is {short(times)}x faster with a private copy in shared memory per block"


def _table(pen):
    for source in pen.sources:
        for index, (label, params) in enumerate(TABLES):
            pen.plot(source, pick(source.points, **params), "words", _rate, label, index)
    pen.notes.add("counts the operation of every lane; excludes merging private copies")
    pen.axes(
        "The whole device, random words of a table",
        "words of the table",
        "10⁹ atomics per second",
        scales.counts,
        scales.log10,
    )


def panels(_):
    return [Panel(_table)]


def supplement(_):
    return [Panel(_ops)]


def _ops(pen):
    """Operations that were measured with two tables alone."""
    rows = [
        (f"{p.params['op']} {p.params['type']}" + ", result used" * (p.params["result"] == "used"), source, p, 0)
        for source in pen.sources
        for p in pick(source.points, space="global", words=1024)
    ]
    pen.bars(rows, _rate)
    pen.axes("One table of 1024 words, by operation", "10⁹ atomics per second", "", scales.zero, None)
