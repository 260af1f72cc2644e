"""Of which kind the cards are that stand in a comparison (chip/kinds.py): what accept asks of a base, asked of the two
cards that are compared and of those that they are held against.

All of them say which kinds there are, but the part number of the two is not asked for that: one card alone, whose
number no other has, is no kind.
"""

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from ..archive.load import Archive
from ..call.cache import kept
from ..chip.definitions import VALUELESS, definitions
from ..chip.inference import Inference
from ..chip.kinds import kinds, voters
from ..chip.quantities import data
from ..chip.quantity import NotDetermined
from .facts import board_of, part_number_of


def _figures(archive: Archive) -> dict[tuple, float]:
    """The logarithm of each quantity that has a vote, by its name and what has to be alike beside it."""
    if not archive.sum:
        return _inferred(archive)
    found = kept("votes", (archive.sum, *data()), list[tuple[tuple, float]], lambda: [*_inferred(archive).items()])
    return dict(found)


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
    """The name of its kind for each card that is known to be of one; nothing where all are of one kind."""
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
    numbers_of = {
        side: sorted({n for n, of in zip(numbers, sides, strict=True) if n and of == side}) for side in set(sides)
    }
    called = {
        side: " or ".join(of) or found.name(side, names, known) for side, of in numbers_of.items() if side is not None
    }
    return {card: called[side] for card, side in zip(archives, sides, strict=True) if side is not None}
