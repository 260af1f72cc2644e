"""Cases in memory: one from its medians, and several processes of an archive that has one, as far apart as a card's are
(data/process_spreads.json), or as is wanted."""

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from math import exp
from pathlib import Path

from msgspec import structs

from gpufx_plot.archive.cases import Archive, Point

SPREADS = json.loads((Path(__file__).parent / "data" / "process_spreads.json").read_text(encoding="utf-8"))["spreads"]


def point(medians, **params) -> Point:
    """A case of an SM's cycles, with one median per process."""
    made = Point("p", "p/x", "s", params, "access_cycles", "cycles", "lower", 1, None, None, False, {}, 0, 0)
    made.medians, made.processes, made.intervals = list(medians), list(range(len(medians))), [None] * len(medians)
    return made


def costing(point: Point, factors: Iterable[float], **changes) -> Point:
    """The case, each process's costs times its factor."""
    rows = list(zip(point.medians, point.intervals, factors, strict=True))
    ends = [ends and (ends[0] * factor, ends[1] * factor) for _, ends, factor in rows]
    return structs.replace(point, medians=[median * factor for median, _, factor in rows], intervals=ends, **changes)


def processes_of(archive: Archive, count: int, seed: int = 1, apart: float | None = None) -> Archive:
    rng, points = random.Random(seed), []
    for point in archive.points:
        spread = rng.choice(SPREADS.get(point.probe, SPREADS["occupancy"])) if apart is None else apart
        factors = [exp(rng.gauss(0, spread)) for _ in range(count)]
        same = {name: getattr(point, name)[:1] * count for name in ("medians", "intervals")}
        points.append(costing(structs.replace(point, **same), factors, processes=list(range(count))))
    return replace(archive, points=points, run=archive.run | {"processes": count}, waived=[], failed=[])


LISTS = ("processes", "medians", "intervals")  # of a point: one entry per process


def part_of(archive: Archive, processes: set[int]) -> Archive:
    """What these processes measured."""
    points = []
    for point in archive.points:
        if kept := [i for i, process in enumerate(point.processes) if process in processes]:
            lists = {name: [getattr(point, name)[i] for i in kept] for name in LISTS if getattr(point, name)}
            points.append(structs.replace(point, **lists))
    waived, failed = ([a for a in absent if a.process in processes] for absent in (archive.waived, archive.failed))
    return replace(archive, points=points, waived=waived, failed=failed)
