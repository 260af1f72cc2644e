"""Published figures beside ours: the data, what counts as the same chip, and what differs."""

import csv
import json
from dataclasses import replace

import pytest
from msgspec import structs
from planted_quantities import ROOT

from gpufx_plot.archive import load as archives
from gpufx_plot.chip import published as others
from gpufx_plot.chip.definitions import of_the_tree
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Estimate, Quantity
from gpufx_plot.showing.sheet import as_csv, as_json, as_text

KNOWN, NAMES, UNITS = others.figures(ROOT)
FIGURES = [figure for of in KNOWN.values() for figure in of]
RUN = {"provenance": "measured", "device": {"name": "NVIDIA H100 80GB HBM3", "compute_major": 9, "compute_minor": 0}}


def quantity(name: str, low: float, high: float) -> Quantity:
    definition = next(d for effect in of_the_tree(ROOT).values() for d in effect if d.id == name)
    return Quantity(definition, Estimate((low + high) / 2, low, high, 1))


def test_what_a_figure_is_of_is_a_quantity_of_ours_in_a_unit_of_ours():
    known = {d.id: d for effect in of_the_tree(ROOT).values() for d in effect}
    assert len(FIGURES) > 300
    for figure in FIGURES:
        unit = UNITS.get(figure.unit, (figure.unit, 1))[0]
        assert figure.ours in known, figure.id
        assert known[figure.ours].unit in (unit, figure.unit), figure.id
        assert figure.trust in ("high", "medium"), figure.id


def test_each_published_line_has_a_source_and_an_id_of_its_own():
    lines = [json.loads(line) for line in (ROOT / "results/published/published.jsonl").read_text().splitlines()]
    assert len({line["id"] for line in lines}) == len(lines)
    for line in lines:
        assert line["source"]["year"] >= 2006, line["id"]
        assert all(line["source"].get(key) for key in ("authors", "title", "url")), line["id"]
    assert f"{len(lines)} values" in (ROOT / "results/README.md").read_text()


def test_this_chip_comes_first_and_siblings_are_of_its_capability():
    found = others.published(RUN, quantity("l1.latency", 33.9, 34.1))
    assert [p.figure.gpu for p in found if p.same_chip] == ["H100 SXM5 80GB"]
    assert {p.figure.gpu for p in found if not p.same_chip} == {"GH200", "H100 NVL", "H100 PCIe", "H800 PCIe"}
    assert found[0].same_chip
    ada = RUN | {"device": RUN["device"] | {"compute_major": 8, "compute_minor": 9}}
    assert not {p.figure.gpu for p in others.published(ada, quantity("l1.latency", 33.9, 34.1))} & {"GH200"}


@pytest.mark.parametrize("run", [{}, {"provenance": "measured"}, {"provenance": "measured", "device": {"name": 3}}])
def test_a_run_that_says_little_has_none(run):
    assert others.published(run, quantity("l1.latency", 33.9, 34.1)) == []


def test_half_of_the_last_digit_counts():
    """38.0 cycles are 37.95 to 38.05; 219.3 are 219.25 to 219.35."""
    (own, *_) = others.published(RUN, quantity("l1.latency", 1, 2))
    assert (own.low, own.high) == pytest.approx((37.95, 38.05))
    for low, high, differs in ((33, 34, True), (33, 37.96, False), (38.04, 40, False), (38.06, 40, True)):
        assert own.differs(quantity("l1.latency", low, high)) is differs


def test_an_open_bracket_differs_on_one_side_only():
    (own, *_) = others.published(RUN, quantity("l1.size", 1, 2))
    whole = quantity("l1.size", 1, 2)
    for low, high, differs in ((None, 3e5, False), (None, 2e5, True), (2e5, None, False), (3e5, None, True)):
        assert own.differs(replace(whole, estimate=Estimate(None, low, high, 3))) is differs
    assert not own.differs(replace(whole, estimate=None))


def test_units_are_turned_into_ours():
    found = {p.figure.unit: p for p in others.published(RUN, quantity("dram.read_rate", 1, 2)) if p.same_chip}
    assert found["GiB/s"].low == pytest.approx(2561.0 * 2**30 / 1e9, rel=1e-4)


def test_a_range_and_a_text_as_value():
    figure = structs.replace(FIGURES[0], value=[3, 1, 2])
    assert figure.ends == (1, 3)
    assert structs.replace(figure, value="0/8/16").ends is None


def test_a_folder_that_is_damaged_has_none(tmp_path):
    folder = tmp_path / others.FOLDER
    folder.mkdir(parents=True)
    for content in (None, '{"ours": 3}\n', '{"gpu": "H200"}\n'):
        if content:
            (folder / "published.jsonl").write_text(content)
            (folder / "chips.json").write_text("{}")
        others.figures.cache_clear()
        assert others.figures(tmp_path) == ({}, {}, {})


@pytest.mark.slow
def test_the_sheet_shows_them_in_80_columns(monkeypatch, h100, h200):
    monkeypatch.setenv("COLUMNS", "80")
    archive = archives.load(h100)
    sheets = [(archive, infer(archive))]
    text = as_text(sheets)
    assert max(map(len, text.splitlines())) <= 80
    below = text.partition("Published values for this chip")[2]
    assert "38 cycles DIFFERS" in below
    assert "siblings:" in below
    assert as_text(sheets * 2).count("Published values for this chip") == 1
    assert "Published values for NVIDIA H100 80GB HBM3" in as_text([*sheets, (archives.load(h200), infer(archive))])
    (row,) = [row for row in csv.DictReader(as_csv(sheets).splitlines()) if row["quantity"] == "l1.latency"]
    assert row["published"].startswith("38 cycles DIFFERS (MT4G ")
    (document,) = json.loads(as_json(sheets))["archives"]
    (l1,) = [q for q in document["quantities"] if q["quantity"] == "l1.latency"]
    assert (l1["published"][0]["gpu"], l1["published"][0]["differs"]) == ("H100 SXM5 80GB", True)
    assert l1["published"][0]["source"]["title"].startswith("MT4G")
