"""The table of docs/fleet.md that shows the kinds of cards, from results/spreads.json, which has what
archives of many cards say."""

from pathlib import Path

import numpy as np

from ..call.tables import markdown_table
from ..chip.definitions import definitions
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


def _head(found: Kinds, side: bool) -> str:
    """The part number of a kind; how many cards, and how many of them by their number: the others are placed by the
    figures that part the kinds."""
    numbers = [number for number, upper in zip(found.numbers, found.upper, strict=True) if upper == side]
    called = " or ".join(found.known(side)) or "number not archived"
    return f"{called} ({len(numbers)} cards, {sum(map(bool, numbers))} by number)"


def _range(cards: Cards, found: Kinds, q: int, side: bool, unit: str) -> str:
    """Of one quantity over the cards of a kind."""
    logs = cards.logs[found.upper == side, q]
    values = np.exp(logs[np.isfinite(logs)])
    return f"{values.min():.4g} to {amount(float(values.max()), unit, 4)}".strip()


def part(top: Path) -> str:
    """Of each model whose cards are of two kinds."""
    table, units, lines = read(top), {d.id: d.unit for d in definitions({"probes": {}})}, []
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in sorted({source.model for source in table.archives.values()}):
        cards = cards_of(table, model)
        found = kinds(cards.logs, [numbers.get(card, "") for card in cards.cards], voters(cards.quantities))
        if not found:
            continue
        rows = []
        for q, step in zip(found.quantities, found.centres[1] - found.centres[0], strict=True):
            name = cards.quantities[q]
            ends = (_range(cards, found, q, side, units.get(name, "")) for side in (False, True))
            rows.append((name, *ends, percent(float(step))))
        head = (model, *(_head(found, side) for side in (False, True)), "second over first")
        lines += [*([""] if lines else []), *markdown_table(head, rows)]
    return "\n".join(lines) or "No model in the tree has two."
