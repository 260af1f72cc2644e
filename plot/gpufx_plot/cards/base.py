"""The base: what the archives of a chip say of its boards, one row a card and one column a quantity.

A card with several archives counts once, with the mean of their logarithms. Figures are put beside each other if their
cases have the same method, and if both were taken on one SM or both on several in turn; where that leaves too few
cards, those of the other kind count too, and what the two differ by is then a part of the spread.
"""

import math
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from msgspec import structs

from .. import UserError
from ..archive.contents import Archive
from ..archive.load import load
from ..archive.model import driver_text
from ..call.program import archives
from ..call.text import clipped, safe, shown
from ..chip.definitions import Definition
from ..chip.estimators import NotDetermined
from ..chip.quantities import Inference, infer, narrowed
from ..judging.facts import board_of
from .dataset import STORED_VIEW, ask, is_dataset, opened
from .judge import FEWEST

HALF_WIDTHS = 2.575829  # standard errors in half of a quantity's interval
SIGNS = {"largest": 1, "smallest": -1, None: 0}
SUFFIXES = (".jsonl", ".jsonl.gz")
SEVERAL = 4  # archives, from which on more than one process reads them
MOST_READERS = 8
NO_FIGURE = ("reported", "change", "crossing", "period")  # a setting, and sizes: steps of an axis have no distribution
FAMILY = 8  # cases of which the best counts: of more, those that came near it on some card are enough
NEAR = 0.005
MOST_ARCHIVES = 400  # that are read: the newest; more cards hardly tell more, and take longer than the measuring


@dataclass(frozen=True)
class Figure:
    """One quantity of one archive, as a logarithm. kind: what must be alike in archives that are put together. names:
    the cases that it is taken from, but for those that a search added. family: where it is the best of several, all of
    them, since an acceptance measures some of them alone."""

    log: float
    error: float
    kind: tuple
    family: dict[str, float] = field(default_factory=dict)
    sign: int = 1  # the best is the largest
    source: str | None = None  # hash of the probe's sources
    code: frozenset = frozenset()  # what ran in its cases; empty: not known
    names: frozenset[str] = frozenset()

    def rebuilt(self, others: Sequence["Figure"]) -> bool:
        """True if the probe's sources, and what ran, are none of the others'."""
        known = [one for one in others if one.source]
        same = any(one.source == self.source or (self.code and one.code == self.code) for one in known)
        return bool(self.source and known and not same)

    def among(self, other: "Figure") -> float:
        """The figure by the cases that the other one has, too."""
        common = [log for name, log in self.family.items() if name in other.family]
        return max(common, key=lambda log: self.sign * log) if common else self.log


@dataclass(frozen=True)
class Board:
    """What one archive says of its card."""

    path: Path
    id: str
    card: str
    slug: str
    device: str
    synthetic: bool
    started: str
    driver: str
    quick: bool
    incomplete: str | None
    run: dict
    figures: dict[str, Figure]
    missing: dict[str, str]  # quantities that were measured and not determined: why
    cases: frozenset[str] | None = None  # of a run that left some out: those that it tried
    definitions: dict[str, Definition] = field(repr=False, default_factory=dict)
    processes: int = 1
    between: dict[str, tuple[float, int]] = field(default_factory=dict)  # of processes: squares, degrees of freedom
    packed: tuple[Path, str] | None = None  # the dataset that it is from, and its key there

    @property
    def name(self) -> str:
        """The card, as short as it is still one."""
        return self.card[:12] if self.card.startswith("GPU-") else self.card

    def covers(self, cases: frozenset[str] | set[str]) -> bool:
        """Whether it has tried all of these."""
        return self.cases is None or cases <= self.cases


def needed(name: str, boards: Sequence[Board]) -> frozenset[str]:
    """The cases that a quantity takes, as the newest whole run has them. Of many of which the best counts, those that
    came near it on some card."""
    having = [b for b in boards if name in b.figures]
    having = [b for b in having if b.cases is None] or having
    if not having:
        return frozenset()
    latest = max(having, key=lambda b: b.started).figures[name].names
    return latest if len(latest) <= FAMILY else (latest & near([b.figures[name] for b in having]) or latest)


def near(figures: Iterable[Figure]) -> set[str]:
    """Of cases of which the best counts, those that came near it on some card."""
    found = set()
    for figure in figures:
        if figure.family:
            top = max(figure.family.values(), key=lambda log, sign=figure.sign: sign * log)
            found |= {name for name, log in figure.family.items() if abs(log - top) <= NEAR}
    return found


