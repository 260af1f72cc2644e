"""Compares archives: is each case the same, faster or slower, and by how much?

The unit of evidence is the process, not the sample: samples of one process share its memory layout and clocks, and
tests on them find differences where there are none. So each process gives one number, the log of its median.
`verdicts` makes intervals and chances of them, over all cases at once; here they become words: SAME, SLOWER, FASTER or
UNSURE. What a difference is held against, and how that is learnt, is in `levels`."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

from ..archive.cases import Point, flag_text, limits_of_both
from ..archive.load import Archive
from ..call.number_text import counted, moved, number
from ..statistics.rules import CONFIDENCE, LEAST_OF_KIND, UNITS, WITH_ALL, WITH_KIND
from ..statistics.student import student_quantile
from .facts import board_of, code_changed, differing_facts, harness_note, shared_note, sources_changed

if TYPE_CHECKING:
    from ..chip.quantity import Quantity
    from ..statistics.together import Common
    from ..statistics.verdicts import Found

VERDICTS = ("SLOWER", "FASTER", "UNSURE", "MISSING", "NEW", "INCOMPARABLE", "COMMON", "SAME")
UNLIKE = ("MISSING", "INCOMPARABLE")
TIMEBASES = {"sm_cycles": "SM cycles", "gpu_ns": "device times", "host_ns": "host times"}
POWER = 0.90
MOST_PROCESSES = 1000
MOST_RATIO = 1e100  # of two medians
MOST_EXPONENT = 700.0
BETWEEN_SMS = "the variation between SMs; one side timed one SM, the other several"
IN_MODELS = "the margin of what archives of one model differ by"
WITH_OTHERS = "; with all "  # in the reason of a case that is SLOWER or FASTER as all times of its timebase are
WATCHED_FLAGS = {"gpu_shared", "throttled", "clock_moved", "latch_timeout", "drift", "above_peak"}


@dataclass(slots=True)
class Row:
    """One case of two archives. base and new are as measured, common factor and all; ratio, low and high are new over
    base without that factor (`common`), so new / base is ratio times common. The interval is None where there is no
    evidence for one. COMMON: the same, but for that factor, which alone takes it out of the margin."""

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
    common: float = 1.0  # the factor of all times of the timebase that was taken out of ratio, low and high


@dataclass(frozen=True)
class Shared:
    """What all times of one timebase have in common, new / base: a longer or shorter clock, or a change of all."""

    timebase: str
    cases: int
    probes: tuple[str, ...]
    ratio: float
    low: float
    high: float
    verdict: str  # SAME, SLOWER, FASTER, UNSURE


@dataclass(frozen=True)
class Middle:
    """The middle of a kind of cases; low and high are its interval. Kinds of fewer than three cases are taken together
    where their probe and metric have three such cases or more; else each case stands for itself."""

    probe: str
    timebase: str
    better: str
    names: frozenset[str]  # of the cases
    ratio: float
    low: float
    high: float
    freedom: float  # of Student's distribution, which the interval is of
    once: bool = False  # of all these cases, see Found


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
    shared: list[Shared] = field(default_factory=list)
    middles: list[Middle] = field(default_factory=list)
    unlike: dict[str, tuple[str, str]] = field(default_factory=dict)  # cases that are not compared: verdict, reason
    cards: int = 0  # of the model, behind level board
    kinds: tuple[str, str] = ("", "")  # of card, base and new, where the model has several; "": not known
    margin: float = 0.01
    judged: list[str] = field(default_factory=list)  # what each condition of --fail-on could ask of
    fail_on: list[str] = field(default_factory=list)  # what met a condition of --fail-on, or why it is undecided

    @property
    def of_two_models(self) -> bool:
        return self.base.slug != self.new.slug

    @property
    def counts(self) -> dict[str, int]:
        seen = Counter(row.verdict for row in self.rows)
        return {verdict: seen[verdict] for verdict in VERDICTS if seen[verdict]}


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
    return moved(ratio, 2, 100)


def kind_of(probe: str, metric: str, label: str) -> tuple:
    """The words of a case's name, without its numbers: cases that are alike."""
    words = [part for part in label.split("/") if not part.rpartition(":")[2].lstrip("-").isdigit()]
    return (probe, metric, *words)


