"""Reports of planted fleets: what is sick, which group differs, and nothing else. The figures are invented; no card was
measured."""

import json
import math
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from gpufx_plot.cards.fleet_report import gate, gather
from gpufx_plot.cards.fleet_text import basis
from gpufx_plot.cards.parquet import opened
from gpufx_plot.cards.table_columns import TABLES

QUANTITIES = {
    "dram.read_rate": ("GB/s", "higher", 4300.0, 0.003),
    "l2.latency": ("cycles", "lower", 280.0, 0.004),
    "link.h2d_rate": ("GB/s", "higher", 55.0, 0.006),
    "shared.latency": ("cycles", "lower", 23.0, 0.0005),
    "l2.size_found": ("bytes", None, 5e7, 0.0),
    "a.quotient": ("B/FLOP", None, 0.07, 0.003),  # which is not judged
}
OTHER = "wgmma.fp16_latency"  # which accept does not measure
BEGIN = datetime(2026, 1, 5, tzinfo=UTC)
POWER, FAILED, ECC, SLOWED = (
    "environment.power_limit_mW",
    "environment.remapped_rows.failed",
    "environment.ecc",
    "clocks.slowed_pct",
)


def archive(card: int, day: float = 0, factors: dict | None = None, **changes) -> tuple[dict, list[dict]]:
    """A row of archives and its rows of quantities. One of a card on a day."""
    of_card, of_day = random.Random(card), random.Random(f"{card} {day}")
    when = BEGIN + timedelta(days=day)
    common = {
        "archive": f"{when:%Y%m%dT%H%M%SZ}-{card:08x}",
        "run": f"{card:08x}",
        "started_utc": f"{when:%Y-%m-%dT%H:%M:%SZ}",
        "provenance": "measured",
        "arch": "sm_90",
        "device": "some-gpu",
        "card": f"GPU-{card:08x}",
        "driver": "580.65",
    } | {name: value for name, value in changes.items() if name in ("driver", "card", "device")}
    row = common | {"device_name": "Some GPU", "labels": {}, "complete": True, "elapsed_s": 60.0, "file": "x"}
    row |= {"version": "0.1.0", "power_limit_W": 700.0, "cases": 0} | changes
    quantities = []
    for name, (unit, better, usual, spread) in QUANTITIES.items():
        log = math.log(usual * (factors or {}).get(name, 1)) + of_card.gauss(0, spread) + of_day.gauss(0, spread / 4)
        value = math.exp(log)
        one = {"quantity": name, "unit": unit, "probe": "p", "better": better, "determined": True}
        one |= {"estimator": "quotient" if name == "a.quotient" else "best", "form": "value", "value": value}
        one |= {"low": value * 0.998, "high": value * 1.002, "cases": 1, "processes": 5}
        quantities.append(common | one)
    return row, quantities


@pytest.fixture
def planted(tmp_path):
    """A function that makes tables of such archives."""

    def make_one(archives: list[tuple[dict, list[dict]]]) -> Path:
        folder = tmp_path / "tables"
        folder.mkdir()
        quantities = [q for _, mine in archives for q in mine]
        write(folder, "archives", TABLES["archives"], [row for row, _ in archives])
        write(folder, "quantities", TABLES["quantities"], quantities)
        return folder

    return make_one


def write(folder: Path, table: str, columns: dict[str, str], rows: list[dict]) -> None:
    lines = folder / "lines.json"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with duckdb.connect() as database:
        source = "read_json($file, format = 'newline_delimited', columns = $columns)"
        database.execute(f"CREATE TABLE t AS FROM {source}", {"file": str(lines), "columns": columns})
        database.execute("COPY t TO $target (FORMAT parquet)", {"target": str(folder / f"{table}.parquet")})
    lines.unlink()


def report(folder: Path):
    with opened([folder], print) as database:
        chips, notes = gather(database)
    return chips[0], notes


def off_in(chip) -> dict[str, list[str]]:
    return {chip.cards.cards[one.card]: [chip.cards.quantities[q] for q in one.quantities] for one in chip.sick}


# ---- Sick cards and groups ----


