"""Atomics of one SM: the cost by distinct words in each memory, and latency, by operation."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import DASHES, GREY
from gpufx_plot.showing.charts.pen import Panel, by, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does an atomic operation cost one SM?"
SPACES = ("shared", "global")
ALONE = {"owner": "warp", "lanes": 32}  # atomics of all lanes, of warps that do not meet
ADD = {"op": "add", "type": "int32", "result": "unused"}
# What is drawn of each space: label and params.
SWEPT = {
    "shared": (
        ("add int32", ADD),
        ("compare-and-swap", {"op": "cas", "type": "int32"}),
        ("add float32", {"op": "add", "type": "float32"}),
        ("plain store", {"op": "store"}),
        ("add int64", {"op": "add", "type": "int64"}),
        ("add the constant 1", {"op": "inc"}),
    ),
    "global": (
        ("add int32", ADD | {"spacing": 4}),
        ("compare-and-swap", {"op": "cas", "type": "int32", "spacing": 4}),
        ("add float32", {"op": "add", "type": "float32", "spacing": 4}),
        ("plain store", {"op": "store", "spacing": 4}),
        ("add, result used", {"op": "add", "type": "int32", "result": "used", "spacing": 4}),
    ),
}
FIRST = 4  # of them in the first figure
WORDS = {1: "all lanes on one word", 32: "a word per lane"}
APART = (4, 32, 128)
CHAINS = (
    ("add int32", {"op": "add", "type": "int32"}),
    ("compare-and-swap", {"op": "cas", "type": "int32"}),
    ("add float32", {"op": "add", "type": "float32"}),
)


def _alone(source, **wanted):
    return pick(source.points, **ALONE | wanted)


def finding(source):
    return source.said(
        "Integer adds of 32 lanes to one shared-memory word take {shared.atomic_one_word_ratio} as long as to 32 words"
    )


def _by_words(pen, title, series, mode, space):
    wanted = {"mode": mode, "space": space}
    for first, names, params in pen.together("distinct", {name: ALONE | wanted | params for name, params in series}):
        pen.lines("distinct", {", ".join(names): params}, first=first, law="default")
    for source in pen.sources if pen.alone and space == "shared" and len(series) == FIRST else ():
        words = source.said("{shared.atomic_one_word_ratio} as\nlong as 32 words")
        found = {p.params["distinct"]: p.value for p in pick(source.points, **ALONE | wanted | ADD)}
        if words and found.keys() >= WORDS.keys():
            one, apart = (found[distinct] for distinct in WORDS)
            pen.ax.vlines(1, apart, one, color=GREY, linewidth=0.1 * pen.sheet.size, linestyle=DASHES[2])
            pen.write(1, apart * (one / apart) ** 0.3, words, 4, linespacing=1.35)
    pen.axes(title, "distinct words per warp", "SM cycles per access", scales.counts, scales.log2)


def _chains(pen):
    rows = []
    for space in SPACES:
        for distinct, words in WORDS.items():
            for index, (_, params) in enumerate(CHAINS):
                found = {
                    f"{space}, {words}": ALONE | params | {"mode": "latency", "space": space, "distinct": distinct}
                }
                rows += pen.cases(found, index)
    pen.bars(rows, dots=True, series=[name for name, _ in CHAINS])
    pen.axes("Latency, one warp", "SM cycles per result", "", scales.log10, None)


def _latency(pen, space):
    """Near and far L2 slices make wide ranges: the marks stand side by side."""
    for source in pen.sources:
        for index, (label, params) in enumerate(CHAINS):
            aside = partial(_aside, times=1.1 ** (index - 1))
            pen.plot(
                source, _alone(source, mode="latency", space=space, **params), aside, cost, label, index, law="default"
            )
    title = f"Latency in {space} memory, one warp"
    pen.axes(
        title,
        "distinct words per warp",
        "SM cycles per result",
        scales.counts,
        scales.log10 if space == "shared" else scales.zero,
    )


def _aside(point, times):
    return point.params["distinct"] * times


def _lanes(pen):
    """Fewer lanes at work, all on one word."""
    wanted = ADD | {"mode": "throughput", "distinct": 1, "owner": "warp", "spacing": 4}
    pen.lines("lanes", by("space", {space: f"{space} memory" for space in SPACES}, **wanted), law="default")
    pen.axes("Add to one word, by active lanes", "lanes", "SM cycles per access", scales.ticks_at(1, 8, 16, 24, 32))


def _swept(space, series):
    title = f"{space.capitalize()} memory, one full SM"
    return Panel(partial(_by_words, title=title, series=series, mode="throughput", space=space), 1.3)


def panels(_):
    return [*(_swept(s, SWEPT[s][:FIRST]) for s in SPACES), Panel(_chains, wide=True)]


def supplement(_):
    series = [(f"{spacing} bytes apart", ADD | {"spacing": spacing}) for spacing in APART]
    title = "Global memory: add, by distance of the words"
    apart = Panel(partial(_by_words, title=title, series=series, mode="throughput", space="global"))
    latency = [Panel(partial(_latency, space=space)) for space in SPACES]
    return [*(_swept(s, SWEPT[s]) for s in SPACES), *latency, apart, Panel(_lanes)]
