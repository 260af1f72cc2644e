"""How far quantities lie from run to run and from card to card: learnt with a known truth, and from the file."""

import json
import math
from weakref import ref

import numpy as np
import pytest
from process_spreads import SHARES, text_of
from test_compare import made, point

from gpufx_plot.archive import load as archives
from gpufx_plot.call.program import root
from gpufx_plot.chip import learn_spreads
from gpufx_plot.chip.estimators import widest
from gpufx_plot.chip.inference import Inference, inferred, settled
from gpufx_plot.chip.learn_spreads import encoded, updated
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Estimate
from gpufx_plot.chip.quantity_text import places
from gpufx_plot.chip.spread_table import Row, Source, Table, read
from gpufx_plot.chip.spreads import learn, widened

DAY, CARD = 0.002, 0.03
FEWEST_PAIRS = 100  # of a kind, before a share of 97 % can be told from one of 99 %


def planted(seed: int, cards: int = 8, quantities: int = 40) -> Table:
    """Two archives of each card; of the second kind all is ten times as far apart."""
    draw = np.random.default_rng(seed)
    table = Table({}, {})
    for card in range(cards):
        for day in "ab":
            table.archives[f"{card}{day}"] = Source("GPU", str(card), 1)
    for n in range(quantities):
        kind, far = (("near", 1), ("far", 10))[n % 2]
        row = table.quantities[f"{kind}.q{n}"] = Row(kind, False, "", {})
        for card in range(cards):
            here = draw.normal(0, CARD * far)
            for day in "ab":
                value = 100 * math.exp(here + draw.normal(0, DAY * far))
                row.values[f"{card}{day}"] = (value, *[value * 0.9999, value * 1.0001] * 2)
    return table


def test_planted_spreads_are_found_by_kind():
    learnt = learn(planted(1))
    for kind, far in (("near", 1), ("far", 10)):
        reaches = [reach for name, reach in learnt.of.items() if name.startswith(kind)]
        wanted = [2.576 * math.sqrt(2) * spread * far for spread in (DAY, math.hypot(CARD, DAY))]
        assert np.median([r.day for r in reaches]) == pytest.approx(wanted[0], rel=0.3)
        assert np.median([r.cards for r in reaches]) == pytest.approx(wanted[1], rel=0.3)
        assert learnt.kinds[kind] == pytest.approx(wanted[0], rel=0.3)


def test_of_a_left_out_archive_intervals_hold_what_they_say():
    for (_, same), pairs in learn_spreads.coverage(planted(2)).items():
        alone, widened, *_ = (sum(of) / len(pairs) for of in zip(*pairs, strict=True))
        assert alone < 0.5 and widened > 0.97, same


@pytest.mark.parametrize(("other", "steps"), [((1024.0, 4096.0), 1), ((64.0, 4096.0), 0)])
def test_a_bracket_that_was_another_one_is_a_step_wider(other, steps):
    table = Table({one: Source("GPU", one[0], 1) for one in ("0a", "0b", "1a", "1b")}, {})
    row = table.quantities["launch.from"] = Row("size", False, "", {})
    for one, ends in zip(table.archives, ((64.0, 1024.0), other, (64.0, 1024.0), (None, 4096.0)), strict=True):
        row.values[one] = (None, *ends, *ends)
    reach = learn(table).of["launch.from"]
    assert reach.steps == steps
    assert widened(Estimate(None, 64.0, 1024.0, 9), 0.0, steps).high == (16384.0 if steps else 1024.0)
    assert widened(Estimate(None, 0.0, 200.0, 9), 0.0, 1).high == 400.0
    # Archives of two models are no matter.
    table.archives["0b"] = Source("another GPU", "0", 1)
    assert learn(table).of["launch.from"].steps == 0


def test_cards_that_were_never_measured_twice_speak_for_days():
    table = planted(3)
    for one in [one for one in table.archives if one.endswith("b")]:
        del table.archives[one]
    assert all(reach.day == reach.cards for reach in learn(table).of.values())


