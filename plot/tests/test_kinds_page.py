"""The table of kinds in docs/fleet.md: from results/spreads.json."""

import json
from pathlib import Path

import numpy as np

from gpufx_plot.call.program import root
from gpufx_plot.cards import kinds_page
from gpufx_plot.chip import spreads
from gpufx_plot.chip.kinds import kinds, voters


def tree(top: Path, step: float, numbers=()) -> Path:
    """Four cards of one kind and four of another in three quantities; a fifth quantity is the host's."""
    rng = np.random.default_rng(1)
    archives = {f"{i:08x}": {"model": "The GPU", "card": f"c{i}", "processes": 2} for i in range(8)}
    archives["00000007"]["board"] = "900-B"
    for i, number in enumerate(numbers):
        archives[f"{i:08x}"]["board"] = number

    def row(kind: str, by: float) -> dict:
        values = {one: [100 * (1 + 0.001 * rng.standard_normal() + by * (i > 3)), None, None, None, None]
                  for i, one in enumerate(archives)}  # fmt: skip
        return {"kind": kind, "state": False, "definition": "x", "values": values}

    rows = {f"dram.q{i}": row("dram", step) for i in range(3)} | {
        "sm.q": row("sm", 0),
        "link.pinned.h2d_rate": row("host", step),
    }
    (top / "results").mkdir(parents=True)
    (top / spreads.SPREADS).write_text(json.dumps({"archives": archives, "quantities": rows}))
    return top


def test_the_kinds_of_a_model_and_what_they_differ_in(tmp_path):
    head, _, *rows = kinds_page.part(tree(tmp_path, 0.05)).splitlines()
    assert (
        head
        == "| The GPU | number not archived (4 cards, 0 by number) | 900-B (4 cards, 1 by number) | second over first |"
    )
    assert sorted(row.split(" | ")[0] for row in rows) == [f"| dram.q{i}" for i in range(3)]
    assert all(4 < float(row.split(" | ")[3].split()[0]) < 6 for row in rows)


def test_a_model_of_one_kind_has_no_table(tmp_path):
    assert kinds_page.part(tree(tmp_path, 0)) == "No model in the tree has two."


def test_a_card_that_is_left_out_changes_no_kind():
    """Of every card that results/spreads.json knows: without it the others part alike, and its own figures, with
    its number or without, put it where it is; but a number that no other card has is of a kind that the base lacks."""
    table = spreads.read(root())
    numbers = {source.card: source.board for source in table.archives.values() if source.board}
    for model in {source.model for source in table.archives.values()}:
        cards = kinds_page.cards_of(table, model)
        told, votes = [numbers.get(card, "") for card in cards.cards], voters(cards.quantities)
        whole = kinds(cards.logs, told, votes)
        for out in range(len(cards.cards)):
            rest = [i for i in range(len(cards.cards)) if i != out]
            found = kinds(cards.logs[rest], [told[i] for i in rest], votes)
            if whole is None or min(np.bincount(whole.upper[rest], minlength=2)) < 3:
                continue
            assert (found.upper == whole.upper[rest]).all()
            assert found.side("", cards.logs[out]) == whole.upper[out]
            alone = told[out] and told[out] not in found.numbers and found.known(whole.upper[out])
            assert found.side(told[out], cards.logs[out]) == (None if alone else whole.upper[out])
