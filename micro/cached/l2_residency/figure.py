"""The L2: what stays across a stream, by hint; what a fetch brings; and room beside what another kernel left."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What keeps data in the L2, what brings them there, and what does it cost?"
STAY = {
    "no hint": {"hint": "none"},
    "persisting window": {"hint": "window", "aside": 6},
    "window, nothing set aside": {"hint": "window", "aside": 0},
    "evict_last": {"hint": "evict_last", "aside": 0},
    "stream: evict_first": {"hint": "stream_first"},
    "stream: .cs": {"hint": "streaming"},
    "stream: L1::no_allocate": {"hint": "no_allocate"},
}
HALF, LONG = 4, 32  # eighths of the L2
FETCH = {
    "fetch": "no hint",
    "fetch_64": "L2::64B",
    "fetch_128": "L2::128B",
    "fetch_256": "L2::256B",
}
ROOM = {
    "none": "no set-aside",
    "left": "persisting lines left behind",
    "reset": "reset",
}


def _kept(point, _):
    return point.extras.get("kept_pct")


def finding(source):
    return source.said(
        "Of half of the L2 a persisting window keeps {residency.window} across a stream",
        "evict_last {residency.evict_last}",
        "evict_first on the stream {residency.evict_first}",
    )


def _stay(pen):
    named = {name: {"kept": HALF, "stream": LONG} | axes for name, axes in STAY.items()}
    pen.bars([row for name in named for row in pen.cases({name: named[name]})[:1]], y=_kept, text="{:.0f} %".format)
    pen.axes("Half of the L2, after a stream of four times its size", "% kept", "", scales.zero, None)


def _fetch(pen):
    pen.lines("away", by("hint", FETCH), _kept)
    pen.axes("One sector loaded: what came along", "bytes further on", "% in the L2", scales.counts)


def _room(pen):
    pen.lines(lambda p: p.params["kept"] / 8, by("hint", ROOM, stream=0), _kept)
    pen.axes("Data just read, by what lies there already", "data, in L2 sizes", "% in the L2")


def panels(_):
    return [Panel(_stay, wide=True), Panel(_fetch), Panel(_room)]
