"""One fact has one number: what the summary, the sheet, `ask`, titles of figures and pages print of a quantity is the
archive's value, to one place with its interval."""

import csv
import io
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from gpufx_plot.archive import load as archives
from gpufx_plot.call import terminal
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Estimate
from gpufx_plot.chip.quantity_text import interval_text, sure_text, value_text
from gpufx_plot.judging.claims import judged
from gpufx_plot.showing import ask as asking
from gpufx_plot.showing import screen, sheet
from gpufx_plot.showing.charts import chart, figure_file, sources_of
from gpufx_plot.showing.measured import Reference
from gpufx_plot.showing.report.hierarchy import pictures

pytestmark = pytest.mark.slow  # reads archives of the tree

TOP = Path(__file__).resolve().parents[2]
EFFECTS = sorted(path.parent.name for path in TOP.glob("micro/*/*/figure.*"))
SCALES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def agrees(text, q):
    """Whether a text says the quantity as every other place does."""
    text = (
        text.replace("\u2013", "..").removeprefix("about ").removeprefix("~").removesuffix(" *").partition(" per ")[0]
    )
    return text in (value_text(q).partition(" per ")[0], value_text(q, False))


class Told:
    """What each place prints of each quantity of one archive."""

    def __init__(self, archive):
        self.archive = archive
        self.quantities = {q.id: q for q in infer(archive) if q.determined}
        self.texts: list[tuple[str, str, str]] = []  # place, quantity, text

    def add(self, place, name, text):
        self.texts.append((place, name, text))

    def disagree(self):
        known = [(place, name, text, self.quantities[name]) for place, name, text in self.texts]
        return [f"{place}: {name} {text}, not {q.estimate}" for place, name, text, q in known if not agrees(text, q)]


def from_sheet(told):
    for name, value, *_ in sheet._rows([(told.archive, [*told.quantities.values()])])[1]:
        told.add("sheet", name, value)


def from_screen(told):
    side = screen.Side(told.archive, [*told.quantities.values()])
    lines = screen.as_text(side).splitlines()
    for q in side.costs():
        line = next((line for line in lines if line.strip().startswith(q.definition.screen.cost)), None)
        if line:  # as many as the screen has room for
            told.add("summary", q.id, line.strip().removeprefix(q.definition.screen.cost).split()[0])
    for row, of in side.rows().items():
        cells = re.split(r"  +", next(line for line in lines if line.startswith(f"{row} ")))
        for column, found in of.items():
            rates = sorted(found, key=lambda q: q.definition.place)
            if column == "rate":
                texts = re.findall(r"~?[\d.]+(?=[, ])", cells[-1])
            else:
                texts = [f"{cells[1]} cycles" if column == "latency" else cells[3 - (len(cells) == 3)]]
            for q, text in zip(rates, texts, strict=column != "rate"):
                told.add("summary", q.id, text)


def from_picture(told):
    """The words of README's picture of the memory hierarchy."""
    side = screen.Side(told.archive, [*told.quantities.values()])
    words = " ".join(picture["words"] for picture in pictures([side]))
    for q in side.on_screen():
        place = q.definition.screen
        if place.column == "latency":
            row = re.search(rf"\b{place.row}: ([^;]*)", words)[1]
            told.add("picture", q.id, re.search(r"latency ([^,]*)", row)[1])


def from_search(told):
    for name in told.quantities:
        (value, *_), _ = asking._shown(asking.Row("quantity", name, ""), "", [(told.archive, None)])
        told.add("ask", name, value.split(", ")[0])  # beside cycles stands their time


def from_titles(told, monkeypatch):
    """What a title takes from the sheet."""
    said, write = [], figure_file.of_quantities
    noted = lambda of, form: said.append((of[0], form, *write(of, form))) or [said[-1][2]]  # noqa: E731
    monkeypatch.setattr(figure_file, "of_quantities", noted)
    for effect in (name for name in EFFECTS if name in told.archive.measured):
        said.clear()
        title = chart(effect).finding(sources_of([told.archive], effect))
        for q, form, text in said:
            assert text in title, (effect, q.id, title)
            if form == "peak":
                assert text == f"{q.share_pct:.0f} %"
            else:
                told.add(f"title of {effect}", q.id, text)


