"""Arrays indexed at run time: by where they are kept, and by how many indexes the lanes read."""

from functools import partial

from gpufx_plot.charts.series import pick, plot, split, values
from gpufx_plot.charts.style import (
    canvas,
    decorate,
    finish,
    from_zero,
    log2_axis,
    log10_axis,
    tiled,
)

TITLE = "What does it cost to read a thread's own array by an index that the compiler does not know?"
MODES = {"latency": "Latency", "throughput": "Throughput"}
HOMES = {
    "register": "registers, index known",
    "local": "local memory",
    "shared": "shared memory",
    "select": "chain of selects",
    "tree": "tree of selects",
}


def _arrays(c, ax, mode):
    """By the length of the array and where it is kept."""
    drawn = []
    for source in c.sources:
        for index, (home, name) in enumerate(HOMES.items()):
            for series in split(pick(source.points, mode=mode, home=home, distinct=1), "words"):
                look = c.look(source, index, len(HOMES))
                plot(c, ax, source, series, "words", look, name, law=None)
                drawn += series.points
    decorate(ax, f"{MODES[mode]} of a read, by length of the array", "words per thread", "SM cycles per read")
    log2_axis(ax.xaxis, [p.params["words"] for p in drawn])
    log10_axis(ax.yaxis, [p.value for p in drawn])


def _lanes(c, ax, mode):
    """By how many indexes the lanes of a warp read."""
    drawn = []
    for source in c.sources:
        for home in ("local", "shared"):
            for series in split(pick(source.points, mode=mode, home=home, words=32), "distinct"):
                look = c.look(source, [*HOMES].index(home), len(HOMES))
                plot(c, ax, source, series, "distinct", look, HOMES[home], "steps-mid" if home == "local" else None)
                drawn += series.points
    decorate(ax, f"{MODES[mode]}, by indexes that differ", "different indexes in the warp", "SM cycles per read")
    ax.set_xticks(range(0, 33, 4))
    from_zero(ax, [p.value for p in drawn])


def draw(sources):
    c = canvas(sources, 13, 1)
    panels = []
    for mode in MODES:
        if any(pick(s.points, mode=mode, distinct=1) for s in sources):
            panels.append(partial(_arrays, c, mode=mode))
    for mode in MODES:
        if any(len(values(pick(s.points, mode=mode, words=32), "distinct")) > 1 for s in sources):
            panels.append(partial(_lanes, c, mode=mode))
    if not panels:
        return None
    c.figure.set_size_inches(13, 3.0 * -(-len(panels) // 3))
    tiled(c, panels, 3)
    c.note(
        "points: medians over the processes; reads: 16 warps for throughput, one for latency, all lanes at one index"
    )
    return finish(c, TITLE)
