"""`gpufx ask`: a search for words in what the project has anyway, by SQLite's full-text index (FTS5, stems of words),
and the values of what it finds. vocabulary.json: what people say, and the search for it; what they ask of a thing."""

import math
import re
import sqlite3
from collections import Counter, namedtuple
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import msgspec

from .. import UserError
from ..archive.load import Archive, load
from ..call import program, tables, terminal, text
from ..chip import columns, definitions, quantities
from ..chip.quantity_text import interval_text, sure_text, value_text
from ..judging.claims import FAILS, UNKNOWN, judged
from . import claims_text, compare_text, side

MOST_ROWS, MOST_READ, MOST_OF_PAGE = 10, 3, 2  # archives of a chip; a row is of the first that has it; its headings
BODY, HINT, NEXT = 0.3, 0.5, 0.4  # weights; of the best row's score what a further row must have
WEIGHTS = {"name": 1.15, "name text unit": 1.0, "topic": 0.6, "body": BODY}  # of columns with a word; the first counts
LEADS = {"quantity": 1.2, "definition": 1.2}  # times the score: they answer, where others lead on
MODEL = re.compile(r"([abhpv]|gb|gh|mi)[1-9]\d0x?|l40s?|[rg]tx\d*")  # a chip, whose name is no word to search for
MEMORY = re.compile(r"hbm\w*|\d+gb")  # part of a chip's name, and a word of questions
VOCABULARY: dict[str, dict[str, str]] = msgspec.json.decode(Path(__file__).with_name("vocabulary.json").read_bytes())
HEAD = ("value", "99 % CI", "chip")
SHOWN_BY = {"quantity": "sheet", "claim": "claims", "effect": "plot"}
Row = namedtuple("Row", "kind name text topic body at unit", defaults=("",) * 4)  # at: the effect, or where to read on


def rows_of(top: Path) -> list[Row]:
    rows, known = [], definitions.of_the_tree(program.root())
    for path in sorted(top.glob("micro/*/*/README.md")):
        title, _, page = path.read_text(encoding="utf-8").partition("\n")
        body, name, claims = page.partition("## Measured")[0], path.parent.name, path.with_name("claims.json")
        question = re.search(r"\*\*Question\.\*\* (.+?)\n\n", body, re.DOTALL)
        topic = " ".join((question[1] if question else title).split())
        about = {"topic": f"{title} {topic}", "body": body, "at": name}
        claimed = msgspec.json.decode(claims.read_bytes()) if claims.is_file() else ()
        rows += [Row("effect", name, topic, **about), *(Row("claim", "", of["text"], **about) for of in claimed)]
        rows += [Row("quantity", d.id, d.meaning, **about, unit=d.unit) for d in known.get(name, ())]
    for path in sorted((*top.glob("README.md"), *top.glob("docs/*.md"))):
        _, *parts = re.split(r"(?m)^#+ (.+)$", page := path.read_text(encoding="utf-8"))
        for heading, body in zip(parts[::2], parts[1::2], strict=True):
            subject = re.match(r"\d+\. (?:A|An|The) (.+?):", heading)  # "2. A bank conflict: ..." of docs/effects.md
            of = ("definition", subject[1]) if subject else ("page", path.stem)
            terms = " ".join(re.findall(r"(?<!\*)\*(\w[\w -]*)\*(?!\*)", body))  # that it explains
            rows += [Row(*of, heading, terms, body, str(path.relative_to(top)))]
        verbs = re.findall(r"(?m)^\| `([a-z ]+)` \| ([^|]+) \|", page) if path.stem == "verbs" else ()
        rows += [Row("verb", verb, does, at=f"gpufx {verb} --help") for verb, does in verbs]
    return rows


class Index:
    def __init__(self, rows: list[Row]):
        self.rows, self.table = rows, sqlite3.connect(":memory:")
        self.table.execute(f"CREATE VIRTUAL TABLE rows USING fts5({', '.join(Row._fields)}, tokenize = porter)")
        self.table.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(Row._fields))})", rows)

    def _scored(self, term: str, times: float = 1.0) -> Counter[int]:
        """Rows that have the term: how rare it is, times the weight of the column that it is in."""
        one = "SELECT rowid - 1 AS row, {} AS weight FROM rows('{{{}}} : (' || ?1 || ')')"
        asked = " UNION ALL ".join(one.format(weight, columns) for columns, weight in WEIGHTS.items())
        found = dict(self.table.execute(f"SELECT row, max(weight) FROM ({asked}) GROUP BY row", (term,)))
        many = sum(weight > BODY for weight in found.values()) or len(found)
        rare = times * max(0.0, math.log((len(self.rows) - many + 0.5) / (many + 0.5)))
        return Counter({row: rare * weight for row, weight in found.items()})

    def search(self, words: str) -> tuple[list[Row], list[str]]:
        """The rows that have enough of the words, the best first, of these names of few parts; words that none has."""
        meant = {word: (kind, term) for kind, of in VOCABULARY.items() for term in of for word in of[term].split(", ")}
        known = "|".join(sorted(meant, key=len, reverse=True))
        said = re.findall(rf"\b({known})(?:e?s)?\b|(\w+)", re.sub(r"[\W_]+", " ", words.lower()))
        terms = {"same": {}, "hints": {}, "ignored": {}}  # of each kind what to search for, with its word in the text
        for word, other in said:
            kind, term = meant[word] if word else ("same", f'"{other}"')
            terms[kind][term] = word or other
        having = {term: self._scored(term) for term in terms["same"] or terms["hints"]}
        score = sum(having.values(), Counter())
        found = [row for row in score if score[row] >= NEXT * max(score.values())]
        score = sum((self._scored(hint, HINT) for hint in terms["hints"]), score)
        best = {row: -score[row] * LEADS.get(self.rows[row].kind, 1.0) for row in found}
        found.sort(key=lambda row: (best[row], len(re.split("[._]", self.rows[row].name)), row))
        return [self.rows[row] for row in found], [w for term, w in terms["same"].items() if not having[term]]


