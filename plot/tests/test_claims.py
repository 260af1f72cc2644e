"""Verdicts on claims: bounds, directions, what decides, and what is said where a case is missing."""

import json
import math

import pytest

from gpufx_plot import UserError, claims
from gpufx_plot.archive import load


def told(low, high, *names, against="b", quantity="cost"):
    """A claim about the cases NAMES, each against the case `against`."""
    pairs = [{"tested": {"case": n}, "base": {"case": against} if against else None} for n in names]
    text = {"text": "it is so", "source": "lecture", "where": "-", "against": against, "quantity": quantity}
    return [{"name": "null", "method_version": 1, "claims": [text | {"low": low, "high": high, "pairs": pairs}]}]


def verdict(path, *claim, **options):
    return claims.judge_all(load(path), told(*claim, **options))[0]


@pytest.mark.parametrize(
    ("value", "low", "high", "word"),
    [
        (15.0, 10, 20, claims.HOLDS),
        (10.0, 10, 20, claims.HOLDS),
        (4.0, 10, 20, claims.IN_PART),  # over half of log 10
        (3.0, 10, 20, claims.FAILS),
        (399.0, 10, 20, claims.IN_PART),
        (401.0, 10, 20, claims.FAILS),
        (0.1, 10, 20, claims.FAILS),  # the other way round
        (1.0, 2, None, claims.FAILS),
        (1e9, 2, None, claims.HOLDS),
        (0.4, 0, 0.5, claims.HOLDS),
        (0.6, 0, 0.5, claims.FAILS),  # "less than half" claims no size
        (0.6, 0.3, 0.5, claims.IN_PART),
        (0.8, 0.3, 0.5, claims.FAILS),
        (0.1, 0.3, 0.5, claims.IN_PART),
        (0.08, 0.3, 0.5, claims.FAILS),
        (1.02, 1.03, None, claims.FAILS),  # a margin for noise is no size
        (0.999, 0, 0.5, claims.FAILS),
        (1.02, 0.97, 1.03, claims.HOLDS),
        (1.04, 0.97, 1.03, claims.FAILS),  # no size was claimed, so there is no part
        (0.96, 0.97, 1.03, claims.FAILS),
    ],
)
def test_bounds(archive, value, low, high, word):
    path = archive("a.jsonl", {"t": [value * 7], "b": [7.0]})
    assert verdict(path, low, high, "t").verdict == word


def test_some_cases_make_a_part_and_the_worst_decides(archive):
    path = archive("a.jsonl", {"t": [2.0], "u": [9.0], "b": [1.0]})
    found = verdict(path, 1.5, 3, "t", "u")
    assert (found.verdict, found.within, found.pairs) == (claims.IN_PART, 1, 2)
    assert (found.smallest, found.largest) == (pytest.approx(2), pytest.approx(9))
    assert found.decides.case == "case:u"


def test_where_all_hold_the_closest_to_a_bound_decides(archive):
    path = archive("a.jsonl", {"t": [2.0], "u": [2.9], "b": [1.0]})
    assert verdict(path, 1.5, 3, "t", "u").decides.case == "case:u"


def test_processes_give_an_interval_that_holds_the_ratio(archive):
    path = archive("a.jsonl", {"t": [1.98, 2.0, 2.02], "b": [1.0, 1.01, 0.99]})
    ratio = verdict(path, 1.5, 3, "t").decides
    assert ratio.low < 2 < ratio.high
    assert math.isclose(ratio.value, 2, rel_tol=0.01)


def test_a_value_alone(archive):
    path = archive("a.jsonl", {"t": ([2.0], {"bytes": 10})})
    assert verdict(path, 4, 6, "t", against=None, quantity="rate").verdict == claims.HOLDS
    assert verdict(path, 6, 9, "t", against=None, quantity="rate").verdict == claims.FAILS


