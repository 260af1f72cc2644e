"""Kernels that may start early: time of a kernel by its length, and by the place of the trigger."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a kernel gain that may start before the one before it is done?"
WAYS = {
    "stream": ("never", "stream"),
    "programmatic": ("start", "stream, PDL"),
    "graph": ("never", "graph"),
    "graph_programmatic": ("start", "graph, PDL"),
}
PLACES = {
    "never": "no trigger",
    "start": "before the prologue",
    "waited": "behind the wait",
    "worked": "behind the main part",
    "written": "behind the epilogue",
}


def finding(source):
    return source.said(
        "A short kernel with a prologue takes {dependent.stream_kernel} in a stream",
        "{dependent.programmatic_kernel} with programmatic dependent launch",
    )


def _length(pen):
    for source in pen.sources:
        for index, (way, (trigger, name)) in enumerate(WAYS.items()):
            points = pick(source.points, way=way, trigger=trigger)
            pen.plot(source, [p for p in points if p.params["steps"]], "steps", cost, name, index, law="default")
    pen.axes("Time per kernel", "dependent steps of the main part", "ns", scales.counts, scales.log2)


def _place(pen):
    rows = []
    for source in pen.sources:
        for place, name in PLACES.items():
            points = pick(source.points, way="programmatic", trigger=place, steps=16)
            rows += [(name, source, point, 0) for point in points]
    pen.bars(rows, text=lambda v: f"{v:.0f}")
    pen.axes("By the place of the trigger, 16 steps", "ns per kernel", "", scales.zero, None)


def panels(sources):
    found = []
    if any(pick(s.points, way="stream") for s in sources):
        found.append(Panel(_length))
    if any(pick(s.points, way="programmatic", steps=16) for s in sources):
        found.append(Panel(_place, bars=True))
    return found
