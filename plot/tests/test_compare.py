"""Verdicts: the words that each case gets, what can't be compared, levels, and the exit status of a gate."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from invent import declared, failed_line, run_line, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive import load as archives
from gpufx_plot.archive.cases import Limits, Point
from gpufx_plot.archive.lines import End
from gpufx_plot.archive.load import Archive, load
from gpufx_plot.call.program import Entry
from gpufx_plot.judging import fail_on as gate
from gpufx_plot.judging import levels
from gpufx_plot.judging.compare import VERDICTS, Shared, compare, processes_needed
from gpufx_plot.judging.conditions import Condition, OfQuantity, parse
from gpufx_plot.judging.levels import load_others
from gpufx_plot.showing.compare_text import level_text, shared_text

BASE = [100.0, 100.1, 99.9, 100.05, 99.95]
CASES = 400


def point(medians, case=0, **changes) -> Point:
    known = {"metric": "access_ns", "unit": "ns", "better": "lower", "method_version": 1} | changes
    probe = known.pop("probe", "null")
    start = Point(probe, f"{probe}/x:{case}", "s", {"x": case}, *known.values(), None, None, False, {}, 0, 0)
    start.medians, start.intervals = list(medians), [None] * len(medians)
    start.processes = list(range(len(medians)))
    return start


def made(*points, uuid="GPU-1", run_id="aaaaaaaa", harness=None, **run) -> Archive:
    """An archive in memory, whose run came to its end."""
    head = run_line(5, provenance="measured", run_id=run_id, **run)
    head["device"] |= {"uuid": uuid}
    if harness:
        head["program"] |= {"harness_hash": harness}
    end = End(complete=True, reason=None, cases=0, waived=0, failed=0, elapsed_s=1.0, crc32="00000000")
    return Archive("x.jsonl", head, list(points), end=end)


def judged(base, new, margin=0.01, **changes):
    """The row of one case that stands alone."""
    rows = compare(made(point(base)), made(point(new, **changes), run_id="bbbbbbbb"), margin).rows
    assert len(rows) == 1
    return rows[0]


def drawn(rng, spread, processes, shift=0.0, run_id="aaaaaaaa", uuid="GPU-1") -> Archive:
    """CASES cases; spread and shift are numbers, or one per case."""
    logs = np.asarray(spread)[..., None] * rng.standard_normal((CASES, processes)) + np.asarray(shift)[..., None]
    values = (100 * np.exp(logs)).tolist()
    return made(*(point(medians, i) for i, medians in enumerate(values)), run_id=run_id, uuid=uuid)


def scaled(factor, spread=1.0):
    return [100 * factor * (1 + (v / 100 - 1) * spread) for v in BASE]


@pytest.mark.parametrize(
    ("new", "verdict", "words"),
    [
        (scaled(1.002), "SAME", "inside ±1 %"),
        (scaled(1.05), "SLOWER", "5.0 % slower, 95 % CI 4.8..5.2 %"),
        (scaled(0.95), "FASTER", "5.0 % faster, 95 % CI 4.8..5.2 %"),
        (scaled(1.0101), "UNSURE", "not certain to exceed the margin"),
        (scaled(1.002, 30), "UNSURE", "per side would decide"),
        ([100.1], "SAME", "inside ±1 %"),
        ([150.0], "SLOWER", "50.0 % slower, 95 % CI 49."),
        ([100.0, -1.0], "INCOMPARABLE", "zero or less"),
        ([100.0, 1e-300], "INCOMPARABLE", "implausible"),
        ([1e-90, 1.0], "UNSURE", "per side would decide"),
    ],
)
def test_verdicts(new, verdict, words):
    row = judged(BASE, new)
    assert (row.verdict, row.base_processes, row.new_processes) == (verdict, 5, len(new))
    assert words in row.reason


def test_better_turns_the_verdict_round():
    found = []
    for better in ("lower", "higher"):
        base = made(point(BASE, better=better))
        found.append(compare(base, made(point(scaled(1.05), better=better)), 0.01).rows[0].verdict)
    assert found == ["SLOWER", "FASTER"]


def test_another_method_or_metric_is_not_compared():
    row = judged(BASE, BASE, method_version=2)
    assert (row.verdict, row.reason) == ("INCOMPARABLE", "the method changed: version 1 against 2")
    assert row.ratio is None
    assert judged(BASE, BASE, metric="copy_ns").verdict == "INCOMPARABLE"


def with_hash(value):
    return {"probes": {"null": declared("null") | {"source_hash": value}}}


@pytest.mark.slow
def test_an_edit_of_a_probes_sources_is_a_note_as_is_another_harness():
    base = made(point(BASE), **with_hash("0" * 16))
    assert compare(base, made(point(BASE), **with_hash("0" * 16)), 0.01).rows[0].verdict == "SAME"
    result = compare(base, made(point(BASE), **with_hash("1" * 16)), 0.01)
    assert result.rows[0].verdict == "SAME"
    assert result.notes[0].startswith("The sources of null were edited between the two archives, but")
    assert compare(base, made(point(BASE), **with_hash("1" * 16)), 0.01, {"other"}).notes == []
    assert not compare(base, made(point(BASE), **with_hash(None)), 0.01).notes
    result = compare(base, made(point(BASE), harness="2" * 16, **with_hash("0" * 16)), 0.01)
    assert result.rows[0].verdict == "SAME"
    assert result.notes[0].startswith("The harness changed (fedcba9876543210 against 2222222222222222)")


def test_other_machine_code_and_another_launch_are_not_compared():
    def ran(*codes):
        cases = [point(BASE, i) for i in range(len(codes))]
        for case, code in zip(cases, codes, strict=True):
            case.code = frozenset(code)
        return made(*cases)

    old, launch, code = ((h * 16, 32, b, 1024, 0) for h, b in (("a", 1), ("a", 2), ("b", 1)))
    rows = compare(ran([old], [old], [old], []), ran([old], [launch], [code], [old]), 0.01).rows
    assert [row.verdict for row in rows] == ["SAME", "INCOMPARABLE", "INCOMPARABLE", "SAME"]
    assert [row.reason[:21] for row in rows[1:3]] == ["the launch differs: b", "the machine code diff"]


def test_flags_are_told_beside_a_difference():
    new = point(scaled(1.05))
    new.flags = frozenset({"throttled", "imprecise"})
    new.limits = Limits(frozenset({"sw_power_cap", "hw_slowdown"}), 0)
    row = compare(made(point(BASE)), made(new), 0.01).rows[0]
    assert row.flags == ("throttled",)
    assert row.reason.endswith("(flagged: throttled (hw_slowdown, sw_power_cap; effect on the clock unknown))")


@pytest.mark.slow
@pytest.mark.parametrize("change", [1.0, 1.004, 1.03])
def test_the_processes_asked_for_do_decide(change):
    assert processes_needed(0.01, 0.0, 0.0) is processes_needed(5.0, 0.0, 0.01) is None  # what has no size
    needed = processes_needed(0.01, math.log(change), math.log1p(0.01))
    rng = np.random.default_rng(14)
    for processes, most in ((needed, 0.15), (max(2, needed // 3), 1.0)):
        sides = [drawn(rng, 0.01, processes, shift) for shift in (0.0, math.log(change))]
        rows = compare(*sides, 0.01).rows
        # What the interval leaves open; what it leaves to chance among many cases is another question.
        open_still = np.mean([row.low <= 1 <= row.high and not 0.99 < row.low < row.high < 1.01 for row in rows])
        assert open_still < most
        assert open_still > (0.15 if most == 1 else -1)


# ---- One process ----


@pytest.mark.slow
def test_one_sm_against_several_is_held_against_what_sms_differ_by():
    def verdict(value, over_sms, both=False):
        base, new = point([value] * 5), point([100.0, 100.1, 99.9, 100.0, 100.0])
        new.over_sms, base.over_sms = over_sms, over_sms if both else None
        return compare(made(base), made(new, run_id="bbbbbbbb"), 0.01).rows[0]

    row = verdict(104.0, (97.0, 105.0))  # an SM as slow as that is there
    assert row.verdict == "UNSURE" and "SMs" in row.reason
    assert verdict(104.0, (99.9, 100.1)).verdict == "FASTER"
    assert verdict(120.0, (97.0, 105.0)).verdict == "FASTER"
    assert verdict(104.0, (97.0, 105.0), both=True).verdict == "FASTER"  # the same SMs, or as many: no excuse
    assert verdict(100.1, (97.0, 105.0)).verdict == "SAME"


@pytest.mark.slow
@pytest.mark.parametrize("level", ["process", "board"])
def test_a_case_has_one_verdict_whichever_others_are_shown(level):
    rng = np.random.default_rng(8)

    def card(name, processes, probes=("null", "other")):
        points = []
        for probe, spread in zip(probes, (0.001, 0.003), strict=False):
            values = 100 * np.exp(spread * rng.standard_normal((CASES, processes)))
            points += [point(medians, i, probe=probe) for i, medians in enumerate(values.tolist())]
        return made(*points, run_id=name * 8, uuid=f"GPU-{name if level == 'board' else 'a'}")

    base, new, teachers = card("a", 1), card("b", 1), [card("c", 5, ("null",)), card("d", 3)][: 1 + (level == "board")]
    whole = compare(base, new, 0.01, others=teachers).rows
    said = {row.case: row for row in whole if row.probe == "other"}
    for probes, pattern in (({"other"}, ""), (None, "^other/"), ({"other"}, "x:[0-3]$")):
        rows = compare(base, new, 0.01, probes, pattern, others=teachers).rows
        assert rows == [said[row.case] for row in rows]
        assert len(rows) == (4 if "$" in pattern else CASES)


# ---- Levels ----


def cards(rng, count, board=0.02, spread=0.001):
    """Archives of as many cards, whose cases differ by `board` from card to card."""
    return [
        drawn(rng, spread, 3, board * rng.standard_normal(CASES), run_id=f"{i:08d}", uuid=f"GPU-{i}")
        for i in range(count)
    ]


@pytest.mark.slow
def test_two_cards_of_a_model_are_held_against_what_its_cards_differ_by():
    rng = np.random.default_rng(4)
    base, *others, new = cards(rng, 6)
    two = compare(base, new, 0.01).counts
    assert two["FASTER"] + two["SLOWER"] > CASES / 2
    result = compare(base, new, 0.01, others=others)
    assert not set(result.counts) & {"FASTER", "SLOWER"}
    held = [row.low <= 1 <= row.high for row in result.rows]
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)
    assert (result.level, result.cards, len(result.behind)) == ("board", 4, 4)
    assert "as usual between cards of the model" in next(r for r in result.rows if r.verdict == "UNSURE").reason
    assert level_text(result).startswith("two cards of one model; judged by the variation between 4 other cards (0")
    slow = drawn(rng, 0.001, 3, math.log(1.5), run_id="ffffffff", uuid="GPU-9")
    assert compare(base, slow, 0.01, others=others).counts["SLOWER"] > 0.9 * CASES


def test_what_one_card_of_a_model_differs_by_is_no_difference_of_two_models():
    rng = np.random.default_rng(8)
    shift = np.where(np.arange(CASES) < CASES / 2, math.log(1.05), math.log(1.3))
    base, new, other = (drawn(rng, 0.0005, 3, by, f"{i:08d}", f"GPU-{i}") for i, by in enumerate((0.0, shift, 0.0)))
    other.run["device"]["slug"] = new.run["device"]["slug"] = "another"
    assert compare(base, new, 0.01).counts == {"SLOWER": CASES}
    result = compare(base, new, 0.01, others=[other])
    assert result.counts == {"UNSURE": CASES}
    assert all("what archives of one model differ by" in row.reason for row in result.rows)
    other = drawn(rng, 0.0005, 3, shift - np.minimum(shift, math.log(1.02)), "00000009", "GPU-9")  # of the base's
    result = compare(base, new, 0.01, others=[other])
    assert result.counts == {"SLOWER": CASES}


@pytest.mark.slow
def test_the_level_follows_from_what_is_compared():
    rng = np.random.default_rng(6)
    base, *others = cards(rng, 4)
    again = drawn(rng, 0.001, 3, run_id="aaaaaaab", uuid="GPU-0")
    result = compare(base, again, 0.01, others=others)
    assert (result.level, level_text(result)[:9]) == ("process", "one card;")
    few = compare(base, others[0], 0.01, others=others[1:2])
    assert (few.level, few.cards) == ("process", 0)
    assert level_text(few).startswith("two cards of one model; judged by the variation between processes")
    model = drawn(rng, 0.001, 3, run_id="ffffffff", uuid="GPU-9")
    model.run["device"]["slug"] = "another"
    assert level_text(compare(base, model, 0.01, others=others)).startswith(
        "different GPU models, beyond what archives of one model differ by;"
    )


def of_kind(rng, number: int, kind: int, part_number: str = "", slow: float = 0.0) -> Archive:
    """A card of one of two kinds, which differ by 10 % in all cases of two probes. Each of three probes has a quantity;
    slow: by how much the cases of the third one cost more."""
    points = []
    for probe in ("one", "two", "three"):
        shift = slow if probe == "three" else 0.1 * kind
        logs = 0.002 * rng.standard_normal((CASES // 4, 1)) + 0.0003 * rng.standard_normal((CASES // 4, 2)) + shift
        points += [point(row, i, probe=probe) for i, row in enumerate((100 * np.exp(logs)).tolist())]
    found = made(*points, run_id=f"{number:08x}", uuid=f"GPU-{number}")
    found.run["device"]["board_part_number"] = part_number
    found.run["probes"] = {
        probe: {"quantities": [{"id": f"{probe}.time", "unit": "ns", "meaning": "a time", "by": "best"}]}
        for probe in ("one", "two", "three")
    }
    return found


@pytest.mark.parametrize("numbered", [False, True])
def test_cards_are_held_against_their_own_kind(numbered):
    rng, names = np.random.default_rng(8), ("900-A", "900-B") if numbered else ("", "")
    base, *others = (of_kind(rng, i, i % 2, names[i % 2]) for i in range(9))
    same, faulty, other = (of_kind(rng, 16 + i, i == 2, names[i == 2], 0.05 * (i == 1)) for i in range(3))
    result = compare(base, same, 0.01, others=others)
    called = "900-A" if numbered else "two.time near 9"
    assert result.kinds[0] == result.kinds[1] and result.kinds[0].startswith(called)
    assert (result.level, result.cards) == ("board", 8)
    assert level_text(result).startswith(f"two cards of one model, both of kind ({called}")
    assert "other cards, separately by kind (0" in level_text(result)
    assert not set(result.counts) & {"FASTER", "SLOWER"} and result.counts["SAME"] > CASES / 2
    # What is slow on one card is found, since cards of a kind agree; and what kinds differ by is a difference.
    for new, probes in ((faulty, {"three"}), (other, {"one", "two"})):
        found = compare(base, new, 0.01, others=others)
        slower = [row.probe for row in found.rows if row.verdict == "SLOWER"]
        assert set(slower) == probes and len(slower) > 0.9 * len(probes) * CASES / 4
        assert (found.kinds[0] == found.kinds[1]) == (new is faulty)
    assert "but of two kinds (" in level_text(compare(base, other, 0.01, others=others))


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        (0.99, 1.05, ": as usual between processes; removed from each case"),
        (1.015, 1.025, ": less sure than the 99.9 % that a verdict takes; removed from each case"),
    ],
)
def test_what_all_times_share_is_not_said_against_its_own_interval(low, high, why):
    shared = Shared("host_ns", 9, ("null",), 1.02, low, high, "UNSURE")
    told = shared_text(SimpleNamespace(shared=[shared], margin=0.01, level="process"))
    assert told[0].startswith("all host times are 2.0 % longer, 95 % CI ") and told[0].endswith(why)


def test_one_card_with_a_number_of_its_own_is_no_kind():
    rng = np.random.default_rng(9)
    base, *others = (of_kind(rng, i, 0, "900-A") for i in range(7))
    assert compare(base, of_kind(rng, 16, 1, "900-B"), 0.01, others=others).kinds == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(("archives_each", "processes"), [(1, 3), (4, 3), (1, 1)])
def test_a_repetition_is_what_is_compared(archives_each, processes):
    """Runs of a card differ by 1 %, cards by nothing more, processes of a run by 1 %, too. The mean of four runs, or of
    three processes against one, would foretell half of what single ones differ by."""
    rng, held = np.random.default_rng(10), []

    def run(card: int, number: int, count: int) -> Archive:
        return drawn(rng, 0.01, count, 0.01 * rng.standard_normal(CASES), f"{card:04x}{number:04x}", f"GPU-{card}")

    for _ in range(3):
        others = [run(card, n, 3) for n in range(archives_each) for card in range(6)]
        result = compare(run(8, 0, processes), run(9, 0, processes), 0.01, others=others)
        assert result.cards == len(result.behind) == 6
        held += [row.low <= 1 <= row.high for row in result.rows]
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)


def test_other_archives_are_those_that_the_program_lists_of_the_bases_device(archive, lists):
    base = archive("a.jsonl", {"x": BASE}, run_id="aaaaaaaa")
    other = archive("b.jsonl", {"x": BASE}, run_id="bbbbbbbb", name="NVIDIA H100")
    one = archive("c.jsonl", {"x": BASE[:1]}, run_id="cccccccc")
    five = archive("d.jsonl", {"x": BASE}, run_id="dddddddd")
    lists(five, other, base, one)
    assert [a.run["id"] for a in load_others(load(base), "board")] == ["dddddddd", "cccccccc"]
    assert [a.run["id"] for a in load_others(load(base), "process")] == ["dddddddd"]  # one tells of no spread


# ---- Gates ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("slower", [Condition("slower")]),
        ("Slower>5%, unsure > 10 %", [Condition("slower", 0.05), Condition("unsure", 0.1)]),
        (
            "dram.read_rate<-3%, l2.rate > 5",
            [OfQuantity("dram.read_rate", True, -0.03), OfQuantity("l2.rate", False, 0.05)],
        ),
        ("missing>1%,incomplete", [Condition("missing", 0.01), Condition("incomplete")]),
    ],
)
def test_conditions(text, expected):
    assert parse(text) == expected


NO_CONDITION = """slow , slower, slower> slower>x% slower<5% share:slower>1% incomplete>1% changed>5% slower>5%%
    outside undecided dram.read_rate dram.read_rate<3%<4% unsure>100% slower>\u0665%"""


@pytest.mark.parametrize("text", NO_CONDITION.split())
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(UserError, match=r"not a condition|takes no limit|mixes|can't exceed 100 %"):
        parse(text)


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("slower", 1),
        ("slower>15%", 1),
        ("slower>25%", 0),
        ("faster>45%", 1),  # half the time is twice the rate
        ("faster>105%", 0),
        ("unsure", 3),
        ("unsure>5%", 3),
        ("unsure>20%", 0),
        ("unsure,slower", 1),
        ("incomplete", 0),
        ("missing", 0),
    ],
)
def test_thresholds_and_shares(condition, status):
    rng = np.random.default_rng(6)
    tenth = np.arange(CASES) // (CASES // 10)
    spread = np.where(tenth == 2, 0.05, 0.001)
    shift = np.select([tenth == 0, tenth == 1], [math.log(1.2), -math.log(2)], 0.0)
    result = compare(drawn(rng, spread, 5), drawn(rng, spread, 5, shift, run_id="bbbbbbbb"), 0.01)
    assert gate.answer([result], parse(condition))[0] == status


@pytest.mark.parametrize(
    ("spread", "size", "status", "of_each"), [(0.001, 2, 0, 0), (0.02, 2, 0, 3), (0.02, 20, 0, 0), (0.4, 2, 3, 3)]
)
def test_a_gate_on_a_size_passes_where_that_size_would_be_seen(spread, size, status, of_each):
    """The middle of a kind is known better than each of its cases, of which a strict gate asks."""
    rng = np.random.default_rng(9)
    result = compare(drawn(rng, spread, 3), drawn(rng, spread, 3, run_id="bbbbbbbb"), 0.01)
    assert gate.answer([result], parse(f"slower>{size}%"))[0] == status
    assert gate.answer([result], parse(f"slower>{size}%"), strict=True)[0] == of_each


@pytest.mark.parametrize(("all_longer", "size", "status"), [(0.0, 5, 0), (0.03, 1, 3), (0.03, 10, 0), (0.15, 3, 1)])
def test_a_slowdown_of_everything_is_no_pass_where_it_may_be_the_clock(all_longer, size, status):
    rng = np.random.default_rng(11)

    def run(run_id, factor):
        points = [
            point(factor * 100 * np.exp(0.0005 * rng.standard_normal(2)), i, probe=f"p{i % 8}") for i in range(CASES)
        ]
        return made(*points, run_id=run_id)

    result = compare(run("aaaaaaaa", 1.0), run("bbbbbbbb", 1 + all_longer), 0.01)
    said = gate.answer([result], parse(f"slower>{size}%"))
    assert said[0] == status
    if status == 3:
        assert "nothing that was compared can show 1 %" in said[1][0]


def test_a_probe_that_says_nothing_is_named():
    rng = np.random.default_rng(10)

    def both(run_id):
        points = [
            point(100 * np.exp(spread * rng.standard_normal(3)), i, probe=probe)
            for probe, spread in (("calm", 0.001), ("wild", 3.0))
            for i in range(CASES)
        ]
        return made(*points, run_id=run_id)

    base, new = both("aaaaaaaa"), both("bbbbbbbb")
    result = compare(base, new, 0.01)
    assert gate.answer([result], parse("slower>5%")) == (0, [])
    assert result.judged == [
        "--fail-on 'slower>5%': 1 of 2 probes judged at 5 %; not judged: wild, which vary more between runs"
    ]
    assert gate.answer([compare(base, new, 0.01, probes={"calm"})], parse("slower>5%"), strict=True) == (0, [])
    assert gate.answer([compare(base, new, 0.01, probes={"wild"})], parse("slower>5%"), strict=True)[0] == 3


@pytest.mark.parametrize(
    ("base", "new", "text", "status"),
    [
        ((99.9, 100, 100.1), (94.9, 95, 95.1), "dram.read_rate<-3%", 1),
        ((99.9, 100, 100.1), (98.9, 99, 99.1), "dram.read_rate<-3%", 0),
        ((98.0, 100, 102.0), (94.0, 96, 98.0), "dram.read_rate<-3%", 3),  # -4 %, -7..-1
        ((99.9, 100, 100.1), (107.0, 108, 109.0), "dram.read_rate>5%", 1),
        ((99.9, 100, 100.1), (107.0, 108, 109.0), "dram.read_rate>10%", 0),
        ((99.9, 100, 100.1), None, "dram.read_rate<-3%", 3),
    ],
)
def test_a_quantity_is_judged_by_both_intervals(base, new, text, status):
    def sheet(ends):
        estimate = ends and SimpleNamespace(low=ends[0], value=ends[1], high=ends[2])
        kind = SimpleNamespace(kind="dram")
        return [SimpleNamespace(id="dram.read_rate", estimate=estimate, cards=None, model="", definition=kind)]

    rng = np.random.default_rng(11)
    result = compare(drawn(rng, 0.001, 3), drawn(rng, 0.001, 3, run_id="bbbbbbbb"), 0.01)
    sheets = gate.Sheets(sheet(base), sheet(new), {"dram.read_rate": frozenset({"null/x:1"})})
    got, said = gate.answer([result], parse(text), [sheets])
    assert (got, bool(said)) == (status, status != 0)
    result.unlike["null/x:1"] = ("INCOMPARABLE", "the method changed: version 1 against 2")
    assert gate.answer([result], parse(text), [sheets])[0] == 3
    result.new.run["provenance"] = "synthetic"
    assert gate.answer([result], parse(text), [sheets])[0] == 3


def test_every_verdict_can_be_asked_for_but_those_of_no_change():
    asked = {verdict for word in ("unsure", "changed") for verdict in Condition(word).verdicts}
    assert set(VERDICTS) - asked == {"SAME", "COMMON"}


# ---- The command ----


FIRST = dict.fromkeys(("same", "slow", "fast", "wild", "gone", "old"), BASE)


def pair(archive):
    old = archive("base.jsonl", FIRST, run_id="aaaaaaaa")
    young = {"same": scaled(1.001), "slow": scaled(1.04), "fast": scaled(0.9), "wild": scaled(1.003, 30)}
    young |= {"fresh": BASE, "old": (BASE, {"method_version": 2})}
    driver = {"version": "590.10", "cuda_driver": 13000, "cuda_runtime": 13000}
    new = archive("new.jsonl", young, run_id="bbbbbbbb", driver=driver, started_utc="2026-11-21T09:00:00Z")
    return old, new


def test_a_missing_case_says_why_where_it_is_known(archive):
    old = archive("base.jsonl", {"x": BASE})
    new = archive("new.jsonl", {"y": BASE})
    head, *lines = [json.loads(line) for line in new.read_text().splitlines()]
    write(new, sealed([head, failed_line(0, "null", {"case": "x"}, "out of memory"), *lines]))
    rows = {row.verdict: row.reason for row in compare(archives.load(old), archives.load(new), 0.01).rows}
    assert rows["MISSING"] == "failed: out of memory (in the new archive)"
    assert rows["NEW"] == "not measured (in the base)"


@pytest.mark.parametrize("kind", ["text", "json", "csv"])
def test_formats(archive, cli, golden, monkeypatch, tmp_path, kind):
    archive("again.jsonl", FIRST, run_id="aaaaaaac")
    pair(archive)
    monkeypatch.chdir(tmp_path)
    words = ["base.jsonl", "new.jsonl", "again.jsonl", "--format", kind]
    status, out, err = cli("compare", *words)
    assert (status, err) == (0, "")
    golden(f"compare.{kind}", out)


def test_one_process_per_side_says_what_it_was_held_against(archive, cli, lists):
    old, new = archive("a.jsonl", {"x": [100.0], "y": [50.0]}), archive("b.jsonl", {"x": [102.0], "y": [50.0]})
    words = cli("compare", old, new)[1]
    assert "2 UNSURE" in words
    assert "No archive says how far processes of this device differ" in words
    lists(archive("c.jsonl", {"x": BASE, "y": BASE}, run_id="cccccccc"))
    assert "judged by the variation between processes (cccccccc)" in cli("compare", old, new)[1]


def test_a_damaged_archive_that_nobody_named_is_passed_over(archive, tmp_path, monkeypatch, capsys):
    base = load(archive("a.jsonl", {"t": [2.0, 2.1]}))
    (tmp_path / "damaged.jsonl").write_text("{}\n")
    found = [Entry(tmp_path / "damaged.jsonl", "bbbbbbbb", base.slug, base.run["device"]["arch"], base.synthetic, 2)]
    monkeypatch.setattr(levels, "archives", lambda: found)
    assert levels.load_others(base, "process") == []
    assert capsys.readouterr().err.startswith("note: skipping an archive that was only needed for spreads: ")
