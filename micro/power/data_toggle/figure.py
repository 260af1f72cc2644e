"""Zeros, ones and random values through the same copy and the same products: power, energy, time and clock."""

from functools import partial
from statistics import median

from gpufx_plot.call.number_text import number, time_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "Does it matter what the data are?"
TASKS = {"copy": "copy", "fma": "FFMA", "mma": "mma.sync"}
DATA = {"zeros": "zeros", "ones": "ones", "sparse": "half zeros", "random": "random"}
# What is drawn: where it is found among a case's figures, its name and unit.
QUANTITIES = {
    "power_W": ("Power of the board", "W"),
    "time": ("Time of a launch, over zeros", "times"),
    "sm_clock_MHz": ("SM clock", "MHz"),
    "pJ_per_byte": ("Energy per byte", "pJ"),
    "pJ_per_flop": ("Energy per operation", "pJ"),
}


def _cases(source, task):
    return {data: found[0] for data in DATA if (found := pick(source.points, task=task, data=data))}


def _value(source, point, quantity):
    if quantity != "time":
        found = [row[quantity] for row in (point.more.rows() if point.more else ()) if quantity in row]
        return (median(found), min(found), max(found)) if found else None
    zeros = _cases(source, point.params["task"]).get("zeros")
    return zeros and tuple(v / zeros.value for v in (point.value, *point.spread))


def finding(source):
    return source.said(
        "Random bits draw {power.product_ratio} the power of zeros in matrix products, {power.copy_ratio} in copies"
    )


def _bars(pen, quantity):
    title, unit = QUANTITIES[quantity]
    rows = []
    for index, (task, name) in enumerate(TASKS.items()):
        for data, words in DATA.items():
            for source in pen.sources:
                point = _cases(source, task).get(data)
                if point and (found := _value(source, point, quantity)):
                    rows.append((f"{name}, {words}", source, found, index))
    pen.bars(rows, text=lambda v: f"{v:.3f}" if unit == "times" else number(v, 4 if v >= 1000 else 3))
    if quantity == "time" and pen.alone:
        zeros = [(TASKS[t], c["zeros"].value) for t in TASKS if "zeros" in (c := _cases(pen.sources[0], t))]
        pen.notes.add("zeros take " + ", ".join(f"{time_text(v)} ({name})" for name, v in zeros))
    pen.notes.add("copy: 1 GiB within device memory; FFMA: floats; mma.sync: matrices of bf16, sums of floats")
    pen.axes(title, unit, "", scales.zero, None)


def _has(sources, quantity):
    return any(_value(s, p, quantity) for s in sources for p in s.points)


def panels(sources):
    shown = [q for q in ("power_W", "time") if _has(sources, q)]
    return [Panel(partial(_bars, quantity=q), 1.25, bars=True) for q in shown]


def supplement(sources):
    shown = [q for q in QUANTITIES if q not in ("power_W", "time") and _has(sources, q)]
    return [Panel(partial(_bars, quantity=q), 1.25, bars=True) for q in shown]
