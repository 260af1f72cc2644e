"""`gpufx ask`: from words to one figure with its interval, the chip that it is of, and the command that says more.

A chip, an architecture or an archive that the question names chooses the archive, and the printed commands name it.
What a question means is found by ask_index.py. Below its threshold nothing is made up: what is near is listed.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from .. import UserError
from ..archive.load import Archive, load
from ..archive.newest import MOST_READ, newest
from ..call.program import Entry, archives, root
from ..call.tables import wrapped
from ..call.text import clipped, from_here
from ..chip.definitions import of_the_tree
from ..chip.quantities import infer, of
from ..chip.quantity import Quantity
from ..chip.quantity_text import interval_text, short_text, sure_text, value_text
from .ask_index import COMPARES, ENOUGH, PAGE, Index, Row, indexed, plain, words_of
from .compare_text import identity
from .sheet import quantity_json

MOST_ALSO = 3
MOST_BESIDE = 2  # further figures of a row, where things are compared
LEAST_ID = 6  # digits of a run's id that name it
MODEL = re.compile(
    r"[abhlpv]\d{2,3}s?|gh200|g?b[23]00|t4|(rtx)?[2345]0[6789]0(ti)?|jetson|orin|thor|pascal|volta|rubin|feynman",
    re.IGNORECASE,
)
FAMILY = {"hopper": "sm_90", "blackwell": "sm_100", "ada": "sm_89", "ampere": "sm_80", "turing": "sm_75"}
ONE = re.compile(r"[0-9a-f]{6,}|.*[/.].*")  # a run's id, or a file
MEMORY = re.compile(r"hbm\w*|\d+gb")  # in the names of chips, but of many
CI = "99 % CI"
COMPARING = "compare two chips"
SIDE_BY_SIDE = re.compile(r"(gpufx (?:summary|sheet)) latest((?: [a-z]\w+)?)")  # takes several archives


def named(words: Sequence[str], known: Sequence[Entry]) -> tuple[str, list[Entry], list[str]]:
    """The word that names archives, those, and the words without it; the first such word counts."""
    for i, word in enumerate(words):
        name, of = _of_a_word(word.strip("?,.:!'()").removesuffix("'s").lower(), known)
        if of and not any(entry.synthetic for entry in of):
            return name, of, [*words[:i], *words[i + 1 :]]
    return "", [], list(words)


def _of_a_word(word: str, known: Sequence[Entry]) -> tuple[str, list[Entry]]:
    """The archives that a word names, also in the plural."""
    for name in (FAMILY.get(word, word), word.removesuffix("s")):
        long = len(name) >= LEAST_ID
        if MEMORY.fullmatch(name):
            continue
        of = [e for e in known if name in (*e.slug.split("-")[1:], e.arch) or (long and e.id.startswith(name))]
        if of:
            return name, of
    return "", []


def all_named(words: Sequence[str], known: Sequence[Entry]) -> tuple[dict[str, list[Entry]], list[str]]:
    """Each word that names archives, with those, and the words without them."""
    found: dict[str, list[Entry]] = {}
    name, of, rest = named(words, known)
    while of:
        found.setdefault(name, of)
        name, of, rest = named(rest, known)
    return found, rest


def model_without_archive(words: Sequence[str]) -> str:
    """The word that looks like a GPU's name; to be asked where no archive has it."""
    known = (word for word in re.findall(r"\w+", " ".join(words)) if MODEL.fullmatch(word) or word.lower() in FAMILY)
    return next(known, "")


def about(command: str, *names: str) -> str:
    """The command, of the archives that were named."""
    name = names[0] if names else ""
    if not name:
        return command
    if "ARCHIVE" in command:
        return command.replace("ARCHIVE", shlex.quote(name))
    if beside := SIDE_BY_SIDE.match(command):
        all_of = dict.fromkeys([*names, *(beside[2].split() if len(names) == 1 else [])])
        return f"{beside[1]} {shlex.join(all_of)}{command[beside.end() :]}"
    if "latest~" in command:  # one before another: of a chip, not of one archive
        return command if ONE.fullmatch(name) else command.replace("latest", name)
    name = shlex.quote(name)
    if "latest" in command:
        return re.sub(r"\blatest\b", name, command, count=1)
    return f"{command} --archive {name}" if command.startswith("gpufx pattern ") else command


