"""`gpufx sheet`: all quantities of one archive or several, as text, LaTeX, JSON or CSV."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from functools import partial
from hashlib import sha256

from ..archive.cases import describe
from ..archive.load import Archive
from ..call.number_text import counted
from ..call.program import root
from ..call.tables import csv_text, fitted, wrapped
from ..call.terminal import columns, is_quiet
from ..call.text import json_text
from ..chip import published
from ..chip.columns import COLUMNS, as_row
from ..chip.definitions import OF_HOST
from ..chip.quantities import basis
from ..chip.quantity import Quantity
from ..chip.quantity_text import cards_text, interval_text, reported_text, sure_text, value_text, with_ends
from ..judging.changes import unlike_note
from ..judging.facts import SYNTHETIC
from .compare_text import identity
from .difference import change_json, change_text, legend
from .side import chip_names, with_ns

Sheet = tuple[Archive, list[Quantity]]

HEAD = ("quantity", "value", "interval", "other cards", "device reports", "meaning")
PUBLISHED = (
    "Published values for {} and, in one row, for related chips, by our definitions. DIFFERS: by more than both "
    "uncertainties. Sources, and values of other definitions: results/published; --format json."
)
HOSTS = "depends on the host, its driver and load as much as on the card"
WIDE = 130  # columns from which on the meaning has room


def _row(q: Quantity) -> tuple[str, ...]:
    if not q.determined:
        return (q.id, "not determined", "", "", "", q.definition.meaning)
    sure = interval_text(q) or sure_text(q)
    return (q.id, value_text(q), sure, cards_text(q), reported_text(q), q.definition.meaning)


def _rows(sheets: list[Sheet], cell: Callable = with_ends) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """One archive with all columns; of several a column each, and how the last differs from the first."""
    if len(sheets) == 1:
        return HEAD, [_row(q) for q in sheets[0][1] if not q.waived]
    by_id = [{q.id: q for q in found} for _, found in sheets]
    rows = []
    for name in sorted({name for found in by_id for name, q in found.items() if not q.waived}):
        of = [found.get(name) for found in by_id]
        cells = [cell(q) if q else "-" for q in of]
        rows.append((name, *cells, change_text(of[0], of[-1]), next(q for q in of if q).definition.meaning))
    names = chip_names([archive for archive, _ in sheets])
    return ("quantity", *names, f"{names[-1]} vs {names[0]}", HEAD[-1]), rows


def _reasons(sheet: Sheet) -> list[str]:
    """Why values are missing; of those that the machine can't have, once for each reason of a probe."""
    waived = Counter((q.definition.probe, q.reason) for q in sheet[1] if q.waived)
    lines = [f"{q.id}: not determined: {q.reason}" for q in sheet[1] if not q.determined and not q.waived]
    return lines + [f"{counted(n, 'value')} of {probe} {reason}" for (probe, reason), n in sorted(waived.items())]


def _notes(sheet: Sheet) -> list[str]:
    """Where the device says something else, and what a value depends on."""
    reported = [
        f"{q.id}: the device reports {reported_text(q)}. {q.definition.reported.note}".rstrip()
        for q in sheet[1]
        if q.agrees is False
    ]
    of_host = sorted({q.id.partition(".")[0] + ".*" for q in sheet[1] if q.definition.kind in OF_HOST and q.determined})
    more = [f"{', '.join(of_host)}: {HOSTS}"] if of_host else []
    return reported + [f"{q.id}: {q.definition.state}" for q in sheet[1] if q.determined and q.definition.state] + more


def _published(sheets: list[Sheet]) -> list[str]:
    """Of each chip once."""
    by_chip = {archive.run["device"]["name"]: (archive, found) for archive, found in reversed(sheets)}
    lines = []
    for chip, (archive, found) in reversed(by_chip.items()):
        if rows := published.rows(archive.run, found):
            named = chip if len(by_chip) > 1 else "this chip"
            lines += ["", *wrapped(PUBLISHED.format(named)), "", *fitted(published.HEAD, rows)]
    return lines


def _unlike(sheets: list[Sheet]) -> list[str]:
    """Of the column that says how the last differs from the first."""
    (first, found), (last, _) = sheets[0], sheets[-1]
    return unlike_note(first, last, {q.definition.probe for q in found}) if len(sheets) > 1 else []


