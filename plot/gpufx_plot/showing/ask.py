"""`gpufx ask`: a search for words in what the project has anyway, and the values of what it finds.

SQLite's full-text index (FTS5, words by their stems) holds quantities by id, meaning and unit, claims by their text,
effects by their question, verbs by what they do, words of the glossary, and sections of the manual by their heading;
with less weight also the question of the effect and the text of its page, or of the section. vocabulary.json has what
people say and the search for it ("same"), what they ask of a thing ("hints"), and words of any question. A word counts
by how rare it is. A row scores the words that it has; below NEXT it is not shown. A page that defines
the word of a question leads. Words that no row has or, in a long question, that fit least are left out and named."""

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from .. import UserError
from ..archive.load import Archive, load_outline
from ..call.cache import kept
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
MOST_READ = 3  # archives, until one has a figure
LONG, CLOSE = 4, 0.55  # of so many words, the best row must have this; else one more is left out
NEXT = 0.4  # of the best row's score: what a further row must have
BODY, HINT = 0.3, 0.5
WEIGHTS = {"name": 1.15, "name text unit": 1.0, "topic": 0.6, "body": BODY}  # of columns with a word; the first counts
FIGURE = 1.2  # times the score of a quantity: it answers, where others lead on
LEAST_ID = 6  # digits that name a run
MODEL = re.compile(r"([abhpv]|gb|gh|mi)[1-9]\d0x?|l40s?|[rg]tx\d*")  # a chip, whose name is no word to search for
MEMORY = re.compile(r"hbm\w*|\d+gb")  # part of a chip's name, and a word of questions
HEAD = ("value", "99 % CI", "meaning, and the command", "chip")
VERB = re.compile(r"^\| `([a-z ]+)` \| ([^|]+) \|", re.MULTILINE)
LINKED = re.compile(r"\[([^\]]+)\]\([^)]+\)")
TERM = re.compile(r"^\| \*\*(.+?)\*\* \| (.+) \|$", re.MULTILINE)
DEFINING = ("docs/effects.md", "docs/glossary.md")
SUBJECT = re.compile(r"^\d+\. (?:A|An|The) (.+?):")  # of a heading: "2. A bank conflict: ..."
EMPHASIS = re.compile(r"\*([a-z]+)\*")  # a word that the sentence defines
VOCABULARY: dict[str, dict[str, str]] = msgspec.json.decode(Path(__file__).with_name("vocabulary.json").read_bytes())
COMMANDS = {"quantity": "gpufx sheet {} --probe {}", "claim": "gpufx claims {} --probe {}",
            "effect": "gpufx plot {} --probe {}"}  # fmt: skip


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
        unit = d.unit + " bandwidth" * ("B/" in d.unit) + " peak" * bool(d.reported and d.reported.kind == "peak")
        yield Row("quantity", d.id, d.meaning, f"{title} {topic}", body, name, unit)


def _of_page(path: Path, name: str) -> Iterator[Row]:
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"^#+ (.+)$", text, flags=re.MULTILINE)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        subject = SUBJECT.match(heading) if name in DEFINING else None
        yield Row("page", subject[1] if subject else path.stem, heading, "", body, name)
        sentences = re.split(r"(?<=[.:]) ", " ".join(body.split())) if subject else []
        for before, sentence in zip(["", *sentences], sentences, strict=False):
            for word in EMPHASIS.findall(sentence):
                yield Row("page", word, f"{before} {sentence}".strip(" :").replace("*", ""), at=name)
    for verb, does in VERB.findall(text) if path.name == "verbs.md" else ():
        yield Row("verb", verb, does, at=f"gpufx {verb} --help")
    for term, means in TERM.findall(text) if path.name == "glossary.md" else ():
        yield Row("page", term, f"{term}: " + LINKED.sub(r"\1", means), at=name)


def rows_of(top: Path) -> list[Row]:
    effects = sorted(path.parent for path in top.glob("micro/*/*/README.md"))
    pages = [path for path in (top / "README.md", *sorted(top.glob("docs/*.md"))) if path.is_file()]
    found = [row for folder in effects for row in _of_effect(folder)]
    return found + [row for path in pages for row in _of_page(path, str(path.relative_to(top)))]