def _figures(archive: Archive, known: Inference | None = None) -> tuple[dict, dict, dict]:
    """How wide an interval is does not matter: what cards differ by is learnt from the cards. known: what was computed
    of the archive before."""
    inference, figures, missing, definitions = Inference(archive, math.inf), {}, {}, {}
    if known:
        inference.figures = known.figures
    for q in infer(archive, inference):
        d = q.definition
        if d.by in NO_FIGURE or (d.saves and d.saves.probe not in archive.measured):
            continue
        definitions[q.id] = d
        if not q.determined or not q.estimate.value or q.estimate.value <= 0:
            missing[q.id] = q.reason or "it is zero or less"
            continue
        e = q.estimate
        error = math.log(e.high / e.low) / 2 / HALF_WIDTHS if e.low and e.high and e.low > 0 else math.nan
        values = _values(inference, d)
        points = [value.point for value in values]
        kind = (tuple(sorted({p.method_version for p in points})), any(p.over_sms for p in points))
        turn, scale = (-1 if d.inverse else 1), math.log(d.scale)
        family = {v.point.name: scale + turn * v.log for v in values} if d.by == "best" and len(values) > 1 else {}
        sign = turn if (d.extreme or ("largest" if d.of != "cost" else "smallest")) == "largest" else -turn
        source = (archive.run["probes"].get(d.probe) or {}).get("source_hash")
        code = frozenset().union(*(p.code for p in points))
        names = frozenset(p.name for p in [*points, *_others(inference, d)] if not p.searched)
        figures[q.id] = Figure(math.log(e.value), error, kind, family, sign, source, code, names)
    return figures, missing, definitions


def _values(inference: Inference, d: Definition) -> list:
    try:
        return inference.select(d)
    except NotDetermined:
        return []


def _others(inference: Inference, d: Definition) -> list:
    """The cases that stand on the other side of a quotient, or are to pay."""
    found = []
    for other in (d, structs.replace(d, **structs.asdict(d.saves)) if d.saves else d):
        if other.against:
            pairs = inference.pairs(other)
            found += [value.point for pair in pairs for value in pair]
    return found


def _tried(archive: Archive) -> frozenset[str] | None:
    if not (archive.run["quick"] or narrowed(archive.run)):
        return None
    return frozenset(case.name for case in (*archive.points, *archive.waived, *archive.failed))


def _between(archive: Archive) -> dict[str, tuple[float, int]]:
    """How far the processes of an archive differ, quantity by quantity: squares about their mean."""
    parts = [_figures(archive.part({process}))[0] for process in archive.process_ids]
    found = {}
    for name in set().union(*parts):
        logs = np.array([part[name].log for part in parts if name in part])
        if len(logs) > 1:
            found[name] = (float(((logs - logs.mean()) ** 2).sum()), len(logs) - 1)
    return found


def board(path: Path | str, apart: bool = False) -> Board:
    """Reads one archive. apart: how far its processes differ is wanted, too. Raises UserError."""
    return board_in(load(path), apart)


def board_in(archive: Archive, apart: bool = False, known: Inference | None = None) -> Board:
    run, path = archive.run, archive.path
    figures, missing, definitions = _figures(archive, known)
    return Board(
        *(Path(path), run["id"], board_of(archive), archive.slug, run["device"]["name"], archive.synthetic),
        *(run["started_utc"], driver_text(run), run["quick"], archive.incomplete),
        {key: run[key] for key in ("device", "driver", "environment", "program", "host", "labels") if key in run},
        *(figures, missing, _tried(archive), definitions, archive.usual_processes),
        between=_between(archive) if apart and archive.processes > 1 else {},
    )


def _read(task: tuple) -> Board | str:
    try:
        return board(*task)
    except UserError as error:
        return str(error)


