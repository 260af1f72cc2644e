"""Which repetitions an interval is made from: processes of one run, occasions of one card, or cards of one device.

What differs from process to process is not all that differs. Between days and driver starts, and from card to card,
there is more, and no number of processes shows it. An interval holds for what was repeated:

process   for this card, as it was when the archives were taken;
occasion  for this card on any day: every archive of the base's card is one repetition;
board     for the device, any card of it: every card is one repetition, the mean of its archives.

At the two upper levels one repetition is the mean of its processes' logarithms, and what it can be known to from within
comes from the spread of the processes. The rest is the statistics of `verdicts`, one level up.
"""

from collections.abc import Sequence

import numpy as np

from .. import UserError
from ..archive.lean import load_lean
from ..archive.load import Archive
from ..archive.points import Point
from ..call.number_text import counted
from ..call.program import archives
from ..call.terminal import complain
from ..statistics.rules import HALF_WIDTHS
from ..statistics.spread import Side, spreads
from .facts import board_of

ENOUGH = 10  # processes of both sides together, of most cases: with fewer, further archives tell about spreads, too
MOST_TEACHERS = 2  # archives that they are learnt from


def side(points: Sequence[Point | None]) -> Side:
    """What one archive has of some cases: a column is a process. Medians are above zero."""
    counts = np.array([len(point.medians) if point else 0 for point in points])
    there = np.arange(max(counts.max(initial=0), 1)) < counts[:, None]
    logs, inside = np.full(there.shape, np.nan), np.full(there.shape, np.nan)
    logs[there] = np.log([value for point in points if point for value in point.medians])
    inside[there] = errors([ends for point in points if point for ends in point.intervals])
    return Side(logs, inside)


def errors(intervals: Sequence[tuple[float, float] | None]) -> np.ndarray:
    """The standard error that each 95 % interval of a median says of its logarithm; NaN where that is unknown."""
    low, high = np.array([ends or (0, 0) for ends in intervals], dtype=float).reshape(-1, 2).T
    known = (low > 0) & (high >= low)
    error = np.full(len(low), np.nan)
    error[known] = np.log(high[known] / low[known]) / 2 / HALF_WIDTHS
    return error


def cases_of(archive: Archive, points: Sequence[Point]) -> list[Point | None]:
    """The archive's points of the same cases, as far as they were measured by the same method."""
    mine = {point.key: point for point in archive.points}
    found = [mine.get(point.key) for point in points]
    return [
        young
        if young and (young.method_version, young.metric) == (old.method_version, old.metric) and min(young.medians) > 0
        else None
        for old, young in zip(points, found, strict=True)
    ]


def wants_others(base: Archive, new: Archive, level: str) -> bool:
    """Whether archives beside these two have a part in the comparison."""
    return level != "process" or base.usual_processes + new.usual_processes < ENOUGH


def load_others(base: Archive, level: str, probes: set[str] | None, figures: bool = False) -> list[Archive]:
    """The archives of the base's device that the tree has, newest first: all of them, or those that tell most about how
    far processes differ. figures: with derived figures and extras, not the costs alone."""
    found = []
    for entry in archives():
        if (entry.slug, entry.synthetic) == (base.slug, base.synthetic) and entry.id != base.run["id"]:
            if level == "process" and entry.processes < 2:
                continue
            try:
                archive = load_lean(entry.path, probes, figures)
            except UserError as error:
                if level != "process":
                    raise
                complain(f"note: passing over an archive that only tells of spreads: {error}")
                continue
            if level != "process" or archive.processes > 1:
                found.append(archive)
            if level == "process" and len(found) == MOST_TEACHERS:
                break
    return found


def groups(base: Archive, new: Archive, others: Sequence[Archive], level: str) -> list[list[Archive]]:
    """The repetitions that stand behind the base. Raises UserError where there is but one."""
    card = board_of(base)
    usable = [a for a in others if a.run["id"] not in (base.run["id"], new.run["id"]) and a.slug == base.slug]
    usable = [base, *(a for a in usable if a.synthetic == base.synthetic)]
    if level == "occasion":
        found = [[archive] for archive in usable if board_of(archive) == card]
    else:
        cards: dict[str, list[Archive]] = {}
        for archive in usable:
            if board_of(archive) != board_of(new):
                cards.setdefault(board_of(archive), []).append(archive)
        found = list(cards.values())
    if len(found) < 2:
        what, whose = ("occasion", "this card") if level == "occasion" else ("other card", "this device")
        raise UserError(
            f"--level {level} takes two or more, and the tree has {counted(len(found), what)} of {whose} beside the "
            "new archive; measure more, or leave --level out"
        )
    return found


def lifted(kind: np.ndarray, repetitions: list[list[Side]], new: Side) -> tuple[Side, Side]:
    """One column per repetition instead of one per process."""
    spread = spreads(kind, [*(part for parts in repetitions for part in parts), new])

    def column(parts: list[Side]) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            count = sum((part.count > 0).astype(int) for part in parts)
            mean = sum(np.where(part.count > 0, part.mean, 0.0) for part in parts) / count
            error = sum(np.where(part.count > 0, spread.variance / part.count, 0.0) for part in parts) / count**2
        return np.where(count > 0, mean, np.nan), np.where(count > 0, np.sqrt(error), np.nan)

    columns = [column(parts) for parts in repetitions]
    base = Side(np.column_stack([mean for mean, _ in columns]), np.column_stack([error for _, error in columns]))
    mean, error = column([new])
    return base, Side(mean[:, None], error[:, None])
