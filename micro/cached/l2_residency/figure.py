"""The L2: what stays across a stream, by hint; what a fetch brings; and room beside what another kernel left."""

from statistics import fmean

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What keeps data in the L2?"
HINTED, OTHER = {"data": 0, "stream": 1}, 5  # colours, by whose loads have the hint
HALF = {"kept": 4, "stream": 32}  # eighths of the L2
STAY = {
    "no hint": {"hint": "none", **HALF},
    "data: persisting window": {"hint": "window", "aside": 6, **HALF},
    "data: window, nothing set aside": {"hint": "window", "aside": 0, **HALF},
    "data: evict_last, set aside": {"hint": "evict_last", "aside": 4, **HALF},
    "data: evict_last, nothing set aside": {"hint": "evict_last", "aside": 0, **HALF},
    "stream: evict_first": {"hint": "stream_first", **HALF},
    "stream: ld.cs": {"hint": "streaming", **HALF},
    "stream: ld.L1::no_allocate": {"hint": "no_allocate", **HALF},
}
FETCH = {"fetch": "no hint", "fetch_64": "L2::64B", "fetch_128": "L2::128B", "fetch_256": "L2::256B"}
ROOM = {"none": "nothing", "reset": "persisting lines, reset", "left": "persisting lines"}


def _kept(point, _):
    return point.extras.get("kept_pct")


def finding(source):
    return source.said(
        "A persisting window keeps {residency.window} of data that fill half the L2 through a stream",
        "; evict_first loads in the stream keep {residency.evict_first}",
    )


def _stay(pen):
    """The means, as in the title: processes differ."""
    rows = []
    for name, source, point, _ in pen.cases(STAY):
        if kept := point.more.column("kept_pct"):
            whose, _, hint = name.partition(": ")
            found = (fmean(kept), min(kept), max(kept), point.name)
            rows.append((hint if pen.alone and hint else name, source, found, HINTED.get(whose, OTHER)))
    pen.bars(rows, text=lambda v: f"{v:.0f} %" if v >= 1 else f"{v:.1f} %")
    pen.names_above([f"hint on the {whose}" for whose in HINTED])
    pen.notes.add("bar: mean, black line: range of the processes")
    percent = scales.ticks_at(0, 25, 50, 75, 100)
    pen.axes("Data that fill half the L2, after a stream of four times the L2", "% left", "", percent, None)


def _fetch(pen):
    named = not pen.names_above([*FETCH.values()])
    pen.lines("away", by("hint", FETCH), y=_kept, named=named)
    pen.axes("What one loaded sector brings along", "bytes behind the sector", "% in the L2", scales.counts)


def _room(pen):
    named = not pen.names_above([*ROOM.values()])
    pen.lines(lambda p: p.params["kept"] / 8, by("hint", ROOM, stream=0), y=_kept, named=named)
    ticks = scales.ticks_at(0, 0.25, 0.5, 0.75)
    title = "Share of freshly read data that stays, by what an earlier kernel left in the L2"
    pen.axes(title, "size of the data / L2 size", "% in the L2", ticks)


def panels(_):
    return [Panel(_stay, wide=True)]


def supplement(_):
    return [Panel(_room, wide=True), Panel(_fetch)]
