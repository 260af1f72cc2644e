"""Three loads from rest: SM clock and power over the first seconds; time of a launch and its cycles."""

from functools import partial
from math import inf

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "How do SM clock and power change in the first seconds of a load?"
LOADS = {"mma": "mma.sync", "fma": "FFMA", "copy": "copy"}
EXTRAS = {"sm_clock_MHz": ("SM clock", "MHz"), "power_W": ("Power of the board", "W")}
SECONDS = scales.ticks_at(*range(8))
WINDOW = 100  # ms
STEADY = 2  # seconds: what the finding speaks of begins here
OVER_FIRST = {"time": "Time of a launch", "launch_cycles": "SM cycles of a launch"}


def _series(source, task):
    """The windows of the longest load."""
    points = pick(source.points, task=task)
    longest = max((p.params["duration"] for p in points), default=None)
    return sorted(pick(points, duration=longest), key=lambda p: p.params["at"])


def _figure(point, name):
    return point.value if name == "time" else point.extras.get(name)


def _steady(source, task, extra):
    """(cases from then on, what they say), from the least to the most."""
    points = [p for p in _series(source, task) if p.params["at"] >= 1e3 * STEADY and p.extras.get(extra)]
    return sorted(points, key=lambda p: p.extras[extra])


def _tens(value):
    return f"{round(value, -1):.0f}"


def _clock(value):
    return f"{_tens(value)} MHz"


def finding(source):
    """The clock from the windows that the panel shows, for it swings."""
    ends = [p.extras["sm_clock_MHz"] for p in _steady(source, "mma", "sm_clock_MHz")]
    if not ends:
        return ""
    most, least = _tens(ends[-1]), _tens(ends[0])
    clock = f"swings between {most} and {least}" if most != least else f"stays at {least}"
    clock = f"After {STEADY} s of mma.sync the SM clock {clock} MHz"
    more = source.said("; FFMA keeps {clock.load.fma_least}")
    return f"{clock}; {more}" if more else clock


def _windows(pen, figure, y):
    for source in pen.sources:
        for index, (task, name) in enumerate(LOADS.items()):
            points = [p for p in _series(source, task) if _figure(p, figure)]
            first = _figure(points[0], figure) if points else 1
            pen.plot(source, points, _seconds, partial(y, first=first), name, index, join=False, size=0.7)


def _seconds(point):
    """The middle of the window."""
    return (point.params["at"] + WINDOW / 2) / 1e3


def _over_time(pen, extra):
    title, unit = EXTRAS[extra]
    clock = extra == "sm_clock_MHz"
    _windows(pen, extra, lambda p, _, first: p.extras[extra])
    for source in pen.sources:
        found, ffma = _steady(source, "mma", extra), _steady(source, "fma", extra)
        marks = [(p, _clock if clock else "{power.load.mma_most}") for p in found[-1:]]
        marks += [(p, _clock) for p in found[:1] if clock and len(found) > 1]
        dip = min(_series(source, "mma"), key=lambda p: p.extras.get(extra, inf), default=None)
        if clock and pen.alone and found and dip and (low := dip.extras.get(extra, inf)) < found[0].extras[extra]:
            pen.say_at(_seconds(dip), low, f"dip {_clock(low)}")
        for p in _series(source, "fma")[-1:] if clock else ():
            marks += [(p, _alike(source, p) + ": {clock.load.fma_least}")] if p in ffma else []
        for p, text in marks:
            pen.say(_seconds, p.params, text, lambda p, _: p.extras[extra])
        ran = [f"{name} {last[0].params['duration']} s" for t, name in LOADS.items() if (last := _series(source, t))]
        pen.notes.add("length of the load: " + ", ".join(ran)) if pen.alone else None
    pen.notes.add(f"mark: a window of {WINDOW} ms, at its middle")
    if any(_steady(source, "mma", extra) for source in pen.sources):
        pen.band(0, STEADY)
        pen.write(0, 0.03, f"first {STEADY} s", 4, 0, va="bottom", xycoords=pen.ax.get_xaxis_transform())
    pen.axes(title, "time since the first launch (s)", unit, SECONDS, scales.zero if unit == "W" else scales.linear)


def _alike(source, ffma):
    """The loads whose clock ends as that of FFMA."""
    ends = {task: p.extras.get("sm_clock_MHz", 0) for task in ("fma", "copy") for p in _series(source, task)[-1:]}
    return ", ".join(LOADS[task] for task, end in ends.items() if _tens(end) == _tens(ffma.extras["sm_clock_MHz"]))


def _over_first(pen, figure):
    _windows(pen, figure, lambda p, v, first: (v if figure == "time" else p.extras[figure]) / first)
    unit = "over the first window"
    pen.axes(OVER_FIRST[figure], "time since the first launch (s)", unit, SECONDS, scales.ratio)


def panels(sources):
    return [Panel(partial(_over_time, extra=extra), 0.9, wide=True) for extra in EXTRAS]


def supplement(sources):
    return [Panel(partial(_over_first, figure=figure), wide=True) for figure in OVER_FIRST]
