"""Verdicts: each from data that must give it, and the false alarms and misses of the whole in simulation."""

import csv
import io
import json
import random

import numpy as np
import pytest
from invent import failed_line, sealed, write
from scipy import stats

from gpufx_plot import archive as archives
from gpufx_plot.compare import compare, judge, processes_needed, welch
from gpufx_plot.model import Point

BASE = [100.0, 100.1, 99.9, 100.05, 99.95]


def point(medians, **changes) -> Point:
    known = {"metric": "access_ns", "unit": "ns", "better": "lower", "method_version": 1} | changes
    start = Point("p", "p/x", "s", {"x": 1}, *known.values(), None, None, False, {}, 0, 0)
    start.medians, start.intervals = list(medians), [None] * len(medians)
    return start


def scaled(factor, spread=1.0):
    return [100 * factor * (1 + (v / 100 - 1) * spread) for v in BASE]


@pytest.mark.parametrize(
    ("new", "verdict", "words"),
    [
        (scaled(1.002), "SAME", "inside ±1 %"),
        (scaled(1.05), "SLOWER", "+5.00 %, at the least +4.8"),
        (scaled(0.95), "FASTER", "-5.00 %, at the least -4.8"),
        (scaled(1.0101), "SMALL", "a real change of +1.01 %"),
        (scaled(1.002, 30), "UNDECIDED", "processes per side would decide"),
        ([100.0], "UNDECIDED", "no interval: 5 against 1 processes"),
        ([100.0, -1.0], "INCOMPARABLE", "zero or less"),
        ([100.0, 1e-300], "INCOMPARABLE", "out of all proportion"),
        ([1e-90, 1.0], "UNDECIDED", "processes per side would decide"),
    ],
)
def test_verdicts(new, verdict, words):
    row = judge(point(BASE), point(new), 0.01)
    assert row.verdict == verdict
    assert words in row.reason


def test_better_turns_the_verdict_round():
    bases = [point(BASE, better=better) for better in ("lower", "higher")]
    news = [point(scaled(1.05), better=better) for better in ("lower", "higher")]
    assert [judge(b, n, 0.01).verdict for b, n in zip(bases, news, strict=True)] == ["SLOWER", "FASTER"]


def test_another_method_or_metric_is_not_compared():
    row = judge(point(BASE), point(BASE, method_version=2), 0.01)
    assert (row.verdict, row.reason) == ("INCOMPARABLE", "the method changed: version 1 against 2")
    assert row.ratio is None
    assert judge(point(BASE), point(BASE, metric="copy_ns"), 0.01).verdict == "INCOMPARABLE"


def test_exact_repetition_is_decided_too():
    assert judge(point([2.0, 2.0]), point([2.0, 2.0]), 0.0).verdict == "SAME"
    assert judge(point([2.0, 2.0]), point([4.0, 4.0]), 0.01).verdict == "SLOWER"


def test_flags_are_told_beside_a_difference():
    new = point(scaled(1.05))
    new.flags = {"throttled", "imprecise"}
    assert judge(point(BASE), new, 0.01).reason.endswith("(flagged: throttled)")


def test_welch_is_scipys():
    rng = np.random.default_rng(3)
    for sizes in ((2, 2), (5, 5), (3, 9)):
        base, new = (rng.normal(1, 0.1, n).tolist() for n in sizes)
        interval = stats.ttest_ind(new, base, equal_var=False).confidence_interval(0.95)
        difference, half = welch(base, new)
        assert (difference - half, difference + half) == pytest.approx(tuple(interval))


def _simulated(count, change, margin, seed, spread=0.003, processes=5):
    rng = random.Random(seed)
    verdicts = []
    for _ in range(count):
        sides = [[100 * f * (1 + rng.gauss(0, spread)) for _ in range(processes)] for f in (1, change)]
        verdicts.append(judge(point(sides[0]), point(sides[1]), margin).verdict)
    return {v: verdicts.count(v) / count for v in set(verdicts)}


def test_equal_pairs_cry_wolf_in_five_percent_without_a_margin_and_never_with_one():
    share = _simulated(4000, 1.0, 0.0, 11)
    assert share.get("FASTER", 0) + share.get("SLOWER", 0) < 0.06
    assert share.get("FASTER", 0) + share.get("SLOWER", 0) > 0.03  # a test that never cries tests nothing
    share = _simulated(4000, 1.0, 0.01, 12)
    assert share.get("FASTER", 0) + share.get("SLOWER", 0) < 0.0005
    assert share["SAME"] > 0.95


def test_a_change_of_two_percent_is_found():
    share = _simulated(2000, 1.02, 0.01, 13)
    assert share.get("SLOWER", 0) > 0.9
    assert share.get("SAME", 0) == share.get("UNDECIDED", 0) == 0


