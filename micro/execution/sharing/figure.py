"""What work keeps of its own speed beside other work, by where that runs."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does other work on the same GPU cost, from another stream, green context or process?"
PLACES = {"stream": "another stream", "green": "another green context", "process": "another process", "mps": "MPS"}
KINDS = {"sm": "arithmetic", "l2": "reads from the L2", "dram": "reads from DRAM", "link": "H2D copies"}

LITTLE = 25  # per cent: far from an even share, for an SM issues from older warps first


def _kept(point, value):
    """The archive has it for the median alone."""
    found = point.extras.get("kept_pct")
    return found * point.value / value if found is not None and value > 0 else None


def finding(source):
    return source.said(
        "Arithmetic keeps {sharing.stream_sm_keep} of its speed beside an equal load in another stream",
        "{sharing.process_sm_keep} beside another process",
        "{sharing.green_sm_keep} in another green context",
    )


def _bars(pen):
    known = [p for source in pen.sources for p in source.points if p.extras.get("kept_pct")]
    places = {place: name for place, name in PLACES.items() if pick(known, neighbour=place)}
    rows = []
    for kind, name in KINDS.items():
        for index, place in enumerate(places):
            rows += pen.cases({name: {"neighbour": place, "work": kind, "beside": kind}}, index)
    starved = [p for p in pick(known, neighbour="stream", work="sm", beside="sm") if p.extras["kept_pct"] < LITTLE]
    after = {(s.index, p.name): ": the neighbour's older warps issue first" for s in pen.sources for p in starved}
    shown = [row for row in rows if row[2] in known]
    pen.bars(shown, _kept, lambda v: f"{short(v)} %", series=[*places.values()], after=after)
    pen.notes.add("no bar: not measured")
    title = "Work next to as much of the same work, by where that runs"
    pen.axes(title, "% of its speed alone", "", scales.ticks_at(*range(0, 101, 20)), None)


def panels(_):
    return [Panel(_bars, wide=True)]