def _probes(row: Row) -> set[str]:
    """What has to be read of an archive."""
    wanted = {probe for probe, effect in of_the_tree(root()).items() for d in effect if d.id in row.quantities}
    return wanted | ({row.probe} if row.probe else set())


def _opened(entries: Iterable[Entry], probes: set[str]) -> Iterable[Archive]:
    for entry in entries:
        with suppress(UserError):
            archive = load(entry.path, probes=probes)
            if not archive.incomplete:
                yield archive


def _inferred(archive: Archive, row: Row, wanted: set[str]) -> list[Quantity]:
    own = [definition for definition in row.own if definition.id in wanted]
    shared = wanted - {definition.id for definition in own}
    return of(archive, own) + (infer(archive, wanted=shared) if shared else [])


def _best(found: Iterable[Archive], row: Row, lead: str) -> tuple[Archive | None, Quantity | None]:
    """The first archive that has the figure, else the first of all."""
    first: tuple[Archive | None, Quantity | None] = None, None
    for archive in islice(found, MOST_READ):
        quantity = next(iter(_inferred(archive, row, {lead})), None)
        if quantity and quantity.determined:
            return archive, quantity
        first = first if first[0] else (archive, quantity)
    return first


def figure(quantity: Quantity) -> str:
    """The value, and how sure; beside an interval with as many digits as that has, or it might lie outside."""
    if ends := interval_text(quantity):
        return f"{value_text(quantity)} ({ends}, {CI})"
    return f"{short_text(quantity)} ({sure})" if (sure := sure_text(quantity)) else short_text(quantity)


def _figure_lines(archive: Archive | None, quantity: Quantity | None, lead: str, told: dict[str, str]) -> list[str]:
    if not archive:
        return ["no archive yet: gpufx characterize"]
    run = archive.run
    what = ", SYNTHETIC" if archive.synthetic else ""
    of = f"{run['device']['name']}{what} (run {run['id']}, {run['started_utc'][:10]})"
    if not quantity:
        return [f"not measured on {of}: {lead}"]
    if not quantity.determined:
        return [f"{lead} is not determined on {of}: {quantity.reason}"]
    return [f"{figure(quantity)} on {of}", f"  {told.get(lead, quantity.definition.meaning)}"]


def _verdicts(archive: Archive, row: Row, text: str) -> list[str]:
    """The verdict on the claim about the probe that has most of the words, where one has two."""
    from ..judging.claims import UNKNOWN, archived, judged
    from .claims_text import short

    asked = set(words_of(text))
    of = [declared for declared in archived(archive) if declared.probe == row.probe]

    def shared(said: str) -> int:
        return len(asked & set(re.findall(r"[a-z0-9]+", said.lower())))

    for declared in of:
        best = max(declared.claims, key=lambda claim: shared(claim["text"]), default=None)
        declared.claims = [best] if best and shared(best["text"]) >= min(2, len(asked)) else []
    if not any(declared.claims for declared in of):
        return []
    return [
        f'{v.verdict}: "{v.text}": {short(v, claimed=False)}'
        for v in judged(archive, row.probe, of).verdicts
        if v.verdict != UNKNOWN
    ][:1]


class Told(NamedTuple):
    """An answer as text, whether there is one, and the same for programs."""

    text: str
    found: bool
    document: dict


def _pointer(row: Row, *names: str) -> dict:
    return {"question": row.question, "command": about(row.command, *names) or None, "page": str(row.page)}


