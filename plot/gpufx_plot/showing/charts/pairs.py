"""What `compare` says of the cases that a figure of two archives draws."""

import math
from collections import Counter
from collections.abc import Sequence

from ...archive.load import Archive
from ...call.number_text import counted, moved
from ...chip.definitions import host_share
from ...judging.compare import compare
from ...judging.facts import hosts_apart
from ...judging.levels import load_beside
from .look import Source
from .pen import Pen, paired

MARGIN = 0.01  # as `compare` has it where none is given
ALIKE = 1.02  # of a number that was not judged: more than this times another is not "the same"
SURE = {"SLOWER", "FASTER"}
SHOWN = 0.5  # of a difference: a number that moves by less does not show it
FEW = 0.1  # of the cases: where no more surely differ, these are not what is said of all
FAR = 1.5  # times: what is drawn differs, and nobody knows by how much

_last: list = []  # two archives and their verdicts: all figures of a call are of the same


def _verdicts(first: Archive, second: Archive) -> dict[str, tuple[str, float]]:
    """Of all cases by name: the verdict, and the logarithm of new over base."""
    if not _last or _last[0] is not first or _last[1] is not second:
        rows = compare(first, second, MARGIN, others=load_beside(first, second)).rows
        known = {f"{r.probe}/{r.case}": (r.verdict, math.log(r.new / r.base)) for r in rows if r.ratio}
        _last[:] = [first, second, known]
    return _last[2]


def without_counterpart(sources: list[Source], pens: Sequence[Pen]) -> list[str]:
    """How many marks of each archive are held against nothing."""
    rows = [row for pen in pens for row in pen.rows if pen.comparable and "/" in row.case]
    left = [row for source in sources[1:] for row in paired(rows, sources[0], source)[1]]
    times = {id(row): (left.count(row), row) for row in left}
    most = {sources[0].label: len(sources) - 1}
    lone = Counter(row.source.label for n, row in times.values() if n == most.get(row.source.label, 1))
    return [f"marks without a counterpart: {', '.join(f'{n} of {of}' for of, n in lone.items())}"] if lone else []


def judged(sources: list[Source], pens: Sequence[Pen]) -> str:
    """How far the drawn numbers of the cases that surely differ do, or that none does; "" where nothing is held against
    each other. What `compare` says of a case it says of its cost alone, and a range says what it leaves out."""
    first, second = sources
    known, every, alone = _verdicts(first.archive, second.archive), [], False  # every: ratios that are drawn
    seen, sure = {}, {}  # verdicts; ratios of what is sure
    for pen in (pen for pen in pens if pen.comparable):
        pairs, left = paired([row for row in pen.rows if row.y > 0 and "/" in row.case], first, second)
        apart = [row for base, row in pairs if row.case == base.case and row.case not in known]
        alone |= bool(left or apart)
        for base, row in (pair for pair in pairs if pair[1] not in apart):
            every.append(row.y / base.y)
            if not row.of_cost or row.case != base.case:
                seen[row.case, row.series, row.x] = "UNKNOWN" if max(every[-1], 1 / every[-1]) > ALIKE else "ALIKE"
                continue
            seen[row.case], size = known[row.case]
            if seen[row.case] in SURE and abs(math.log(every[-1])) > SHOWN * abs(size):
                sure[row.case] = every[-1]
    verdicts, over = {*seen.values()}, f"{second.label} over {first.label}"
    if len(sure) > FEW * len(seen):
        ratios = sorted(sure.values(), reverse=max(sure.values()) < 1)  # the smallest change first
        low, high = moved(ratios[0]), moved(ratios[-1])
        span = low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"
        return f"{second.label} vs {first.label}: {span} in {len(sure)} of {counted(len(seen), 'case')}"
    if not every:
        return ""
    part = f" in {counted(len(every), 'pair')} of marks" * bool(alone)
    if verdicts - {"ALIKE"} == {"SAME"} and max(*every, 1 / min(every)) < ALIKE:
        return f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %{part}"
    unsure = verdicts & {"UNKNOWN", *SURE} or max(every) >= FAR * min(every)  # sure of what is not drawn
    few = f"Sure differences in only {len(sure)} of {counted(len(seen), 'case')}" if sure else ""
    said = few or f"{'Unsure how far they differ' if unsure else 'No sure difference'}{part}"
    return f"{said} ({over}: {min(every):.2f} to {max(every):.2f})"


def hosts_behind(sources: list[Source]) -> list[str]:
    """Of two archives and a probe that mostly measures the host: in what their hosts differ."""
    if len(sources) != 2 or host_share(sources[0].archive.run, sources[0].points[0].probe) <= 0.5:
        return []
    return [hosts] if (hosts := hosts_apart(*(source.archive for source in sources))) else []
