"""Quantiles of Student's t.

scipy.special has them. But nothing else needs scipy, which would be the largest of all packages, and to load it adds an
eighth to the processor time of `gpufx compare`. Here is the textbook form: the continued fraction of the incomplete
beta function (Abramowitz and Stegun 26.5.8, by Lentz's method), and Newton's steps on it. A test compares with scipy;
tests/vectors/student.json holds these quantiles and the program's (core/fit.c, a finite sum) together."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

STEPS = 200  # at most; four or five do
SAME = 1e-13  # relative, where steps end


def beta(a: float, b: float, x: float) -> tuple[float, float]:
    """The regularised incomplete beta function of 0 < x < 1, and its slope there."""
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    slope = front / (x * (1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * fraction(a, b, x) / a, slope
    return 1 - front * fraction(b, a, 1 - x) / b, slope


def fraction(a, b, x, size: Callable = abs):
    """The continued fraction, of numbers or of arrays. size: of a number, or of the largest one of an array."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, change, m = d, 0.0, 0
    while size(change - 1) > 1e-15 and m < 10000:
        m += 1
        even, odd = a + 2 * m, -(a + m) * (a + b + m) * x
        numerator = m * (b - m) * x / ((even - 1) * even)
        d = 1 / (1 + numerator * d)
        c = 1 + numerator / c
        value = value * c * d
        numerator = odd / (even * (even + 1))
        d = 1 / (1 + numerator * d)
        c = 1 + numerator / c
        change = c * d
        value = value * change
    return value


@lru_cache(maxsize=1 << 16)
def student_quantile(freedom: float, p: float) -> float:
    """The t below which Student's distribution of `freedom` degrees (1 to 10^5) has the share p > 0.5."""
    normal = NormalDist().inv_cdf(p)  # never above t, and from below Newton's steps can't overshoot
    t = normal
    if freedom > 3:
        t += (normal**3 + normal) / (4 * freedom) + (5 * normal**5 + 16 * normal**3 + 3 * normal) / (96 * freedom**2)
    for _ in range(STEPS):
        x = freedom / (freedom + t * t)
        outside, slope = beta(freedom / 2, 0.5, x)  # the share in both tails
        before, t = t, max(normal, t + (p - 1 + outside / 2) * freedom / (slope * t * x * x))
        if abs(t - before) <= SAME * t:
            break
    return t
