"""What the fits of an archive say: of its own cases; of those of another archive, by the aims that probes have set
themselves; and, fitted anew without the cases in question, how good the laws are (held_out.py).

A fit predicts only by today's laws and methods, which the program tells. Costs of the archive's own cases are by the
counts and the fits that stand in it, whatever those were.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan

from .. import UserError
from ..archive.load import Archive
from ..archive.points import Point
from ..archive.pooled_fits import Fit
from ..archive.selection import axes_of, parse
from ..call.program import ask
from ..call.text import shown
from ..statistics.line import fit_without

TOLERANCES_PCT = (2, 5, 10)
FARTHEST = 5


@dataclass(frozen=True)
class Today:
    """What the program that called has: the version of its laws, of each the first that counts as today and the first
    whose fits predict (of a law that a probe brings itself: all; its method_version says when it changed), and its
    probes."""

    law_version: int
    probes: dict[str, dict]
    laws: dict[str, tuple[int, int]] = field(default_factory=dict)

    def counts(self, law: str, version: int) -> bool:
        """Whether that version counted as today."""
        return self.laws.get(law, (1, 1))[0] <= version <= self.law_version

    def predicts(self, law: str, version: int) -> bool:
        """Whether its fits predict by today's counts."""
        return self.laws.get(law, (1, 1))[1] <= version <= self.law_version


def today() -> Today:
    probes = ask("list", "--json")
    told = ask("info", "--device", "synthetic:generic", "--json")  # no GPU has to be there, nor to be woken
    try:
        return Today(told["law_version"], {probe["name"]: probe for probe in probes}, told["laws"])
    except (TypeError, KeyError):
        raise UserError("`gpufx list` did not list probes; is it the same version?") from None


def why_not(fit: Fit, run: dict, now: Today) -> str | None:
    """Why a fit may not predict; None: it may. The rule of harness/archive/fit_lines.c; both are held to
    tests/vectors/usable_fits.json."""
    probe = now.probes.get(fit.probe)
    method = (run["probes"].get(fit.probe) or {}).get("method_version")
    if probe is None:
        return "this gpufx has no such probe"
    if method != probe["method_version"]:
        return f"method version {method}, and today's is {probe['method_version']}"
    if not now.predicts(fit.law, run["law_version"]):
        return f"law version {run['law_version']}, and this gpufx has {now.law_version}"
    return None if fit.b > 0 else "its cost does not grow with the count"


def costs(fits: Iterable[Fit], points: Iterable[Point]) -> dict[str, float]:
    """What fits say that cases cost, by their names, also where the law makes no claim; cases without a count or a fit
    are left out."""
    by_law: dict[tuple, list[Fit]] = {}
    for fit in fits:
        by_law.setdefault((fit.probe, fit.law, fit.metric), []).append(fit)
    found = {}
    for point in points:
        mine = by_law.get((point.probe, point.law, point.metric), ())
        fit = next((fit for fit in mine if fit.counts(point)), None)
        if fit and point.count > 0:
            found[point.name] = fit.a + fit.b * point.count
    return found


@dataclass(frozen=True)
class Far:
    name: str
    measured: float
    predicted: float

    @property
    def off_pct(self) -> float:
        """Of the prediction, with its sign."""
        return 100 * (self.measured / self.predicted - 1)


@dataclass
class Aim:
    """What became of an aim of a probe. Each case that its selection holds, of each process, is right, off, or has no
    prediction: not claimed, where the probe says that its law is not meant for it, or without a fit."""

    probe: str
    where: str
    tolerance_pct: float
    share_pct: float | None  # of the predictions that must be right; None: they are counted, and no aim is set
    right: int = 0
    off: int = 0
    not_claimed: int = 0
    no_fit: int = 0
    predictions: list[Far] = field(default_factory=list)

    @property
    def unpredicted(self) -> int:
        return self.not_claimed + self.no_fit

    @property
    def farthest(self) -> list[Far]:
        return sorted(self.predictions, key=lambda far: -abs(far.off_pct))[:FARTHEST]

    @property
    def verdict(self) -> str:
        if not self.right + self.off:
            return "waived"
        if self.share_pct is None:
            return "no goal"
        # 99.9 % of 1000 is 999
        return "agrees" if 100 * self.right >= self.share_pct * (self.right + self.off) * (1 - 1e-12) else "OFF"

    def take(self, point: Point, fit: Fit | None) -> None:
        cost = fit.a + fit.b * point.count if fit and point.count > 0 else 0.0
        for measured in point.medians:
            if cost > 0:
                far = Far(point.name, measured, cost)
                self.predictions.append(far)
                right = abs(far.off_pct) <= self.tolerance_pct
                self.right += right
                self.off += not right
            else:
                self.no_fit += point.in_fit
                self.not_claimed += not point.in_fit


