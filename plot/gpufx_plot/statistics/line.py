"""The weighted line cost = a + b x count: least squares over relative errors (weights 1 / cost^2), since a timing's
error grows with the timing. The program fits by the same rule while it measures (harness/core/fit.c); tests of both
read tests/vectors/fit.json."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from operator import mul

LEAST_COUNTS = 3  # distinct ones that must be left, where a count is predicted without its own cases
SAME = 1e-9  # relative: counts this near are one


class NoLine(ArithmeticError):  # noqa: N818
    """No line can be fitted through the points."""


@dataclass(frozen=True, slots=True)
class Line:
    a: float
    b: float
    points: Sequence[tuple[float, float]]  # (count, cost)
    weight: float  # sum of the weights
    mean: float  # weighted, of the counts
    squares: float  # weighted, of the counts about their mean

    def cost(self, count: float) -> float:
        return self.a + self.b * count

    @property
    def residuals(self) -> list[float]:
        """What each cost is above the line, relative to the cost."""
        return [1 - self.cost(x) / y for x, y in self.points]

    @property
    def residual_sd(self) -> float:
        """Standard deviation of the residuals, n - 2 degrees of freedom; NaN under 3 points."""
        free = len(self.points) - 2
        return math.sqrt(math.fsum(r * r for r in self.residuals) / free) if free > 0 else math.nan

    @property
    def unit_errors(self) -> tuple[float, float]:
        """The standard errors of a and b if that of each cost is the cost itself. Times residual_sd and Student's t:
        half of their intervals."""
        return math.sqrt(1 / self.weight + self.mean**2 / self.squares), math.sqrt(1 / self.squares)

    @property
    def shares(self) -> tuple[list[float], list[float]]:
        """Of a and of b: by how much one more of each cost changes it. The sum of share x cost is a, and b."""
        by_b = [(x - self.mean) / y**2 / self.squares for x, y in self.points]
        by_a = [1 / y**2 / self.weight - self.mean * share for (_, y), share in zip(self.points, by_b, strict=True)]
        return by_a, by_b


def fit_line(points: Sequence[tuple[float, float]]) -> Line:
    """Needs two distinct counts, and costs above 0. Raises ArithmeticError where there is no such line, or figures are
    too large, too small or too far apart for any."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    if not points or min(ys) <= 0 or min(xs) == max(xs):
        raise NoLine
    weights = [1 / y**2 for y in ys]
    weight = sum(weights)
    mean = sum(map(mul, weights, xs)) / weight
    mean_cost = sum(map(mul, weights, ys)) / weight
    # Sums about the means: the textbook form cancels badly where counts run from 4 to 2^30.
    squares = sum(w * (x - mean) ** 2 for w, x in zip(weights, xs, strict=True))
    b = sum(w * (x - mean) * (y - mean_cost) for w, x, y in zip(weights, xs, ys, strict=True)) / squares
    if not math.isfinite(b):
        raise NoLine
    return Line(mean_cost - b * mean, b, points, weight, mean, squares)


def fit_without(points: Sequence[tuple[float, float]], count: float) -> Line | None:
    """The line through the points of all other counts; None where these are too few to say anything of another."""
    rest = [(x, y) for x, y in points if not isclose(x, count, rel_tol=SAME)]
    distinct: list[float] = []
    for x, _ in rest:
        if len(distinct) < LEAST_COUNTS and not any(isclose(known, x, rel_tol=SAME) for known in distinct):
            distinct.append(x)
    if len(distinct) < LEAST_COUNTS:
        return None
    try:
        return fit_line(rest)
    except ArithmeticError:
        return None