def as_text(sheets: list[Sheet]) -> str:
    lines, (head, rows), n = [], _rows(sheets), 1 + len(sheets)
    if is_quiet():  # names and values
        return "".join(f"{line}\n" for line in fitted(head[:n], [row[:n] for row in rows])[1:])
    for archive, _ in sheets:
        told = (describe(archive), *[SYNTHETIC] * archive.synthetic, basis(archive))
        lines += [line for text in told for line in wrapped(text)]
    if len(sheets) == 1:
        known = {q.id: q for q in sheets[0][1]}
        rows = [(name, with_ns(value, known[name], sheets[0][0]), *more) for name, value, *more in rows]
    if columns() < WIDE:  # the meaning stands below, and few rows have a figure of the device
        short = [row[: -2 if len(sheets) == 1 else -1] for row in rows]
        reported = "; ".join(f"{row[0]} {row[4]}" for row in rows if row[4]) if len(sheets) == 1 else ""
        first, *below = fitted(head[: len(short[0])] if short else head, short)
        lines += ["", first]
        at = -1
        for line in [*below, ""]:  # above the first line of the next row
            begins = not line or (at + 1 < len(rows) and rows[at + 1][0].startswith(line.split(" ")[0] or " "))
            if begins and at >= 0:
                lines += wrapped(f"  {rows[at][-1]}", indent="    ")
            at += begins
            lines += [line] if line else []
        lines += ["", *wrapped(f"{HEAD[4]}: {reported}", indent="  ", between=";")] if reported else []
    else:
        lines += ["", *fitted(head, rows)]
    if len(sheets) > 1 and (said := legend(row[-2] for row in rows)):
        lines += ["", *said]
    lines += [line for text in _unlike(sheets) for line in wrapped(text, indent="  ")]
    for sheet in sheets:
        wanted = [q for q in sheet[1] if not q.waived]
        found = sum(q.determined for q in wanted)
        lines += ["", f"run {sheet[0].run['id']}: {found} of {counted(len(wanted), 'quantity')} determined"]
        more = _reasons(sheet) + _notes(sheet)
        lines += [line for text in more for line in wrapped(f"  {text}", indent=" " * 4)]
    lines += _published(sheets)
    return "\n".join(lines) + "\n"


LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}",
                      "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
                      "±": r"$\pm$", "†": r"$\dagger$", "µ": r"$\mu$", "\u2013": "--",
                      "×": r"$\times$", "·": r"$\cdot$", "⁹": "$^9$", "\u2009": r"\,"})  # fmt: skip
RANGE, MINUS = re.compile(r"(?<!\.)\.\.(?!\.)"), re.compile(r"(?<![\w.)-])-(?=\d)")
BELOW_ZERO = re.compile(r"(?<![\w.)-])(-[\d.]*\d)\.\.(?=-?\d)|(?<=\d)\.\.(?=-\d)")  # ranges: TeX joins dashes


def latex(text: str) -> str:
    """A cell or a sentence, escaped, with its signs in math mode. No line ends between a number and its per cent."""
    ranges = RANGE.sub("\u2013", BELOW_ZERO.sub(r"\1 to ", text))
    return MINUS.sub("$-$", ranges.translate(LATEX)).replace(r" \%", r"\,\%")


def caption_file(stem: str, lines: Iterable[str], formats: Collection[str]) -> tuple[str, bytes]:
    """What stands around a figure that has no title, for its caption: a line each; beside PDF in sentences of LaTeX."""
    if "pdf" in formats:
        return f"{stem}.tex", "".join(f"{latex(line)}{'.' * (line[-1] not in '.?')}\n" for line in lines).encode()
    return f"{stem}.txt", "".join(f"{line}\n" for line in lines).encode()


