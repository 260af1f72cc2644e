"""The judge of cards: how often healthy ones are called sick, and which sick ones are found."""

import math
from dataclasses import replace

import numpy as np
import pytest
from simulate import compete, faults

from gpufx_plot.call.program import root
from gpufx_plot.cards import judge as judging
from gpufx_plot.cards.card_groups import of_many, without
from gpufx_plot.cards.card_table import Cards
from gpufx_plot.cards.declared import declared, parts
from gpufx_plot.cards.judge import MARGIN, RATE, chance, corrected, judge, learn, limits, reach, worse
from gpufx_plot.chip.definitions import of_the_tree

COUNT = 40


def table(logs, errors, better) -> Cards:
    cards, quantities = logs.shape
    names = [f"{'abcd'[q % 4]}.q{q}" for q in range(quantities)]
    return Cards([f"c{i}" for i in range(cards)], names, better, logs, errors)


def draw(rng, cards: int, spread, tails=None, better=None) -> Cards:
    shape = (cards, len(spread))
    noise = rng.standard_t(tails, shape) / math.sqrt(tails / (tails - 2)) if tails else rng.standard_normal(shape)
    better = np.resize([1, -1, 0, 1], len(spread)) if better is None else better
    return table(noise * spread, np.tile(spread * 0.3, (cards, 1)), better)


def fails(base: Cards, new: Cards) -> np.ndarray:
    """As verdict.findings decides, without words."""
    known = learn(base)
    away = new.logs - known.centre
    p = chance(known, base.better, away, new.errors)
    near, total = known.as_far_out(away)
    alone = near < judging.KIND * total
    bad = corrected(p, *parts(base.quantities)) < RATE
    return bad & alone & (worse(base.better, away) >= MARGIN)


@pytest.mark.slow
@pytest.mark.parametrize("tails", [None, 5])
@pytest.mark.parametrize("cards", [5, 8, 14, 300])
def test_a_healthy_card_fails_less_than_once_in_a_thousand(cards, tails):
    rng = np.random.default_rng(cards)
    failed = total = 0
    for _ in range(60):
        spread = np.exp(rng.uniform(math.log(3e-5), math.log(0.1), COUNT))
        new = draw(rng, 500, spread, tails)
        failed += int(fails(draw(rng, cards, spread, tails), new).any(axis=1).sum())
        total += 500
    # Of 30,000 cards 30 may; more than 48 have a chance of one in a thousand if that is the rate.
    assert failed <= 48, f"{failed} of {total}"


def test_a_sick_card_is_found_by_eight_others():
    rng = np.random.default_rng(1)
    spread = np.full(COUNT, 0.002)
    found = 0
    for _ in range(40):
        new = draw(rng, 10, spread, better=np.ones(COUNT, dtype=int))
        new.logs[:, 3] += math.log1p(-0.05)
        seen = fails(draw(rng, 8, spread, better=np.ones(COUNT, dtype=int)), new)
        found += int(seen[:, 3].sum())
        assert not seen[:, 4:].any()
    assert found >= 0.97 * 400


def test_bad_cards_in_the_base_do_not_drag_it_along():
    rng = np.random.default_rng(2)
    spread = np.full(COUNT, 0.002)
    base = draw(rng, 14, spread)
    worst = replace(base, logs=base.logs.copy())
    worst.logs[:3] += np.array([[math.log1p(-0.1)], [math.log1p(-0.2)], [math.log1p(-0.3)]])
    clean, dirty = learn(base), learn(worst)
    assert np.all(np.abs(clean.centre - dirty.centre) < 0.003)
    assert np.median(dirty.spread / clean.spread) < 1.6
    assert np.all(dirty.count <= 11)
    plain = np.std(worst.logs, axis=0) / spread  # what a mean and a standard deviation would have made of it
    assert np.all(plain > 20)


def test_what_is_better_never_fails_and_what_is_neither_fails_on_both_sides():
    rng = np.random.default_rng(3)
    spread = np.full(COUNT, 0.001)
    base, new = draw(rng, 20, spread), draw(rng, 2, spread)
    new.logs[0] += 0.1
    new.logs[1] -= 0.1
    up, down = fails(base, new)
    assert np.array_equal(up, base.better <= 0) and np.array_equal(down, base.better >= 0)


def test_less_than_the_margin_is_no_fault_however_sure():
    spread = np.full(COUNT, 1e-5)
    base = draw(np.random.default_rng(4), 200, spread, better=np.ones(COUNT, dtype=int))
    base.logs[0, 0] -= 0.9 * MARGIN
    base.logs[1, 1] -= 1.1 * MARGIN
    sick = judge(base).sick
    assert np.argwhere(sick).tolist() == [[1, 1]]


def test_siblings_tell_of_spreads_and_not_of_the_centre():
    rng = np.random.default_rng(8)
    spread = np.full(COUNT, 0.003)
    base, other = draw(rng, 5, spread), draw(rng, 40, spread)
    other.logs[:] += 0.7
    alone, together = learn(base), learn(base, [other])
    assert np.array_equal(alone.centre, together.centre)
    assert np.std(np.log(together.spread)) < 0.6 * np.std(np.log(alone.spread))


