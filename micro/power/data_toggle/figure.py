"""Zeros, ones and random values through the same copy and the same products: time, clock, power and energy."""

from functools import partial

from gpufx_plot.charts.series import pick, values
from gpufx_plot.charts.style import GREY, canvas, decorate, finish, shade, tiled
from gpufx_plot.model import number, time_text

TITLE = "Does it matter what the data are?"
TASKS = {"copy": "Copy", "fma": "FFMA", "mma": "mma.sync"}
DATA = ("zeros", "ones", "sparse", "random")
WORDS = {"sparse": "half zeros"}


def _value(point, quantity):
    return point.value if quantity == "time" else point.extras.get(quantity)


def _text(value, quantity):
    if quantity == "time":
        return time_text(value)
    unit = {"power_W": "W", "sm_clock_MHz": "MHz", "pJ_per_byte": "pJ", "pJ_per_flop": "pJ"}[quantity]
    return f"{number(value, 4 if value >= 1000 else 3)} {unit}"


# In the order in which they are drawn: the data matter to the power first, and to the time where that hits its limit.
NAMES = {
    "power_W": "power of the board",
    "pJ_per_byte": "energy per byte",
    "pJ_per_flop": "energy per operation",
    "time": "time of a launch",
    "sm_clock_MHz": "SM clock",
}


def _bars(c, ax, task, quantity):
    """One bar for each kind of data, and how it compares with zeros."""
    step = 0.8 / len(c.sources)
    weight = "normal" if quantity in ("time", "sm_clock_MHz") else "bold"
    longest = 0.0
    kinds = [d for d in DATA if any(pick(s.points, task=task, data=d) for s in c.sources)]
    for source in c.sources:
        found = {p.params["data"]: _value(p, quantity) for p in pick(source.points, task=task)}
        base = found.get("zeros")
        for place, data in enumerate(kinds):
            if (value := found.get(data)) is None or value < 0:
                continue
            y = place + (source.index - (len(c.sources) - 1) / 2) * step
            ax.barh(y, value, 0.92 * step, color=shade(source.colour, 3 - DATA.index(data), 4))
            ratio = f"  {round(100 * (value / base - 1), 1) + 0.0:+.1f} %" if base and data != "zeros" else ""
            ax.text(value, y, f" {_text(value, quantity)}{ratio}", va="center", fontsize=7.5, fontweight=weight)
            longest = max(longest, value)
    decorate(ax, f"{TASKS.get(task, task)}: {NAMES[quantity]}", "", "")
    ax.set_yticks(range(len(kinds)), [WORDS.get(d, d) for d in kinds])
    ax.set_ylim(len(kinds) - 0.5, -0.5)
    ax.set_xlim(0, 1.45 * longest or 1)  # room for the words
    ax.set_xticks([])
    ax.grid(visible=False)
    ax.spines["bottom"].set_visible(False)
    ax.axvline(0, color=GREY, linewidth=0.8)


def draw(sources):
    c = canvas(sources, 13, 1)
    points = [p for s in sources for p in s.points]
    panels, columns = [], 1
    for task in [t for t in TASKS if t in values(points, "task")]:
        here = pick(points, task=task)
        quantities = [q for q in NAMES if any(_value(p, q) is not None for p in here)]
        panels.append([partial(_bars, c, task=task, quantity=q) for q in quantities])
        columns = max(columns, len(quantities))
    if not panels:
        return None
    c.figure.set_size_inches(13, (0.75 + 0.26 * len(DATA) * max(1, 0.6 * len(sources))) * len(panels))
    blank = [lambda ax: ax.set_axis_off()]
    tiled(c, [p for row in panels for p in row + blank * (columns - len(row))], columns)
    c.note(
        "copy: 1 GiB within device memory; FFMA: floats; mma.sync: matrices of bf16, sums of floats; bars from zero, "
        "medians over the processes, beside them the difference from zeros; power and energy are the board's, what it "
        "draws at rest included; no power: the driver's counter did not move often enough"
    )
    return finish(c, TITLE)
