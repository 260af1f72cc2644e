"""How well the law of a fit predicts cases that had no part in it: each case by a fit without all cases of its count.

By the counts that the archive has. R² says nothing of that: it is 0.999 over counts that span decades, whatever the
small ones do.
"""

from dataclasses import dataclass
from math import floor

from ..statistics.line import fit_without


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


def held_out(points: list[tuple[float, float]], on_sm: bool) -> HeldOut | None:
    """Of one fit, from the counts and costs of its cases; None where it says nothing of a count that it has not."""
    within_pct = 2 if on_sm else 10
    ratios = []
    positive = [(x, y) for x, y in points if y > 0]
    for count in dict.fromkeys(x for x, _ in points):
        line = fit_without(positive, count)
        if line and line.cost(count) > 0:
            ratios += [y / line.cost(count) for x, y in points if x == count]
    if not ratios:
        return None
    right = sum(abs(ratio - 1) <= within_pct / 100 for ratio in ratios)
    return HeldOut(len(ratios), right, within_pct, min(ratios), max(ratios))