def _parted(words: list[str], known: list[program.Entry]) -> tuple[dict[str, list[Path]], str]:
    """Words that name a chip or a run, each with its archives, the reference first; what is searched."""
    plain = [word.strip("?,.:!'()").removesuffix("'s").lower() for word in words]
    measured = sorted((e for e in known if not e.synthetic), key=lambda entry: not entry.reference)
    of = {word: [e.path for e in measured if word in (e.id, e.arch, *e.slug.split("-")[1:])] for word in plain}
    named = {w: of[w] for w in plain if (of[w] or MODEL.fullmatch(w)) and not MEMORY.fullmatch(w)}
    return named, " ".join(word for word in plain if word not in named)


def _opened(path: Path) -> Archive | None:
    with suppress(UserError):
        return load(path)


def _told(row: Row, of: list[tuple]) -> tuple:
    """The first archive that has it, value, interval, and of a quantity the rest. of: archives, what judges claims."""
    for archive, claims in of:
        for q in quantities.infer(archive, [row.name]) if row.kind == "quantity" else ():
            if q.determined:
                return archive, side.with_ns(value_text(q), q, archive), interval_text(q) or sure_text(q), q
        for v in claims().verdicts if row.kind == "claim" else ():
            if (v.probe, v.text) == (row.at, row.text) and v.verdict != UNKNOWN:
                return archive, v.verdict, claims_text.measured_text(v), None
    return None, {"quantity": "-", "claim": UNKNOWN}.get(row.kind, ""), "", None


def _shown(row: Row, name: str, of: list[tuple]) -> tuple[tuple[str, ...], dict]:
    """A line of the table, and the same for programs with what stands below it. name: of a file."""
    archive, value, sure, q = _told(row, of)
    chip = side.chip_name(archive) + ", SYNTHETIC" * archive.synthetic if archive else ""
    name = name or (archive.run["id"] if archive else "latest")
    command = f"gpufx {SHOWN_BY[row.kind]} {name} --probe {row.at}" if row.kind in SHOWN_BY else row.at
    verdict = value if row.kind == "claim" else None
    document = {"kind": row.kind, "name": row.name, "text": row.text, "command": command, "verdict": verdict}
    document |= {"quantity": q and columns.as_row(q, archive), "archive": archive and compare_text.identity(archive)}
    return (value, sure, chip), document


def answer(words: list[str], archive: Archive | None = None) -> tuple[str, dict]:
    """The text and the document for programs. archive: instead of those that the words name, or of the newest ones,
    without a GPU of the references."""
    away = not program.cards()
    known = sorted(program.archives(), key=lambda entry: (entry.synthetic, away and not entry.reference))
    named, searched = _parted(" ".join(words).split(), known)
    rows, absent = Index(rows_of(program.root())).search(searched)
    without = [chip for chip, paths in named.items() if not paths]
    document = {"found": bool(rows), "absent": absent, "no_archive": without}
    notes = [f"no archive of: {text.clipped(', '.join(without))} (gpufx characterize measures one)"] if without else []
    notes += [f"{'left out' if rows else 'no match for'}: {text.clipped(', '.join(absent))}"] if absent else []
    if not rows:
        return "; ".join(["nothing found", *notes]) + "\n", document
    paths = [of for of in named.values() if of] or [[entry.path for entry in known]]
    found = [[a for a in map(_opened, of[:MOST_READ]) if a and not a.incomplete] for of in paths]
    sides = [[(a, cache(partial(judged, a))) for a in of] for of in ([[archive]] if archive else found)]
    pages = [row.at if row.kind == "page" else "" for row in rows]
    rows = [row for i, row in enumerate(rows) if not pages[i] or pages[:i].count(pages[i]) < MOST_OF_PAGE]
    rows = rows[:1] if terminal.is_quiet() else rows
    asked = [(row, of) for row in rows for of in (sides if row.kind == "quantity" else sides[:1])][:MOST_ROWS]
    shown = [_shown(row, text.from_here(archive.path) if archive else "", of) for row, of in asked]
    shown.sort(key=lambda row: row[1]["verdict"] == FAILS)  # what guides say and is not so: after the figures
    used = (of["archive"] for _, of in shown if of["archive"])
    notes[:0] = dict.fromkeys(f"{of['device']}: run {of['id']} of {of['started_utc'][:10]}" for of in used)
    notes += [] if any(sides) else ["no archive yet: gpufx characterize"]
    first, *table = tables.table(HEAD, [cells for cells, _ in shown])
    told = [*(line for note in notes for line in tables.wrapped(note, indent="  ")), first] * (not terminal.is_quiet())
    for line, (cells, of) in zip(table, shown, strict=True):
        told += [line] * any(cells) + tables.wrapped(f"  {of['text']}", indent="  ", cut=True)
        told += [f"  {of['command']}" + f"  # {of['name']}" * (of["kind"] == "quantity")]
    return "\n".join([*told, ""]), document | {"rows": [of for _, of in shown]}
