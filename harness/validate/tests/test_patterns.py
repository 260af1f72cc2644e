"""Random patterns: what gpufx says of them becomes rows. What is right and whether an aim is met is gpufx's to say: the
arithmetic is tested in tests/unit/test_judge.c and tests/cli/fits.t, the whole way in tests/cli/validate.t."""

import pytest

from gpufx_validate import patterns
from gpufx_validate.results import exit_status


def aim(right, off, verdict, share=99.9, unpredicted=0, not_claimed=0):
    farthest = [
        {"name": f"p/seed:{i}", "measured": 1.5, "predicted": 1.0, "off_pct": 50.0 - i} for i in range(min(off, 5))
    ]
    return {"probe": "p", "where": "memory=l2 op=load", "tolerance_pct": 5.0, "share_pct": share, "right": right,
            "off": off, "unpredicted": unpredicted, "not_claimed": not_claimed, "verdict": verdict,
            "farthest": farthest}  # fmt: skip


def told(*aims, same="device", failed=None):
    return {"archive": "/results/a.jsonl.gz", "same": same, "failed": failed or {}, "aims": list(aims)}


@pytest.mark.parametrize(
    ("one", "verdict", "status"),
    [
        (aim(1440, 0, "agrees"), "agrees", 0),
        (aim(1439, 1, "agrees"), "agrees", 0),
        (aim(740, 700, "OFF"), "OFF", 1),
        (aim(740, 700, "no aim", None), "no aim", 77),  # 700 wrong predictions are no agreement, and no waiver
        (aim(0, 0, "waived", unpredicted=9), "waived", 77),
        (aim(0, 1, "OFF", unpredicted=9, not_claimed=9), "OFF", 1),  # what is claimed and wrong is off
    ],
)
def test_a_wrong_prediction_is_off_and_never_waived(one, verdict, status):
    report = patterns.report(told(one), "seed=1:2")
    (row,) = report.rows
    assert (row.agree, row.off, row.waived, row.failed) == (one["right"], one["off"], one["unpredicted"], 0)
    assert row.verdict == verdict and exit_status(report.rows) == status
    assert len(report.details) == 1 + min(one["off"], 5)


def test_no_aim_beside_an_aim_that_is_met_fails_nothing():
    assert exit_status(patterns.report(told(aim(9, 0, "agrees"), aim(1, 8, "no aim", None)), "seed=1:2").rows) == 0


def test_runs_that_failed_fail():
    report = patterns.report(told(aim(9, 0, "agrees"), failed={"wrong_result": 2}), "seed=1:2")
    assert [row.failed for row in report.rows] == [0, 2] and exit_status(report.rows) == 1


def test_the_fits_of_another_device_are_no_prediction():
    (row,) = patterns.report(told(aim(9, 0, "agrees"), same="architecture"), "seed=1:2").rows
    assert row.verdict == "waived" and "this device" in row.reason


def test_why_nothing_is_predicted_is_said():
    report = patterns.report(told(aim(3, 1, "OFF", 95, 5, 3), aim(0, 0, "waived", 95, 2, 2), aim(9, 0, "agrees")), "x")
    assert [row.reason for row in report.rows] == [
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
