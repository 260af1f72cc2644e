"""What the fits of an archive predict: its own cases, and those of another archive, judged by the accuracy goals that
probes declare.

A fit predicts only by today's laws and methods, which the program tells. Costs of the archive's own cases are by the
counts and the fits that stand in it, whatever those were."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from .. import UserError
from ..archive.cases import Point
from ..archive.load import Archive, load
from ..archive.pooled_fits import Fit
from ..archive.selection import axes_of, parse
from ..call.grouped import grouped
from ..call.program import archives, ask, home, root
from ..call.text import shown

FARTHEST = 5


@dataclass(frozen=True)
class Today:
    """What the program that called has: the version of its laws, of each the first that counts as today and the first
    whose fits predict (of a probe's own law: all; its method_version says when it changed), and its probes."""

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
    info = ask("info", "--device", "synthetic:generic", "--json")  # no GPU has to be there, nor to be woken
    try:
        return Today(info["law_version"], {probe["name"]: probe for probe in probes}, info["laws"])
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
    """What fits say that cases cost, by their names, also where the law makes no claim; not without count or fit."""
    by_law = grouped(fits, lambda fit: (fit.probe, fit.law, fit.metric))
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

    def as_json(self) -> dict:
        names = ("where", "tolerance_pct", "share_pct", "right", "off", "unpredicted", "not_claimed", "verdict")
        far = [vars(one) | {"off_pct": one.off_pct} for one in self.farthest]
        return {"probe": self.probe} | {name: getattr(self, name) for name in names} | {"farthest": far}

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
    version = other.run["law_version"]
    # Refused where no law counts as today. Cases of single laws that do not have no prediction.
    if not any(now.counts(law, version) for law in {point.law for point in other.points if point.law}):
        raise UserError(
            f"{shown(other.path)}: its cases are counted by law version {version}, and this gpufx has "
            f"{now.law_version}; measure again"
        )
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
    failed = Counter(case.status for case in other.failed if found.get(case.probe))
    aims = [aim for same in found.values() for aim, _ in same]
    return [aim for aim in aims if aim.right + aim.off + aim.unpredicted], failed


def predicting(other: Archive, probe: str, now: Today) -> tuple[Archive, list[Fit]] | None:
    """The newest measured archive of the same device under results/ with fits of this probe that may predict."""
    slug = other.run["device"]["slug"]
    for entry in archives():
        kept = any(entry.path.is_relative_to(folder / "results") for folder in (root(), home()))
        if not kept or entry.synthetic or entry.slug != slug:
            continue
        archive = load(entry.path)
        fits = [fit for fit in archive.merged_fits if why_not(fit, archive.run, now) is None]
        if any(fit.probe == probe for fit in fits):
            return archive, fits
    return None
