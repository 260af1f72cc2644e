"""Verdicts on claims: each of them arises from planted data and goes when the data change; what decides; and what is
said where a case is missing."""

import json
from dataclasses import replace

import pytest
from invent import declared as invented
from invent import failed_line, sealed, waived_line, write

from gpufx_plot.archive.load import load
from gpufx_plot.call.program import root
from gpufx_plot.judging import claims, levels, ratios
from gpufx_plot.judging.claims import split
from gpufx_plot.judging.ratios import INSIDE, OUTSIDE, UNCLEAR
from gpufx_plot.showing import claims_text, measured

AXES = [{"name": "case", "unit": ""}, {"name": "n", "unit": "bytes"}]
NAMES = [*"bdtuvw"]
JITTER = [-2e-4, -1e-4, 0.0, 1e-4, 2e-4]


def near(value: float, spread: float = 1.0) -> list[float]:
    """Five processes about a value."""
    return [value * (1 + spread * j) for j in JITTER]


def claim(low, high, where="case=t", against="case=b", quantity="cost", given=None, **changes):
    base = {"text": "it is so", "source": "Somebody, 2020", "where": where, "against": against, "quantity": quantity}
    return base | {"low": low, "high": high, "given": given} | changes


def axes(*names):
    return [{**axis, "choices": NAMES} if axis["name"] == "case" else axis for axis in AXES if axis["name"] in names]


def declaring(*told, name="null"):
    return {name: list(told)}


def judge_all(path, declared, **options):
    archive = load(path)
    known = archive.run["probes"]
    of = {name: {**known.get(name, {}), "axes": axes("case", "n")} for name in (*known, "other")}
    return claims.judge_all(replace(archive, run=archive.run | {"probes": of}), declared, **options)


def judge(path, *told, **options):
    return judge_all(path, declaring(*told), **options)


def verdict(path, *bounds, **options):
    return judge(path, claim(*bounds, **options))[0]


@pytest.mark.parametrize(
    ("value", "low", "high", "word", "effect"),
    [
        (15.0, 10, 20, claims.HOLDS, ""),
        (10.5, 10, 20, claims.HOLDS, ""),
        (4.0, 10, 20, claims.DIRECTION, "smaller"),
        (1.005, 10, 20, claims.FAILS, ""),  # no effect to speak of
        (40.0, 10, 20, claims.DIRECTION, "larger"),
        (0.1, 10, 20, claims.FAILS, ""),  # the other way round
        (1.0, 2, None, claims.FAILS, ""),
        (1e9, 2, None, claims.HOLDS, ""),
        (0.4, 0, 0.5, claims.HOLDS, ""),
        (0.6, 0.3, 0.5, claims.DIRECTION, "smaller"),
        (0.1, 0.3, 0.5, claims.DIRECTION, "larger"),
        (1.2, 0.3, 0.5, claims.FAILS, ""),
        (1.02, 0.97, 1.03, claims.HOLDS, ""),
        (1.04, 0.97, 1.03, claims.FAILS, ""),  # "the same" has no direction
        (1.03, 0.97, 1.03, claims.UNDECIDED, ""),  # the interval lies across the bound
    ],
)
def test_a_verdict_follows_the_interval(archive, value, low, high, word, effect):
    found = verdict(archive("a.jsonl", {"t": near(7 * value), "b": near(7.0)}), low, high)
    assert (found.verdict, found.effect) == (word, effect)
    assert found.decides.low < value < found.decides.high


@pytest.mark.parametrize(("spread", "word"), [(1, claims.HOLDS), (300, claims.UNDECIDED)])
def test_processes_that_differ_decide_nothing(archive, spread, word):
    path = archive("a.jsonl", {name: near(1.0 if name == "b" else 1.9, spread) for name in NAMES})
    assert verdict(path, 1.8, 2.0).verdict == word


@pytest.mark.parametrize(
    ("last", "word"), [(0.9, claims.FAILS), (1.001, claims.UNDECIDED), (1.04, claims.UNDECIDED), (1.1, claims.FAILS)]
)
def test_states_that_are_outside_in_each_process_refute(archive, last, word):
    """max(3 x nothing, 0.3 %) of either side, surely for 1 pair in 5 processes: a process is outside from 4.1 % on."""
    path = archive("a.jsonl", {"t": [1.1, 0.9, 1.1, 0.9, last], "b": near(1.0)})
    found = verdict(path, 0.97, 1.03)
    assert (found.verdict, found.decides.in_each) == (word, word == claims.FAILS)
    assert ("outside in each process" in claims_text.as_text(page(path, found), explain=True)) == (word == claims.FAILS)


