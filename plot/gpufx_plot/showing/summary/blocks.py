"""What is said of a probe."""

from collections import Counter

from ...archive.cases import Point, flag_text
from ...archive.load import Archive
from ...archive.pooled_fits import Fit
from ...call.number_text import counted
from ...call.terminal import columns
from .laws import broken_laws, copy_lines, fit_lines
from .words import INDENT, wrapped


def _title(archive: Archive, probe: str, points: list[Point]) -> str:
    """The probe and how many cases there are, with all flags."""
    text = f"{probe}: {counted(len(points), 'case')}"
    for word, absences in (("waived", archive.waived), ("FAILED", archive.failed)):
        count = len({absence.name for absence in absences if absence.probe == probe})
        if count:
            text += f", {count} {word}"
    flags = Counter(flag_text(flag, p.limits) for p in points for flag in p.flags)
    return f"{text}, flagged: {', '.join(f'{n} {flag}' for flag, n in sorted(flags.items()))}" if flags else text


def _block(archive: Archive, probe: str, points: list[Point], fits: list[Fit], found: list[str]) -> list[str]:
    """The title, what does not hold, and the rest; all in one line where it has the room."""
    title, lines = _title(archive, probe, points), [*broken_laws(fits), *found]
    if len(lines) == 1 and len(f"{title}; {lines[0]}") <= columns():
        return [f"{title}; {lines[0]}"]
    # A title wraps as if it were indented as the lines are.
    return [*wrapped([title]), *(" " * INDENT + line for line in wrapped(lines))]


def _fitted(archive: Archive, probe: str) -> tuple[list[Point], list[Fit], list[str]]:
    """The cases of a probe, its fits, and these in lines: those over counts, and those over bytes."""
    points = [p for p in archive.points if p.probe == probe]
    fits = [f for f in archive.merged_fits if f.probe == probe]
    by_count, by_bytes = ([f for f in fits if f.over_bytes is over] for over in (False, True))
    return points, fits, [*fit_lines(by_count), *copy_lines(by_bytes, points)]


def block_of(archive: Archive, probe: str) -> list[str]:
    """The title, and what each law costs; the sheet has sizes and rates."""
    return _block(archive, probe, *_fitted(archive, probe))
