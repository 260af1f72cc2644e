"""An archive as the text that is kept of it (base_row.py)."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpufx_plot import UserError
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.base_row import board_of_text, text_of


def plain(one):
    """Without where it was found, and numbers that are none."""
    figures = {name: replace(f, error=f.error if f.error == f.error else -1.0) for name, f in one.figures.items()}
    return replace(one, path=Path(), figures=figures)


def test_what_another_program_kept_is_named():
    with pytest.raises(UserError, match="kept by another version of gpufx"):
        board_of_text('{"version": 9}', Path("a.jsonl"))
    with pytest.raises(UserError, match="kept by another version of gpufx"):
        board_of_text(None, Path("a.jsonl"))


@pytest.mark.slow
def test_a_text_holds_a_board(h200):
    found, _ = boards([h200])
    some = replace(found[0], cases=frozenset({"a", "b"}), missing={"x.y": "noise"})
    assert plain(board_of_text(text_of(some), Path())) == plain(some)