def test_a_healthy_fleet_has_none(planted, cli):
    folder = planted([archive(card) for card in range(150)])
    chip, notes = report(folder)
    assert (chip.sick, chip.groups, chip.notes, notes, chip.cards.cut) == ([], [], [], [], False)
    assert cli("fleet report", folder)[1].startswith("Some GPU: no sick card among 150 cards\n")


def test_a_quantity_that_only_older_runs_have_is_of_no_card(planted, cli):
    row, quantities = archive(0, day=1)
    _, said, told = cli("fleet report", planted([archive(0), (row, quantities[1:])]), "--format", "json")
    found = json.loads(said)["chips"][0]["quantities"]
    assert not told and [(q["cards"], q["median"]) for q in found if q["quantity"] == "dram.read_rate"] == [(0, None)]


def test_sick_cards_are_named_with_what_is_off(planted, cli, monkeypatch):
    sick = {7: {"dram.read_rate": 0.9}, 8: {"l2.latency": 1.2, "link.h2d_rate": 0.5}, 9: {"l2.size_found": 0.5}}
    sick[9]["a.quotient"] = 1.3

    def one(card):
        labels = {"rank": str(card), "together": "no"}  # the second tells no card from others
        return archive(card, factors=sick.get(card), host=f"n{card // 8}", labels=labels)

    folder = planted([one(card) for card in range(150)])
    chip, _ = report(folder)
    assert off_in(chip) == {
        "GPU-00000007": ["dram.read_rate"],
        "GPU-00000008": ["l2.latency", "link.h2d_rate"],  # what accept measures is named first
        "GPU-00000009": ["l2.size_found"],
    }
    said = cli("fleet report", folder)[1]
    assert re.match("Some GPU: 3 of 150 cards are sick: GPU-0000000[789], GPU-0000000[789], GPU-0000000[789]\n", said)
    assert f": gpufx accept --device {chip.cards.cards[chip.sick[0].card]} --against {folder}\n" in said
    assert re.search(r"^GPU-00000007 +dram.read_rate +-(9\.\d|10\.?\d?) % .* GB/s +7 n0$", said, re.M)
    assert max(len(line) for line in said.splitlines() if not line.startswith("next")) <= 80  # to be copied
    found = json.loads(cli("fleet report", folder, "--format", "json")[1])["chips"][0]
    causes = {one["card"][-1]: one["likely_cause"] for one in found["sick"]}
    off = {one["card"][-1]: one["quantities"][0] for one in found["sick"]}["7"]
    assert off["unit"] == "GB/s" and math.isclose(off["here"] / off["others"], 1 + off["off_pct"] / 100)
    assert causes.keys() == {*"789"} and causes["7"].startswith("DRAM is slow: ") and f"7: {causes['7'][:20]}" in said
    monkeypatch.setenv("GPUFX_TALK", "quiet")
    assert cli("fleet report", folder)[1] == said.partition("\n")[0] + "\n"
    assert len(found["quantities"]) == len(QUANTITIES) - 1


@pytest.mark.parametrize(("bad", "status"), [(9, 1), (21, 3), (30, 3), (60, 3)])  # 3, 7, 10 and 20 %
@pytest.mark.slow
def test_many_bad_cards_do_not_hide_each_other(planted, bad, status):
    slow = {"dram.read_rate": 0.97}
    chip, _ = report(planted([archive(card, factors=slow if card < bad else {}) for card in range(300)]))
    assert gate([chip], 0)[0] == status
    named = {one.card for one in chip.sick} if status == 1 else set(chip.unsure)
    assert len(named) == bad and max(named) < bad
    shared = f"{bad} cards share dram.read_rate -3."
    assert [note[: len(shared)] for note in chip.notes] == ([shared] if status == 3 else [])


def test_one_bad_card_beside_a_sick_one_shares_with_nobody_else(planted):
    off = {3: {"dram.read_rate": 0.97}, 8: {"dram.read_rate": 0.9}}
    chip, _ = report(planted([archive(card, factors=off.get(card)) for card in range(12)]))
    assert off_in(chip) == {"GPU-00000008": ["dram.read_rate"]} and list(chip.unsure) == [3]
    assert re.match(r"not alone with dram.read_rate -3.1 %, as has sick GPU-00000008 \(GPU-00000003\): ", chip.notes[0])


