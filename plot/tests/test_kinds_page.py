"""The table of kinds in docs/fleet.md: from results/spreads.json."""

import numpy as np

from gpufx_plot.call.program import root
from gpufx_plot.cards import kinds_page
from gpufx_plot.chip import spreads
from gpufx_plot.chip.kinds import kinds, voters


def test_a_card_that_is_left_out_changes_no_kind():
    """Of every fourth card that results/spreads.json knows: without it the others part alike, and its own figures, with
    its number or without, put it where it is; but a number that no other card has is of a kind that the base lacks."""
    table = spreads.read(root())
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in {source.model for source in table.archives.values()}:
        cards = kinds_page.cards_of(table, model)
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
