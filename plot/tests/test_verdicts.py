"""Spreads and verdicts of whole comparisons: planted variances, states and changes, and the published arithmetic. These
are simulations; no figure here was measured."""

import math
import re

import numpy as np
import pytest

from gpufx_plot.call.program import root
from gpufx_plot.statistics.rules import UNKNOWN_FACTOR
from gpufx_plot.statistics.spread import LEAST, UNKNOWN_SPREAD, Side, State, alike, middle, spreads, states
from gpufx_plot.statistics.together import COMMON_SPREAD, commons, without
from gpufx_plot.statistics.verdicts import discoveries, found_by_probe, weigh, weigh_all

CASES = 1000
MARGIN = 0.01
ONE = np.zeros(CASES, dtype=int)


def side(rng, spread, units, inside=None, shift=0.0) -> Side:
    """Cases whose units differ by `spread` (one number, or one per case), and whose samples say `inside`."""
    spread = np.broadcast_to(np.asarray(spread, dtype=float), (CASES,))[:, None]
    inside = spread if inside is None else np.broadcast_to(np.asarray(inside, dtype=float), (CASES,))[:, None]
    logs = spread * rng.standard_normal((CASES, units)) + np.broadcast_to(shift, (CASES,))[:, None]
    return Side(logs, np.broadcast_to(inside, (CASES, units)))


# ---- Spreads ----


def test_the_middle_of_a_row_leaves_out_what_is_not_known():
    rows = np.array([[3.0, np.nan, 1.0], [2.0, 9.0, 4.0], [np.nan] * 3])
    assert middle(rows)[:2].tolist() == [2, 4]
    assert math.isnan(middle(rows)[2])


def test_the_worth_of_the_expectation_is_smyths():
    """Variances drawn from a scaled inverse chi square with 6 degrees of freedom."""
    rng = np.random.default_rng(2)
    true = 1e-4 * 6 / rng.chisquare(6, CASES)
    found = spreads(ONE, [side(rng, np.sqrt(true), 5, inside=0.01)])
    assert found.freedom[0] - 4 == pytest.approx(6, rel=0.35)
    alone = np.log(side(rng, np.sqrt(true), 5).squares / 4)
    assert np.std(np.log(found.variance) - np.log(true)) < 0.75 * np.std(alone - np.log(true))


def test_what_happens_inside_foretells_what_happens_between():
    rng = np.random.default_rng(3)
    inside = 10 ** rng.uniform(-4, -1, CASES)
    found = spreads(ONE, [side(rng, 3 * inside, 2, inside=inside)])
    ratio = np.sqrt(found.variance) / (3 * inside)
    assert np.quantile(ratio, [0.05, 0.95]) == pytest.approx([1, 1], abs=0.35)


def test_a_probe_is_judged_by_its_own_cases():
    rng = np.random.default_rng(4)
    kind = np.arange(CASES) % 2
    found = spreads(kind, [side(rng, np.where(kind, 0.03, 0.001), 3, inside=0.001)])
    for name, spread in ((0, 0.001), (1, 0.03)):
        assert np.sqrt(found.variance[kind == name].mean()) == pytest.approx(spread, rel=0.1)


def test_changes_from_side_to_side_are_no_spread():
    rng = np.random.default_rng(5)
    found = spreads(ONE, [side(rng, 0.001, 3), side(rng, 0.001, 3, shift=0.5)])
    assert np.sqrt(found.variance.mean()) == pytest.approx(0.001, rel=0.1)


def test_nothing_known_is_said_to_be_wide():
    lone = Side(np.zeros((CASES, 1)), np.full((CASES, 1), np.nan))
    found = spreads(ONE, [lone, lone])
    assert np.sqrt(found.variance).min() >= UNKNOWN_SPREAD
    assert found.freedom.max() <= 1
    exact = Side(np.zeros((CASES, 5)), np.zeros((CASES, 5)))
    assert np.sqrt(spreads(ONE, [exact]).variance) == pytest.approx(LEAST, rel=0.5)


# ---- States ----


@pytest.mark.slow
def test_the_chance_of_states_is_the_integral_that_it_says():
    from scipy.integrate import quad

    state = State(np.ones(1), np.full(1, 0.1))
    for base, new, more in ((1, 1, 0), (5, 1, 0), (5, 5, 0), (2, 3, 0), (2, 1, 5), (5, 5, 10)):

        def both(p, a=base, b=new, h=more):
            split = p**a * (1 - p) ** b + p**b * (1 - p) ** a
            return split * (p**h + (1 - p) ** h if h else 1)

        found = state.chance(np.zeros(1), np.array([base]), np.array([new]), np.array([more]))
        assert found[0] == pytest.approx(quad(both, 0, 1)[0])
    assert state.chance(np.array([0.1]), 1, 1, 0)[0] == pytest.approx(1 / 3 / 4)


