"""Tables as plain text, Markdown and CSV: what `compare`, `summary` and `sheet` print is one of these, or JSON
(text.json_text). Plain text keeps to the width of the screen: what is longer goes on below, broken at blanks and, in
names of cases, behind "/"."""

import csv
import io
import re
from textwrap import TextWrapper

from .terminal import columns
from .text import csv_cell, markdown

LONG, NARROWEST = 32, 8  # of a column in a table that does not fit: words as long stay whole, if that is enough
GAP = 2  # between columns
HELD = "\0"  # a blank at which no line ends
HOLDS = re.compile(  # a number and its unit; what stands in cells in place of a number
    r"(?<=\d) (?=(?:%|[KMGT]?i?B(?:/\w+)?|bytes|[mnµ]?s|[KMG]?Hz|W|[GT]?FLOP/s|cycles?)(?![\w%]))"
    r"|(?<=\bnot) (?=determined)"
)


class _Wrapper(TextWrapper):
    """Breaks at blanks, and words of several parts, such as names of cases, behind each "/"."""

    def words(self, text: str) -> list[str]:
        words = [word for word in re.split(r"(\s+)", HOLDS.sub(HELD, text)) if word]
        return [part for word in words for part in self._parts(word)]

    _split = words  # what TextWrapper calls

    def _parts(self, word: str) -> list[str]:
        room = self.width - len(self.subsequent_indent)
        if HELD in word and len(word) > room:  # at a blank after all
            return re.split("( )", word.replace(HELD, " "))
        return [word] if word.count("/") < 2 else re.split(r"(?<=/)(?=.)", word)


def wrapped(text: str, width: int = 0, indent: str = "", cut: bool = False, between: str = "") -> list[str]:
    """Lines of at most `width` characters (0: of the screen); those after the first are indented. cut: a word that is
    longer goes on below, too. between: lines end behind this only, as far as they can."""
    width = width or columns()
    if len(text) <= width and text.isprintable():
        return [text.rstrip(" ")]
    if between:
        text = f"{between} ".join(part.replace(" ", HELD) for part in text.split(f"{between} "))
    wrapper = _Wrapper(width, subsequent_indent=indent, break_long_words=cut, break_on_hyphens=False)
    return [line.replace(HELD, " ") for line in wrapper.wrap(text)] or [""]


def table(head: tuple[str, ...], rows: list[tuple[str, ...]], right: set[str] = frozenset()) -> list[str]:
    """Columns of plain text; the last one is not padded."""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]

    def line(cells):
        padded = (c.rjust(w) if name in right else c.ljust(w) for c, w, name in zip(cells, widths, head, strict=True))
        return "  ".join(padded).rstrip()

    return [line(head), *(line(r) for r in rows)]


def _narrowed(widths: list[int], floors: list[int], room: int) -> list[int]:
    """The widest columns that may give way do so first, one character at a time."""
    widths = list(widths)
    while sum(widths) > room:
        over = [width if width > floor else 0 for width, floor in zip(widths, floors, strict=True)]
        if not any(over):
            break
        widths[over.index(max(over))] -= 1
    return widths


def fitted(
    head: tuple[str, ...], rows: list[tuple[str, ...]], right: set[str] = frozenset(), less: int = 0
) -> list[str]:
    """The table, with cells of several lines where it would be wider than the screen less `less` columns."""
    room = columns() - less - GAP * (len(head) - 1)
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    if sum(widths) <= room:
        return table(head, rows, right)
    for whole, most in ((LONG, LONG), (1, LONG), (1, NARROWEST)):  # words are cut where nothing else helps
        cut = _Wrapper(whole).words
        words = [max(len(w) for r in [head, *rows] for w in cut(r[i]) or [""]) for i in range(len(head))]
        widths = _narrowed(widths, [min(word, most) for word in words], room)
        if sum(widths) <= room:
            break
    high: list[tuple[str, ...]] = []
    for row in [head, *rows]:
        cells = [wrapped(cell, width, cut=True) for cell, width in zip(row, widths, strict=True)]
        high += [tuple(c[i] if i < len(c) else "" for c in cells) for i in range(max(map(len, cells)))]
    return table(high[0], high[1:], right)


def markdown_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    def line(cells):
        return "| " + " | ".join(map(markdown, cells)) + " |"

    return [line(head), f"|{' --- |' * len(head)}", *(line(r) for r in rows)]


def csv_text(head: list[str], rows: list[list]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
