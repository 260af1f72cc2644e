"""Kernels that may start early: time of a kernel by its length, and by the place of the trigger."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "How much does programmatic dependent launch gain?"
STEPS = [16, 64, 256, 1024]
WAYS = {
    "stream": ("never", "stream"),
    "programmatic": ("start", "stream, PDL"),
    "graph": ("never", "graph"),
    "graph_programmatic": ("start", "graph, PDL"),
}
PLACES = {
    "never": "no trigger",
    "start": "before the prologue",
    "waited": "after the wait",
    "worked": "after the main part",
    "written": "after the epilogue",
}


def finding(source):
    return source.said(
        "A short kernel with a prologue takes {dependent.stream_kernel} in a stream",
        "{dependent.programmatic_kernel} with programmatic dependent launch",
    )


def _length(pen):
    ways = {name: {"way": way, "trigger": trigger, "steps": STEPS} for way, (trigger, name) in WAYS.items()}
    pen.lines("steps", ways, law="default")
    pen.axes("Time per kernel", "dependent steps of the main part", "time", scales.counts, scales.times)


def _place(pen):
    pen.bars(pen.cases(by("trigger", PLACES, way="programmatic", steps=16)), text="{:.0f}".format)
    pen.axes("By place of the trigger, 16 steps", "ns per kernel", "", scales.zero, None)


def panels(_):
    return [Panel(_length), Panel(_place)]
