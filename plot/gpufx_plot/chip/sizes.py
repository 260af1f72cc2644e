"""Sizes of caches from staircases: the cost of walks over growing footprints is flat while all of it fits, and higher
from there on. A size found so is a bracket: the largest footprint that surely fits and the smallest that surely does
not. What the device says of itself is not asked.

Flat parts and their ends are those of the quantities, from the same figures, so that all screens say the same of one
walk: the estimators' `change` is the end of one flat part, here are those of all.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

from ..archive.cases import Point
from ..archive.load import Archive
from ..statistics.steps import TOLERANCE, end_of, flat_parts, height
from .definitions import definitions
from .inference import Inference
from .quantity import NotDetermined
from .uncertainty import Value


@dataclass(frozen=True)
class Size:
    """Footprints first..last cost the same; from there up to one of `low` bytes surely fits, and one of `high` surely
    does not. low is None where processes differ too much to be sure of any, high where all that was tried may fit."""

    cost: float
    first: float
    last: float
    low: float | None
    high: float | None


def sizes(walk: list[Value], axis: str, tolerance: float = TOLERANCE) -> list[Size]:
    """The sizes that a staircase over an axis of bytes shows, one for each flat part of three points or more."""
    walk = sorted(walk, key=lambda value: value.point.params[axis])
    xs = [value.point.params[axis] for value in walk]
    found: dict[float | None, Size] = {}
    for part in flat_parts(walk):
        low, high = (None if i is None else xs[i] for i in end_of(walk, part, tolerance))
        # Noise may cut one flat part in two, which then end at the same footprint.
        found.setdefault(high, Size(math.exp(height(walk, part)), xs[part.first], xs[part.last], low, high))
    return list(found.values())


class Walks:
    """The staircases of one archive."""

    def __init__(self, archive: Archive):
        self.inference = Inference(archive)
        self.tolerant = [d for d in definitions(archive.run) if d.by == "change" and d.tolerance]

    def sizes(self, points: list[Point], axis: str) -> list[Size]:
        """Those of a walk: some cases of one probe."""
        known = self.inference.values_of(points[0].probe, "cost") if points else {}
        walk = [known[point.key] for point in points if point.key in known]
        return sizes(walk, axis, self._tolerance(walk, axis))

    def _tolerance(self, walk: list[Value], axis: str) -> float:
        """That of the quantity which takes the walk."""
        for definition in self.tolerant:
            if walk and (definition.probe, definition.along) == (walk[0].point.probe, axis):
                with suppress(NotDetermined):
                    if walk[0] in self.inference.select(definition):
                        return definition.tolerance
        return TOLERANCE