class Index:
    """The rows in a full-text index, which is kept for the next call."""

    def __init__(self, rows: Sequence[Row]):
        self.rows = rows
        self.table = sqlite3.connect(":memory:")
        self.table.deserialize(kept("words", (msgspec.json.encode(rows),), bytes, self._filled))

    def _filled(self) -> bytes:
        table = sqlite3.connect(":memory:")
        table.execute(f"CREATE VIRTUAL TABLE rows USING fts5({', '.join(Row._fields)}, tokenize = 'porter unicode61')")
        table.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(Row._fields))})", self.rows)
        table.commit()
        return table.serialize()

    def _having(self, term: str) -> dict[int, float]:
        """Rows that have the term, each with the weight of the column that it is in."""
        found: dict[int, float] = {}
        for columns, weight in WEIGHTS.items():
            asked = (f"{{{columns}}} : ({term})",)
            for (row,) in self.table.execute("SELECT rowid - 1 FROM rows WHERE rows MATCH ?", asked):
                found.setdefault(row, weight)
        return found

    def search(self, text: str) -> tuple[list[Row], list[str]]:
        """The rows that have enough of the words, the best first, and the words that were left out."""
        terms, hints, long = _asked(text)
        having = {term: rows for term in terms if (rows := self._having(term))}
        while long and len(having) > 1 and self._share(having) < CLOSE:  # drop the word that fits the others least
            having = max(({t: of for t, of in having.items() if t != least} for least in having), key=self._share)
        score, asked = self._scores(having), sum(map(self._rare, having.values()))
        least = NEXT * max(score.values(), default=0.0)
        found = [row for row in sorted(score) if score[row] >= least > 0]
        hinted = [(HINT * self._rare(rows), rows) for rows in map(self._having, hints)]
        for row in found:
            score[row] *= FIGURE if self.rows[row].kind == "quantity" else 1.0
            score[row] += sum(weight * rows.get(row, 0.0) for weight, rows in hinted)
        pages = [row for row in found if self.rows[row].at in DEFINING]
        named = {row: [self._rare(of) for of in having.values() if of.get(row) == WEIGHTS["name"]] for row in pages}
        leads = {r for r, of in named.items() if len(of) == len(self.rows[r].name.split()) and 2 * sum(of) > asked}
        found.sort(key=lambda r: (r not in leads, -score[r], len(re.split("[._]", self.rows[r].name)), r))  # few parts
        return [self.rows[row] for row in found], [word for term, word in terms.items() if term not in having]

    def _scores(self, having: dict[str, dict[int, float]]) -> dict[int, float]:
        score: dict[int, float] = defaultdict(float)
        for rare, rows in [(self._rare(rows), rows) for rows in having.values()]:
            for row, weight in rows.items():
                score[row] += rare * weight
        return score

    def _share(self, having: dict[str, dict[int, float]]) -> float:
        return max(self._scores(having).values()) / (sum(map(self._rare, having.values())) or 1.0)

    def _rare(self, rows: dict[int, float]) -> float:
        many = sum(weight > BODY for weight in rows.values()) or len(rows)
        return max(0.0, math.log((len(self.rows) - many + 0.5) / (many + 0.5))) if rows else 0.0


def _asked(text: str) -> tuple[dict[str, str], list[str], bool]:
    """What to search for, each with its word in the text; hints; whether there are too many words to expect all."""
    meant = {word: (kind, term) for kind, of in VOCABULARY.items() for term in of for word in of[term].split(", ")}
    known = "|".join(sorted(meant, key=len, reverse=True))
    words = re.findall(rf"\b({known})(?:e?s)?\b|(\w+)", re.sub(r"[\W_]+", " ", text.lower()))
    found = [(*(meant[word] if word else ("same", f'"{other}"')), word or other) for word, other in words]
    hints = {term: word for kind, term, word in found if kind == "hints"}
    terms = {term: word for kind, term, word in found if kind == "same"} or hints
    return terms, list(hints), sum(kind != "ignored" for kind, _, _ in found) >= LONG


def _chip(word: str) -> str:
    return word.strip("?,.:!'()").removesuffix("'s").lower()


def _archives_named(name: str, known: Sequence[Entry]) -> list[Entry]:
    """The measured archives that a word names: part of the chip's name, its architecture, or a run; the reference of a
    chip first."""
    if MEMORY.fullmatch(name):
        return []
    parts = {e.id: (*e.slug.split("-")[1:], e.arch, e.id[: max(len(name), LEAST_ID)]) for e in known}
    named = [entry for entry in known if name in parts[entry.id] and not entry.synthetic]
    return sorted(named, key=lambda entry: not entry.reference)


def opened(entries: Sequence[Entry]) -> Iterator[Archive]:
    """Those that can be read and were not cut off."""
    for entry in entries:
        with suppress(UserError):
            if not (archive := load_outline(entry.path)).incomplete:
                yield archive


@dataclass
class Side:
    """A chip's quantities, each from its reference, else from its newest archive that has it."""

    name: str  # that it was given, for commands
    archive: Archive
    found: dict[str, tuple[Quantity, Archive]]

    @cached_property
    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        """On claims about probes that were measured, by probe and text."""
        return {(v.probe, v.text): v for v in reversed(judged(self.archive).verdicts) if v.probe in self.archive.probes}


def _side(name: str, of: Iterator[Archive], wanted: set[str]) -> Side | None:
    first, found = None, {}
    for archive in islice(of, MOST_READ):
        first = first or archive
        for q in infer(archive):
            if q.id in wanted and q.determined:
                found.setdefault(q.id, (q, archive))
        if wanted <= found.keys():
            break
    return Side(name, first, found) if first else None


