"""The weighted line is that of the program: both are held to tests/vectors/fit.json."""

import math

import pytest
from conftest import vectors

from gpufx_plot.statistics.line import fit_line, fit_without
from gpufx_plot.statistics.quantiles import student_quantile


def near(value):
    return pytest.approx(value, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("case", vectors("fit.json"), ids=lambda case: case["what"])
def test_vectors(case):
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
