"""What `compare` says of the cases that a figure of two archives draws."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...archive.load import Archive
from ...call.number_text import counted, moved
from ...judging.compare import compare, why_incomparable
from ...judging.levels import load_beside
from .look import Source
from .pen import Pen, same_place

MARGIN = 0.01  # as `compare` has it where none is given
CLOSE = 1e-3  # logarithms: the number that is drawn is the one that was judged, or its inverse
ALIKE = 1.02  # and of a number that was not: more than this times another is not "the same"

_last: list = []  # two archives and their verdicts: all figures of a call are of the same


def _verdicts(first: Archive, second: Archive) -> dict[str, tuple[str, float]]:
    """Of all cases by name: the verdict, and the logarithm of new over base."""
    if not _last or _last[0] is not first or _last[1] is not second:
        rows = compare(first, second, MARGIN, others=load_beside(first, second)).rows
        known = {f"{r.probe}/{r.case}": (r.verdict, math.log(r.new / r.base)) for r in rows if r.ratio}
        _last[:] = [first, second, known]
    return _last[2]


def _drawn(sources: list[Source], pens: Sequence[Pen]) -> Iterator[tuple[str, float]]:
    """Cases of both archives, and the second's number over the first's."""
    for pen in pens:
        seen = {(row.series, same_place(row)): row for row in pen.rows if row.source is sources[0] and row.y > 0}
        for row in pen.rows if pen.comparable else ():
            base = seen.get((row.series, same_place(row))) if row.source is sources[1] else None
            if base and base.case == row.case and row.y > 0:
                yield row.case, row.y / base.y


def judged(sources: list[Source], pens: Sequence[Pen]) -> str:
    """How far the cases that differ surely do, or that none does; "" where none was judged."""
    first, second = sources
    known = _verdicts(first.archive, second.archive)
    seen: dict[str, tuple[str, float, float | None]] = {}  # verdict, size, and the ratio where that is what is drawn
    every, apart = [], [1.0]  # ratios that are drawn, and those of them that were not judged
    for case, ratio in _drawn(sources, pens):
        if case in known:
            verdict, size = known[case]
            own = abs(abs(math.log(ratio)) - abs(size)) < CLOSE
            every.append(ratio)
            apart += [] if own else [ratio, 1 / ratio]
            if own or case not in seen:
                seen[case] = (verdict, size, ratio if own else None)
    if not seen:
        return ""
    if sure := [one for one in seen.values() if one[0] in ("SLOWER", "FASTER")]:
        return f"{second.label} vs {first.label}: {_spans(sure)} of {counted(len(seen), 'case')}"
    if {verdict for verdict, *_ in seen.values()} == {"SAME"} and max(apart) < ALIKE:
        return f"The same on {first.label} and {second.label} within {100 * MARGIN:.0f} %"
    return f"No sure difference ({second.label} over {first.label}: {min(every):.2f} to {max(every):.2f})"


def _spans(sure: list[tuple[str, float, float | None]]) -> str:
    """+14 to +18 % in 13; where that is not what is drawn, or of both directions, as `compare` says it: 2 to 3 % slower
    in 4, 12 % faster in 9."""
    ratios = [ratio for *_, ratio in sure]
    if all(ratios) and len({ratio > 1 for ratio in ratios}) == 1:
        return f"{_span(ratios)} in {len(sure)}"
    found = []
    for word, count in Counter(verdict for verdict, *_ in sure).items():
        span = _span(math.exp(size) for verdict, size, _ in sure if verdict == word)
        found.append(f"{span.replace('+', '').replace('-', '')} {word.lower()} in {count}")
    return ", ".join(found)


def _span(ratios: Iterable[float]) -> str:
    by_size = sorted(ratios, key=lambda ratio: abs(math.log(ratio)))
    low, high = moved(by_size[0]), moved(by_size[-1])
    return low if low == high else f"{low.removesuffix(' %') if high.endswith('%') else low} to {high}"


def not_comparable(sources: list[Source], pens: Sequence[Pen]) -> list[str]:
    """Notes on drawn cases of which `compare` says nothing, and on series of which no case is in both archives."""
    cases = {case for case, _ in _drawn(sources, pens)} if len(sources) == 2 else set()
    sides = [{p.name: p for p in source.points} for source in sources]
    why = Counter(filter(None, (why_incomparable(*(side[case] for side in sides)) for case in sorted(cases)
                                if all(case in side for side in sides))))  # fmt: skip
    notes = [f"{n} of {counted(len(cases), 'case')} not comparable: {reason}" for reason, n in why.items()]
    apart = _apart(sources, pens) if len(sources) == 2 else []
    return notes + [f"no ratios of {', '.join(apart)}: each archive has other cases of them"] * bool(apart)


def _apart(sources: list[Source], pens: Sequence[Pen]) -> list[str]:
    """Series of which nothing is at the same place in both archives."""
    found = []
    for pen in (pen for pen in pens if pen.comparable and not pen.listed):
        for series in dict.fromkeys(row.series for row in pen.rows if row.series):
            mine = [{same_place(r) for r in pen.rows if r.source is s and r.series == series} for s in sources]
            found += [series] * mine[0].isdisjoint(mine[1])
    return [*dict.fromkeys(found)]