def test_an_extra_is_a_quantity(archive):
    path = archive("a.jsonl", {"t": ([2.0], {"extras": {"power_W": 300}}), "b": ([2.0], {"extras": {"power_W": 200}})})
    found = verdict(path, 1.2, None, "t", quantity="power_W")
    assert (found.verdict, found.decides.value) == (claims.HOLDS, pytest.approx(1.5))


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ({"t": [1.0]}, "not among the archive's cases"),
        ({"t": [0.0], "b": [1.0]}, "no cost to compare"),
        ({"t": ([1.0], {"metric": ("access_cycles", "cycles", "sm_cycles")}), "b": [1.0]}, "no cost to compare"),
    ],
)
def test_what_is_not_there_is_said(archive, cases, reason):
    found = verdict(archive("a.jsonl", cases), 1, 2, "t")
    assert (found.verdict, found.reason) == (claims.UNKNOWN, reason)


def test_every_format_has_verdict_numbers_and_count(archive):
    path = archive("a.jsonl", {"t": [3.0], "b": [2.0]})
    found = load(path), claims.judge_all(load(path), told(1.4, 1.6, "t"))
    for name in ("text", "markdown"):
        text = claims.FORMATS[name](*found)
        for words in ("HOLDS", "it is so (lecture)", "1.5 times, claimed 1.4 to 1.6", "1 claims: 1 HOLDS"):
            assert words in text, name
    entry = json.loads(claims.FORMATS["json"](*found))["claims"][0]
    assert (entry["verdict"], entry["decides"]["value"]) == ("HOLDS", pytest.approx(1.5))


def test_what_was_measured_of_it_is_said(archive):
    path = archive("a.jsonl", {"t": [2.0], "b": [1.0]})
    found = load(path), claims.judge_all(load(path), told(1.5, 3, "t", "u"))
    assert (found[1][0].pairs, found[1][0].asked) == (1, 2)
    assert "only 1 of 2 measured: not among the archive's cases" in claims.as_text(*found)


def test_another_method_is_not_judged(archive):
    path = archive("a.jsonl", {"t": ([2.0], {"method_version": 9}), "b": ([1.0], {"method_version": 9})})
    found = verdict(path, 1.5, 3, "t")
    assert (found.verdict, found.reason) == (claims.UNKNOWN, "the method changed: version 9 against 1")


@pytest.mark.parametrize(
    ("quantity", "unit", "metric"),
    [
        ("cost", "ns", ("access_ns", "ns", "gpu_ns")),
        ("rate", "GB/s", ("access_ns", "ns", "gpu_ns")),
        ("rate", "B/cycle", ("access_cycles", "cycles", "sm_cycles")),
    ],
)
def test_numbers_carry_their_unit(archive, quantity, unit, metric):
    path = archive(
        "a.jsonl", {"t": ([2.0], {"bytes": 10, "metric": metric}), "b": ([1.0], {"bytes": 10, "metric": metric})}
    )
    assert f" {unit} against " in claims.as_text(load(path), [verdict(path, 0.4, 3, "t", quantity=quantity)])


def test_a_unit_is_that_of_the_claims_own_probe(archive):
    other = {"probe": "other", "params": {"case": "t"}, "metric": ("access_cycles", "cycles", "sm_cycles")}
    path = archive("a.jsonl", {"elsewhere": ([5.0], other), "t": [2.0], "b": [1.0]})
    assert verdict(path, 1.5, 3, "t").unit == "ns"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo nonsense", "printed no JSON"),
        ("echo '[]'", "told no claims"),
        ("echo '[{}]'", "told no claims"),
        ("printf '\\377'", "printed no JSON"),
        ("echo why >&2; exit 3", "failed: why"),
        ("kill -9 $$", "failed: -9"),
    ],
)
def test_a_program_that_does_not_tell(tmp_path, monkeypatch, script, words):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("GPUFX_PROGRAM", str(program))
    with pytest.raises(UserError, match=words):
        claims.listed()


def test_no_claim_at_all_is_said(archive):
    path = archive("a.jsonl", {"t": [2.0]})
    assert "no claim speaks of a case of this archive" in claims.as_text(load(path), [])


def test_a_probe_that_the_archive_lacks_is_left_out(archive):
    path = archive("a.jsonl", {"t": [3.0]})
    assert claims.judge_all(load(path), [told(1, 2, "t")[0] | {"name": "other"}]) == []
