"""How well the law of a fit predicts cases that had no part in it: each case by a fit without all cases of its count.

By the counts that the archive has. R² says nothing of that: it is
0.999 over counts that span decades, whatever the small ones do.
"""

from dataclasses import dataclass
from math import floor, isclose

LEAST_COUNTS = 3  # distinct ones that a fit must be left with to say anything of another


@dataclass(frozen=True)
class HeldOut:
    predicted: int  # cases
    right: int
    within_pct: int  # 2 where an SM's clock times, 10 where the chip or the host is timed
    least: float  # measured / predicted
    most: float

    @property
    def share(self) -> str:
        """Rounded down: one wrong in a thousand must not look like none."""
        percent = floor(1000 * self.right / self.predicted) / 10
        return f"{percent if 90 <= percent < 100 else int(percent)} % within {self.within_pct} %"

    @property
    def ratios(self) -> str:
        return f"{self.least:.3f}..{self.most:.3f}"


def _line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """a and b by least squares over relative errors."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points, strict=True)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points, strict=True)) / total
    sxx = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points, strict=True))
    sxy = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points, strict=True))
    return mean_y - sxy / sxx * mean_x, sxy / sxx


def foreseen(points: list[tuple[float, float]], count: float, without: bool = True) -> float | None:
    """What a count costs by the line through the points (count, cost) that count otherwise, or without=False through
    all; None where there is no such line, or it says nothing of a count that it has not."""
    rest = [(x, y) for x, y in points if y > 0 and not (without and isclose(x, count, rel_tol=1e-9))]
    if len({x for x, _ in rest}) < LEAST_COUNTS:
        return None
    try:
        a, b = _line(rest)
    except ArithmeticError:  # figures too large, too small or too far apart for any line
        return None
    return a + b * count if a + b * count > 0 else None


def held_out(points: list[tuple[float, float]], on_sm: bool) -> HeldOut | None:
    """Of one fit, from the counts and costs of its cases; None where it says nothing of a count that it has not."""
    within_pct = 2 if on_sm else 10
    ratios = []
    for count in dict.fromkeys(x for x, _ in points):
        if (cost := foreseen(points, count)) is not None:
            ratios += [y / cost for x, y in points if x == count]
    if not ratios:
        return None
    right = sum(abs(ratio - 1) <= within_pct / 100 for ratio in ratios)
    return HeldOut(len(ratios), right, within_pct, min(ratios), max(ratios))


def together(parts: list[HeldOut | None]) -> HeldOut | None:
    """Of several fits of one law."""
    known = [part for part in parts if part]
    if not known:
        return None
    return HeldOut(
        sum(part.predicted for part in known),
        sum(part.right for part in known),
        known[0].within_pct,
        min(part.least for part in known),
        max(part.most for part in known),
    )