class Found(NamedTuple):
    text: str
    found: bool
    document: dict


def _shown(row: Row, side: Side | None) -> tuple[list[tuple[str, ...]], dict]:
    """The two lines of a row in the table, and the same for programs."""
    q, archive = side.found.get(row.name, (None, None)) if side else (None, None)
    of = (archive or side.archive) if side else None
    name = (side.name if side.name and of is side.archive else of.run["id"]) if of else "latest"  # that has it
    command = COMMANDS[row.kind].format(name, row.at) if row.kind in COMMANDS else row.at
    value = with_ns(value_text(q), q, archive) if q else "-" * (row.kind == "quantity")
    text, sure = row.text, (interval_text(q) or sure_text(q)) if q else ""
    verdict = side.verdicts.get((row.at, row.text)) if side and row.kind == "claim" else None
    word = (verdict.verdict if verdict else UNKNOWN) if row.kind == "claim" else None
    if word:
        value = word if word == UNKNOWN else f"{word}: {measured_text(verdict)}"
        if verdict and verdict.compares:
            text += f" ({verdict.quantity}: {verdict.where or 'all'} vs {verdict.against})"
        archive = side.archive if verdict else None
    document = {"kind": row.kind, "name": row.name, "text": row.text, "command": command, "verdict": word,
                "quantity": q and as_row(q, archive), "archive": archive and identity(archive)}  # fmt: skip
    chip = chip_name(archive) + ", SYNTHETIC" * archive.synthetic if archive else ""
    command += f"  # {row.name}" * (row.kind == "quantity")
    return [(value, sure, text, chip), ("", "", command, "")], document


def _parted(words: Sequence[str], known: Sequence[Entry]) -> tuple[dict[str, list[Entry]], list[str], str]:
    """Words that name archives, with those; names of chips without one; and what is searched."""
    chips = [_chip(word) for word in words]
    named = {chip: of for chip in chips if (of := _archives_named(chip, known))}
    without = [chip for chip in chips if chip not in named and MODEL.fullmatch(chip)]
    return named, without, " ".join(w for w, chip in zip(words, chips, strict=True) if chip not in (*named, *without))


def answer(words: Sequence[str], archive: Archive | None = None) -> Found:
    """archive: instead of those that the words name, or of the newest ones."""
    known, index = archives(), Index(rows_of(root()))
    named, without, searched = _parted(" ".join(words).split(), known)
    rows, absent = index.search(searched)
    if len(named) > 1 and not rows and not absent:  # two chips, and no word of what
        rows, _ = index.search("what changed between archives")
    rows = [*{row.text if row.kind == "page" else row: row for row in rows}.values()]  # a sentence may define two words
    document = {"found": bool(rows), "absent": absent, "no_archive": without}
    notes = [f"no archive of: {clipped(', '.join(without))} (gpufx characterize measures one)"] if without else []
    notes += [f"{'left out' if rows else 'no match for'}: {clipped(', '.join(absent))}"] if absent else []
    if not rows:
        return Found("; ".join(["nothing found", *notes]) + "\n", False, document)
    if "measured" in searched and (pages := [*root().glob(f"micro/*/{rows[0].at}/README.md")]):
        rows.insert(1, Row("page", rows[0].at, "Method, and what can fool it", at=from_here(pages[0])))
    wanted = {row.name for row in rows[:MOST_ROWS] if row.kind == "quantity"}
    if archive:
        name = next((entry.id for entry in known if entry.id == archive.run["id"]), from_here(archive.path))
        sides = [_side(name, iter([archive]), wanted)]
    else:
        sides = [_side(name, opened(of), wanted) for name, of in named.items()]
        sides = sides or [_side("", opened(sorted(known, key=lambda entry: entry.synthetic)), wanted)]
    asked = [(row, side) for row in rows for side in (sides if row.kind == "quantity" else sides[:1])]
    shown = [_shown(row, side) for row, side in asked[:MOST_ROWS]]
    shown.sort(key=lambda row: row[1]["verdict"] == FAILS)  # what guides say and is not so: after the figures
    used = {a.run["id"]: a for side in sides if side for _, a in side.found.values()}
    how = "" if archive or named else "; a chip's name takes its reference"  # which may have other values
    runs = [f"{a.run['device']['name']}: run {i} of {a.run['started_utc'][:10]}{how}" for i, a in used.items()]
    notes = [*runs, *notes, *([] if any(sides) else ["no archive yet: gpufx characterize"])]
    best = sum(row is rows[0] for row, _ in asked) if is_quiet() else MOST_ROWS
    table = fitted(HEAD, [line for cells, _ in shown[:best] for line in cells])
    lines = table[1:] if is_quiet() else [*(line for note in notes for line in wrapped(note, indent="  ")), *table]
    return Found("\n".join(lines) + "\n", True, document | {"rows": [of for _, of in shown]})
