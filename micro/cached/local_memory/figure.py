"""Arrays indexed at run time: by where they are kept, and by how many indexes the lanes read."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost, short
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does it cost to read a thread's own array by an index that the compiler does not know?"
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
    found = {home: points[0].value for home in HOMES if (points := _at(source, home, mode="latency", words=WORDS))}
    if "local" not in found or len(found) < 2:
        return ""
    others = ", ".join(
        f"{short(round(found[home], 1))} {words}"
        for home, words in (
            ("shared", "in shared memory"),
            ("tree", "by a tree of selects"),
            ("register", "in registers"),
        )
        if home in found
    )
    said = f"An array of {WORDS} words in local memory costs {short(round(found['local'], 1))} cycles per read"
    return f"{said} ({others})" if others else said


def _arrays(pen, mode):
    """By the length of the array and where it is kept."""
    for source in pen.sources:
        for index, (home, name) in enumerate(HOMES.items()):
            pen.plot(source, _at(source, home, mode=mode), "words", cost, name, index)
    pen.axes(MODES[mode], "words of the array", "SM cycles per read", scales.counts, scales.log10)


def _lanes(pen, mode):
    """By how many indexes the lanes of a warp read."""
    for source in pen.sources:
        for index, home in ((1, "local"), (2, "shared")):
            points = pick(source.points, mode=mode, home=home, words=WORDS)
            pen.plot(source, points, "distinct", cost, HOMES[home], index, law="steps-mid", size=0.8)
    title = f"{MODES[mode].split(',')[0]}: lanes at different indexes"
    pen.axes(title, "different indexes in the warp", "SM cycles per read", scales.ticks_at(1, 8, 16, 24, 32))


def panels(sources):
    found = []
    for mode in MODES:
        if any(len(values(pick(s.points, mode=mode, distinct=1), "words")) > 1 for s in sources):
            found.append(Panel(partial(_arrays, mode=mode)))
    for mode in MODES:
        if any(len(values(pick(s.points, mode=mode, words=WORDS), "distinct")) > 1 for s in sources):
            found.append(Panel(partial(_lanes, mode=mode)))
    return found
