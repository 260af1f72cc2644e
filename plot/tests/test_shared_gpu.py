"""What is said of cases beside which another program was on the GPU."""

import pytest

from gpufx_plot.archive.load import load
from gpufx_plot.cards.board import board
from gpufx_plot.judging.compare import compare
from gpufx_plot.showing import screen
from gpufx_plot.showing.compare_text import notes_on
from gpufx_plot.showing.report.content import Subject

SAID = "another program was on the GPU during 1 of 2 cases"


@pytest.fixture
def both(archive):
    flagged = {"a": ([1.0, 1.1], {"flags": ["gpu_shared"]}), "b": [2.0, 2.1]}
    return archive("beside.jsonl", flagged, id="aaaaaaaa"), archive("alone.jsonl", {"a": [1.0, 1.1], "b": [2.0, 2.1]})


def test_every_reader_says_so(both):
    beside, alone = map(load, both)
    assert [note for note in notes_on(compare(beside, alone, 0.01)) if SAID in note] == [f"aaaaaaaa: {SAID}."]
    assert f"NOT ALONE: {SAID}" in screen._head(beside)
    assert not any("NOT ALONE" in line for line in screen._head(alone))
    card = board(both[0])
    assert (card.shared, card.cases_count, board(both[1]).shared) == (1, 2, 0)


def test_a_report_warns(both):
    beside, alone = (Subject(screen.Side(load(path), []), None, 0, "") for path in both)
    assert f"NOT ALONE: {SAID}" in beside.warnings and not any("NOT ALONE" in one for one in alone.warnings)
