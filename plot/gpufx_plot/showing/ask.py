"""`gpufx ask`: a search for words in what the project has anyway, and the values of what it finds.

SQLite's full-text index (FTS5, words by their stems) holds quantities by id, meaning and unit, claims by their text,
effects by their question, verbs by what they do, and sections of the manual by their heading; with less weight the
page around them. vocabulary.json: what people say, and the search for it; what they ask of a thing; other words."""

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from .. import UserError
from ..archive.load import Archive, load_outline
from ..call.program import Entry, archives, root
from ..call.tables import fitted, wrapped
from ..call.terminal import is_quiet
from ..call.text import clipped, from_here
from ..chip.columns import as_row
from ..chip.definitions import of_the_tree
from ..chip.quantities import infer
from ..chip.quantity import Quantity
from ..chip.quantity_text import interval_text, sure_text, value_text
from ..judging.claims import FAILS, UNKNOWN, Verdict, judged
from .claims_text import measured_text
from .compare_text import identity
from .side import chip_name, with_ns

MOST_ROWS = 10
MOST_READ = 3  # archives of a chip; a row is of the first that has it
NEXT = 0.4  # of the best row's score: what a further row must have
BODY, HINT = 0.3, 0.5
WEIGHTS = {"name": 1.15, "name text unit": 1.0, "topic": 0.6, "body": BODY}  # of columns with a word; the first counts
LEADS = {"quantity": 1.2, "definition": 1.2}  # times the score: they answer, where others lead on
MODEL = re.compile(r"([abhpv]|gb|gh|mi)[1-9]\d0x?|l40s?|[rg]tx\d*")  # a chip, whose name is no word to search for
MEMORY = re.compile(r"hbm\w*|\d+gb")  # part of a chip's name, and a word of questions
HEAD = ("value", "99 % CI", "meaning, and the command", "chip")
VOCABULARY: dict[str, dict[str, str]] = msgspec.json.decode(Path(__file__).with_name("vocabulary.json").read_bytes())
SHOWN_BY = {"quantity": "sheet", "claim": "claims", "effect": "plot"}


class Row(NamedTuple):
    kind: str
    name: str  # of a quantity, an effect, a verb or a page
    text: str
    topic: str = ""
    body: str = ""
    at: str = ""  # the effect; of a verb or a page where to read on
    unit: str = ""


def _of_effect(folder: Path) -> Iterator[Row]:
    title, _, page = (folder / "README.md").read_text(encoding="utf-8").partition("\n")
    body, name = page.partition("## Measured")[0], folder.name
    question = re.search(r"\*\*Question\.\*\* (.+?)\n\n", body, re.DOTALL)
    topic = " ".join((question[1] if question else title).split())
    yield Row("effect", name, topic, title, body, name)
    claims = folder / "claims.json"
    for claim in msgspec.json.decode(claims.read_bytes()) if claims.is_file() else ():
        yield Row("claim", "", claim["text"], f"{title} {topic}", body, name)
    for d in of_the_tree(root()).get(name, ()):
        yield Row("quantity", d.id, d.meaning, f"{title} {topic}", body, name, d.unit)


def _of_page(path: Path, name: str) -> Iterator[Row]:
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"(?m)^#+ (.+)$", text)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        subject = re.match(r"\d+\. (?:A|An|The) (.+?):", heading)  # "2. A bank conflict: ..." of docs/effects.md
        yield Row("definition" if subject else "page", subject[1] if subject else path.stem, heading, "", body, name)
    for verb, does in re.findall(r"(?m)^\| `([a-z ]+)` \| ([^|]+) \|", text) if path.stem == "verbs" else ():
        yield Row("verb", verb, does, at=f"gpufx {verb} --help")


def rows_of(top: Path) -> list[Row]:
    effects = [row for path in sorted(top.glob("micro/*/*/README.md")) for row in _of_effect(path.parent)]
    pages = sorted((*top.glob("README.md"), *top.glob("docs/*.md")))
    return effects + [row for path in pages for row in _of_page(path, str(path.relative_to(top)))]


class Index:
    """The rows in a full-text index."""

    def __init__(self, rows: Sequence[Row]):
        self.rows, self.table = rows, sqlite3.connect(":memory:")
        self.table.execute(f"CREATE VIRTUAL TABLE rows USING fts5({', '.join(Row._fields)}, tokenize = porter)")
        self.table.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(Row._fields))})", rows)

    def _scored(self, term: str) -> dict[int, float]:
        """Rows that have the term: how rare it is, times the weight of the column that it is in."""
        found: dict[int, float] = {}
        for columns, weight in WEIGHTS.items():
            asked = (f"{{{columns}}} : ({term})",)
            for (row,) in self.table.execute("SELECT rowid - 1 FROM rows WHERE rows MATCH ?", asked):
                found.setdefault(row, weight)
        many = sum(weight > BODY for weight in found.values()) or len(found)
        rare = max(0.0, math.log((len(self.rows) - many + 0.5) / (many + 0.5)))
        return {row: rare * weight for row, weight in found.items()}

    def search(self, text: str) -> tuple[list[Row], list[str]]:
        """The rows that have enough of the words, the best first, and the words that no row has."""
        terms, hints = _terms(text)
        having = {term: self._scored(term) for term in terms}
        score = Counter()
        for rows in having.values():
            score.update(rows)
        least = NEXT * max(score.values(), default=0.0)
        found = [row for row in sorted(score) if score[row] >= least > 0]
        for hint in hints:
            score.update({row: HINT * rare for row, rare in self._scored(hint).items()})
        found = [(-score[row] * LEADS.get(self.rows[row].kind, 1.0), row) for row in found]
        found = sorted((key, len(re.split("[._]", self.rows[row].name)), row) for key, row in found)  # few parts
        return [self.rows[row] for *_, row in found], [word for term, word in terms.items() if not having[term]]


