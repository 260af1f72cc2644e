"""What `compare` says of the cases that a figure of two archives draws."""

import math
from collections import Counter
from collections.abc import Sequence

from ...archive.load import Archive
from ...call.number_text import counted, moved
from ...chip.definitions import host_share
from ...judging.changes import within_cards
from ...judging.compare import compare
from ...judging.facts import hosts_apart
from ...judging.levels import load_beside
from .look import Source
from .pen import Pen, Row, paired

MARGIN = 0.01  # as `compare` has it where none is given
ALIKE = 1.02  # of a number that was not judged: more than this times another is not "the same"
SURE = {"SLOWER", "FASTER"}
FEW = 0.1  # of the cases: where no more surely differ, these are not what is said of all
WIDE = 1.05  # times the smallest change: where the largest is, has a name

_last: list = []  # two archives and their verdicts: all figures of a call are of the same


def verdicts_of(first: Archive, second: Archive) -> dict[str, str]:
    """Of all cases by name."""
    if not _last or _last[0] is not first or _last[1] is not second:
        rows = compare(first, second, MARGIN, others=load_beside(first, second)).rows
        _last[:] = [first, second, {f"{row.probe}/{row.case}": row.verdict for row in rows if row.ratio}]
    return _last[2]


def doubt(sources: list[Source], row: Row) -> str:
    """Behind the ratio of a bar: "?" where `compare` is not sure of the case, or does not judge what is drawn, "*"
    where cards of a model differ by as much."""
    if "/" in row.case:
        known = verdicts_of(*(source.archive for source in sources))
        return "?" * (not row.of_cost or known.get(row.case) not in SURE)
    base, new = (source.quantity(row.case) for source in sources)
    return ("*" * within_cards(base, new)) if base.differs(new) else "?"


def without_counterpart(sources: list[Source], pens: Sequence[Pen]) -> list[str]:
    """How many marks of each archive are held against nothing."""
    rows = [row for pen in pens for row in pen.rows if pen.comparable and "/" in row.case]
    left = [row for source in sources[1:] for row in paired(rows, sources[0], source)[1]]
    times = {id(row): (left.count(row), row) for row in left}
    most = {sources[0].label: len(sources) - 1}
    lone = Counter(row.source.label for n, row in times.values() if n == most.get(row.source.label, 1))
    return [f"without a ratio: {', '.join(f'{n} of the marks of {of}' for of, n in lone.items())}"] if lone else []


def _apart(ratios: Sequence[float]) -> float:
    return max(1, *ratios) / min(1, *ratios)


def _told(sure: Sequence[tuple[float, str]], cases: int, named: bool) -> str:
    """Of ratios, and where: +5.1 to +44 % in 20 of 33 cases (most: blocked), the smallest change first."""
    ratios = sorted(ratio for ratio, _ in sure)
    ratios = ratios[::-1] if ratios[-1] < 1 else ratios
    low, high = moved(ratios[0]), moved(ratios[-1])
    span = low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"
    many = f"all {cases} cases" if len(sure) == cases > 1 else f"{len(sure)} of {counted(cases, 'case')}"
    most = max(sure, key=lambda pair: abs(math.log(pair[0])))[1] * (len(sure) == 1 or max(ratios) > WIDE * min(ratios))
    return f"{span} in {many}" + f" ({'most: ' * (len(sure) > 1)}{most})" * bool(named and most)


def judged(sources: list[Source], pens: Sequence[Pen]) -> tuple[list[str], float, str]:
    """What is sure of the drawn numbers, for a title, the longest text first: how far those of cases that surely differ
    do, or that all are the same; the logarithm of the largest such change, infinite where all cases differ; and what is
    not sure, for the line below. What `compare` says of a case it says of its cost alone."""
    first, second = sources
    known = verdicts_of(first.archive, second.archive)
    every: dict[str, list[float]] = {}  # ratios that are drawn, by what is on the axis: a time, a rate
    seen, sure = {}, {}  # verdicts; ratios of what is sure, and where
    for pen in (pen for pen in pens if pen.comparable):
        pairs, _ = paired([row for row in pen.rows if row.y > 0 and "/" in row.case], first, second)
        for base, row in (pair for pair in pairs if pair[0].case != pair[1].case or pair[1].case in known):
            ratio, of = row.y / base.y, pen.names[not pen.listed]
            every.setdefault(of, []).append(ratio)
            if row.of_cost and row.case == base.case:
                seen[of, row.case] = known[row.case]
                if known[row.case] in SURE:
                    sure[of, row.case] = ratio, row.x if pen.listed else row.series
    if not every:
        return [], 0.0, ""
    of = Counter(key[0] for key in sure).most_common(1)[0][0] if sure else max(every, key=lambda of: _apart(every[of]))
    mine, cases = [pair for key, pair in sure.items() if key[0] == of], [key for key in seen if key[0] == of]
    if len(mine) > FEW * len(cases):
        told = [f"{second.label} vs {first.label}: {of} {_told(mine, len(cases), named)}" for named in (True, False)]
        return told, math.inf if len(sure) == len(seen) else math.log(_apart([ratio for ratio, _ in mine])), ""
    if {*seen.values()} == {"SAME"} and max(map(_apart, every.values())) < ALIKE:
        return [f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %"], 0.0, ""
    few = f"surely different in {len(sure)} of {counted(len(seen), 'case')}" if sure else "no case surely different"
    span = f"{of} {min(every[of]):.2f}x to {max(every[of]):.2f}x"
    return [], 0.0, f"{second.label} over {first.label}: {span}; {few if cases else 'not tested'}"


def hosts_behind(sources: list[Source]) -> list[str]:
    """Of two archives and a probe that mostly measures the host: in what their hosts differ."""
    if len(sources) != 2 or host_share(sources[0].archive.run, sources[0].points[0].probe) <= 0.5:
        return []
    return [hosts] if (hosts := hosts_apart(*(source.archive for source in sources))) else []