def test_a_quantity_alone_has_no_direction(archive):
    path = archive("a.jsonl", {"t": (near(2.0), {"bytes": 10})})
    assert verdict(path, 4, 6, against=None, quantity="rate").verdict == claims.HOLDS
    assert verdict(path, 6, 9, against=None, quantity="rate").verdict == claims.FAILS


def cases_by_n(ratios: dict) -> dict:
    """Cases of two axes: case=t and case=b at each n."""
    spec = {(f"{case}{n}"): (case, n, r if case == "t" else 1.0) for n, r in ratios.items() for case in "tb"}
    return {name: (near(v), {"params": {"case": case, "n": n}}) for name, (case, n, v) in spec.items()}


@pytest.mark.parametrize(
    ("ratios", "word", "inside", "outside"),
    [
        ({1: 2.0, 2: 2.0, 4: 2.0}, claims.HOLDS, None, None),
        ({1: 2.0, 2: 2.0, 4: 5.0}, claims.DEPENDS, [(1,), (2,)], [(4,)]),
        ({1: 5.0, 2: 6.0, 4: 5.0}, claims.DIRECTION, None, None),
        ({1: 5.0, 2: 1.0, 4: 5.0}, claims.FAILS, None, None),  # one of them has no effect
        ({1: 2.0, 2: 3.0, 4: 2.0}, claims.UNDECIDED, None, None),
        ({1: 9.0, 2: 3.0, 4: 9.0}, claims.DIRECTION, None, None),  # one more that may be inside changes nothing
    ],
)
def test_all_cases_decide(archive, ratios, word, inside, outside):
    path = archive("a.jsonl", cases_by_n(ratios))
    found = verdict(path, 1.5, 3)
    assert found.verdict == word
    assert sum(found.sides.values()) == 3
    if inside:
        assert (found.splits.axes, found.splits.inside, found.splits.outside) == (("n",), inside, outside)


def test_the_worst_decides_and_where_all_hold_the_closest_to_a_bound(archive):
    path = archive("a.jsonl", {"t": near(2.0), "u": near(9.0), "v": near(2.9), "b": near(1.0)})
    assert verdict(path, 1.5, 3, where="case=t,u,v").decides.case == "case:u"
    assert verdict(path, 1.5, 3, where="case=t,v").decides.case == "case:v"


def test_an_uncertain_pair_leaves_a_claim_open_and_does_not_save_a_refuted_one(archive):
    path = archive("a.jsonl", {"t": near(2.0), "u": near(3.0), "v": near(0.5), "b": near(1.0)})
    assert verdict(path, 1.5, 3, where="case=t,u").verdict == claims.UNDECIDED
    found = verdict(path, 1.5, 3, where="case=u,v")
    assert (found.verdict, found.sides) == (claims.FAILS, {INSIDE: 0, OUTSIDE: 1, UNCLEAR: 1})


def test_selections_with_partners_of_their_own(archive):
    path = archive("a.jsonl", {"t": near(2.0), "b": near(1.0), "u": near(8.0), "v": near(4.0)})
    assert verdict(path, 1.9, 2.1, where="case=t; case=u", against="case=b; case=v").verdict == claims.HOLDS
    assert verdict(path, 1.9, 2.1, where="case=t; case=u", against="case=b").verdict == claims.DEPENDS


def test_an_extra_is_a_quantity_with_an_interval(archive):
    def watts(value):
        return (near(2.0), {"extras": {"power_W": value}})

    path = archive("a.jsonl", {"t": watts(300), "b": watts(200), "u": watts(200.1)})
    found = verdict(path, 1.2, None, quantity="power_W")
    assert (found.verdict, found.decides.value) == (claims.HOLDS, pytest.approx(1.5))
    assert found.decides.low < 1.5 < found.decides.high
    assert verdict(path, 1.02, None, where="case=u", quantity="power_W").verdict == claims.FAILS


