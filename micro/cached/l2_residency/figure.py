"""The L2: what stays across a stream, by hint; what a fetch brings; and room beside what another kernel left."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

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
    rows = []
    for source in pen.sources:
        for index, (name, axes) in enumerate(STAY.items()):
            rows += [(name, source, p, index) for p in pick(source.points, kept=HALF, stream=LONG, **axes)[:1]]
    pen.bars(rows, y=_kept, text=lambda v: f"{v:.0f} %")
    pen.axes(
        "Half of the L2, after a stream of four times its size",
        "% kept",
        "",
        scales.zero,
        None,
    )


def _fetch(pen):
    for source in pen.sources:
        for index, (hint, name) in enumerate(FETCH.items()):
            pen.plot(source, pick(source.points, hint=hint), "away", _kept, name, index)
    pen.axes(
        "One sector loaded: what came along",
        "bytes further on",
        "% in the L2",
        scales.counts,
    )


def _room(pen):
    for source in pen.sources:
        for index, (hint, name) in enumerate(ROOM.items()):
            points = pick(source.points, hint=hint, stream=0)
            pen.plot(source, points, lambda p: p.params["kept"] / 8, _kept, name, index)
    pen.axes(
        "Data just read, by what lies there already",
        "data, in L2 sizes",
        "% in the L2",
        scales.linear,
    )


def panels(sources):
    found = []
    for draw, hints, bars in (
        (_stay, ["window"], True),
        (_fetch, list(FETCH), False),
        (_room, ["left"], False),
    ):
        if any(pick(s.points, hint=hints) for s in sources):
            found.append(Panel(draw, bars=True) if bars else Panel(draw))
    return found
