"""Flat parts are those of the program's search: both are held to tests/vectors/flat_parts.json. And all screens say the
same of one walk."""

import math
from dataclasses import dataclass

import pytest
from conftest import vectors

from gpufx_plot.archive import load as archives
from gpufx_plot.chip.inference import Inference, inferred
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.sizes import Walks
from gpufx_plot.showing.charts.look import sources_of
from gpufx_plot.statistics.steps import FEWEST, TOLERANCE, begin_of, end_of, partition


@dataclass
class Level:
    """A cost that is weighted by its error, but where changes are concerned as sure as the program takes it."""

    log: float
    error: float

    def half(self, among: int = 1) -> float:
        return 0.0


def neighbours(index: int | None) -> tuple[int | None, int | None]:
    """The change lies between them."""
    return (index - 1, index) if index else (None, None)


@pytest.mark.parametrize("case", vectors("flat_parts.json"), ids=lambda case: case["what"])
def test_vectors(case):
    levels = [Level(math.log(cost), error) for cost, error in case["levels"]]
    found, tolerance = partition(levels), case.get("tolerance", TOLERANCE)
    assert [[part.first, part.last] for part in found] == [part[:2] for part in case["parts"]]
    assert [math.exp(part.log) for part in found] == pytest.approx([part[2] for part in case["parts"]], rel=1e-9)
    flat = [part for part in found if part.count >= FEWEST]
    if case["first_ends"] is None:
        assert not flat or end_of(levels, flat[0], tolerance)[1] is None
    else:
        assert end_of(levels, flat[0], tolerance) == neighbours(case["first_ends"])
    if case["last_begins"] is None:
        assert found[-1].count < FEWEST or begin_of(levels, found[-1], tolerance)[0] is None
    else:
        assert begin_of(levels, found[-1], tolerance) == neighbours(case["last_begins"])


@pytest.mark.slow
def test_figures_and_sheet_say_the_same(reference):
    """Of every walk along which a quantity is the end of the first flat part, or its height."""
    archive = archives.load(reference)
    inference, walks, told = Inference(archive), Walks(archive), 0
    for quantity in inferred(archive, inference):
        definition, estimate = quantity.definition, quantity.estimate
        if estimate and definition.along == "footprint" and definition.which == "first":
            first = walks.sizes([v.point for v in inference.select(definition)], "footprint")[0]
            same = (first.low, first.high) == (estimate.low, estimate.high)
            assert same if estimate.bracket else first.cost == estimate.value, quantity.id
            told += 1
    assert told >= 15
    (source,) = sources_of([archive], "memory_latency")
    walk = [p for p in source.points if p.params.get("stride") == 128 and p.params["space"] == "global"]
    sheet = {quantity.id: quantity.estimate for quantity in infer(archive)}
    first, *_, last = source.walks.sizes(walk, "footprint")
    assert (first.low, first.high) == (sheet["l1.size"].low, sheet["l1.size"].high)
    assert (first.cost, last.cost) == (sheet["l1.latency"].value, sheet["dram.latency"].value)
