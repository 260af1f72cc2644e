"""What `compare` says of the cases that a figure of two archives draws."""

import math
from collections.abc import Iterator, Sequence

from ...archive.load import Archive
from ...call.number_text import counted, moved
from ...chip.definitions import host_share
from ...judging.compare import compare
from ...judging.facts import hosts_apart
from ...judging.levels import load_beside
from .look import Source
from .pen import Pen, same_place

MARGIN = 0.01  # as `compare` has it where none is given
ALIKE = 1.02  # of a number that was not judged: more than this times another is not "the same"
SURE = {"SLOWER", "FASTER"}
SHOWN = 0.5  # of a difference: a number that moves by less does not show it
FEW = 2  # series that are named
FAR = 1.5  # times: what is drawn differs, and nobody knows by how much

_last: list = []  # two archives and their verdicts: all figures of a call are of the same


def _verdicts(first: Archive, second: Archive) -> dict[str, tuple[str, float]]:
    """Of all cases by name: the verdict, and the logarithm of new over base."""
    if not _last or _last[0] is not first or _last[1] is not second:
        rows = compare(first, second, MARGIN, others=load_beside(first, second)).rows
        known = {f"{r.probe}/{r.case}": (r.verdict, math.log(r.new / r.base)) for r in rows if r.ratio}
        _last[:] = [first, second, known]
    return _last[2]


def _drawn(sources: list[Source], pens: Sequence[Pen]) -> Iterator[tuple[str, float, str]]:
    """Cases of both archives, the second's number over the first's, and what the figure calls them."""
    for pen in pens:
        seen = {(row.series, same_place(row)): row for row in pen.rows if row.source is sources[0] and row.y > 0}
        for row in pen.rows if pen.comparable else ():
            base = seen.get((row.series, same_place(row))) if row.source is sources[1] else None
            if base and base.case == row.case and row.y > 0:
                yield row.case, row.y / base.y, row.series or str(row.x)


def judged(sources: list[Source], pens: Sequence[Pen]) -> str:
    """How far the drawn numbers of the cases that surely differ do, or that none does; "" where none was judged."""
    first, second = sources
    known = _verdicts(first.archive, second.archive)
    seen, named, sure = {}, (set(), set()), {}  # verdicts; how unsure and sure cases are called; ratios of the latter
    every = []  # ratios that are drawn
    for case, ratio, name in (one for one in _drawn(sources, pens) if one[0] in known):
        seen[case], size = known[case]
        every.append(ratio)
        shows = seen[case] in SURE and abs(math.log(ratio)) > SHOWN * abs(size)
        named[shows].add(name)
        sure |= {case: ratio} if shows else {}
    verdicts, over = {*seen.values()}, f"{second.label} over {first.label}"
    if sure:
        ratios = sorted(sure.values(), reverse=max(sure.values()) < 1)  # the smallest change first
        low, high = moved(ratios[0]), moved(ratios[-1])
        span = low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"
        told = len(named[1]) <= FEW and bool(named[0]) and named[0].isdisjoint(named[1])
        which = f" ({' and '.join(sorted(named[1]))})" * told
        return f"{second.label} vs {first.label}: {span} in {len(sure)} of {counted(len(seen), 'case')}{which}"
    if verdicts == {"SAME"} and max(*every, 1 / min(every)) < ALIKE:
        return f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %"
    if verdicts & SURE:  # in what is not drawn
        return f"{over}: {min(every):.2f} to {max(every):.2f} of what is drawn"
    said = "No sure difference" if every and max(every) < FAR * min(every) else "Unsure how far they differ"
    return f"{said} ({over}: {min(every):.2f} to {max(every):.2f})" if every else ""


def hosts_behind(sources: list[Source]) -> list[str]:
    """Of two archives and a probe that mostly measures the host: in what their hosts differ."""
    if len(sources) != 2 or host_share(sources[0].archive.run, sources[0].points[0].probe) <= 0.5:
        return []
    return [hosts] if (hosts := hosts_apart(*(source.archive for source in sources))) else []
