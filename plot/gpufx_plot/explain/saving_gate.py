"""--fail-on of `explain`: whether a line could save too much, or a kernel became slower. judging/evidence.py decides,
as for every gate: a condition that is not met passes only if every kernel that was launched has records and is
explained, the sample of blocks is large enough and the trace is whole. A saving that something else than memory hides
meets no condition."""

import re
from dataclasses import dataclass

from .. import UserError
from ..call.text import clipped
from ..judging.evidence import FOUND, NO_ANSWER, decide, named
from .answer import NOT_MEMORY, Answer, Kernel, Pair
from .demangled import bare_name

FORM = re.compile(r"(saved|slower)>(\d+(?:\.\d+)?)%")


@dataclass(frozen=True)
class Condition:
    word: str
    above: float
    text: str


def parse(text: str) -> list[Condition]:
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = FORM.fullmatch(part)
        if not match:
            raise UserError(f"--fail-on '{clipped(part)}': write 'saved>20%' or 'slower>5%', in quotes")
        found.append(Condition(match[1], float(match[2]) / 100, part))
    return found


def answer(found: Answer, pairs: list[Pair] | None, conditions: list[Condition]) -> tuple[int, list[str]]:
    """Exit status, and a sentence for each condition that is met or has no answer."""
    told = []
    for condition in conditions:
        if condition.word == "slower" and pairs is None:
            raise UserError(f"--fail-on '{condition.text}' compares two traces; add --against TRACE")
        if condition.word == "saved":
            of = found.kernels
            asked, known = len(of), len(of) if found.chip else 0
            met, unsure = _saved(found, condition.above)
        else:
            both = [pair for pair in pairs if pair.before and pair.now]
            of = [kernel for pair in both for kernel in (pair.before, pair.now)]
            asked, known = len(both), sum(pair.ratio is not None for pair in both)
            met, unsure = _slower(both, condition.above)
        doubts = [
            None if found.chip else "no archive has fits for this chip; name one with --archive",
            unsure and f"{unsure}: record more --blocks",
            None if found.costs.complete else "the trace ends before its program did",
            f"no records of {named([bare_name(name) for name in found.unrecorded])}" if found.unrecorded else None,
            _no_evidence(of),
        ]
        told.append((*decide(met, asked, known, "kernel", doubts), condition.text))
    status = FOUND if any(one == FOUND for one, _, _ in told) else max((one for one, _, _ in told), default=0)
    words = {FOUND: "is met", NO_ANSWER: "can't be decided"}
    return status, [f"--fail-on '{text}' {words[one]}: {why}" for one, why, text in told if one]


def _no_evidence(kernels: list[Kernel]) -> str | None:
    names = [bare_name(kernel.name) for kernel in kernels if not kernel.is_evidence]
    if not names:
        return None
    why = "a kernel that is not explained, or predicted more than a third off its measured time, is no evidence"
    return f"{why}: {named([*dict.fromkeys(names)])}; choose others with --kernel"


def _saved(found: Answer, above: float) -> tuple[str | None, str | None]:
    """What meets it, and what might."""
    unsure = None
    for kernel, line in found.lines if found.chip else ():
        if line.hidden_by == NOT_MEMORY:
            continue
        of = f" in {bare_name(kernel.name)}" if line.file else ""
        told = f"{line.where}{of} could save {100 * line.estimated:.0f} %"
        error = line.error or 0.0
        if line.estimated * (1 - min(error, 1.0)) > above:
            return told, None
        if line.estimated * (1 + error) > above:
            of = f"{100 * error:.0f} % of that" if error < 10 else "any amount"
            unsure = unsure or f"{told}, or more or less by {of}"
    return None, unsure


def _error(kernel: Kernel) -> float:
    return max((line.error or 0.0 for line in kernel.lines if line.cycles), default=0.0)


def _slower(both: list[Pair], above: float) -> tuple[str | None, str | None]:
    unsure = None
    for pair in both:
        if pair.ratio is None:
            continue
        grown = pair.ratio - 1
        error = pair.ratio * (_error(pair.before) + _error(pair.now))
        name = bare_name(pair.now.name)
        if grown - error > above:
            return f"{name} takes {100 * grown:.0f} % longer", None
        if grown + error > above:
            unsure = unsure or f"{name} takes {100 * grown:+.0f} %, or more or less by {100 * error:.0f} %"
    return None, unsure
