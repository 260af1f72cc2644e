"""Planted truth, 400 seeds each: verdicts and sizes of caches must say what was put in, as often as they state. These
are simulations; no figure here was measured."""

import math
from contextlib import suppress

import numpy as np
import pytest
from invent import fit_line
from several import point

from gpufx_plot.archive.lines import Fit
from gpufx_plot.archive.pooled_fits import merge_fits
from gpufx_plot.chip.estimators import change
from gpufx_plot.chip.quantity import Estimate, NotDetermined
from gpufx_plot.chip.uncertainty import CONFIDENCE, Value, values
from gpufx_plot.statistics.steps import TOLERANCE

pytestmark = pytest.mark.slow

SEEDS = 400


# ---- Sizes of caches ----

FOOTPRINTS = [int(1024 * 2 ** (i / 3)) for i in range(22)]


def staircase(rng, caches, spread, processes, last=500.0):
    """Points over FOOTPRINTS: cost of the first of `caches` (size, cost) that holds the footprint, else `last`."""
    costs = np.array([next((cost for size, cost in caches if f <= size), last) for f in FOOTPRINTS])
    drawn = costs[:, None] * (1 + spread * rng.standard_normal((len(FOOTPRINTS), processes)))
    return [point(medians, footprint=f) for f, medians in zip(FOOTPRINTS, drawn.tolist(), strict=True)]


def found_in(walk: list) -> Estimate | None:
    with suppress(NotDetermined):
        return change(list(values(walk, "cost").values()), "footprint", "first", 1, TOLERANCE, str)
    return None


@pytest.mark.parametrize(("spread", "processes"), [(0.0005, 2), (0.005, 2), (0.005, 5), (0.01, 5)])
@pytest.mark.parametrize("step", [1.05, 1.3, 4])
def test_the_planted_size_lies_in_the_bracket(spread, step, processes):
    rng = np.random.default_rng(int(1e4 * spread + 100 * step + processes))
    held = made = tight = 0
    for _ in range(SEEDS):
        size = int(rng.integers(FOOTPRINTS[3], FOOTPRINTS[-4]))  # odd sizes: anywhere between the footprints
        found = found_in(staircase(rng, [(size, 30.0)], spread, processes, 30 * step))
        if found and found.low:
            made += 1
            held += found.low <= size < (found.high or math.inf)
            tight += found.high == next(f for f in FOOTPRINTS if f > size)
    # Two processes that differ by half a percent leave a mean that is known to 4 %: then there is no size to tell.
    assert made >= (0.9 if processes > 2 or spread < 0.005 else 0.2) * SEEDS
    assert held / made >= CONFIDENCE
    if spread <= 0.005 and processes == 5 and step >= 1.3:
        assert tight / made >= 0.95  # a bracket as wide as the whole sweep would hold every truth


@pytest.mark.parametrize("processes", [2, 5])
def test_the_interval_of_a_cost_holds_it(processes):
    rng = np.random.default_rng(processes)
    drawn = 30 * (1 + 0.01 * rng.standard_normal((4 * SEEDS, processes)))
    known = values([point(medians, footprint=i) for i, medians in enumerate(drawn.tolist())], "cost").values()
    held = np.mean([value.low <= 30 <= value.high for value in known])
    assert held >= CONFIDENCE - 3 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / (4 * SEEDS))
    assert held <= 1 - (1 - CONFIDENCE) / 3  # one that is much too wide would hold every truth


def test_what_is_neither_in_nor_out_stays_in_the_bracket():
    errors = [0.001, 0.001, 0.001, 0.04, 0.01, 0.01]
    costs = [10, 10, 10, 10.2, 10.4, 15]

    def found(errors):
        walk = [
            Value(point([c], footprint=x), math.log(c), e, 30.0)
            for x, (c, e) in enumerate(zip(costs, errors, strict=True))
        ]
        bracket = change(walk, "footprint", "first", 1, TOLERANCE, str)
        return bracket.low, bracket.high

    assert found(errors) == (2, 5)
    assert found([0.04] * 5 + [0.01]) == (None, 5)


# ---- Laws that do not hold ----


def fit(process, **changes) -> Fit:
    known = fit_line(process, "p", {}, "x", "m", 1.0, 2.0) | changes
    return Fit(**{name: known[name] for name in Fit.__struct_fields__})


def test_what_the_archive_says_of_all_processes_counts():
    worst = fit(1, holds=False, largest_residual_pct=20.0)
    pooled = fit(None, a=1.5, holds=True)
    (merged,) = merge_fits([fit(0), worst, pooled])
    assert (merged.a, merged.law_holds, merged.residual_pct) == (1.5, True, 0.31)
    assert not merge_fits([fit(0), fit(None, holds=False)])[0].law_holds


def test_without_it_most_processes_judge():
    old, new, bad = fit(0), fit(1), fit(2, holds=False, largest_residual_pct=20.0)
    (merged,) = merge_fits([old, new, bad])
    assert (merged.law_holds, merged.residual_pct) == (True, 20)
    assert not merge_fits([new, bad, bad])[0].law_holds
