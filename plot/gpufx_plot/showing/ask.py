"""`gpufx ask`: from words to the question that they mean, the command that answers it, and the figures that the newest
archive of this chip has for it.

What is searched is data that exist: the table of docs/answers.md, which is written from the effects' own rows, the
claims, the meanings of quantities, the questions and axes of the probes, and the headings of the pages. A word counts
the more the fewer rows have it.
"""

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from .. import UserError
from ..archive.load import Archive
from ..archive.newest import MOST_READ, newest
from ..call.program import ask, root
from ..call.tables import wrapped
from ..call.text import clipped
from ..chip.definitions import of_the_tree
from ..chip.quantities import Quantity, infer
from ..chip.quantity_text import short_text, sure_text
from ..judging.claims import UNKNOWN, Verdict, archived, judged
from .claims_text import short

PAGE = "docs/answers.md"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)\)(?:: (.+))?")
QUANTITY = re.compile(r"`([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)`")
ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
COMMON = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be by can do does for from how i if in into is it its many
    may me much my of on or should the to use what when where which why will with worth""",
    )
)
# What a word counts that is the probe's name, in the question, among its names, in a claim, elsewhere.
CALLED, OWN, NAMED, SAID, NEAR = 5.0, 4.0, 4.0, 2.0, 1.0
MOST_CLAIMS, MOST_ALSO = 2, 3
ENOUGH = 0.5  # of the best row's score: rows that are named, too
PHRASE = 1.5  # times the score where all words stand in the question or among its names as they were asked


def stem(word: str) -> str:
    """A word without its ending: pinned, pinning and pin are one."""
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: len(word) - len(ending)] + instead
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z0-9]+", text.lower())}


@dataclass
class Row:
    """A question of the page: with what it is answered, and where one reads on."""

    question: str
    command: str
    quantities: list[str]
    page: Path  # from the project's folder
    names: str
    probe: str = ""  # "": no effect's own
    note: str = ""  # what holds on any chip
    fields: list[tuple[float, set[str]]] = field(default_factory=list)

    def weight(self, word: str) -> float:
        """How much the word counts here: as it is, or as the beginning of one that is longer."""
        best = 0.0
        for weight, known in self.fields:
            if word in known:
                best = max(best, weight)
            elif len(word) > 3 and any(other.startswith(word) for other in known):
                best = max(best, weight / 2)
        return best


def rows_of(text: str, top: Path) -> list[Row]:
    """The rows of all tables of the page."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or not cells[1].startswith("`"):
            continue
        link = LINK.search(cells[2])
        page = Path(os.path.normpath(top / "docs" / link[1])).relative_to(top) if link else Path(PAGE)
        probe = page.parent.name if page.parts[0] == "micro" else ""
        note = link[2] or "" if link else ""
        found.append(Row(cells[0], cells[1].strip("`"), QUANTITY.findall(cells[2]), page, cells[3], probe, note))
    return found


def _headings(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return ""
    return " ".join(line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))


def indexed(top: Path, probes: Sequence[dict]) -> list[Row]:
    """The page's rows with all that they are found by. probes: as `gpufx list --claims --json` has them."""
    try:
        rows = rows_of((top / PAGE).read_text(encoding="utf-8"), top)
    except OSError as error:
        raise UserError(f"{PAGE} can't be read: {error.strerror}") from None
    known = {probe["name"]: probe for probe in probes}
    meanings = {d.id: d.meaning for effect in of_the_tree(top).values() for d in effect}
    for row in rows:
        figures = " ".join(f"{name} {meanings.get(name, '')}" for name in row.quantities)
        row.fields = [(OWN, stems(row.question)), (NAMED, stems(row.names)), (SAID, stems(figures))]
        row.fields.append((NEAR, stems(_headings(top / row.page))))
        probe = known.get(row.probe)
        if probe:
            axes = " ".join(f"{axis['name']} {axis['help']}" for axis in probe["axes"])
            row.fields += [(CALLED, {stem(probe["name"])}), (SAID, stems(f"{probe['name']} {probe['question']}"))]
            row.fields.append((SAID, stems(" ".join(claim["text"] for claim in probe["claims"]))))
            row.fields.append((NEAR, stems(axes)))
    return rows


def ranked(rows: Sequence[Row], words: Sequence[str]) -> list[tuple[float, Row]]:
    """Rows that have one of the words, the best first."""
    asked = [stem(word) for word in re.findall(r"[a-z0-9]+", " ".join(words).lower()) if word not in COMMON]
    rare = {}
    for word in asked:
        having = sum(row.weight(word) > 0 for row in rows)
        rare[word] = math.log(1 + len(rows) / having) if having else 0.0
    scores = [(sum(rare[word] * row.weight(word) for word in rare), row) for row in rows]
    phrase = " ".join(words).lower()
    scores = [
        (score * (PHRASE if phrase in f"{row.question} {row.names}".lower() else 1), row) for score, row in scores
    ]
    return sorted((entry for entry in scores if entry[0] > 0), key=lambda entry: -entry[0])


