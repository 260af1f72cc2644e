"""What `compare` says of the numbers that a figure of two archives draws."""

import math
from collections import Counter
from collections.abc import Sequence

from ...archive.load import Archive
from ...call.number_text import counted, moved
from ...chip.definitions import host_share
from ...judging.changes import within_cards
from ...judging.compare import Row as Compared
from ...judging.compare import compare
from ...judging.facts import hosts_apart
from ...judging.levels import load_beside
from ..difference import WITHIN
from .look import Source
from .pen import Pen, Row, paired

MARGIN = 0.01  # as `compare` has it where none is given
ALIKE = 1.02  # more than this times another is not "the same"; ratios that are all closer to 1 need no panel
SURE = {"SLOWER", "FASTER"}
FEW = 0.1  # of the cases: where no more surely differ, these are not what is said of all
WIDE = 1.05  # times the smallest change: where the largest is, has a name

UNSURE, UNKNOWN = "not surely different", "interval not known"


_last: list = []  # two archives and their rows: all figures of a call are of the same


def compared(first: Archive, second: Archive) -> dict[str, Compared]:
    """All cases by name."""
    if not _last or _last[0] is not first or _last[1] is not second:
        rows = compare(first, second, MARGIN, others=load_beside(first, second)).rows
        _last[:] = [first, second, {f"{row.probe}/{row.case}": row for row in rows if row.ratio}]
    return _last[2]


def verdict_of(known: dict[str, Compared], base: Row, new: Row) -> str:
    """Of what two archives have measured of the same: of a cost what `compare` says; of one over another what both
    their intervals leave, where one of the two surely differs; "" of anything else, which nobody compared."""
    case, over = known.get(new.case), known.get(new.over)
    if new.of_cost:
        return case.verdict if case else ""
    if (base.case, base.over) != (new.case, new.over) or not case or not over or None in (case.low, over.low):
        return ""
    low, high = case.low / over.high, case.high / over.low
    if low > 1 + MARGIN or high < 1 / (1 + MARGIN):
        return next((one.verdict for one in (case, over) if one.verdict in SURE), "UNSURE")
    return "SAME" if low > 1 / (1 + MARGIN) and high < 1 + MARGIN else "UNSURE"


def doubt(sources: list[Source], base: Row, new: Row) -> tuple[str, str]:
    """Behind the ratio of a bar: "?" where it is not sure, "*" where cards of a model differ by as much; and in
    words."""
    if "/" in new.case:
        verdict = verdict_of(compared(*(source.archive for source in sources)), base, new)
        return ("", "") if verdict in SURE else ("?", UNSURE if verdict else UNKNOWN)
    first, second = (source.quantity(new.case) for source in sources)
    if not first.differs(second):
        return "?", UNSURE
    return ("*", WITHIN) if within_cards(first, second) else ("", "")


def without_counterpart(sources: list[Source], pens: Sequence[Pen]) -> list[str]:
    """How many marks of each archive are held against nothing."""
    rows = [row for pen in pens for row in pen.rows if pen.comparable and "/" in row.case]
    times = Counter(id(row) for source in sources[1:] for row in paired(rows, sources[0], source)[1])
    most = {sources[0].label: len(sources) - 1}
    lone = Counter(row.source.label for row in rows if 0 < times[id(row)] == most.get(row.source.label, 1))
    return [f"without a ratio: {', '.join(f'{n} of the marks of {of}' for of, n in lone.items())}"] if lone else []


def _apart(ratios: Sequence[float]) -> float:
    return max(1, *ratios) / min(1, *ratios)


def _told(sure: Sequence[tuple[float, str]], cases: int) -> str:
    """Of ratios, and where: +5.1 to +44 % in 20 of 33 cases (most: blocked), the smallest change first."""
    ratios = sorted(ratio for ratio, _ in sure)
    ratios = ratios[::-1] if ratios[-1] < 1 else ratios
    low, high = moved(ratios[0]), moved(ratios[-1])
    span = low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"
    many = f"all {cases} cases" if len(sure) == cases > 1 else f"{len(sure)} of {counted(cases, 'case')}"
    most = max(sure, key=lambda pair: abs(math.log(pair[0])))[1] * (len(sure) == 1 or max(ratios) > WIDE * min(ratios))
    return f"{span} in {many}" + f" ({'most: ' * (len(sure) > 1)}{most})" * bool(most)


def judged(sources: list[Source], pens: Sequence[Pen]) -> tuple[list[str], str]:
    """What is sure of the drawn numbers, for a title, the longest text first: how far those of cases that surely differ
    do, or that all are the same; and what is not sure, for the line below."""
    first, second = sources
    known = compared(first.archive, second.archive)
    every: dict[str, list[float]] = {}  # ratios that are drawn, by what is on the axis: a time, a rate
    seen, sure = {}, {}  # verdicts; ratios of what is sure, and where
    for pen in (pen for pen in pens if pen.comparable):
        pairs, _ = paired([row for row in pen.rows if row.y > 0 and "/" in row.case], first, second)
        for base, row in (pair for pair in pairs if pair[0].case != pair[1].case or pair[1].case in known):
            ratio, of = row.y / base.y, pen.names[not pen.listed]
            if row.case == row.over:  # 1 by what it is
                continue
            every.setdefault(of, []).append(ratio)
            if row.case == base.case and (verdict := verdict_of(known, base, row)):
                seen[of, row.case] = verdict
                if verdict in SURE:
                    sure[of, row.case] = ratio, row.x if pen.listed else row.series
    if not every:
        return [], ""
    of = max(dict.fromkeys(of for of, _ in sure) or every, key=lambda of: _apart(every[of]))
    mine, cases = [pair for key, pair in sure.items() if key[0] == of], [key for key in seen if key[0] == of]
    if len(mine) > FEW * len(cases):
        whose, told = f"{second.label} vs {first.label}: {of}", _told(mine, len(cases))
        return [f"{whose} {text}" for text in dict.fromkeys((told, told.partition(" (")[0]))], ""
    if {*seen.values()} == {"SAME"} and max(map(_apart, every.values())) < ALIKE:
        return [f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %"], ""
    few = f"surely different in {len(sure)} of {counted(len(seen), 'case')}" if sure else "no case surely different"
    few = "the hosts may be why" if not sure and hosts_behind(sources) else few
    span = " to ".join(dict.fromkeys(f"{end(every[of]):.2f}x" for end in (min, max)))
    return [], f"{second.label} over {first.label}: {of} {span}; {few if cases else UNKNOWN}"


def hosts_behind(sources: list[Source]) -> list[str]:
    """Of two archives and a probe that mostly measures the host: in what their hosts differ."""
    if len(sources) != 2 or host_share(sources[0].archive.run, sources[0].points[0].probe) <= 0.5:
        return []
    return [hosts] if (hosts := hosts_apart(*(source.archive for source in sources))) else []
