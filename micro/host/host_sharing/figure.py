"""What a copy keeps of its own rate beside copies of other GPUs, and beside cores that stream."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How much do host copies slow down when others use its memory?"
KINDS = {"pinned": "pinned", "pageable": "pageable"}
KEPT = {"pinned": "{host.stream_keep}", "pageable": "{host.stream_pageable_keep}"}  # by the slowest
DIRECTIONS = {"h2d": "H2D", "d2h": "D2H", "both": "both ways"}
CORES = {"one": "one", "quarter": "a quarter", "half": "half", "full": "all"}


def _extra(name):
    def read(point, value):
        """The archive has it for the median alone."""
        found = point.extras.get(name)
        return found * point.value / value if found is not None and value > 0 else None

    return read


def finding(source):
    slowest = {p.params["direction"] for kind in KINDS for p in _slowest(source, kind)}
    which = DIRECTIONS[slowest.pop()] if len(slowest) == 1 else "one-way"
    return source.said(
        f"While all host cores stream, pinned {which} copies keep " + "{host.stream_keep} of their rate",
        "pageable ones {host.stream_pageable_keep}",
        "; beside other GPUs one-way pinned copies keep {host.gpus_keep}",
    )


def _slowest(source, kind):
    """The one-way copy that keeps least beside all cores."""
    keep = _extra("kept_pct")
    found = pick(source.points, task="stream", kind=kind, cores="full", direction=["h2d", "d2h"])
    return sorted((p for p in found if keep(p, p.value) is not None), key=lambda p: keep(p, p.value))[:1]


def _copies(task, of=tuple(KINDS)):
    """Each kind of copy, by its name."""
    kinds = [(kind, way) for kind in of for way in DIRECTIONS]
    return {
        f"{KINDS[kind]}, " * (len(of) > 1) + DIRECTIONS[way]: {"task": task, "kind": kind, "direction": way}
        for kind, way in kinds
    }


def _gpus(pen, of, title, unit):
    pen.lines("copying_gpus", _copies("gpus"), _extra(of))
    pen.axes(title, "GPUs", unit, scales.counts)


def _at_once(pen):
    ways = enumerate(DIRECTIONS)
    rows = [row for i, way in ways for row in pen.cases(by("kind", KINDS, task="gpus", direction=way), i)]
    pen.bars(
        [row for row in rows if row[2].extras.get("least_pct")],
        y=_extra("least_pct"),
        text="{:.0f} %".format,
        series=[*DIRECTIONS.values()],
    )
    gpus = values(pick([p for s in pen.sources for p in s.points], task="gpus"), "copying_gpus")
    pen.axes(f"The slowest of {gpus[-1]} GPUs at once" if gpus else "", "% of its own rate", "", scales.zero, None)


def _stream(pen, of, title, kinds=tuple(KINDS)):
    cores = [which for which in CORES if any(pick(s.points, task="stream", cores=which) for s in pen.sources)]
    pen.lines(lambda p: cores.index(p.params["cores"]), _copies("stream", kinds), _extra(of))
    for source in pen.sources if of == "kept_pct" else ():
        for kind in kinds:
            for p in _slowest(source, kind):
                last = cores.index("full")
                pen.say(lambda _, at=last: at, p.params, KEPT[kind], _extra(of), -4, -4, "right", "top")
    pen.level(100, "alone", what="a copy alone")
    pen.axes(title, "streaming host cores", "% of its own rate", scales.named([CORES[c] for c in cores]))


def panels(sources):
    every = [p for s in sources for p in s.points]
    titles = {kind: f"A {name} copy while host cores stream" for kind, name in KINDS.items()}
    stream = [Panel(partial(_stream, of="kept_pct", title=titles[kind], kinds=(kind,))) for kind in KINDS]
    if len(values(pick(every, task="gpus"), "copying_gpus")) < 3:
        return [*stream, Panel(_at_once, wide=True)]
    of_each = partial(_gpus, of="kept_pct", title="GPUs that copy at once", unit="% of its own rate, mean")
    of_all = partial(_gpus, of="sum_GBps", title="All of them together", unit="GB/s")
    return [*stream, Panel(of_each), Panel(of_all)]


def supplement(sources):
    return [Panel(partial(_stream, of="host_kept_pct", title="Streaming host cores during a copy"), wide=True)]
