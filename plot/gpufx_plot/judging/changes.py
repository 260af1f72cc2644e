"""What a comparison says once it is laid together: the factors that explain most of it, and what changed by probe, by
quantity and by case, worst first.

A slower clock or a link of half the width moves thousands of cases by one factor, and each of them alone says nothing
more. Nobody has to know which cases these are. A kind of cases is those of one probe and metric whose names have the
same words; it has moved by one factor if that holds for half of what changed in it, within the margin. Kinds of one
unit that moved by the same factor are told together, named after the facts and the quantities that moved so, too."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from ..archive.load import Archive
from ..call.grouped import grouped
from ..call.number_text import counted
from ..chip.quantity import Quantity
from ..statistics.rules import near
from .compare import Comparison, Row, exp, kind_of, why_incomparable

CHANGED = ("SLOWER", "FASTER")
LEAST, SHARE = 10, 0.05  # cases, and part of what changed, that a factor has to explain
FEW = 3  # changed cases of a kind that show a factor
MOST_FACTORS = 4
NEAR = 0.02  # a fact or a quantity that moved by the factor so nearly, at the most, is taken for its name
LOWEST = 1e-300  # of an end of an interval
CLEAR = 3  # times the margin: a smaller factor is shared by chance
# Facts whose figures can be the cause: clocks, rates, limits, links; not sizes, which may agree by chance.
FACTS = re.compile(r"(device|environment|clocks)\..*(MHz|GBps|_mW|width|generation)")


@dataclass
class Factor:
    """One factor of many changed cases. value: of the cost, new / base."""

    value: float
    unit: str  # of the costs
    rows: list[Row]
    of: int  # changed cases in all
    unsure: int  # of these
    facts: list[tuple[str, str, str]] = field(default_factory=list)  # name, base, new
    quantities: list[tuple[Quantity, Quantity]] = field(default_factory=list)

    @property
    def probes(self) -> list[str]:
        counts = Counter(row.probe for row in self.rows)
        return [name for name, _ in counts.most_common()]


def changed_rows(comparison: Comparison) -> list[Row]:
    """What is SLOWER or FASTER, and what is UNSURE though its own interval lies beyond the margin: among thousands of
    cases some do by chance, and what moved together shows in them."""
    most = 1 + comparison.margin
    return [
        row
        for row in comparison.rows
        if row.verdict in CHANGED or (row.verdict == "UNSURE" and (row.low > most or row.high < 1 / most))
    ]


def _cost(row: Row) -> float:
    """The logarithm of the factor by which the cost grew."""
    return math.log(row.ratio) * (1 if row.better == "lower" else -1)


def _unit(row: Row) -> str:
    return row.metric.rsplit("_", 1)[-1]


def _densest(costs: Sequence[float], reach: float) -> list[float]:
    """The most values that all lie within `reach` of their middle."""
    ordered = sorted(costs)
    ends = [bisect_right(ordered, low + 2 * reach) for low in ordered]
    start = max(range(len(ordered)), key=lambda i: ends[i] - i)
    return ordered[start : ends[start]]


def _moved(rows: Sequence[Row], reach: float) -> tuple[float, list[Row]]:
    """The factor (its logarithm) by which most rows of one unit moved, and these rows."""
    kinds = grouped(rows, lambda row: kind_of(row.probe, row.metric, row.case))
    alike: list[list[float]] = []
    for same in kinds.values():
        costs = _densest([_cost(row) for row in same], reach)
        if len(costs) >= FEW and 2 * len(costs) >= len(same):
            alike.append(costs)
    if not alike:
        return 0.0, []
    factor = median(_densest([cost for costs in alike for cost in costs], reach))
    moved = {kind: [row for row in same if _explains(factor, row, reach)] for kind, same in kinds.items()}
    moved = {kind: rows for kind, rows in moved.items() if 2 * len(rows) >= len(kinds[kind])}
    # Of a probe that shows the factor, in one kind or in most of what changed, kinds with fewer cases count, too.
    changed, like = (Counter(k[0] for k, found in of.items() for _ in found) for of in (kinds, moved))
    showing = {kind[0] for kind, found in moved.items() if len(found) >= FEW}
    showing |= {probe for probe, count in like.items() if count >= FEW and 2 * count >= changed[probe]}
    return factor, [row for kind, rows in moved.items() if kind[0] in showing for row in rows]


def _explains(factor: float, row: Row, reach: float) -> bool:
    """The row moved by the factor."""
    half = (math.log(row.high) - math.log(row.low)) / 2 if row.low else 0.0
    return abs(_cost(row) - factor) <= near(half, factor, reach)


def factors(
    comparison: Comparison, margin: float, quantities: Sequence[tuple[Quantity, Quantity]] = ()
) -> list[Factor]:
    """What explains most of the changes, the largest part first. quantities: those that differ, base and new."""
    changed, reach = changed_rows(comparison), math.log1p(margin)
    left = [row for row in changed if abs(_cost(row)) > CLEAR * reach]
    of, found, unsure = len(changed), [], sum(row.verdict == "UNSURE" for row in changed)
    while len(found) < MOST_FACTORS:
        units = sorted({_unit(row) for row in left})
        ways = [(unit, *_moved([row for row in left if _unit(row) == unit], reach)) for unit in units]
        unit, factor, rows = max(ways, key=lambda way: len(way[2]), default=("", 0.0, []))
        if len(rows) < max(LEAST, SHARE * of):
            break
        one = _with_names(Factor(exp(factor), unit, rows, of, unsure), comparison, quantities)
        found += [] if _is_left_over(one, comparison, reach) else [one]
        gone = set(map(id, rows))
        left = [row for row in left if id(row) not in gone]
    return found


def _is_left_over(factor: Factor, comparison: Comparison, reach: float) -> bool:
    """It undoes what all times share, which was removed from each case: these cases did not change."""
    shared = (math.log(one.ratio) for one in comparison.shared)
    return not factor.quantities and any(abs(math.log(factor.value) + log) <= reach for log in shared)


def _with_names(factor: Factor, comparison: Comparison, quantities: Sequence[tuple[Quantity, Quantity]]) -> Factor:
    reach, probes = min(NEAR, abs(math.log(factor.value)) / 5), factor.probes
    for name, base, new in comparison.facts:
        ratio = _ratio(base, new) if FACTS.fullmatch(name) else None
        if ratio and min(abs(math.log(ratio * f)) for f in (factor.value, 1 / factor.value)) <= reach:
            factor.facts.append((name, base, new))
    there = (pair for pair in quantities if pair[0].definition.probe in probes)
    factor.quantities += [pair for pair in there if _is_like(*pair, factor.value, reach)]
    return factor


def _ratio(base: str, new: str) -> float | None:
    try:
        before, after = float(base), float(new)
    except ValueError:
        return None
    return after / before if before > 0 and after > 0 and math.isfinite(after / before) else None


def _is_like(base: Quantity, new: Quantity, factor: float, reach: float) -> bool:
    """A time moves as the cost does, a rate the other way, and a ratio of two of them not at all."""
    change = change_of(base, new)
    if not change or base.definition.by == "ratio":
        return False
    inverse = base.definition.of == "rate" or "/" in base.unit
    return abs(math.log(change) + (1 if inverse else -1) * math.log(factor)) <= reach


def change_of(base: Quantity, new: Quantity) -> float | None:
    """The ratio of two values; None for brackets, and where there is none."""
    ours, theirs = new.estimate, base.estimate
    if ours.bracket or theirs.bracket or ours.value <= 0 or theirs.value <= 0:
        return None
    ratio = ours.value / theirs.value
    return ratio if 1e-6 < ratio < 1e6 else None


def logs_between(base: Quantity, new: Quantity) -> tuple[float, float, float] | None:
    """Of new / base the logarithm, and how far below and above it the ratio may lie: the 99 % interval of two figures
    that err independently; of two models, for two other cards of them, as far as it is known how cards differ. None
    where either has no value above zero, or no interval."""
    ours, theirs = new.estimate, base.estimate
    if not ours or not theirs or min(ours.value or 0, theirs.value or 0) <= 0 or None in (ours.low, theirs.low):
        return None
    down = math.hypot(math.log(ours.value / max(ours.low, LOWEST)), math.log(theirs.high / theirs.value))
    up = math.hypot(math.log(ours.high / ours.value), math.log(theirs.value / max(theirs.low, LOWEST)))
    cards = math.hypot(*(max(q.cards or 0.0, q.apart) for q in (base, new))) if base.model != new.model else 0.0
    return math.log(ours.value / theirs.value), math.hypot(down, cards), math.hypot(up, cards)


def within_cards(base: Quantity, new: Quantity) -> bool:
    """Whether two cards of one model may differ by as much, or two archives of it do; of two models, whether two other
    cards of them may be alike."""
    ratio, found = change_of(base, new), logs_between(base, new) if base.model != new.model else None
    alike = found[1 if found[0] > 0 else 2] if found else 0.0
    known = max(base.cards or 0, new.cards or 0, base.apart, new.apart, alike)
    return ratio is not None and abs(math.log(ratio)) <= known


def differing(base: Sequence[Quantity], new: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """The quantities whose intervals have nothing in common: worse ones first, of these the largest change."""
    by_id = {q.id: q for q in new}
    pairs = [(q, by_id[q.id]) for q in base if q.id in by_id and q.differs(by_id[q.id])]

    def rank(pair: tuple[Quantity, Quantity]) -> tuple:
        change = change_of(*pair)
        if not change or pair[0].definition.better is None:
            return (2, 0.0, pair[0].id)
        worse = math.log(change) * (1 if pair[0].definition.better == "smallest" else -1)
        ratio = pair[0].definition.by == "ratio"  # which may be larger since what it is held against is better
        return (ratio if worse > 0 else 3 + ratio, -abs(worse), pair[0].id)

    return sorted(pairs, key=rank)


@dataclass
class OfProbe:
    """What changed of one probe."""

    probe: str
    cases: int
    verdicts: Counter  # of all its cases
    explained: int
    worst: Row  # of what is not explained, if there is any


def by_probe(comparison: Comparison, explained: Sequence[Factor]) -> list[OfProbe]:
    """The probes with changed cases: what is not explained goes first, then what is slower, then the largest change."""
    known = {id(row) for factor in explained for row in factor.rows}
    cases = Counter(row.probe for row in comparison.rows)
    rows = grouped(changed_rows(comparison), lambda row: row.probe)
    found = []
    for probe, mine in rows.items():
        rest = [row for row in mine if id(row) not in known]
        worst = min(rest or mine, key=badness)
        verdicts = Counter(row.verdict for row in comparison.rows if row.probe == probe)
        found.append((not rest, badness(worst), OfProbe(probe, cases[probe], verdicts, len(mine) - len(rest), worst)))
    return [entry for *_, entry in sorted(found, key=lambda part: part[:2])]


def badness(row: Row) -> tuple:
    """Sorts SLOWER first, then FASTER, then what may be either by chance; the largest change first."""
    order = {"SLOWER": 0, "FASTER": 1}.get(row.verdict, 2 if _cost(row) > 0 else 3)
    return (order, -abs(_cost(row)), row.probe, row.case)


def unexplained(comparison: Comparison, explained: Sequence[Factor]) -> list[Row]:
    """The changed cases that no factor explains, worst first."""
    known = {id(row) for factor in explained for row in factor.rows}
    return sorted((row for row in changed_rows(comparison) if id(row) not in known), key=badness)


WHERE = {"INCOMPARABLE": "not compared", "MISSING": "not in the new archive", "NEW": "not in the base"}
BY_THAT = "quantities may differ by that alone"
SIDES = (" (in the new archive)", " (in the base)")


def _why(row: Row) -> str:
    """The first words of the reason."""
    text = row.reason
    for side in SIDES:
        text = text.removesuffix(side)
    return text.partition(": ")[0]


def unlike_note(base: Archive, new: Archive, probes: set[str]) -> list[str]:
    """Of probes whose cases are in both archives and can't be compared, for where their quantities are."""
    ours = {point.key: point for point in base.points if point.probe in probes}
    pairs = [(ours[point.key], point) for point in new.points if point.key in ours]
    why = [(why_incomparable(*pair).partition(": ")[0], pair[0].probe) for pair in pairs]
    named = grouped(filter(all, why), lambda found: found[0])
    return [
        f"{', '.join(dict.fromkeys(probe for _, probe in of))}: {counted(len(of), 'case')} not comparable "
        f"({reason}); {BY_THAT}"
        for reason, of in named.items()
    ]


def folded(comparison: Comparison) -> list[str]:
    """One sentence for each kind of case that has no ratio: how many, of which probes, and why."""
    lines = []
    for verdict, where in WHERE.items():
        rows = [row for row in comparison.rows if row.verdict == verdict]
        if not rows:
            continue
        reasons = Counter(map(_why, rows))
        text = ", ".join(reason if len(reasons) == 1 else f"{n} {reason}" for reason, n in reasons.most_common())
        probes = list(dict.fromkeys(row.probe for row in rows))
        quick = [side.run["quick"] for side in (comparison.base, comparison.new)]
        if verdict != "INCOMPARABLE" and quick[0] != quick[1]:
            text += f"; the {'new archive' if quick[1] else 'base'} is of a --quick run, the other one is not"
        told = {base.definition.probe for base, _ in comparison.quantities}
        text += f"; {BY_THAT}" if verdict == "INCOMPARABLE" and not told.isdisjoint(probes) else ""
        of = probes[0] if len(probes) == 1 else f"{len(probes)} probes"
        lines.append(f"{verdict}, {where}: {counted(len(rows), 'case')} of {of} ({text})")
    return lines
