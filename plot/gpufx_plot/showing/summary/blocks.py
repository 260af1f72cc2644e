"""What is said of a probe, as long as there is room for it."""

from collections import Counter
from dataclasses import dataclass

from ...archive import limits
from ...archive.load import Archive
from ...archive.points import Point
from ...archive.pooled_fits import Fit
from ...call.number_text import counted
from ...chip.sizes import Walks
from .laws import broken_laws, copy_lines, fit_lines
from .without_law import over_sms, ranges, rate_lines, stairs
from .words import MERGED, PACKED, ROOMY, WIDTH, packed, wrapped

MOST_BROKEN = 8  # names beside the worst


def titles_of(archive: Archive, probe: str, points: list[Point]) -> tuple[str, str]:
    """The probe and how many cases there are, with all flags and with the number of cases that have any."""
    text = f"{probe}: {counted(len(points), 'case')}"
    for word, absences in (("waived", archive.waived), ("FAILED", archive.failed)):
        count = len({absence.name for absence in absences if absence.probe == probe})
        if count:
            text += f", {count} {word}"
    flags = Counter(limits.words(flag, p.limits) for p in points for flag in p.flags)
    if not flags:
        return text, text
    whole = ", ".join(f"{n} {flag}" for flag, n in sorted(flags.items()))
    return f"{text}, flagged: {whole}", f"{text}, {sum(bool(p.flags) for p in points)} flagged"


@dataclass
class Block:
    """What is said of a probe: law is the worst of those that do not hold, at length and short; also has the others."""

    titles: tuple[str, str]
    law: tuple[str, ...]
    also: list[tuple[str, int]]
    sections: list[list[str]]
    named: int = MOST_BROKEN  # of the others
    left_out: int = 0  # lines that were dropped
    joined: bool = False  # what comes first stands behind the title, be it the short one, where it has the room

    def _laws(self, head: str) -> list[str]:
        more = sum(count for _, count in self.also[self.named :])
        items = [name for name, _ in self.also[: self.named]] + [f"{more} more"] * (more > 0)
        texts = (packed(f"{head}{law}; also", items, ",") if items else [head + law] for law in self.law)
        return min(map(wrapped, texts), key=len, default=[])

    @property
    def lines(self) -> list[str]:
        laws = self._laws("")
        rest = [line for section in self.sections for line in section]
        note = f" ({self.left_out} line{'s' * (self.left_out > 1)} left out)" if self.left_out else ""
        if self.joined or len(laws) + len(rest) == 1:
            for title in self.titles[: 1 + self.joined]:
                head = f"{title}{note}; "
                if laws and len(together := self._laws(head)) <= len(laws):
                    return [together[0], *(f"  {line}" for line in [*together[1:], *rest])]
                if not laws and rest and len(head + rest[0]) <= WIDTH:
                    return [head + rest[0], *(f"  {line}" for line in rest[1:])]
        title = next((t for t in self.titles if len(t + note) <= WIDTH), self.titles[-1])
        return [title + note, *(f"  {line}" for line in laws + rest)]

    @property
    def spare(self) -> tuple[int, int]:
        """What there is to drop: lines of sections, and names of broken laws."""
        return sum(map(len, self.sections)), min(self.named, len(self.also))

    def drop(self) -> None:
        """The end of the longest section, of several the least weighty; without any, a name of the broken laws, which
        are still counted. The worst one stays."""
        longest = max(reversed(self.sections), key=len, default=[])
        if not longest:
            self.named = self.spare[1] - 1
            return
        longest.pop()
        if longest:
            longest[-1] = longest[-1].rstrip(",;")
        self.left_out += 1


def fitted(archive: Archive, probe: str, level: int) -> tuple[list[Point], list[Fit], list[list[str]]]:
    """The cases of a probe, its fits, and these in lines: those over counts, and those over bytes."""
    points = [p for p in archive.points if p.probe == probe]
    fits = [f for f in archive.merged_fits if f.probe == probe]
    by_count, by_bytes = ([f for f in fits if f.over_bytes is over] for over in (False, True))
    return points, fits, [fit_lines(by_count, points, level), copy_lines(by_bytes, points, level)]


def block_of(archive: Archive, walks: Walks, probe: str, level: int) -> Block:
    points, fits, laws = fitted(archive, probe, level)
    sections = [
        *laws,
        rate_lines(points) if not any(f.over_bytes for f in fits) else [],
        stairs(walks, points, archive.run["device"]["l2_bytes"], level),
        over_sms(points),
    ]
    if points and not fits and (not any(sections) or any(p.extras for p in points)):
        sections.append(ranges(points, not sections[3], level))
    return Block(titles_of(archive, probe, points), *broken_laws(fits), [wrapped(part) for part in sections if part])


def blocks_of(archive: Archive, height: int) -> list[Block]:
    """All probes, squeezed where they are longest, and then with lines left out, until they fit into the height."""
    probes = sorted({*archive.probes, *(absence.probe for absence in archive.waived + archive.failed)})
    walks = Walks(archive)
    levels = {p: [block_of(archive, walks, p, level) for level in (ROOMY, MERGED, PACKED)] for p in probes}
    blocks = {p: said[ROOMY] for p, said in levels.items()}

    def too_long() -> bool:
        return sum(len(block.lines) for block in blocks.values()) > height

    for level in (MERGED, PACKED):
        for probe in sorted(probes, key=lambda p: -len(blocks[p].lines)):
            if too_long() and len(levels[probe][level].lines) < len(blocks[probe].lines):
                blocks[probe] = levels[probe][level]
    for block in blocks.values():
        block.joined = too_long()
    over = sum(len(block.lines) for block in blocks.values()) - height
    while over > 0:
        block = max(blocks.values(), key=lambda b: b.spare)
        if not any(block.spare):
            break
        over -= len(block.lines)
        block.drop()
        over += len(block.lines)
    return list(blocks.values())
