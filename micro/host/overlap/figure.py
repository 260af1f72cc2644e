"""Overlap: a pipeline against the bound of its slowest stage, who slows whom, and small pieces combined."""

from functools import partial

from gpufx_plot.call.number_text import counted, size_text
from gpufx_plot.chip.quantity_text import ratio_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.look import ramp
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How well do H2D copy, kernel and D2H copy overlap?"
KINDS = {"arithmetic": "a kernel that computes", "memory": "a kernel that copies"}
NAMES = {"h2d": "H2D copy", "d2h": "D2H copy", "kernel": "kernel"}
SIZE, CHUNK = 16 << 20, 1 << 20
TITLED = 4  # streams
WAYS = {"apart": "one by one", "combined": "gathered into one"}


def _share(point, value):
    """Of the bound, or of what it is alone: the archive has it for the median alone."""
    share = point.extras.get("share_pct")
    return share * point.value / value if share and value > 0 else None


def _alone(source):
    """The stages one after another."""
    return pick(source.points, task="pipeline", compute="arithmetic", size=SIZE, streams=1, chunk=SIZE)


def _gain(source):
    """Times as fast as one after another."""
    base = next((p.value for p in _alone(source)), None)
    return lambda _, value: base / value if base and value > 0 else None


def _several(points):
    """The numbers of streams that were measured with several chunks."""
    return [n for n in values(points, "streams") if len(values(pick(points, streams=n), "chunk")) > 1]


def _same_engine(point):
    """Two copies in one direction stand behind each other in one queue: what is timed is not one beside the other."""
    subject = point.params["subject"]
    return subject != "kernel" and subject == point.params["neighbour"]


def _titled(source):
    """The cases of at least as many streams as the title's, in the same chunks, and whether all gain the same."""
    points = pick(source.points, task="pipeline", compute="arithmetic", size=SIZE, chunk=CHUNK)
    most, gain = [p for p in points if p.params["streams"] >= TITLED], _gain(source)
    return most, len(most) > 1 and len({ratio_text(gain(p, p.value) or 1, 2) for p in most}) == 1


def finding(source):
    more = " or more" * _titled(source)[1]
    return source.said(
        f"H2D copy, kernel and D2H copy run {{overlap.gain}} as fast with four{more} streams, "
        f"in chunks of {size_text(CHUNK)}, as one after another",
    )


def _gains(pen):
    """Lines of one size."""
    every = pick([p for s in pen.sources for p in s.points], task="pipeline", compute="arithmetic", size=SIZE)
    streams = _several(every)
    named = not pen.names_above([counted(count, "stream") for count in streams], len(streams))
    for source in pen.sources:
        y = _gain(source)
        for count in sorted(streams, key=lambda count: (count == TITLED, count)):  # the title's on top
            index = streams.index(count)
            here = pick(source.points, task="pipeline", compute="arithmetic", size=SIZE, streams=count)
            pen.plot(source, here, "chunk", y, counted(count, "stream"), index, len(streams), named=named)
        wanted = {"task": "pipeline", "compute": "arithmetic", "size": SIZE}
        for count, chunk, words, place in (
            (TITLED, CHUNK, "{overlap.gain}", (0, -6, "center", "top")),
            (1, SIZE, lambda _: "one after another", (0, -5, "right", "top")),
        ):
            if count in streams:
                colour = ramp(streams.index(count), len(streams))
                pen.say("chunk", {**wanted, "streams": count, "chunk": chunk}, words, y, *place, colour)
        most, same = _titled(source)
        for p in pick(most, streams=max(streams, default=0)) if same else ():
            pen.say("chunk", p.params, lambda v: ratio_text(v, 2), y, colour=ramp(len(streams) - 1, len(streams)))
        for bound in (100 / p.extras["share_pct"] for p in _alone(source) if p.extras.get("share_pct")):
            pen.level(bound, "limit: the slowest stage alone", source, what="the slowest stage alone")
    pen.level(1)
    pen.headroom(1.1)
    title = f"{size_text(SIZE)} H2D, a kernel that computes, D2H: gain over one after another"
    pen.axes(title, "chunk", "times as fast", scales.sizes)


def _pipeline(pen, kind):
    """Lines of one size, and further marks of the others, which were measured in one way each."""
    every = pick([p for s in pen.sources for p in s.points], task="pipeline", compute=kind)
    mine = pick(every, size=SIZE)
    streams = _several(mine)
    above = pen.names_above([counted(count, "stream") for count in streams], len(streams))
    for source in pen.sources:
        points = pick(source.points, task="pipeline", compute=kind)
        for index, count in enumerate(streams):
            here = pick(points, size=SIZE, streams=count)
            pen.plot(source, here, "chunk", _share, counted(count, "stream"), index, len(streams), named=not above)
        for size in values(every, "size"):
            for count in values(pick(points, size=size), "streams") if size != SIZE else ():
                label = f"{counted(count, 'stream')}, {size_text(size)}"
                here = pick(points, size=size, streams=count)
                known = (streams.index(count), len(streams)) if count in streams else (1,)
                pen.plot(source, here, "chunk", _share, label, *known, named=not above)
                for p in here:
                    words = "{:.0f} %: " + label
                    pen.say("chunk", p.params, words.format, _share, 7, 0, "left", "center")
    pen.level(100, "the slowest stage alone", what="the slowest stage alone")
    pen.headroom(1.1)
    title = f"{size_text(SIZE)} H2D, kernel, D2H: {KINDS[kind]}"
    pen.axes(title, "chunk", "% of the slowest stage's rate", scales.sizes)


def _streams(pen):
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            points = pick(source.points, task="pipeline", compute=kind, size=SIZE, chunk=CHUNK)
            pen.plot(source, points, "streams", label=name, index=index)
    pen.axes("16 MiB in chunks of 1 MiB", "streams", "time", scales.counts, scales.times)


def _pairs(pen):
    rows = []
    for subject, name in NAMES.items():
        for neighbour, other in NAMES.items():
            for index, kind in enumerate(KINDS):
                wanted = {"task": "pair", "subject": subject, "neighbour": neighbour, "compute": kind}
                rows += pen.cases({f"{name} beside {other}": wanted}, index if "kernel" in (subject, neighbour) else 2)
    shown = [row for row in rows if _share(row[2], row[2].value) is not None and not _same_engine(row[2])]
    pen.bars(shown, y=_share, series=[*KINDS.values(), "no kernel"])
    pen.axes("Rate kept while another runs", "% of its own rate", "", scales.zero, None)


def _pieces(pen, size):
    apart, combined = ({name: {"task": task, "size": size}} for task, name in WAYS.items())
    pen.lines("pieces", apart | combined, law="default")
    title = f"{scales.bytes_text(size)} H2D, in separate pieces"
    pen.axes(title, "pieces", "time", scales.log2, scales.times)


def _sizes(sources):
    return values(pick([p for s in sources for p in s.points], task=list(WAYS)), "size")


def panels(sources):
    return [Panel(_gains, 1.2, wide=True)]


def supplement(sources):
    found = [Panel(partial(_pipeline, kind=kind), 0.85, wide=True) for kind in KINDS]
    found += [Panel(_pairs, wide=True), Panel(_streams, 0.7, wide=True)]
    return found + [Panel(partial(_pieces, size=size), 0.8, wide=True) for size in _sizes(sources)]
