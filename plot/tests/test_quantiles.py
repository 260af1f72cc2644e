"""Quantiles against scipy's, and against those of the program: both are held to tests/vectors/student.json."""

import random

import pytest
from conftest import vectors
from scipy.special import stdtrit

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
