"""--fail-on passes on evidence alone."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from invent import run_line, sealed, write
from msgspec import structs
from other_cards import planted

from gpufx_plot.archive.load import load
from gpufx_plot.chip.definitions import Definition
from gpufx_plot.chip.quantity import Quantity
from gpufx_plot.judging import fail_on
from gpufx_plot.judging.compare import Middle, Shared, compare
from gpufx_plot.judging.conditions import parse
from gpufx_plot.judging.levels import load_others
from gpufx_plot.statistics.student import above

FIVE = [100.0, 100.1, 99.9, 100.05, 99.95]
SLOW = [value * 1.1 for value in FIVE]
WILD = [100.0, 140.0, 70.0, 120.0, 90.0]
GONE = " of null are MISSING (not measured (in the new archive)): measure the base and the new archive alike"
BLIND = "nothing that was compared can show 10 %: measure with more processes"


def cases(count, medians):
    return {f"{i}": medians for i in range(count)}


@pytest.mark.parametrize(
    ("base", "new", "condition", "status", "why"),
    [
        (cases(4, FIVE), cases(4, FIVE), "slower", 0, None),
        (cases(4, FIVE), cases(4, SLOW), "slower", 1, "4 of 4 cases are SLOWER, worst null/case:0 +10.00 %"),
        (cases(4, FIVE), cases(4, SLOW), "faster", 0, None),
        (cases(4, FIVE), cases(3, FIVE), "slower", 3, GONE.replace("are", "is", 1)),
        (cases(4, FIVE), cases(1, FIVE), "slower", 3, GONE),
        (cases(4, FIVE), cases(2, FIVE), "missing", 1, "2 of 4 cases are MISSING"),
        (cases(4, FIVE), cases(4, [150.0]), "slower", 1, "4 of 4 cases are SLOWER, worst null/case:0 +50.00 %"),
        (cases(4, FIVE), cases(4, [100.0]), "slower", 0, None),
        (cases(4, WILD), cases(4, WILD), "slower", 3, BLIND),
        (cases(4, WILD), cases(4, [100.0]), "slower", 3, BLIND),
        (cases(4, FIVE), cases(4, [0.0, 0.0]), "slower", 3, "4 cases of null are INCOMPARABLE (the median"),
        (cases(4, FIVE), cases(1, SLOW), "slower", 1, "1 of 4 cases are SLOWER, worst null/case:0 +10.00 %"),
        (cases(1, FIVE), cases(40, FIVE), "slower", 0, None),
        ({}, cases(4, FIVE), "slower", 3, "nothing that was compared can show 10 %"),
        (cases(4, FIVE), cases(3, FIVE) | {"3": WILD}, "unsure", 3, "1 of 4 cases are UNSURE, worst null/case:3 "),
    ],
)
def test_statuses(archive, cli, base, new, condition, status, why):
    old, young = archive("base.jsonl", base), archive("new.jsonl", new, run_id="bbbbbbbb")
    got, out, err = cli("compare", old, young, "--fail-on", condition)
    widths = [len(line) for line in err.partition("gpufx compare:")[0].splitlines()]
    assert (got, bool(out), max(widths, default=0) <= 80) == (status, True, True)
    err = err.replace("\n  ", " ")  # notes keep to the screen's width
    if why:
        words = {1: "is met by", 3: "can't be decided for"}[status]
        *notes, last = err.splitlines()
        assert last.startswith(f"gpufx compare: --fail-on '{condition}' {words} bbbbbbbb: ") and why in last
    else:
        notes = err.splitlines()
    assert all(note.startswith(f"note: --fail-on '{condition}': ") and " judged at 10 %" in note for note in notes)
    assert len(notes) == (condition in ("slower", "faster") and status != 1)
    assert cli("compare", old, young)[0] == 0  # without a gate it is a report


@pytest.mark.parametrize("side", ["base", "new"])
def test_an_incomplete_run_never_passes(archive, cli, side):
    ids = {"base": "a" * 8, "new": "b" * 8}
    paths = {name: archive(f"{name}.jsonl", cases(4, FIVE), run_id=run_id) for name, run_id in ids.items()}
    lines = paths[side].read_bytes().splitlines(keepends=True)
    paths[side].write_bytes(b"".join(lines[:-1]))
    status, _, err = cli("compare", *paths.values(), "--fail-on", "slower")
    assert status == 3
    assert "did not finish (cut off)" in err
    assert cli("compare", *paths.values(), "--fail-on", "slower,incomplete")[0] == 1
    content = [json.loads(line) for line in lines]
    write(paths[side], sealed(content, complete=False, reason="interrupted"))
    assert "did not finish (interrupted)" in cli("compare", *paths.values(), "--fail-on", "slower")[2]


@pytest.mark.parametrize("of", ["synthetic", "elsewhere", "here", "no card"])
def test_latest_passes_for_runs_of_this_machine_alone(archive, cli, monkeypatch, of):
    device = run_line()["device"] | ({} if of == "no card" else {"uuid": "GPU-1"})
    pair = [archive(f"{name}.jsonl", cases(4, FIVE), run_id=name * 8, device=device) for name in "ab"]
    monkeypatch.setenv("GPUFX_LATEST", str(pair[1]))
    if of == "synthetic":
        monkeypatch.setenv("GPUFX_INVENTED", "out/c.jsonl.gz")
    cards = {"cuda_devices": [{"uuid": "GPU-1"}] if of == "here" else []}
    monkeypatch.setattr("gpufx_plot.call.program.ask", lambda *_: cards)
    status, _, err = cli("compare", *pair, "--fail-on", "missing")
    why = {
        "synthetic": "the newest run is synthetic (no GPU was found): out/c.jsonl.gz; ",
        "elsewhere": "latest is no run",
    }
    assert status == (3 if of in why else 0)
    assert why.get(of, "") in err
    assert cli("compare", *pair)[0] == 0


def test_a_copy_of_a_run_is_no_evidence(archive, cli):
    one, copy = (archive(name, cases(4, FIVE), run_id="aaaaaaaa") for name in ("one.jsonl", "copy.jsonl"))
    status, _, err = cli("compare", one, copy, "--fail-on", "slower")
    assert (status, "copy.jsonl is a copy of the run aaaaaaaa" in err) == (3, True)


def test_what_is_missing_can_be_left_out_as_the_sentence_says(archive, cli):
    """The filter of `run` negates with a leading '-', that of `compare` does not."""
    gone = (FIVE, {"probe": "bank_conflict"})
    base = archive("base.jsonl", cases(4, FIVE) | {"4": gone, "5": gone})
    new = archive("new.jsonl", cases(4, FIVE), run_id="bbbbbbbb")
    status, _, said = cli("compare", base, new, "--fail-on", "slower")
    assert status == 3
    without = said.split("--filter '")[1].split("'")[0]
    assert without == "^(?!bank_conflict/)"
    assert cli("compare", base, new, "--fail-on", "slower", "--filter", without)[0] == 0


NOT_COMPARED = {
    "another method": {"method_version": 2},
    "another unit": {"metric": ("access_ns", "us", "gpu_ns")},
    "another metric": {"metric": ("other_ns", "ns", "gpu_ns")},
}


@pytest.mark.parametrize("defect", [*NOT_COMPARED, "synthetic", "absent", "half absent"])
def test_nothing_passes_on_what_was_not_compared(archive, cli, defect):
    """What asks of something else than the defect, such as `new`, may pass; a condition that names it is met."""
    run = {"provenance": "synthetic"} if defect == "synthetic" else {}
    kept = {"absent": 0, "half absent": 2}.get(defect, 4)
    new = {name: (FIVE, NOT_COMPARED.get(defect, {})) for name in cases(kept, FIVE)}
    pair = archive("base.jsonl", cases(4, FIVE)), archive("new.jsonl", new, run_id="bbbbbbbb", **run)
    named = {"absent": "missing", "half absent": "missing", "synthetic": ""}.get(defect, "incomparable")
    for word in ("slower", "slower>5%", "faster", "unsure", "unsure>10%", "incomparable", "missing"):
        for strict in ((), ("--strict",)):
            status = cli("compare", *pair, "--fail-on", word, *strict)[0]
            assert status == (1 if word == named else 0 if (word, named) == ("missing", "incomparable") else 3), word


def test_one_of_several_is_enough(archive, cli):
    base, good = archive("base.jsonl", cases(4, FIVE)), archive("good.jsonl", cases(4, FIVE), run_id="b" * 8)
    poor = archive("poor.jsonl", cases(4, WILD))
    assert cli("compare", base, good, poor, "--fail-on", "slower")[0] == 3
    assert cli("compare", base, good, good, "--fail-on", "slower")[0] == 0


def test_what_is_measured_once_is_held_against_what_archives_of_the_model_differ_by(archive):
    """One process a side shows nothing of how processes differ; three cards that agree within 0.1 % do."""

    def run(run_id, factor, card):
        costs = {f"{i}": [100.0 * factor * (1 + 0.0001 * ((7 * i + card) % 10))] for i in range(40)}
        return load(archive(f"{run_id}.jsonl", costs, run_id=run_id))

    base, others = run("aaaaaaaa", 1.0, 0), [run(f"0000000{card}", 1.0, card) for card in (2, 3, 5)]
    for factor, alone, status in ((1.0, 3, 0), (1.1, 3, 1)):
        new = run("bbbbbbbb", factor, 1)
        asked = parse("slower>5%")
        assert fail_on.answer([compare(base, new, 0.01)], asked)[0] == alone
        assert fail_on.answer([compare(base, new, 0.01, others=others)], asked)[0] == status


def test_a_chip_without_archives_is_held_against_what_sms_of_another_repeat(archive, lists):
    def run(run_id, factor, card, name, metric):
        costs = {
            f"{i}": ([100.0 * factor * (1 + 0.0001 * ((7 * i + card) % 10))], {"metric": metric}) for i in range(40)
        }
        return archive(f"{run_id}.jsonl", costs, run_id=run_id, name=name)

    for at, (metric, found) in enumerate(((("t", "cycles", "sm_cycles"), 40), (("t", "ns", "gpu_ns"), 0))):
        known = [run(f"{at}000000{card}", 1.0, card, "Known", metric) for card in (2, 3, 5)]
        base, new = (run(f"{at}0000a0{card}", factor, card, "New", metric) for factor, card in ((1.0, 0), (1.1, 1)))
        lists(*known)
        pair = load(base), load(new)
        assert compare(*pair, 0.01, others=load_others(pair[0], "process", pair[1])).counts.get("SLOWER", 0) == found
        assert compare(*pair, 0.01).counts.get("SLOWER", 0) == 0


def of_kind(probe, names, down=0.01, freedom=30.0):
    return Middle(probe, "sm_cycles", "lower", frozenset(names), 1.0, math.exp(-down), math.exp(down), freedom)


def test_a_gate_judges_the_narrowest_and_nothing_in_a_state_that_outlasts_a_run(archive):
    """Where nothing changed, one in twenty pairs ends with 3 at most."""
    found = load(archive("base.jsonl", cases(4, FIVE)))
    both = compare(found, replace(found, run=found.run | {"id": "bbbbbbbb"}), 0.01)
    limit = math.log1p(0.05)
    counts = []
    for freedom in (3.0, 30.0):
        both.shared, both.middles = [], [of_kind("null", "a", limit / 2 * i / 100, freedom) for i in range(1, 401)]
        asked = fail_on.asked_of(both, fail_on.Sheets(), 0.05)
        counts.append(len(asked.judged))
        room = np.array([(limit - one.half) / one.error(freedom) for one in asked.judged])
        assert 0.03 < above(room, np.full(len(room), freedom)).sum() <= 0.05
    assert counts[0] < counts[1]  # an interval of few degrees of freedom is missed more often by far
    assert 50 < len(asked.judged) < 400 and len(fail_on.asked_of(both, fail_on.Sheets(), 0.05, 2).judged) < len(
        asked.judged
    )
    figures = [
        Quantity(Definition(f"x.{kind}", "ns", "a time", by, kind=kind, state=state, cases="a=1", probe=probe), None)
        for kind, by, state, probe in (
            ("power", "best", "", "hot"),
            ("l2", "best", "two states", "two"),
            ("sm", "slope", "law", "law"),
        )
    ]
    of = {"x.power": frozenset({"hot/a"}), "x.l2": frozenset({"two/a", "two/b"}), "x.sm": frozenset({"law/a"})}
    both.middles = [
        of_kind("hot", {"hot/z"}),
        of_kind("two", {"two/a", "two/z"}),
        of_kind("two", {"two/y"}),
        of_kind("law", {"law/a"}),
    ]
    judged = fail_on.asked_of(both, fail_on.Sheets(figures, figures, of), 0.05).judged
    assert [(one.probe, one.what) for one in judged] == [("two", "a case of two"), ("law", "a case of law")]


def test_what_is_undecided_at_10_percent_does_not_pass_at_less(archive):
    """A kind of cases 12 % slower, whose interval is too wide to be judged at 5 %."""
    found = load(archive("base.jsonl", cases(4, FIVE)))
    both = compare(found, replace(found, run=found.run | {"id": "bbbbbbbb"}), 0.01)
    launch = Middle("null", "sm_cycles", "lower", frozenset("ab"), 1.12, 1.08, 1.16, 30.0)
    both.middles = [launch] + [of_kind("null", str(i), 0.016) for i in range(20)]
    for size in (3, 5, 10):
        status, (said,) = fail_on.answer([both], [parse(f"slower>{size}%")[0]], [fail_on.Sheets()])
        assert (status, "may have changed by 10 %: the median of 2 cases of null +12.0 %" in said) == (3, True)


@pytest.mark.parametrize(("counts", "status"), [([94.0], 0), ([94.0, 94.0], 1)])
def test_a_case_without_an_interval_that_nothing_repeats_is_not_judged(archive, counts, status):
    """A count that an algorithm finds, as 47 or as 94, in one process."""
    made, metric = [], {"metric": ("slices", "slices", "gpu_ns")}
    for name, found in (("a", [47.0]), ("b", counts)):
        one = load(archive(f"{name}.jsonl", cases(200, FIVE) | {"count": (found, metric)}, run_id=name * 8))
        one.points[-1].intervals = [None] * len(found)
        made.append(one)
    both = compare(*made, 0.01)
    assert fail_on.answer([both], parse("slower>5%"), [fail_on.Sheets()])[0] == status
    notes = [note.partition("interval, ")[2] for note in both.judged]
    assert notes == (["such as null/case:count"] if status == 0 else [])


@pytest.mark.parametrize(("half", "judged"), [(0.4, ["all SM cycles", "a case of null"]), (0.6, [])])
def test_what_all_times_share_is_judged_where_its_whole_interval_is_within_the_size(archive, half, judged):
    """And where it is not, no kind of cases of that timebase is."""
    found = load(archive("base.jsonl", cases(4, FIVE)))
    both = compare(found, replace(found, run=found.run | {"id": "bbbbbbbb"}), 0.01)
    end = half * math.log1p(0.05)
    both.shared = [Shared("sm_cycles", 4, ("null",), 1.0, math.exp(-end), math.exp(end), "SAME")]
    both.middles = [of_kind("null", {"null/a"}, 0.001)]
    assert [one.what for one in fail_on.asked_of(both, fail_on.Sheets(), 0.05).judged] == judged


def test_a_case_that_only_moved_with_all_others_is_not_called_the_same(archive):
    def run(run_id, factor):
        costs = {f"{i}": [100.0 * factor, 100.01 * factor] for i in range(40)}
        found = load(archive(f"{run_id}.jsonl", costs, run_id=run_id))
        spread = [structs.replace(p, probe=f"p{i % 8}", name=f"p{i % 8}/{i}") for i, p in enumerate(found.points)]
        return replace(found, points=spread)

    found = compare(run("aaaaaaaa", 1.0), run("bbbbbbbb", 1.03), 0.01)
    assert found.counts == {"COMMON": 40}
    assert all(row.new / row.base == pytest.approx(1.03, rel=1e-3) for row in found.rows)
    assert "without the +3.0" in found.rows[0].reason
    assert compare(run("aaaaaaaa", 1.0), run("cccccccc", 1.0), 0.01).counts == {"SAME": 40}


@pytest.mark.slow
@pytest.mark.parametrize("quick", [False, True])
def test_quick_runs_decide_nothing_of_the_host_and_its_link(h200, tmp_path, cli, quick):
    """Two runs of one process each, the second with copies to the device that take 12 % longer, or with slower DRAM."""
    probes = {"bank_conflict", "divergence", "dram_locality", "transfer"}

    def run(run_id, probe="", word=""):
        return planted(
            h200,
            tmp_path,
            lambda case: 1.12 if case["probe"] == probe and word in case["name"] else 1.0,
            run_id,
            of_run=lambda line: line.update(quick=quick, processes=1),
            without=lambda case: case["process"] != 0 or case["probe"] not in probes,
        )

    base, link, dram = (
        run("aaaaaaaa"),
        run("bbbbbbbb", "transfer", "kind:pinned/direction:h2d"),
        run("cccccccc", "dram_locality"),
    )
    status, _, said = cli("compare", base, link, "--fail-on", "slower>5%")
    assert (status, "quick runs don't decide" in said) == ((0, True) if quick else (1, False))
    named = "link.pinned.h2d_rate"
    assert (f"{named} +12.0 % " in said and ": surely worse, by more than 5 % as measured" in said) == (not quick)
    assert cli("compare", base, link, "--fail-on", f"{named}<-3%")[0] == (3 if quick else 1)
    for more in (("--strict",), ("--probe", "transfer")):  # which ask of every case, too
        assert cli("compare", base, link, "--fail-on", "slower>5%", *more)[0] == (3 if quick else 1)
    assert cli("compare", base, dram, "--fail-on", "slower>5%")[0] == 1
