"""`gpufx ask`: a search for words in what the project has anyway, and the values of what it finds.

SQLite's full-text index (FTS5, words by their stems) holds quantities by id, meaning and unit, claims by their text,
effects by their question, verbs by what they do, words of the glossary, and sections of the manual by their heading;
with less weight also the question of the effect and the text of its page, or of the section. A word counts by how rare
it is; those of any question (ASKING, MEASURING) do not. A row scores the words that it has; below NEXT it is not shown.
Where the question is about a word that a page defines, that page leads. Words that no row has are named. A claim has
its verdict.
"""

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..archive.load import Archive
from ..archive.newest import MOST_READ, newest, opened
from ..call.cache import kept
from ..call.program import Entry, archives, root
from ..call.tables import fitted, wrapped
from ..call.text import clipped, from_here
from ..chip.definitions import of_the_tree
from ..chip.quantities import infer
from ..chip.quantity import Quantity
from ..chip.quantity_text import interval_text, short_text, sure_text
from ..judging.claims import FAILS, UNKNOWN, Verdict, judged
from .claims_text import measured_text
from .compare_text import identity
from .names import chip_name
from .sheet import quantity_json

MOST_ROWS = 10
LONG, CLOSE = 4, 0.55  # so many words: the best row must have this of them, or nothing is close
NEXT = 0.4  # of the best row's score: what a further row must have
BODY = 0.3
WEIGHTS = {"name text": 1.0, "topic": 0.6, "body": BODY}  # of the columns that a word is in; the first one counts
FIGURE = 1.2  # times the score of a quantity: it answers, where others lead on
ABSENT = 3.0  # weight of a word that no row has, as of one that a twentieth of them have
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
ASKING = re.compile(
    "an?|and|are|as|at|be|by|can|do|does|for|from|has|have|how|i|if|in|is|it|me|my|of|on|or|the|to|was|what|when|where|"
    "which|why|with|you"
)
MEASURING = re.compile(  # of any question for a figure, and units
    "much|many|(long|fast|slow|larg|bigg)er|long|fast|large|big|than|times?|takes?|needs?|costs?|compared|going|through|"
    "should|use|per|number|cycles?|bytes?|(nano|micro|milli)?seconds|[num]?s|[kmgt]i?b"
)
COMMANDS = {"quantity": "gpufx sheet {} --probe {}", "claim": "gpufx claims {} --probe {}",
            "effect": "gpufx plot {} --probe {}"}  # fmt: skip


class Row(NamedTuple):
    kind: str
    name: str  # of a quantity, an effect, a verb or a page
    text: str
    topic: str = ""
    body: str = ""
    at: str = ""  # the effect; of a verb or a page where to read on


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
        yield Row("quantity", d.id, d.meaning, f"{title} {topic} {d.unit} {'bandwidth' * ('B/' in d.unit)}", body, name)


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

    def _having(self, word: str) -> dict[int, float]:
        """Rows that have the word, each with the weight of the column that it is in."""
        found: dict[int, float] = {}
        for columns, weight in WEIGHTS.items():
            for row in self._matching(columns, word):
                found.setdefault(row, weight)
        return found

    def _matching(self, columns: str, word: str) -> list[int]:
        asked = (f'{{{columns}}} : "{word}"',)
        return [row for (row,) in self.table.execute("SELECT rowid - 1 FROM rows WHERE rows MATCH ?", asked)]

    def search(self, words: Sequence[str]) -> tuple[list[Row], list[str]]:
        """The rows that have enough of the words, the best first, and the words that no row has."""
        given = [word for word in words if not ASKING.fullmatch(word)]
        words = [word for word in given if not MEASURING.fullmatch(word)]
        score: dict[int, float] = defaultdict(float)
        named: dict[int, list[float]] = defaultdict(list)
        having = {word: self._having(word) for word in words}
        absent = [word for word, rows in having.items() if not rows]
        asked = ABSENT * len(absent)
        for word, rows in having.items():
            many = sum(weight > BODY for weight in rows.values()) or len(rows)
            rare = max(0.0, math.log((len(self.rows) - many + 0.5) / (many + 0.5))) if rows else 0.0
            asked += rare
            for row in self._matching("name", word):
                if self.rows[row].at in DEFINING:
                    named[row].append(rare)
            for row, weight in rows.items():
                score[row] += rare * weight
        best = max(score.values(), default=0.0)
        if len(given) >= LONG and best < CLOSE * asked:
            return [], absent
        leads = {
            row for row, of in named.items() if len(of) == len(self.rows[row].name.split()) and 2 * sum(of) > asked
        }
        found = [row for row in sorted(score) if score[row] >= NEXT * best > 0]
        for row in found:
            score[row] *= FIGURE if self.rows[row].kind == "quantity" else 1.0
        # l2.latency before l2.far_latency
        parts = [len({*words} & {*re.split(r"[._]", row.name)}) for row in self.rows]
        found.sort(key=lambda row: (row not in leads, -score[row], -parts[row], len(self.rows[row].name)))
        return [self.rows[row] for row in found], absent


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


