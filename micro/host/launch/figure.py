"""Launches: until the host knows, by kernels in a row; by way of waiting; by way of launching; a serial step."""

from functools import partial

from gpufx_plot.call.number_text import time_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by, cost

QUESTION = "What does it cost to launch a kernel and to detect its end?"
WAYS = {"stream": "one by one", "graph": "graph", "cooperative": "cooperative", "programmatic": "programmatic (PDL)"}
WAITS = {
    "stream": "cudaStreamSynchronize",
    "event": "cudaEventSynchronize",
    "device": "cudaDeviceSynchronize",
    "blocking_event": "blocking-sync event",
    "query": "cudaStreamQuery loop",
    "mapped": "flag in mapped memory",
}
TOLD_APART = ("stream", "programmatic", "graph")  # cooperative launches lie on the first
TASKS = {"issue": "the host's call", "gap": "kernel to kernel"}
STEPS = {"left": "one thread", "round_trip": "to the host and back"}


def _us(_, value):
    return value / 1e3


def _usual(**wanted):
    return {"way": "stream", "waits": "stream", "schedule": "default", "parameter_bytes": 0} | wanted


def finding(source):
    return source.said("An empty kernel takes {launch.latency} from its launch until the host detects its end")


def _sequences(pen):
    ways = {WAYS[way]: _usual(task="latency", way=way) for way in TOLD_APART}
    pen.lines("kernels", ways, law="default")
    pen.say(
        "kernels", _usual(task="latency", kernels=1), "{launch.latency}", dx=-2, colour=pen.colour(pen.sources[0], 0)
    )
    for way, place in (("stream", (-8, 0, "right", "bottom")), ("graph", (0, -6, "center", "top"))):
        index = TOLD_APART.index(way)
        wanted = _usual(task="latency", way=way, kernels=256)
        pen.say("kernels", wanted, time_text, cost, *place, pen.colour(pen.sources[0], index))
    title = "From the first launch until the host detects the end of all"
    pen.axes(title, "empty kernels in a row", "time", scales.log2, scales.times)


def _serial(pen):
    pen.lines("size", by("task", STEPS))
    pen.axes("A serial step between two parallel ones", "data", "time", scales.sizes, scales.times)


def _waits(pen, schedules=("default",)):
    rows = []
    for schedule in schedules:
        how = "" if schedule == "default" else f", {schedule}"
        kinds = {name + how: _usual(task="latency", waits=w, schedule=schedule, kernels=1) for w, name in WAITS.items()}
        rows += pen.cases(kinds)
    titled = pen.titled({"{launch.latency}": _usual(task="latency", kernels=1)}, _us)
    pen.bars(rows, y=_us, text=lambda v: titled.get(v, f"{v:.1f}").removesuffix(" µs"))
    pen.axes("One empty kernel, by how the host waits", "µs", "", scales.zero, None)


def _rates(pen):
    rows = []
    for index, task in enumerate(TASKS):
        ways = {name: _usual(task=task, way=way, kernels=64) for way, name in WAYS.items()}
        rows += pen.cases(ways, index)
    once = {
        (s.index, p.name): " (1 call / 64)"
        for _, s, p, _ in rows
        if p.params["task"] == "issue" and p.params["way"] == "graph"
    }
    pen.bars(rows, text=time_text, series=[*TASKS.values()], dots=True, after=once)
    pen.axes("64 empty kernels, per kernel", "time", "", scales.times, None)


def _parameters(pen):
    rows = []
    what = {"latency": "until the host detects it", "single": "device, one alone", **TASKS}
    for index, task in enumerate(what):
        kernels = 8 if task in TASKS else 1
        sizes = {f"{n} B": _usual(task=task, kernels=kernels, parameter_bytes=n) for n in (0, 64, 4096, 32764)}
        rows += pen.cases(sizes, index)
    pen.bars(rows, y=_us, series=[*what.values()])
    pen.axes("By bytes of parameters", "µs", "", scales.zero, None)


def panels(sources):
    return [Panel(_sequences, wide=True), Panel(_waits, wide=True)]


def supplement(sources):
    scheduled = partial(_waits, schedules=("spin", "yield", "blocking"))
    return [
        Panel(_rates, wide=True),
        Panel(_serial, wide=True),
        Panel(scheduled, wide=True),
        Panel(_parameters, wide=True),
    ]
