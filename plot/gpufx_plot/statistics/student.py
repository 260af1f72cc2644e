"""Student's distribution for arrays, and the derivatives of the logarithm of the gamma function.

Not scipy's, for the reasons in quantiles.py, whose continued fraction serves here as well; for the logarithm's
derivatives asymptotic series behind recurrences (Abramowitz and Stegun 6.3.18, 6.4.12). A test compares with scipy."""

import math

import numpy as np

from .quantiles import fraction, student_quantile

FAR = 12.0  # from here on the series have 14 figures


def _beta(a, b, x, rest) -> np.ndarray:
    """The regularised incomplete beta function of 0 < x < 1. rest: 1 - x."""
    log_gamma = np.frompyfunc(math.lgamma, 1, 1)
    front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b)).astype(float)
    front = np.exp(front + a * np.log(x) + b * np.log(rest))
    low = x < (a + 1) / (a + b + 2)
    first, second = np.where(low, a, b), np.where(low, b, a)
    value = front * fraction(first, second, np.where(low, x, rest), lambda off: np.abs(off).max(initial=0.0)) / first
    return np.where(low, value, 1 - value)


def above(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The share of Student's distribution above t."""
    t, freedom = np.broadcast_arrays(np.asarray(t, dtype=float), np.asarray(freedom, dtype=float))
    # A tail of 10^-200 is nothing; a t of 0 has no logarithm.
    square = np.clip(t * t / freedom, 1e-30, 1e30)
    tail = _beta(freedom / 2, np.full(t.shape, 0.5), 1 / (1 + square), square / (1 + square)) / 2
    return np.where(t > 0, tail, 1 - tail)


def quantile(freedom: np.ndarray, p: float) -> np.ndarray:
    """The t below which the share p > 0.5 lies. Many cases have few degrees of freedom between them."""
    return each(lambda value: student_quantile(value, p), np.asarray(freedom, dtype=float))


def digamma(x: float) -> float:
    below = 0.0
    while x < FAR:
        below, x = below + 1 / x, x + 1
    y = 1 / (x * x)
    return math.log(x) - 1 / (2 * x) - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132)))) - below


def trigamma(x: float) -> float:
    below = 0.0
    while x < FAR:
        below, x = below + 1 / (x * x), x + 1
    y = 1 / (x * x)
    return 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * 5 / 66)))) + below


def tetragamma(x: float) -> float:
    below = 0.0
    while x < FAR:
        below, x = below - 2 / x**3, x + 1
    y = 1 / (x * x)
    return -y - y / x - y * y * (1 / 2 - y * (1 / 6 - y * (1 / 6 - y * (3 / 10 - y * 5 / 6)))) + below


def each(function, values: np.ndarray) -> np.ndarray:
    """function of each value, called once for equal ones."""
    distinct, index = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in distinct.tolist()])[index]
