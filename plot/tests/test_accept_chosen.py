"""What an acceptance chooses to measure suffices: the archive of a card, cut down to the cases that would have been
chosen for it, still tells every quantity that was chosen."""

import math
from dataclasses import replace

import pytest
from other_cards import SPREAD, another
from several import processes_of

from gpufx_plot.archive.load import Archive, load
from gpufx_plot.cards import accept as verb
from gpufx_plot.cards import board as board_figures
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.board import Board
from gpufx_plot.cards.card_verdict import NOT_JUDGED, verdict_on
from gpufx_plot.cards.choose_cases import Chosen, choose
from gpufx_plot.cards.judge import MARGIN
from gpufx_plot.chip.definitions import definitions

KNOWN = [d for d in definitions({"probes": {}}) if d.by != "reported"]
BUDGETS_S = (math.inf, 10.0)
PROCESSES = 3


@pytest.fixture(scope="module")
def everyone(reference, tmp_path_factory) -> list[Board]:
    """A reference archive and five other cards of its chip, the first of a program that can't tell chip.sm_ratio."""
    folder = tmp_path_factory.mktemp("cards")
    others = [another(reference, number, folder, turns=number > 1) for number in range(1, 6)]
    read, _ = boards([reference, *others])
    assert ["chip.sm_ratio" in one.missing for one in read] == [True, *[False] * 5]
    return read


def chosen(card: Board, archive: Archive, others: list[Board], budget_s: float) -> Chosen:
    listed: dict = {}
    for point in archive.points:
        listed.setdefault(point.probe, []).append((point.name, point.params))
    base = verb.laid_out(card.run["device"], others, KNOWN)
    return choose(base, *verb.offered(base, KNOWN, listed, {}), budget_s, MARGIN)


def cut_down(card: Board, archive: Archive, cases: set[str], processes: int) -> Board:
    points = [point for point in archive.points if point.name in cases]
    some = replace(archive, points=points).part(set(archive.process_ids[:processes]))
    figures, missing, known = board_figures._figures(some)
    parts = {"figures": figures, "missing": missing, "definitions": known}
    return replace(card, cases=frozenset(cases), processes=processes, **parts)


@pytest.mark.slow
def test_the_chosen_cases_tell_all_that_was_chosen(everyone):
    checked = 0
    for card in everyone[:1] + everyone[-1:]:
        archive = processes_of(load(card.path), PROCESSES, apart=SPREAD)
        others = [one for one in everyone if one.card != card.card]
        for budget_s in BUDGETS_S:
            found = chosen(card, archive, others, budget_s)
            for processes in range(1, PROCESSES + 1):
                one = cut_down(card, archive, set(found.cases), processes)
                # What the card's program could not tell from all its cases, none can.
                untold = set(found.quantities) - one.figures.keys() - card.missing.keys()
                assert not untold, (card.id, processes)
                told = {f.name: f.reason for f in verdict_on(one, others, MARGIN, {}).findings if f.word == NOT_JUDGED}
                partly = [name for name in found.quantities if told.get(name) == "not all of its cases were measured"]
                assert not partly, (card.id, processes)
                checked += len(found.quantities)
    assert checked > 100 * 2 * len(BUDGETS_S) * PROCESSES