@pytest.mark.parametrize(
    ("waited", "low", "high", "against", "word"),
    [
        ([0.0, 0.0, 0.0], 0.9, None, None, claims.FAILS),
        ([0.0, 0.0, 0.0], 0, 0.1, None, claims.HOLDS),
        ([0.0, 1.0, 1.0], 0.9, None, None, claims.UNDECIDED),
        ([0.0, 0.1, 0.0], 0.9, None, None, claims.FAILS),
        ([0.0, 0.0, 0.0], 0, 0.5, "case=b", claims.HOLDS),
        ([0.0, 0.0, 0.0], 0.9, 1.1, "case=b", claims.FAILS),
    ],
)
def test_a_figure_of_0_is_measured(archive, waited, low, high, against, word):
    path = archive("a.jsonl", {name: [2.0] * 3 for name in "tb"})
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in (line for line in lines if line["type"] == "case"):
        line["extras"]["waited"] = waited[line["process"]] if line["params"] == {"case": "t"} else 0.5
    found = verdict(write(path, sealed(lines)), low, high, quantity="waited", against=against)
    assert (found.verdict, found.missing, found.decides.tested) == (word, {}, pytest.approx(sum(waited) / 3))
    assert f"waited {sum(waited) / 3:.4g}" in claims_text.as_text(page(path, found), explain=True)
    both = verdict(path, 0.4, 0.6, quantity="waited", where="case=t,b", against=None)
    assert both.verdict == (claims.UNDECIDED if max(waited) == 1 else claims.DEPENDS)  # beside a case that has one


def test_one_process_alone_decides_what_is_far_from_the_bounds_only(archive):
    path = archive("a.jsonl", {"t": [2.0], "u": [1.001], "b": [1.0]})
    assert verdict(path, 1.5, 3).verdict == claims.HOLDS
    assert verdict(path, 0.99, 1.01, where="case=u").verdict == claims.UNDECIDED


@pytest.mark.parametrize(
    ("changes", "doubt", "word"),
    [
        ({}, "", claims.FAILS),
        ({"flags": ["throttled"]}, "throttled in one process", claims.UNDECIDED),
        ({"metric": ("overhead_ns", "ns", "host_ns")}, "timed by the host in one process", claims.UNDECIDED),
    ],
)
def test_one_process_of_the_host_or_at_a_limit_refutes_nothing_nearby(archive, changes, doubt, word, monkeypatch):
    monkeypatch.setattr(ratios, "host_share", lambda run, probe: 0.75)
    path = archive("a.jsonl", {**dict.fromkeys("uvwd", near(1.0)), "t": ([1.08], changes), "b": ([1.0], changes)})
    found = verdict(path, 0.97, 1.03)
    assert (found.verdict, found.decides.doubt, found.of_host) == (word, doubt, "metric" in changes)
    assert verdict(path, 2, None).verdict == claims.DIRECTION


@pytest.mark.slow
def test_other_archives_of_the_device_teach_spreads(archive):
    path = archive("a.jsonl", {name: [1.0 if name == "b" else 1.001] for name in NAMES})
    other = load(archive("b.jsonl", {name: near(1.0) for name in NAMES}, run_id="deadbeef"))
    assert judge(path, claim(0.99, 1.01))[0].verdict == claims.UNDECIDED
    assert judge(path, claim(0.99, 1.01), others=[other])[0].verdict == claims.HOLDS
    strange = load(archive("c.jsonl", {name: near(1.0) for name in NAMES}, name="NVIDIA RTX 4090", arch="sm_89"))
    assert judge(path, claim(0.99, 1.01), others=[strange])[0].verdict == claims.UNDECIDED


def given(low, high, **changes):
    terms = {"probe": None, "where": "case=u", "against": "case=b", "quantity": "cost", "low": low, "high": high}
    return terms | {"otherwise": "u is as slow as b"} | changes


@pytest.mark.parametrize(
    ("condition", "word", "reason"),
    [
        (given(4, None), claims.HOLDS, ""),
        (given(6, None), claims.UNKNOWN, "u is as slow as b"),
        (given(5, None), claims.UNKNOWN, "no case shows whether u is as slow as b"),  # across the bound
        (given(4, None, where="case=w"), claims.UNKNOWN, "no case shows whether u is as slow as b"),
        (given(4, None, probe="elsewhere"), claims.UNKNOWN, "no case shows whether u is as slow as b"),
        (given(0, None, where=None), claims.UNKNOWN, "u is as slow as b"),
    ],
)
def test_what_is_given_comes_first(archive, condition, word, reason):
    path = archive("a.jsonl", {"t": near(2.0), "u": near(5.0), "b": near(1.0)})
    found = verdict(path, 1.5, 3, given=condition)
    assert (found.verdict, found.reason) == (word, reason)


