"""The exit status of a comparison that was asked to fail on something: a gate passes only on evidence.

0: no condition is met, and the evidence would have shown it. 1: one is met. 3: nobody can say, or a condition about
cases that are UNSURE is met.

Nobody can say where a run did not come to its end; where a quantity's change is not known well enough; and where, in
any probe, more than half of the cases could be slower (or faster) by what was asked for, or all times of a timebase
together, and the intervals would not tell. `slower` without a size, and a share, ask for 10 %.
"""

import math
from collections.abc import Sequence

from ..chip.quantity import Quantity
from .compare import TIMEBASES, Comparison, Row, percent
from .conditions import CHANGED, Condition, OfQuantity

SEEN = 0.10  # a change of so much would be seen where no size is asked for
SHOWN = CHANGED  # with --only-changed
FOUND, NO_ANSWER = 1, 3
WAYS = {"slower": (True,), "faster": (False,), "changed": (True, False)}
MOST_NAMED = 6

Sheets = tuple[Sequence[Quantity], Sequence[Quantity]]  # of the base and of the new archive


def may_be(row: Row, slower: bool, size: float) -> bool:
    """Whether the case may have changed by more than so much, one way, for all that is known."""
    if row.low is None:
        return row.verdict != "NEW"
    longer = slower == (row.better == "lower")
    return row.high > 1 + size if longer else row.low < 1 / (1 + size)


def _blind(condition: Condition, comparison: Comparison) -> str | None:
    """Where the evidence is too weak for the condition, as a sentence, or None."""
    size = SEEN if condition.share or condition.above is None else condition.above
    probes: dict[str, list[bool]] = {}
    for row in comparison.rows:
        if row.verdict != "NEW":
            seen = not any(may_be(row, way, size) for way in WAYS[condition.word])
            probes.setdefault(row.probe, []).append(seen or _met_by(condition, row))
    weak = [probe for probe, seen in probes.items() if 2 * sum(seen) < len(seen)]
    if not weak:
        return None
    names = ", ".join(weak[:MOST_NAMED]) + (f" and {len(weak) - MOST_NAMED} more" if len(weak) > MOST_NAMED else "")
    verdicts = [row.verdict for row in comparison.rows if row.probe in weak]
    if 2 * verdicts.count("MISSING") > len(verdicts):
        are, cure = "are MISSING", "measure the cases of the base (its --quick, --config or --axis)"
    else:
        are, cure = f"may have changed by {100 * size:g} %", "measure with more processes"
    return f"in {names}, over half of the cases {are}: {cure}, or leave them out with --probe or --filter"


def _shared_blind(condition: Condition, comparison: Comparison) -> str | None:
    """The same of what all times of a timebase share, which is taken out of each case before that is judged."""
    size = SEEN if condition.share or condition.above is None else condition.above
    asked = {row.probe for row in comparison.rows}
    for one in comparison.shared:
        if asked.isdisjoint(one.probes):
            continue
        longer, shorter = one.high > 1 + size, one.low < 1 / (1 + size)
        if one.verdict == "UNSURE" and any(longer if slower else shorter for slower in WAYS[condition.word]):
            name = TIMEBASES.get(one.timebase, "times")
            return (
                f"all {name} may have changed by {100 * size:g} %, as far as is known: measure with more processes, "
                "ask for a larger change, or leave those probes out: --probe, --filter"
            )
    return None


def _incomplete(comparison: Comparison) -> str | None:
    for side, archive in (("base", comparison.base), ("new archive", comparison.new)):
        if archive.incomplete:
            return f"the run of the {side} did not finish ({archive.incomplete})"
    return None


def _met_by(condition: Condition, row: Row) -> bool:
    """By so much, whichever way the metric goes: half the rate and twice the time are the same change."""
    if row.verdict not in condition.verdicts:
        return False
    return condition.share or condition.above is None or max(row.ratio, 1 / row.ratio) > 1 + condition.above


