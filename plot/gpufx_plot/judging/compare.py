"""Compares archives: is each case the same, faster or slower, and by how much?

The unit of evidence is the process, not the sample: samples of one process share its memory layout and clocks, and
tests on them find differences where there are none. So each process gives one number, the log of its median.
`verdicts` makes intervals and chances of them, over all cases at once; here they become words. Other levels than the
process are in `levels`.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING

from ..archive import limits
from ..archive.load import Archive
from ..archive.points import Point
from ..call.number_text import number
from ..statistics.quantiles import student_quantile, variance
from ..statistics.rules import CONFIDENCE, UNITS
from .facts import differing_facts, harness_note, rebuilt_note, searched_note, sources_changed

if TYPE_CHECKING:
    from ..chip.quantities import Quantity
    from ..statistics.spread import Side
    from ..statistics.verdicts import Evidence

VERDICTS = ("SLOWER", "FASTER", "SMALL", "OUTSIDE", "UNDECIDED", "WITHIN", "MISSING", "NEW", "INCOMPARABLE", "SAME")
POWER = 0.90
MOST_PROCESSES = 1000
MOST_RATIO = 1e100  # of two medians
MOST_EXPONENT = 700.0
WATCHED_FLAGS = {"throttled", "clock_moved", "latch_timeout", "drift", "above_peak"}


@dataclass(slots=True)
class Row:
    """One case of two archives. Ratios are new over base; the interval is None where there is no evidence for one."""

    probe: str
    case: str
    metric: str
    better: str
    verdict: str
    reason: str
    base: float | None = None
    new: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None  # that the change is within the margin, and what is seen is chance
    base_processes: int = 0
    new_processes: int = 0
    processes_needed: int | None = None
    flags: tuple = ()


@dataclass
class Comparison:
    base: Archive
    new: Archive
    facts: list[tuple[str, str, str]]  # what differs: name, in base, in new
    rows: list[Row]
    level: str = "process"
    behind: list[str] = field(default_factory=list)  # ids of further archives that spreads or levels come from
    notes: list[str] = field(default_factory=list)
    quantities: "list[tuple[Quantity, Quantity]]" = field(default_factory=list)  # that differ: base and new

    @property
    def counts(self) -> dict[str, int]:
        seen = Counter(row.verdict for row in self.rows)
        return {verdict: seen[verdict] for verdict in VERDICTS if seen[verdict]}


def welch(base: list[float], new: list[float]) -> tuple[float, float]:
    """Difference of the means (new - base) and half-width of its 95 % interval; two values a side at least."""
    parts = [variance(values) / len(values) for values in (base, new)]
    error2 = sum(parts)
    difference = fmean(new) - fmean(base)
    if error2 == 0:
        return difference, 0.0
    freedom = error2**2 / sum(p**2 / (len(values) - 1) for p, values in zip(parts, (base, new), strict=True))
    return difference, student_quantile(freedom, 0.5 + CONFIDENCE / 2) * math.sqrt(error2)


def exp(power: float) -> float:
    """e to the power, kept finite and above zero: the interval of few wild processes may reach anywhere."""
    return math.exp(max(-MOST_EXPONENT, min(power, MOST_EXPONENT)))


@cache
def _reach(n: int) -> float:
    """The difference, in spreads between processes, that n processes per side resolve."""
    freedom = 2 * n - 2
    surely = student_quantile(freedom, 0.5 + CONFIDENCE / 2) + student_quantile(freedom, POWER)
    return surely * math.sqrt(2 / n)


def processes_needed(spread: float, difference: float, margin: float) -> int | None:
    """Processes per side with which the interval is expected nine times in ten to leave zero out, or to lie inside the
    margin: the nearer goal counts. None: over 1000."""
    target = max(abs(difference), margin - abs(difference))
    if target <= 0:
        return None
    n = 2 + bisect_left(range(2, MOST_PROCESSES + 1), -target, key=lambda n: -_reach(n) * spread)
    return n if n <= MOST_PROCESSES else None


def percent(ratio: float) -> str:
    change = (ratio - 1) * 100
    return f"{change:+.0f} %" if abs(change) >= 100 else f"{change:+.2f} %"


def compare(
    base: Archive,
    new: Archive,
    margin: float,
    probes: set[str] | None = None,
    pattern: str = "",
    others: Sequence[Archive] = (),
    level: str = "process",
) -> Comparison:
    """All cases of both, in order of probe and then of the files. margin is a fraction: 0.01. Rows are of `probes`
    whose names match, with the verdicts that they have among all others: spreads are learnt from all cases, and how
    many of them are changed by chance counts all. others: further archives, of which those of the base's device tell
    about spreads where both sides have few processes, and are the repetitions at another level. What is returned keeps
    no case of the archives."""
    wanted = re.compile(pattern)
    points = [{p.key: p for p in archive.points} for archive in (base, new)]
    absences = [_absences(archive) for archive in (base, new)]
    rows: dict[tuple, Row] = {}
    pairs, hidden, rebuilt, searched = [], set(), 0, 0
    for key in dict.fromkeys((*points[0], *points[1])):
        old, young = (side.get(key) for side in points)
        point = old or young
        asked = (probes is None or point.probe in probes) and bool(wanted.search(point.name))
        if not asked:
            hidden.add(key)
        if old and young:
            rows[key] = _row(old, young)
            changed = sources_changed(base, new, old.probe)
            kept = bool(changed and old.code) and old.code == young.code
            rows[key].reason = _why_incomparable(old, young, "" if kept else changed)
            if not rows[key].reason:
                pairs.append((old, young))
                rebuilt += kept and asked
        elif point.searched and key not in absences[1 if old else 0]:
            searched += asked
        else:
            rows[key] = _alone(old, young, absences[1 if old else 0].get(key, "not measured"))
    behind = _judge_all(base, new, pairs, rows, margin, others, level)
    found = sorted((row for key, row in rows.items() if key not in hidden), key=lambda row: row.probe)
    notes = harness_note(base, new) + rebuilt_note(rebuilt) + searched_note(searched)
    facts = differing_facts(base, new)
    return Comparison(base.without_cases(), new.without_cases(), facts, found, level, behind, notes)


def _repeated(pairs, archives: Sequence[Archive], rows) -> list[tuple[Point, Point]]:
    """Those that an archive behind the base has; the others can't be compared at this level."""
    from .levels import cases_of

    there = zip(*(cases_of(archive, [old for old, _ in pairs]) for archive in archives), strict=True)
    known = [any(cases) for cases in there]
    for (old, _), has in zip(pairs, known, strict=True):
        if not has:
            rows[old.key].reason = "no other card's archive has it"
    return [pair for pair, has in zip(pairs, known, strict=True) if has]


