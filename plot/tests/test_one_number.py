"""One fact has one number: what the summary, the sheet, `ask`, titles of figures and pages print of a quantity is the
archive's value, to as many digits as each shows."""

import csv
import io
import re
from pathlib import Path

import pytest

from gpufx_plot.archive import load as archives
from gpufx_plot.call import terminal
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity_text import figures
from gpufx_plot.showing import ask as asking
from gpufx_plot.showing import screen, sheet
from gpufx_plot.showing.charts import finding, sentences
from gpufx_plot.showing.measured import Reference
from gpufx_plot.showing.report.hierarchy import pictures

pytestmark = pytest.mark.slow  # reads archives of the tree

TOP = Path(__file__).resolve().parents[2]
EFFECTS = sorted(path.parent.name for path in TOP.glob("micro/*/*/figure.*"))
SCALES = {"bytes": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}, "ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}}
MOST_DIGITS = 5


def rounded(value, digits):
    return float(f"{value:.{digits - 1}e}")


def is_value(number, value, least):
    return any(number == pytest.approx(rounded(value, k), rel=1e-9) for k in range(least, MOST_DIGITS + 1))


def amounts(text, unit):
    """The numbers of 285 cycles, 64 B..1 KiB, 216..218 KiB, 4 B or less, each with the scale that it is in."""
    found, scale = [], 1
    for part in reversed(re.split(r"\.\.|\u2013", text.partition(" per ")[0])):
        match = re.match(r"(?:~|about )?(\d+(?:\.\d+)?) ?([^\d\s]*)", part.strip())
        if not match:
            return []
        number, word = match.groups()
        scale = SCALES.get(unit, {}).get(word, scale)
        found.insert(0, (float(number), scale))
    return found


def agrees(text, q):
    """Whether a text says the quantity's value with three digits, or with what is sure, or both ends of its bracket."""
    e, found = q.estimate, amounts(text, q.unit)
    wanted, least = ([e.low, e.high], 3) if e.bracket else ([e.value], min(3, figures(e)))
    wanted = [end for end in wanted if end is not None]
    return len(found) == len(wanted) and all(
        is_value(number, end / scale, least) for (number, scale), end in zip(found, wanted, strict=True)
    )


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
    for name, q in told.quantities.items():
        (value, *_), _ = asking._shown(
            asking.Row("quantity", name, ""), asking.Side("", told.archive, {name: (q, told.archive)})
        )[0]
        told.add("ask", name, value)


def from_titles(told, monkeypatch):
    """What a title takes from the sheet."""
    said, write = [], sentences.of_quantity
    monkeypatch.setattr(sentences, "of_quantity", lambda q, form: said.append((q, form, write(q, form))) or said[-1][2])
    for effect in (name for name in EFFECTS if name in told.archive.measured):
        said.clear()
        title = finding([told.archive], effect)
        for q, form, text in said:
            assert text in title, (effect, q.id, title)
            if form == "peak":
                assert text == f"{q.share_pct:.0f} %"
            else:
                told.add(f"title of {effect}", q.id, text if form == "" else f"{text} {q.unit}")


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
                told.add(f"page of {page.parent.name}", name, cells[column])


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


def test_another_number_is_found(h200):
    """With three digits, or with what is sure; of a bracket both ends."""
    told = Told(archives.load(h200))
    dram, size = (told.quantities[name].estimate for name in ("dram.latency", "l1.size"))
    ends = [round(end / 1024) for end in (size.low, size.high)]
    for name, text, right in (
        ("dram.latency", f"{dram.value:.3g} cycles", True),
        ("dram.latency", f"{1.01 * dram.value:.0f} cycles", False),
        ("l1.size", f"{ends[0]}..{ends[1]} KiB", True),
        ("l1.size", f"{ends[0]}..{ends[1] + 1} KiB", False),
        ("l1.size", f"{ends[0]} KiB", False),
    ):
        assert agrees(text, told.quantities[name]) is right, text
