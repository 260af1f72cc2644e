"""--fail-on of `explain`: a gate passes only on evidence. 0: no condition is met; 1: one is; 3: nobody can say, since
the sample of blocks is too small for it, the trace ends too soon, a kernel has no records, or no fits are known. A
saving that something else than memory hides meets no condition."""

import re
from dataclasses import dataclass

from .. import UserError
from ..call.text import clipped
from .answer import NOT_MEMORY, Answer, Kernel
from .before import Pair

FOUND, NO_ANSWER = 1, 3
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
            raise UserError(f"--fail-on '{clipped(part)}': write saved>20% or slower>5%, with commas between")
        found.append(Condition(match[1], float(match[2]) / 100, part))
    return found


def answer(found: Answer, pairs: list[Pair] | None, conditions: list[Condition]) -> tuple[int, list[str]]:
    """Exit status, and a sentence for each condition that is met or has no answer."""
    told = []
    for condition in conditions:
        if condition.word == "slower" and pairs is None:
            raise UserError(f"--fail-on '{condition.text}' compares two traces; add --against TRACE")
        one, why = _saved(found, condition.above) if condition.word == "saved" else _slower(pairs, condition.above)
        if one == 0 and not found.costs.complete:
            one, why = NO_ANSWER, "the trace ends before its program did"
        if one == 0 and found.unrecorded:
            more = f" and {len(found.unrecorded) - 1} more" if len(found.unrecorded) > 1 else ""
            one, why = NO_ANSWER, f"{clipped(found.unrecorded[0], 60)}{more} has no records"
        told.append((one, condition.text, why))
    status = FOUND if any(one == FOUND for one, _, _ in told) else max((one for one, _, _ in told), default=0)
    words = {FOUND: "is met", NO_ANSWER: "can't be decided"}
    return status, [f"--fail-on '{text}' {words[one]}: {why}" for one, text, why in told if one]


def _saved(found: Answer, above: float) -> tuple[int, str]:
    if not found.chip:
        return NO_ANSWER, "no archive has fits for this chip; name one with --archive"
    if not found.kernels:
        return NO_ANSWER, "no kernel was recorded"
    unsure = None
    for kernel, line in found.lines:
        if line.hidden_by == NOT_MEMORY:
            continue
        where = f"{line.where} in {clipped(kernel.name, 60)}"
        error = line.error or 0.0
        if line.estimated * (1 - min(error, 1.0)) > above:
            return FOUND, f"{where} could save {100 * line.estimated:.0f} %"
        if line.estimated * (1 + error) > above:
            unsure = unsure or f"{where} could save {100 * line.estimated:.0f} %, or more or less by {_percent(error)}"
    return (NO_ANSWER, f"{unsure}: record more --blocks") if unsure else (0, "")


def _percent(error: float) -> str:
    return f"{100 * error:.0f} % of that" if error < 10 else "any amount"


def _error(kernel: Kernel) -> float:
    return max((line.error or 0.0 for line in kernel.lines if line.cycles), default=0.0)


def _slower(pairs: list[Pair], above: float) -> tuple[int, str]:
    unsure = None
    for pair in pairs:
        if pair.before and pair.now and pair.ratio is not None:
            grown = pair.ratio - 1
            error = pair.ratio * (_error(pair.before) + _error(pair.now))
            name = clipped(pair.now.name, 60)
            if grown - error > above:
                return FOUND, f"{name} takes {100 * grown:.0f} % longer"
            if grown + error > above:
                unsure = unsure or f"{name} takes {100 * grown:+.0f} %, or more or less by {100 * error:.0f} %"
    if unsure:
        return NO_ANSWER, f"{unsure}: record more --blocks"
    known = any(pair.ratio is not None for pair in pairs)
    return (0, "") if known else (NO_ANSWER, "no kernel is in both traces with a predicted time")