def _judge_all(base, new, pairs, rows, margin, others, level) -> list[str]:
    """Gives the comparable cases their verdicts; returns the ids of the further archives that had a part in them."""
    if not pairs:
        return []
    # Loaded where something is compared: `summary` mostly compares nothing.
    import numpy as np

    from ..statistics.verdicts import weigh
    from .levels import cases_of, groups, lifted, side, wants_others

    asked = groups(base, new, others, level) if level != "process" else []
    if asked:
        pairs = _repeated(pairs, [archive for same in asked for archive in same], rows)
    if not pairs:
        return []
    kind = np.unique([old.probe for old, _ in pairs], return_inverse=True)[1]
    olds = [old for old, _ in pairs]
    sides = side(olds), side([young for _, young in pairs])
    apart = np.array([_sms_apart(old, young) for old, young in pairs])
    if level == "process":
        asked = _alike(base, new, others) if wants_others(base, new, level) else []
        history = [side(cases_of(archive, olds)) for archive in asked]
        evidence = weigh(kind, *sides, margin, history, apart)
    else:
        found = [[side(cases_of(archive, olds)) for archive in same] for same in asked]
        asked = [archive for same in asked for archive in same if archive is not base]
        sides = lifted(kind, found, sides[1])
        evidence = weigh(kind, *sides, margin, apart=apart)
    shown = [rows[old.key] for old, _ in pairs]
    flagged = [_flagged(old, young) for old, young in pairs]
    _into_rows(shown, flagged, sides, evidence, margin, UNITS[level], apart)
    return [archive.run["id"] for archive in asked]


def _alike(base: Archive, new: Archive, others: Sequence[Archive]) -> list[Archive]:
    ids = {base.run["id"], new.run["id"]}
    return [a for a in others if a.slug == base.slug and a.synthetic == base.synthetic and a.run["id"] not in ids]


def _sms_apart(old: Point, young: Point) -> float:
    """How far one SM's median may lie from that of all, as a logarithm, where one archive timed one SM and the other
    several in turn: the SMs of a chip are not alike, and which of them the one was is not known. 0 elsewhere."""
    if (old.over_sms is None) == (young.over_sms is None):
        return 0.0
    point = old if old.over_sms else young
    low, high = point.over_sms
    return max(math.log(point.value / low), math.log(high / point.value)) if low > 0 else 0.0


def _row(old: Point, young: Point) -> Row:
    row = Row(old.probe, old.label, old.metric, old.better, "INCOMPARABLE", "")
    row.base, row.new = old.value, young.value
    row.base_processes, row.new_processes = len(old.medians), len(young.medians)
    row.flags = tuple(sorted((old.flags | young.flags) & WATCHED_FLAGS))
    return row


