"""Host-device copies: the rate by kind of host memory, pageable over pinned, and many small copies."""

from functools import partial
from itertools import pairwise, product

from gpufx_plot.call.number_text import size_text, time_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import DASHES, TEXT
from gpufx_plot.showing.charts.pen import Panel, cost, rate, short
from gpufx_plot.showing.charts.series import against, over, pick, values
from gpufx_plot.showing.fit_formula import half_size

QUESTION = "What does a copy between host and device cost?"
DIRECTIONS = {"h2d": "H2D", "d2h": "D2H", "both": "both at once"}
CALLS = {"batch": "one call", "loop": "a loop"}
KINDS = {
    "pinned": "pinned",
    "registered": "registered",
    "write_combined": "write-combined",
    "mapped": "mapped",
    "pageable": "pageable",
}


LARGE = 64 << 10  # bytes from which on the rate tells, not the start-up
STEP = 1.5  # times slower: a step that is spoken of


def _copies(source, **wanted):
    return [p for p in pick(source.points, task=["copy", None], **wanted) if p.gbps]


def _against(source, direction):
    """(points of pageable memory, y: times a pinned copy of the same size)."""
    return over(against(_copies(source, direction=direction), "kind", "pageable", "pinned"))


def finding(source):
    return source.said(
        "An H2D copy of 1 GiB takes {link.pageable.ratio} as long from pageable memory as from pinned memory"
    ) or source.said("Copies of pinned memory reach {link.pinned.h2d_rate} H2D and {link.pinned.d2h_rate} D2H")


def _steepest(source):
    """Where pageable memory loses most from one H2D copy to the next larger one: (before, from there on), or ()."""
    points = sorted(_copies(source, kind="pageable", direction="h2d"), key=lambda p: p.params["size"])
    steps = [pair for pair in pairwise(points) if STEP * pair[1].gbps < pair[0].gbps]
    return max(steps, key=lambda pair: pair[0].gbps / pair[1].gbps, default=())


def _ratio(pen, directions, least=0):
    for source in pen.sources:
        for index, direction in enumerate(directions):
            points, y = _against(source, direction)
            points = [p for p in points if p.params["size"] >= least]
            pen.plot(source, points, "size", y, DIRECTIONS[direction], index, named=len(directions) > 1)
        large = {"kind": "pageable", "direction": "h2d", "size": 1 << 30}
        points, y = _against(source, "h2d")
        for p in pick(points, **large):
            pen.say("size", p.params, "{link.pageable.ratio}", y, 0, -6, "right", "top")
    pen.level(1, "pinned", left=False, what="pinned memory")
    pen.notes.add("GB = 10⁹ bytes; pageable copies timed by the host, others by the device")
    pen.axes(
        f"{' and '.join(DIRECTIONS[d] for d in directions)}: pageable over pinned memory",
        "bytes copied",
        "time, pageable / pinned",
        scales.sizes,
    )


def _rates(pen, direction):
    for source in pen.sources:
        for index, kind in enumerate(KINDS):
            pen.plot(source, _copies(source, kind=kind, direction=direction), "size", rate, KINDS[kind], index)
    pen.axes(f"{DIRECTIONS[direction]}, by kind of host memory", "bytes copied", "GB/s", scales.sizes, scales.log10)


def _large(pen):
    for source in pen.sources:
        for kind, (index, way) in product(("pinned", "pageable"), enumerate(("h2d", "d2h"))):
            points = [p for p in _copies(source, kind=kind, direction=way) if p.params["size"] >= LARGE]
            dash = DASHES[1] if pen.alone and kind == "pageable" else None
            pen.plot(source, points, "size", rate, f"{KINDS[kind]}, {DIRECTIONS[way]}", index, dash=dash)
            both = source.said("{link.pinned.h2d_rate}") == source.said("{link.pinned.d2h_rate}")
            for p in points[-1:] if kind == "pinned" and not (both and way == "d2h") else ():
                place = (0, 5, "right", "bottom") if way == "d2h" else (0, -6, "right", "top")
                more, colour = (" each", TEXT) if both else ("", pen.colour(source, index))
                pen.say("size", p.params, f"{{link.pinned.{way}_rate}}{more}", rate, *place, colour)
        for p, place in zip(_steepest(source), ((0, 6, "center", "bottom"), (0, -6, "center", "top")), strict=False):
            pen.say("size", p.params, short, rate, *place, colour=pen.colour(source, 0))
    pen.headroom(1.1)
    pen.axes("By kind of host memory", "bytes copied", "GB/s", scales.sizes)


def _many(pen, size):
    """The same bytes in ever more pieces: a loop of copies against the batch call."""
    for source in pen.sources:
        for index, (task, direction) in enumerate((t, d) for t in CALLS for d in DIRECTIONS if d != "both"):
            points = pick(source.points, task=task, direction=direction, size=size)
            pen.plot(source, points, "pieces", rate, f"{CALLS[task]}, {DIRECTIONS[direction]}", index)
    pen.axes(f"{size_text(size)} of pinned memory in many copies", "copies", "GB/s", scales.counts)


def _fitted(pen, kind):
    """The law, a start-up time and a rate, where it was fitted."""
    title = f"Time of a copy: {KINDS.get(kind, kind)} memory"
    for source in pen.sources:
        for index, (direction, name) in enumerate(DIRECTIONS.items()):
            points = _copies(source, kind=kind, direction=direction)
            pen.plot(source, points, "size", cost, name, index, law="default")
            fit = next((f for p in points for f in source.fits if f.over_bytes and f.holds(p)), None)
            if fit and pen.alone and direction == "h2d":
                title += f"; H2D: {time_text(max(fit.a, 0))} + bytes / {1 / fit.b:.3g} GB/s, "
                title += half_size(fit, points[-1])[1]
    pen.axes(title, "bytes copied one way", "", scales.sizes, scales.times)


def _pieces(sources):
    return values(pick([p for s in sources for p in s.points], task=["loop", "batch"]), "size")


def panels(_):
    return [Panel(partial(_ratio, directions=("h2d",), least=LARGE), wide=True), Panel(_large, wide=True)]


def supplement(sources):
    many = [Panel(partial(_many, size=size)) for size in _pieces(sources)]
    return [
        Panel(partial(_ratio, directions=("h2d", "d2h")), wide=True),
        *(Panel(partial(_rates, direction=way)) for way in DIRECTIONS),
        *many,
        *(Panel(partial(_fitted, kind=kind)) for kind in KINDS),
    ]
