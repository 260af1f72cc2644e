"""Kinds of cards, of those that results/spreads.json knows."""

import numpy as np

from gpufx_plot.call.program import root
from gpufx_plot.cards.card_table import Cards
from gpufx_plot.chip.kinds import kinds, voters
from gpufx_plot.chip.spreads import Table, logs_of, read


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


def test_a_card_that_is_left_out_changes_no_kind():
    """Of every fourth card that results/spreads.json knows: without it the others part alike, and its own figures, with
    its number or without, put it where it is; but a number that no other card has is of a kind that the base lacks."""
    table = read(root())
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in {source.model for source in table.archives.values()}:
        cards = cards_of(table, model)
        told, votes = [numbers.get(card, "") for card in cards.cards], voters(cards.quantities)
        whole = kinds(cards.logs, told, votes)
        for out in range(0, len(cards.cards), 4):
            rest = [i for i in range(len(cards.cards)) if i != out]
            found = kinds(cards.logs[rest], [told[i] for i in rest], votes)
            if whole is None or min(np.bincount(whole.upper[rest], minlength=2)) < 3:
                continue
            assert (found.upper == whole.upper[rest]).all()
            assert found.side("", cards.logs[out]) == whole.upper[out]
            alone = told[out] and told[out] not in found.numbers and found.known(whole.upper[out])
            assert found.side(told[out], cards.logs[out]) == (None if alone else whole.upper[out])