@pytest.mark.parametrize(
    ("low", "high", "day", "wanted"),
    [
        (208.0, 224.0, 0.01, (208, 224)),  # less than half a step
        (130.0, 131.0, 0.03, (130 / (131 / 130) ** 4, 131 * (131 / 130) ** 4)),
        (None, 224.0, 0.5, (None, 224)),
        (208.0, None, 0.5, (208, None)),
        (4.0, 8.0, 2.0, (0.5, 64)),
        (16.0, 48.0, 0.1, (16, 48)),
    ],
)
def test_brackets_widen_by_whole_steps(low, high, day, wanted):
    wide = widened(Estimate(None, low, high, 9), day)
    assert (wide.low, wide.high) == pytest.approx(wanted)


def test_a_value_is_as_unsure_as_both_parts():
    wide = widened(Estimate(100.0, 100 * math.exp(-0.03), 100 * math.exp(0.04), 1), 0.04)
    assert wide.low == pytest.approx(100 * math.exp(-0.05))
    assert wide.high == pytest.approx(100 * math.exp(math.hypot(0.04, 0.04)))
    below_zero = Estimate(1.0, -1.0, 3.0, 1)
    assert widened(below_zero, 0.04) == below_zero


@pytest.mark.parametrize(
    ("value", "half", "wanted"),
    [(684.2, 6.8, 1), (9.99, 0.0989, 3), (3.444, 0.001, 3), (26.0, 16.0, 0), (9212, 153, -1)],
)
def test_half_of_the_interval_has_two_digits(value, half, wanted):
    assert places(Estimate(value, value - half, value + half, 1)) == wanted


@pytest.mark.slow
def test_intervals_of_each_kind_hold_the_values_of_other_cards():
    """97 of 100, as docs/quantities.md says."""
    found = learn_spreads.coverage(read(root()))
    assert found
    for of, pairs in found.items():
        assert len(pairs) < FEWEST_PAIRS or sum(held for _, held, *_ in pairs) >= 0.97 * len(pairs), of


@pytest.mark.slow  # reads archives of the tree
def test_the_file_is_what_the_reference_archives_say(references):
    """`--check` holds it against all that it names."""
    table = read(root())
    assert encoded(updated(read(root()), references.values(), True)) == encoded(table)


@pytest.mark.slow
def test_a_card_in_another_run_is_less_sure_than_the_archive_alone(h200):
    alone = Inference(archives.load(h200))
    own = {q.id: settled(q, alone) for q in inferred(alone.archive, alone) if q.determined}
    for q in infer(alone.archive):
        if q.determined and own[q.id].low and own[q.id].high:
            assert q.estimate.low <= own[q.id].low, q.id
            assert q.estimate.high >= own[q.id].high, q.id
    gone = ref(alone)
    del alone
    assert gone() is None  # no cycle keeps the archives of a fleet in memory


def test_a_sheet_has_no_interval_that_is_wider_than_its_value(h200):
    """In no form: they all print what infer says."""
    found = infer(archives.load(h200))
    for q in found:
        e = q.estimate
        if e and not e.bracket and e.low is not None and e.value:
            assert e.high - e.low <= e.value, q.id
        if e and e.bracket and e.low and e.high:
            assert e.high <= e.low * widest(0.5), q.id
    assert any(" is all that can be said" in q.reason for q in found)


def test_how_far_processes_differ_is_told_by_probe():
    cases = [point([100.0, 100.0 * math.exp(math.sqrt(2) * i / 1000)], i) for i in range(101)]
    told = json.loads(text_of([made(*cases, run_id="abcdef01")]))
    assert told["runs"] == ["abcdef01"]
    assert told["spreads"] == {cases[0].probe: pytest.approx([share / 1000 for share in SHARES])}
