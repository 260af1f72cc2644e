"""Quantiles against scipy's, and against those of the program: both are held to tests/vectors/student.json."""

import random

import pytest
from conftest import vectors
from scipy.special import betaincinv, stdtrit

from gpufx_plot.statistics.quantiles import beta_quantile, student_quantile


@pytest.mark.parametrize("p", [0.9, 0.95, 0.975, 0.995])
def test_students_t(p):
    freedoms = [1, 1.001, 1.5, 2, 2.9, 3, 3.1, 4, 5, 7.3, 8, 20, 100, 1998, 1e5]
    chance = random.Random(1)
    for freedom in [*freedoms, *(1 + 10 * chance.random() for _ in range(200))]:
        assert student_quantile(freedom, p) == pytest.approx(float(stdtrit(freedom, p)), rel=1e-9)


@pytest.mark.parametrize("case", vectors("student.json"), ids=lambda case: str(case["freedom"]))
def test_vectors(case):
    assert student_quantile(case["freedom"], 0.975) == pytest.approx(case["t"], rel=1e-9)


def test_the_bounds_of_a_rate():
    chance = random.Random(2)
    for n in [1, 2, 5, 100, 3000, 100000]:
        for x in {0, 1, n, *(chance.randint(0, n) for _ in range(30))}:
            if x:
                assert beta_quantile(x, n - x + 1, 0.05) == pytest.approx(
                    float(betaincinv(x, n - x + 1, 0.05)), rel=1e-9
                )
            if x < n:
                assert beta_quantile(x + 1, n - x, 0.95) == pytest.approx(
                    float(betaincinv(x + 1, n - x, 0.95)), rel=1e-9
                )
