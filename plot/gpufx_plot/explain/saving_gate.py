"""--fail-on of `explain`: whether a line could save too much, or a kernel became slower. judging/evidence.py decides,
as for every gate: a condition that is not met passes only if every kernel that was launched has records and is
explained, the sample of blocks is large enough and the trace is whole. A saving that is hidden meets no condition."""

from operator import attrgetter

from .. import UserError
from ..call.number_text import counted
from ..call.text import clipped
from ..judging.conditions import FORM, Condition, parts
from ..judging.evidence import FOUND, NO_ANSWER, decide, named
from .answer import BESIDES, Answer, Kernel, Pair
from .demangled import labels

RECORDS, NEW, GONE = "no records", "new", "gone"
WEAK = "not explained, or predicted more than a third off its measured time"
RECORDED = attrgetter("costs.trace", "costs.kernels", "costs.launches", "costs.rows")
COPY = "both traces are of one recording"


def parse(text: str) -> list[Condition]:
    found = []
    for part in parts(text):
        match = FORM.fullmatch(part)
        if not match or match[1] not in ("saved", "slower") or not match[2]:
            raise UserError(f"--fail-on '{clipped(part)}': write 'saved>20%' or 'slower>5%', in quotes")
        if match[1] == "saved" and float(match[2]) >= 100:
            raise UserError(f"--fail-on '{part}': nothing can save more than 100 %; give a share below 100 %")
        found.append(Condition(match[1], float(match[2]) / 100))
    return found


def answer(
    found: Answer, pairs: list[Pair] | None, conditions: list[Condition], unmatched: str | None = None
) -> tuple[int, list[str]]:
    """Exit status, and sentences: one for each line or kernel that meets a condition, or why there is none. `found`
    keeps them as well, beside what was judged. unmatched: why a kernel that was asked for is not among those found."""
    words, statuses = {FOUND: "is met", NO_ANSWER: "can't be decided"}, []
    found.fail_on, found.places, found.judged, found.not_judged = [], {}, [], {}
    for condition in conditions:
        of, before, apart = {kernel.name: kernel.is_evidence for kernel in found.kernels}, None, {}
        if condition.word == "slower":
            if pairs is None:
                raise UserError(f"--fail-on '{condition}' compares two traces; add --against TRACE")
            of = {x.kernel.name: x.ratio is not None and x.before.is_evidence and x.now.is_evidence for x in pairs}
            apart = {x.kernel.name: NEW if x.now else GONE for x in pairs if not (x.before and x.now)}
            before = found.before
        unrecorded = [*(before.unrecorded if before else ()), *found.unrecorded]
        left = {name: WEAK for name in of if not of[name]} | apart | dict.fromkeys(unrecorded, RECORDS)
        void = COPY if before and RECORDED(found) == RECORDED(before) else None
        known = len(of.keys() - left.keys()) if found.chip and not void else 0
        met, unsure = _slower(pairs, condition.above) if condition.word == "slower" else _saved(found, condition.above)
        doubts = [
            None if found.chip else "no archive has fits for this chip; name one with --archive",
            unsure and f"{unsure}: record more --blocks",
            found.costs.unfinished,
            unmatched,
            before and before.costs.unfinished and f"before, {before.costs.unfinished}",
            *_why_left(left),
        ]
        status, why = decide(next(iter(met), None), len(of), known, "kernel", doubts, void)
        statuses.append(status)
        for told in met if status == FOUND else [why] if status else []:
            found.fail_on.append(f"--fail-on '{condition}' {words[status]}: {told}")
            found.places |= {found.fail_on[-1]: met[told]} if met.get(told) else {}
        told = [f"{name} ({left[whole]})" for whole, name in labels(left).items()]
        judged = f"{known} of {counted(len(of.keys() | left.keys()), 'kernel')} judged"
        found.judged.append(f"--fail-on '{condition}': {judged}" + (f"; not judged: {named(told)}" if told else ""))
        found.not_judged |= left
    status = FOUND if FOUND in statuses else max(statuses, default=0)
    found.gate = {0: "passed", FOUND: "met", NO_ANSWER: "undecided"}[status] if conditions else None
    return status, found.fail_on


def _why_left(left: dict[str, str]) -> list[str]:
    """Sentences, of kernels that nothing judges."""
    known = labels(left)
    records, weak = ([known[name] for name, why in left.items() if why == of] for of in (RECORDS, WEAK))
    apart = [f"{known[name]} is {why}" for name, why in left.items() if why in (NEW, GONE)]
    told = [f"no records of {named(records)}"] if records else []
    told += [f"not in both traces: {named(apart)}; name those that are with --kernel"] if apart else []
    told += [f"a kernel that is {WEAK}, is no evidence: {named(weak)}; choose others with --kernel"] if weak else []
    return told


def _saved(found: Answer, above: float) -> tuple[dict[str, tuple[str, int] | None], str | None]:
    """What meets it, each with its file and line, and what might."""
    met, unsure = {}, None
    for kernel, line in found.lines if found.chip else ():
        if line.hidden_by in BESIDES or not kernel.is_evidence:
            continue
        of = f" in {kernel.label}" if line.file else ""
        told = f"{kernel.where(line)}{of} could save {100 * line.estimated:.0f} %"
        error = line.error or 0.0
        if line.estimated * (1 - min(error, 1.0)) > above:
            met[told] = (line.file, line.line) if line.file and line.line else None
        elif line.estimated * (1 + error) > above:
            of = f"{100 * error:.0f} % of that" if error < 10 else "any amount"
            unsure = unsure or f"{told}, or more or less by {of}"
    return met, unsure


def _error(kernel: Kernel) -> float:
    return max((line.error or 0.0 for line in kernel.lines if line.cycles), default=0.0)


def _slower(both: list[Pair], above: float) -> tuple[dict[str, tuple[str, int] | None], str | None]:
    met, unsure = {}, None
    for pair in both:
        if pair.ratio is None:
            continue
        grown = pair.ratio - 1
        error = pair.ratio * (_error(pair.before) + _error(pair.now))
        name = pair.now.label
        if grown - error > above:
            met[f"{name} takes {100 * grown:.0f} % longer"] = pair.now.first
        elif grown + error > above:
            unsure = unsure or f"{name} takes {100 * grown:+.0f} %, or more or less by {100 * error:.0f} %"
    return met, unsure
