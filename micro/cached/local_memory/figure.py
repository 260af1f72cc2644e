"""Arrays indexed at run time: by where they are kept, and by how many indexes the lanes read."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does it cost to index a thread's own array at run time?"
MODES = {"latency": "One warp, latency", "throughput": "16 warps of an SM, throughput"}
HOMES = {
    "register": "registers, index known",
    "local": "local memory",
    "shared": "shared memory",
    "select": "a chain of selects",
    "tree": "a tree of selects",
}
WORDS = 32  # of the array in the finding


def _at(source, home, **wanted):
    return pick(source.points, home=home, **{"distinct": 1} | wanted)


def finding(source):
    return source.said(
        "At full throughput, reads of a 32-word array cost {local.index_ratio} as much in local memory as in registers"
    )


def _arrays(pen, mode):
    """By the length of the array and where it is kept."""
    for source in pen.sources:
        for index, (home, name) in enumerate(HOMES.items()):
            pen.plot(source, _at(source, home, mode=mode), "words", cost, name, index)
    if mode == "throughput":
        pen.say(
            "words", {"mode": mode, "distinct": 1, "words": WORDS, "home": "local"}, "{local.index_ratio} registers"
        )
    pen.axes(MODES[mode], "words of the array", "SM cycles per read", scales.counts, scales.log10)


def _lanes(pen, mode):
    """By how many indexes the lanes of a warp read."""
    for source in pen.sources:
        for index, home in ((1, "local"), (2, "shared")):
            points = pick(source.points, mode=mode, home=home, words=WORDS)
            pen.plot(source, points, "distinct", cost, HOMES[home], index, law="steps-mid", size=0.5)
    title = f"{MODES[mode].split(',')[0]}: lanes at different indexes"
    pen.axes(title, "different indexes in the warp", "SM cycles per read", scales.ticks_at(1, 8, 16, 24, 32))


def panels(_):
    return [Panel(partial(_arrays, mode=mode)) for mode in MODES]


def supplement(_):
    return [Panel(partial(_lanes, mode=mode)) for mode in MODES]
