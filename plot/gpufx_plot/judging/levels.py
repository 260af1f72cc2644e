"""Which repetitions say what may differ by chance: processes of one run ("process", where two runs on one card are
compared), or cards of one model, kind of card by kind ("board"): from card to card there is more than any number of
processes shows.

A case that no archive has from two processes is held against what archives of one model differ by, card by card:
processes of one card differ by less. Of a chip that the tree does not have, those of other chips say it of cycles.

What is compared is the mean of one archive's processes, so a repetition is that, too: of a card with several archives
the newest counts, and of its processes as many as both sides have.

Unless it is asked for, the level follows from what is compared. Two models have none: no cards of one model tell what
is usual between two, but what those differ by is no difference of models. How far repetitions differ is learnt from the
archives of the tree (`history`); the rest is the statistics of `verdicts`."""

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from .. import UserError
from ..archive.cases import Point
from ..archive.load import Archive, load
from ..call.cache import kept
from ..call.grouped import grouped
from ..call.program import archives
from ..call.terminal import notice
from ..chip.definitions import VALUELESS, definitions
from ..chip.inference import Inference
from ..chip.kinds import kinds, voters
from ..chip.quantities import data
from ..chip.quantity import NotDetermined
from ..chip.uncertainty import side
from ..statistics.rules import ENOUGH
from ..statistics.spread import Side, middle
from .facts import board_of, part_number_of

MOST_TEACHERS = 6  # archives that they are learnt from: 58 reads of DRAM that are 3 % slower take five of two processes
MOST_REPEATED = 12  # cards behind a comparison of two cards
FEWEST_REPEATED = 2  # cards that say what cards differ by
OF_OTHERS = 3  # archives of another chip that say how its SMs' times repeat


def cases_of(archive: Archive, points: Sequence[Point]) -> list[Point | None]:
    """The archive's points of the same cases, as far as they were measured by the same method."""
    mine = {point.key: point for point in archive.points}

    def fitting(point: Point) -> Point | None:
        other = mine.get(point.key)
        same = other and (other.method_version, other.metric) == (point.method_version, point.metric)
        return other if same and min(other.medians) > 0 else None

    return [*map(fitting, points)]


def level_between(base: Archive, new: Archive) -> str:
    """Of what repeats where two archives are compared: cards where these are two cards of one model. A card that has no
    name is taken for the same one."""
    cards = [archive.run["device"].get("uuid") for archive in (base, new)]
    return "board" if base.slug == new.slug and None not in cards and cards[0] != cards[1] else "process"


def wants_others(base: Archive, new: Archive, level: str) -> bool:
    """Whether archives beside these two have a part in the comparison."""
    return level != "process" or base.usual_processes + new.usual_processes < ENOUGH


def load_others(base: Archive, level: str, beside: Archive | None = None) -> list[Archive]:
    """The archives of the base's device, and of that of the one beside it, that the tree has, newest first: as many as
    count at this level, or those that tell most about how far processes differ."""
    found, most, cards = [], MOST_TEACHERS if level == "process" else MOST_REPEATED, set()
    ours = [base, beside or base]
    devices, ids = {(a.slug, a.synthetic) for a in ours}, {a.run["id"] for a in ours}
    for entry in archives():
        if (entry.slug, entry.synthetic) in devices and entry.id not in ids:
            if level == "process" and entry.processes < 2:
                continue
            try:
                archive = load(entry.path)
            except UserError as error:
                notice(f"note: skipping an archive that was only needed for spreads: {error}")
                continue
            # Of a card one archive counts.
            if archive.processes > 1 if level == "process" else board_of(archive) not in cards:
                found.append(archive)
            cards.add(board_of(archive))
            if len(found) == most:
                break
    if level == "process" and not base.synthetic and len(found) < FEWEST_REPEATED:
        found += _of_other_chips({a.slug for a in ours})
    return found


def load_beside(base: Archive, new: Archive) -> list[Archive]:
    """The archives that have a part in the comparison of these two."""
    level = level_between(base, new)
    return load_others(base, level, new) if wants_others(base, new, level) else []


def _of_other_chips(slugs: set[str]) -> list[Archive]:
    """The newest archives of one of them."""
    of = grouped((e for e in archives() if e.slug not in slugs and not e.synthetic), lambda e: e.slug)
    entries = next((found for found in of.values() if len(found) >= FEWEST_REPEATED), [])
    return [load(entry.path) for entry in entries[:OF_OTHERS]]


def repeated(
    level: str, base: Archive, new: Archive, others: Sequence[Archive], kinds: dict[str, str] | None = None
) -> list[list[Archive]]:
    """What stands behind a comparison: lists of repetitions, of one card, or of one kind of card each. Cards count from
    two on; no archive of a card that is compared tells of cards. kinds: of cards, where the model has several."""
    ids, devices = {base.run["id"], new.run["id"]}, {(a.slug, a.synthetic) for a in (base, new)}
    usable = [a for a in others if (a.slug, a.synthetic) in devices and a.run["id"] not in ids]
    if level == "process":
        return [[archive] for archive in usable] if wants_others(base, new, level) else []
    found: dict[tuple, dict[str, Archive]] = {}
    for archive in usable:
        card = board_of(archive)
        if card not in (board_of(base), board_of(new)):
            found.setdefault((archive.slug, (kinds or {}).get(card)), {}).setdefault(card, archive)
    return [list(units.values()) for units in found.values() if len(units) >= FEWEST_REPEATED]


