"""The fits of an archive, the lines of its processes laid together, and how well the law of each predicts cases that
had no part in it: each case by a fit without all cases of its count.

By the counts that the archive has. R² says nothing of that: over decades of counts it is 0.999, whatever few do."""

from dataclasses import dataclass, field
from functools import cached_property
from math import floor
from statistics import median

from ..call.grouped import grouped
from ..statistics.line import fit_without
from .params import key_of


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


@dataclass
class Fit:
    """metric = a + b * law over the cases that share the group's values, as the archive has it: over the medians of all
    processes, or, where there is no such line, of each process laid together. Then a and b are the medians, the
    worst residual is kept, and the law holds where it does in half of the processes or more."""

    probe: str
    group: dict
    law: str
    metric: str
    a: float
    b: float
    residual_pct: float
    worst_case: str
    n: int
    law_holds: bool = True
    a_ends: tuple[float, float] | None = None  # 95 %; of processes laid together all that theirs hold
    b_ends: tuple[float, float] | None = None
    cases: list = field(default_factory=list)  # the points that it was made of

    @property
    def processes(self) -> int:
        """Of the case that the fewest measured."""
        return min((len(p.processes) for p in self.cases), default=0)

    @cached_property
    def held_out(self) -> HeldOut | None:
        """How well it predicts each of its cases without this one."""
        on_sm = bool(self.cases) and self.cases[0].unit == "cycles"
        return held_out([(p.count, p.value) for p in self.cases], on_sm)

    def holds(self, point) -> bool:
        """True if the fit speaks of the point."""
        return point.in_fit and self.counts(point)

    def counts(self, point) -> bool:
        """True also where the law counts what it makes no claim for."""
        same = (self.probe, self.law, self.metric) == (point.probe, point.law, point.metric)
        return same and self.group.items() <= point.params.items()


def merge_fits(lines: list, points: list = ()) -> list[Fit]:
    """The fits of an archive, each with its points."""
    groups = grouped(lines, lambda line: (line.probe, key_of(line.group), line.law, line.metric))
    fits = [_merge(same) for same in groups.values()]
    claimed = grouped((point for point in points if point.in_fit), lambda point: (point.probe, point.law, point.metric))
    for fit in fits:
        fit.cases = [p for p in claimed.get((fit.probe, fit.law, fit.metric), []) if fit.holds(p)]
    return fits


def _merge(lines: list) -> Fit:
    """The line over all processes, or those of the processes laid together."""
    same = [line for line in lines if line.process is None] or lines
    worst = max(same, key=lambda line: abs(line.largest_residual_pct))
    return Fit(
        *(worst.probe, worst.group, worst.law, worst.metric),
        median(line.a for line in same),
        median(line.b for line in same),
        worst.largest_residual_pct,
        worst.worst_case,
        worst.n,
        2 * sum(line.holds for line in same) >= len(same),
        *(_ends([getattr(line, ends) for line in same]) for ends in ("a_ci95", "b_ci95")),
    )


def _ends(of: list) -> tuple[float, float] | None:
    return (min(low for low, _ in of), max(high for _, high in of)) if all(of) else None
