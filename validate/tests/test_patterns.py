"""Random patterns against predictions: what counts as right, and which shares are enough."""

import json

import pytest

from gpufx_validate import patterns
from gpufx_validate.results import exit_status

FITS = {("shared", "load", 4): (0.5, 2.0), ("l1", "load", 4): (0.0, 1.0), ("l2", "load", 4): (0.0, 1.0)}


def case(memory, count, median, op="load", width=4):
    return {"name": f"pattern/{memory}/{count}", "params": {"memory": memory, "op": op, "width": width},
            "law": {"name": "law", "count": count}, "median": median}  # fmt: skip


def test_right_is_within_the_tolerance_of_the_earlier_fit():
    cases = [case("shared", 4, 8.5 * factor) for factor in (0.981, 1.0, 1.019)]
    rows, details, figures = patterns.judge(cases, FITS)
    assert [(r.what, r.agree, r.failed) for r in rows] == [("shared load: within 2 % of the law", 3, 0)]
    assert details == [] and figures[0]["patterns"] == 3 and figures[0]["farthest"] == pytest.approx(-0.019)


@pytest.mark.parametrize(
    ("memory", "wrong", "of", "failed"),
    [("shared", 1, 1000, 0), ("shared", 2, 1000, 2), ("l1", 5, 100, 0), ("l1", 6, 100, 6), ("l2", 50, 100, 0)],
)
def test_a_row_fails_where_too_few_are_right(memory, wrong, of, failed):
    a, b = FITS[memory, "load", 4]
    cases = [case(memory, 4, (a + 4 * b) * (1.2 if i < wrong else 1.0)) for i in range(of)]
    (row,), details, _ = patterns.judge(cases, FITS)
    assert (row.agree, row.failed, row.waived) == (of - wrong, failed, 0 if failed else wrong)
    assert exit_status([row]) == (1 if failed else 0)
    assert len(details) == min(wrong, patterns.WORST)


def test_what_no_fit_speaks_of_is_no_row():
    assert patterns.judge([case("shared", 4, 9.0, op="store")], FITS) == ([], [], [])


def test_fits_are_the_means_over_the_launches(tmp_path):
    group = {"memory": "shared", "op": "load", "width": 4}
    lines = [{"type": "fit", "probe": probe, "group": group, "a": a, "b": 2 * a}
             for probe, a in (("pattern", 1.0), ("pattern", 2.0), ("other", 9.0))]  # fmt: skip
    path = tmp_path / "a.jsonl"
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in [{"type": "run"}, *lines])
    path.write_text(text + '\n{"type":"fit","probe":"pattern"')
    assert patterns.fits_of(patterns.read(path, "fit")) == {("shared", "load", 4): (1.5, 3.0)}