def from_pages(told):
    chip = Reference("", told.archive, [], []).name.strip()
    for page in TOP.glob("micro/*/*/README.md"):
        column = None
        for line in page.read_text("utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            heads = [index for index, cell in enumerate(cells) if chip in cell]
            column = heads[0] if line.startswith("|") and heads else column
            name = cells[1].strip("`") if len(cells) > 2 else ""
            if column and name in told.quantities and f"`{name}`" == cells[1]:
                value = re.sub(r" (±.*|\(.*\)|bracket|reported|exact|within a factor of .*)$", "", cells[column])
                told.add(f"page of {page.parent.name}", name, value)


@pytest.fixture
def told(reference, monkeypatch):
    monkeypatch.setattr(terminal, "columns", lambda: 400)
    return Told(archives.load(reference))


def test_all_places_print_the_value_of_a_quantity(told, monkeypatch):
    from_sheet(told)
    from_screen(told)
    from_picture(told)
    from_search(told)
    from_titles(told, monkeypatch)
    from_pages(told)
    places = [place.partition(" ")[0] for place, *_ in told.texts]
    known = len([q for q in told.quantities.values() if q.estimate.high is not None or q.estimate.low is not None])
    assert places.count("sheet") == len(told.quantities) and places.count("page") >= 0.4 * known
    assert min(places.count(place) for place in ("summary", "picture", "title")) >= 4
    assert places.count("ask") == len(told.quantities) and places.count("title") > 50 and places.count("summary") > 18
    assert told.disagree() == []


def test_json_and_csv_have_the_value_itself(told):
    rows = csv.DictReader(io.StringIO(sheet.as_csv([(told.archive, [*told.quantities.values()])])))
    assert {row["quantity"]: float(row["value"]) for row in rows if row["value"]} == {
        name: q.estimate.value for name, q in told.quantities.items() if not q.estimate.bracket or q.estimate.value
    }


def test_a_ratio_has_the_interval_of_the_sheet_under_a_claim(told):
    e = told.quantities["power.product_ratio"].estimate
    (ratio,) = (r for v in judged(told.archive, "data_toggle").verdicts if v.quantity == "power_W" for r in v.ratios)
    assert ratio.level_pct == 99
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((e.value, e.low, e.high), rel=0.01)


def numbers(text, q):
    """The numbers of a text in the unit of the quantity, as fractions that no rounding blurs, and their decimals."""
    text = text.partition(" or ")[0]
    unit = text.rpartition(" ")[2] if q.unit in ("bytes", "ns") else ""
    found = re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", text)
    return [Fraction(one) * Fraction(SCALES.get(unit, 1)) for one in found], {
        len(one.partition(".")[2]) for one in found
    }


def check(q):
    """The value lies in its interval as both are printed, to one place; the printed interval holds the exact one, is
    little wider, and so does the value with its share."""
    e, printed = q.estimate, value_text(q)
    if e.bracket:
        ends, _ = numbers(printed, q)
        known = [end for end in (e.low, e.high) if end is not None]
        if " " in printed.partition("..")[0].strip() and ".." in printed:  # two units
            ends = [numbers(part, q)[0][0] for part in printed.split("..")]
        assert len(ends) == len(known)
        assert e.low is None or ends[0] <= Fraction(e.low)
        assert e.high is None or ends[-1] >= Fraction(e.high)
        assert ends == pytest.approx(known, rel=1e-3)
    elif text := interval_text(q):
        ((low, high), decimals), ((value,), of_value) = numbers(text, q), numbers(printed, q)
        assert low <= value <= high and low <= Fraction(e.low) and high >= Fraction(e.high)
        assert decimals == of_value
        assert high - low <= Fraction(e.high) - Fraction(e.low) + abs(value) / 400 + (high - low) / 4
        if share := re.fullmatch(r"±([\d.]+) %", sure_text(q)):
            half = value * Fraction(share[1]) / 100
            assert value - half <= Fraction(e.low) and value + half >= Fraction(e.high)


def test_a_printed_interval_holds_its_value_and_is_no_narrower(told):
    for q in told.quantities.values():
        check(q)


def test_so_do_those_of_chips_that_do_not_exist(h200):
    known, random = {q.id: q for q in infer(archives.load(h200))}, Random(1)
    for name in ("dram.latency", "shared.conflict_ratio", "launch.latency", "link.pinned.d2h_half", "l1.size"):
        for _ in range(2000):
            value = 10 ** random.uniform(-3, 9)
            low, high = (value * math.exp(side * 10 ** random.uniform(-6, 0)) for side in (-1, 1))
            check(replace(known[name], estimate=Estimate(None if name == "l1.size" else value, low, high, 1)))


def test_another_number_is_found(h200):
    told = Told(archives.load(h200))
    for name, text in (("dram.latency", "671 cycles"), ("l1.size", "216..220 KiB"), ("l1.size", "216 KiB")):
        assert not agrees(text, told.quantities[name])
