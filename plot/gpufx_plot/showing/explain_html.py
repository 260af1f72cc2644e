"""`gpufx explain --html`: one page that needs no network and no script, with the source of each line beside it and its
costliest pattern as a picture."""

from markupsafe import Markup

from ..call.number_text import time_text
from ..explain import source
from ..explain.answer import Answer, Kernel, Line
from ..explain.before import Pair
from ..explain.cures import cures
from .explain_picture import picture
from .explain_text import (
    access_text,
    against_rows,
    claimed_text,
    count_text,
    cure_text,
    head,
    inlined_text,
    kernel_notes,
    kernel_rows,
    saving_text,
    where,
    worth,
)
from .report import templates
from .report.build import POLICY, sha
from .report.colours import device_colours

MOST = 40  # lines that are shown whole
ROWS = 500  # of the table of all
NO_SOURCE = "this page has no source; --source adds the lines that the trace names"


def _line(kernel: Kernel, line: Line, at: int, with_source: bool) -> dict:
    drawn = picture(line)
    return {
        "id": f"line{at}",
        "where": where(line),
        "kernel": kernel.name,
        "inlined": inlined_text(line),
        "saving": saving_text(kernel, line),
        "hidden": bool(line.hidden_by),
        "source": source.around(line.file, line.line) if with_source else [],
        "line": line.line,
        "sass": line.sass or "",
        "told": [text for text in (access_text(line), count_text(line), claimed_text(line)) if text],
        "cures": [cure_text(told) for told in cures(kernel, line)],
        "picture": drawn,
        "share": line.patterns[0].share if line.patterns else 0.0,
        "distinct": line.distinct,
    }


def _row(kernel: Kernel, line: Line) -> tuple[str, ...]:
    saved = f"{100 * line.saved:.1f}" if kernel.predicted_ns is not None else "-"
    own = time_text(line.own_ns) if kernel.predicted_ns is not None and line.own_ns else "-"
    return where(line), kernel.name, access_text(line), count_text(line), own, saved, line.hidden_by or ""


HEAD = ("line", "kernel", "access", "counts", "own pipe, above ideal", "saves at most, %", "hidden by")


def as_html(found: Answer, pairs: list[Pair] | None, with_source: bool) -> str:
    """with_source: a trace may name any file, and pages are passed on."""
    slug = found.chip.archive.slug if found.chip else ""
    common = Markup(templates.text("explain.css"))
    style = templates.render("page.css", colours=[device_colours(slug)], common=common)
    lines = worth(found)[:MOST]
    kernels, rows, right = kernel_rows(found, len(found.kernels), True)
    return templates.render(
        "explain.html",
        policy=POLICY.format(sha(style), sha("")),
        style=Markup(style),
        title=where(lines[0][1]) if lines else "no line to improve",
        head=head(found),
        kernel_head=kernels,
        kernels=rows,
        right=right,
        lines=[_line(kernel, line, at, with_source) for at, (kernel, line) in enumerate(lines, start=1)],
        against=against_rows(pairs) if pairs is not None else None,
        every_head=HEAD,
        every=[_row(kernel, line) for kernel, line in found.lines[:ROWS]],
        count=len(found.lines),
        notes=[*kernel_notes(found), *found.notes, *([] if with_source else [NO_SOURCE])],
    )
