"""Overlap: a pipeline against the bound of its slowest stage, who slows whom, and small pieces combined."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How much of copy in, kernel and copy out runs at the same time, and who slows whom?"
KINDS = {"arithmetic": "a kernel that computes", "memory": "short kernel"}
STAGES = ("h2d_ns", "d2h_ns", "kernel_ns")
NAMES = {"h2d": "copy in", "d2h": "copy out", "kernel": "kernel"}
SIZE, CHUNK = 16 << 20, 1 << 20
WAYS = {"apart": "one by one", "combined": "gathered into one"}


def _share(point, value):
    """Of the bound, or of what it is alone: the archive has it for the median alone."""
    share = point.extras.get("share_pct")
    return share * point.value / value if share and value > 0 else None


def _same_engine(point):
    """Two copies in one direction stand behind each other in one queue: what is timed is not one beside the other."""
    subject = point.params["subject"]
    return subject != "kernel" and subject == point.params["neighbour"]


def finding(source):
    return source.said(
        "The best pipeline of copies and a kernel reaches {overlap.best_share} of its slowest stage's rate",
        "; four streams gain {overlap.gain}",
    )


def _pipeline(pen, kind):
    every = pick([p for s in pen.sources for p in s.points], task="pipeline", compute=kind, size=SIZE)
    streams = [n for n in values(every, "streams") if len(values(pick(every, streams=n), "chunk")) > 1]
    for source in pen.sources:
        points = pick(source.points, task="pipeline", compute=kind, size=SIZE)
        for index, count in enumerate(streams):
            label = f"{count} stream{'s' if count > 1 else ''}"
            pen.plot(source, pick(points, streams=count), "chunk", label=label, index=index, of=len(streams))
        bounds = [max(p.extras.get(stage) or 0 for stage in STAGES) for p in points]
        if bounds := sorted(bound for bound in bounds if bound):
            pen.level(bounds[len(bounds) // 2], "the slowest stage alone", source)
    pen.axes(f"16 MiB in, through the kernel, and out: {KINDS[kind]}", "chunk", "time", scales.sizes, scales.times)


def _streams(pen):
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            points = pick(source.points, task="pipeline", compute=kind, size=SIZE, chunk=CHUNK)
            pen.plot(source, points, "streams", label=name, index=index)
    pen.axes("16 MiB in chunks of 1 MiB", "streams", "time", scales.counts, scales.times)


def _pairs(pen):
    rows = []
    for source in pen.sources:
        for index, (subject, name) in enumerate(NAMES.items()):
            for neighbour, other in NAMES.items():
                for kind in KINDS:
                    points = pick(source.points, task="pair", subject=subject, neighbour=neighbour, compute=kind)
                    word = f", {kind}" if "kernel" in (subject, neighbour) else ""
                    rows += [(f"{name} beside {other}{word}", source, point, index) for point in points]
    shown = [row for row in rows if _share(row[2], row[2].value) is not None and not _same_engine(row[2])]
    pen.bars(shown, y=_share)
    pen.axes("What is left of a rate beside another", "% of its own rate", "", scales.zero, None)


def _pieces(pen, size):
    for source in pen.sources:
        for index, (task, name) in enumerate(WAYS.items()):
            points = pick(source.points, task=task, size=size)
            pen.plot(source, points, "pieces", label=name, index=index, law="default" if task == "apart" else "")
    title = f"{scales.bytes_text(size)} to the device, in pieces that lie apart"
    pen.axes(title, "pieces", "time", scales.log2, scales.times)


def panels(sources):
    every = [p for s in sources for p in s.points]
    found = []
    if len(values(pick(every, task="pipeline", compute="arithmetic"), "chunk")) > 1:
        found.append(Panel(partial(_pipeline, kind="arithmetic"), wide=True))
    if any(_share(p, p.value) for p in pick(every, task="pair")):
        found.append(Panel(_pairs, 1.6, wide=True))
    pieces = pick(every, task=list(WAYS))
    if len(values(pieces, "pieces")) > 1:
        found.append(Panel(partial(_pieces, size=values(pieces, "size")[0]), 0.8, wide=True))
    return found


def supplement(sources):
    every = [p for s in sources for p in s.points]
    found = []
    if len(values(pick(every, task="pipeline", compute="memory"), "chunk")) > 1:
        found.append(Panel(partial(_pipeline, kind="memory"), 0.85, wide=True))
    if len(values(pick(every, task="pipeline", chunk=CHUNK, size=SIZE), "streams")) > 2:
        found.append(Panel(_streams, 0.7, wide=True))
    pieces = pick(every, task=list(WAYS))
    if len(values(pieces, "pieces")) > 1:
        found += [Panel(partial(_pieces, size=size), 0.8, wide=True) for size in values(pieces, "size")[1:]]
    return found
