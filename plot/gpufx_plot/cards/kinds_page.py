"""The table of docs/fleet.md that shows the kinds of cards, from results/spreads.json, which has what archives of many
cards say."""

from pathlib import Path

import numpy as np

from ..call.tables import markdown_table
from ..chip.definitions import definitions
from ..chip.kinds import Kinds, kinds, voters
from ..chip.quantity_text import amount
from ..chip.spreads import Table, logs_of, read
from .card_table import Cards
from .history_text import percent


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


def _rows(cards: Cards, found: Kinds) -> list[tuple[str, ...]]:
    units = {d.id: d.unit for d in definitions({"probes": {}})}
    rows = []
    for q, step in zip(found.quantities, found.centres[1] - found.centres[0], strict=True):
        name = cards.quantities[q]
        ends = [np.exp(cards.logs[found.upper == side, q]) for side in (False, True)]
        cells = [f"{np.nanmin(of):.4g} to {amount(float(np.nanmax(of)), units.get(name, ''), 4)}" for of in ends]
        rows.append((name, *cells, percent(step)))
    return rows


def part(top: Path) -> str:
    """Of each model whose cards are of two kinds."""
    table, lines = read(top), []
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in sorted({source.model for source in table.archives.values()}):
        cards = cards_of(table, model)
        found = kinds(cards.logs, [numbers.get(card, "") for card in cards.cards], voters(cards.quantities))
        if not found:
            continue
        heads = [
            f"{' or '.join(found.known(side)) or 'number not archived'} ({int((found.upper == side).sum())} cards)"
            for side in (False, True)
        ]
        lines += [*([""] if lines else []), *markdown_table((model, *heads, "second over first"), _rows(cards, found))]
    return "\n".join(lines) or "No model in the tree has two."
