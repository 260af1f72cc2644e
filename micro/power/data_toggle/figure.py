"""Zeros, ones and random values through the same copy and the same products: power, energy, time and clock."""

from functools import partial
from statistics import median

from gpufx_plot.call.number_text import time_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import BLANK, Panel, short
from gpufx_plot.showing.charts.series import pick

QUESTION = "Do data values affect power and time?"
TASKS = {"copy": "copy", "fma": "FFMA", "mma": "mma.sync"}
ROOM = 0.25, 0.4  # of the panel of times: on its left, for numbers below zero; of several archives
DATA = {"zeros": "zeros", "sparse": "half zeros", "random": "random", "ones": "ones"}
RATIOS = {"mma": "{power.product_ratio}", "copy": "{power.copy_ratio}"}  # random over zeros, as the title has them
# What is drawn: where it is found among a case's figures, its name and unit.
QUANTITIES = {
    "power_W": ("Power of the board", "W"),
    "time": ("Time of a launch", "% above zeros"),
    "sm_clock_MHz": ("SM clock", "MHz"),
    "pJ_per_byte": ("Energy per byte", "pJ"),
    "pJ_per_flop": ("Energy per operation", "pJ"),
}


def _cases(source, task):
    return {data: found[0] for data in DATA if (found := pick(source.points, task=task, data=data))}


def _value(source, task, data, quantity):
    point, zeros = (_cases(source, task).get(which) for which in (data, "zeros"))
    if quantity == "time":
        above = [100 * (v / zeros.value - 1) for v in (point.value, *point.spread)] if point and zeros else []
        return above and (*above, point.name)
    found = [row[quantity] for row in (point.more.rows() if point and point.more else ()) if quantity in row]
    return found and (median(found), min(found), max(found), point.name)


def finding(source):
    said = source.said("In matrix products random bits draw {power.product_ratio} the power of zeros")
    longer = _value(source, "mma", "random", "time")
    more = "" if not longer else f", and take {_above(longer[0])[1:]} {'longer' if longer[0] >= 0 else 'less time'}"
    return said and said + more


def _above(percent):
    return f"{round(percent, 1) or 0:+.1f} %".replace("-", "\u2212")


def _complete(sources, quantity):
    """Data of which every task has it: too few steps of the counter leave a case without power."""
    return [d for d in DATA if all(_value(s, task, d, quantity) for s in sources for task in TASKS if _cases(s, task))]


def _bars(pen, quantity, shown=DATA):
    title, unit = QUANTITIES[quantity]
    rows = [
        (name, source, found, index)
        for task, name in TASKS.items()
        for index, which in enumerate(shown)
        if quantity != "time" or which != "zeros"  # its base
        for source in pen.sources
        if (found := _value(source, task, which, quantity))
    ]
    in_time = quantity == "time" and bool(rows)
    after = {}
    for source in pen.sources if quantity == "power_W" and pen.alone else ():
        for task, name in RATIOS.items():
            if found := _value(source, task, "random", quantity):
                ratio = source.said(name).removeprefix("About ")
                after[source.index, found[-1]] = f": {ratio}" * bool(ratio)
    words = _above if in_time else short
    base = pen.colour(pen.sources[0], 0) if pen.alone else "0.6"  # the line of the zeros, in their colour
    if in_time and pen.alone:
        pen.key([(DATA["zeros"], base)])
    pen.bars(rows, text=words, dots=in_time, series=[DATA[which] for which in shown], after=after)
    if in_time:
        pen.comparable = False  # ratios of per cent say nothing
        pen.xs += [-0.4, 2]
        pen.xs.append(min(pen.xs) - ROOM[not pen.alone] * (max(pen.xs) - min(pen.xs)))
        pen.ax.axvline(0, color=base, linewidth=0.8, zorder=1)
        for text in pen.ax.texts:  # some lie on it
            text.set_bbox(BLANK | {"alpha": 1})
        for row, text in zip(pen.rows, pen.ax.texts[-len(pen.rows) :], strict=True):
            if text.get_text()[0] == "\u2212":  # on the left of its mark, where the line of the zeros is not
                text.xy = (row.low, text.xy[1])
                text.set(x=-text.get_position()[0], ha="right")
        pen.notes.add(pen.sources[0].range_text)
        for source in pen.sources if pen.alone else ():
            zeros = [(TASKS[t], c["zeros"].value) for t in TASKS if "zeros" in (c := _cases(source, t))]
            pen.notes.add("zeros take " + ", ".join(f"{time_text(v)} ({name})" for name, v in zeros))
    pen.notes.add("copy: 1 GiB within device memory; FFMA: floats; mma.sync: matrices of bf16, sums of floats")
    pen.axes(title, unit, "", scales.linear if in_time else scales.zero, None)


def panels(sources):
    shown = _complete(sources, "power_W") or [*DATA]
    return [Panel(partial(_bars, quantity=q, shown=shown)) for q in ("power_W", "time")]


def supplement(sources):
    return [Panel(partial(_bars, quantity=q)) for q in QUANTITIES if q != "power_W"]
