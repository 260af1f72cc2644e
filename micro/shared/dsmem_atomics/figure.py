"""Atomics between SMs: what waits, what a full SM sends, and histograms over a cluster."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel

QUESTION = "What do atomics and asynchronous stores into another SM's shared memory cost?"
WAITS = {
    "atomic, own shared memory": {"mode": "latency", "place": "own"},
    "atomic, another SM's": {"mode": "latency", "place": "other"},
    "atomic, in the L2": {"mode": "latency", "place": "global"},
    "word and signal: st.async": {"mode": "signal", "op": "store_async"},
    "word and signal: red.async": {"mode": "signal", "op": "add_async"},
    "word and signal: store, release": {"mode": "signal", "op": "store"},
}
SENT = {"mode": "throughput", "senders": "ring", "distinct": 32}
SENDS = {
    "add, own shared memory": SENT | {"op": "add", "place": "own"},
    "store": SENT | {"op": "store", "place": "other", "cluster": 2},
    "st.async": SENT | {"op": "store_async"},
    "red.async": SENT | {"op": "add_async"},
    "add": SENT | {"op": "add", "place": "other", "cluster": 2},
    "add, result used": SENT | {"op": "fetch", "place": "other", "cluster": 2},
}
HISTOGRAMS = {
    "private": {"mode": "histogram", "place": "own"},
    "clusters of 2": {"mode": "histogram", "place": "other", "cluster": 2},
    "clusters of 8": {"mode": "histogram", "place": "other", "cluster": 8},
    "one table in the L2": {"mode": "histogram", "place": "global"},
}


def finding(source):
    return source.said(
        "An atomic in another SM's shared memory takes {dsmem.atomic_latency}",
        "a word with its signal {dsmem.async_signal}",
        "; a histogram of 256 Ki bins over a cluster takes {dsmem.histogram_ratio} the time of one in the L2",
    )


def _waits(pen):
    pen.bars(pen.cases(WAITS), text="{:.0f}".format)
    pen.axes("What is waited for", "SM cycles", "", scales.zero, None)


def _sends(pen):
    pen.bars(pen.cases(SENDS))
    pen.axes(
        "32 words of a warp to another SM, a full SM",
        "SM cycles per access",
        "",
        scales.zero,
        None,
    )


def _histograms(pen):
    pen.lines("bins", HISTOGRAMS)
    pen.axes(
        "Histogram of the whole chip",
        "bins",
        "ns per warp-level access",
        scales.counts,
        scales.log10,
    )


def panels(_):
    return [
        Panel(_waits, wide=True),
        Panel(_sends, wide=True),
        Panel(_histograms, wide=True),
    ]
