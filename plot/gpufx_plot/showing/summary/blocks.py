"""What is said of a probe."""

from collections import Counter

from ...archive.cases import Point, flag_text
from ...archive.load import Archive
from ...archive.pooled_fits import Fit
from ...call.number_text import counted
from ...call.terminal import columns
from ...chip.sizes import Walks
from .laws import broken_laws, copy_lines, fit_lines
from .without_law import over_sms, ranges, rate_lines, stairs
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


def block_of(archive: Archive, walks: Walks, probe: str) -> list[str]:
    points, fits, lines = _fitted(archive, probe)
    lines += rate_lines(points) if not any(f.over_bytes for f in fits) else []
    walked = stairs(walks, points, archive.run["device"]["l2_bytes"])
    lines += walked + over_sms(points)
    if points and not fits and (not lines or any(p.extras for p in points)):
        lines += ranges(points, not walked)
    return _block(archive, probe, points, fits, lines)