def _shared_met(condition: Condition, comparison: Comparison) -> bool:
    above = condition.above or 0.0
    shared = [one for one in comparison.shared if one.verdict in condition.verdicts and not condition.share]
    return any(max(one.ratio, 1 / one.ratio) > 1 + above for one in shared)


def _of_cases(condition: Condition, comparison: Comparison) -> tuple[int, str | None]:
    if condition.word == "incomplete":
        return (FOUND if _incomplete(comparison) else 0), _incomplete(comparison)
    hit = [row for row in comparison.rows if _met_by(condition, row)]
    met = len(hit) > (condition.above or 0.0) * len(comparison.rows) if condition.share else bool(hit)
    if met or _shared_met(condition, comparison):
        status = NO_ANSWER if condition.word == "unsure" else FOUND
        return status, f"{len(hit)} of {len(comparison.rows)} cases are {condition.word.upper()}{_worst(hit)}"
    if why := _incomplete(comparison):
        return NO_ANSWER, why
    if all(row.verdict == "NEW" for row in comparison.rows):
        return NO_ANSWER, "no case of the base was compared"
    if condition.word in WAYS:
        why = _blind(condition, comparison) or _shared_blind(condition, comparison)
        return (NO_ANSWER, why) if why else (0, None)
    return 0, None


def _worst(rows: Sequence[Row]) -> str:
    sized = [row for row in rows if row.ratio]
    if not sized:
        return ""
    row = max(sized, key=lambda row: abs(math.log(row.ratio)))
    return f", worst {row.probe}/{row.case} {percent(row.ratio)}"


def _of_quantity(condition: OfQuantity, sheets: Sheets) -> tuple[int, str | None]:
    """The interval of the change is that of a ratio of two figures that err independently."""
    pair = [next((q for q in found if q.id == condition.id), None) for found in sheets]
    for side, quantity in zip(("base", "new archive"), pair, strict=True):
        if quantity is None or not quantity.estimate or quantity.estimate.value <= 0:
            return NO_ANSWER, f"the {side} has no {condition.id}"
    base, new = (quantity.estimate for quantity in pair)
    middle = math.log(new.value / base.value)
    down = math.hypot(math.log(new.value / _end(new.low)), math.log(_end(base.high) / base.value))
    up = math.hypot(math.log(_end(new.high) / new.value), math.log(base.value / _end(base.low)))
    low, high = math.expm1(middle - down), math.expm1(middle + up)
    said = f"it changed by {100 * math.expm1(middle):+.1f} %, 99 % CI {100 * low:.1f}..{100 * high:.1f} %"
    if (high < condition.limit) if condition.falls else (low > condition.limit):
        return FOUND, said
    surely_not = low >= condition.limit if condition.falls else high <= condition.limit
    return (0, None) if surely_not else (NO_ANSWER, f"{said}; measure with more processes")


def _end(value: float) -> float:
    return max(value, 1e-300)


def answer(
    comparisons: list[Comparison], conditions: list[Condition | OfQuantity], sheets: Sequence[Sheets] = ()
) -> tuple[int, list[str]]:
    """Exit status, and a sentence for each condition that is met or has no answer, which the comparison keeps as well.
    No condition: there is no gate."""
    words = {FOUND: "is met by", NO_ANSWER: "can't be decided for"}
    statuses = []
    for at, comparison in enumerate(comparisons):
        comparison.fail_on = []
        for condition in conditions:
            if isinstance(condition, OfQuantity):
                one, why = _of_quantity(condition, sheets[at])
            else:
                one, why = _of_cases(condition, comparison)
            statuses.append(one)
            if one:
                comparison.fail_on.append(f"--fail-on '{condition}' {words[one]} {comparison.new.run['id']}: {why}")
    status = FOUND if FOUND in statuses else max(statuses, default=0)
    return status, [sentence for comparison in comparisons for sentence in comparison.fail_on]
