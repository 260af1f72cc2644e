"""The base that a card is compared with: one row per card, one column per quantity.

A card with several archives counts once, with the mean of their logarithms. Figures are comparable if their cases have
the same method and were both measured on one SM, or both on several in turn; where that leaves too few cards, both are
taken, and the difference becomes part of the spread."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from .. import UserError
from ..archive.file import archives_in
from ..call.grouped import grouped
from ..call.program import RefusedError, archives, root
from ..call.text import clipped, safe, shown
from ..call.workers import shared
from ..chip.definitions import same_estimate
from ..chip.kinds import kinds, voters
from .board import Board, board, needed
from .card_table import SIGNS, Cards
from .judge import FEWEST
from .kept import file_of, is_kept, kept_in

SEVERAL = 4  # archives, from which on more than one process reads them
MOST_READERS = 8
LEAST_EQUAL, EQUAL = 4, 1e-5  # quantities that all agree so nearly, from which on two archives hold the same samples
# Of many, not all have to: of any two measured archives of the tree, six in ten at most agree within a thousandth.
LEAST_NEAR, NEAR, MOST_NEAR = 20, 1e-3, 0.9
MOST_ARCHIVES = 400  # that are read: the newest; more cards hardly tell more, and take longer than the measuring


def _read(path: Path) -> Board | str:
    try:
        return board(path)
    except UserError as error:
        return str(error)


def boards(paths: Sequence[Path]) -> tuple[list[Board], list[str]]:
    """The boards that can be read, and why others can't."""
    kept = [kept_in(path) for path in paths if is_kept(path)]
    paths = [path for path in paths if not is_kept(path)]
    found = [*shared(_read, paths, MOST_READERS, SEVERAL), *(one for of in kept for one in of)]
    read = sorted((one for one in found if isinstance(one, Board)), key=lambda one: (one.started, one.id))
    return read, [one for one in found if isinstance(one, str)]


def paths_of(words: str | None, slug: str | None) -> list[Path]:
    """The archives that --against names: files, folders with all below them, names of devices; nothing: those
    that the tree has of this device, and what it kept of others. Raises UserError."""
    if words is None:
        found = of_model(slug)
        if not found:
            raise UserError(
                f"there is no archive of {safe(slug or 'this device')} to compare with; name some with "
                "--against, or measure some healthy cards with gpufx characterize"
            )
        return found
    return list(dict.fromkeys(path for word in words.split(",") for path in _paths_of_word(word.strip())))


def of_model(slug: str | None) -> list[Path]:
    """The archives of a model that the tree has, and what it kept of others."""
    kept = file_of(root(), slug or "")
    return [entry.path for entry in archives() if entry.slug == slug] + ([kept] if kept.exists() else [])


def _paths_of_word(word: str) -> list[Path]:
    path = Path(word or "/")
    if path.is_file():
        return [path]
    if word and path.is_dir():
        here = sorted(p for p in archives_in(path) if p.is_file())
        if not here:
            raise UserError(f"--against {shown(path)} holds no archive (*.jsonl.gz)")
        return here
    try:
        found = archives(word)
    except RefusedError as error:
        raise UserError(f"--against {clipped(word)} is not a file or folder, and {error.reason}") from None
    kept = (file_of(root(), slug) for slug in dict.fromkeys(entry.slug for entry in found))
    return [entry.path for entry in found] + [path for path in kept if path.exists()]


def newest(paths: Sequence[Path]) -> list[Path]:
    """The newest, by the times in their names."""
    return sorted(paths, key=lambda path: path.name)[-MOST_ARCHIVES:]


@dataclass(frozen=True)
class Kind:
    """The kind of card that a base was reduced to. others: cards of the other kind; theirs: its name."""

    name: str
    others: int = 0
    theirs: str = ""
    numbered: bool = True  # part numbers tell the kinds apart


@dataclass(frozen=True, kw_only=True)
class Base(Cards):
    """The cards that one is compared with."""

    device: str
    boards: list[Board]
    left_out: list[str] = field(default_factory=list)  # sentences: what could not be used, and why
    siblings: list["Base"] = field(default_factory=list)  # of other chips and kinds, which tell about spreads alone
    kind: Kind | None = None  # None where all cards of the chip are of one

    @property
    def of_chip(self) -> list["Base"]:
        """These cards, and those of the other kind."""
        return [self, *(of for of in self.siblings[: bool(self.kind)] if of.cards)]


def fitting(card: Board, found: Iterable[Board]) -> tuple[list[Board], list[str]]:
    """The boards to compare a card with: other cards in whole runs, each measurement once; and what is left out."""
    kept, out, copies, seen = [], Counter(), [], [card]
    for one in found:
        if one.id == card.id or (one.card == card.card):
            out["of this card"] += 1
        elif one.synthetic != card.synthetic:
            out["invented" if one.synthetic else "measured, while the card is synthetic"] += 1
        elif one.incomplete:
            out["of a run that did not finish"] += 1
        elif one.quick:
            out["taken with --quick"] += 1
        elif any(_copied(one, other) for other in seen):
            copies.append(one.id)
        else:
            seen.append(one)
            kept.append(one)
    reasons = [f"{count} {why}" for why, count in out.items()]
    if copies:
        reasons.append(f"{len(copies)} with the same samples as another ({clipped(', '.join(copies), 100)})")
    return kept, reasons


