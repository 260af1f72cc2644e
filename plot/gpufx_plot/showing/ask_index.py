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
from itertools import pairwise
from pathlib import Path

import msgspec

from .. import UserError
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
        fast faster fix for from full gain gains gb geforce get gets getting give go goes good got gpu gpufx
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
MEANT = (  # what is written in many ways, as one word that rows have
    (re.compile(r"\(not \w+\)|\bnot (the )?(l1|l2|dram)\b"), " "),
    (re.compile(r"\bbar\.sync\b"), " syncthreads "),
    (re.compile(r"\blds\b"), " shared load "),
    (re.compile(r"\bsts\b"), " shared store "),
    (re.compile(r"\batoms\b"), " shared atomics "),
    (re.compile(r"\b(atomg|red)\b(?!\.| async)"), " global atomics "),
    (re.compile(r"\b(?:atom|red)\.(shared|global)\b"), r" \1 atomics "),
    (re.compile(r"\bif\b\W{0,2}\belse\b"), " ifelse "),
    (re.compile(r"\binstruction caches?\b"), " icache "),
    (re.compile(r"\bcuda cores?\b"), " cudacore "),
    (re.compile(r"\bpin\b"), " pagelock "),
    (re.compile(r"\b([3-9]|\d\d+|all|several|multiple|many) gpus\b"), " manygpus "),
    (re.compile(r"\bld\.(shared|global|local)\b(?!\.)"), r" load \1 memory "),
    (re.compile(r"\bst\.(shared|global|local)\b(?!\.)"), r" store \1 memory "),
    (re.compile(r"\b(float|half|double|int|half2|bfloat16)2(float|half|double|int|half2|bfloat16)\b"), r" \1 \2 "),
    (re.compile(r"\b(host|cpu|h)\s*(->|→|to|2)\s*(the\s+)?(device|gpu|d)\b"), " h2d "),
    (re.compile(r"\b(device|gpu|d)\s*(->|→|to|2)\s*(the\s+)?(host|cpu|h)\b"), " d2h "),
    (re.compile(r"\b(device|gpu|d)\s*(->|→|to|2)\s*(the\s+)?(device|d)\b"), " d2d "),
    (
        re.compile(r"\b(copy|copies|copying|transfers?|back|send)\b[^?]{0,30}?\bto (the |my )?(host|cpu)\b"),
        " d2h copy ",
    ),
    (re.compile(r"\b(copy|copies|copying|transfers?|send)\b[^?]{0,30}?\bto (the |my )?(device|gpu)\b"), " h2d copy "),
    (re.compile(r"\b(without|no|lacks?) (a |an |any )?(nvidia )?(gpu|cuda device)\b"), " gpuless "),
    (re.compile(r"\b(\d+)[- ]?bits?\b"), r" bit\1 "),
    (re.compile(r"\b(\d+|two|four|eight|n)[- ]way\b"), " nway "),
    (re.compile(r"([\d.]+\s*)?\b\d*[kmgt]i?b(/s|ps)\b"), " bandwidth "),
    (re.compile(r"\b\d+ [gt]i?b\b"), " "),
    (re.compile(r"~"), " tilde "),
    (re.compile(r"\b(fail\w*|break|block) (the |a |my |our )?(ci|build|pipeline|job|merge)\b"), " gate "),
    (re.compile(r"\bhow (much|expensive) (does|do|is|are) (an?|the|one)?\s*(gpus?|cards?)?\s*(cost)?\s*$"), " price "),
    (
        re.compile(r"\bhow long (does|will|is) (a|an|the|one)? *(full|quick|whole|complete)? *(run|benchmark|suite)\b"),
        " duration ",
    ),
    (re.compile(r"\b(last|previous|yesterday's|earlier) (week|month|run|time)\b"), " earlier archives "),
    (re.compile(r"\bexit (codes?|status(es)?)\b"), " exitstatus "),
    (re.compile(r"\b(difference|different|compare|diff)\b[^?]*\bruns\b"), " compare archives "),
    (re.compile(r"\bhip(?=[a-z])"), "cuda"),
    (re.compile(r"\b(different|varying|inconsistent|unstable) (time|timing|result|number|runtime)s?\b"), " jitter "),
)
ENDING = re.compile(r"(ing|ed|es|e|s)$")
AMOUNT = re.compile(r"\d+([kmgt]i?)?b?")  # a number, also of bytes: it tells no question from another
# What names one thing alone: a call, an intrinsic, an instruction, a type. A row that lacks it is no answer.
PTX = "atom|bar|cp|createpolicy|cvt|discard|fence|ld|mbarrier|mma|multimem|prefetch|red|shfl|st|tcgen05|wgmma"
NAME = re.compile(
    r"\b(?:[a-z]{2,}[A-Z]\w+|__\w+|\w+_a?sync|[A-Za-z]+\d+[A-Za-z]*\d*|doubles?(?! buff)"
    rf"|(?:{PTX})(?:\.\w+)+|\w+::\w+|[A-Z][a-z]+[A-Z]\w+)\b"
)
ALONE_PTX = ("createpolicy", "discard", "mbarrier", "multimem", "prefetch", "tcgen05", "wgmma")  # enough of a name
SHORT = re.compile(r"\b(?!API|CPU|PCI)[A-Z]{3,}\b")  # also names: TLB, ECC, TMEM
SUFFIX = re.compile(r" ?(async|ex|2d|3d|block|system|sync aligned)$")  # of a name that is another's variant
NAMELESS = re.compile(
    r"g?[abhltv]\d{1,3}s?|x\d+|gen\d|(cuda|pcie|nvlink|gddr|hbm)\d+[ex]?|d2d|p2p|m\d+n\d+k\d+|sm\d+"
    r"|(load|store) [a-z]+ memory"
)  # chips, generations, sizes, ways
CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{2,}")
KINDS = {"rate", "latency", "ratio", "cycles", "time", "size", "dram", "share"}  # of an id: what sort of figure it is
COMPARES = re.compile(
    r"\b(vs|versus|or|than|compared|relative|better|double|twice|instead|ratio|differ\w*|sav\w*|gain\w*|help\w*|reduces?|worth\w*)\b"
)
TYPE = re.compile(r"(half|bfloat16|float|double|u?int|fp|[bt]f)\d*s?")  # of data
EITHER = re.compile(r"\b(vs|versus|or|than|compared|differ\w*)\b")  # one of the names that a question has is enough
HINTS = {  # what a turn of phrase asks for, where the other words leave a choice
    "rate": re.compile(r"\bhow fast\b|\bper (second|cycle|clock)\b|\b[kmgt]i?b/s"),
    "latency": re.compile(r"\bhow long\b|\bhow many (clock )?cycles\b"),
    "size": re.compile(
        r"\bhow (large|big|many bytes)\b|\b(at|from) (what|which)\b.*\bsize\b"
        r"|\bhow much\b.*\b(has|have|hold|holds|fit|fits)\b|\bhow much \w+ (cache|memory)( per\b|\W*$)"
    ),
}
ENDS = {  # of an id: what sort of figure a turn of phrase asks for
    "rate": re.compile(HINTS["rate"].pattern + r"|\b(rate|throughput|bandwidth|flops|tflops)\b"),
    "latency": HINTS["latency"],
    "time": HINTS["latency"],
    "half": HINTS["size"],
    "ratio": re.compile(
        r"\b(slower|faster|worth\w*|gain\w*|help\w*|sav\w*|hurt\w*|improves?|penalty|cheaper|speedup|reduces?|benefit\w*)\b"
    ),
}
# What a word counts in the question, among its other names, in its figures, of its probe, in headings.
WEIGHTS = (6.0, 8.0, 2.0, 3.0, 0.6)
SYNONYM = 0.7  # of a word that was not asked itself
LEAST = 0.55  # of what was asked, by how rare each word is: a row with less is no answer
ENOUGH_SAID = 6.0  # of that: who asks at length is answered by as many words
UNSAID = 0.65  # of a word that no row has: it may not matter
PAIRED = 1.0  # more for a figure, for two words of the question that stand together in it
NAMED = 6.0  # more for a figure, for each name that was asked
ASKED_SORT = 1.5  # more for a figure of the sort that is asked for
LATER = 0.3  # less for each figure that stands before it in its row
UNASKED = 0.5  # less for a figure, for each word of its name that was not asked
UNMEASURED_WORD = 3.0  # times the score, for a word that only what is not measured has, such as a name of a vendor
PHRASE = 1.4  # times the score where all words stand together
PAIR = 0.4  # of two words that stand together, beside each of them
SURE = 0.85  # times the score of a figure's own row, beside that of a question which has the figure
LEVEL = re.compile(
    r"\b(?:l1|l2|shared|constant|texture|icache|dram|atomic|barrier|graph|tensor|managed|pageable|named)s?\b"
)
LEVELLESS = 0.4  # times the score of a row that lacks the memory or mechanism that is asked for
UNASKED_NAME = 0.85  # times the score of a question about a name that was not asked for
ALONE = 0.85  # times the score of a row with one figure that is no ratio, where two things are compared
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
    figures: str = ""
    about: str = ""
    headings: str = field(default="", repr=False)
    own: Sequence[Definition] = ()  # figures that no sheet has, for this question alone
    said: str = field(default="", repr=False)  # all of this but headings, and all figures


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
        for a in told:
            names, probe = ", ".join(a.words), path.parent.name
            own = read(a.figures, probe, shown(path))
            figures = a.quantities + [d.id for d in own if d.id not in a.quantities]
            found.append(Row(a.question, a.command, figures, page, names, probe, a.note, own=own))
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
    rows += of_quantities(top, rows) + of_pages(top)
    told = meanings(top) | {d.id: d.meaning for row in rows for d in row.own}
    headings = {row.page: " ".join(_headings(top / row.page)) for row in rows if row.probe}
    for row in rows:
        row.figures = " ".join(f"{name} {told.get(name, '')}" for name in row.quantities[:1])
        row.about, row.headings = row.probe.replace("_", " "), headings.get(row.page, "")
        every = (f"{name} {told.get(name, '')}" for name in row.quantities)
        row.said = " ".join((row.question, row.names, row.note, row.about, *every))
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