@pytest.mark.parametrize("change", [1.0, 1.004, 1.03])
def test_the_processes_asked_for_do_decide(change):
    difference = np.log(change)
    needed = processes_needed(0.01, difference, np.log1p(0.01))
    share = _simulated(600, change, 0.01, 14, spread=0.01, processes=needed)
    assert share.get("UNDECIDED", 0) < 0.15
    fewer = _simulated(600, change, 0.01, 15, spread=0.01, processes=max(2, needed // 3))
    assert fewer.get("UNDECIDED", 0) > 0.15


def test_no_number_of_processes_decides_what_has_no_size():
    assert processes_needed(0.01, 0.0, 0.0) is None
    assert processes_needed(5.0, 0.0, 0.01) is None


def pair(archive):
    cases = {"same": BASE, "slow": BASE, "fast": BASE, "wild": BASE, "gone": BASE, "old": BASE}
    old = archive("base.jsonl", cases, run_id="aaaaaaaa")
    young = {"same": scaled(1.001), "slow": scaled(1.04), "fast": scaled(0.9), "wild": scaled(1.003, 30)}
    young |= {"fresh": BASE, "old": (BASE, {"method_version": 2})}
    driver = {"version": "590.10", "cuda_driver": 13000, "cuda_runtime": 13000}
    new = archive("new.jsonl", young, run_id="bbbbbbbb", driver=driver, started_utc="2026-11-21T09:00:00Z")
    return old, new


def test_missing_and_new_rows_and_differing_facts(archive):
    result = compare(*map(archives.load, pair(archive)), 0.01)
    expected = {"SLOWER": 1, "FASTER": 1, "UNDECIDED": 1, "MISSING": 1, "NEW": 1, "INCOMPARABLE": 1, "SAME": 1}
    assert result.counts == expected
    assert result.facts == [("driver.version", "580.65.06", "590.10")]


def test_a_missing_case_says_why_where_it_is_known(archive):
    old = archive("base.jsonl", {"x": BASE})
    new = archive("new.jsonl", {"y": BASE})
    head, *lines = [json.loads(line) for line in new.read_text().splitlines()]
    write(new, sealed([head, failed_line(0, "null", {"case": "x"}, "out of memory"), *lines]))
    rows = {row.verdict: row.reason for row in compare(archives.load(old), archives.load(new), 0.01).rows}
    assert rows["MISSING"] == "failed: out of memory (in the new archive)"
    assert rows["NEW"] == "not measured (in the base)"


@pytest.mark.parametrize("kind", ["text", "markdown", "json", "csv"])
def test_formats(archive, cli, golden, monkeypatch, tmp_path, kind):
    pair(archive)
    monkeypatch.chdir(tmp_path)
    status, out, err = cli("compare", "base.jsonl", "new.jsonl", "base.jsonl", "--format", kind)
    assert (status, err) == (0, "")
    golden(f"compare.{kind}", out)


def test_json_and_csv_are_well_formed(archive, cli):
    old, new = pair(archive)
    result = json.loads(cli("compare", old, new, "--format", "json")[1])
    assert result["margin_pct"] == 1
    rows = list(csv.DictReader(io.StringIO(cli("compare", old, new, "--format", "csv")[1])))
    assert [row["verdict"] for row in rows] == [row["verdict"] for row in result["comparisons"][0]["rows"]]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--fail-on", "slower"], 1),
        (["--fail-on", "faster"], 1),
        (["--fail-on", "changed"], 1),
        (["--fail-on", "undecided"], 3),
        (["--fail-on", "undecided,slower"], 1),
        (["--fail-on", "slower", "--margin", "10"], 0),
        (["--fail-on", "small"], 3),  # half of the base's cases have no verdict
        (["--fail-on", "slower", "--filter", "same|fast"], 0),
        (["--fail-on", "changed", "--filter", "case:same"], 0),
        (["--filter", "("], 2),
        (["--filter", "nothing"], 2),
        (["--probe", "nosuch"], 2),
    ],
)
def test_exit_statuses(archive, cli, options, status):
    got, out, err = cli("compare", *pair(archive), *options)
    assert got == status
    assert bool(err) == (status in (2, 3))
    assert bool(out) == (status != 2)


def test_only_changed_hides_what_is_the_same_but_counts_it(archive, cli):
    _, out, _ = cli("compare", *pair(archive), "--only-changed")
    assert "case:same" not in out
    assert "case:wild" not in out
    assert "case:slow" in out
    assert "1 SAME" in out


def test_one_process_per_side_gives_ratios_and_says_what_verdicts_need(archive, cli):
    old, new = archive("a.jsonl", {"x": [100.0], "y": [50.0]}), archive("b.jsonl", {"x": [102.0], "y": [50.0]})
    for words in (cli("compare", old, new)[1], cli("summary", new, "--against", old)[1]):
        assert "Verdicts need at least two processes per side (gpufx run --processes 5)" in words
        assert "+0.00 % .. +2.00 %" in words
    assert "Verdicts need" not in cli("compare", *pair(archive))[1]