def _copied(one: Board, other: Board) -> bool:
    """Measured anew, some figure of an archive is another one: where none is, one holds the samples of the other,
    however they were scaled, or with a few of them changed."""
    if one.slug != other.slug:
        return False
    common = one.figures.keys() & other.figures.keys()
    apart = [abs(one.figures[name].log - other.figures[name].log) for name in common]
    near = len(apart) >= LEAST_NEAR and not one.synthetic and sum(d <= NEAR for d in apart) >= MOST_NEAR * len(apart)
    return near or (len(apart) >= LEAST_EQUAL and max(apart) <= EQUAL)


def table(card: Board, found: Sequence[Board], names: Sequence[str], known: Sequence[Board] = ()) -> Base:
    """The base for this card's quantities. known: further cards, which say what kinds there are and are not in it."""
    kept, out = fitting(card, found)
    chips: dict[str, dict[str, Board]] = {card.slug: {}}
    for one in kept:
        chips.setdefault(one.slug, {})[one.id] = one
    defined = card.definitions
    better = np.array([SIGNS.get(defined[n].better, 0) if n in defined else 0 for n in names], dtype=int)
    own, *others = (_of_chip(card, list(of.values()), names, better) for of in chips.values())
    out += [f"{len(one.boards)} of another model ({clipped(one.device)})" for one in others]
    all_known, _ = fitting(card, [*kept, *known])
    wider = _of_chip(card, [one for one in all_known if one.slug == card.slug], names, better)
    own, *other_kinds = _of_kind(card, own, wider)
    return replace(own, left_out=out, siblings=[*other_kinds, *others])


def number_of_none(mine: str, numbers: set[str]) -> bool:
    """Whether none of the others has its board part number, and some have one."""
    return bool(mine and numbers - {""} and mine not in numbers)


def _of_kind(card: Board, base: Base, wider: Base) -> list[Base]:
    """Split the base into this card's kind and the other one. wider: the base with all known cards."""
    number_of = {one.card: one.part_number for one in wider.boards if one.part_number}
    numbers, mine = [number_of.get(one, "") for one in wider.cards], card.part_number
    host = card.of_host.union(*(one.of_host for one in wider.boards))
    votes = voters(wider.quantities, card.definitions)
    found = kinds(wider.logs, numbers, ["" if n in host else v for n, v in zip(wider.quantities, votes, strict=True)])
    if not found:
        return [base]
    row = np.array([card.figures[n].log if n in card.figures else np.nan for n in wider.quantities])
    side = found.side(mine, row)
    names = [found.name(which, wider.quantities, card.definitions) for which in (False, True)]
    if side is None and mine:
        return [_part(base, [], Kind(mine, len(base.cards), " and ".join(names))), base]
    if side is None:  # of a card without any figure that tells: the kind that most are of
        side = bool(np.mean(found.upper) > 0.5)
    of = dict(zip(wider.cards, found.upper, strict=True))
    own, other = ([i for i, one in enumerate(base.cards) if of.get(one) == which] for which in (side, not side))
    kind = Kind(mine or names[side], len(other), names[not side], found.numbered)
    return [_part(base, own, kind), _part(base, other, None)]


def _part(base: Base, which: list[int], kind: Kind | None) -> Base:
    cards = [base.cards[i] for i in which]
    boards = [one for one in base.boards if one.card in set(cards)]
    return replace(base, cards=cards, logs=base.logs[which], errors=base.errors[which], boards=boards, kind=kind)


def _of_chip(card: Board, boards: list[Board], names: Sequence[str], better: np.ndarray) -> Base:
    cards, partial = grouped(boards, lambda one: one.card), any(one.cases is not None for one in boards)
    logs = np.full((len(cards), len(names)), np.nan)
    errors = logs.copy()
    for q, name in enumerate(names):
        mine, cases = card.figures.get(name), needed(name, boards) if partial else frozenset()
        alike = _alike(cards, card, name, cases, lambda kind, own: kind == own)
        if sum(bool(of) for of in alike) < FEWEST:  # any SMs, by the same method
            alike = _alike(cards, card, name, cases, lambda kind, own: kind[0] == own[0])
        for c, of in enumerate(alike):
            if of:
                logs[c, q] = np.mean([b.figures[name].among(mine) if mine else b.figures[name].log for b in of])
                known = [b.figures[name].error for b in of if math.isfinite(b.figures[name].error)]
                errors[c, q] = math.sqrt(np.mean(np.square(known)) / len(of)) if known else np.nan
    device = boards[0].device if boards else card.device
    return Base(list(cards), list(names), better, logs, errors, device=device, boards=boards)


def _alike(cards: dict[str, list[Board]], card: Board, name: str, cases, same) -> list[list[Board]]:
    """Of each card the archives whose figure of the same definition can stand beside this one. cases: tried by each."""
    mine, estimate = card.figures.get(name), card.definitions.get(name)

    def fits(one: Board) -> bool:
        if name not in one.figures or not one.covers(cases):
            return False
        if estimate and not same_estimate(one.definitions[name], estimate):
            return False  # kept by a program that had another one
        return not mine or same(one.figures[name].kind, mine.kind)

    return [[one for one in of if fits(one)] for of in cards.values()]
