"""What a copy keeps of its own rate beside copies of other GPUs, and beside cores that stream."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "How much do host copies slow down when others use its memory?"
KINDS = {"pinned": "pinned", "pageable": "pageable"}
KEPT = {"pinned": "{host.stream_keep}", "pageable": "{host.stream_pageable_keep}"}  # by the slowest
DIRECTIONS = {"h2d": "H2D", "d2h": "D2H", "both": "both ways"}
SPELLED = {"h2d": "host to device (H2D)", "d2h": "device to host (D2H)"}
FULL = 100.5  # % of its own rate: from here on it is written as more than all of it
CORES = {"one": "one", "quarter": "a quarter", "half": "half", "full": "all"}


def _extra(name):
    def read(point, value):
        """The archive has it for the median alone."""
        found = point.extras.get(name)
        return found * point.value / value if found is not None and value > 0 else None

    return read


def finding(source):
    return source.said(
        f"While all host cores stream, pinned copies keep {KEPT['pinned']} of their rate or more",
        f"pageable ones {KEPT['pageable']} or more",
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


def _beside(pen):
    """Beside all cores, and beside all GPUs: of these the slowest."""
    gpus = values(pick([p for s in pen.sources for p in s.points], task="gpus"), "copying_gpus")[-1:]
    beside = {"all host cores": {"task": "stream", "cores": "full"}}
    beside |= {f"copies of {n - 1} other GPU{'s' * (n > 2)}": {"task": "gpus", "copying_gpus": n} for n in gpus}
    rows = [
        row
        for i, way in enumerate(DIRECTIONS)
        for other, wanted in beside.items()
        for kind, name in KINDS.items()
        for row in pen.cases({f"{name}, beside {other}": {**wanted, "kind": kind, "direction": way}}, i)
    ]
    kept = _extra("least_pct")
    slowest = {KEPT[kind]: p.params for s in pen.sources for kind in KINDS for p in _slowest(s, kind)}
    titled = pen.titled(slowest, kept)
    pen.bars(
        [row for row in rows if kept(row[2], row[2].value) is not None],
        y=kept,
        text=lambda v: titled.get(v) or f"{v:.{int(v < 10)}f} %" + ": no slowdown" * (v >= FULL),
        series=[*({**DIRECTIONS, **SPELLED} if pen.alone else DIRECTIONS).values()],
    )
    if any(row[2].params["task"] == "gpus" for row in rows):
        pen.notes.add("beside copies of other GPUs: the GPU whose copy keeps least")
    if pen.rows and max(row.y for row in pen.rows) >= FULL:
        pen.xs.append(1.08 * max(pen.xs))  # room for the words
        pen.notes.add("above 100 %: the copy timed alone was the slower one")
    pen.axes("Rate that a copy keeps", "% of its rate alone", "", scales.zero, None)


def _stream(pen, of, title, kinds=tuple(KINDS)):
    cores = [which for which in CORES if any(pick(s.points, task="stream", cores=which) for s in pen.sources)]
    pen.lines(lambda p: cores.index(p.params["cores"]), _copies("stream", kinds), _extra(of))
    pen.level(100, "alone", what="a copy alone")
    pen.axes(title, "streaming host cores", "% of its own rate", scales.named([CORES[c] for c in cores]))


def panels(_):
    return [Panel(_beside, wide=True)]


def supplement(_):
    titles = {kind: f"A {name} copy while host cores stream" for kind, name in KINDS.items()}
    of_each = partial(_gpus, of="kept_pct", title="GPUs that copy at once", unit="% of its own rate, mean")
    of_all = partial(_gpus, of="sum_GBps", title="All of them together", unit="GB/s")
    return [
        *(Panel(partial(_stream, of="kept_pct", title=titles[kind], kinds=(kind,))) for kind in KINDS),
        Panel(of_each),
        Panel(of_all),
        Panel(partial(_stream, of="host_kept_pct", title="Streaming host cores during a copy"), wide=True),
    ]