def compare(
    base: Archive,
    new: Archive,
    margin: float,
    probes: set[str] | None = None,
    pattern: str = "",
    others: Sequence[Archive] = (),
) -> Comparison:
    """All cases of both, in order of probe and then of the files. margin is a fraction: 0.01. Rows are of `probes`
    whose names match, with the verdicts that they have among all others: spreads are learnt from all cases, and how
    many of them are changed by chance counts all. others: further archives, of which those of the base's device say
    what processes or cards differ by. What is returned keeps no case of the archives."""
    wanted = re.compile(pattern)
    points = [{p.key: p for p in archive.points} for archive in (base, new)]
    absences = [{a.key: f"{a.kind}: {a.reason}" for a in side.waived + side.failed} for side in (base, new)]
    rows: dict[tuple, Row] = {}
    pairs, hidden, edited, searched = [], set(), {}, 0
    for key in dict.fromkeys((*points[0], *points[1])):
        base_point, new_point = (side.get(key) for side in points)
        point = base_point or new_point
        asked = (probes is None or point.probe in probes) and bool(wanted.search(point.name))
        if not asked:
            hidden.add(key)
        if base_point and new_point:
            rows[key] = _row(base_point, new_point)
            rows[key].reason = why_incomparable(base_point, new_point)
            if not rows[key].reason:
                pairs.append((base_point, new_point))
                if asked and sources_changed(base, new, base_point.probe):
                    edited[base_point.probe] = True
        elif point.searched and key not in absences[1 if base_point else 0]:
            searched += asked
        else:
            rows[key] = _one_sided(base_point, new_point, absences[1 if base_point else 0].get(key, "not measured"))
    sides, facts = (base.without_cases(), new.without_cases()), differing_facts(base, new)
    found = Comparison(*sides, facts, [], margin=margin)
    if pairs:
        _judge_all(found, base, new, pairs, rows, margin, others, hidden)
    unlike = (row for row in rows.values() if row.verdict in UNLIKE)
    found.unlike = {f"{row.probe}/{row.case}": (row.verdict, row.reason) for row in unlike}
    found.rows = sorted((row for key, row in rows.items() if key not in hidden), key=lambda row: row.probe)
    found.notes = [f"{side.run['id']}: {note}." for side in (base, new) for note in shared_note(side)]
    found.notes += harness_note(base, new)
    if edited:
        told = f"The sources of {', '.join(edited)} were edited between the two archives, but method version, machine "
        found.notes.append(f"{told}code and launches are the same, so their cases are compared.")
    if searched:
        told = f"{counted(searched, 'case')} in one archive only: added by a search between the values of its sweeps."
        found.notes.append(told)
    return found


def _judge_all(found: Comparison, base, new, pairs, rows, margin, others, hidden: set) -> None:
    """Gives the comparable cases their verdicts."""
    # Loaded where something is compared: `summary` mostly compares nothing.
    import numpy as np

    from ..chip.uncertainty import side
    from ..statistics.verdicts import weigh_all
    from .levels import apart_in_models, card_kinds, history_of, level_between, mean_of, models, once_of, repeated

    found.level = level_between(base, new)
    kinds = card_kinds(base, new, others) if found.level == "board" and base.slug == new.slug else {}
    behind = repeated(found.level, base, new, others, kinds)
    if found.level != "process" and not behind:
        found.level = "process"
        behind = repeated(found.level, base, new, others)
    base_points = [base_point for base_point, _ in pairs]
    sides = [side(base_points), side([new_point for _, new_point in pairs])]
    counts = np.minimum(sides[0].count, sides[1].count)
    if found.level != "process":
        sides = [mean_of(one) for one in sides]
    history = [history_of(found.level, units, base_points, counts) for units in behind]
    if found.level == "process":
        known = [*sides, *history]
        slugs = (base.slug, new.slug)
        history += [once_of(of, base_points, known, of[0].slug in slugs) for of in models(base, new, others)]
    names = [timebase_of(base, base_point) for base_point in base_points]
    timebases, timebase = np.unique(names, return_inverse=True)
    apart, by = np.array([_sms_apart(base_point, new_point) for base_point, new_point in pairs]), BETWEEN_SMS
    if base.slug != new.slug:
        of_models = apart_in_models(sides, (base.slug, new.slug), others, base_points)
        apart, by = np.maximum(apart, of_models + math.log1p(margin)), IN_MODELS
    numbers: dict[tuple, int] = {}  # from 0, of kinds of cases
    alike = (kind_of(base_point.probe, base_point.metric, base_point.label) for base_point in base_points)
    evidence = weigh_all(
        np.unique([base_point.probe for base_point in base_points], return_inverse=True)[1],
        np.array([numbers.setdefault(kind, len(numbers)) for kind in alike]),
        timebase,
        np.array([1 if base_point.better == "lower" else -1 for base_point in base_points]),
        *sides,
        margin,
        history,
        apart,
        base.slug == new.slug,
        found.level == "process",
    )
    found.behind = [archive.run["id"] for units in behind for archive in units]
    if found.level == "board":
        found.cards = sum(map(len, behind))
        found.kinds = tuple(kinds.get(board_of(one), "") for one in (base, new))
    common = zip(timebases.tolist(), evidence.common, strict=True)
    probes = {
        name: tuple(sorted({p.probe for p, n in zip(base_points, names, strict=True) if n == name}))
        for name in set(names)
    }
    found.shared = [_shared(name, probes[name], one, math.log1p(margin)) for name, one in common if one.cases]
    asked = np.array([base_point.key not in hidden for base_point in base_points])
    found.middles = [*_middles(base_points, names, evidence, asked)]
    shown = [rows[base_point.key] for base_point in base_points]
    limits = [limits_of_both(base_point.limits, new_point.limits) for base_point, new_point in pairs]
    flagged = [", ".join(flag_text(flag, of) for flag in row.flags) for row, of in zip(shown, limits, strict=True)]
    words = [TIMEBASES.get(name, "times") for name in names]
    _into_rows(shown, flagged, words, sides[0].mean, evidence, math.log1p(margin), UNITS[found.level], apart, by)