def test_a_history_of_one_state_counts_unless_anything_shows_two():
    inside = np.full((4, 5), 0.0002)
    logs = 0.0002 * np.random.default_rng(7).standard_normal((4, 5))
    jumped = np.zeros((4, 5))
    jumped[0, 1] = 0.1
    calm, jumpy = Side(logs, inside), Side(logs + jumped, inside)
    assert alike([], [calm, calm], MARGIN).tolist() == [0, 0, 0, 0]
    assert alike([calm, calm], [calm, calm], MARGIN).tolist() == [10, 10, 10, 10]
    assert alike([calm, jumpy], [calm, calm], MARGIN).tolist() == [0, 10, 10, 10]
    assert alike([calm], [jumpy, calm], MARGIN).tolist() == [0, 5, 5, 5]


def test_states_are_found_and_noise_is_none():
    rng = np.random.default_rng(6)
    calm, other = (side(rng, 0.003, 5) for _ in range(2))
    assert states(ONE, [calm, other], MARGIN).share[0] < 0.01
    jumped = rng.random((CASES, 5)) < rng.random((CASES, 1))
    jumped[CASES // 5 :] = False  # one case in five has states
    jumpy = Side(calm.logs + 0.08 * jumped, calm.inside)
    found = states(ONE, [jumpy, other], MARGIN)
    assert found.share[0] * 2 == pytest.approx(0.2, rel=0.35)  # `other` has none
    assert found.size[0] == pytest.approx(0.08, rel=0.1)


def test_a_host_that_has_states_says_nothing_of_kernels():
    rng = np.random.default_rng(6)
    calm, other = (side(rng, 0.003, 5) for _ in range(2))
    kernels, few = np.arange(CASES) >= CASES // 2, np.arange(CASES) >= CASES - 4
    jumps = ~kernels[:, None] & (rng.random((CASES, 5)) < rng.random((CASES, 1)))
    sides = [Side(calm.logs + 0.1 * jumps, calm.inside), other]
    probe = np.where(few, 2, kernels.astype(int))  # a probe of four kernels, which leans on the others
    together = states(probe, sides, MARGIN).share[-1]
    apart = states(probe, sides, MARGIN, kernels.astype(int)).share[-1]
    assert apart < together / 5


# ---- What all times share ----


def test_a_process_of_few_cases_says_nothing_of_what_all_share():
    rng = np.random.default_rng(8)
    base, new = side(rng, 0.001, 3), side(rng, 0.001, 3, shift=0.06)
    probe, timebase, sign = np.arange(CASES) % 10, np.zeros(CASES, dtype=int), np.ones(CASES)
    whole = commons(probe, timebase, sign, (base, new), (), MARGIN, 0.01)[0]
    assert whole.factor == pytest.approx(0.06, abs=0.001)
    for of in (base, new):
        of.logs[400:, 2] = np.nan  # the third process measured two cases of five, and these are half as fast
        of.logs[:400, 2] += 0.7
    sides = tuple(Side(of.logs, np.where(np.isfinite(of.logs), of.inside, np.nan)) for of in (base, new))
    part = commons(probe, timebase, sign, sides, (), MARGIN, 0.01)[0]
    assert part.factor == pytest.approx(0.06, abs=0.002)
    assert [np.isfinite(column).tolist() for column in part.columns] == [[True, True, False]] * 2
    left = without([part], timebase, sign, sides, ())[1]
    assert np.isfinite(left.mean).all()


def test_what_all_cases_of_a_process_share_says_nothing_of_any_case():
    """A drift of each process is taken out whole, so that with it a comparison has no chance more to call a case: it is
    enough to know how often equal sides do without."""
    rng = np.random.default_rng(16)
    probe, kind, timebase = np.arange(CASES) % 20, np.arange(CASES) % 200, np.arange(CASES) % 2
    sign = np.where(np.arange(CASES) % 3, 1, -1)
    sides = [side(rng, 10 ** rng.normal(-2.5, 0.5, CASES), units) for units in (2, 2, 3, 3)]

    def judged(drift: float):
        moved = [Side(one.logs + sign[:, None] * drift * rng.standard_normal(one.logs.shape[1]), one.inside)
                 for one in sides]  # fmt: skip
        return weigh_all(probe, kind, timebase, sign, *moved[:2], MARGIN, moved[2:])

    still, drifting = judged(0.0), judged(0.01)
    for name in ("difference", "half", "p"):
        for of in ("cases", "kinds"):
            seen = [getattr(getattr(found, of), name) for found in (still, drifting)]
            assert seen[0] == pytest.approx(seen[1], abs=1e-12)
    assert [one.factor for one in still.common] != pytest.approx([one.factor for one in drifting.common], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("units", [1, 3])
def test_a_common_drift_of_one_percent_is_called_a_change_in_one_of_a_thousand(units):
    """The rest of what a drift can do: be called a change of all times. Its part of the false discoveries is 0.1 %,
    where all times are longer by the margin, too."""
    rng, called, tries = np.random.default_rng(17), 0, 3000
    probe, timebase, sign = np.arange(10), np.zeros(10, dtype=int), np.ones(10)
    for _ in range(tries):
        drifts = [COMMON_SPREAD * rng.standard_normal((1, n)) for n in (units, units, 3, 3)]
        drifts[1] += math.log1p(MARGIN)
        base, new, *others = (Side(one + np.zeros((10, 1)), np.full((10, one.shape[1]), 1e-4)) for one in drifts)
        called += commons(probe, timebase, sign, (base, new), others, math.log1p(MARGIN), 0.001)[0].beyond
    assert called <= 8  # of 3 that are expected at the most, Poisson's 99 %


@pytest.mark.slow
def test_discoveries_are_those_of_benjamini_and_hochberg():
    from scipy import stats  # a second to load

    rng = np.random.default_rng(7)
    p = np.concatenate([rng.random(500), rng.random(50) * 1e-4])
    assert (discoveries(p, 0.05) == (stats.false_discovery_control(p) <= 0.05)).all()
    assert not discoveries(np.array([0.02, 0.5, 0.9]), 0.05).any()
    assert len(discoveries(np.array([]))) == 0


def test_what_changed_in_one_probe_makes_no_chance_of_another_a_change():
    probe = np.repeat([0, 1], [1000, 4000])
    p = np.concatenate([np.zeros(1000), (np.arange(4000) + 0.5) / 4000])
    assert discoveries(p, 0.01)[probe == 1].sum() > 5
    found = found_by_probe(probe, p, 0.01)
    assert found[probe == 0].all() and not found[probe == 1].any()
    assert (found_by_probe(np.zeros(5000), p, 0.01) == discoveries(p, 0.01)).all()


def test_what_one_process_measured_scatters_as_its_samples_do():
    rng = np.random.default_rng(3)
    alike = [Side(1e-3 * rng.standard_normal((40, 3)), np.full((40, 3), 0.03))]
    once, twice = ([Side(np.zeros((40, n)), np.full((40, n), 0.03)) for _ in range(2)] for n in (1, 2))
    halves = [weigh(np.zeros(40), *of, MARGIN, alike, of_processes=True).half for of in (once, twice)]
    assert np.all(halves[0] > 1.9 * 0.03 * math.sqrt(2)) and np.all(halves[1] < 0.01)
    assert np.all(weigh(np.zeros(40), *once, MARGIN, alike).half < 0.01)  # a column of cards is a mean already


@pytest.mark.slow
def test_the_interval_is_students_where_cases_are_alone():
    """Three cases are too few to learn from: then what is left is t with hardly more than the data."""
    from scipy import stats

    rng = np.random.default_rng(8)
    logs = 0.02 * rng.standard_normal((3, 10))
    both = Side(logs[:, :5], np.full((3, 5), 0.02)), Side(logs[:, 5:], np.full((3, 5), 0.02))
    found = weigh(np.zeros(3), *both, MARGIN)
    for i in range(3):
        interval = stats.ttest_ind(logs[i, 5:], logs[i, :5]).confidence_interval(0.95)
        assert found.difference[i] == pytest.approx((interval.low + interval.high) / 2)
        assert found.half[i] == pytest.approx((interval.high - interval.low) / 2, rel=0.5)


@pytest.mark.parametrize(("units", "less"), [((5, 5), 0.02), ((5, 1), 0.02), ((1, 5), 0.02), ((2, 2), 0.02)])
def test_intervals_hold_the_truth(units, less):
    rng = np.random.default_rng(9)
    spread = 10 ** rng.normal(-2.5, 0.5, CASES)
    held = []
    for _ in range(4):
        found = weigh(ONE, *(side(rng, spread, n) for n in units), MARGIN)
        held.append(np.abs(found.difference) <= found.half)
    assert np.mean(held) == pytest.approx(0.95, abs=less)


@pytest.mark.parametrize("units", [(5, 5), (3, 3), (5, 1), (2, 2), (1, 1)])
def test_no_change_is_no_discovery_however_many_cases(units):
    rng = np.random.default_rng(10)
    alarms = 0
    for _ in range(40):
        spread = 10 ** rng.normal(-2.5, 0.7, CASES)
        alarms += weigh(ONE, *(side(rng, spread, n) for n in units), MARGIN).beyond.any()
    assert alarms <= 1


def test_states_are_no_discovery():
    """Every fifth case has two states, 10 % apart, with hardly a spread in either; 2,000 comparisons of 3 and 3 would
    find 2 x 200 x 0.014 of them apart by chance."""
    rng = np.random.default_rng(11)
    alarms = beyond = 0
    for _ in range(60):
        jumped = rng.random((CASES, 6)) < np.where(np.arange(CASES) % 5, 0, rng.random(CASES))[:, None]
        logs = 0.1 * jumped + 0.0002 * rng.standard_normal((CASES, 6))
        inside = np.full((CASES, 3), 0.0002)
        found = weigh(ONE, Side(logs[:, :3], inside), Side(logs[:, 3:], inside), MARGIN)
        alarms += found.beyond.any()
        beyond += (np.abs(found.difference) - found.half > math.log1p(MARGIN)).sum()
    assert beyond > 60  # taken one by one, they would be called changes
    assert alarms <= 2


def test_a_true_change_is_found_and_little_beside_it():
    rng = np.random.default_rng(12)
    changed = np.arange(CASES) % 10 == 0
    spread = 10 ** rng.normal(-3, 0.3, CASES)
    found = weigh(ONE, side(rng, spread, 5), side(rng, spread, 5, shift=np.where(changed, 0.02, 0)), MARGIN)
    assert found.beyond[changed].mean() > 0.95
    assert found.beyond[~changed].sum() <= 2


def test_one_process_that_is_half_as_fast_is_found():
    rng = np.random.default_rng(13)
    changed = np.arange(CASES) % 10 == 0
    spread = 10 ** rng.normal(-3, 0.3, CASES)
    for base, new in ((5, 1), (1, 5), (1, 1)):
        shift = np.where(changed, math.log(1.5), 0)
        found = weigh(ONE, side(rng, spread, base), side(rng, spread, new, shift=shift), MARGIN)
        assert found.beyond[changed].all() == (base + new > 2)
        assert not found.beyond[~changed].any()
        assert (np.abs(found.difference) - found.half > 0)[changed].mean() > (0.95 if base + new > 2 else 0)


def test_what_never_had_states_is_believed_sooner():
    """A tenth of the cases has states. Two processes against one can't tell them from a change, but for the history."""
    rng = np.random.default_rng(15)
    case = np.arange(CASES)
    with_states = case % 10 == 0
    often = np.where(with_states, rng.random(CASES), 0)[:, None]

    def taken(units, shift=0.0):
        logs = 0.2 * (rng.random((CASES, units)) < often) + 0.0005 * rng.standard_normal((CASES, units))
        return Side(logs + np.reshape(shift, (-1, 1)), np.full((CASES, units), 0.0005))

    changed = case % 10 == 5
    base, new = taken(2), taken(1, np.where(changed, math.log(1.5), 0.0))
    assert not weigh(ONE, base, new, MARGIN).beyond.any()
    found = weigh(ONE, base, new, MARGIN, [taken(5), taken(5)]).beyond
    assert found[changed].mean() > 0.95
    assert not found[~changed].any()


def test_other_archives_tell_of_spreads_alone():
    rng = np.random.default_rng(14)
    lone = [side(rng, 0.001, 1), side(rng, 0.001, 1)]
    history = side(rng, 0.001, 5, shift=3.0)
    bare, helped = weigh(ONE, *lone, MARGIN), weigh(ONE, *lone, MARGIN, [history])
    assert (bare.difference == helped.difference).all()
    assert np.median(helped.half) < np.median(bare.half) / 3


def test_the_program_takes_the_same_spread_for_unknown():
    """run/plan.c decides by it which cases are measured once more."""
    text = (root() / "harness/run/plan.c").read_text(encoding="utf-8")
    for name, value in (("UNKNOWN_FACTOR", UNKNOWN_FACTOR), ("LEAST_SPREAD", LEAST)):
        assert float(re.search(rf"{name} = ([^;]+);", text)[1]) == value
