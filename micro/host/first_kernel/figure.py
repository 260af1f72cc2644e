"""A process until its first kernel has run: the steps on the way, by the loading of code."""

from statistics import median

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a process pay before its first kernel has run?"
LOADINGS = {"lazy": "lazy", "eager": "eager"}
STEPS = {
    "driver_ns": "find the driver",
    "context_ns": "create the context",
    "module_ns": "ask for the kernel",
    "kernel_ns": "run it",
}


def _case(source, loading):
    return next(iter(pick(source.points, loading=loading)), None)


def finding(source):
    return source.said(
        "A process has run its first kernel after {launch.first_kernel}",
        "; with all code loaded at the start {launch.eager_ratio} that",
    )


def _step(point, name):
    found = [row[name] / 1e6 for row in (point.more.rows() if point.more else ()) if name in row]
    return (median(found), min(found), max(found)) if found else None


def _rows(pen):
    rows = []
    for loading, words in LOADINGS.items():
        for source in pen.sources:
            point = _case(source, loading)
            if not point:
                continue
            rows.append((f"{words}: all", source, tuple(v / 1e6 for v in (point.value, *point.spread)), 0))
            for index, (extra, name) in enumerate(STEPS.items(), 1):
                if step := _step(point, extra):
                    rows.append((f"{words}: {name}", source, step, index))
    pen.bars(rows)
    pen.notes.add("all: from the start of the process; what is no step is the start of the program itself")
    pen.axes("A process until its first kernel has run", "ms", "", scales.zero, None)


def panels(sources):
    return [Panel(_rows, 1.2, bars=True)] if any(_case(s, loading) for s in sources for loading in LOADINGS) else []
