"""Spilled registers: the cost by the number of live values, and by the local memory that they take."""

from functools import partial

from gpufx_plot.charts.series import split, values
from gpufx_plot.charts.style import (
    BLANK,
    GREY,
    MARKERS,
    canvas,
    decorate,
    finish,
    legend_above,
    log2_axis,
    log10_axis,
    panel_key,
    tiled,
)
from gpufx_plot.model import size_text

TITLE = "What does it cost when a thread has more live values than registers?"


def _updates(source):
    return sorted(
        split(source.points, "live", "registers", "warps"), key=lambda s: (-s.key["registers"], s.key["warps"])
    )


def _spill_look(c, source, series, most):
    roomy = series.key["registers"] == most
    warps = series.key["warps"]
    index = 0 if roomy else 1 + sum(warps > w for w in (8, 16))
    return c.look(source, index, 4) | {"marker": MARKERS[index]}, (
        f"{series.key['registers']} registers, {warps} warps"
    )


def _spills(c, ax, x, name):
    """Cost of an update by the number of live values, or by what the threads of the SM spill together."""
    drawn, places = [], []
    most = max(values([p for s in c.sources for p in s.points], "registers"))
    for source in c.sources:
        for series in _updates(source):
            points = series.points if x == "live" else [p for p in series.points if p.extras.get("local_KiB")]
            if not points:
                continue
            xs = [p.params["live"] if x == "live" else p.extras["local_KiB"] for p in points]
            look, label = _spill_look(c, source, series, most)
            look = {"markersize": 3.8, "linewidth": 1.2} | look
            ax.plot(xs, [p.value for p in points], **look)
            panel_key(ax, label, **look)
            drawn += points
            places += xs
        size = source.archive.run["device"].get("shared_per_sm_bytes")
        if x != "live" and places and size:
            ax.axvline(size / 1024, color=c.law_look(source)["color"], linewidth=0.8, linestyle=":")
            if len(c.sources) == 1:
                text = f"L1 and shared\nmemory of an SM,\n{size_text(size)}"
                ax.annotate(text, (size / 1024, 0.03), (3, 0), xycoords=("data", "axes fraction"), fontsize=7,
                            textcoords="offset points", color=GREY, bbox=BLANK, va="bottom")  # fmt: skip
    decorate(ax, name, "live values per thread" if x == "live" else "local memory of all threads (KiB)",
             "SM cycles per value and trip")  # fmt: skip
    if x != "live":
        log2_axis(ax.xaxis, places)
        if size and len(c.sources) == 1:
            ax.set_xlim(right=max(ax.get_xlim()[1], 3 * size / 1024))  # room for the words
    log10_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    points = [p for s in sources for p in s.points]
    panels = [("live", "Values read and written in a loop, by their number")] if points else []
    if any(p.extras.get("local_KiB") for p in points):
        panels.append(("local", "The same, by the local memory they take on the SM"))
    if not panels:
        return None
    c = canvas(sources, 5.2 * len(panels), 3.6)
    tiled(c, [partial(_spills, c, x=x, name=name) for x, name in panels], len(panels))
    c.note("points: medians over the processes")
    return finish(c, TITLE)
