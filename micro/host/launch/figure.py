"""Launches: until the host knows, by kernels in a row; by way of waiting; by way of launching; a serial step."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does it cost to start a kernel, and to learn that it is done?"
WAYS = {"stream": "one by one", "graph": "graph", "cooperative": "cooperative", "programmatic": "programmatic"}
WAITS = {
    "stream": "stream",
    "event": "event",
    "device": "device",
    "blocking_event": "event that sleeps",
    "query": "asks again and again",
    "mapped": "polls memory",
}
TASKS = {"issue": "host, per call", "gap": "device, kernel to kernel"}
STEPS = {"left": "one thread of the device", "round_trip": "copied to the host and back"}


def _us(_, value):
    return value / 1e3


def _usual(points, **wanted):
    return pick(points, **{"way": "stream", "waits": "stream", "schedule": "default", "parameter_bytes": 0} | wanted)


def _rows(points):
    return pick(points, task="latency", waits="stream", schedule="default", parameter_bytes=0)


def finding(source):
    return source.said(
        "A launch takes {launch.latency} until the host knows that it is done",
        "; from kernel to kernel {launch.kernel_to_kernel}, in a graph {launch.graph_node}",
    )


def _sequences(pen):
    for source in pen.sources:
        for index, (way, name) in enumerate(WAYS.items()):
            pen.plot(source, pick(_rows(source.points), way=way), "kernels", label=name, index=index, law="default")
    pen.axes("Until the host knows that all are done", "empty kernels in a row", "time", scales.log2, scales.times)


def _waits(pen):
    rows = []
    for source in pen.sources:
        for waits, name in WAITS.items():
            for point in pick(source.points, task="latency", way="stream", waits=waits, kernels=1, parameter_bytes=0):
                schedule = point.params["schedule"]
                rows.append((name if schedule == "default" else f"{name}, {schedule}", source, point, 0))
    pen.bars(rows, y=_us)
    pen.axes("One empty kernel, by how the host waits", "µs", "", scales.zero, None)


def _rates(pen):
    rows = []
    for source in pen.sources:
        for index, (task, what) in enumerate(TASKS.items()):
            for way, name in WAYS.items():
                for point in _usual(source.points, task=task, way=way, kernels=64):
                    rows.append((f"{name}: {what}", source, point, index))
    pen.bars(rows, y=_us)
    pen.axes("64 empty kernels, per kernel", "µs", "", scales.zero, None)


def _parameters(pen):
    rows = []
    what = {"latency": "until the host knows", "single": "device, one alone", **TASKS}
    for source in pen.sources:
        for index, (task, name) in enumerate(what.items()):
            kernels = 8 if task in TASKS else 1
            for point in _usual(source.points, task=task, kernels=kernels, parameter_bytes=[0, 64, 4096, 32764]):
                rows.append((f"{name}, {point.params['parameter_bytes']} B", source, point, index))
    pen.bars(rows, y=_us)
    pen.axes("By bytes of parameters", "µs", "", scales.zero, None)


def _serial(pen):
    for source in pen.sources:
        for index, (task, name) in enumerate(STEPS.items()):
            pen.plot(source, pick(source.points, task=task), "size", label=name, index=index)
    pen.axes("A serial step between two parallel ones", "data", "time", scales.sizes, scales.times)


def panels(sources):
    every = [p for s in sources for p in s.points]
    found = []
    if len(values(_rows(every), "kernels")) > 1:
        found.append(Panel(_sequences, wide=True))
    if len(values(pick(every, task=list(STEPS)), "size")) > 1:
        found.append(Panel(_serial, 0.8, wide=True))
    if pick(every, task="latency", kernels=1, waits=["event", "device", "query", "mapped"]):
        found.append(Panel(_waits, 1.6, wide=True))
    if pick(every, task=list(TASKS), kernels=64):
        found.append(Panel(_rates, 1.1, wide=True))
    return found


def supplement(sources):
    every = [p for s in sources for p in s.points]
    return [Panel(_parameters, 1.8, wide=True)] if len(values(every, "parameter_bytes")) > 1 else []
