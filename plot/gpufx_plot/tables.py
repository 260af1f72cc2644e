"""Tables as plain text, Markdown and CSV: what `compare`, `summary` and `sheet` print is one of these, or JSON
(text.json_text)."""

import csv
import io

from .text import csv_cell, markdown


def table(head: tuple[str, ...], rows: list[tuple[str, ...]], right: set[str] = frozenset()) -> list[str]:
    """Columns of plain text; the last one is not padded."""
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]

    def line(cells):
        padded = (c.rjust(w) if name in right else c.ljust(w) for c, w, name in zip(cells, widths, head, strict=True))
        return "  ".join(padded).rstrip()

    return [line(head), *(line(r) for r in rows)]


def markdown_table(head: tuple[str, ...], rows: list[tuple[str, ...]], right: set[str] = frozenset()) -> list[str]:
    def line(cells):
        return "| " + " | ".join(map(markdown, cells)) + " |"

    rule = "| " + " | ".join("--:" if name in right else "---" for name in head) + " |"
    return [line(head), rule, *(line(r) for r in rows)]


def csv_text(head: list[str], rows: list[list]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
