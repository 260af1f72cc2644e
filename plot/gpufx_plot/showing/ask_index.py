"""What `gpufx ask` searches, and which row a question means.

Rows are data that exist: the questions beside the effects (micro/*/*/answers.json), the tables of docs/answers.md, each
quantity by its meaning, the headings of the pages. SQLite's FTS5 ranks them, by the groups of three letters that a
question shares with what each row is called: a question is close to a row if it is close to several of its phrases.
That counts as much as the row has of the question's words, the rare ones first. A row that lacks most of them, or a
name of a call, an instruction or a type, is no answer.
"""

import math
import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import msgspec

from .. import UserError
from ..call.cache import kept
from ..call.text import shown
from ..chip.definitions import Definition, of_the_tree, read

PAGE = "docs/answers.md"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)\)(?:: (.+))?")
QUANTITY = re.compile(r"`([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)`")
UNMEASURED = "## Not measured"
COMMON = frozenset(
    re.findall(
        r"\w+",
        """a about above actually advantage affect affected affects after against all alone alright also always
        am an and another any anything approximately are as at available bad be because been before being below
        benefit benefits best better between both by call called calls can cause causes change compared cost
        could cuda deal depend depends did difference different do does doing don during each effective
        efficient efficiently else even ever every everything exactly expect expectations expected expensive
        fast faster fastest fix for from full gain gains gb geforce get gets getting give go goes good got gpu gpufx
        gpus had happen happens has have having help here how hurt hurts i if impact improve improves in instead
        into is it its just kb know later less let like long lot lots make makes many matter max maximum may mb
        me mean meet more most much my need needed never new normal not nothing now number nvidia of often ok on
        one ones only or other our out over performance please possible pretty quick rather reach reaches really
        roughly rtx run running runs same save saves see seem seems set setting should show side since slow
        slower so some someone something speed speedup still substitute such suffer suffers sxm sxm5 take takes
        than that the their them then there these they thing things this those time to too try two typical
        typically under understand unless until up us use used useful using usually versus very via vs want was
        way we were what when where whether which while who why will with within without wonder work works worth
        worthwhile would yet you your""",
    )
)
SAME = (  # what is written in many ways
    (re.compile(r"\b(host|cpu|h)\s*(->|→|to|2)\s*(the\s+)?(device|gpu|d)\b"), " h2d "),
    (re.compile(r"\b(device|gpu|d)\s*(->|→|to|2)\s*(the\s+)?(host|cpu|h)\b"), " d2h "),
    (re.compile(r"\b(without|no|lacks?) (a |an |any )?(nvidia )?(gpu|cuda device)\b"), " gpuless "),
    (re.compile(r"\bhip(?=[a-z])"), "cuda"),
    (re.compile(r"\bctas?\b"), "block"),
)
AMOUNT = re.compile(r"\d+([kmgt]i?)?b?")  # a number, also of bytes: it tells no question from another
# What names one thing alone: a call, an intrinsic, an instruction, a type. A row that lacks it is no answer.
PTX = "atom|bar|cp|createpolicy|cvt|discard|fence|ld|mbarrier|mma|multimem|prefetch|red|shfl|st|tcgen05|wgmma"
NAME = re.compile(
    r"\b(?:[a-z]{2,}[A-Z]\w+|__\w+|\w+_a?sync|[A-Za-z]+\d+[A-Za-z]*\d*|doubles?(?! buff)"
    rf"|(?:{PTX})(?:\.\w+)+|\w+::\w+|[A-Z][a-z]+[A-Z]\w*|(?<!\.)(?!API|CPU|GPU|PCI)[A-Z]{{3,}})\b"
)
SUFFIX = re.compile(r" ?(async|ex|2d|3d|block|system|sync aligned)$")  # of a name that is another's variant
NAMELESS = re.compile(
    r"g?[abhltv]\d{1,3}s?|[bfsu]\d+|[px]\d+|gen\d|(cuda|pcie|nvlink|gddr)\d+x?|hbm\d?e?|[dh]2[dh]|p2p|m\d+n\d+k\d+|sm\d+"
)  # chips, generations, sizes, ways
COMPARES = re.compile(
    r"\b(vs|versus|or|than|compared|relative|better|double|twice|instead|ratio|differ\w*|sav\w*|gain\w*|help\w*|reduces?|worth\w*)\b"
)
EITHER = re.compile(r"\b(vs|versus|or|than|compared|differ\w*)\b")  # one of the names that a question has is enough
PHRASES = 3  # of a row, whose likeness to the question counts
LEAST = 0.4  # of what was asked, by how rare each word is: a row with less is no answer
ENOUGH_SAID = 6.0  # of that: who asks at length is answered by as many words
UNSAID = 0.65  # of a word that no row has: it may not matter
DECIDES = 0.3  # of the best row's score: a row of what is not measured that alone has a word
SURE = 0.85  # times the score of a figure's own row, beside that of a question which has the figure
LATER = 0.3  # less for each figure that stands before it in its row
UNASKED = 0.5  # less for a figure, for each word of its name that was not asked
KINDS = {"rate", "latency", "ratio", "cycles", "time", "size", "dram", "share"}  # of an id: asked for in many words
MAYBE, SURELY = 0.75, 0.88  # how alike two words are, for one to be asked about, and to be taken, for the other
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
    own: Sequence[Definition] = ()  # figures that no sheet has, for this question alone


