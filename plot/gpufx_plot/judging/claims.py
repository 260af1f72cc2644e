"""What the guides claim, held against an archive.

A claim is data: a sentence with its source, the cases that it speaks of, what they are set against, and the bounds of
the ratio (results/schema/claims-1.schema.json). An archive carries its program's claims; today's tree tests them.
All cases of the archive that the sentence covers decide by their intervals: inside the bounds, outside, undecided."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import msgspec

from .. import UserError
from ..archive.file import references
from ..archive.load import Archive, load
from ..archive.params import ordered
from ..archive.selection import axes_of
from ..call.cache import kept
from ..call.program import root
from ..chip.definitions import knows
from ..chip.quantities import data
from ..statistics.rules import ENOUGH, NO_EFFECT
from .ratio import INSIDE, OUTSIDE, UNCLEAR, Found, Ratio

HOLDS, DIRECTION, DEPENDS = "HOLDS", "RIGHT DIRECTION", "DEPENDS"
FAILS, UNDECIDED, UNKNOWN = "DOES NOT HOLD", "UNDECIDED", "NOT MEASURED"
WORDS = (HOLDS, DIRECTION, DEPENDS, FAILS, UNDECIDED, UNKNOWN)
MOST_AXES = 3  # that part the cases cleanly; where it takes more, two are named that part most of them
MOST_VARIED = 12  # as many axes as a probe may have


@dataclass
class Split:
    """Values of the axes, a tuple each, where the claim holds, and where it does not. astray: cases that are on the
    other side than most at their values; where there are as many of both kinds, the claim does not hold."""

    axes: tuple[str, ...]
    inside: list[tuple]
    outside: list[tuple]
    astray: int


def _by(axes: tuple[str, ...], inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    counts: dict[tuple, list[int]] = {}
    for side, rows in enumerate((inside, outside)):
        for row in rows:
            counts.setdefault(tuple(row.get(axis, "") for axis in axes), [0, 0])[side] += 1
    values = sorted(counts, key=lambda values: [(isinstance(value, str), value) for value in values])
    good = [value for value in values if counts[value][0] > counts[value][1]]
    bad = [value for value in values if counts[value][0] <= counts[value][1]]
    return Split(axes, good, bad, sum(map(min, counts.values())))


def _turns(split: Split) -> int:
    """How many turns there are from one side to the other along the values of one axis of numbers: one is a limit."""
    values = [value for (value,) in split.inside + split.outside] if len(split.axes) == 1 else []
    if not values or any(isinstance(value, str) for value in values):
        return 1
    sides = [(value,) in split.inside for value in ordered(values)]
    return sum(a != b for a, b in pairwise(sides))


def _cost(split: Split) -> tuple[int, int, int]:
    return split.astray, _turns(split), len(split.inside) + len(split.outside)


def split(inside: Sequence[dict], outside: Sequence[dict]) -> Split:
    """From the params of both kinds of cases, of which there is one each at the least."""
    rows = [*inside, *outside]
    varied = [axis for axis in rows[0] if len({row.get(axis) for row in rows}) > 1][:MOST_VARIED]
    best = []
    for count in range(min(len(varied), MOST_AXES) + 1):
        best.append(min((_by(axes, inside, outside) for axes in combinations(varied, count)), key=_cost))
        if not best[-1].astray:
            return best[-1]
    return best[min(len(best) - 1, 2)]


@dataclass
class Verdict:
    probe: str
    text: str
    source: str
    quantity: str
    bounds: tuple[int | float, int | float | None]
    verdict: str
    where: str | None = None  # the cases that it speaks of
    against: str | None = None  # what they are set against
    compares: bool = True  # with a base; else the quantity itself is claimed
    unit: str = ""  # of the quantity
    of_host: bool = False  # another host may give another verdict
    sides: dict[str, int] = field(default_factory=dict)  # pairs inside, outside, undecided
    ratios: list[Ratio] = field(default_factory=list)
    decides: Ratio | None = None
    effect: str = ""  # RIGHT DIRECTION: smaller or larger than claimed
    splits: Split | None = None  # DEPENDS: on what
    missing: dict[str, int] = field(default_factory=dict)  # pairs that were not measured, by reason
    reason: str = ""  # NOT MEASURED: why


def _direction(ratios: Sequence[Ratio], bounds: tuple[float, float]) -> str:
    """The effect, smaller or larger than claimed, where all ratios are surely on the claimed side of "no effect"."""
    low, high = bounds
    if low > 1:
        right = all(r.low > 1 + NO_EFFECT for r in ratios)
        words = {"smaller": any(r.value < low for r in ratios), "larger": any(r.value > high for r in ratios)}
    elif high < 1:
        right = all(r.high < 1 / (1 + NO_EFFECT) for r in ratios)
        words = {"smaller": any(r.value > high for r in ratios), "larger": any(r.value < low for r in ratios)}
    else:
        return ""
    return " or ".join(word for word, so in words.items() if so) if right else ""


def _distance(value: float, bounds: tuple[float, float]) -> float:
    """How far outside the bounds, as the logarithm of a factor; negative inside, by the way to the nearer bound."""
    value = value or sys.float_info.min  # 0 has no logarithm
    below = math.log(bounds[0]) - math.log(value) if bounds[0] > 0 else -math.inf
    above = math.log(value) - math.log(bounds[1]) if math.isfinite(bounds[1]) else -math.inf
    return max(below, above)


def _decide(result: Verdict, bounds: tuple[float, float]) -> None:
    """The verdict from the sides on which the pairs lie."""
    inside, outside = ([r for r in result.ratios if r.side == side] for side in (INSIDE, OUTSIDE))
    if len(inside) == len(result.ratios):
        result.verdict = HOLDS
    elif inside and outside:
        result.verdict = DEPENDS
        result.splits = split([r.params for r in inside], [r.params for r in outside])
    elif outside:
        result.effect = _direction(result.ratios, bounds) if result.compares else ""
        result.verdict = DIRECTION if result.effect else FAILS
    else:
        result.verdict = UNDECIDED
    deciding = outside or [r for r in result.ratios if r.side == UNCLEAR] or inside
    result.decides = max(deciding, key=lambda r: _distance(r.value, bounds))


def _why_not_given(given: dict, found: Found) -> str:
    """Why nothing can be said, or nothing."""
    sides = {ratio.side for ratio in found.ratios}
    if OUTSIDE in sides:
        return given["otherwise"]
    return "" if sides == {INSIDE} else f"no case shows whether {given['otherwise']}"


class Judge:
    def __init__(self, archive: Archive, others: Sequence[Archive] = (), sheet=None):
        from .ratios import Evidence, Terms  # with numpy, which verdicts that are kept do without

        self.terms_of = Terms.of
        self.evidence = Evidence(archive, others, sheet)
        self.axes = {name: axes_of(probe["axes"]) for name, probe in archive.run["probes"].items()}

    def _find(self, probe: str, claim: dict) -> tuple["Terms", Found]:  # noqa: F821
        try:
            terms = self.terms_of(probe, claim, self.axes.get(probe, {}))
        except UserError as error:
            raise UserError(f"a claim about {probe} can't be read: {error}") from None
        return terms, self.evidence.find(terms)

    def verdict(self, probe: str, claim: dict) -> Verdict:
        given = claim.get("given")
        bounds = claim["low"] or 0.0, claim["high"]
        compares = claim["against"] is not None
        result = Verdict(probe, claim["text"], claim["source"], claim["quantity"], bounds, UNKNOWN)
        result.where, result.against, result.compares = claim["where"], claim["against"], compares
        if given and given["where"] is None:
            result.reason = given["otherwise"]
            return result
        if given:
            other = given["probe"] or probe
            found = self._find(other, given)[1] if other in self.axes else Found()
            result.reason = _why_not_given(given, found)
        terms, found = self._find(probe, claim)
        result.missing = found.missing
        if result.reason or not found.ratios:
            result.reason = result.reason or "; ".join(found.missing) or "not among the archive's cases"
            return result
        result.ratios, result.unit, result.of_host = found.ratios, found.unit, found.of_host
        result.sides = {side: sum(r.side == side for r in found.ratios) for side in (INSIDE, OUTSIDE, UNCLEAR)}
        _decide(result, terms.bounds)
        return result


def judge_all(
    archive: Archive,
    declared: dict[str, list[dict]],
    only: Sequence[str] | None = None,
    others: Sequence[Archive] = (),
    sheet: dict[tuple, float] | None = None,
) -> list[Verdict]:
    """One verdict per claim about a probe of which the archive has cases, in the order in which they are declared,
    probe by probe. others: further archives of the device, which tell about spreads. sheet: ratios.of_sheet."""
    known = {*archive.probes, *(absence.probe for absence in archive.waived + archive.failed)}
    judge = Judge(archive, others, sheet)
    wanted = sorted(probe for probe in declared if probe in known and (only is None or probe in only))
    return [judge.verdict(probe, claim) for probe in wanted for claim in declared[probe]]


@dataclass
class Judged:
    """What an archive says of the claims, wherever it is asked."""

    archive: Archive
    verdicts: list[Verdict]
    teachers: list[str]  # ids of the archives that spreads were learnt from, too


def _of_today(run: dict, effect: str, claims: list[dict]) -> list[dict]:
    """Each as this tree tests the sentence, where the archive has the axes; what the tree withdrew is not claimed."""
    texts = [path.read_bytes() for path in root().glob(f"micro/*/{effect}/claims.json")]
    told = {claim["text"]: claim for text in texts for claim in msgspec.json.decode(text)}
    ours = {text: c for text, c in told.items() if "where" in c and knows(run, effect, c["where"], c.get("against"))}
    stated = [c for c in claims if not texts or c["text"] in told]
    return [{**dict.fromkeys(c), **ours.get(c["text"], c), "given": c.get("given")} for c in stated]


def judged(archive: Archive, only: Sequence[str] | None = None) -> Judged:
    """By the archive and the reference archives alone, so that no other archive in the tree changes a verdict. only:
    the claims about these probes."""
    others = _teachers(archive)
    probes = archive.run["probes"].items()
    declared = {name: _of_today(archive.run, name, probe["claims"]) for name, probe in probes if probe.get("claims")}

    def judge() -> list[Verdict]:
        from .ratios import of_sheet

        return judge_all(archive, declared, only, others, of_sheet(archive))

    sums = (one.sum for one in (archive, *others))
    follows_from = *sums, *data(), msgspec.msgpack.encode((only, declared))
    return Judged(archive, kept("verdicts", follows_from, list[Verdict], judge), [other.run["id"] for other in others])


def _teachers(archive: Archive) -> list[Archive]:
    """The reference archives of the device that have several processes, where the archive itself has few."""
    if archive.synthetic or 2 * archive.usual_processes >= ENOUGH:
        return []
    named = [path for path in references(root()).values() if path.parent.name == archive.slug and path.is_file()]
    found = [load(path) for path in named if path.resolve() != archive.path.resolve()]
    return [other for other in found if other.processes > 1 and other.run["id"] != archive.run["id"]]