def models(base: Archive, new: Archive, others: Sequence[Archive]) -> list[list[Archive]]:
    """The further archives by model, of each two or more: they repeat what each of them has from one process alone."""
    ids = {base.run["id"], new.run["id"]}
    further = (a for a in others if a.run["id"] not in ids and a.synthetic == base.synthetic)
    found = grouped(further, lambda archive: archive.slug)
    return [of for of in found.values() if len(of) >= FEWEST_REPEATED]


def apart_in_models(sides: Sequence[Side], slugs: Sequence[str], others: Sequence[Archive], points: Sequence[Point]):
    """Of each case, how far further archives of the two models lie from the one that is compared, as a logarithm: what
    two models differ by no more is a card's or its host's. sides, slugs: base and new."""
    apart = np.zeros(len(points))
    for archive in others:
        for one, slug in zip(sides, slugs, strict=True):
            if archive.slug == slug:
                apart = np.fmax(apart, np.abs(side(cases_of(archive, points)).mean - one.mean))
    return apart


def once_of(of_model: Sequence[Archive], points: Sequence[Point], known: Sequence[Side], own: bool) -> Side:
    """What archives of one model measured of the cases that none of these sides has twice: a column is an archive. own:
    it is the model of the points; of another one cycles of an SM count. Other times don't carry over: with the H100 or
    the H200 left out, 6 to 17 % of the differences of some 180 cases were outside their 95 % intervals, of `sharing` up
    to 92 %, though half of these intervals were wider than ±8 %."""
    once = np.max([one.count for one in known], axis=0) < 2
    once &= own | np.array([point.unit == "cycles" for point in points])
    every = _beside([mean_of(side(cases_of(archive, points))) for archive in of_model])
    return Side(np.where(once[:, None], every.logs, np.nan), np.where(once[:, None], every.inside, np.nan))


def history_of(level: str, units: list[Archive], points: Sequence[Point], most: np.ndarray) -> Side:
    """What repetitions measured of some cases: a column is a process, or one of the units. most: of each case, how many
    processes make a unit."""
    sides = [side(cases_of(archive, points)) for archive in units]
    if level == "process":
        return sides[0]
    return _beside([mean_of(one, most) for one in sides])


def _beside(sides: Sequence[Side]) -> Side:
    return Side(*(np.concatenate([getattr(one, name) for one in sides], axis=1) for name in ("logs", "inside")))


def mean_of(one: Side, most: np.ndarray | None = None) -> Side:
    """One column: the mean of an archive's processes. most: of so many of each case."""
    if most is not None:
        kept = np.arange(one.logs.shape[1]) < most[:, None]
        one = Side(np.where(kept, one.logs, np.nan), np.where(kept, one.inside, np.nan))
    return Side(np.where(one.count > 0, one.mean, np.nan)[:, None], middle(one.inside)[:, None])


def _figures(archive: Archive) -> dict[tuple, float]:
    """The logarithm of each quantity that has a vote, by its name and what has to be alike beside it."""
    follows_from = archive.sum, *data()
    return dict(kept("votes", follows_from, list[tuple[tuple, float]], lambda: [*_inferred(archive).items()]))


def _inferred(archive: Archive) -> dict[tuple, float]:
    known = {d.id: d for d in definitions(archive.run)}
    inference, found = Inference(archive, math.inf), {}
    for (name, d), vote in zip(known.items(), voters(known, known), strict=True):
        if vote and d.by not in VALUELESS and d.probe in inference.by_probe:
            with suppress(NotDetermined):
                value = inference.estimate(d).value
                if value and value > 0:
                    found[name, archive.run["probes"][d.probe].get("method_version")] = math.log(value)
    return found


def card_kinds(base: Archive, new: Archive, others: Sequence[Archive]) -> dict[str, str]:
    """The name of its kind for each card that is known to be of one; nothing where all are of one kind. All cards say
    which kinds there are, but the part number of the two that are compared is not asked for that: one card alone, whose
    number no other has, is no kind."""
    archives = {board_of(one): one for one in reversed([base, new, *others]) if one.slug == base.slug}
    figures = {card: _figures(one) for card, one in archives.items()}
    keys = sorted({key for found in figures.values() for key in found}, key=str)
    logs = np.array([[found.get(key, math.nan) for key in keys] for found in figures.values()])
    numbers = [part_number_of(one.run) for one in archives.values()]
    compared = [card in (board_of(base), board_of(new)) for card in archives]
    names = [name for name, _ in keys]
    known = {d.id: d for one in archives.values() for d in definitions(one.run)}
    theirs = ["" if two else number for two, number in zip(compared, numbers, strict=True)]
    found = kinds(logs, theirs, voters(names, known))
    if not found:
        return {}
    sides = [found.side(number, row) for number, row in zip(numbers, logs, strict=True)]
    numbered = {*zip(numbers, sides, strict=True)}
    numbers_of = {side: sorted(n for n, of in numbered if n and of == side) for side in {*sides} - {None}}
    called = {side: " or ".join(of) or found.name(side, names, known) for side, of in numbers_of.items()}
    return {card: called[side] for card, side in zip(archives, sides, strict=True) if side is not None}