def _terms(text: str) -> tuple[dict[str, str], list[str]]:
    """What to search for, each with its word in the text, and hints."""
    meant = {word: (kind, term) for kind, of in VOCABULARY.items() for term in of for word in of[term].split(", ")}
    known = "|".join(sorted(meant, key=len, reverse=True))
    words = re.findall(rf"\b({known})(?:e?s)?\b|(\w+)", re.sub(r"[\W_]+", " ", text.lower()))
    found = [(*(meant[word] if word else ("same", f'"{other}"')), word or other) for word, other in words]
    hints = {term: word for kind, term, word in found if kind == "hints"}
    return {term: word for kind, term, word in found if kind == "same"} or hints, list(hints)


def _parted(words: Sequence[str], known: Sequence[Entry]) -> tuple[dict[str, list[Entry]], list[str], str]:
    """Words that name a chip or a run, with archives, the reference first; chips without one; what is searched."""
    named, without, searched = {}, [], []
    for word in words:
        chip = word.strip("?,.:!'()").removesuffix("'s").lower()
        of = [e for e in known if chip in (e.id, e.arch, *e.slug.split("-")[1:]) and not e.synthetic]
        if of and not MEMORY.fullmatch(chip):
            named[chip] = sorted(of, key=lambda entry: not entry.reference)
        else:
            (without if MODEL.fullmatch(chip) else searched).append(chip)
    return named, without, " ".join(searched)


def _opened(entries: Sequence[Entry]) -> list[Archive]:
    """Of the first few those that can be read and were not cut off."""
    found = []
    for entry in entries[:MOST_READ]:
        with suppress(UserError):
            found.append(load_outline(entry.path))
    return [archive for archive in found if not archive.incomplete]


def _measured(row: Row, archive: Archive) -> Quantity | Verdict | None:
    if row.kind == "quantity":
        return next((q for q in infer(archive, [row.name]) if q.determined), None)
    verdicts = judged(archive).verdicts if row.kind == "claim" else ()
    return next((v for v in verdicts if (v.probe, v.text) == (row.at, row.text) and v.verdict != UNKNOWN), None)


def _shown(row: Row, name: str, of: Sequence[Archive]) -> tuple[list[tuple[str, ...]], dict]:
    """Two lines of the table, and the same for programs, by the first archive that has the row. name: in commands."""
    found, archive = next(((x, a) for a in of if (x := _measured(row, a))), (None, None))
    q = found if row.kind == "quantity" else None
    value, sure = {"quantity": "-", "claim": UNKNOWN}.get(row.kind, ""), ""
    if q:
        value, sure = with_ns(value_text(q), q, archive), interval_text(q) or sure_text(q)
    elif found:
        value = f"{found.verdict}: {measured_text(found)}"
    chip = chip_name(archive) + ", SYNTHETIC" * archive.synthetic if archive else ""
    name = archive.run["id"] if archive and (not name or archive is not of[0]) else name or "latest"
    command = f"gpufx {SHOWN_BY[row.kind]} {name} --probe {row.at}" if row.kind in SHOWN_BY else row.at
    document = {"kind": row.kind, "name": row.name, "text": row.text, "command": command,
                "verdict": value.partition(":")[0] if row.kind == "claim" else None,
                "quantity": q and as_row(q, archive), "archive": archive and identity(archive)}  # fmt: skip
    command += f"  # {row.name}" * (row.kind == "quantity")
    return [(value, sure, row.text, chip), ("", "", command, "")], document


def answer(words: Sequence[str], archive: Archive | None = None) -> tuple[str, dict]:
    """The text and the document for programs. archive: instead of those that the words name, or of the newest ones."""
    known = archives()
    named, without, searched = _parted(" ".join(words).split(), known)
    rows, absent = Index(rows_of(root())).search(searched)
    document = {"found": bool(rows), "absent": absent, "no_archive": without}
    notes = [f"no archive of: {clipped(', '.join(without))} (gpufx characterize measures one)"] if without else []
    notes += [f"{'left out' if rows else 'no match for'}: {clipped(', '.join(absent))}"] if absent else []
    if not rows:
        return "; ".join(["nothing found", *notes]) + "\n", document
    entries = named or {"": sorted(known, key=lambda entry: entry.synthetic)}
    sides = {from_here(archive.path): [archive]} if archive else {name: _opened(of) for name, of in entries.items()}
    asked = [(row, side) for row in rows for side in (sides if row.kind == "quantity" else [*sides][:1])]
    shown = [_shown(row, side, sides[side]) for row, side in asked[:MOST_ROWS]]
    shown.sort(key=lambda row: row[1]["verdict"] == FAILS)  # what guides say and is not so: after the figures
    used = {of["archive"]["id"]: of["archive"] for _, of in shown if of["archive"]}
    runs = [f"{of['device']}: run {run} of {of['started_utc'][:10]}" for run, of in used.items()]
    notes = [*runs, *notes, *([] if any(sides.values()) else ["no archive yet: gpufx characterize"])]
    best = sum(row is rows[0] for row, _ in asked) if is_quiet() else MOST_ROWS
    table = fitted(HEAD, [line for cells, _ in shown[:best] for line in cells])
    lines = table[1:] if is_quiet() else [*(line for note in notes for line in wrapped(note, indent="  ")), *table]
    return "\n".join(lines) + "\n", document | {"rows": [of for _, of in shown]}
