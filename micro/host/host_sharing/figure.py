"""What a copy keeps of its own rate beside copies of other GPUs, and beside cores that stream."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What is left of a copy to or from the host when other GPUs copy, or its cores stream?"
KINDS = {"pinned": "pinned", "pageable": "pageable"}
DIRECTIONS = {"h2d": "in", "d2h": "out", "both": "both ways"}
CORES = {"one": "one core", "quarter": "a quarter", "half": "half of the cores", "full": "all cores"}


def _extra(name):
    def read(point, value):
        """The archive has it for the median alone."""
        found = point.extras.get(name)
        return found * point.value / value if found is not None and value > 0 else None

    return read


def finding(source):
    return source.said(
        "With every host core streaming, pinned copies keep {host.stream_keep} of their rate",
        "pageable copies {host.stream_pageable_keep}",
        "; with all GPUs copying {host.gpus_keep} (pinned)",
    )


def _gpus(pen, of, title, unit):
    for source in pen.sources:
        index = 0
        for kind, name in KINDS.items():
            for direction, way in DIRECTIONS.items():
                points = pick(source.points, task="gpus", kind=kind, direction=direction)
                pen.plot(source, points, "copying_gpus", _extra(of), f"{name}, {way}", index)
                index += 1
    pen.axes(title, "GPUs", unit, scales.counts)


def _at_once(pen):
    rows = []
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            for direction, way in DIRECTIONS.items():
                points = pick(source.points, task="gpus", kind=kind, direction=direction)
                rows += [(f"{name}, {way}", source, p, index) for p in points if p.extras.get("least_pct")]
    pen.bars(rows, y=_extra("least_pct"))
    gpus = values(pick([p for s in pen.sources for p in s.points], task="gpus"), "copying_gpus")
    pen.axes(f"What the worst-off of {gpus[-1]} GPUs at once keeps", "% of its own rate", "", scales.zero, None)


def _stream(pen, of, title):
    rows = []
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            for direction, way in DIRECTIONS.items():
                for cores, share in CORES.items():
                    points = pick(source.points, task="stream", kind=kind, direction=direction, cores=cores)
                    rows += [(f"{name}, {way}, {share}", source, p, index) for p in points if p.extras.get(of)]
    pen.bars(rows, y=_extra(of))
    pen.axes(title, "% of its own rate", "", scales.zero, None)


def panels(sources):
    every = [p for s in sources for p in s.points]
    found = []
    counts = values(pick(every, task="gpus"), "copying_gpus")
    if len(counts) > 1:
        of_each = partial(_gpus, of="kept_pct", title="GPUs that copy at once", unit="% of its own rate, mean")
        of_all = partial(_gpus, of="sum_GBps", title="All of them together", unit="GB/s")
        found += [Panel(of_each, wide=True), Panel(of_all, wide=True)]
    elif counts:
        found.append(Panel(_at_once, 1.0, wide=True, bars=True))
    if pick(every, task="stream"):
        title = "What a copy keeps beside cores that stream"
        found.append(Panel(partial(_stream, of="kept_pct", title=title), 1.8, wide=True, bars=True))
    return found


def supplement(sources):
    if not any(pick(s.points, task="stream") for s in sources):
        return []
    title = "What the cores keep beside a copy"
    return [Panel(partial(_stream, of="host_kept_pct", title=title), 1.8, wide=True, bars=True)]
