"""Homes of L2 lines: latency by home and by who came before, size by footprint, slices by distance, rates by home."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by
from gpufx_plot.showing.charts.series import pick

QUESTION = "Where does a line of the L2 live, and what does it cost to be far from it?"
HOMES = {"near": "home in the near half", "far": "home in the far half"}
BEFORE = {
    "self": "this SM has read it",
    "other": "the other half has read it",
    "written": "the other half has written it",
}
TASKS = {"read": "reads", "atomic": "atomics", "write": "writes"}
SIZES = {"both": "each half of the chip reads its own lines", "far": "one SM reads lines of the far half"}


def finding(source):
    said = source.said(
        "A load takes {l2.near_latency} from the near half of the L2 and {l2.far_latency} from the far half"
    )
    again = pick(source.points, mode="latency", task="read", home="far", last="self")
    return said and said + "".join(f", {p.value:.0f} once this SM has read the line" for p in again)


def _latency(pen):
    rows = []
    for index, home in enumerate(HOMES):
        rows += pen.cases(by("last", BEFORE, mode="latency", task="read", home=home), index)
        rows += pen.cases({"atomic": {"mode": "latency", "task": "atomic", "home": home}}, index)
    pen.bars(rows, text="{:.0f}".format, series=[*HOMES.values()])
    pen.axes("One dependent access", "SM cycles", "", scales.zero, None)


def _size(pen):
    named = not pen.names_above([*SIZES.values()])
    pen.lines("footprint", by("home", SIZES, mode="size"), named=named)
    pen.axes("Loads by footprint", "footprint", "SM cycles per access", scales.sizes)


def _pair(pen):
    pen.lines("distance", {"": {"mode": "pair"}}, join=False)
    pen.axes(
        "Two words that many SMs add to",
        "distance of their addresses",
        "ns per addition",
        scales.sizes,
    )


def _rate(pen):
    rows = []
    for index, home in enumerate(HOMES):
        rows += pen.cases(by("task", TASKS, mode="rate", home=home), index)
    pen.bars(rows, y=lambda _, v: 1 / v if v > 0 else None, text="{:#.3g}".format, series=[*HOMES.values()])
    pen.axes("The whole chip, accesses of 512 bytes per warp", "accesses per ns", "", scales.zero, None)


def panels(_):
    return [Panel(_latency, wide=True), Panel(_rate, wide=True)]


def supplement(_):
    return [Panel(_size, wide=True), Panel(_pair)]
