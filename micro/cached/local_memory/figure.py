"""Variables out of registers: arrays by where they are kept, lanes at different indexes, spills by count and size."""

from functools import partial

from gpufx_plot.model import size_text
from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    BLANK,
    GREY,
    MARKERS,
    canvas,
    decorate,
    finish,
    from_zero,
    legend_above,
    log2_axis,
    log10_axis,
    panel_key,
    tiled,
)

TITLE = "What does it cost when a thread's own variables do not stay in registers?"
MODES = {"latency": "Latency", "throughput": "Throughput"}
HOMES = {
    "register": "registers, index known",
    "local": "local memory",
    "shared": "shared memory",
    "select": "chain of selects",
    "tree": "tree of selects",
}


def _reads(source, **wanted):
    return pick(source.points, **{"task": "read"} | wanted)


def _arrays(c, ax, mode):
    """By the length of the array and where it is kept."""
    drawn = []
    for source in c.sources:
        for index, (home, name) in enumerate(HOMES.items()):
            for series in split(_reads(source, mode=mode, home=home, distinct=1), "words"):
                look = c.look(source, index, len(HOMES))
                plot(c, ax, source, series, "words", look, name, law=None)
                drawn += series.points
    decorate(ax, f"{MODES[mode]} of a read, by length of the array", "words a thread", "SM cycles per read")
    log2_axis(ax.xaxis, [p.params["words"] for p in drawn])
    log10_axis(ax.yaxis, [p.value for p in drawn])


def _lanes(c, ax, mode):
    """By how many indexes the lanes of a warp read."""
    drawn = []
    for source in c.sources:
        for home in ("local", "shared"):
            for series in split(_reads(source, mode=mode, home=home, words=32), "distinct"):
                look = c.look(source, [*HOMES].index(home), len(HOMES))
                plot(c, ax, source, series, "distinct", look, HOMES[home], "steps-mid" if home == "local" else None)
                drawn += series.points
    decorate(ax, f"{MODES[mode]}, by indexes that differ", "different indexes in the warp", "SM cycles per read")
    ax.set_xticks(range(0, 33, 4))
    from_zero(ax, [p.value for p in drawn])


def _updates(source):
    points = pick(source.points, task="update")
    return sorted(split(points, "live", "registers", "warps"), key=lambda s: (-s.key["registers"], s.key["warps"]))


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
    most = max(values([p for s in c.sources for p in pick(s.points, task="update")], "registers"))
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
    decorate(ax, name, "live values a thread" if x == "live" else "local memory of all threads (KiB)",
             "SM cycles per value and trip")  # fmt: skip
    if x != "live":
        log2_axis(ax.xaxis, places)
        if size and len(c.sources) == 1:
            ax.set_xlim(right=max(ax.get_xlim()[1], 3 * size / 1024))  # room for the words
    log10_axis(ax.yaxis, [p.value for p in drawn])
    legend_above(ax, 2)


def draw(sources):
    c = canvas(sources, 13, 1)
    panels = []
    for mode in MODES:
        if any(_reads(s, mode=mode, distinct=1) for s in sources):
            panels.append(partial(_arrays, c, mode=mode))
    for mode in MODES:
        if any(len(values(_reads(s, mode=mode, words=32), "distinct")) > 1 for s in sources):
            panels.append(partial(_lanes, c, mode=mode))
    updates = [p for s in sources for p in pick(s.points, task="update")]
    if updates:
        panels.append(partial(_spills, c, x="live", name="Values read and written in a loop, by their number"))
    if any(p.extras.get("local_KiB") for p in updates):
        panels.append(partial(_spills, c, x="local", name="The same, by the local memory they take on the SM"))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.0 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note("points: medians over the launches; reads: 16 warps for throughput, one for latency, all lanes at one index")
    return finish(c, TITLE)