ON_A_PAGE = 12  # rows; more break over pages
MEANING, OF_TWO, ALL = 0.46, 0.34, 0.94  # parts of the line's width; the rest is between columns
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))?(x| [^±]+?)?( [±(].*| exact| reported| or (?:less|more))?")
UNITS = {"GB/s": r"\giga\byte\per\second", "TB/s": r"\tera\byte\per\second", "%": r"\percent",
         "µs": r"\micro\second", "ns": r"\nano\second", "ms": r"\milli\second", "B": r"\byte", "KiB": r"\kibi\byte",
         "MiB": r"\mebi\byte", "GiB": r"\gibi\byte", "W": r"\watt", "MHz": r"\mega\hertz"}  # fmt: skip


def amount_latex(text: str) -> str:
    """A value or a range with its unit, for siunitx."""
    match = AMOUNT.fullmatch(text)
    if not match:
        return "not determined" if text.strip() == "?" else latex(text)
    low, high, unit, sure = match.groups()
    if high:  # both ends to the same place
        low, high = (f"{Decimal(end):.{max(len(of.partition('.')[2]) for of in (low, high))}f}" for end in (low, high))
    unit = (unit or "").strip()
    # What siunitx does not know is set as it is; of several words it may be broken between them.
    known = "" if unit == "x" or " " in unit else UNITS.get(unit, unit)
    name = ("qty" if known else "num") + ("range" if high else "")
    ends = f"{{{low}}}" + (f"{{{high}}}" if high else "") + (f"{{{known}}}" if known else "")
    after = "" if known else r"$\times$" if unit == "x" else latex(f" {unit}") if unit else ""
    return f"\\{name}{ends}{after}{latex(sure or '')}"


def as_bibtex(sheets: list[Sheet]) -> str:
    """How to cite the program and these archives, with the address that CITATION.cff states."""
    runs = [archive.run for archive, _ in sheets]
    commits = dict.fromkeys(str(run["program"]["commit"]) for run in runs)
    sums = [f"{archive.run['id']} {sha256(archive.path.read_bytes()).hexdigest()}" for archive, _ in sheets]
    stated = root() / "CITATION.cff"
    url = re.search(r"^repository-code: (\S+)$", stated.read_text("utf-8") if stated.is_file() else "", re.M)
    return (
        "@misc{gpufx, title = {gpufx}, author = {{The gpufx developers}}, "
        f"year = {{{runs[-1]['started_utc'][:4]}}}, {f'url = {{{url[1]}}}, ' if url else ''}"
        f"howpublished = {{software, version {runs[0]['program']['version']}, commits {', '.join(commits)}}}, "
        f"note = {{archives by SHA-256: {', '.join(sums)}}}}}\n"
    )


def as_latex(sheets: list[Sheet]) -> str:
    """A table of the packages array, booktabs and siunitx, as wide as the column of the paper: meanings with ids below
    them, values. The caption names the archives, comments say how they were measured and how to cite them."""
    from .report import render  # Jinja

    chips, ids = chip_names([archive for archive, _ in sheets]), [archive.run["id"] for archive, _ in sheets]
    head, rows = _rows(sheets, partial(with_ends, wide=0))  # value and interval to the same place
    keep = [i for i, name in enumerate(head)
            if name not in ("quantity", "meaning", "device reports") and any(row[i] for row in rows)]  # fmt: skip
    told = [text for archive, _ in sheets for text in (describe(archive), basis(archive))]

    def line(row, cell) -> str:
        name = re.sub(r"(\\_|\.)", r"\1\\allowbreak{}", latex(row[0]))
        return " & ".join((rf"{latex(row[-1])}\newline\texttt{{{name}}}", *(cell(row[i]) for i in keep))) + r" \\"

    measured = ", ".join(
        f"{chip} (gpufx {archive.run['program']['version']}, archive {archive.run['id']}, {archive.processes_text})"
        for chip, (archive, _) in zip(chips, sheets, strict=True)
    )
    signs = [" ".join(legend(row[-2] for row in rows))] * (len(sheets) > 1)
    said = [f"{text}." for text in (*(basis(archive) for archive, _ in sheets), *signs, *_unlike(sheets))]
    said += [SYNTHETIC for archive, _ in sheets if archive.synthetic]
    caption = latex(" ".join(dict.fromkeys([f"Measured: {measured}.", *said])))
    meaning = MEANING if len(keep) < 3 else OF_TWO
    shares = (meaning, *[(ALL - meaning) / len(keep)] * len(keep))
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" for share in shares)
    label = "-".join(["tab:gpufx", *ids, *(row[0] for row in rows[:1])])
    return render(
        "sheet.tex",
        long=len(rows) > ON_A_PAGE,
        on_a_page=ON_A_PAGE,
        columns=columns,
        comments=dict.fromkeys([*told, as_bibtex(sheets).strip()]),
        caption=rf"\caption{{{caption}}}\label{{{label}}}",
        head=line(head, latex),
        rows=[line(row, amount_latex) for row in rows],
    )


def archives_json(sheets: list[Sheet], more: Callable = lambda *_: {}) -> list[dict]:
    """Of further archives also how they differ from the first."""
    first = {q.id: q for q in sheets[0][1]}
    documents = []
    for at, (archive, found) in enumerate(sheets):
        rows = [as_row(q, archive) | more(q, archive) | (change_json(first.get(q.id), q) if at else {})
                for q in found]  # fmt: skip
        documents.append(identity(archive) | {"intervals": basis(archive), "quantities": rows})
    return documents


def as_json(sheets: list[Sheet]) -> str:
    def more(q: Quantity, archive: Archive) -> dict:
        return {"published": published.as_json(q, published.published(archive.run, q))}

    return json_text({"archives": archives_json(sheets, more)}, 2)


def as_csv(sheets: list[Sheet]) -> str:
    rows = [[a.run["id"], a.run["device"]["name"], *as_row(q, a).values()] for a, found in sheets for q in found]
    return csv_text(["run", "device_name", *COLUMNS], rows)


FORMATS = {"text": as_text, "latex": as_latex, "bibtex": as_bibtex, "json": as_json, "csv": as_csv}
