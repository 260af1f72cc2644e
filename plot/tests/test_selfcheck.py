"""The self-check is `compare` between the sides of one archive: its verdict is compare's, by the spreads that real
archives have, for all probes; and a difference that follows the sides is found."""

import json
from dataclasses import replace

import numpy as np
import pytest
from invent import archive_lines, sealed, write
from msgspec import structs
from several import processes_of

from gpufx_plot.archive import load as archives
from gpufx_plot.judging.compare import compare
from gpufx_plot.judging.false_alarms import ALARMS, selfcheck, side_of, sides

MARGIN = 0.01
CALM = ("bank_conflict", "constant", "null")
STATES = {"transfer", "memory_latency"}  # whose processes differ most


def checked(archive, others=()):
    text, status = selfcheck(archive, MARGIN, True, others)
    return json.loads(text), status


# ---- The verdict is compare's ----


def parts(tmp_path, lines):
    """The sides of an archive as two archives of their own, as a user would have them."""
    paths = []
    for side in "AB":
        ids = [process for process in range(10) if side_of(process) == side]
        run = {**lines[0], "id": 4 * ("a" + side.lower()), "processes": len(ids)}
        kept = [line | {"process": ids.index(line["process"])} for line in lines[1:] if line.get("process") in ids]
        paths.append(write(tmp_path / f"{side}.jsonl", sealed([run, *kept])))
    return paths


@pytest.mark.slow
@pytest.mark.parametrize(("change", "share"), [(1.0, 3), (1.02, 3), (1.02, 30), (1.2, 30)])
def test_the_verdict_is_that_of_compare(tmp_path, cli, change, share):
    lines = [line for line in archive_lines(10, n=1, every=3, probes=CALM) if line["type"] != "end"]
    names = sorted({line["name"] for line in lines if line["type"] == "case"})
    for line in lines:
        if line["type"] == "case" and line["name"] in names[::share] and side_of(line["process"]) == "B":
            line |= {"samples": [line["median"] * change], "n": 1, "median": line["median"] * change, "ci95": None}
    told, status = checked(archives.load(write(tmp_path / "x.jsonl", sealed(lines))))
    gate, out, _ = cli("compare", *parts(tmp_path, lines), "--format", "json", "--fail-on", "slower,faster")
    rows = json.loads(out)["comparisons"][0]["rows"]
    alarms = {f"{row['probe']}/{row['case']}": row["verdict"] for row in rows if row["verdict"] in ALARMS}
    assert {alarm["case"]: alarm["verdict"] for alarm in told["alarms"]} == alarms
    assert (status, gate) == ((1, 1) if change == 1.2 else (status, status))
    assert set(alarms) <= set(names[::share] if change > 1 else [])


# ---- By the spreads of a real archive ----


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


@pytest.mark.slow
def test_real_processes_agree_with_themselves(real):
    """3 processes against 2, of all probes, as they were measured."""
    told, status = checked(real)
    assert (status, told["answer"], told["all"]["false_alarms"]) == (0, "yes", 0)
    assert set(told["probes"]) > STATES
    assert told["probes"]["transfer"]["unsure"] > 0.5 * told["probes"]["transfer"]["cases"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_real_spreads_raise_no_alarm(real, seed):
    told, status = checked(drawn(real, seed))
    assert (status, told["answer"], told["all"]["false_alarms"]) == (0, "yes", 0)
    assert told["all"]["intervals_off_rate"] < 0.06


@pytest.mark.slow
@pytest.mark.parametrize(("probe", "size", "least"), [(None, 0.02, 0.8), ("transfer", 0.5, 0.5)])
def test_a_planted_difference_is_found(real, probe, size, least):
    """2 % in every tenth case of the other probes; 50 % in every third case of transfer, whose processes differ by as
    much as 18 % (one standard deviation) in a tenth of its cases."""
    mine = [p.name for p in real.points if p.probe == probe or (probe is None and p.probe not in STATES)]
    planted = set(mine[:: 3 if probe else 10])
    told, status = checked(drawn(real, 7, lambda point: size if point.name in planted else 0.0))
    assert (status, told["answer"]) == (1, "no")
    found = {alarm["case"] for alarm in told["alarms"]}
    assert len(found & planted) >= least * len(planted)
    assert len(found - planted) <= 0.02 * len(found)


@pytest.mark.slow
def test_few_processes_learn_from_other_archives_as_in_compare(tmp_path, real):
    """Two against two: with the tree's own archives of the device, as `compare` would take them."""
    few = real.part(set(real.process_ids[:4]))
    few = replace(few, run=few.run | {"processes": 4, "id": "0a0b0c0d"})
    told, status = checked(few, [real])
    rows = compare(*sides(few), MARGIN, others=[real]).rows
    assert told["behind"] == [real.run["id"]]
    assert (status, told["all"]["same"]) == (0, sum(row.verdict == "SAME" for row in rows))
    assert checked(few)[0]["behind"] == []
    assert f"estimated from {real.run['id']}, too" in selfcheck(few, MARGIN, False, [real])[0]