def test_what_is_given_may_be_measured_by_another_probe(archive):
    other = {"probe": "other", "params": {"case": "u"}}
    path = archive("a.jsonl", {"t": near(2.0), "b": near(1.0), "x": (near(7.0), other)})
    declared = declaring(claim(1.5, 3, given=given(6, 8, probe="other", against=None)))
    assert judge_all(path, declared)[0].verdict == claims.HOLDS
    declared["null"][0]["given"]["high"] = 6.5
    assert judge_all(path, declared)[0].verdict == claims.UNKNOWN


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ({"t": near(1.0)}, "not among the archive's cases"),
        ({"u": near(1.0)}, "not among the archive's cases"),
        ({"t": [0.0], "b": [1.0]}, "no cost to compare"),
        (
            {"t": (near(1.0), {"metric": ("access_cycles", "cycles", "sm_cycles")}), "b": near(1.0)},
            "no cost to compare",
        ),
    ],
)
def test_what_is_not_there_is_said(archive, cases, reason):
    found = verdict(archive("a.jsonl", cases), 1, 2)
    assert (found.verdict, found.reason) == (claims.UNKNOWN, reason)


def test_what_was_waived_or_failed_is_said(tmp_path, archive):
    lines = [json.loads(line) for line in archive("a.jsonl", cases_by_n({1: 2.0})).read_text().splitlines()[:-1]]
    lines.append(waived_line(0, "null", {"case": "t", "n": 2}, "too large"))
    lines.append(failed_line(0, "null", {"case": "t", "n": 4}, "it broke"))
    path = write(tmp_path / "b.jsonl", sealed(lines))
    found = verdict(path, 1.5, 3)
    assert (found.verdict, found.missing) == (claims.HOLDS, {})  # they have no partner, so nothing was asked of them
    found = verdict(path, 1.5, 3, against="case=b n=1")
    assert found.missing == {"waived: too large": 1, "failed: it broke": 1}
    assert "not measured: 1 more: waived: too large" in claims_text.as_text(page(path, found), explain=True)


def page(path, *verdicts, teachers=()):
    return claims.Judged(load(path), list(verdicts), list(teachers))


@pytest.fixture
def carrying(archive):
    """An archive that carries claims of its own."""

    def make(*told, ratio=2.0, **changes):
        probe = invented("null") | {"axes": axes("case"), "claims": list(told)} | changes
        return archive("a.jsonl", {"t": near(ratio), "b": near(1.0)}, probes={"null": probe})

    return make


def test_the_claims_of_an_archive_are_its_own(carrying, cli, monkeypatch):
    monkeypatch.setenv("GPUFX_PROGRAM", "/bin/false")  # nobody asks it
    path = carrying(claim(1.5, 3))
    status, out, _ = cli("claims", str(path))
    assert (status, "1 claim with a source: 1 HOLDS\nClaims as recorded in the archive." in out) == (0, True)
    path = carrying(claim(3, 4))
    assert "1 claim with a source: 1 RIGHT DIRECTION" in cli("claims", str(path))[1]


def test_what_the_tree_withdrew_is_claimed_no_more(h200):
    archive = load(h200)
    told = archive.run["probes"]["bank_conflict"]["claims"]
    told.append(claim(2, 3))
    found = {one.text for one in claims.judged(archive, ["bank_conflict"]).verdicts}
    assert found == {one["text"] for one in told[:-1]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"where": "cose=t"}, 'unknown axis "cose"'),
        ({"where": "case=t; case=u; case=v", "against": "case=b; case=d"}, "its two selections do not pair up"),
        ({"low": 3.0}, "the bounds 3 to 3 are empty"),
        ({"low": -2.0, "high": -1.0}, "the bounds -2 to -1 are empty"),
    ],
)
def test_an_archived_claim_that_says_nothing_is_refused(carrying, cli, changes, words):
    path = carrying(claim(1.5, 3.0) | changes, axes=axes("case", "n"))
    status, _, err = cli("claims", str(path))
    assert (status, words in err, "a claim about null can't be read" in err) == (2, True, True)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1e300), (1e-300, 1e-299), (1e299, 1e300), (0.0, 1e-300)])
