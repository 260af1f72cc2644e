"""`gpufx explain` as text: what bounds each kernel, then the lines that could save most, as many as a screen holds."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePath

from ..call.number_text import counted, number, time_text
from ..call.tables import fitted, wrapped
from ..call.terminal import columns
from ..call.text import clipped
from ..explain import source
from ..explain.answer import BESIDES, ELSEWHERE, WORTH, Answer, Kernel, Line, Pair, Spent, paired_lines
from ..explain.cures import Told, cures, kernel_cures
from ..explain.demangled import SHORT, labels
from ..explain.played import WORDS
from ..explain.trace_costs import UNSEEN
from ..judging.evidence import named

KERNELS, LINES, CURES = 4, 3, 2  # of one screen
SCREEN, BESIDE_CHIPS, A_CHIP = 16, 10, 28  # kernels where nothing else is told; columns of it
PARTS = 3  # of a line's time
NOTED = 0.1  # of the longest kernel: others have no notes
ALIKE = 0.1  # %, of what is a sample: less is no spread
FIRST_NS = 8e3  # more that a program's first launch takes, at most (docs/explain.md)
CHANGED = 0.02  # of a kernel's time
SMALL = 0.01  # of a kernel's time: a part that a line is not charged for in words
BAR, LETTERS = 10, "ipws"
TIME, IDEAL = "its time", "ideal"  # heads of columns
FOUR = ("issue", "pipes", "waiting", "starts")
WORD_OF_TIME = ("measured", "predicted")
PARTS_OF_TIME = f"its time, a letter for a tenth: {', '.join(f'{word[0]} {word}' for word in FOUR)}"
INDENT = "   "
LEVELS = {"l1": "L1", "l2": "L2", "dram": "DRAM"}


def plural(count: float, what: str) -> str:
    """1 cycle, 1.05 cycles."""
    text = number(count, 3)
    return f"{text} {what.removesuffix('s') if text == '1' else what}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 or not share else "under 1 %"


def where(kernel: Kernel, line: Line) -> str:
    """app.cu:12, or the place in the kernel."""
    return PurePath(kernel.where(line)).name if line.file else kernel.where(line)


def head(found: Answer) -> list[str]:
    trace = found.costs.trace
    program = clipped(" ".join(trace.program), 200) or "a program"
    lines_ = [f"{program} on {trace.device.name}{f' ({trace.device.arch})' if trace.device.arch else ''}"]
    if found.chip:
        archive, other = found.chip.archive, found.other_chip
        lines_[0] += f", costs from run {archive.run['id']}" + (f" of an {other}" if other else "")
        lines_[0] += ", the newest (--archive names another, such as a chip's reference)" * found.newest
        if archive.synthetic:
            lines_.append("SYNTHETIC: the cycles come from a parameter file, not from a GPU.")
        if other and any(kernel.measured_ns for kernel in found.kernels):
            told = f"measured times are the {trace.device.name}'s; predicted times and shares saved are the {other}'s"
            lines_.append(f"{told}, so they are not compared, and a time saved is that share of the measured one")
    else:
        lines_.append("no archive has fits for this chip, so there are counts but no cycles; name one with --archive")
    recorded, launches = sum(k.recorded for k in found.kernels), sum(k.launches for k in found.kernels)
    blocks = [sum(k.blocks[i] for k in found.kernels) for i in (0, 1)]
    told = f"{counted(len(found.kernels), 'kernel')}, {counted(launches, 'launch')} ({recorded} recorded"
    if blocks[0] < blocks[1]:
        told += f", {blocks[0]:,} of their {blocks[1]:,} blocks: {_sampled(found)}"
    lines_.append(f"{told})")
    for cut, of in ((one.costs.unfinished, of) for one, of in ((found, ""), (found.before, "before, ")) if one):
        lines_ += [f"{of}{cut}; this is what was recorded until then"] if cut else []
    return lines_


def _sampled(found: Answer) -> str:
    errors = [line.error for _, line in found.lines[:LINES] if line.error is not None]
    if not errors:
        return "spread unknown"
    most = 100 * max(errors)
    if not math.isfinite(most):
        return "too few to estimate their spread"
    return f"±{number(most, 2)} %, 99 % CI" if most >= ALIKE else "all alike"


def bound_text(kernel: Kernel) -> str:
    return "" if kernel.predicted_ns is None else kernel.bound or "not explained"


def kernel_notes(found: Answer) -> list[str]:
    """What holds a kernel up besides its accesses."""
    sms = found.chip.sms if found.chip else 0
    least = NOTED * max((kernel.weight for kernel in found.kernels), default=0.0)
    long = [(kernel.label, kernel) for kernel in found.kernels if kernel.weight > least]
    slow = [f"{percent(k.explained)} of {name}" for name, k in long if k.is_slower and k.unknown not in ELSEWHERE]
    told = [f"accesses explain {', '.join(slow)}; the rest of the measured time is bound by {BESIDES[0]}"] * bool(slow)
    idle = [(name, kernel.idle_sms) for name, kernel in long if kernel.idle_sms]
    told += [f"{name} is not explained: {kernel.unknown}" for name, kernel in long if kernel.unknown]
    return told + [f"{name}: {counted(sms - count, 'block')}, so {count} of {sms} SMs are idle" for name, count in idle]


def verdict(found: Answer) -> list[str]:
    """The answer: what takes the longest and why, and where most can be saved."""
    longest = found.kernels[0] if found.kernels and found.chip else None
    if longest is None or not (longest.measured_ns or longest.predicted_ns):
        return []
    times = f"{longest.label} takes the longest, "
    times += f"{longest.launches} launches of " if longest.launches > 1 else ""
    times += each_text(longest, longest.measured_ns or longest.predicted_ns)
    if longest.measured_ns and longest.predicted_ns and not longest.is_evidence:
        times += f" measured and {each_text(longest, longest.predicted_ns)} predicted"
    times += f" measured on {found.costs.trace.device.name}" if longest.measured_ns and found.other_chip else ""
    held = f"bound by {longest.bound}" if longest.bound else "not explained"
    most = next(((k, x) for k, x in found.lines if x.saved > WORTH and not x.hidden_by), None)
    if most is None:
        unknown = sum(not kernel.is_evidence for kernel in found.kernels)
        if not longest.is_evidence:
            return [f"{times}, {held}; what another access pattern would save is not known"]
        others = f", and {counted(unknown, 'kernel')} can't be judged" if unknown else ""
        hidden = max((x.saved for _, x in found.lines if x.hidden_by not in BESIDES), default=0.0)
        least = f"another access pattern saves {percent(hidden)} at most" if hidden > WORTH else ""
        return [f"{times}, {held}; {least or 'no other access pattern saves time'}{others}"]
    of = f" of {most[0].label}" if most[1].file and most[0] is not longest else ""
    return [f"{times}, {held}; most to save: {where(*most)}{of}, {saving_text(*most).removeprefix('saves ')}"]


def brief(notes: list[str]) -> list[str]:
    """What many kernels have in common is said once."""
    kinds: Counter[str] = Counter()
    kernels, others = 0, []
    for note in notes:
        _, unseen, what = note.partition(UNSEEN)
        kernels += bool(unseen)
        others += [] if unseen else [note]
        for count, kind in (part.split(" to ", 1) for part in what.split(", ") if unseen):
            kinds[kind] += int(count)
    if kernels < 2:
        return notes
    told = ", ".join(f"{count} to {kind}" for kind, count in kinds.items())
    return [f"{UNSEEN.removeprefix(': ')}{told}, in {kernels} kernels (--json names them)", *others]


def differences(found: Answer) -> list[str]:
    """Where prediction and measurement are more than a third apart: the longest kernels, and how many more."""
    apart = [kernel for kernel in found.kernels if kernel.differs and not kernel.unknown]
    told = []
    for kernel in apart[:KERNELS]:
        times = f"predicted {each_text(kernel, kernel.predicted_ns)}, measured {each_text(kernel, kernel.measured_ns)}"
        first = kernel.launches == 1 and 0 < kernel.measured_ns - kernel.predicted_ns < FIRST_NS
        misses = "a program's first launch takes some microseconds more" if first else "the prediction misses something"
        told.append(f"{kernel.label}: {times}: {misses}, so trust its parts less")
    more = apart[KERNELS:]
    return told + ([f"{counted(len(more), 'more kernel')} more than a third off the measured time"] if more else [])


def bar(kernel: Kernel) -> str:
    """The four parts of its time, a letter for each tenth."""
    ends = [round(BAR * sum([*kernel.four.values()][: i + 1])) for i in range(len(kernel.four))]
    return "".join(letter * (end - begin) for letter, begin, end in zip(LETTERS, [0, *ends], ends, strict=False))


def spent_text(kernel: Kernel, spent: Spent, others: int = 0) -> str:
    """app.cu:12, 45 %: issue slots 40 %, barriers 5 %. others: how many places it is the sum of."""
    place = f"{PurePath(spent.file).name}:{spent.line}" if spent.file else f"+0x{spent.pc:x}"
    what = "other line" if spent.file else "other instruction"
    place = f"spread over {counted(others, what)}" if others else place
    parts = [(WORDS[part], ns / kernel.predicted_ns) for part, ns in spent.parts.most_common(PARTS)]
    told = ", ".join(f"{word} {percent(share)}" for word, share in parts if share > SMALL)
    return f"{place}, {percent(spent.total / kernel.predicted_ns)}{f': {told}' if told else ''}"


def spent_lines(found: Answer, every: bool) -> list[str]:
    """On which lines the time goes, and by what: of the longest kernel, or of all."""
    told = []
    for kernel in [kernel for kernel in found.kernels if kernel.spent][: None if every else 1]:
        told += ["", f"{kernel.label} by line (a cure also saves what waits behind it):"]
        longest = [x for x in kernel.spent if x.total >= SMALL * kernel.predicted_ns][: None if every else LINES]
        texts, others = [spent_text(kernel, spent) for spent in longest], kernel.spent[len(longest) :]
        rest = sum((x.parts for x in others), Counter())
        if rest.total() >= SMALL * kernel.predicted_ns:
            texts.append(spent_text(kernel, replace(others[0], parts=rest), len(others)))
        told += [f"  {part}" for text in texts for part in wrapped(text, columns() - 2, "  ")]
        if moved := kernel.dram_bytes:
            ns = not found.other_chip and kernel.measured_ns  # else a rate of the chip that it was recorded on
            rate = f"{moved / (ns or kernel.predicted_ns):.4g} GB/s of the {'measured' if ns else 'predicted'} time"
            busy = f"; busy {percent(kernel.dram)} of the predicted time" if kernel.played else ""
            told.append(f"  DRAM: {moved / kernel.launches / 1e6:.3g} MB a launch, {rate}{busy}")
        least = max((line.estimated_ns for line in kernel.lines if not line.hidden_by), default=0.0)
        cures_ = (x for x in kernel_cures(kernel) if (x.before - x.after) * kernel.launches > least)
        for cure in islice(cures_, None if every else CURES):  # what saves more than its best line
            told += [f"  {part}" for part in wrapped(cure_text(cure), columns() - 2, "  ")]
    return told


def kernel_rows(found: Answer, most: int) -> tuple[tuple[str, ...], list[tuple[str, ...]], set[str]]:
    """Times are those of a launch; without a replay the ideal one stands where the bar of the parts would."""
    measured = any(kernel.measured_ns for kernel in found.kernels)
    parts = any(kernel.four for kernel in found.kernels)
    name = ("kernel", "launches", *["measured"] * measured, "predicted", TIME if parts else IDEAL, "bound by")
    rows = []
    for kernel in found.kernels[:most]:
        times = [each_text(kernel, kernel.measured_ns)] if measured else []
        times += [each_text(kernel, kernel.predicted_ns), bar(kernel) if parts else each_text(kernel, kernel.best_ns)]
        rows.append((kernel.label, str(kernel.launches), *times, bound_text(kernel)))
    return name, rows, {"launches", "measured", "predicted", IDEAL}


def on_each_chip(found: Answer, every: bool) -> str:
    """The kernels of a trace by the archives of several chips."""
    answers, most = (found, *found.others), len(found.kernels) if every else SCREEN
    names = labels((x.name for x in found.kernels), max(SHORT, columns() - BESIDE_CHIPS - A_CHIP * len(answers)))
    told, heads = head(found)[-1:], ["kernel", "measured"]
    rows = [(names[x.name], each_text(x, x.measured_ns)) for x in found.kernels]
    for at, archive in enumerate((x.chip.archive if x.chip else None for x in answers), start=1):
        run = f"{archive.run['device']['name']}, run {archive.run['id']}" if archive else "no archive has fits for it"
        told.append(f"{at}: {run}" + (", SYNTHETIC" if archive and archive.synthetic else ""))
        heads += [f"on {at}", f"bound on {at}"]
        known = {x.name: (each_text(x, x.predicted_ns), bound_text(x)) for x in answers[at - 1].kernels}
        rows = [(*row, *known[x.name]) for row, x in zip(rows, found.kernels, strict=True)]
    more = [f"and {counted(len(rows) - most, 'more kernel')}: --all"] if len(rows) > most else []
    more.append(f"times are of a launch, measured on {found.costs.trace.device.name}, predicted on each")
    first = [part for sentence in told for part in wrapped(sentence, indent="  ")]
    return "\n".join([*first, "", *fitted(tuple(heads), rows[:most], {"measured", *heads[2::2]}), *more]) + "\n"


def each_text(kernel: Kernel, ns: float | None) -> str:
    return time_text(ns / kernel.launches) if ns is not None and kernel.launches else "-"


def saving_text(kernel: Kernel, line: Line) -> str:
    whole = max(kernel.predicted_ns or 0.0, kernel.measured_ns or 0.0)
    whole = kernel.measured_ns or whole if kernel.played else whole
    if kernel.predicted_ns is None:
        return ""
    if line.hidden_by in BESIDES:
        return f"would save {percent(line.saved)}, but {line.hidden_by} hide it"
    if line.hidden_by:
        least = f"saves {percent(line.saved)} at most" if line.saved > WORTH else "saves nothing"
        return f"{least}: hidden by {line.hidden_by}"
    if line.saved <= WORTH:
        return "nothing to save"
    if kernel.played:
        least = f"saves about {percent(line.estimated)} ({each_text(kernel, line.estimated_ns)} of "
        return least + f"{each_text(kernel, whole)}), at most {percent(line.saved)}"
    return f"saves at most {percent(line.saved)} ({each_text(kernel, line.saved_ns)} of {each_text(kernel, whole)})"


def access_text(kernel: Kernel, line: Line) -> str:
    lanes = "all lanes active" if line.lanes > 31.95 else f"{number(line.lanes, 3)} of 32 lanes active"
    many = f", in {counted(len(line.instructions), 'instruction')}" if len(line.instructions) > 1 else ""
    each = line.executed / max(kernel.launches, 1)
    times = ("once" if each == 1 else f"{each:,.0f} times") + " a launch" * (kernel.launches > 1)
    return f"{line.space} {line.op} of {counted(line.width, 'byte')}, {times}{many}, {lanes}"


def count_text(line: Line) -> str:
    if not line.count or not line.executed:
        return ""
    parts = [f"{plural(line.count / line.executed, line.unit)} per access"]
    if line.best_count is not None:
        parts.append(f"best {number(line.best_count / line.executed, 3)}")
    told = ", ".join(parts)
    if line.cycles is not None:
        told += f"; {plural(line.cycles / line.executed, 'cycles')}"
        told += f", best {number(line.best_cycles / line.executed, 3)}" if line.best_cycles is not None else ""
        told += f"; {percent(line.share)} of the kernel's memory cycles"
    served = [
        f"{LEVELS.get(name, name)} {percent(share)}"
        for name, share in line.served.items()
        if name != "shared" and share > WORTH
    ]
    return told + (f"; served by {', '.join(served)}" if served else "")


def claimed_text(line: Line) -> str:
    if line.claimed > 0.995:
        return ""
    share = f"{percent(1 - line.claimed)} of " if line.claimed > 0.005 else ""
    return f"no hardware counter has confirmed the law for {share}these accesses, so their cycles are uncertain"


def cure_text(told: Told) -> str:
    if told.before is None or told.after is None:
        return f"cure: {told.text}"
    if told.unit == "ns":
        return f"cure: {told.text} ({time_text(told.after)} instead of {time_text(told.before)})"
    return f"cure: {told.text} ({plural(told.after, told.unit)} instead of {number(told.before, 3)})"


def line_block(kernel: Kernel, line: Line, at: int, most_cures: int) -> Iterator[str]:
    inlined = f", inlined at {PurePath(line.inlined[0][0]).name}:{line.inlined[0][1]}" if line.inlined else ""
    of = f", {kernel.label}" if line.file else ""
    told = f"{at}. {where(kernel, line)}{inlined}{of}: {saving_text(kernel, line)}".removesuffix(": ")
    yield from wrapped(told, indent=INDENT)
    text = source.line(line.file, line.line) or line.sass or ""
    if text:
        yield INDENT + "  " + clipped(text, columns() - len(INDENT) - 2)
    known = filter(None, (access_text(kernel, line), count_text(line), claimed_text(line)))
    for sentence in (*known, *map(cure_text, cures(kernel, line)[:most_cures])):
        yield from (INDENT + part for part in wrapped(sentence, columns() - len(INDENT), "  "))


def worth(found: Answer) -> list[tuple[Kernel, Line]]:
    """Lines that take longer than they must, by their counts."""

    def above(x: Line) -> bool:
        return bool(x.count and x.best_count is not None and x.count > (1 + WORTH) * x.best_count)

    return [(k, x) for k, x in found.lines if x.saved > WORTH or x.hidden_by or (k.predicted_ns is None and above(x))]


def two_kernels(found: Answer, pairs: list[Pair] | None) -> list[str]:
    """The times of the one and of the other; empty: the pairs are kernels before and after a change."""
    of = (f" on {found.costs.trace.device.name}", f" on {found.other_chip}") if found.other_chip else ("", "")
    told = []
    for old, new in ((x.before, x.now) for x in pairs or () if x.before and x.now and x.before.name != x.now.name):
        times = [[each_text(one, getattr(one, f"{word}_ns")) for one in (new, old)] for word in WORD_OF_TIME]
        said = zip(WORD_OF_TIME, times, of, strict=True)
        both = ", ".join(f"{word} {' instead of '.join(each)}{chip}" for word, each, chip in said)
        told.append(f"{new.label} instead of {old.label}: {both}")
    return told


def changed_kernels(pairs: list[Pair] | None) -> list[str]:
    """How many kernels a change made slower and faster, and the one that changed most either way; by what is predicted,
    since the two runs were measured apart."""
    both = [pair for pair in pairs or () if pair.ratio is not None]
    told = []
    for word, by in (("slower", 1), ("faster", -1)):
        there = sorted((x for x in both if by * (x.ratio - 1) > CHANGED), key=lambda x: by * -x.ratio)
        most = f": {there[0].kernel.label} takes {there[0].ratio:.2f}x the time" if there else ""
        told.append(f"{len(there)} {word}{most}")
    for word, side in (("new", "before"), ("gone", "now")):
        there = [pair.kernel.label for pair in pairs or () if not getattr(pair, side)]
        told += [f"{len(there)} {word}: {named(there)}"] if there else []
    return [f"of {counted(len(both), 'kernel')} predicted before and now, " + ", ".join(told)] if pairs else []


def shortest(found: Answer, pairs: list[Pair] | None) -> str:
    """What --quiet leaves of the answer."""
    first = two_kernels(found, pairs) or changed_kernels(pairs) or verdict(found)
    first = [*first, head(found)[0]] if first else head(found)  # by which archive
    return "".join(f"{part}\n" for sentence in first for part in wrapped(sentence, indent="  "))


def as_text(found: Answer, pairs: list[Pair] | None, every: bool) -> str:
    of_two = two_kernels(found, pairs)
    told = [part for sentence in of_two or changed_kernels(pairs) for part in wrapped(sentence, indent="  ")]
    shown = [x for x in pairs or () if every or x.ratio is None or abs(x.ratio - 1) > CHANGED
             or len(against_rows([x])[1]) > 1]  # its time, or one of its lines, differs  # fmt: skip
    told += ["", *fitted(*against_rows(shown))] if shown else []
    same = len(pairs or ()) - len(shown)
    told += [f"and {counted(same, 'kernel')} that did not change: --all"] if same else []
    if of_two and not every:
        return "\n".join([*told, "the whole report: --all"]) + "\n"
    told += [""] if pairs else []
    first = [*verdict(found), *differences(found), *head(found)]
    told += [part for sentence in first for part in wrapped(sentence, indent="  ")]
    most = len(found.kernels) if every else KERNELS
    told += ["", *fitted(*kernel_rows(found, most))]
    if rest := found.kernels[most:]:
        told.append(f"and {counted(len(rest), 'more kernel')}: --all")
    told += [PARTS_OF_TIME] if any(kernel.four for kernel in found.kernels[:most]) else []
    told += spent_lines(found, every)
    shown = found.lines if every else worth(found)[:LINES]
    for at, (kernel, line) in enumerate(shown, start=1):
        told += ["", *line_block(kernel, line, at, 3 if every else 1)]
    told += ["", *_rest(found, len(shown), every)]
    newer = dict.fromkeys(x.file for _, x in shown if source.is_newer(x.file, found.costs.trace.started))
    moved = "was changed after the trace was recorded: its lines may have moved"
    notes = [*kernel_notes(found), *(f"{PurePath(file).name} {moved}" for file in newer), *brief(found.notes)]
    told += [part for note in notes for part in wrapped(f"note: {note}", indent="  ")]
    return "\n".join(told).rstrip() + "\n"


def _rest(found: Answer, shown: int, every: bool) -> list[str]:
    more = worth(found)[shown:]
    count = sum(len(kernel.lines) for kernel in found.kernels)
    if every or not count:
        return [] if count else ["no access was recorded"]
    if not shown:
        rest = "; what else takes time stands above" if any(kernel.played for kernel in found.kernels) else ""
        return wrapped(f"every access is as fast as an ideal one of the same bytes{rest}; --all lists them")
    if more:
        most = max(0.0 if line.hidden_by in BESIDES else line.saved for _, line in more)
        return wrapped(f"{counted(len(more), 'more line')} could save at most {percent(most)} each: --all")
    return wrapped(f"the other {counted(count - shown, 'line')} are ideal") if count > shown else []


def against_rows(pairs: list[Pair]) -> tuple[tuple[str, ...], list[tuple[str, ...]], set[str]]:
    """Kernel by kernel, and of those the lines whose cycles changed."""
    rows = []
    for pair in pairs:
        sides = (pair.before, pair.now)
        rows.append((pair.kernel.label, *(time_text(ns) if ns else "-" for ns in pair.each), _ratio(pair.each, sides)))
        for both in paired_lines(pair) if pair.before and pair.now else ():
            cycles = [x.cycles / k.launches if x and x.cycles else None for x, k in zip(both, sides, strict=True)]
            if cycles[0] != cycles[1] and (None in cycles or abs(cycles[1] / cycles[0] - 1) > CHANGED):
                one = both[1] or both[0]
                then = [plural(x.cycles / x.executed, "cycles") if x and x.cycles else "-" for x in both]
                rows.append((f"  {where(pair.kernel, one)}, {one.space} {one.op}", *then, _ratio(cycles, both)))
    head = ("predicted of a launch, and an access", "before", "now", "now/before")
    return head, rows, set(head[1:])


def _ratio(values: list[float | None], sides: tuple) -> str:
    if None not in values:
        return f"{values[1] / values[0]:.2f}"
    return "gone" if sides[1] is None else "new" if sides[0] is None else "-"