def _flagged(old: Point, young: Point) -> str:
    flags = sorted((old.flags | young.flags) & WATCHED_FLAGS)
    return ", ".join(limits.words(flag, limits.merged(old.limits, young.limits)) for flag in flags)


def _why_incomparable(old: Point, young: Point, changed: str) -> str:
    if old.method_version != young.method_version:
        return f"the method changed: version {old.method_version} against {young.method_version}"
    if (old.metric, old.better) != (young.metric, young.better):
        return f"metrics differ: {old.metric} against {young.metric}"
    if changed:
        return changed
    medians = old.medians + young.medians
    if min(medians) <= 0 or max(medians) / MOST_RATIO > min(medians):
        word = "zero or less" if min(medians) <= 0 else "out of all proportion"
        return f"the median of a process is {word}, so there is no ratio"
    return ""


def _into_rows(
    rows: list[Row],
    flagged: list[str],
    sides: "tuple[Side, Side]",
    evidence: "Evidence",
    margin: float,
    units: str,
    apart,
) -> None:
    limit = math.log1p(margin)
    alone = (sides[0].count < 2) | (sides[1].count < 2)
    columns = (
        sides[0].mean,
        evidence.difference,
        evidence.half,
        evidence.p,
        evidence.beyond,
        evidence.spread,
        alone,
        apart,
    )
    each = zip(rows, flagged, *(c.tolist() for c in columns), strict=True)
    for row, flags, mean, difference, half, p, beyond, spread, one, sms in each:
        row.base, row.new, row.ratio = exp(mean), exp(mean + difference), exp(difference)
        row.low, row.high, row.p = exp(difference - half), exp(difference + half), p
        _decide(row, difference, half, limit, beyond, one, len(rows), units)
        if row.verdict != "SAME" and 0 < sms >= abs(difference):
            row.verdict = "WITHIN"
            row.reason = (
                f"{percent(row.ratio)}, within what SMs of the chip differ by: one was timed here, several there"
            )
        if row.verdict in ("UNDECIDED", "OUTSIDE"):
            row.processes_needed = processes_needed(spread, difference, limit)
            if row.verdict == "UNDECIDED" and abs(difference) - half <= limit:
                needed = f"about {row.processes_needed}" if row.processes_needed else f"over {MOST_PROCESSES}"
                row.reason += f"; {needed} {units} per side would decide"
        if flags and row.verdict != "SAME":
            row.reason += f" (flagged: {flags})"


def _decide(row: Row, difference, half, limit, beyond, one, cases, units) -> None:
    """The words for one case. one: a side has a single unit, and the interval is that of one more of the other's."""
    low, high = difference - half, difference + half
    usual = f"the ±{number(100 * math.expm1(min(half, MOST_EXPONENT)), 3)} % that {units} differ by"
    if -limit <= low and high <= limit:
        row.verdict, row.reason = "SAME", f"inside ±{number(math.expm1(limit) * 100, 3)} %"
    elif beyond:
        up, down = ("FASTER", "SLOWER") if row.better == "higher" else ("SLOWER", "FASTER")
        row.verdict = up if difference > 0 else down
        edge = row.low if difference > 0 else row.high
        row.reason = f"{percent(row.ratio)}, " + (f"beyond {usual}" if one else f"at the least {percent(edge)}")
    elif low > limit or high < -limit:
        row.verdict = "OUTSIDE" if one else "UNDECIDED"
        what = f"beyond {usual}" if one else f"between {percent(row.low)} and {percent(row.high)}"
        row.reason = f"{percent(row.ratio)}, {what}, but among {cases} cases some are so by chance; more {units} tell"
    elif low > 0 or high < 0:
        row.verdict, row.reason = "SMALL", f"small, or chance: {percent(row.ratio)}, not surely beyond the margin"
    elif one:
        row.verdict, row.reason = "WITHIN", f"{percent(row.ratio)}, within {usual}"
    else:
        row.verdict, row.reason = "UNDECIDED", f"between {percent(row.low)} and {percent(row.high)}"


def _absences(archive: Archive) -> dict[tuple, str]:
    """Why a case has no result: it was waived, or it failed."""
    return {absence.key: f"{absence.kind}: {absence.reason}" for absence in archive.waived + archive.failed}


def _alone(old: Point | None, young: Point | None, why: str) -> Row:
    point = old or young
    row = Row(point.probe, point.label, point.metric, point.better, "MISSING" if old else "NEW", why)
    row.reason += " (in the new archive)" if old else " (in the base)"
    if old:
        row.base, row.base_processes = old.value, len(old.medians)
    else:
        row.new, row.new_processes = young.value, len(young.medians)
    return row
