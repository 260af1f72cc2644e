"""Student's distribution and the gamma function's derivatives are scipy's, and those of the program: both are held to
tests/vectors/student.json."""

import random

import numpy as np
import pytest
from conftest import vectors
from scipy.special import digamma, polygamma, stdtr, stdtrit

from gpufx_plot.statistics import student
from gpufx_plot.statistics.quantiles import student_quantile


@pytest.mark.parametrize("p", [0.9, 0.95, 0.975, 0.995])
def test_students_t(p):
    freedoms = [1, 1.001, 1.5, 2, 2.9, 3, 3.1, 4, 5, 7.3, 8, 20, 100, 1998, 1e5]
    chance = random.Random(1)
    for freedom in [*freedoms, *(1 + 10 * chance.random() for _ in range(200))]:
        assert student_quantile(freedom, p) == pytest.approx(float(stdtrit(freedom, p)), rel=1e-9)


@pytest.mark.parametrize("case", vectors("student.json"), ids=lambda case: str(case["freedom"]))
def test_vectors(case):
    assert student_quantile(case["freedom"], 0.975) == pytest.approx(case["t"], rel=1e-9)


FREEDOMS = (1, 1.3, 2, 4, 4.38, 8.1, 20, 38, 100, 1000)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_the_share_above_t(freedom):
    t = np.concatenate([np.linspace(-50, 50, 401), 10.0 ** np.arange(-9, 9), [0.0]])
    expected = stdtr(freedom, -t)
    found = student.above(t, np.full(t.shape, float(freedom)))
    told = expected > 1e-200
    assert found[told] == pytest.approx(expected[told], rel=1e-8)
    assert (found[~told] < 1e-190).all()


def test_quantiles_of_mixed_freedoms():
    freedoms = np.array([4.0, 1.0, 4.0, 12.5])
    assert student.quantile(freedoms, 0.975) == pytest.approx(stdtrit(freedoms, 0.975), rel=1e-12)


@pytest.mark.parametrize("x", [0.19, 0.5, 1, 1.5, 2, 4.3, 15, 100, 1e5])
def test_derivatives_of_log_gamma(x):
    assert student.digamma(x) == pytest.approx(float(digamma(x)), rel=1e-11)
    assert student.trigamma(x) == pytest.approx(float(polygamma(1, x)), rel=1e-11)
    assert student.tetragamma(x) == pytest.approx(float(polygamma(2, x)), rel=1e-11)
