"""Random patterns: judged accuracy goals become rows. plot/tests/test_fit_checks.py tests the arithmetic,
tests/cli/validate.t the whole way."""

import pytest
from gpufx_plot.judging.fit_checks import Aim, Far

from gpufx_validate import patterns
from gpufx_validate.results import exit_status


def aim(right, off, share=99.9, not_claimed=0, no_fit=0):
    found = Aim("p", "memory=l2 op=load", 5.0, share, right, off, not_claimed, no_fit)
    found.predictions = [Far(f"p/seed:{i}", 1.5 - i / 1000, 1.0) for i in range(min(off, 5))]
    return found


def report(*aims, failed=None):
    return patterns.report(list(aims), failed or {}, "a.jsonl.gz", "seed=1:2")


@pytest.mark.parametrize(
    ("one", "verdict", "status"),
    [
        (aim(1440, 0), "agrees", 0),
        (aim(999, 1), "agrees", 0),
        (aim(998, 2), "OFF", 1),
        (aim(740, 700), "OFF", 1),
        (aim(740, 700, None), "no goal", 77),  # 700 wrong predictions are no agreement, and no waiver
        (aim(0, 0, no_fit=9), "waived", 77),
        (aim(0, 1, not_claimed=9), "OFF", 1),  # what is claimed and wrong is off
    ],
)
def test_a_wrong_prediction_is_off_and_never_waived(one, verdict, status):
    found = report(one)
    (row,) = found.rows
    assert (row.agree, row.off, row.waived, row.failed) == (one.right, one.off, one.unpredicted, 0)
    assert row.verdict == verdict and exit_status(found.rows) == status
    assert len(found.details) == 1 + min(one.off, 5)


def test_runs_that_failed_fail_and_no_goal_beside_one_that_is_met_does_not():
    assert exit_status(report(aim(9, 0), aim(1, 8, None)).rows) == 0
    found = report(aim(9, 0), failed={"wrong_result": 2})
    assert [row.failed for row in found.rows] == [0, 2] and exit_status(found.rows) == 1


def test_why_nothing_is_predicted_is_said():
    found = report(aim(3, 1, 95, not_claimed=3, no_fit=2), aim(0, 0, 95, not_claimed=2), aim(9, 0))
    assert [row.reason for row in found.rows] == [
        "75.00 % right, the aim is 95 %; waived: 3 where the law is not claimed, 2 that no fit predicts",
        "waived: 2 where the law is not claimed",
        None,
    ]


def test_what_is_drawn_stays_on_its_axis():
    probe = {"axes": [{"name": "mode"}, {"name": "draw", "min": 3, "max": 20}], "drawn_by": "mode=a,b draw"}
    for _ in range(200):
        seeds, narrowed = patterns.draw(probe, quick=False)
        first, last = map(int, seeds.removeprefix("draw=").split(":"))
        assert first >= 3 and last <= 20 and last - first + 1 == patterns.SEEDS
        assert narrowed == "mode=a,b"
