"""`compare` between two sides of one archive, whose processes took turns: what repeats raises no alarm, by the spreads
that real archives have, and a difference that follows the sides is found."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from several import part_of, processes_of

from gpufx_plot.archive import load as archives
from gpufx_plot.judging.compare import compare

pytestmark = pytest.mark.slow

MARGIN = 0.01
ALARMS = ("SLOWER", "FASTER", "MISSING", "NEW", "INCOMPARABLE")
STATES = {"transfer", "memory_latency"}  # whose processes differ most


def side_of(process: int) -> str:
    return "ABBA"[process % 4]


def compared(archive):
    base, new = (part_of(archive, {p for p in archive.process_ids if side_of(p) == side}) for side in "AB")
    return compare(base, new, MARGIN).rows


def alarms(rows) -> set[str]:
    return {row.case for row in rows if row.verdict in ALARMS}


def off(rows) -> float:
    """The share of 95 % intervals that leave zero out."""
    return sum(row.low is not None and not row.low <= 1 <= row.high for row in rows) / len(rows)


@pytest.fixture(scope="module")
def real(h200):
    return processes_of(archives.load(h200), 5)


def drawn(real, seed: int, shift=lambda point: 0.0):
    """Ten processes: each median is one of the case's own, wherever it came from, and on one side it is changed."""
    rng = np.random.default_rng(seed)
    points = []
    for point in real.points:
        taken = rng.integers(0, len(point.medians), 10)
        factor = [1 + (shift(point) if side_of(process) == "B" else 0) for process in range(10)]
        medians = [point.medians[k] * f for k, f in zip(taken, factor, strict=True)]
        ends = [
            point.intervals[k] and [end * f for end in point.intervals[k]] for k, f in zip(taken, factor, strict=True)
        ]
        points.append(structs.replace(point, processes=list(range(10)), medians=medians, intervals=ends))
    return replace(real, points=points, run=real.run | {"processes": 10}, waived=[], failed=[])


def test_real_processes_agree_with_themselves(real):
    """3 processes against 2, of all probes, as they were measured."""
    rows = compared(real)
    assert not alarms(rows)
    assert {row.probe for row in rows} > STATES
    transfer = [row.verdict for row in rows if row.probe == "transfer"]
    assert transfer.count("UNSURE") > 0.5 * len(transfer)


@pytest.mark.parametrize("seed", range(2))
def test_real_spreads_raise_no_alarm(real, seed):
    rows = compared(drawn(real, seed))
    assert not alarms(rows)
    assert off(rows) < 0.06


@pytest.mark.parametrize(("probe", "size", "least"), [(None, 0.02, 0.8), ("transfer", 0.5, 0.5)])
def test_a_planted_difference_is_found(real, probe, size, least):
    """2 % in every tenth case of the other probes; 50 % in every third case of transfer, whose processes differ by as
    much as 18 % (one standard deviation) in a tenth of its cases."""
    mine = [p.name for p in real.points if p.probe == probe or (probe is None and p.probe not in STATES)]
    planted = set(mine[:: 3 if probe else 10])
    rows = compared(drawn(real, 7, lambda point: size if point.name in planted else 0.0))
    found = {f"{row.probe}/{row.case}" for row in rows if row.verdict in ALARMS}
    assert len(found & planted) >= least * len(planted)
    assert len(found - planted) <= 0.02 * len(found)