@pytest.mark.parametrize("ratio", [1e-99, 1e99])
def test_bounds_as_far_away_as_they_may_be(carrying, cli, low, high, ratio):
    status, out, err = cli("claims", str(carrying(claim(low, high), ratio=ratio)), "--full")
    assert (status, err, "1 claim with a source: 1 " in out) == (0, "", True)


def test_a_unit_is_that_of_the_claims_own_probe(archive):
    other = {"probe": "other", "params": {"case": "t"}, "metric": ("access_cycles", "cycles", "sm_cycles")}
    path = archive("a.jsonl", {"elsewhere": ([5.0], other), "t": [2.0], "b": [1.0]})
    assert verdict(path, 1.5, 3).unit == "ns"


def test_a_probe_that_the_archive_lacks_is_left_out(archive):
    path = archive("a.jsonl", {"t": [3.0]})
    assert judge_all(path, declaring(claim(1, 2), name="other")) == []


def rows(**values):
    """Params of all combinations."""
    found = [{}]
    for name, options in values.items():
        found = [row | {name: option} for row in found for option in options]
    return found


@pytest.mark.parametrize(
    ("is_inside", "names"),
    [
        (lambda row: row["x"] == "a", ("x",)),
        (lambda row: row["n"] < 4, ("n",)),
        (lambda row: row["n"] < 4 and row["x"] == "a", ("x", "n")),
        (lambda row: (row["n"] < 4) != (row["x"] == "a") != (row["y"] == "c"), ("x", "y", "n")),
    ],
)
def test_the_fewest_axes_that_part_the_cases_are_named(is_inside, names):
    every = rows(x="ab", y="cd", n=[1, 2, 4, 8], same=[7])
    found = split([row for row in every if is_inside(row)], [row for row in every if not is_inside(row)])
    assert (found.axes, found.astray) == (names, 0)


def test_a_limit_is_preferred_to_a_list():
    inside, outside = [{"m": 1, "n": 1}, {"m": 4, "n": 2}], [{"m": 2, "n": 3}, {"m": 5, "n": 4}]
    assert split(inside, outside).axes == ("n",)


def test_where_it_takes_many_axes_two_are_named_that_part_most():
    every = rows(x="ab", y="cd", z="ef", u="gh", n=[1, 2, 4, 8])
    odd = {"x": "a", "y": "c", "z": "e", "u": "g", "n": 8}
    inside = [row for row in every if row["n"] < 4 or row == odd]
    found = split(inside, [row for row in every if row not in inside])
    assert (found.axes[-1], len(found.axes), found.astray) == ("n", 2, 1)
    assert all(value[-1] < 4 for value in found.inside)


def test_cases_that_nothing_parts():
    found = split([{"x": "a"}, {"x": "b"}], [{"x": "b"}])
    assert (found.axes, found.inside, found.outside, found.astray) == (("x",), [("a",)], [("b",)], 1)
    found = split([{"x": "a"}], [{"x": "a"}])
    assert (found.axes, found.astray) == ((), 1)


def told(verdicts) -> list[tuple]:
    return [(v.probe, v.text, v.verdict) for v in verdicts]


@pytest.mark.slow
def test_a_page_and_a_part_say_what_the_whole_says(references):
    for page in measured.read(root()):
        whole = told(claims.judged(load(page.archive.path)).verdicts)
        assert told(page.verdicts) == whole
        part = told(claims.judged(load(page.archive.path), ["readonly"]).verdicts)
        assert part == [verdict for verdict in whole if verdict[0] == "readonly"]


@pytest.mark.slow
def test_reference_archives_alone_teach(h200, monkeypatch):
    """Who adds or takes away any other archive changes no verdict."""
    monkeypatch.setattr(levels, "archives", lambda *_: pytest.fail("it looked at other archives of the tree"))
    archive = load(h200)
    assert claims.judged(archive, ["readonly"]).teachers == []
    other = replace(archive, path=archive.path.with_name("another"), run=archive.run | {"id": "cccccccc"})
    taught = claims.judged(other, ["readonly"]).teachers
    assert taught == ([archive.run["id"]] if archive.processes > 1 else [])


@pytest.mark.slow
def test_json_says_which_cases_were_compared(cli, h200):
    rows = json.loads(cli("claims", h200, "--json", "--probe", "access_order")[1])["claims"]
    assert ("order=blocked", "order=interleaved") in [(row["where"], row["against"]) for row in rows]
    assert all(row["compares"] == (row["against"] is not None) for row in rows)
