"""Rules that the program has as well, held to tests/vectors: the language of axes, the weighted line,
Student's distribution, flat parts."""

import json
import math
from dataclasses import dataclass

import pytest
from conftest import VECTORS, vectors

from gpufx_plot import UserError
from gpufx_plot.archive.selection import axes_of, parse
from gpufx_plot.statistics.line import fit_line, fit_without
from gpufx_plot.statistics.steps import FEWEST, TOLERANCE, begin_of, end_of, partition
from gpufx_plot.statistics.student import student_quantile

# ---- Axes ----

AXES = axes_of(json.loads((VECTORS / "axis.json").read_text(encoding="utf-8"))["axes"])


@pytest.mark.parametrize("case", vectors("axis.json"), ids=lambda case: case["text"])
def test_axes_are_those_of_the_vectors(case):
    if "values" in case:
        items = parse(case["text"], AXES).items
        assert {n: list(dict.fromkeys(v for item in i for v in item)) for n, i in items.items()} == case["values"]
    else:
        with pytest.raises(UserError) as refused:
            parse(case["text"], AXES)
        assert str(refused.value) == case.get("error", case.get("begins"))


def test_numbers_of_any_length():
    assert parse("stride=" + "0" * 5000 + "7", AXES).alone() == {"stride": 7}
    with pytest.raises(UserError, match="too large"):
        parse("size=" + "9" * 5000, AXES)


def test_a_range_may_hold_more_than_could_be_written_down():
    held = parse("size=64Mi:1Gi", AXES)
    assert held.holds({"size": 1 << 30})
    assert not held.holds({"size": (1 << 30) + 1})
    assert not held.holds({"size": "64Mi"})
    assert not held.holds({})


def test_one_value_replaces():
    assert parse("size=4:4 op=load", AXES).alone() == {"size": 4, "op": "load"}
    with pytest.raises(UserError, match="against several values of size"):
        parse("size=4,8", AXES).alone()


# ---- The weighted line ----


def near(value):
    return pytest.approx(value, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("case", vectors("fit.json"), ids=lambda case: case["what"])
def test_a_line_is_that_of_the_vectors(case):
    points, wanted = [tuple(point) for point in case["points"]], case["line"]
    if wanted is None:
        if "without" in case:
            assert fit_without(points, case["without"]) is None
        else:
            with pytest.raises(ArithmeticError):
                fit_line(points)
        return
    line = fit_without(points, case["without"]) if "without" in case else fit_line(points)
    away = [100 * abs(residual) for residual in line.residuals]
    assert len(line.points) == wanted["n"]
    assert (line.a, line.b, max(away)) == near((wanted["a"], wanted["b"], wanted["largest_residual_pct"]))
    if wanted["n"] < 3:
        assert math.isnan(line.residual_sd)
        return
    assert 100 * line.residual_sd == near(wanted["residual_sd_pct"])
    t = student_quantile(wanted["n"] - 2, 0.975)
    intervals = wanted["a_ci95"], wanted["b_ci95"]
    for value, error, ends in zip((line.a, line.b), line.unit_errors, intervals, strict=True):
        half = t * line.residual_sd * error
        assert [value - half, value + half] == near(ends)
    if max(away) > 1e-6:
        assert away.index(max(away)) == wanted["worst"]
    for value, shares in zip((line.a, line.b), line.shares, strict=True):
        assert math.fsum(share * y for share, (_, y) in zip(shares, line.points, strict=True)) == near(value)


# ---- Student's distribution ----


@pytest.mark.parametrize("case", vectors("student.json"), ids=lambda case: str(case["freedom"]))
def test_quantiles_are_those_of_the_vectors(case):
    assert student_quantile(case["freedom"], 0.975) == pytest.approx(case["t"], rel=1e-9)


# ---- Flat parts, of which all screens say the same ----


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
def test_flat_parts_are_those_of_the_vectors(case):
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