@pytest.mark.parametrize(("name", "factor", "off"), [("dram.read_rate", 0.978, "-2.6"), (OTHER, 1.025, "+2.6")])
def test_what_is_seldom_in_healthy_cards_and_too_usual_to_be_sick_is_no_pass(planted, monkeypatch, name, factor, off):
    """Whatever accept measures: it judges all that an archive has."""
    monkeypatch.setitem(QUANTITIES, OTHER, ("cycles", "lower", 128.0, 0.003))
    cards = [archive(card, factors={name: factor if card == 5 else 1}) for card in range(24)]
    cards[7] = (cards[7][0], [row for row in cards[7][1] if row["quantity"] != OTHER])
    chip, _ = report(planted(cards))
    assert (off_in(chip), [*chip.unsure], gate([chip], 0)[0]) == ({}, [5, 7], 3)
    assert f"{name} {off} %: fewer than 2 in 100 healthy cards deviate as much" in chip.unsure[5][0]
    assert chip.unsure[7] == [f"unknown here, or by another method: {OTHER}"]


@pytest.mark.slow
def test_a_card_is_judged_by_its_newest_whole_run_and_a_fall_since_earlier_ones_is_told(planted):
    """Card 1 was repaired, 2 has failed, 3 was cut off tonight, 4 fell by little; the link of all fell."""
    off = {
        1: lambda day: 0.8 if day < 9 else 1,
        2: lambda day: 1 if day < 9 else 0.8,
        4: lambda day: 1 - 0.02 * (day > 8),
    }

    def one(card: int, day: int):
        wide = 1 + 0.006 * (card % 5 - 2)
        factors = {"dram.read_rate": off.get(card, lambda day: 1)(day), "link.h2d_rate": 1 - 0.05 * (day > 8)}
        return archive(card, day, factors | {"l2.latency": wide}, complete=(card, day) != (3, 9))

    chip, _ = report(planted([one(card, day) for card in range(20) for day in range(10)]))
    assert off_in(chip) == {"GPU-00000002": ["dram.read_rate"]} and [*chip.unsure] == [3]
    assert [note.rpartition(" -")[0] for note in chip.notes[:3]] == [
        "most of 20 cards: link.h2d_rate", "GPU-00000002: dram.read_rate", "GPU-00000004: dram.read_rate"
    ]  # fmt: skip
    assert basis(chip).startswith("200 archives, of each card the newest that finished, ")


