"""`gpufx explain --html`: one page that needs no network and no script, with the source of each line beside it and its
costliest pattern as a picture."""

from markupsafe import Markup

from ..call.number_text import time_text
from ..explain import source
from ..explain.answer import Answer, Kernel, Line
from ..explain.before import Pair
from ..explain.cures import cures
from . import explain_text as text
from .explain_picture import picture
from .report import templates
from .report.build import POLICY, sha
from .report.colours import device_colours

MOST = 40  # lines that are shown whole
ROWS = 500  # of the table of all
NO_SOURCE = "this page has no source; --source adds the lines that the trace names"


def _bar(kernel: Kernel) -> Markup:
    """The four parts of its time, as wide as they are long."""
    rects, at = [], 0.0
    for letter, share in zip(text.LETTERS, kernel.four.values(), strict=False):
        rect = Markup('<rect class="{}" x="{:.1f}" width="{:.1f}" height="10"/>')
        rects.append(rect.format(letter, 100 * at, 100 * share))
        at += share
    shares = zip(text.FOUR, kernel.four.values(), strict=False)
    told = ", ".join(f"{word} {text.percent(share)}" for word, share in shares)
    whole = Markup('<svg class="parts" viewBox="0 0 100 10" role="img" aria-label="{0}"><title>{0}</title>{1}</svg>')
    return whole.format(told, Markup("").join(rects)) if rects else Markup("")


def _kernels(found: Answer) -> tuple[tuple[str, ...], list[tuple], set[str]]:
    names, rows, right = text.kernel_rows(found, len(found.kernels))
    if text.TIME not in names:
        return names, rows, right
    at = names.index(text.TIME)
    rows = [
        (*row[:at], _bar(kernel), *row[at + 1 :], text.each_text(kernel, kernel.best_ns))
        for row, kernel in zip(rows, found.kernels, strict=True)
    ]
    return (*names, text.IDEAL), rows, right


def _line(kernel: Kernel, line: Line, at: int, with_source: bool) -> dict:
    drawn = picture(line)
    return {
        "id": f"line{at}",
        "where": text.where(line),
        "kernel": kernel.name,
        "inlined": text.inlined_text(line),
        "saving": text.saving_text(kernel, line),
        "hidden": bool(line.hidden_by),
        "source": source.around(line.file, line.line) if with_source else [],
        "line": line.line,
        "sass": line.sass or "",
        "told": [*filter(None, (text.access_text(line), text.count_text(line), text.claimed_text(line)))],
        "cures": [text.cure_text(told) for told in cures(kernel, line)],
        "picture": drawn,
        "share": line.patterns[0].share if line.patterns else 0.0,
        "distinct": line.distinct,
    }


def _row(kernel: Kernel, line: Line) -> tuple[str, ...]:
    saved = f"{100 * line.saved:.1f}" if kernel.predicted_ns is not None else "-"
    own = time_text(line.own_ns) if kernel.predicted_ns is not None and line.own_ns else "-"
    told = text.access_text(line), text.count_text(line)
    return text.where(line), kernel.name, *told, own, saved, line.hidden_by or ""


HEAD = ("line", "kernel", "access", "counts", "own pipe, above ideal", "saves at most, %", "hidden by")


def as_html(found: Answer, pairs: list[Pair] | None, with_source: bool) -> str:
    """with_source: a trace may name any file, and pages are passed on."""
    slug = found.chip.archive.slug if found.chip else ""
    common = Markup(templates.text("explain.css"))
    style = templates.render("page.css", colours=[device_colours(slug)], common=common)
    lines = text.worth(found)[:MOST]
    kernels, rows, right = _kernels(found)
    return templates.render(
        "explain.html",
        policy=POLICY.format(sha(style), sha("")),
        style=Markup(style),
        title=text.where(lines[0][1]) if lines else "no line to improve",
        head=[*text.verdict(found), *text.differences(found), *text.head(found)],
        kernel_head=kernels,
        kernels=rows,
        right=right,
        four=list(zip(text.LETTERS, text.FOUR, strict=True)) if any(kernel.four for kernel in found.kernels) else [],
        lines=[_line(kernel, line, at, with_source) for at, (kernel, line) in enumerate(lines, start=1)],
        against=text.against_rows(pairs) if pairs is not None else None,
        every_head=HEAD,
        every=[_row(kernel, line) for kernel, line in found.lines[:ROWS]],
        count=len(found.lines),
        notes=[*text.kernel_notes(found), *text.brief(found.notes), *([] if with_source else [NO_SOURCE])],
    )