def _middles(points: Sequence[Point], names: Sequence[str], evidence: "Found", asked: "np.ndarray"):  # noqa: F821
    """Of the cases that were asked for."""
    import numpy as np

    part = set(evidence.kind[~asked].tolist())  # kinds of which some cases were not asked for
    whole: dict[tuple, list[int]] = {}
    for place in np.flatnonzero(asked).tolist():
        point, row = points[place], int(evidence.kind[place])
        key = ("kind", row) if row >= 0 and row not in part else (point.probe, point.metric)
        whole.setdefault(key, []).append(place)
    for (word, row), places in whole.items():
        few = word != "kind" and len(places) < LEAST_OF_KIND
        for mine in [[place] for place in places] if few else [places]:
            point, of = points[mine[0]], evidence.kinds if word == "kind" else evidence.cases
            taken = [row] if word == "kind" else mine
            middle, half, freedom = (median(each[taken].tolist()) for each in (of.difference, of.half, of.freedom))
            ends = exp(middle), exp(middle - half), exp(middle + half), freedom
            cases = frozenset(points[at].name for at in mine)
            yield Middle(point.probe, names[mine[0]], point.better, cases, *ends, bool(evidence.once[mine].all()))


def timebase_of(archive: Archive, point: Point) -> str:
    probe = archive.run["probes"].get(point.probe) or {}
    return next((m["timebase"] for m in probe.get("metrics", ()) if m["name"] == point.metric), point.unit)


def _shared(timebase: str, probes: tuple[str, ...], one: "Common", limit: float) -> Shared:
    low, high = one.factor - one.half, one.factor + one.half
    verdict = "SAME" if -limit <= low and high <= limit else "UNSURE"
    if one.beyond:
        verdict = "SLOWER" if one.factor > 0 else "FASTER"
    return Shared(timebase, one.cases, probes, exp(one.factor), exp(low), exp(high), verdict)


def _sms_apart(base: Point, new: Point) -> float:
    """How far one SM's median may lie from that of all, as a logarithm, where one archive timed one SM and the other
    several in turn: the SMs of a chip are not alike, and which of them the one was is not known. 0 elsewhere."""
    if (base.over_sms is None) == (new.over_sms is None):
        return 0.0
    point = base if base.over_sms else new
    low, high = point.over_sms
    return max(math.log(point.value / low), math.log(high / point.value)) if low > 0 else 0.0


def _row(base: Point, new: Point) -> Row:
    row = Row(base.probe, base.label, base.metric, base.better, "INCOMPARABLE", "")
    row.base, row.new = base.value, new.value
    row.base_processes, row.new_processes = len(base.medians), len(new.medians)
    row.flags = tuple(sorted((base.flags | new.flags) & WATCHED_FLAGS))
    return row