def test_a_card_that_is_known_badly_is_judged_with_its_own_error():
    base = draw(np.random.default_rng(9), 30, np.full(COUNT, 0.001))
    known = learn(base)
    far = np.full((1, COUNT), 0.02)
    sure, unsure = (chance(known, base.better, far, np.full((1, COUNT), error)) for error in (0.0, 0.02))
    assert np.all(sure[0, base.better <= 0] < 1e-4) and np.all(unsure[0, base.better <= 0] > 0.05)


def test_tails_are_read_off_many_cards():
    rng = np.random.default_rng(10)
    normal, long = (learn(draw(rng, 20_000, np.full(4, 0.01), tails)).freedom for tails in (None, 4))
    assert np.all(normal > 25) and np.all((long > 3) & (long < 6))


def test_the_reach_is_where_the_judge_says_so():
    rng = np.random.default_rng(11)
    base = draw(rng, 60, np.full(COUNT, 0.004), better=np.ones(COUNT, dtype=int))
    known, (of, share) = learn(base), parts(base.quantities)
    far = reach(known, base.better, limits(np.ones(COUNT), of, share))
    for factor, called in ((0.98, False), (1.02, True)):
        for alone in range(COUNT):
            away = np.zeros((1, COUNT))
            away[0, alone] = -factor * far[alone]
            p = corrected(chance(known, base.better, away, known.errors[None]), of, share)
            assert (p[0, alone] < RATE) == called


def recorded(cards: int, more: int, seed: int) -> tuple[Cards, list[int]]:
    """The declared quantities beside `more` others, and which are the DRAM's; cards differ by 0.4 %."""
    mine, rng = declared(), np.random.default_rng(seed)
    names = [*(d.id for d in mine), *(f"other{i % 40}.q{i}" for i in range(more))]
    logs = 0.004 * rng.standard_normal((cards, len(names)))
    known = Cards(["c"] * cards, names, np.ones(len(names)), logs, np.full(logs.shape, 0.001))
    return known, [i for i, d in enumerate(mine) if d.kind == "dram"]


def test_what_else_is_recorded_hides_no_fault_and_more_cards_of_one_spread_resolve_more():
    def least_found(cards: int, more: int, seed: int) -> float:
        base, _ = recorded(cards, more, seed)
        ones = np.ones(len(base.quantities))
        return float(np.median(reach(learn(base), ones, limits(ones, *parts(base.quantities)))[: len(declared())]))

    few, many = (
        [np.mean([least_found(cards, more, seed) for seed in range(8)]) for cards in (5, 8, 20, 240)]
        for more in (0, 250)
    )
    assert few == sorted(few, reverse=True) and many == sorted(many, reverse=True)
    assert np.all(np.array(many) < 1.15 * np.array(few))


@pytest.mark.parametrize(("showing", "deviations", "found"), [(5, 13, True), (1, 10, False)])
def test_a_fault_of_13_deviations_is_found_where_several_quantities_show_it(showing, deviations, found):
    for seed in range(4):
        fleet, dram = recorded(20, 250, seed)
        fleet.logs[7, dram[:showing]] = -deviations * 0.004
        assert np.argwhere(judge(fleet).sick).tolist() == [[7, q] for q in dram[:showing] if found]


# ---- Groups ----


def racks(seed: int, spread: float, shift: float = 0.0) -> Cards:
    cards = draw(np.random.default_rng(seed), 400, np.full(COUNT, spread), better=np.ones(COUNT, dtype=int))
    cards.groups["rack"] = np.array([f"r{i // 10}" for i in range(400)])
    cards.logs[70:80, 5] += math.log1p(-shift)
    return cards


def test_a_fault_of_a_rack_is_the_racks():
    cards = racks(12, 0.004, 0.05)
    before = judge(cards)
    found = of_many(cards, before)
    assert [(one.names, one.quantity) for one in found] == [(("rack = r7",), 5)]
    assert before.sick[70:80, 5].all()
    assert not judge(replace(cards, logs=without(cards.logs, found))).sick.any()


def test_no_rack_is_found_where_none_is_off():
    assert not any(of_many(cards, judge(cards)) for cards in (racks(seed, 0.02) for seed in range(5)))


# ---- Simulated fleets ----


@pytest.mark.slow
def test_planted_faults_are_found_and_others_are_not():
    scores = compete(fleets=1, cards=5000)
    ours, fixed, deviations = scores["gpufx"], scores["threshold of 5 %"], scores["3.5 median absolute deviations"]
    everything = ("chip", "dram", "link", "host")
    assert all(ours.recall(everything, size) >= 0.99 for size in (0.05, 0.1, 0.3))
    assert ours.recall(everything, 0.02) >= 0.9
    assert ours.precision >= 0.92  # 4 % of about 50 called sick are healthy on average, more than 8 % by chance rarely
    assert ours.false_rate < 1 / 1000
    assert fixed.recall(everything, 0.02) < 0.1
    assert deviations.precision < 0.5


# ---- Data ----


def test_faults_move_quantities_that_there_are_one_of_them_with_a_hint():
    known = {d.id: d.accept for effect in of_the_tree(root()).values() for d in effect}
    assert len({fault.id for fault in faults()}) == len(faults()) == 10
    assert all(fault.moves.keys() <= known.keys() and any(map(known.get, fault.moves)) for fault in faults())