def nearest_words(rows: Sequence[Row], words: Iterable[str]) -> list[str]:
    known = {word for row in rows for text in (row.question, row.names) for word in re.findall(r"\w+", text.lower())}
    return [near for word in words for near in get_close_matches(word.lower(), sorted(known), 1)]


def _probes(row: Row) -> set[str]:
    """What has to be read of an archive."""
    wanted = {probe for probe, effect in of_the_tree(root()).items() for d in effect if d.id in row.quantities}
    return wanted | ({row.probe} if row.probe else set())


def _best(archives: Iterable[Archive], row: Row) -> tuple[Archive | None, list[Quantity]]:
    """The first archive that has one of the row's figures, else the first of all."""
    first: tuple[Archive | None, list[Quantity]] = None, []
    for archive in islice(archives, MOST_READ):
        wanted = [q for q in infer(archive) if q.id in row.quantities] if row.quantities else []
        if any(q.determined for q in wanted) or not row.quantities:
            return archive, wanted
        first = first if first[0] else (archive, wanted)
    return first


def _figures(row: Row, found: Sequence[Quantity]) -> list[str]:
    by_id = {q.id: q for q in found}
    lines = []
    for name in row.quantities:
        q = by_id.get(name)
        if not q:
            lines.append(f"not measured: {name}")
        elif not q.determined:
            lines.append(f"{name}: not determined: {q.reason}")
        else:
            sure = sure_text(q)
            more = f" ({sure})" if sure.startswith("±") else ""
            lines.append(f"{short_text(q)}{more}: {q.definition.meaning}")
    return lines


def _claims(archive: Archive, row: Row, words: Sequence[str]) -> list[Verdict]:
    """Verdicts on the claims about the probe that have one of the words, the most of them first."""
    asked = {stem(word) for word in re.findall(r"[a-z0-9]+", " ".join(words).lower())} - COMMON
    of = [declared for declared in archived(archive) if declared.probe == row.probe]
    for declared in of:
        declared.claims = [claim for claim in declared.claims if asked & stems(claim["text"])]
    if not any(declared.claims for declared in of):
        return []
    known = [verdict for verdict in judged(archive, row.probe, of).verdicts if verdict.verdict != UNKNOWN]
    return sorted(known, key=lambda v: -len(asked & stems(v.text)))[:MOST_CLAIMS]


def _facts(archives: Iterable[Archive], row: Row, words: Sequence[str]) -> list[str]:
    archive, quantities = _best(archives, row)
    if not archive:
        return ["no archive yet: gpufx characterize"]
    lines = _figures(row, quantities)
    verdicts = _claims(archive, row, words) if row.probe else []
    lines += [f'{v.verdict}: "{v.text}": {short(v, claimed=False)}' for v in verdicts]
    run = archive.run
    what = ", SYNTHETIC" if archive.synthetic else ""
    return [f"on {run['device']['name']}{what} (run {run['id']}, {run['started_utc'][:10]}):", *lines] if lines else []


def answer(words: Sequence[str], archive: Archive | None = None) -> tuple[str, bool]:
    """The text, and whether there is an answer. archive: instead of the newest one."""
    top = root()
    rows = indexed(top, ask("list", "--claims", "--json"))
    best = ranked(rows, words)
    if not best:
        near = nearest_words(rows, words)
        hint = f"; did you mean {', '.join(near)}?" if near else f"; {PAGE} has all questions"
        return f"nothing is known of '{clipped(' '.join(words))}'{hint}\n", False
    score, row = best[0]
    lines = wrapped(row.question, indent="  ") + (wrapped(row.note, indent="  ") if row.note else [])
    for i, text in enumerate(_facts([archive] if archive else newest(_probes(row)), row, words)):
        lines += wrapped(f"{'' if i == 0 else '  '}{text}", indent=" " * 4)
    lines += ["", f"command  {row.command}"]
    lines += [f"measure  gpufx characterize {row.probe}"] if row.probe else []
    lines += [f"page     {row.page}"]
    also = [other for points, other in best[1:] if points >= ENOUGH * score][:MOST_ALSO]
    for other in also:
        lines += wrapped(f"also     {other.question} {other.command}", indent=" " * 9)
    return "\n".join(lines) + "\n", True