def why_incomparable(base: Point, new: Point) -> str:
    if base.method_version != new.method_version:
        return f"the method changed: version {base.method_version} against {new.method_version}"
    if (base.metric, base.better, base.unit) != (new.metric, new.better, new.unit):
        return f"metrics differ: {base.metric} in {base.unit} against {new.metric} in {new.unit}"
    if changed := code_changed(base, new):
        return changed
    medians = base.medians + new.medians
    if min(medians) <= 0 or max(medians) / MOST_RATIO > min(medians):
        word = "zero or less" if min(medians) <= 0 else "implausible"
        return f"the median of a process is {word}, so there is no ratio"
    return ""


def _into_rows(rows: list[Row], flagged, words, base_mean, evidence: "Found", limit, units, apart, by: str) -> None:
    cases = evidence.cases
    taken = evidence.taken.tolist()
    columns = (base_mean, cases.difference, cases.half, cases.p, cases.spread, evidence.how, evidence.kind, apart)
    each = zip(rows, flagged, words, taken, *(c.tolist() for c in columns), strict=True)
    for row, flags, times, common, mean, difference, half, p, spread, how, kind, far in each:
        row.base, row.new, row.ratio = exp(mean), exp(mean + difference + common), exp(difference)
        row.low, row.high, row.p, row.common = exp(difference - half), exp(difference + half), p, exp(common)
        if -limit <= difference - half and difference + half <= limit:
            row.verdict, row.reason = "SAME", f"inside ±{number(math.expm1(limit) * 100, 3)} %"
            if abs(difference + common) > limit:
                row.verdict = "COMMON"
        elif how:
            _beyond(row, difference, how, evidence.kinds.difference[kind] if how == WITH_KIND else 0.0, times)
        else:
            within = by if limit < abs(difference) <= far else ""
            _unsure(row, difference, half, spread, limit, within, units, len(rows))
        if abs(common) > limit / 2:
            row.reason += f"; without the {percent(row.common)} of all {times}"
        if flags and row.verdict not in ("SAME", "COMMON"):
            row.reason += f" (flagged: {flags})"


def change_words(of: Row | Shared, up: str, down: str) -> str:
    """3.1 % slower, 95 % CI 2.2..4.0 %"""
    sign = 1 if of.ratio > 1 else -1
    ends = sorted(100 * (end - 1) * sign for end in (of.low, of.high))
    numbers = (100 * (of.ratio - 1) * sign, *ends)
    size, low, high = (f"{value:.1f}" if abs(value) < 99.95 else number(value, 3) for value in numbers)
    return f"{size} % {up if sign > 0 else down}, {100 * CONFIDENCE:g} % CI {low}..{high} %"


def _ways(row: Row) -> tuple[str, str]:
    """What a larger and a smaller figure are."""
    return ("faster", "slower") if row.better == "higher" else ("slower", "faster")


def _beyond(row: Row, difference: float, how: int, of_kind: float, times: str) -> None:
    ways = _ways(row)
    row.verdict, row.reason = ways[difference <= 0].upper(), change_words(row, *ways)
    if how == WITH_KIND:
        row.reason += f"; with its kind, whose median case is {percent(exp(of_kind))}"
    elif how == WITH_ALL:
        row.reason += f"{WITH_OTHERS}{times}"


def _unsure(row: Row, difference, half, spread, limit, within: str, units: str, cases: int) -> None:
    row.verdict, row.reason = "UNSURE", change_words(row, *_ways(row))
    low, high = difference - half, difference + half
    row.processes_needed = processes_needed(spread, difference, limit)
    needed = f"about {row.processes_needed}" if row.processes_needed else f"over {MOST_PROCESSES}"
    if within:
        row.reason += f": within {within}"
    elif low > limit or high < -limit:
        row.reason += f": beyond what {units} differ by, but of {cases} cases a few are so by chance; more {units} tell"
    elif low > 0 or high < 0:
        row.reason += ": not certain to exceed the margin"
    else:
        row.reason += f": as usual between {units}; {needed} per side would decide"


def _one_sided(base: Point | None, new: Point | None, why: str) -> Row:
    point = base or new
    row = Row(point.probe, point.label, point.metric, point.better, "MISSING" if base else "NEW", why)
    row.reason += " (in the new archive)" if base else " (in the base)"
    if base:
        row.base, row.base_processes = base.value, len(base.medians)
    else:
        row.new, row.new_processes = new.value, len(new.medians)
    return row
