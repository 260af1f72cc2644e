"""Three loads from rest: SM clock, power, time of a launch and its cycles, over the first seconds."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How do SM clock, power and rate move in the first seconds of a load?"
LOADS = {"mma": "mma.sync", "fma": "FFMA", "copy": "copy"}
EXTRAS = {"sm_clock_MHz": ("SM clock", "MHz"), "power_W": ("Power of the board", "W")}
OVER_FIRST = {"time": "Time of a launch", "launch_cycles": "SM cycles of a launch"}


def _series(source, task):
    """The windows of the longest load."""
    points = pick(source.points, task=task)
    longest = max((p.params["duration"] for p in points), default=None)
    return sorted(pick(points, duration=longest), key=lambda p: p.params["at"])


def _figure(point, name):
    return point.value if name == "time" else point.extras.get(name)


def finding(source):
    return source.said(
        "Under mma.sync the SM clock falls to {clock.load.mma_least}, and the board draws up to {power.load.mma_most}",
        "; a launch takes {clock.load.mma_slower} as long as at first",
    )


def _over_time(pen, extra):
    title, unit = EXTRAS[extra]
    for source in pen.sources:
        for index, (task, name) in enumerate(LOADS.items()):
            points = [p for p in _series(source, task) if p.extras.get(extra)]
            pen.plot(source, points, "at", lambda p, _: p.extras[extra], name, index)
    pen.axes(title, "ms after the first launch", unit, scales.linear, scales.zero)


def _over_first(pen, figure):
    for source in pen.sources:
        for index, (task, name) in enumerate(LOADS.items()):
            points = [p for p in _series(source, task) if _figure(p, figure)]
            first = _figure(points[0], figure) if points else 1

            def y(point, value, first=first):
                return (value if figure == "time" else point.extras[figure]) / first

            pen.plot(source, points, "at", y, name, index)
    pen.axes(OVER_FIRST[figure], "ms after the first launch", "times the first window", scales.linear, scales.linear)


def _has(sources, figure):
    return any(
        len(values([p for p in _series(s, task) if _figure(p, figure)], "at")) > 2 for s in sources for task in LOADS
    )


def panels(sources):
    found = [Panel(partial(_over_time, extra=extra), wide=True) for extra in EXTRAS if _has(sources, extra)]
    return found + ([Panel(partial(_over_first, figure="time"), wide=True)] if _has(sources, "time") else [])


def supplement(sources):
    shown = "launch_cycles"
    return [Panel(partial(_over_first, figure=shown), wide=True)] if _has(sources, shown) else []
