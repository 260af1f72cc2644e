"""Atomics of one SM: the cost by distinct words in each memory, by operation, and latency."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost, short
from gpufx_plot.showing.charts.series import pick, split

QUESTION = "What does an atomic operation cost one SM?"
SPACES = ("shared", "global")
# What is drawn of each space: label and params.
SWEPT = {
    "shared": (
        ("add int32", {"op": "add", "type": "int32", "result": "unused"}),
        ("add the constant 1", {"op": "inc"}),
        ("compare-and-swap", {"op": "cas", "type": "int32"}),
        ("add int64", {"op": "add", "type": "int64"}),
        ("add float32", {"op": "add", "type": "float32"}),
        ("plain store", {"op": "store"}),
    ),
    "global": (
        ("add int32", {"op": "add", "type": "int32", "result": "unused", "spacing": 4}),
        ("add, result used", {"op": "add", "type": "int32", "result": "used", "spacing": 4}),
        ("compare-and-swap", {"op": "cas", "type": "int32", "spacing": 4}),
        ("add float32", {"op": "add", "type": "float32", "spacing": 4}),
        ("plain store", {"op": "store", "spacing": 4}),
    ),
}
APART = (4, 32, 128)
CHAINS = (
    ("add int32", {"op": "add", "type": "int32"}),
    ("compare-and-swap", {"op": "cas", "type": "int32"}),
    ("add float32", {"op": "add", "type": "float32"}),
)


def _alone(source, **wanted):
    """Atomics of all lanes, of warps that do not meet."""
    return pick(source.points, **{"owner": "warp", "lanes": 32} | wanted)


def _cost(source, space, distinct, **wanted):
    found = _alone(source, mode="throughput", space=space, distinct=distinct, **wanted)
    return found[0].value if found else None


def finding(source):
    add = {"op": "add", "type": "int32", "result": "unused"}
    said = source.said("32 lanes on one word of shared memory take {shared.atomic_one_word_ratio} as long as on 32")
    all_ = _cost(source, "shared", 32, **add)
    if not said or not all_:
        return said
    others = []
    for name, params in (
        ("a compare-and-swap", {"op": "cas", "type": "int32"}),
        ("a float add", {"op": "add", "type": "float32"}),
    ):
        if other := _cost(source, "shared", 32, **params):
            others.append(f"{name} {short(other / all_)}x an integer add")
    return said + "".join(f"; {text}" for text in others)


def _distinct(pen, space):
    for source in pen.sources:
        for index, (label, params) in enumerate(SWEPT[space]):
            points = _alone(source, mode="throughput", space=space, **params)
            pen.plot(source, points, "distinct", cost, label, index, law="default")
    title = f"{space.capitalize()} memory, one full SM"
    pen.axes(title, "different words in the warp", "SM cycles per access", scales.counts, scales.log2)


def _apart(pen):
    add = {"op": "add", "type": "int32", "result": "unused"}
    for source in pen.sources:
        for index, spacing in enumerate(APART):
            points = _alone(source, mode="throughput", space="global", **add, spacing=spacing)
            pen.plot(source, points, "distinct", cost, f"{spacing} bytes apart", index, law="default")
    pen.axes(
        "Global memory: add, by the distance of the words",
        "different words in the warp",
        "SM cycles per access",
        scales.counts,
        scales.log2,
    )


def _latency(pen, space):
    for source in pen.sources:
        for index, (label, params) in enumerate(CHAINS):
            for series in split(_alone(source, mode="latency", space=space, **params), "distinct"):
                pen.plot(source, series.points, "distinct", cost, label, index, law="default")
    title = f"Latency in {space} memory, one warp"
    pen.axes(title, "different words in the warp", "SM cycles per result", scales.counts, scales.log10)


def panels(sources):
    found = []
    for space in SPACES:
        if any(_alone(s, mode="throughput", space=space, **params) for s in sources for _, params in SWEPT[space]):
            found.append(Panel(partial(_distinct, space=space)))
    for space in SPACES:
        if any(_alone(s, mode="latency", space=space, **params) for s in sources for _, params in CHAINS):
            found.append(Panel(partial(_latency, space=space)))
    return found


def supplement(sources):
    apart = {"mode": "throughput", "space": "global", "op": "add", "type": "int32", "result": "unused"}
    found = [Panel(_apart)] if any(_alone(s, **apart, spacing=list(APART[1:])) for s in sources) else []
    if any(
        len({p.params["lanes"] for p in pick(s.points, distinct=1, op="add", type="int32", mode="throughput")}) > 2
        for s in sources
    ):
        found.append(Panel(_lanes))
    return found


def _lanes(pen):
    """Fewer lanes at work, all on one word."""
    wanted = {
        "mode": "throughput",
        "op": "add",
        "type": "int32",
        "result": "unused",
        "distinct": 1,
        "owner": "warp",
        "spacing": 4,
    }
    for source in pen.sources:
        for index, space in enumerate(SPACES):
            points = pick(source.points, space=space, **wanted)
            pen.plot(source, points, "lanes", cost, f"{space} memory", index, law="default")
    pen.axes("Add to one word, by lanes at work", "lanes", "SM cycles per access", scales.ticks_at(1, 8, 16, 24, 32))
