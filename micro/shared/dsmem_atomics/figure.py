"""Atomics between SMs: what waits, what a full SM sends, and histograms over a cluster."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import SERIES
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What do atomics and asynchronous stores into another SM's shared memory cost?"
ATOMICS = {
    "own SM": {"mode": "latency", "place": "own"},
    "another SM": {"mode": "latency", "place": "other"},
    "L2": {"mode": "latency", "place": "global"},
}
SIGNALS = {
    "st.async + mbarrier": {"mode": "signal", "op": "store_async"},
    "red.async + mbarrier": {"mode": "signal", "op": "add_async"},
    "store + mbarrier, release": {"mode": "signal", "op": "store"},
}
SENT = {"mode": "throughput", "senders": "ring", "distinct": 32}
SENDS = {
    "atomic add, own SM": SENT | {"op": "add", "place": "own"},
    "store": SENT | {"op": "store", "place": "other", "cluster": 2},
    "st.async": SENT | {"op": "store_async"},
    "red.async": SENT | {"op": "add_async"},
    "atomic add": SENT | {"op": "add", "place": "other", "cluster": 2},
    "atomic add, result used": SENT | {"op": "fetch", "place": "other", "cluster": 2},
}
PLACES = {"own": "own SM", "other": "another SM", "global": "L2"}
HISTOGRAMS = {
    "a table per block": {"mode": "histogram", "place": "own"},
    "a table per 2 blocks": {"mode": "histogram", "place": "other", "cluster": 2},
    "one table in the L2": {"mode": "histogram", "place": "global"},
    "a table per 8 blocks": {"mode": "histogram", "place": "other", "cluster": 8},
}
TITLED = 256 << 10  # bins


def finding(source):
    return source.said(
        "An atomic in another SM's shared memory takes {dsmem.atomic_latency}",
        "a word sent there with its signal {dsmem.async_signal}",
    )


def _by_place(pen, named, **style):
    """In the colours of the places."""
    rows = [
        row
        for name, wanted in named.items()
        for row in pen.cases({name: wanted}, [*PLACES].index(wanted.get("place", "other")))
    ]
    pen.bars(rows, **style)


def _waited(pen):
    return [p for s in pen.sources for wanted in (ATOMICS | SIGNALS).values() for p in pick(s.points, **wanted)]


def _same_scale(pen):
    """What waits stands in two panels, to be compared."""
    if pen.xs:
        pen.xs.append(max(max(p.spread) for p in _waited(pen)))


def _titled(pen, words, wanted):
    """The numbers beside bars: one as the title has it."""
    said = {p.value: s.said(words).removesuffix(" cycles") for s in pen.sources for p in pick(s.points, **wanted)}
    return lambda v: said.get(v) or f"{v:.0f}"


def _atomics(pen):
    _by_place(pen, ATOMICS, text=_titled(pen, "{dsmem.atomic_latency}", ATOMICS["another SM"]))
    _same_scale(pen)
    pen.axes("Latency of an atomic, by where its word lies", "SM cycles", "", scales.zero, None)


def _signals(pen):
    _by_place(pen, SIGNALS, text=_titled(pen, "{dsmem.async_signal}", SIGNALS["st.async + mbarrier"]))
    _same_scale(pen)
    pen.axes("Latency of a word and its signal to another SM", "SM cycles", "", scales.zero, None)


def _sends(pen):
    _by_place(pen, SENDS)
    pen.names_above([PLACES["own"], PLACES["other"]])
    pen.axes(
        "Cost of an access, full SM to another SM, 32 words per warp",
        "SM cycles per access",
        "",
        scales.zero,
        None,
    )


def _histograms(pen):
    pen.lines("bins", HISTOGRAMS)
    titled = HISTOGRAMS["a table per 8 blocks"] | {"bins": TITLED}
    pen.say("bins", titled, "{dsmem.histogram_ratio} the L2's time", dx=8, ha="right", colour=SERIES[3])
    pen.axes(
        "Histogram, whole chip",
        "bins",
        "ns per warp access",
        scales.counts,
        scales.log10,
    )


def panels(_):
    return [
        Panel(_atomics, wide=True),
        Panel(_signals, wide=True),
    ]


def supplement(_):
    return [Panel(_histograms, wide=True), Panel(_sends, wide=True)]