class Answer(msgspec.Struct):
    """A line of answers.json."""

    question: str
    command: str
    quantities: list[str] = []
    words: list[str] = []
    note: str = ""
    figures: list[dict] = []  # definitions as in quantities.json, of figures that no sheet has


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
        page, probe = path.parent.relative_to(top) / "README.md", path.parent.name
        own = {d.id: d for a in told for d in read(a.figures, probe, shown(path))}  # for all questions of the effect
        for a in told:
            figures = list(dict.fromkeys(a.quantities + [figure["id"] for figure in a.figures]))
            shown_here = [own[name] for name in figures if name in own]
            found.append(Row(a.question, a.command, figures, page, ", ".join(a.words), probe, a.note, own=shown_here))
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


@cache
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
    return rows + of_quantities(top, rows) + of_pages(top)


@cache
def plain(text: str) -> str:
    text = text.lower().replace("_", " ")
    for written, meant in SAME:
        text = written.sub(meant, text)
    return text


@cache
def spaced(text: str) -> str:
    """The words alone, with a blank on either side of each."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', plain(text)))} "


def letters(text: str) -> str:
    """The text as it is compared by letters: names in camel case are words."""
    return spaced(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))


def names_of(text: str) -> list[tuple[str, ...]]:
    """The names in a question, each in all ways in which it may stand in a row."""
    found = []
    for name in [] if text.isupper() else NAME.findall(text):
        low = spaced(name).strip()
        if low and not NAMELESS.fullmatch(low) and not AMOUNT.fullmatch(low) and low not in COMMON:
            parts = low.split() if re.match(rf"({PTX})\.", name) else []
            prefixes = [" ".join(parts[:n]) for n in range(len(parts) - 1, 1, -1)]
            found.append((low, SUFFIX.sub("", low), low.removeprefix("cuda"), low.rstrip("s"), *prefixes))
    return found


def has(said: str, name: Sequence[str]) -> bool:
    return any(f" {way} " in said or f" {way}s " in said for way in name)


def words_of(text: str) -> list[str]:
    """The words of a question that tell it from others, each once."""
    found = (w for w in re.findall(r"[a-z0-9]+", plain(text)) if w not in COMMON and not AMOUNT.fullmatch(w))
    return list(dict.fromkeys(found))


class Index:
    """The rows in full-text indexes: their phrases by letters, all of each row and each figure by stems of words."""

    def __init__(self, rows: Sequence[Row], top: Path):
        self.rows = list(rows)
        self.told = meanings(top) | {d.id: d.meaning for row in rows for d in row.own}
        self.figures = list(dict.fromkeys(name for row in self.rows for name in row.quantities))
        texts = [(r.question, r.names, r.note, r.probe, r.quantities) for r in rows]
        self.table = sqlite3.connect(":memory:")
        self.table.deserialize(kept("index", (msgspec.json.encode((texts, self.told)),), bytes, self._filled))
        self.said = [text for (text,) in self.table.execute("SELECT text FROM said ORDER BY rowid")]

    def _filled(self) -> bytes:
        """The database."""
        table = sqlite3.connect(":memory:")
        table.execute("CREATE VIRTUAL TABLE phrases USING fts5(text, row UNINDEXED, tokenize = 'trigram')")
        for name in ("said", "figures"):
            table.execute(f"CREATE VIRTUAL TABLE {name} USING fts5(text, tokenize = 'porter unicode61')")
        phrases = ((letters(text), i) for i, row in enumerate(self.rows) for text in self._phrases(row))
        table.executemany("INSERT INTO phrases VALUES (?, ?)", phrases)
        said = (
            spaced(" ".join((r.question, r.names, r.note, r.probe, *(f"{q} {self.told[q]}" for q in r.quantities))))
            for r in self.rows
        )
        table.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", enumerate(said))
        figures = (spaced(f"{name} {self.told[name]}") for name in self.figures)
        table.executemany("INSERT INTO figures (rowid, text) VALUES (?, ?)", enumerate(figures))
        table.commit()
        return table.serialize()

    def _phrases(self, row: Row) -> list[str]:
        return [row.question, *row.names.split(", "), *(self.told[name] for name in row.quantities[:1])]

    def having(self, word: str, table: str = "said", prefix: bool = False) -> set[int]:
        """Rows, or figures, that have a word."""
        query = f"SELECT rowid FROM {table} WHERE text MATCH ?"
        return {i for (i,) in self.table.execute(query, (f'"{word}"{"*" if prefix else ""}',))}

    def rare(self, word: str) -> float:
        """How much a word tells."""
        having = len(self.having(word))
        return math.log(1 + len(self.rows) / having) if having else UNSAID * math.log(1 + len(self.rows))

    def alike(self, text: str) -> dict[int, float]:
        """How near each row is to the text, by letters."""
        written = letters(text)
        asked = " OR ".join(sorted({f'"{written[i : i + 3]}"' for i in range(len(written) - 2)}))
        found: dict[int, list[float]] = defaultdict(list)
        query = "SELECT row, -bm25(phrases) AS near FROM phrases WHERE text MATCH ? ORDER BY near DESC"
        for row, near in self.table.execute(query, (asked,)) if asked else ():
            found[row].append(near)
        return {row: sum(near[:PHRASES]) for row, near in found.items()}

    def ranked(self, text: str) -> list[tuple[float, Row]]:
        """Rows that answer, the best first. What is not measured comes first where it alone has a word, and that word
        is one of its phrases or its score is near the best."""
        names, enough = names_of(text), any if EITHER.search(plain(text)) else all
        scored = self._scored(text)
        unmeasured, words = self._unmeasured(text), set(words_of(text))
        first = [(score, self.rows[i]) for _, score, i in scored if i in unmeasured]
        alone = [(score, row) for score, row in first if words & set(plain(row.names).split(", "))]
        if alone or (first and first[0][0] >= DECIDES * scored[0][1]):
            return alone or first
        return [
            (score, self.rows[i])
            for share, score, i in scored
            if share >= LEAST and (not names or enough(has(self.said[i], name) for name in names))
        ]

    def _unmeasured(self, text: str) -> set[int]:
        """Rows of what is not measured that alone have a word of the question, such as the name of a vendor."""
        found = (self.having(word) for word in words_of(text))
        return set().union(*(rows for rows in found if not any(self.rows[i].measured for i in rows)))

    def near(self, text: str, most: int = 3) -> list[Row]:
        """Rows that have something of what was asked."""
        return [self.rows[i] for share, _, i in self._scored(text) if share and self.rows[i].measured][:most]

    def _scored(self, text: str) -> list[tuple[float, float, int]]:
        """For each row the share of what was asked that it has, and its score."""
        words = {word: (self.rare(word), self.having(word)) for word in words_of(text)}
        asked = sum(rare for rare, _ in words.values()) or 1.0
        found = []
        for i, near in self.alike(text).items():
            had = sum(rare for rare, having in words.values() if i in having)
            found.append((had / min(asked, ENOUGH_SAID), near * had / asked * self.rows[i].weight, i))
        return sorted(found, key=lambda entry: (-entry[1], entry[2]))

    def _nearly(self, text: str, least: float) -> dict[str, str]:
        """For words that no row has, what is written nearly so."""
        unknown = [word for word in words_of(text) if len(word) > 4 and not self.having(word, prefix=True)]
        texts = (plain(text) for row in self.rows for text in (row.question, row.names)) if unknown else ()
        known = sorted({word for text in texts for word in re.findall(r"[a-z0-9]+", text)})
        found = {word: get_close_matches(word, known, 1, least) for word in unknown}
        return {word: near[0] for word, near in found.items() if near}

    def nearest_words(self, text: str) -> list[str]:
        """For words that no row has, what may have been meant."""
        return list(self._nearly(text, MAYBE).values())

    def spelt(self, text: str) -> str:
        """The text, where words that no row has are almost certainly misspelt ones."""
        for wrong, right in self._nearly(text, SURELY).items():
            text = re.sub(rf"\b(?i:{wrong[0]}){wrong[1:]}\b", right, text)  # SpGEMM is no misspelt SGEMM
        return text

    def lead(self, row: Row, text: str) -> str:
        """The figure of a row that has most of the words, and least that was not asked; the first, where none has
        more."""
        words = {word: (self.rare(word), self.having(word, "figures")) for word in words_of(text)}

        def shared(name: str) -> float:
            i = self.figures.index(name)
            found = sum(rare for rare, having in words.values() if i in having)
            unasked = set(name.rpartition(".")[2].split("_")) - KINDS - words.keys()
            return (found - UNASKED * len(unasked) if found else 0.0) - LATER * row.quantities.index(name)

        return max(row.quantities, key=shared, default="")