class Side(NamedTuple):
    """A chip's quantities, each from its reference, else from its newest archive that has it."""

    name: str  # that it was given, for commands
    archive: Archive
    found: dict[str, tuple[Quantity, Archive]]

    def verdict(self, row: Row) -> Verdict | None:
        """On a claim, where its probe was measured."""
        found = judged(self.archive, row.at).verdicts if row.at in self.archive.probes else ()
        return next((v for v in found if v.text == row.text), None)


def _device(archive: Archive) -> str:
    return chip_name(archive) + ", SYNTHETIC" * archive.synthetic


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
    name = (side.name or (archive or side.archive).run["id"]) if side else "latest"
    command = COMMANDS[row.kind].format(name, row.at) if row.kind in COMMANDS else row.at
    value, sure = (short_text(q), interval_text(q) or sure_text(q)) if q else ("-" * (row.kind == "quantity"), "")
    verdict = side.verdict(row) if side and row.kind == "claim" else None
    word = (verdict.verdict if verdict else UNKNOWN) if row.kind == "claim" else None
    if word:
        value = word if word == UNKNOWN else f"{word}: {measured_text(verdict)}"
        archive = side.archive if verdict else None
    document = {"kind": row.kind, "name": row.name, "text": row.text, "command": command, "verdict": word,
                "quantity": q and quantity_json(q, archive), "archive": archive and identity(archive)}  # fmt: skip
    return [(value, sure, row.text, _device(archive) if archive else ""), ("", "", command, "")], document


def _parted(words: Sequence[str], known: Sequence[Entry]) -> tuple[dict[str, list[Entry]], list[str], list[str]]:
    """Words that name archives, with those; names of chips without one; and what is searched."""
    chips = [_chip(word) for word in words]
    named = {chip: of for chip in chips if (of := _archives_named(chip, known))}
    without = [chip for chip in chips if chip not in named and MODEL.fullmatch(chip)]
    texts = [
        word
        for before, word, chip, after in zip(["", *chips], words, chips, [*chips[1:], ""], strict=False)
        if chip not in (*named, *without) and not (before in named and after in named)  # the "vs" of two chips
    ]
    return named, without, list(dict.fromkeys(re.findall(r"[^\W_]+", " ".join(texts).lower())))


def answer(words: Sequence[str], archive: Archive | None = None) -> Found:
    """archive: instead of those that the words name, or of the newest ones."""
    known, index = archives(), Index(rows_of(root()))
    named, without, searched = _parted(" ".join(words).split(), known)
    rows, absent = index.search(searched)
    document = {"found": bool(rows), "absent": absent, "no_archive": without}
    notes = [f"no archive of: {clipped(', '.join(without))}"] if without else []
    notes += [f"no match for: {clipped(', '.join(absent))}"] if absent else []
    if not rows:
        notes = notes or ["nothing is close to these words: ask with fewer or rarer ones"]
        return Found("; ".join(["nothing found", *notes]) + "\n", False, document)
    wanted = {row.name for row in rows[:MOST_ROWS] if row.kind == "quantity"}
    if archive:
        run_id = archive.run["id"]
        name = run_id if any(entry.id == run_id for entry in known) else from_here(archive.path)
        sides = [_side(name, iter([archive]), wanted)]
    else:
        sides = [_side(name, opened(of, None), wanted) for name, of in named.items()]
        sides = sides or [_side("", newest(None, known), wanted)]
    asked = [(row, side) for row in rows for side in (sides if row.kind == "quantity" else sides[:1])]
    shown = [_shown(row, side) for row, side in asked[:MOST_ROWS]]
    shown.sort(key=lambda row: row[1]["verdict"] == FAILS)  # what guides say and is not so: after the figures
    used = {a.run["id"]: a for side in sides if side for _, a in side.found.values()}
    notes += [f"{a.run['device']['name']}: run {i} of {a.run['started_utc'][:10]}" for i, a in used.items()]
    notes += [] if any(sides) else ["no archive yet: gpufx characterize"]
    lines = [*fitted(HEAD, [line for cells, _ in shown for line in cells]), ""]
    lines += [line for note in notes for line in wrapped(note, indent="  ")]
    return Found("\n".join(lines) + "\n", True, document | {"rows": [of for _, of in shown]})