@pytest.mark.slow
def test_what_a_rack_shares_is_the_rack_s(planted, cli):
    def one(card):
        bad = {"link.h2d_rate": 0.9 if card // 20 == 4 else 1, "dram.read_rate": 0.9 if card == 81 else 1}
        return archive(card, factors=bad, labels={"rack": f"r{card // 20}"}, host=f"n{card // 5}")

    folder = planted([one(card) for card in range(200)])
    chip, _ = report(folder)
    assert [(group.names, group.count, chip.cards.quantities[group.quantity]) for group in chip.groups] == [
        (("label rack = r4",), 20, "link.h2d_rate")
    ]
    assert off_in(chip) == {"GPU-00000051": ["dram.read_rate"]}
    assert re.search(r"^  rack r4: 20 cards with link.h2d_rate -(9|10)\.?\d* %$", cli("fleet report", folder)[1], re.M)


@pytest.mark.parametrize(("cards", "every", "by"), [(90, 3, 1.02), (24, 2, 1.02), (16, 2, 1.02), (8, 2, 1.04)])
def test_a_driver_that_is_slower_is_told(planted, cards, every, by):
    def one(card):
        old = card % every == 0
        return archive(card, factors={"l2.latency": by} if old else {}, driver="575.51" if old else "580.65")

    chip, _ = report(planted([one(card) for card in range(cards)]))
    old = cards // every
    assert [(g.names, g.count, chip.cards.quantities[g.quantity]) for g in chip.groups] == [
        (("driver = 575.51",), old, "l2.latency")
    ]
    assert off_in(chip) == {}
    mixed = set(chip.notes[0].removeprefix("mixed: driver: ").split(", "))
    assert mixed == {f"{cards - old} with 580.65", f"{old} with 575.51"}
    status, why = gate([chip], 0)
    assert (status, f"driver 575.51: {old} cards with l2.latency +" in why) == (3, True)


def test_cards_that_share_a_loss_are_told_with_what_they_have_in_common(planted):
    """Two cards are too few for a group of their own."""
    archives = [
        archive(card, factors={"dram.read_rate": 0.95} if card < 2 else {}, driver="590.1" if card < 2 else "580.65")
        for card in range(12)
    ]
    (note,) = (note for note in report(planted(archives))[0].notes if "share" in note)
    assert re.match(r"2 cards share dram\.read_rate -\d\.?\d* % \(.*\): all with driver 590\.1: another kind", note)


@pytest.mark.parametrize(("hosts", "slow", "by", "status"), [
    (8, [3], 0.5, 1), (8, [3], 0.99, 0), (8, [3, 4], 0.5, 3), (2, [1], 0.5, 3), (3, [1], 0.5, 3)
])  # fmt: skip
@pytest.mark.slow
def test_a_host_whose_link_is_slower_is_no_pass(planted, cli, hosts, slow, by, status):
    def one(card):
        row, quantities = archive(card, factors={"link.h2d_rate": by if card // 8 in slow else 1}, host=f"n{card // 8}")
        quantities[2]["quantity"] = "link.pinned.h2d_rate"
        return row, quantities

    folder = planted([one(card) for card in range(8 * hosts)])
    said = cli("fleet report", folder, "--fail-on", "sick")
    assert said[0] == status
    if status == 1:
        assert "no sick card among 64 cards, 8 unsure; host n3: 8 cards with" in " ".join(said[1].split())
        assert re.search("host n3: 8 cards with link.pinned.h2d_rate -(49|50).* %: slower than other hosts", said[2])


# ---- Kinds of cards ----


@pytest.mark.parametrize(("numbered", "slow"), [(True, None), (True, 15), (False, None), (False, 15)])
@pytest.mark.slow
def test_kinds_are_named_and_each_card_is_held_against_its_own(planted, numbered, slow):
    names = list(QUANTITIES)[:3]

    def one(card: int):
        low = card < 8
        factors = dict.fromkeys(names, 1.0 if low else 1.3) | ({names[0]: 1.1} if card == slow else {})
        return archive(card, factors=factors, board_part_number=("A" if low else "B") if numbered else None)

    chip, _ = report(planted([one(card) for card in range(20)]))
    (told,) = (note for note in chip.notes if "kinds of cards" in note)
    assert told.startswith("two kinds of cards: 8 cards (") and names[1] in told
    assert ("8 cards (A), and 12 cards (B)" in told, "without part numbers" in told) == (numbered, not numbered)
    # A slow card of the faster kind is still faster than those of the other one.
    assert set(off_in(chip)) == (set() if slow is None else {f"GPU-{slow:08x}"})
    assert not chip.groups or not numbered  # a kind is no finding


@pytest.mark.parametrize(
    ("of", "step", "slow", "by"), [(8, 0, 0, 0.97), (4, 1, 3, 0.96), (4, 1, 1, 1.04), (4, 1.08, 0, 0.96)]
)
def test_a_slow_rack_of_few_or_of_half_its_kind_makes_the_others_no_fast_ones(planted, of, step, slow, by):
    def one(card):
        rack, upper = card // of, bool(step and card // of > 1)
        factors = {"l2.latency": 1.3, "shared.latency": 1.3, "dram.read_rate": step} if upper else {"dram.read_rate": 1}
        factors["dram.read_rate"] *= by if rack == slow else 1
        return archive(card, factors=factors, labels={"rack": f"r{rack}"}, board_part_number="AB"[upper])

    chip, _ = report(planted([one(card) for card in range(24 if of == 8 else 16)]))
    assert [(g.names, round(math.exp(g.away), 2)) for g in chip.groups] == [((f"label rack = r{slow}",), by)]


@pytest.mark.slow
def test_a_kind_of_few_cards_is_not_judged_and_no_pass(planted, cli):
    def one(card: int):
        factors = dict.fromkeys(list(QUANTITIES)[:3], 1.0 if card < 17 else 0.7)
        return archive(card, factors=factors, board_part_number="A" if card < 17 else "B")

    folder = planted([one(card) for card in range(20)])
    chip, _ = report(folder)
    assert off_in(chip) == {} and not chip.groups
    status, _, wrong = cli("fleet report", folder, "--fail-on", "sick")
    assert (status, "can't be decided: 3 of 20 cards" in wrong) == (3, True)


@pytest.mark.parametrize(("step", "cards", "wide"), [(0, 20, 0), (0.03, 20, 0), (0.16, 20, 20), (0.3, 3, 0)])
def test_cards_that_differ_far_more_than_others_do_are_no_pass(planted, step, cards, wide):
    """Of too few, nothing is said."""
    off = [step * (card % 2 + 0.3 * math.sin(card) - (card == 19)) for card in range(cards)]
    chip, _ = report(planted([archive(i, factors={"dram.read_rate": math.exp(away)}) for i, away in enumerate(off)]))
    assert (sum("cards differ by" in " ".join(why) for why in chip.unsure.values()), chip.sick) == (wide, [])


# ---- What is to be known ----


@pytest.mark.slow
def test_what_makes_a_report_doubtful_is_named(planted):
    clock = "environment.sm_max_clock_MHz"
    archives = [archive(card, settings={clock: 1755 if card > 16 else 1980}) for card in range(20)]
    archives += [archive(4, 60000), archive(6, 1, complete=False, host="n2", settings={clock: 1980})]
    archives[6][0]["host"] = "n1"
    chip, notes = report(planted(archives))
    (note,) = chip.notes
    assert note.startswith("mixed: maximum SM clock: 17 with 1980 MHz, 3 with 1755 MHz (GPU-00000011,")
    moved = "GPU-00000006 was measured on n1 and n2: it was moved"
    assert [note.split(",")[0] for note in notes] == [moved, "1 archive from the future", "1 archive incomplete"]
    assert chip.cards.cut


@pytest.mark.slow
def test_settings_unlike_the_fleet_s_are_judged_as_by_accept(planted, cli):
    usual = {POWER: 700000, FAILED: False, ECC: True}
    odd = {3: {POWER: 500000}, 5: {FAILED: True}, 9: {ECC: False}, 11: {SLOWED: 80.0}, 13: {SLOWED: 3.0}}

    def of(card):
        labels = {"host": f"n{card // 8}"} | ({"rack": "r1"} if card < 16 else {})
        return archive(card, labels=labels, host=labels["host"], settings=usual | odd.get(card, {}), file=f"{card}.gz")

    folder = planted([of(card) for card in range(22)])
    chip, _ = report(folder)
    assert [(one.card, one.quantities) for one in chip.sick] == [(3, ()), (5, ())]
    assert chip.unsure[9] == ["ECC: off, others on"] and [*chip.unsure] == [9, 11]
    assert chip.notes == ["n2 has 6 cards; most hosts 8: a card without an archive is not judged"]
    status, said, why = cli("fleet report", folder, "--fail-on", "sick")
    assert status == 1 and "2 cards sick: GPU-00000003" in why
    assert re.search(r"^GPU-00000003 +power limit +- +500 W +700 W +r1 n0$", said, re.M)
    rows = json.loads(cli("fleet report", folder, "--format", "json")[1])["chips"][0]["cards"]
    assert rows[0] == {"card": "GPU-00000000", "archive": "0.gz", "host": "n0", "labels": {"host": "n0", "rack": "r1"},
                       "verdict": "PASS", "reasons": []}  # fmt: skip
    assert [(one["verdict"], one["reasons"][0][:20]) for one in rows if one["reasons"]] == [
        ("FAIL", "power limit: 500 W, "), ("FAIL", "remapping of a fault"), ("UNSURE", "ECC: off, others on"),
        ("UNSURE", "slowed down by heat ")
    ]  # fmt: skip


@pytest.mark.parametrize("other", [{"unit": "MB/s"}, {"method": 2}])
def test_two_units_or_methods_of_a_quantity_are_not_mixed(planted, other):
    row, quantities = archive(99)
    quantities[0] |= other | {"value": quantities[0]["value"] / 2}
    chip, _ = report(planted([archive(card) for card in range(9)] + [(row, quantities)]))
    assert off_in(chip) == {} and "by another method" in chip.unsure[9][0]


# ---- --fail-on ----


UNSTEADY, PARTLY = [
    [archive(card, factors={"dram.read_rate": 0.9 if card == 7 else 1}) for card in range(40)] for _ in "12"
]
UNSTEADY[7][1][0] |= {"low": UNSTEADY[7][1][0]["value"] * 0.7, "high": UNSTEADY[7][1][0]["value"] * 1.4}
del PARTLY[7][1][0]
BESIDE = [archive(card, factors={"dram.read_rate": 0.9 if card == 7 else 1}) for card in range(40)]
BESIDE[7][1][0]["shared"] = True
LINK, ELSEWHERE = [
    [archive(card, factors={"link.h2d_rate": 0.5 if card == 7 else 1}, settings={"host.cpu": cpu[card == 7]})
     for card in range(40)] for cpu in ("AA", "AB")
]  # fmt: skip
for _, of in LINK + ELSEWHERE:
    of[2]["quantity"] = "link.pinned.h2d_rate"


@pytest.mark.parametrize(
    ("archives", "status", "why"),
    [
        ([archive(card) for card in range(40)], 0, ""),
        ([archive(card, factors={"dram.read_rate": 0.8} if card == 7 else {}) for card in range(40)], 1, "1 card sick: "
         "GPU-00000007 (Some GPU)"),
        ([archive(card, settings={ECC: card != 7}) for card in range(40)], 3, "can't be decided: "
         "GPU-00000007: ECC: off, others on"),
        (UNSTEADY, 3, "can't be decided: GPU-00000007: dram.read_rate -10"),
        (LINK, 1, "1 card sick: GPU-00000007 (Some GPU)"),
        (ELSEWHERE, 3, "GPU-00000007: link.pinned.h2d_rate -50.1 %; CPU of the host: B, others A"),
        (BESIDE, 3, "can't be decided: GPU-00000007: dram.read_rate -10.1 %; the GPU was shared"),
        ([archive(card, factors={"dram.read_rate": 0.9} if card == 7 else {}, driver="570" if card == 7 else "580")
          for card in range(40)], 3, "GPU-00000007: dram.read_rate -10.1 %; no other card has 570, its driver"),
        ([archive(card, day) for card in range(9) for day in range(9) if card != 7 or day < 7], 3, "can't be decided: "
         "GPU-00000007: not measured since 2026-01-11, most others at least twice"),
        ([archive(card, day, {"dram.read_rate": 0.9 if day else 1}, settings={POWER: 5e5 if day else 7e5, ECC: day > 0})
          for card in range(20) for day in range(2)], 3, "earlier runs; power limit 700 W -> 500 W; ECC off -> on"),
        (PARTLY, 3, "can't be decided: GPU-00000007: unknown here, or by another method: dram.read_rate"),
        ([archive(card, factors={"dram.read_rate": 0.9} if card == 7 else {}, board_part_number="AB"[card == 7])
          for card in range(40)], 3, "can't be decided: "
         "GPU-00000007: no other card has its board part number, B: none of its kind is known"),
        ([archive(card, board_part_number="AB"[card == 7]) for card in range(40)], 0, ""),
        ([archive(card, settings={FAILED: card == 1}) for card in range(3)], 1, "1 card sick: GPU-00000001 (Some GPU)"),
        ([archive(card) for card in range(3)], 3, "can't be decided: 3 of 3 cards were not compared (Some GPU)"),
        ([archive(card, device="ab"[card > 19], factors=dict.fromkeys(QUANTITIES, 2 if card > 19 else 1))
          for card in range(22)], 3, "can't be decided: 2 of 22 cards"),
        ([archive(card, factors={"l2.latency": 3.0 if card == 7 else 1}, complete=card != 7, incomplete="SIGTERM")
          for card in range(40)], 3, "can't be decided: "
         "GPU-00000007: the run did not finish (SIGTERM): x"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_the_exit_status_says_whether_a_card_is_sick(planted, cli, archives, status, why):
    folder = planted(archives)
    told = cli("fleet report", folder, "--fail-on", "sick")
    assert told[0] == status
    assert status != 1 or cli("fleet report", folder)[:2] == (0, told[1])
    assert why in told[2] and bool(told[2]) == bool(why)
    document = json.loads(cli("fleet report", folder, "--fail-on", "sick", "--format", "json")[1])
    assert [f"gpufx fleet report: {one}\n" for one in document["fail_on"]] == ([told[2]] if why else [])
