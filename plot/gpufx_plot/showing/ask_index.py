"""What `gpufx ask` searches, and which row a question means.

Rows are data that exist: the questions beside the effects (micro/*/*/answers.json), the tables of docs/answers.md, each
quantity by its meaning, the headings of the pages. SQLite's FTS5 ranks them: words by their stems, bm25 with a weight
for each column. A question of several words is asked word by word, so that it is known which of its words a row lacks:
a row that lacks too much of what was asked is no answer. Words that mean the same stand in synonyms.json.
"""

import math
import os
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import msgspec

from .. import UserError
from ..call.text import shown
from ..chip.definitions import of_the_tree

PAGE = "docs/answers.md"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)\)(?:: (.+))?")
QUANTITY = re.compile(r"`([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)`")
UNMEASURED = "## Not measured"
COMMON = frozenset(
    re.findall(
        r"\w+",
        """a about an and any are as at be best between by can compared cost could cuda difference do does fast
        for from full get good gpu gpufx gpus has have how i if in into is it its long many may me much my
        need needed normal number nvidia of on one only or quick should slow so speed still take than that
        the them there to use using versus vs was what when where which who why will with work worth would
        you""",
    )
)
HINTS = {  # what a turn of phrase asks for, where the other words leave a choice
    "rate": re.compile(r"\bhow fast\b"),
    "latency": re.compile(r"\bhow long\b"),
    "size": re.compile(r"\bhow (large|big)\b|\bhow much\b.*\b(has|have|hold|holds|fit|fits)\b"),
}
# What a word counts in the question, among its other names, in its figures, of its probe, in headings.
WEIGHTS = (6.0, 8.0, 3.0, 3.0, 0.6)
SYNONYM = 0.7  # of a word that was not asked itself
LEAST = 0.5  # of what was asked, by how rare each word is: a row with less is no answer
UNSAID = 0.6  # of a word that no row has: it may not matter
PHRASE = 1.4  # times the score where all words stand together
SURE = 0.95  # times the score of a figure's own row, beside that of a question which has the figure
ENOUGH = 0.5  # of the best row's score: rows that are named, too


@dataclass
class Row:
    """A question: with what it is answered, and where one reads on."""

    question: str
    command: str
    quantities: list[str]
    page: Path  # from the project's folder
    names: str
    probe: str = ""  # "": no effect's own
    note: str = ""  # what holds on any chip
    measured: bool = True
    weight: float = 1.0
    figures: str = ""
    about: str = ""
    headings: str = field(default="", repr=False)


class Answer(msgspec.Struct):
    """A line of answers.json."""

    question: str
    command: str
    quantities: list[str] = []
    words: list[str] = []
    note: str = ""


def rows_of(text: str, top: Path) -> list[Row]:
    """The rows of the page that no effect has: its tables, but those that are written from the effects."""
    found, measured = [], True
    for line in text.splitlines():
        if line.startswith("## "):
            measured = line != UNMEASURED
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or cells[0].endswith("know"):
            continue
        if not measured and len(cells) == 2:
            found.append(Row(cells[0], "", [], Path(PAGE), cells[1], measured=False, weight=SURE**2))
        if measured and len(cells) == 4 and cells[1].startswith("`"):
            link = LINK.search(cells[2])
            page = Path(os.path.normpath(top / "docs" / link[1])).relative_to(top) if link else Path(PAGE)
            if page.parts[0] != "micro":
                note = link[2] or "" if link else ""
                found.append(Row(cells[0], cells[1].strip("`"), QUANTITY.findall(cells[2]), page, cells[3], note=note))
    return found


def of_effects(top: Path) -> list[Row]:
    """The questions beside the effects. Raises UserError."""
    found = []
    for path in sorted(top.glob("micro/*/*/answers.json")):
        try:
            told = msgspec.json.decode(path.read_bytes(), type=list[Answer])
        except (OSError, msgspec.MsgspecError) as error:
            raise UserError(f"{shown(path)}: {error}") from None
        page = path.parent.relative_to(top) / "README.md"
        for a in told:
            names = ", ".join(a.words)
            found.append(Row(a.question, a.command, a.quantities, page, names, path.parent.name, a.note))
    return found


def meanings(top: Path) -> dict[str, str]:
    """What each figure is, in words that stand alone: where it is "the same", with the one before."""
    found: dict[str, str] = {}
    for defined in of_the_tree(top).values():
        whole = ""
        for d in defined:
            same = d.meaning.startswith("the same")
            whole = whole if same else d.meaning
            found[d.id] = f"{whole}; {d.meaning}" if same and whole else d.meaning
    return found


def of_quantities(top: Path, rows: Sequence[Row]) -> list[Row]:
    """A row for each figure that no question has first: it is found by its id and its meaning."""
    first = {row.quantities[0] for row in rows if row.quantities}
    pages = {path.parent.name: path.relative_to(top) for path in top.glob("micro/*/*/README.md")}
    told = meanings(top)
    return [
        Row(f"{told[d.id]}.", f"gpufx sheet latest --probe {probe}", [d.id], pages[probe], d.id, probe, weight=SURE)
        for probe, defined in of_the_tree(top).items()
        for d in defined
        if d.id not in first and probe in pages
    ]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _headings(path: Path) -> list[str]:
    return [line.lstrip("# ") for line in _text(path).splitlines() if line.startswith("#")]


