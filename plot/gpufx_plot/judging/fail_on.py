"""The exit status of a comparison that was asked to fail on something: a gate passes only on evidence.

0: no condition is met, and most cases could be judged. 1: one is met. 3: one about undecided cases is met; or nobody
can say: a run did not come to its end, or half of the base's cases or more have no verdict.
"""

from .compare import Comparison, Row
from .conditions import CHANGED, Condition

UNJUDGED = ("MISSING", "UNDECIDED", "INCOMPARABLE", "WITHIN")
SEEN = 1.1  # a change of so much: WITHIN is a verdict where it would have been seen
SHOWN = (*CHANGED, "SMALL", "OUTSIDE")  # with --only-changed
FOUND, NO_ANSWER = 1, 3


def _unjudged(row: Row) -> bool:
    if row.verdict == "WITHIN":
        return row.low < 1 / SEEN or row.high > SEEN
    return row.verdict in UNJUDGED


def _why_no_answer(comparison: Comparison) -> str | None:
    """Why a comparison can't pass a gate, as the end of a sentence, or None."""
    if why := _incomplete(comparison):
        return why
    cases = [row for row in comparison.rows if row.verdict != "NEW"]
    unjudged = [row.verdict for row in cases if _unjudged(row)]
    if not cases:
        return "no case of the base was compared"
    if 2 * len(unjudged) >= len(cases):
        parts = ", ".join(f"{unjudged.count(verdict)} {verdict}" for verdict in UNJUDGED if verdict in unjudged)
        return f"{len(unjudged)} of {len(cases)} cases of the base have no verdict ({parts})"
    return None


def _incomplete(comparison: Comparison) -> str | None:
    for side, archive in (("base", comparison.base), ("new archive", comparison.new)):
        if archive.incomplete:
            return f"the run of the {side} did not come to its end ({archive.incomplete})"
    return None


def _met(condition: Condition, comparison: Comparison) -> bool:
    if condition.word == "incomplete":
        return _incomplete(comparison) is not None
    hit = [row for row in comparison.rows if row.verdict in condition.verdicts]
    if condition.share:
        return len(hit) > condition.above * len(comparison.rows)
    if condition.above is None:
        return bool(hit)
    # By so much, whichever way the metric goes: half the rate and twice the time are the same change.
    return any(max(row.ratio, 1 / row.ratio) > 1 + condition.above for row in hit)


def answer(comparisons: list[Comparison], conditions: list[Condition]) -> tuple[int, str | None]:
    """Exit status, and a sentence where there is no answer. No condition: there is no gate."""
    if not conditions:
        return 0, None
    met = [c for c in conditions if any(_met(c, comparison) for comparison in comparisons)]
    if any(c.word != "undecided" for c in met):
        return FOUND, None
    for comparison in comparisons:
        if why := _why_no_answer(comparison):
            return NO_ANSWER, f"--fail-on has no answer for {comparison.new.run['id']}: {why}"
    return (NO_ANSWER if met else 0), None
