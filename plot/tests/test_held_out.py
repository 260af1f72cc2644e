"""Laws judged by cases that had no part in their fits, and rates by one launch."""

import pytest
from invent import CYCLES, NS, case_line, declared, fit_line, run_line, sealed, write

from gpufx_plot.archive import load as archives
from gpufx_plot.showing.laws import as_text
from gpufx_plot.statistics.leave_one_out import HeldOut, held_out

pytestmark = pytest.mark.slow

LINE = [(1, 3.0), (2, 5.0), (4, 9.0), (5, 11.0)]  # 1 + 2 x


def test_a_case_cannot_vouch_for_itself():
    held = held_out([*LINE, (3, 70.0), (3, 70.0)], True)
    assert (held.predicted, held.right, held.within_pct) == (6, 0, 2)
    assert held.most == pytest.approx(10)  # both of 3 by 1 + 2 x
    assert held.least < 0.9


def test_right_is_2_percent_of_an_sm_and_10_of_a_chip():
    off = [(x, y * (1.05 if x == 4 else 1)) for x, y in LINE]
    assert held_out(LINE, True) == HeldOut(4, 4, 2, pytest.approx(1), pytest.approx(1))
    assert held_out(off, True).right < 4
    assert held_out(off, False).right == 4


def test_two_counts_say_nothing_of_a_third():
    assert held_out(LINE[:3], True) is None
    assert held_out([], True) is None


def test_one_wrong_in_a_thousand_is_said():
    assert HeldOut(1000, 999, 2, 1, 1).share == "99.9 % within 2 %"
    assert HeldOut(10000, 9999, 2, 1, 1).share == "99.9 % within 2 %"
    assert HeldOut(7, 7, 10, 1, 1).share == "100 % within 10 %"
    assert HeldOut(3, 2, 10, 1, 1).share == "66 % within 10 %"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")


def one_launch(tmp_path, **changes) -> tuple[str, str]:
    """Of a case that moves a byte per ns, but 0.8 in one launch of 2^30 bytes."""
    spec = {"sweep": "s", "params": {"task": "read"}, "metric": ("item_ns", *NS), "bytes": 64}
    case = case_line("made_up", spec, 0, [64.0])
    case["derived"]["peak_pct"] = 50.0
    lengths = {"n": 2**24, "t_n": [2**30 / 0.8, None, 2**30 / 0.8]}
    head = run_line(1, provenance="measured", probes={"made_up": declared("made_up", [spec])})
    path = write(tmp_path / "rates.jsonl", sealed([head, case | {"intercept": 0.2, "lengths": lengths} | changes]))
    (point,) = archives.load(path).points
    return point.one_launch


def test_a_marginal_rate_knows_that_of_one_launch(tmp_path):
    assert one_launch(tmp_path) == ("0.8", "1 GiB")
    assert one_launch(tmp_path, lengths=None) == ("", "")


@pytest.mark.parametrize(("n", "t_n"), [(8, [-5, 5]), (8, [-1]), (0, [1]), (1e300, [1e-300]), (1e300, [1e300, 1e300])])
def test_lengths_without_a_rate_are_no_launch(tmp_path, n, t_n):
    huge = {"samples": [1e300], "median": 1e300, "ci95": None, "n": 1} if abs(n) > 1e299 or n == 0 else {}
    derived = {"useful_GBps": 1e300 if huge else 1.0, "peak_pct": 50.0}
    assert one_launch(tmp_path, lengths={"n": n, "t_n": t_n}, derived=derived, **huge) == ("", "")


@pytest.mark.parametrize("far", [1e-300, 1e300])
def test_figures_beyond_any_line_predict_nothing(far):
    assert held_out([(x, far) for x in range(1, 7)], True) is None or far < 1
    assert held_out([(x * 1e-300, 1.0) for x in range(1, 7)], True) is None
    assert held_out([(x * 1e160, far) for x in range(1, 7)], True) is None


def test_the_screen_has_the_share_held_out(tmp_path):
    specs = [
        {"sweep": "s", "params": {"width": x}, "metric": ("access_cycles", *CYCLES), "law": "rounds", "count": x}
        for x, _ in [*LINE, (8, 0)]
    ]
    values = [y for _, y in LINE] + [34.0]  # twice what the others say
    cases = [case_line("made_up", spec, 0, [value]) for spec, value in zip(specs, values, strict=True)]
    fit = fit_line(None, "made_up", {}, "rounds", "access_cycles", 1, 2, worst_case="made_up/width:8")
    head = run_line(1, provenance="measured", probes={"made_up": declared("made_up", specs)})
    text = as_text(archives.load(write(tmp_path / "x.jsonl", sealed([head, *cases, fit]))))
    assert "held out 0 % within 2 %" in text
    assert "..2.000" in text
    assert "R²" not in text
