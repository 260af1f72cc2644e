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


def verdicts_of(first: Archive, second: Archive) -> dict[str, tuple[str, float]]:
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


def _apart(ratios: Sequence[float]) -> float:
    return max(1, *ratios) / min(1, *ratios)


def judged(sources: list[Source], pens: Sequence[Pen]) -> str:
    """How far the drawn numbers of the cases that surely differ do, or that none does; "" where nothing is held against
    each other. What `compare` says of a case it says of its cost alone, and a range says what it leaves out."""
    first, second = sources
    known, alone = verdicts_of(first.archive, second.archive), 0
    every: dict[str, list[float]] = {}  # ratios that are drawn, by what is on the axis: a time, a rate
    seen, sure = {}, {}  # verdicts; ratios of what is sure
    for pen in (pen for pen in pens if pen.comparable):
        pairs, left = paired([row for row in pen.rows if row.y > 0 and "/" in row.case], first, second)
        apart = [row for base, row in pairs if row.case == base.case and row.case not in known]
        alone += len(left) + len(apart)
        for base, row in (pair for pair in pairs if pair[1] not in apart):
            ratio, of = row.y / base.y, pen.names[not pen.listed]
            every.setdefault(of, []).append(ratio)
            if not row.of_cost or row.case != base.case:
                seen[of, row.case, row.series, row.x] = "UNKNOWN" if max(ratio, 1 / ratio) > ALIKE else "ALIKE"
                continue
            seen[of, row.case], size = known[row.case]
            if seen[of, row.case] in SURE and abs(math.log(ratio)) > SHOWN * abs(size):
                sure[of, row.case] = ratio
    if (many := sum(map(len, every.values()))) < max(alone, 1):
        return ""
    verdicts, over = {*seen.values()}, f"{second.label} over {first.label}"
    of = Counter(key[0] for key in sure).most_common(1)[0][0] if sure else max(every, key=lambda of: _apart(every[of]))
    mine, cases = [ratio for key, ratio in sure.items() if key[0] == of], [key for key in seen if key[0] == of]
    if len(mine) > FEW * len(cases):
        ratios = sorted(mine, reverse=max(mine) < 1)  # the smallest change first
        low, high = moved(ratios[0]), moved(ratios[-1])
        span = low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"
        return f"{second.label} vs {first.label}: {of} {span} in {len(mine)} of {counted(len(cases), 'case')}"
    part = f" in {counted(many, 'pair')} of marks" * bool(alone)
    most = max(map(_apart, every.values()))
    if verdicts - {"ALIKE"} == {"SAME"} and most < ALIKE:
        return f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %{part}"
    unsure = verdicts & {"UNKNOWN", *SURE} or most >= FAR  # sure of what is not drawn
    few = f"Sure differences in only {len(sure)} of {counted(len(seen), 'case')}" if sure else ""
    said = few or f"{'Differences unsure' if unsure else 'No sure difference'}{part}"
    return f"{said} ({over}: {of} {min(every[of]):.2f}x to {max(every[of]):.2f}x)"


def hosts_behind(sources: list[Source]) -> list[str]:
    """Of two archives and a probe that mostly measures the host: in what their hosts differ."""
    if len(sources) != 2 or host_share(sources[0].archive.run, sources[0].points[0].probe) <= 0.5:
        return []
    return [hosts] if (hosts := hosts_apart(*(source.archive for source in sources))) else []
