"""What a copy keeps of its own rate beside copies of other GPUs, and beside cores that stream."""

from functools import partial

from gpufx_plot.charts import scales
from gpufx_plot.charts.pen import Panel, short
from gpufx_plot.charts.series import pick, values

QUESTION = "What is left of a copy to or from the host when other GPUs copy, or its cores stream?"
KINDS = {"pinned": "pinned", "pageable": "pageable"}
DIRECTIONS = {"h2d": "in", "d2h": "out", "both": "both ways"}
CORES = ("one", "quarter", "half", "full")


def _extra(name):
    def read(point, value):
        """The archive has it for the median alone."""
        found = point.extras.get(name)
        return found * point.value / value if found is not None and value > 0 else None

    return read


def finding(source):
    gpus = [p for p in pick(source.points, task="gpus", kind="pinned") if p.extras.get("least_pct")]
    stream = [p for p in pick(source.points, task="stream", cores="full") if p.extras.get("kept_pct")]
    if gpus:
        worst = min(gpus, key=lambda p: p.extras["least_pct"])
        kept = short(worst.extras["least_pct"])
        return f"With {worst.params['copying_gpus']} GPUs at once a copy keeps {kept} % of its rate"
    if stream:
        kept = {p.params["kind"]: p.extras["kept_pct"] for p in sorted(stream, key=lambda p: -p.extras["kept_pct"])}
        return "Beside all cores a copy keeps " + ", ".join(f"{short(v)} % ({k})" for k, v in kept.items())
    return ""


def _gpus(pen):
    for source in pen.sources:
        index = 0
        for kind, name in KINDS.items():
            for direction, way in DIRECTIONS.items():
                points = pick(source.points, task="gpus", kind=kind, direction=direction)
                pen.plot(source, points, "copying_gpus", _extra("kept_pct"), f"{name}, {way}", index)
                index += 1
    pen.axes("GPUs that copy at once", "GPUs", "% of its own rate, mean", scales.counts)


def _sums(pen):
    for source in pen.sources:
        index = 0
        for kind, name in KINDS.items():
            for direction, way in DIRECTIONS.items():
                points = pick(source.points, task="gpus", kind=kind, direction=direction)
                pen.plot(source, points, "copying_gpus", _extra("sum_GBps"), f"{name}, {way}", index)
                index += 1
    pen.axes("All of them together", "GPUs", "GB/s", scales.counts)


def _stream(pen, of, title):
    rows = []
    for source in pen.sources:
        for index, (kind, name) in enumerate(KINDS.items()):
            for direction, way in DIRECTIONS.items():
                for cores in CORES:
                    points = pick(source.points, task="stream", kind=kind, direction=direction, cores=cores)
                    rows += [(f"{name}, {way}, {cores}", source, p, index) for p in points if p.extras.get(of)]
    pen.bars(rows, y=_extra(of))
    pen.axes(title, "% of its own rate", "", scales.zero, None)


def panels(sources):
    every = [p for s in sources for p in s.points]
    found = []
    if len(values(pick(every, task="gpus"), "copying_gpus")) > 1:
        found += [Panel(_gpus, wide=True), Panel(_sums, wide=True)]
    if pick(every, task="stream"):
        title = "What a copy keeps beside cores that stream"
        found.append(Panel(partial(_stream, of="kept_pct", title=title), 2.2, wide=True, bars=True))
    return found


def supplement(sources):
    if not any(pick(s.points, task="stream") for s in sources):
        return []
    title = "What the cores keep beside a copy"
    return [Panel(partial(_stream, of="host_kept_pct", title=title), 2.2, wide=True, bars=True)]