def _unknown(index: Index, text: str) -> Told:
    told = f"nothing is known about '{clipped(text)}'"
    words, near = index.nearest_words(text), index.near(text)
    document = {"found": False, "did_you_mean": words, "near": [_pointer(row) for row in near]}
    if words:
        return Told(f"{told}; did you mean {', '.join(words)}?\n", False, document)
    if not near:
        return Told(f"{told}; {PAGE} lists all questions\n", False, document)
    lines = [f"  {row.question}  {row.command or row.page}" for row in near]
    return Told("\n".join([f"{told}; similar questions:", *lines]) + "\n", False, document)


def _figures(row: Row, text: str, index: Index, found: Iterable[Archive]) -> tuple[list[str], dict]:
    """The figure of the first archive that has it, with what it is compared with; for people and for programs."""
    lead = index.lead(row, text)
    chosen, quantity = _best(found, row, lead)
    told = _figure_lines(chosen, quantity, lead, index.told)
    if chosen and COMPARES.search(plain(text)):
        others = {name for name in row.quantities if name != lead}
        beside = [q for q in _inferred(chosen, row, others) if q.determined] if others else []
        beside.sort(key=lambda q: row.quantities.index(q.id))
        told += [f"{figure(q)}: {index.told.get(q.id, q.definition.meaning)}" for q in beside[:MOST_BESIDE]]
    if chosen and row.probe and "claims" in row.command:
        told += _verdicts(chosen, row, text)
    document = {"quantity": quantity and quantity_json(quantity), "archive": chosen and identity(chosen)}
    return [line for part in told for line in wrapped(part, indent="  ")], document


def answer(words: Sequence[str], archive: Archive | None = None) -> Told:
    """archive: instead of one that the words name, or the newest one."""
    index = Index(indexed(root()), root())
    of, rest = all_named(" ".join(words).split(), archives())  # a question may come in quotes, as one word
    other = model_without_archive(rest)
    known = [word for word in rest if other not in word] if other else rest
    rest = known if words_of(" ".join(known)) else rest
    text = " ".join(rest) if words_of(" ".join(rest)) else COMPARING if len(of) > 1 else "what is this chip"
    spelt = index.spelt(text)
    best = index.ranked(spelt)
    if not best:
        return _unknown(index, text)
    score, row = best[0]
    if not row.measured:
        return Told(f"not measured: {row.question}\n", False, {"found": False, "not_measured": row.question})
    names = list(of)
    if archive:
        run_id = archive.run["id"]
        names = [run_id if any(entry.id == run_id for entry in archives()) else from_here(archive.path)]
    document = {"found": True} | _pointer(row, *names) | {"note": row.note or None}
    lines: list[str] = []
    if row.quantities:
        if other:
            lines += wrapped(f"there is no archive of '{other}'; this is another chip's value:", indent="  ")
        probes = _probes(row)
        places = [[archive]] if archive else [_opened(one, probes) for one in of.values()] or [newest(probes)]
        shown = [_figures(row, spelt, index, found) for found in places]
        lines += [line for told, _ in shown for line in told]
        document |= shown[0][1] | ({"others": [told for _, told in shown[1:]]} if shown[1:] else {})
    own = row.names in row.quantities  # a figure's own row asks no question
    read = [f"read as: {spelt}"] if spelt != text else []
    said = read + ([] if own else [row.question]) + ([row.note] if row.note else [])
    lines += [""] if lines and said else []
    lines += [line for part in said for line in wrapped(part, indent="  ")] + [""]
    lines += [f"command  {about(row.command, *names)}"] if row.command else []
    lines += [f"measure  gpufx characterize {row.probe}"] if row.probe else []
    lines += [f"page     {row.page}"]
    seen = {row.question}
    near = [near for points, near in best[1:] if points >= ENOUGH * score and near.measured and near.weight == 1]
    near = [row for row in near if not (row.question in seen or seen.add(row.question))][:MOST_ALSO]
    for row in near:
        lines += wrapped(f"also     {row.question} {about(row.command, *names) or row.page}", indent=" " * 9)
    document["also"] = [_pointer(row, *names) for row in near]
    return Told("\n".join(lines) + "\n", True, document)
