"""The exit status of a comparison that was asked to fail on something: a gate passes only on evidence.

0: nothing that was asked for was found, and most cases could be judged. 1: it was found. 3: it was found to be
undecided, where that was asked for; or nobody can say: a run did not come to its end, or half of the base's cases or
more have no verdict.
"""

from .compare import Comparison

FAIL_ON = {
    "slower": ("SLOWER",),
    "faster": ("FASTER",),
    "small": ("SMALL",),
    "missing": ("MISSING",),
    "new": ("NEW",),
    "incomparable": ("INCOMPARABLE",),
    "undecided": ("UNDECIDED",),
    "changed": ("SLOWER", "FASTER", "SMALL", "MISSING", "NEW", "INCOMPARABLE"),
}
UNJUDGED = ("MISSING", "UNDECIDED", "INCOMPARABLE")
FOUND, NO_ANSWER = 1, 3


def _why_no_answer(comparison: Comparison) -> str | None:
    """Why a comparison can't pass a gate, as the end of a sentence, or None."""
    for side, archive in (("base", comparison.base), ("new archive", comparison.new)):
        if archive.incomplete:
            return f"the run of the {side} did not come to its end ({archive.incomplete})"
    counts = comparison.counts
    cases = sum(counts.values()) - counts.get("NEW", 0)
    unjudged = sum(counts.get(verdict, 0) for verdict in UNJUDGED)
    if not cases:
        return "no case of the base was compared"
    if 2 * unjudged >= cases:
        parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in UNJUDGED if counts.get(verdict))
        return f"{unjudged} of {cases} cases of the base have no verdict ({parts})"
    return None


def answer(comparisons: list[Comparison], words: list[str]) -> tuple[int, str | None]:
    """Exit status, and a sentence where there is no answer. words: keys of FAIL_ON; none: there is no gate."""
    if not words:
        return 0, None
    seen = {verdict for comparison in comparisons for verdict in comparison.counts}
    hit = {verdict for word in words for verdict in FAIL_ON[word]} & seen
    if hit - {"UNDECIDED"}:
        return FOUND, None
    for comparison in comparisons:
        if why := _why_no_answer(comparison):
            return NO_ANSWER, f"--fail-on has no answer for {comparison.new.run['id']}: {why}"
    return (NO_ANSWER if hit else 0), None
