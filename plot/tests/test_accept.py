"""gpufx accept: what it says of a card, whom it holds it against, and what it measures."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import median

import msgspec
import numpy as np
import pytest
from other_cards import planted
from planted_quantities import ROOT

from gpufx_plot import UserError
from gpufx_plot.call.program import Entry, RefusedError
from gpufx_plot.cards import accept as measure
from gpufx_plot.cards import base as bases
from gpufx_plot.cards.accept_text import FORMATS, title
from gpufx_plot.cards.base import paths_of, table
from gpufx_plot.cards.board import Board, Figure
from gpufx_plot.cards.board import board as read_board
from gpufx_plot.cards.card_verdict import verdict_on
from gpufx_plot.cards.declared import cases_of, listed
from gpufx_plot.cards.kept import file_of
from gpufx_plot.chip.definitions import Accept, Definition
from gpufx_plot.chip.kinds import kinds

NAMES = [f"x.q{i}" for i in range(10)]
RATE = Definition("x.rate", "GB/s", "a rate", "best", of="rate", accept=Accept("look at the fan"))
SET = {"power_limit_mW": 700_000, "nvlinks": 18, "pcie_width": 16, "ecc": True}
SET |= {"ecc_uncorrected": 0, "remapped_rows": None}
RUN = {"device": {"sm_count": 132, "memory_bytes": 10**11}, "environment": SET}


def definition(name: str) -> Definition:
    return RATE if name == "x.rate" else Definition(name, "cycles", "a time", "best")


def board(card: str, logs: dict[str, float], processes: int = 3, **changes) -> Board:
    figures = {name: Figure(log, 0.0005, ((1,), False), processes=processes) for name, log in logs.items()}
    known = {name: definition(name) for name in logs}
    given = {"run": RUN, "missing": {}, "definitions": known, "processes": 3} | changes
    return replace(
        Board(Path("x"), f"id-{card}", card, "chip", "The Chip", False, "", "driver 1", False, None, {}, figures, {}),
        **given,
    )


def fleet(count: int = 8, seed: int = 1, **changes) -> list[Board]:
    rng = np.random.default_rng(seed)
    return [
        board(f"GPU-{i:08}-x", {n: 3 + 0.002 * rng.standard_normal() for n in ("x.rate", *NAMES)}, **changes)
        for i in range(count)
    ]


def card(off: float = 0.0, **changes) -> Board:
    return board("GPU-new00000-x", {"x.rate": 3 + math.log1p(off), **dict.fromkeys(NAMES, 3.0)}, **changes)


def verdict(new: Board, others: list[Board], known: list[Board] = ()):
    return verdict_on(new, others, 0.01, known=known)


def test_a_slow_card_fails_with_the_quantity_how_far_and_the_hint():
    found = verdict(card(-0.1), fleet())
    assert (found.word, found.status) == ("FAIL", 1)
    assert found.details.startswith("x.rate 10 % below 8 other cards (healthy cards stay within ")
    assert found.details.endswith("Look at the fan")
    assert [f.name for f in found.of("FAIL")] == ["x.rate"]
    slow = card(-0.1)
    slow.figures["x.q1"] = replace(slow.figures["x.q1"], log=3.2)
    said = FORMATS["text"](verdict(slow, fleet()))  # of all that is off, perhaps
    assert "\nLook at the fan" in said and "No likely cause" not in said
    slow = card(-0.1)
    slow.definitions["x.rate"] = msgspec.structs.replace(slow.definitions["x.rate"], accept=None)
    assert ". No likely cause is on record: measure again" in verdict(slow, fleet()).details


def test_one_probe_in_one_process_is_a_doubt_and_two_probes_are_a_fault():
    """A process can have a state of its own: 2 % of all DRAM copies of one probe were seen, on a healthy card."""
    assert "the state of the process can look the same" in verdict(card(-0.1, processes=1), fleet()).details
    assert verdict(card(-0.1, processes=1), fleet()).status == 3
    others = fleet()
    for one in [slow := card(-0.1, processes=1), *others]:
        one.definitions["x.q1"] = msgspec.structs.replace(one.definitions["x.q1"], probe="another")
    slow.figures["x.q1"] = replace(slow.figures["x.q1"], log=3.1)
    assert verdict(slow, others).word == "FAIL"


def one_slow_sm(case: dict) -> float:
    """The L1 of one SM of 132 is at half speed, the shared memory of one that takes turns 5 % slower."""
    params, turns = case["params"], case.get("over_sms")
    if case["probe"] == "carveout":
        return 1 + 1 / 132 if params["mode"] == "device" else 1.0
    if case["probe"] == "bank_conflict" and turns:
        slow = [sm == turns["high_sm"] for sm in turns["sample_sms"]]
        own = [1.05 * x for x, late in zip(case["samples"], slow, strict=True) if late]
        case["samples"] = own + [x for x, late in zip(case["samples"], slow, strict=True) if not late]
        turns["high"], case["median"] = median(own), median(case["samples"])
    return 1.0


def test_one_slow_sm_is_found(h200, tmp_path):
    """By one process: the other SMs of it are beside."""
    others, _ = bases.boards([file_of(ROOT, "nvidia-h200")])
    slow = verdict(read_board(planted(h200, tmp_path, one_slow_sm, uuid="GPU-new")), others)
    assert (slow.word, verdict(read_board(h200), others).word) == ("FAIL", "PASS")
    assert {f.name for f in slow.of("FAIL")} == {"l1.all_sms_cycles", "shared.sm_ratio"}


def test_between_chance_and_a_fault_it_is_unsure():
    reach = verdict(card(), fleet()).of("PASS")
    reach = next(f.reach for f in reach if f.name == "x.rate")
    found = verdict(card(math.expm1(-0.8 * reach)), fleet())
    assert (found.word, found.status) == ("UNSURE", 3)
    assert "with 8 cards in the base only" in found.details


@pytest.mark.parametrize("off", [(0.1,), (0.1, 0.1), (0.1, 0.15), (0.1, 0.12, 0.15, 0.2)])
def test_cards_of_the_base_that_are_so_too_make_a_kind(off):
    """Two that lie together are a group of healthy cards, two apart are no evidence."""
    word = "PASS" if off in ((0.1, 0.1), (0.1, 0.12, 0.15, 0.2)) else "UNSURE"
    others, alike = fleet(20), len(off)
    for one, by in zip(others, off, strict=False):
        one.figures["x.rate"] = replace(one.figures["x.rate"], log=3 + math.log1p(-by))
    told = verdict(card(-0.1), others)
    found = next(f for f in told.findings if f.name == "x.rate")
    assert found.word == told.word == word and f"{alike} of 20 cards" in found.reason
    text = " ".join(FORMATS["text"](told).split())
    assert "x.rate 10 % below" in text.partition(" quantity ")[0] and f"x.rate: {alike} of 20 cards" in text


def test_copies_with_some_noise_or_some_cases_changed_count_once():
    rng = np.random.default_rng(1)
    names = [f"y.q{i}" for i in range(30)]
    mine, *others = (board(f"GPU-{i:08}-x", dict(zip(names, rng.normal(3, 0.02, 30), strict=True))) for i in range(6))
    logs = np.array([mine.figures[name].log for name in names])
    copies = [
        board(f"GPU-copy{i}", dict(zip(names, logs + rng.normal(0, 1e-4, 30) + (np.arange(30) < 2) * 0.1, strict=True)))
        for i in range(6)
    ]
    found = table(mine, [*others, *copies], names)
    assert len(found.cards) == len(others)
    assert found.left_out[0].startswith("6 with the same samples as another (")


def alter(boards: list[Board], **changes):
    for one in boards:
        one.figures["x.rate"] = replace(one.figures["x.rate"], **changes)


def redefine(boards: list[Board], **changes):
    for one in boards:
        one.definitions["x.rate"] = msgspec.structs.replace(RATE, **changes)


def recode(source, code):
    def change(new, others):
        alter(others, source="a", code=frozenset("c"))
        alter([new], source=source, code=frozenset(code))

    return change


def scatter(new, others):
    rng = np.random.default_rng(3)
    for one in others:
        alter([one], log=rng.normal(3, 0.3))


@pytest.mark.parametrize(
    ("off", "change", "word", "reason"),
    [
        (-0.1, lambda new, others: redefine([new], state="lasts until a reset"), "NOT JUDGED", ""),
        (-0.3, lambda new, others: redefine(others[:5], cases="size=1"), "NOT JUDGED", "known for 3 of 8 cards"),
        (-0.3, lambda new, others: redefine(others, meaning="the same in other words"), "FAIL", ""),
        (0, lambda new, others: alter([new], error=0.3), "NOT JUDGED", "known to 117 % here"),
        (-0.3, lambda new, others: alter([new], error=0.3), "UNSURE", ""),
        (-0.5, lambda new, others: alter(others, kind=((2,), False)), "NOT JUDGED", "known for 0 of 8 cards"),
        (-0.5, scatter, "NOT JUDGED", "half of this deviation could be chance"),
        (-0.1, recode("a", "c"), "FAIL", ""),
        (-0.1, recode("b", "c"), "FAIL", ""),
        (-0.1, recode("b", "d"), "UNSURE", "the probe has changed"),
        (-0.1, recode(None, "d"), "FAIL", ""),
    ],
)
def test_a_figure_is_judged_by_figures_of_its_kind(off, change, word, reason):
    new, others = card(off), fleet()
    change(new, others)
    told = verdict(new, others)
    found = next(f for f in told.findings if f.name == "x.rate")
    assert found.word == word and reason in found.reason
    assert told.word == ("PASS" if word == "NOT JUDGED" else word)


@pytest.mark.parametrize(
    ("ends", "error", "word"), [((-0.08, -0.03), 0.015, "FAIL"), ((-0.08, 0.0), 0.03, "UNSURE"), (None, 0.3, "UNSURE")]
)
def test_a_card_whose_processes_differ_by_more_than_others_do_is_no_pass(ends, error, word):
    new = card(-0.05)
    alter([new], error=error, ends=ends and (3 + ends[0], 3 + ends[1]))
    told = verdict(new, fleet())
    assert told.word == word and "between processes, others 0.087 %" in told.details


def test_a_base_that_is_too_small_is_said_with_what_is_needed():
    for count in (3, 0):
        found = verdict(card(-0.5), fleet(count))
        said = f"the base has {count} other cards of this chip, but 4 are needed"
        assert found.word == "UNSURE" and found.reason.startswith(said)


def test_who_has_no_part_in_the_base():
    strangers = [
        card(),  # the card itself, another day
        *fleet(1, seed=2, synthetic=True),
        *fleet(1, seed=3, incomplete="cut off"),
        *fleet(1, seed=4, quick=True),
        *fleet(1, seed=5, slug="other", device="Another"),
    ]
    strangers = [replace(one, id=f"s{i}") for i, one in enumerate(strangers)]
    others = fleet()  # of one card an archive more, and one twice
    found = verdict(card(id="new"), [*others, *strangers, replace(others[0], id="again"), others[0]])
    assert len(found.base.cards) == 8
    out = " ".join(found.base.left_out)
    for words in ("of this card", "invented", "did not finish", "--quick", "(Another)"):
        assert f"1 {words}" in out or words in out
    assert "note: archives left out of the base: 1 " in FORMATS["text"](found)


def with_setting(**changes) -> dict:
    return {"run": {part: {name: changes.get(name, value) for name, value in of.items()} for part, of in RUN.items()}}


def slowed(share: float) -> dict:
    return {"run": RUN | {"clocks": {"slowed_pct": share, "hottest_C": 91.0}}}


@pytest.mark.parametrize(
    ("changes", "off", "word", "said"),
    [
        (with_setting(power_limit_mW=500_000), 0, "FAIL", "power limit: 500 W, others 700 W"),
        (with_setting(nvlinks=12), 0, "FAIL", "NVLinks: 12, others 18"),
        (with_setting(nvlinks=0), 0, "FAIL", "NVLinks: 0, others 18"),
        (with_setting(pcie_width=8), 0, "FAIL", "host link width: 8, others 16"),
        (with_setting(remapped_rows={"uncorrected": 8, "failed": True}), 0, "FAIL", "row failed (return the card;"),
        (with_setting(remapped_rows={"pending": True, "failed": False}), 0, "UNSURE", "row is pending (reset the GPU"),
        (with_setting(remapped_rows={"pending": True}), -0.1, "FAIL", "below 8 other cards"),
        (with_setting(ecc_uncorrected=12), 0, "UNSURE", "uncorrected ECC errors since the driver was loaded: 12 ("),
        (with_setting(ecc_uncorrected=0), 0, "PASS", "11 of 11 quantities"),
        (with_setting(sm_count=130), 0, "FAIL", "SMs: 130, others 132"),
        (with_setting(ecc=False), 0, "UNSURE", "ECC: off, others on"),
        (with_setting(ecc=False), -0.1, "UNSURE", "ECC: off"),
        (with_setting(power_limit_mW=700_100), 0, "PASS", "11 of 11 quantities"),
        (with_setting(power_limit_mW=750_000), 0.1, "PASS", "11 of 11 quantities judged, none is worse than 8"),
        (with_setting(pcie_width="wide"), 0, "PASS", "11 of 11 quantities"),
        ({"driver": "driver 2"}, -0.1, "UNSURE", "the driver differs"),
        ({"driver": "driver 2"}, 0, "PASS", "11 of 11 quantities"),
        (slowed(100), 0, "UNSURE", "slowed down by heat or by its power supply: 100 % of the cases (cool it, then"),
        (slowed(100), -0.1, "FAIL", "below 8 other cards"),
        (slowed(3), 0, "PASS", "11 of 11 quantities"),
        ({"incomplete": "interrupted"}, 0, "UNSURE", ""),
        ({"incomplete": "interrupted"}, -0.3, "FAIL", ""),
    ],
)
def test_settings(changes, off, word, said):
    found = verdict(card(off, **changes), fleet())
    assert found.word == word and said in (title(found) if word == "UNSURE" else found.details)
    driver = "driver 2 here, driver 1 in the base"
    assert any(driver in note for note in found.notes) == ("driver" in changes)


def test_what_a_card_recorded_is_told_beside_a_pass():
    ill = with_setting(remapped_rows={"corrected": 1, "uncorrected": 12}, ecc_uncorrected=None)
    ill["run"] |= slowed(3)["run"] | ill["run"]
    told = verdict(card(**ill, throttled=frozenset({"hw_slowdown", "sw_power_cap"})), fleet())
    rows = "12 memory rows remapped after uncorrected errors, 1 memory row remapped after corrected errors"
    said = f"recorded: 91 degrees C while it was slowed down, {rows}, hw_slowdown in 3 % of the cases"
    assert told.word == "PASS" and told.notes[:2] == [said, "not in the archive, so not checked: ECC errors"]
    bare = {"environment": {}}
    told = verdict(card(run=RUN | bare), fleet())
    gone = "power limit, NVLinks, ECC, row remapping, ECC errors"
    assert (told.word, told.notes[:1]) == ("PASS", [f"not in the archive, so not checked: {gone}"])


@pytest.mark.parametrize(("known", "word"), [(0, "PASS"), (3, "UNSURE"), (4, "FAIL")])
def test_fewer_nvlinks_than_some_of_the_base_have_are_a_doubt(known, word):
    """Older archives have them by the ways to other GPUs."""
    ways = {"gpus": [{"this": False, "others": [{"nvlinks": 2}]}, {"this": True, "others": [{"nvlinks": 18}]}]}
    others = fleet(**with_setting(nvlinks=None))
    others[:known] = [replace(one, run=one.run | {"host": ways}) for one in others[:known]]
    assert verdict(card(**with_setting(nvlinks=12)), others).word == word
    assert verdict(card(), others).word == "PASS"


def test_a_narrow_link_is_the_hosts_and_another_host_is_no_fault():
    narrow = with_setting(pcie_width=8)
    told = verdict(card(**narrow), fleet())
    assert (told.word, told.card_word, told.host_word, told.status) == ("FAIL", "PASS", "FAIL", 1)
    assert told.host_reason == "host link width: 8, others 16"
    assert "\nReseat the card or its riser" in FORMATS["text"](told)
    divided = [replace(one, card=f"GPU-{i}", id=str(i)) for i, one in enumerate(fleet(4) + fleet(4, seed=9, **narrow))]
    assert verdict(card(**narrow), divided).host_word != "FAIL"  # in what the base disagrees, nobody is wrong
    few, many = (RUN | {"host": {"logical_cpus": count}} for count in (16, 32))
    assert verdict(card(run=many), fleet(run=few)).notes == [
        "the host differs: logical CPUs of the host: 32, others 16"
    ]
    assert verdict(card(run=few), fleet(run=few)).notes == []


def of_host(one: Board) -> Board:
    return replace(one, of_host=frozenset({"x.q0", "x.q1"}))


def test_the_host_is_judged_apart_from_the_card():
    others = [of_host(one) for one in fleet()]
    told = verdict(of_host(card()), others)
    assert (told.word, told.host_word, told.host_reason) == ("PASS", "PASS", "2 quantities match")
    assert told.reason == "9 of 9 quantities judged, all match 8 other cards"
    slow = of_host(card())
    slow.figures["x.q0"] = replace(slow.figures["x.q0"], log=3.2)
    told = verdict(slow, others)
    assert (told.word, told.card_word, told.host_word, told.status) == ("FAIL", "PASS", "FAIL", 1)
    assert " ".join(FORMATS["text"](told).split()).startswith(
        "FAIL The Chip GPU-new00000: x.q0 22 % above the others. Card PASS: 9 of 9 quantities judged, all match 8 other"
    )
    here, there = (RUN | {"host": {"cpu": name}} for name in ("one", "another"))
    told = verdict(replace(slow, run=there), [replace(one, run=here) for one in others])
    assert (told.word, told.host_word, told.status) == ("UNSURE", "UNSURE", 3)
    assert "; CPU of the host: another, others one)" in told.details


def test_an_integrated_gpu_has_no_link():
    narrow = with_setting(pcie_width=8)["run"]
    one = of_host(card(run=narrow | {"device": narrow["device"] | {"integrated": True}}))
    told = verdict(one, [of_host(other) for other in fleet()])
    assert (told.word, told.host_word) == ("PASS", "PASS")
    for form in ("text", "json"):
        assert "ost link" not in FORMATS[form](told)
    assert "Host copies PASS: 2 quantities match" in " ".join(FORMATS["text"](told).split())


@pytest.mark.parametrize(
    ("off", "disturbed", "word"), [(0.0, "x.rate", "PASS"), (-0.1, "x.rate", "UNSURE"), (-0.1, "x.q1", "FAIL")]
)
def test_beside_another_program_no_quantity_fails(off, disturbed, word):
    told = verdict(card(off, shared=3, cases_count=40, disturbed=frozenset({disturbed})), fleet())
    assert told.word == word
    assert "another program was on the GPU during 3 of 40 cases" in told.notes
    if word == "UNSURE":
        assert "the GPU was shared" in told.details and "Look at the fan" not in told.details


# ---- Kinds of cards ----

NUMBERS = ("900-A", "900-B")


def numbered(one: Board, number: str) -> Board:
    return replace(one, run=one.run | {"device": one.run["device"] | {"board_part_number": number}})


def of_kinds(low: int, high: int, number=lambda side, i: "") -> list[Board]:
    """The second kind has 5 % more of four quantities."""
    made = []
    for i, one in enumerate(fleet(low + high)):
        side = int(i >= low)
        figures = {n: replace(f, log=f.log + 0.05 * side * (n in NAMES[:4])) for n, f in one.figures.items()}
        made.append(numbered(replace(one, figures=figures), number(side, i)))
    return made


def shifted(by: float, number: str = "", off: float = 0.0) -> Board:
    one = card(off)
    figures = {n: replace(f, log=f.log + by * (n in NAMES[:4])) for n, f in one.figures.items()}
    return numbered(replace(one, figures=figures), number)


@pytest.mark.parametrize("given", ["all", "none", "one each"])
def test_a_card_is_held_against_its_kind(given):
    def number(side: int, i: int) -> str:
        return NUMBERS[side] if given == "all" or (given == "one each" and i in (0, 6)) else ""

    others = of_kinds(6, 5, number)
    for side, count in ((0, 6), (1, 5)):
        mine = NUMBERS[side] if given != "none" else ""
        told = verdict(shifted(0.05 * side, mine), others)
        assert told.word == "PASS" and len(told.base.cards) == count
        assert f"{count} other cards of its kind" in told.reason and told.base.kind.name.startswith(mine or "x.q")
        assert any(note.startswith("this card is of the kind ") for note in told.notes)
        assert told.reason.endswith("may also be a fault of some cards") == (given == "none")
        assert verdict(shifted(0.05 * side, mine, -0.03), others).word == "FAIL"
    # What is no kind is a fault, even if it is less than what kinds differ by.
    alike = [numbered(one, NUMBERS[i % 2]) for i, one in enumerate(fleet())]
    for mine, off, word in (
        ("900-A", 0, "PASS"),
        ("900-A", -0.1, "FAIL"),
        ("900-C", 0, "PASS"),
        ("900-C", -0.1, "UNSURE"),
    ):
        told = verdict(numbered(card(off), mine), alike)
        assert told.word == word and "900-B are in the base: no figure parts them from the others" in told.notes[0]
        assert ("no other card has its board part number, 900-C" in told.details) == (word == "UNSURE")
    slow = shifted(0.0, NUMBERS[0] if given != "none" else "")
    slow.figures["x.q3"] = replace(slow.figures["x.q3"], log=3.03)
    assert verdict(slow, others).word == "FAIL"


@pytest.mark.parametrize(
    ("name", "off", "word"), [("x.rate", -0.1, "UNSURE"), ("x.q1", 0.1, "UNSURE"), ("x.q1", 0.02, "FAIL")]
)
def test_cards_of_the_other_kind_are_kin_where_they_are_as_far_from_theirs(name, off, word):
    """Kinds differ by 5 % in x.q1, and are alike in x.rate."""
    others = of_kinds(6, 5)
    others[-1].figures[name] = replace(others[-1].figures[name], log=others[-1].figures[name].log + off)
    slow = shifted(0.0)
    slow.figures[name] = replace(slow.figures[name], log=3 + math.copysign(0.1, off))
    told = next(f for f in verdict(slow, others).findings if f.name == name)
    assert told.word == word and ("1 of 11 cards of the base shows it, too" in told.reason) == (word == "UNSURE")


def test_the_number_says_whose_figures_a_card_should_have():
    """A card of the first kind with the figures of the second is off."""
    told = verdict(shifted(0.05, NUMBERS[0]), of_kinds(6, 6, lambda side, _: NUMBERS[side]))
    assert told.word == "FAIL" and len(told.base.cards) == 6


@pytest.mark.parametrize("number", ["900-C", NUMBERS[1]])
def test_a_kind_that_the_base_lacks_is_unsure(number):
    others = of_kinds(6, 3 if number in NUMBERS else 5, lambda side, _: NUMBERS[side])
    told = verdict(shifted(0.2, number), others)
    assert told.word == "UNSURE" and not told.of("FAIL")
    have, of = (3, 6) if number in NUMBERS else (0, 11)
    assert told.reason.startswith(
        f"the base has {have} other cards of its kind, and {of} cards of another, but 4 are needed"
    )


def test_the_cards_that_are_known_say_which_kinds_there_are():
    """A base of two and two is too small for that, and its kinds are no scatter between cards."""
    everyone = of_kinds(6, 5, lambda side, _: NUMBERS[side])
    base = [*everyone[:2], *everyone[-2:]]
    slow = shifted(0.0, NUMBERS[0], off=-0.05)
    told = verdict(slow, base, known=everyone)
    assert (told.word, len(told.base.cards), told.base.kind.others) == ("UNSURE", 2, 2)
    assert verdict(slow, everyone, known=everyone).word == "FAIL"


@pytest.mark.slow
def test_kinds_are_not_found_where_there_are_none():
    """100 quantities of 33 probes, which move together by what cards differ in anyway."""
    rng, found = np.random.default_rng(4), 0
    for count in (6, 8, 20):
        for _ in range(50):
            shared, load = rng.standard_normal((count, 5)), rng.standard_normal((5, 100))
            logs = shared @ load + rng.standard_normal((count, 100))
            found += kinds(logs, [""] * count, [str(q // 3) for q in range(100)]) is not None
    assert found <= 3  # of 150


@pytest.mark.parametrize("probes", [1, 2])
def test_figures_of_one_probe_have_one_vote(probes):
    """Three cards on which one probe was disturbed differ in all four figures of it."""
    logs = 0.001 * np.random.default_rng(5).standard_normal((9, 4))
    logs[:3] += 0.1
    found = kinds(logs, [""] * 9, [f"probe {q * probes // 4}" for q in range(4)])
    assert (found is not None) == (probes > 1)
    assert kinds(logs, [""] * 9, [""] * 4) is None
    if found:
        assert found.side("", np.array([0.1, 0.1, 0.0, 0.1])) != found.side("", np.zeros(4))


def test_kinds_that_one_card_makes_are_none():
    """The second probe knows two cards of the upper side: without one of them it parts no cards."""
    logs = 0.001 * np.random.default_rng(5).standard_normal((8, 2)) + 0.1 * (np.arange(8) > 3)[:, None]
    assert kinds(logs, [""] * 8, ["a", "b"])
    logs[4:6, 1] = np.nan
    assert not kinds(logs, [""] * 8, ["a", "b"])
    logs[:7] = logs[:1]  # but one card that has a number of its own is a kind
    logs[7] = 0.1
    assert not kinds(logs, [""] * 8, ["a", "b"]) and kinds(logs, ["900-A"] * 7 + ["900-B"], ["a", "b"])


def test_what_was_to_be_measured_and_is_not_there_is_a_doubt():
    new = card(missing={"x.q1": "failed: wrong result"})
    del new.figures["x.q1"]
    found = verdict(new, fleet())
    assert found.word == "UNSURE" and found.details == "x.q1 not determined here: failed: wrong result"
    assert verdict(replace(new, missing={"x.q1": "waived: no texture"}), fleet()).word == "PASS"
    others = fleet()  # nor could the base always tell
    others[0] = replace(others[0], missing={"x.q1": "noise"})
    del others[0].figures["x.q1"]
    assert verdict(new, others).word == "PASS"
    few = board("GPU-new00000-x", {"x.rate": 3.0})
    assert verdict(few, fleet()).word == "UNSURE"  # one quantity of an archive is no answer


def with_cases(one: Board, tried=None) -> Board:
    """Each quantity takes two cases of its name."""
    names = {name: frozenset({f"{name}/1", f"{name}/2"}) for name in one.figures}
    figures = {name: replace(figure, names=names[name]) for name, figure in one.figures.items()}
    return replace(one, figures=figures, cases=tried and frozenset(tried))


def test_what_the_whole_base_has_of_a_card_is_to_be_measured():
    logs = dict.fromkeys(("dram.read_rate", "x.rate", *NAMES), 3.0)
    others = [board(f"GPU-{i}", {name: 3 + 0.002 * math.sin(9 * i + len(name)) for name in logs}) for i in range(8)]
    assert verdict(card(), others).reason == "not measured: dram.read_rate; archives of the base have that"


def test_what_older_archives_have_is_missed_in_a_whole_run_and_named_where_cases_were_left_out():
    known = dict.fromkeys(("fma32.rate", "x.rate", *NAMES), 3.0)
    older = [board(f"GPU-{i}", {name: 3 + 0.002 * math.sin(9 * i + len(name)) for name in known}) for i in range(4)]
    others = older + fleet()  # which lack it
    assert verdict(card(), others).reason == "not measured: fma32.rate; archives of the base have that"
    assert verdict(card(), others[1:]).word == verdict(card(missing={"fma32.rate": "waived"}), others).word == "PASS"
    assert verdict(card(), [replace(one, started="9") for one in older] + fleet()).word == "PASS"
    some = verdict(replace(card(), cases=frozenset({"x"})), others)
    assert some.word == "PASS" and some.reason.endswith("; not measured: 1 probe (arithmetic)")


def test_another_name_is_a_doubt_and_a_quiet_pass_tells_what_the_card_recorded(monkeypatch):
    others = fleet(run={**RUN, "device": {"name": "H200"}})
    new = card(run={"device": {"name": "H100"}, "environment": {**SET, "ecc_corrected": 2000}}, started="9")
    found = verdict(new, others)
    assert (found.word, found.reason) == ("UNSURE", "name: H100, others H200")
    assert any("in the future" in note for note in found.notes)
    monkeypatch.setattr("gpufx_plot.cards.accept_text.is_quiet", lambda: True)
    assert FORMATS["text"](found).endswith(f". {len(found.notes)} notes, recorded: 2000 corrected ECC errors\n")


def test_a_quantity_of_which_cases_were_left_out_is_not_judged_and_no_doubt():
    others = [with_cases(one) for one in fleet()]
    every = {f"{name}/{i}" for name in ("x.rate", *NAMES) for i in (1, 2)}
    slow = with_cases(card(-0.3), every - {"x.rate/2", "x.q1/1", "x.q1/2"})
    slow.missing["x.q1"] = "this archive has none of its cases"
    del slow.figures["x.q1"]
    found = verdict(slow, others)
    assert found.word == "PASS"
    partly = {f.name for f in found.of("NOT JUDGED") if f.reason == "not all of its cases were measured"}
    assert partly == {"x.rate", "x.q1"}
    assert verdict(replace(slow, cases=frozenset(every)), others).word == "FAIL"
    # Nor are such figures a part of the base.
    others += [with_cases(replace(slow, card="GPU-partly", id="partly"), slow.cases)]
    finding = next(f for f in verdict(card(), others).findings if f.name == "x.rate")
    assert finding.cards == 8


def test_the_best_of_a_family_is_taken_over_the_cases_that_both_have():
    others = fleet()
    for one in others:
        one.figures["x.rate"] = replace(one.figures["x.rate"], family={"a": 3.0, "b": 3.5}, log=3.5)
    new = card()
    new.figures["x.rate"] = replace(new.figures["x.rate"], family={"a": 3.0}, log=3.0)
    base = table(new, others, ["x.rate"])
    assert np.all(base.logs == 3.0)


# ---- Formats ----


@pytest.mark.parametrize("off", [0.0, -0.1])
def test_formats_agree(off):
    found = verdict(card(off), fleet())
    told = json.loads(FORMATS["json"](found))
    assert told["verdict"] == found.word and told["status"] == found.status
    assert {q["id"] for q in told["quantities"]} == {"x.rate", *NAMES}
    text = FORMATS["text"](found)
    assert text.startswith(f"{found.word} The Chip GPU-new00000: ")
    assert all(len(line) <= 80 for line in text.splitlines())


# ---- What is measured ----


def test_the_cases_of_a_quantity_are_those_of_its_definition():
    each = [(t, n) for t in ("a", "b") for n in (1, 2)]
    cases = [{"name": f"p/task:{t}/n:{n}", "params": {"task": t, "n": n}, "waived": None} for t, n in each]
    told = [{"name": "p", "cases": cases}]
    known = listed(told)
    d = Definition("x.y", "times", "m", "ratio", cases="task=a n=1", against="task=b", probe="p")
    assert cases_of(d, known) == {"p/task:a/n:1", "p/task:b/n:1"}
    assert cases_of(Definition("x.y", "ns", "m", "best", cases="task=z", probe="p"), known) == set()
    assert cases_of(Definition("x.y", "ns", "m", "best", cases="task=a", probe="q"), known) == set()
    told[0]["cases"][0]["waived"] = "too small"
    assert "p/task:a/n:1" not in cases_of(d, listed(told))
    with pytest.raises(UserError, match="did not list cases"):
        listed([{"x": 1}])


# ---- The verb ----


def test_paths(tmp_path, monkeypatch):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "a.jsonl.gz").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(b"")
    (tmp_path / "c.txt").write_bytes(b"")
    assert [p.name for p in paths_of(f"{tmp_path},{tmp_path / 'b.jsonl'}", None)] == ["b.jsonl", "a.jsonl.gz"]
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "d.jsonl").write_bytes(b"")  # no archive, as the program knows
    assert [p.name for p in paths_of(str(tmp_path), None)] == ["b.jsonl", "a.jsonl.gz"]

    def known(*name):
        assert name in {("h200",), ("h300",), ()}
        if name == ("h300",):
            raise RefusedError("`gpufx archive list h300 --json`", "gpufx: no archive is named 'h300'")
        return [Entry(Path("one"), "1234", "nvidia-h200", "sm_90", False, 1)]

    monkeypatch.setattr(bases, "archives", known)
    monkeypatch.setattr(bases, "root", lambda: tmp_path)
    assert paths_of("h200", None) == paths_of(None, "nvidia-h200") == [Path("one")]
    with pytest.raises(UserError, match=r"is not a file or folder, and no archive is named 'h300'$"):
        paths_of("h300", None)
    with pytest.raises(UserError, match="there is no archive of chip"):
        paths_of(None, "chip")


def test_of_very_many_archives_the_newest_are_read():
    paths = [Path(f"{folder}/2026{i:04}Z-x.jsonl.gz") for folder in "ba" for i in range(300)]
    taken = bases.newest(paths)
    assert len(taken) == bases.MOST_ARCHIVES and {path.name[4:8] for path in taken} == {
        f"{i:04}" for i in range(100, 300)
    }


def test_a_program_that_does_nothing_or_too_long(tmp_path, program):
    program("echo 'gpufx: no device' >&2; exit 77")
    with pytest.raises(measure.NothingRan, match="no device"):
        measure.measure(["p/x:1"], 1, [], tmp_path / "out", 5)
    program("echo 'gpufx: that is wrong' >&2; exit 2")
    with pytest.raises(UserError, match="that is wrong"):
        measure.measure(["p/x:1"], 1, [], tmp_path / "out", 5)
    program(
        f"mkdir -p {tmp_path}/out; echo x >{tmp_path}/out/a.jsonl; trap 'exit 130' INT; while :; do sleep 0.1; done"
    )
    done = measure.measure(["p/x:1"], 1, [], tmp_path / "out", 1)
    assert done == (tmp_path / "out/a.jsonl", True)
    program(f'cat "$4" >{tmp_path}/names; echo "$@" >{tmp_path}/words; echo x >{tmp_path}/out/b.jsonl')
    done = measure.measure(["p/x:1", "q/y:2"], 3, ["--device", "1"], tmp_path / "out", 5)
    assert done == (tmp_path / "out/b.jsonl", False)
    words = (tmp_path / "words").read_text()
    assert words.startswith("run p q --only ") and "--processes 3" in words and words.endswith("--device 1\n")


def test_the_page_says_the_judges_own_numbers():
    from gpufx_plot.call.program import root
    from gpufx_plot.cards import judge as judging

    text = " ".join((root() / "docs" / "fleet.md").read_text(encoding="utf-8").split())
    assert f"less than 1 of {1 / judging.RATE:,.0f} cases" in text
    assert f"called sick {100 * judging.FALSE_SHARE:g} % are healthy" in text