def of_pages(top: Path) -> list[Row]:
    """A row for each heading of the pages that belong to no effect."""
    return [
        Row(heading, "", [], path.relative_to(top), path.stem.replace("_", " "), weight=0.6)
        for path in [top / "README.md", *sorted(top.glob("docs/*.md"))]
        for heading in _headings(path)
        if path.name not in ("answers.md", "gallery.md")
    ]


def indexed(top: Path) -> list[Row]:
    """All rows, with what they are found by. Raises UserError."""
    try:
        text = (top / PAGE).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{PAGE} can't be read: {error.strerror}") from None
    rows = of_effects(top) + rows_of(text, top)
    rows += of_quantities(top, rows) + of_pages(top)
    told = meanings(top)
    headings = {row.page: " ".join(_headings(top / row.page)) for row in rows if row.probe}
    for row in rows:
        row.figures = " ".join(f"{name} {told.get(name, '')}" for name in row.quantities[:1])
        row.about, row.headings = row.probe.replace("_", " "), headings.get(row.page, "")
    return rows


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Of each word those that mean the same."""
    groups = msgspec.json.decode((Path(__file__).parent / "synonyms.json").read_bytes(), type=list[list[str]])
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for word in group:
            found[word] = (*found.get(word, ()), *(other for other in group if other != word))
    return found


def words_of(text: str) -> list[str]:
    """The words of a question that tell it from others, each once."""
    found = dict.fromkeys(word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in COMMON)
    return list(found)


class Index:
    """The rows in a full-text index."""

    def __init__(self, rows: Sequence[Row]):
        self.rows = list(rows)
        self.table = sqlite3.connect(":memory:")
        columns = "question, names, figures, about, headings"
        self.table.execute(f"CREATE VIRTUAL TABLE rows USING fts5({columns}, tokenize = 'porter unicode61')")
        told = ((i, r.question, r.names, r.figures, r.about, r.headings) for i, r in enumerate(self.rows))
        self.table.executemany(f"INSERT INTO rows (rowid, {columns}) VALUES (?, ?, ?, ?, ?, ?)", told)

    def found(self, phrase: str, prefix: bool = False) -> dict[int, float]:
        """Rows that have a word or a phrase, and how much it counts in each."""
        weights = ", ".join(map(str, WEIGHTS))
        query = f"SELECT rowid, -bm25(rows, {weights}) FROM rows WHERE rows MATCH ?"
        return dict(self.table.execute(query, (f'"{phrase}"{"*" if prefix else ""}',)))

    def of_word(self, word: str) -> tuple[dict[int, float], float]:
        """The same with its synonyms; and how rare the word is."""
        exact = self.found(word)
        if not exact and len(word) > 4:
            exact = self.found(word, prefix=True)
        scores = dict(exact)
        for other in synonyms().get(word, ()):
            for row, score in self.found(other).items():
                scores[row] = max(scores.get(row, 0.0), SYNONYM * score)
        rare = math.log(1 + len(self.rows) / max(1, len(exact or scores)))
        return scores, rare if scores else UNSAID * rare

    def ranked(self, text: str) -> list[tuple[float, Row]]:
        """Rows that answer, the best first."""
        return [(score, self.rows[i]) for share, score, i in self._scored(text) if share >= LEAST]

    def near(self, text: str, most: int = 3) -> list[Row]:
        """Rows that have something of what was asked."""
        return [self.rows[i] for _, _, i in self._scored(text) if self.rows[i].measured][:most]

    def _scored(self, text: str) -> list[tuple[float, float, int]]:
        scores: dict[int, float] = {}
        had: dict[int, float] = {}
        asked, words = 0.0, words_of(text)
        for word in words:
            having, rare = self.of_word(word)
            asked += rare
            for row, score in having.items():
                scores[row] = scores.get(row, 0.0) + score
                had[row] = had.get(row, 0.0) + rare
        for hint, phrase in HINTS.items():
            for row, score in self.of_word(hint)[0].items() if phrase.search(text.lower()) else ():
                if row in scores:
                    scores[row] += SYNONYM * score
        for i in self.found(" ".join(words)) if len(words) > 1 else ():
            scores[i] *= PHRASE
        found = [
            (had[i] / asked, score * (had[i] / asked) ** 2 * self.rows[i].weight, i) for i, score in scores.items()
        ]
        return sorted(found, key=lambda entry: (-entry[1], entry[2]))

    def nearest_words(self, text: str) -> list[str]:
        """For words that no row has, what is written nearly so."""
        known = sorted(
            {w for row in self.rows for t in (row.question, row.names) for w in re.findall(r"\w+", t.lower())}
        )
        unknown = [word for word in words_of(text) if not self.found(word)]
        return [near for word in unknown for near in get_close_matches(word, known, 1, 0.75)]

    def lead(self, row: Row, text: str, told: dict[str, str]) -> str:
        """The figure of a row that has most of the words; the first, where none has more."""
        asked = [{word, *synonyms().get(word, ())} for word in words_of(text)]

        def shared(name: str) -> int:
            own, said = (set(re.findall(r"[a-z0-9]+", words.lower())) for words in (name, told.get(name, "")))
            return sum(2 * bool(group & own) or bool(group & said) for group in asked)

        return max(row.quantities, key=shared, default="")
