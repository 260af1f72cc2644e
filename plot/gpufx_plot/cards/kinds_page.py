"""The table of docs/fleet.md that shows the kinds of cards, from results/spreads.json, which has what
archives of many cards say."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..call.tables import markdown_table
from ..chip.definitions import Definition, definitions
from ..chip.kinds import Kinds, kinds, voters
from ..chip.quantity_text import amount
from ..chip.spreads import Table, logs_of, read
from .card_table import Cards, percent


def cards_of(table: Table, model: str) -> Cards:
    ids = [one for one, source in table.archives.items() if source.model == model]
    rows = table.quantities
    by_archive = np.array([logs_of(row, ids) for row in rows.values()]).T
    cards = sorted({table.archives[one].card for one in ids})
    logs = np.full((len(cards), len(rows)), np.nan)
    for at, card in enumerate(cards):
        mine = by_archive[[i for i, one in enumerate(ids) if table.archives[one].card == card]]
        known = np.isfinite(mine).any(axis=0)
        logs[at, known] = np.nanmean(mine[:, known], axis=0)
    return Cards(cards, list(rows), np.zeros(len(rows)), logs, np.full(logs.shape, np.nan))


class Model(NamedTuple):
    """A model whose cards are of two kinds. heads: of each kind, its part number and how many cards."""

    name: str
    cards: Cards
    found: Kinds
    heads: list[str]

    @property
    def quantities(self) -> list[tuple[str, int, float]]:
        """Name, column and the logarithm of the second kind over the first."""
        steps = self.found.centres[1] - self.found.centres[0]
        return [(self.cards.quantities[q], q, float(s)) for q, s in zip(self.found.quantities, steps, strict=True)]

    def values(self, q: int, side: bool) -> np.ndarray:
        of = self.cards.logs[self.found.upper == side, q]
        return np.exp(of[np.isfinite(of)])


def _cards(found: Kinds, side: bool) -> str:
    """How many, and how many of them by their number: the others are placed by the figures that part the kinds."""
    numbers = [number for number, upper in zip(found.numbers, found.upper, strict=True) if upper == side]
    return f"{len(numbers)} cards, {sum(map(bool, numbers))} by number"


def models(top: Path) -> Iterator[Model]:
    table = read(top)
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in sorted({source.model for source in table.archives.values()}):
        cards = cards_of(table, model)
        found = kinds(cards.logs, [numbers.get(card, "") for card in cards.cards], voters(cards.quantities))
        if found:
            heads = [
                f"{' or '.join(found.known(side)) or 'number not archived'} ({_cards(found, side)})"
                for side in (False, True)
            ]
            yield Model(model, cards, found, heads)


def _known() -> dict[str, Definition]:
    return {d.id: d for d in definitions({"probes": {}})}


def _ends(model: Model, name: str, q: int, side: bool) -> str:
    unit = known.unit if (known := _known().get(name)) else ""
    of = model.values(q, side)
    return f"{of.min():.4g} to {amount(float(of.max()), unit, 4)}".strip()


def part(top: Path) -> str:
    """Of each model whose cards are of two kinds."""
    lines = []
    for model in models(top):
        rows = [
            (name, *(_ends(model, name, q, side) for side in (False, True)), percent(step))
            for name, q, step in model.quantities
        ]
        lines += [*([""] if lines else []), *markdown_table((model.name, *model.heads, "second over first"), rows)]
    return "\n".join(lines) or "No model in the tree has two."