def judge(fits: list[Fit], other: Archive, now: Today) -> tuple[list[Aim], dict[str, int]]:
    """The aims that speak of some case of the other archive, and how many of its cases failed, by their status. fits:
    those that may predict. A case belongs to the first aim that holds it."""
    _check_laws(other, now)
    version = other.run["law_version"]
    found: dict[str, list[tuple]] = {}
    for name, probe in now.probes.items():
        axes = axes_of(probe["axes"])
        found[name] = [(Aim(name, **aim), parse(aim["where"], axes)) for aim in probe["aims"]]
    for point in other.points:
        aim = next((aim for aim, where in found.get(point.probe, ()) if where.holds(point.params)), None)
        if aim:
            known = point.method_version == now.probes[point.probe]["method_version"]
            known = known and now.counts(point.law or "", version)
            aim.take(point, next((fit for fit in fits if known and fit.holds(point)), None))
    failed: dict[str, int] = {}
    for case in other.failed:
        if found.get(case.probe):
            failed[case.status] = failed.get(case.status, 0) + 1
    aims = [aim for same in found.values() for aim, _ in same]
    return [aim for aim in aims if aim.right + aim.off + aim.unpredicted], failed


@dataclass
class Judged:
    """How well a law of a probe predicts cases that had no part in its fits."""

    probe: str
    law: str
    metric: str
    unclaimed: int = 0  # cases for which the law is not meant, or without a fit
    ratios: list[tuple[float, str]] = field(default_factory=list)  # measured / predicted, and the case

    @property
    def within(self) -> list[int]:
        """Cases within each of TOLERANCES_PCT."""
        return [sum(abs(ratio - 1) <= pct / 100 for ratio, _ in self.ratios) for pct in TOLERANCES_PCT]

    @property
    def most(self) -> tuple[float, str]:
        return max(self.ratios, key=lambda pair: pair[0])

    @property
    def least(self) -> tuple[float, str]:
        return min(self.ratios, key=lambda pair: pair[0])


def hold_out(archive: Archive, other: Archive | None, now: Today) -> list[Judged]:
    """A row for each law and metric of each probe. Each case is predicted by the fit of its group over the cases that
    count otherwise; with another archive, the cases of that one by the fits over all of the first."""
    for one in filter(None, (archive, other)):
        _check_laws(one, now)
    fitted = _by_group(archive, now)
    oldest = min(one.run["law_version"] for one in (archive, other) if one)
    rows: dict[tuple, Judged] = {}
    for key, tested in (_by_group(other, now) if other else fitted).items():
        probe, metric, law = key[:3]
        row = rows.setdefault((probe, metric, law), Judged(probe, law, metric))
        points = [(p.count, p.value) for p in fitted.get(key, ()) if p.in_fit]
        for point in tested:
            # None counts as nan does, so that all points have a part in the fit.
            claimed = point.in_fit and now.counts(law, oldest)
            line = fit_without(points, nan if other else point.count) if claimed else None
            if line and line.cost(point.count) > 0:
                row.ratios.append((point.value / line.cost(point.count), point.name))
            else:
                row.unclaimed += 1
    metrics = list(dict.fromkeys(key[:2] for key in rows))  # in the order of the probe, as cases stand
    return [rows[key] for key in sorted(rows, key=lambda key: (metrics.index(key[:2]), key[2]))]


def _by_group(archive: Archive, now: Today) -> dict[tuple, list[Point]]:
    """Cases that one fit is made of, of probes that there are today."""
    groups: dict[tuple, list[Point]] = {}
    for point in archive.points:
        fit_by = archive.run["probes"].get(point.probe, {}).get("fit_by")
        known = point.probe in now.probes and fit_by is not None
        if known and point.law and min(point.medians) > 0:
            values = tuple(point.params.get(axis) for axis in fit_by)
            groups.setdefault((point.probe, point.metric, point.law, values), []).append(point)
    return groups


def _check_laws(archive: Archive, now: Today) -> None:
    """Refuses an archive of which no law counts as today. Cases of single laws that do not have no prediction."""
    counted_by = archive.run["law_version"]
    if not any(now.counts(law, counted_by) for law in {point.law for point in archive.points if point.law}):
        raise UserError(
            f"{shown(archive.path)}: its cases are counted by law version {counted_by}, and this gpufx has "
            f"{now.law_version}; measure again"
        )