@cache
def plain(text: str) -> str:
    text = text.lower().replace("_", " ")
    for written, meant in MEANT:
        text = written.sub(meant, text)
    return text


@cache
def spaced(text: str) -> str:
    """The words alone, with a blank on either side of each."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', plain(text)))} "


def stem(word: str) -> str:
    return ENDING.sub("", word) if len(word) > 4 else word


def names_of(text: str, wholly: bool = False) -> list[tuple[str, ...]]:
    """The names in a question, each in all ways in which it may stand in a row; wholly: not by its first parts."""
    found = []
    ways = set(re.findall(r"\b(?:h2d|d2h)\b", plain(text)))
    for name in [*NAME.findall(text), *(ways if len(ways) == 1 else ())]:
        low = spaced(name).strip()
        parts = low.split() if not wholly and re.match(rf"({PTX})\.", name) else []
        prefixes = [" ".join(parts[:n]) for n in range(len(parts) - 1, 0 if name.startswith(ALONE_PTX) else 1, -1)]
        if low and not NAMELESS.fullmatch(low) and not AMOUNT.fullmatch(low) and low not in COMMON:
            whole = low, SUFFIX.sub("", low), low.removeprefix("cuda"), low.rstrip("s")
            found.append((*whole, *prefixes, *synonyms().get(low, ())))
    return found


def has(said: str, name: Sequence[str]) -> bool:
    return any(f" {way} " in said or f" {way}s " in said for way in name)


def words_of(text: str) -> list[str]:
    """The words of a question that tell it from others, each once."""
    found = (w for w in re.findall(r"[a-z0-9]+", plain(text)) if w not in COMMON and not AMOUNT.fullmatch(w))
    return list(dict.fromkeys(found))


class Index:
    """The rows in a full-text index."""

    def __init__(self, rows: Sequence[Row], top: Path):
        self.rows = list(rows)
        self.told = meanings(top) | {d.id: d.meaning for row in rows for d in row.own}
        self.table = sqlite3.connect(":memory:")
        columns = "question, names, figures, about, headings"
        self.table.execute(f"CREATE VIRTUAL TABLE rows USING fts5({columns}, tokenize = 'porter unicode61')")
        told = (
            (i, *map(plain, (r.question, r.names, r.figures, r.about, r.headings))) for i, r in enumerate(self.rows)
        )
        self.table.executemany(f"INSERT INTO rows (rowid, {columns}) VALUES (?, ?, ?, ?, ?, ?)", told)
        pages = {row.page: _text(top / row.page).lower() for row in self.rows}
        for row in self.rows:
            pages[row.page] += f" {row.question} {row.names}".lower()
        self.pages = list(pages.values())

    def found(self, phrase: str, prefix: bool = False) -> dict[int, float]:
        """Rows that have a word or a phrase, and how much it counts in each."""
        weights = ", ".join(map(str, WEIGHTS))
        query = f"SELECT rowid, -bm25(rows, {weights}) FROM rows WHERE rows MATCH ?"
        return dict(self.table.execute(query, (f'"{phrase}"{"*" if prefix else ""}',)))

    def of_word(self, word: str) -> tuple[dict[int, float], float]:
        """The same with its synonyms; and how rare the word is."""
        exact = self.found(word)
        if not exact and len(word) > 4 and word not in synonyms():
            exact = self.found(word, prefix=True)
        scores = dict(exact)
        for other in synonyms().get(word, ()):
            for row, score in self.found(other).items():
                scores[row] = max(scores.get(row, 0.0), SYNONYM * score)
        # How rare it is, the pages say: many a word of English stands in one row by chance.
        known = sum(stem(word) in text for text in self.pages)
        usual = math.log(1 + len(self.rows) / max(1, len(exact or scores)))
        rare = math.log(1 + len(self.pages) / known) if known else usual
        scores = {row: score * min(1.5, rare / usual) for row, score in scores.items()}
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
        words = self._known(text)
        asked = 0.0
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
        for pair in pairwise(words):
            for i, score in self.found(" ".join(pair)).items():
                scores[i] += PAIR * score
        for i in self.found(" ".join(words)) if len(words) > 1 else ():
            scores[i] *= PHRASE
        decided: set[int] = set()
        for word in words:  # what only a row of "Not measured" has by name decides
            exact = self.found(word)
            if exact and not any(self.rows[i].measured for i in exact):
                decided |= exact.keys()
                for i in exact:
                    scores[i] *= UNMEASURED_WORD
                    had[i] = max(had[i], asked)
        self._without_names(text, scores, had, decided)
        found = [
            (had[i] / min(asked, ENOUGH_SAID), score * (had[i] / asked) ** 2 * self.rows[i].weight, i)
            for i, score in scores.items()
        ]
        return sorted(found, key=lambda entry: (-entry[1], entry[2]))

    def _without_names(self, text: str, scores: dict[int, float], had: dict[int, float], decided: set[int]) -> None:
        """Rows that lack a name of the question have nothing of it; where things are compared, one name is enough, and
        rows with several figures or a ratio go first."""
        either = EITHER.search(plain(text))
        names, enough = names_of(text), any if either else all
        types = [name for name in names if TYPE.fullmatch(name[0])]
        types = types if len(types) == 1 else []  # of one type, both that are compared
        asked = spaced(text)
        short = (
            []
            if text.isupper()
            else [
                (word.lower(), *synonyms().get(word.lower(), ()))
                for word in SHORT.findall(text)
                if word.lower() not in COMMON and f" {word.lower()} " in asked
            ]
        )
        levels = {stem(word) for word in LEVEL.findall(plain(text))}
        for i in scores:
            said = spaced(self.rows[i].said)
            found = not names or enough(has(said, name) for name in names)
            if not found or not all(has(said, name) for name in [*types, *(() if i in decided else short)]):
                had[i] = 0.0
            if levels - {stem(word) for word in said.split()}:
                scores[i] *= LEVELLESS
            own = names_of(self.rows[i].question) if self.rows[i].weight == 1 else ()
            if own and not any(has(asked, name) for name in own):
                scores[i] *= UNASKED_NAME
            figures = self.rows[i].quantities
            if either and len(figures) == 1 and not figures[0].endswith("ratio"):
                scores[i] *= ALONE

    def _known(self, text: str) -> list[str]:
        """The words of a question; of a name that no row has, such as cudaMemcpyFooAsync, its parts."""
        names = {name.lower(): name.rstrip("0123456789") for name in re.findall(r"[A-Za-z0-9]+", text)}
        parts = {
            low: words_of(name if name and self.found(name.lower()) else " ".join(CAMEL.findall(name)))
            for low, name in names.items()
        }
        known = {word for word in words_of(text) if word in synonyms() or self.found(word)}
        words = ([word] if word in known else parts.get(word, [word]) for word in words_of(text))
        return list(dict.fromkeys(part for several in words for part in several))

    def _nearly(self, text: str, least: float) -> dict[str, str]:
        """For words that no row has, what is written nearly so."""
        unknown = [word for word in words_of(text) if len(word) > 4 and not self._has(word)]
        texts = (plain(text) for row in self.rows for text in (row.question, row.names)) if unknown else ()
        known = sorted({word for text in texts for word in re.findall(r"[a-z0-9]+", text)})
        found = {word: get_close_matches(word, known, 1, least) for word in unknown}
        return {word: near[0] for word, near in found.items() if near}

    def _has(self, word: str) -> bool:
        return word in synonyms() or bool(self.found(word, prefix=len(word) > 4))

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
        asked = [
            ({stem(other) for other in (word, *synonyms().get(word, ()))}, self.of_word(word)[1])
            for word in words_of(" ".join((text, *(" ".join(CAMEL.findall(name)) for name in NAME.findall(text)))))
        ]
        names = names_of(text, wholly=True)

        def shared(name: str) -> float:
            said = spaced(f"{name} {self.told.get(name, '')}")
            whole, own = ({stem(word) for word in words.split()} for words in (said, spaced(name)))
            found = sum(rare * (bool(group & own) + bool(group & whole)) for group, rare in asked)
            found += PAIRED * sum(f" {a} {b} " in said for a, b in pairwise(words_of(text)))
            end = re.split(r"[._]", name)[-1]
            found += ASKED_SORT * bool(end in ENDS and ENDS[end].search(text.lower()))
            found += NAMED * sum((has(said, way) + has(said, way[:1])) / 2 for way in names)
            last = set(name.rpartition(".")[2].split("_"))
            unasked = last - KINDS - {word for group, _ in asked for word in group}
            return (found - UNASKED * len(unasked) if found else 0.0) - LATER * row.quantities.index(name)

        return max(row.quantities, key=shared, default="")
