"""Kernels that may start early: time of a kernel by its length, and by the place of the trigger."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, short

QUESTION = "How much does programmatic dependent launch gain?"
STEPS = [0, 16, 64, 256, 1024]
WAYS = {
    "stream": ("never", "stream"),
    "programmatic": ("start", "stream with PDL"),
    "graph": ("never", "graph"),
    "graph_programmatic": ("start", "graph with PDL"),
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
        "A kernel with a prologue and no main part takes {dependent.stream_kernel} in a stream and "
        "{dependent.programmatic_kernel} with dependent launch (PDL)",
    )


def _us(_, value):
    return value / 1e3


def _length(pen):
    ways = {name: {"way": way, "trigger": trigger, "steps": STEPS} for way, (trigger, name) in WAYS.items()}
    pen.lines(lambda p: STEPS.index(p.params["steps"]), ways, y=_us, law="default", named=not pen.alone)
    titled = {f"{{dependent.{way}_kernel}}": {**ways[WAYS[way][1]], "steps": 0} for way in ("stream", "programmatic")}
    said = pen.titled(titled, _us)
    for index, (name, wanted) in enumerate(ways.items()):

        def text(v, name=name):
            return f"{name}  {said.get(v, short(v)).removesuffix(' µs')}"

        place = (-6, 0, "right", "center", pen.colour(pen.sources[0], index))
        pen.say(lambda _: 0, wanted | {"steps": 0}, text, _us, *place)
    steps = scales.named([scales.binary(n) for n in STEPS])
    pen.axes(
        "A kernel with a prologue, by length of its main part",
        "dependent steps in the main part",
        "µs per kernel",
        steps,
        scales.log10,
    )
    if pen.alone:
        pen.ax.set_xlim(left=-1.25)  # room for the names


def _place(pen):
    rows = pen.cases({"in a stream without PDL": {"way": "stream", "trigger": "never", "steps": 16}})
    pen.bars(rows + pen.cases(by("trigger", PLACES, way="programmatic", steps=16), 1), y=_us)
    pen.axes("PDL by the place of the trigger, 16 steps", "µs per kernel", "", scales.zero, None)


def panels(_):
    return [Panel(_length, 1.2, wide=True), Panel(_place, wide=True)]
