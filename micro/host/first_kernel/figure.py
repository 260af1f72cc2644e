"""A process until its first kernel has run: the steps on the way, by the loading of code."""

from statistics import median

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, between, short

QUESTION = "How long does a process take until its first kernel has run?"
LOADINGS = {"lazy": "lazy loading", "eager": "eager loading"}
STEPS = {
    "driver_ns": "start the driver",
    "context_ns": "create the context",
    "module_ns": "load the kernel",
    "kernel_ns": "run it",
}


def finding(source):
    return source.said("With lazy loading a process takes {launch.first_kernel} until its first kernel has run")


def _step(point, name):
    if not name:
        return *(v / 1e6 for v in (point.value, *point.spread)), point.name
    found = [row[name] / 1e6 for row in (point.more.rows() if point.more else ()) if name in row]
    return (median(found), min(found), max(found), point.name) if found else None


def _rows(pen):
    steps = {"": "the whole", **STEPS}
    rows = [
        (name, source, found, index)
        for step in steps
        for i, which in enumerate(LOADINGS)
        for name, source, point, index in pen.cases({steps[step]: {"loading": which}}, i)
        if (found := _step(point, step))
    ]
    titled = pen.titled({"{launch.first_kernel}": {"loading": "lazy"}}, lambda _, value: value / 1e6)
    text = {ms: said.removesuffix(" ms") for ms, said in titled.items()}
    for value, low, high, _ in (found for name, _, found, _ in rows if name == steps[""] and found[1] < found[2]):
        text[value] = f"{text.get(value) or short(value)} ({between([low, high], '{:.0f}'.format)})"
        pen.notes.add("in brackets: ends of the line")
    pen.bars(rows, text=lambda v: text.get(v) or short(v), series=[*LOADINGS.values()])
    for _, source, *_ in rows:
        pen.notes.add(source.range_text)
    pen.axes("From the start of a process to the end of its first kernel, and the steps", "ms", "", scales.zero, None)


def panels(_):
    return [Panel(_rows)]