def boards(paths: Sequence[Path], apart: bool = False) -> tuple[list[Board], list[str]]:
    """What can be read of them, and why the others can't."""
    packed = [packed_in(path) for path in paths if path.is_dir()]
    paths = [path for path in paths if not path.is_dir()]
    tasks = [(path, apart) for path in paths]
    workers = min(os.cpu_count() or 1, MOST_READERS, len(tasks))
    if len(tasks) < SEVERAL or workers < 2:
        found = [_read(task) for task in tasks]
    else:
        with ProcessPoolExecutor(workers, get_context("fork")) as pool:
            found = list(pool.map(_read, tasks, chunksize=max(1, len(tasks) // (4 * workers))))
    found += [one for of in packed for one in of]
    read = sorted((one for one in found if isinstance(one, Board)), key=lambda one: (one.started, one.id))
    return read, [one for one in found if isinstance(one, str)]


def packed_in(dataset: Path) -> list[Board | str]:
    """The newest archives of a dataset."""
    from .base_row import board_of_text

    found = []
    with opened(dataset, stored=True) as database:
        sql = f"SELECT archive, file, acceptance FROM {STORED_VIEW} ORDER BY archive DESC LIMIT {MOST_ARCHIVES}"
        for key, file, text in ask(database, sql):
            try:
                found.append(replace(board_of_text(text, Path(file)), packed=(dataset, key)))
            except UserError as error:
                found.append(str(error))
    return found


def paths_of(words: str | None, slug: str | None) -> list[Path]:
    """The archives that --against names: files, datasets, folders with all below them, names of devices; nothing: those
    that the tree has of this device. Raises UserError."""
    found: list[Path] = []
    known = None
    for word in (words or slug or "").split(","):
        path = Path(word.strip() or ".")
        if word.strip() and is_dataset(path):
            found.append(path)
        elif word.strip() and path.is_dir():
            here = sorted(p for p in path.rglob("*") if p.name.endswith(SUFFIXES) and p.is_file())
            if not here:
                raise UserError(f"--against {shown(path)} holds no archive (*.jsonl.gz)")
            found += here
        elif word.strip() and path.is_file():
            found.append(path)
        else:
            known = archives() if known is None else known
            named = [e.path for e in known if word.strip() and word.strip().lower() in (e.id, *_names(e.slug))]
            if not named and words is None:
                raise UserError(
                    f"there is no archive of {safe(slug or 'this device')} to be held against; name some with "
                    "--against, or measure some healthy cards with gpufx characterize"
                )
            if not named:
                raise UserError(f"--against {clipped(word)} is no file, no folder and no device that an archive is of")
            found += named
    return list(dict.fromkeys(found))


def newest(paths: Sequence[Path], most: int = MOST_ARCHIVES) -> list[Path]:
    """As many as are read, by the times in their names."""
    return sorted(paths, key=lambda path: path.name)[-most:]


def _names(slug: str) -> list[str]:
    """A device's slug, and the words of it: nvidia-h200, h200."""
    return [slug, *slug.split("-")]


@dataclass(frozen=True)
class Base:
    """The cards of one chip, as the judge reads them."""

    device: str
    cards: list[str]
    quantities: list[str]
    better: np.ndarray
    logs: np.ndarray
    errors: np.ndarray
    boards: list[Board]
    left_out: list[str]  # sentences: what could not be used, and why
    siblings: list["Base"] = field(default_factory=list)  # cards of other chips, which tell about spreads alone


def fitting(card: Board, found: Iterable[Board]) -> tuple[list[Board], list[str]]:
    """Those that a card can be held against: other cards of its chip, in whole runs; and what is left out."""
    kept, out = [], {}

    def leave(why: str) -> None:
        out[why] = out.get(why, 0) + 1

    for one in found:
        if one.id == card.id or (one.card == card.card):
            leave("of the card itself")
        elif one.synthetic != card.synthetic:
            leave("invented" if one.synthetic else "measured, and the card is invented")
        elif one.incomplete:
            leave("of a run that did not come to its end")
        elif one.quick:
            leave("taken with --quick")
        else:
            kept.append(one)
    return kept, [f"{count} {why}" for why, count in out.items()]


def table(card: Board, found: Sequence[Board], names: Sequence[str]) -> Base:
    """The base for this card's quantities."""
    kept, out = fitting(card, found)
    chips: dict[str, dict[str, Board]] = {card.slug: {}}
    for one in kept:
        chips.setdefault(one.slug, {})[one.id] = one
    better = np.array([SIGNS[card.definitions[n].better if n in card.definitions else None] for n in names], dtype=int)
    own, *others = (_of_chip(card, list(of.values()), names, better) for of in chips.values())
    out += [f"{len(one.boards)} of another chip ({clipped(one.device)})" for one in others]
    return replace(own, left_out=out, siblings=others)


def _of_chip(card: Board, boards: list[Board], names: Sequence[str], better: np.ndarray) -> Base:
    cards: dict[str, list[Board]] = {}
    partial = any(one.cases is not None for one in boards)
    for one in boards:
        cards.setdefault(one.card, []).append(one)
    logs = np.full((len(cards), len(names)), np.nan)
    errors = logs.copy()
    for q, name in enumerate(names):
        mine, cases = card.figures.get(name), needed(name, boards) if partial else frozenset()
        alike = _alike(cards, name, mine, cases, lambda kind, own: kind == own)
        if sum(bool(of) for of in alike) < FEWEST:  # any SMs, by the same method
            alike = _alike(cards, name, mine, cases, lambda kind, own: kind[0] == own[0])
        for c, of in enumerate(alike):
            if of:
                logs[c, q] = np.mean([b.figures[name].among(mine) if mine else b.figures[name].log for b in of])
                known = [b.figures[name].error for b in of if math.isfinite(b.figures[name].error)]
                errors[c, q] = math.sqrt(np.mean(np.square(known)) / len(of)) if known else np.nan
    device = boards[0].device if boards else card.device
    return Base(device, list(cards), list(names), better, logs, errors, boards, [])


def _alike(cards: dict[str, list[Board]], name: str, mine: Figure | None, cases, same) -> list[list[Board]]:
    """Of each card the archives whose figure can be put beside this one. cases: that they must have tried."""

    def fits(one: Board) -> bool:
        return name in one.figures and (not mine or same(one.figures[name].kind, mine.kind)) and one.covers(cases)

    return [[one for one in of if fits(one)] for of in cards.values()]
