"""Learns from archives how far quantities lie from day to day and from card to card:

    python -m gpufx_plot.chip.learn_spreads [--check | ARCHIVE...]

takes every whole archive under results/, and those that are named, into results/spreads.json. What the file has of an
archive that lies elsewhere stays, as long as the quantity is defined as it was. --check says whether the file is what
the archives in the tree say that it names; adding an archive makes nothing stale.

`coverage` is the proof: each archive is left out in turn, what is learnt from the others makes its intervals, and the
values of the other archives must lie in these. docs/quantities.md shows it."""

import hashlib
import math
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import msgspec
from msgspec import structs

from .. import UserError
from ..archive.load import load
from ..call.output import write
from ..call.program import root
from ..call.stopping import guarded, leave
from ..call.tables import markdown_table
from ..call.terminal import say
from ..call.text import clipped
from .definitions import SPREADS, WORDS, Definition
from .inference import Inference, inferred, narrowed, settled
from .quantity import Estimate
from .spread_table import Row, Source, Table, read
from .spreads import EXACT, learn, widened

COMMAND = "python -m gpufx_plot.chip.learn_spreads"
LATER = ("whole_chip", "ids")  # keys that came when fingerprints were there
DIGITS = 6


def fingerprint(d: Definition) -> str:
    keys = structs.asdict(d).items()
    how = {name: value for name, value in keys if name not in WORDS and (name not in LATER or value)}
    return hashlib.sha256(msgspec.json.encode(how, order="sorted")).hexdigest()[:8]


def take(table: Table, path: Path) -> None:
    """What one archive says, in place of what the table had of it. Raises UserError."""
    archive = load(path)
    run = archive.run
    if archive.synthetic or run["quick"] or narrowed(run) or archive.incomplete:
        raise UserError(f"{path}: not a complete archive of a card")
    card = hashlib.sha256(str(run["device"].get("uuid")).encode()).hexdigest()[:8]
    board = clipped(str(run["device"].get("board_part_number") or ""), 40)
    table.archives[run["id"]] = Source(run["device"]["name"], card, archive.usual_processes, board)
    for row in table.quantities.values():
        row.values.pop(run["id"], None)
    alone = Inference(archive)
    for q in inferred(archive, alone):
        d, e = q.definition, q.estimate
        if not e or d.by in EXACT or d.follows or not d.kind:
            continue
        row, made = table.quantities.setdefault(d.id, Row(d.kind, False, "", {})), fingerprint(d)
        if row.definition != made:
            row.values.clear()
        row.kind, row.state, row.definition = d.kind, bool(d.state), made
        sure = settled(q, alone)
        figures = e.value, sure.low, sure.high, e.low, e.high
        row.values[run["id"]] = tuple(None if v is None else float(f"{v:.{DIGITS}g}") for v in figures)


def of_tree(top: Path) -> list[Path]:
    return sorted(top.glob("results/sm_*/*/*.jsonl.gz"))


def updated(table: Table, paths: Iterable[Path], strict: bool) -> Table:
    for path in paths:
        try:
            take(table, path)
        except UserError:
            if strict:
                raise
    rows = {name: row for name, row in sorted(table.quantities.items()) if row.values}
    for row in rows.values():
        row.values = dict(sorted(row.values.items()))
    return Table(dict(sorted(table.archives.items())), rows)


def named(table: Table, top: Path) -> list[Path]:
    """The archives of the tree that the table names."""
    return [path for path in of_tree(top) if path.name.partition(".")[0].rpartition("-")[2] in table.archives]


def encoded(table: Table) -> bytes:
    """A line for each archive and each quantity."""

    def block(name: str, entries: dict) -> str:
        lines = b",\n".join(b":".join(map(msgspec.json.encode, entry)) for entry in entries.items()).decode()
        return f'"{name}":{{\n{lines}\n}}'

    return f"{{{block('archives', table.archives)},\n{block('quantities', table.quantities)}}}\n".encode()


Pair = tuple[bool, bool, float, float]


def _cells(pairs: list[Pair]) -> tuple[str, ...]:
    *held, alone, wide = zip(*pairs, strict=True)
    shares = (f"{100 * sum(of) / len(pairs):.1f} %" for of in held)
    return str(len(pairs)), ", ".join(shares), ", ".join(f"{100 * median(of):.2g} %" for of in (alone, wide))


def _holds(e: Estimate, other: tuple) -> bool:
    """A bracket holds another one if they share a value."""
    value, low, high, *_ = other
    if e.bracket:
        return (e.low or 0) < (high or math.inf) and (low or 0) < (e.high or math.inf)
    return e.low is None or e.low <= value <= e.high


def _half(e: Estimate) -> float:
    middle = e.value or math.sqrt((e.low or e.high) * (e.high or e.low))
    return ((e.high or middle) - (e.low or middle)) / 2 / abs(middle)


def coverage(table: Table) -> dict[tuple[str, bool], list[Pair]]:
    """Pairs of archives by kind, and whether they are of one card: whether the interval of one holds the value of the
    other, alone and widened, and half of it, as a share."""
    found: dict[tuple[str, bool], list[Pair]] = {}
    for one, source in table.archives.items():
        learnt = learn(table, without=one)
        for name, row in table.quantities.items():
            reach = learnt.of.get(name)
            if one not in row.values or not reach:
                continue
            value, low, high, *ends = row.values[one]
            alone, e = Estimate(value, *ends, 0), Estimate(value, low, high, 0)
            for other, theirs in table.archives.items():
                if other == one or theirs.model != source.model or other not in row.values:
                    continue
                same = theirs.card == source.card
                wide = widened(e, reach.day if same else reach.cards, reach.steps)
                held = (_holds(of, row.values[other]) for of in (alone, wide))
                found.setdefault((row.kind, same), []).append((*held, _half(alone), _half(wide)))
    return found


def coverage_part(top: Path) -> str:
    """The table of docs/quantities.md."""
    table = read(top)
    columns = ("pairs", "held, alone and widened", "half-width, alone and widened")
    head = ("kind", *(f"{of}: {column}" for of in ("another card", "same card") for column in columns))
    none = ("-",) * len(columns)
    cells = {of: _cells(pairs) for of, pairs in coverage(table).items()}
    kinds = sorted({kind for kind, _ in cells})
    rows = [(kind, *cells.get((kind, False), none), *cells.get((kind, True), none)) for kind in kinds]
    cards = Counter((s.model, s.card) for s in table.archives.values())
    twice = sum(count > 1 for count in cards.values())
    said = f"From {len(table.archives)} archives of {len(cards)} cards, {twice} of them measured more than once; "
    said += f"`{COMMAND}` adds more."
    return "\n".join([said, "", *markdown_table(head, rows)])


def main(words: list[str]) -> int:
    top = root()
    table = read(top)
    if words == ["--check"]:
        fresh = updated(msgspec.convert(msgspec.to_builtins(table), Table), named(table, top), True)
        if encoded(fresh) == encoded(table):
            return 0
        say(f"{SPREADS}: does not match the archives that it names\nwrite it with: {COMMAND}\n")
        return 1
    table = updated(table, of_tree(top), False)
    write(top / SPREADS, encoded(updated(table, map(Path, words), True)))
    return 0


if __name__ == "__main__":
    leave(guarded("gpufx_plot.chip.learn_spreads", lambda: main(sys.argv[1:])))
