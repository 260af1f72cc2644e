"""A base in a dataset: what an acceptance reads there is what it reads in the archives themselves."""

from dataclasses import replace
from pathlib import Path

import pytest
from other_cards import another

from gpufx_plot import UserError
from gpufx_plot.cards.accept_text import FORMATS
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.base_row import board_of_text, text_of
from gpufx_plot.cards.card_verdict import verdict_on
from gpufx_plot.cards.ingest import pack
from gpufx_plot.cards.judge import MARGIN


def plain(one):
    """Without where it was found, and numbers that are none."""
    figures = {name: replace(f, error=f.error if f.error == f.error else -1.0) for name, f in one.figures.items()}
    return replace(one, path=Path(), packed=None, figures=figures)


@pytest.mark.slow
def test_a_dataset_gives_the_same_answer_as_its_archives(h200, tmp_path):
    paths = [h200, *(another(h200, number, tmp_path) for number in range(1, 6))]
    pack(paths, tmp_path / "d")
    read, unread = boards(paths)
    packed, wrong = boards([tmp_path / "d"])
    assert len(packed) == len(read) == len(paths) and not unread and not wrong
    assert [plain(one) for one in packed] == [plain(one) for one in read]
    card = read[-1]
    told = [FORMATS["json"](verdict_on(card, others, MARGIN)) for others in (read, packed)]
    assert told[0] == told[1] and '"verdict": "PASS"' in told[0]


def test_what_another_program_packed_is_named():
    with pytest.raises(UserError, match="packed by another version of gpufx"):
        board_of_text('{"version": 9}', Path("a.jsonl"))
    with pytest.raises(UserError, match="packed by another version of gpufx"):
        board_of_text(None, Path("a.jsonl"))


@pytest.mark.slow
def test_a_text_holds_a_board(h200):
    found, _ = boards([h200])
    some = replace(found[0], cases=frozenset({"a", "b"}), missing={"x.y": "noise"})
    assert plain(board_of_text(text_of(some), Path())) == plain(some)
