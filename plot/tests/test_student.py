"""Student's distribution and the gamma function's derivatives are scipy's."""

import numpy as np
import pytest
from scipy.special import digamma, polygamma, stdtr, stdtrit

from gpufx_plot.statistics import student

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
