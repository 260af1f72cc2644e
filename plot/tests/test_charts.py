"""Charts: every probe gets its figure, the same bytes every time, marked where it is synthetic, whatever is missing."""

import csv
import json
import re
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import matplotlib as mpl
import msgspec
import pytest
from invent import PROBES, archive_lines, name_of, write

from gpufx_plot import UserError
from gpufx_plot.archive import load as archives
from gpufx_plot.chip.definitions import definitions
from gpufx_plot.chip.inference import Inference
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.charts import MOST_PANELS, NoFigureError, Wanted, chart, content, draw_all, numbers, pairs
from gpufx_plot.showing.charts import draw as drawing
from gpufx_plot.showing.charts.by_file import Measure
from gpufx_plot.showing.charts.figure_file import FIELD, FigureFile, checked, fill, named_panels, read
from gpufx_plot.showing.charts.figure_file import texts as quoting
from gpufx_plot.showing.charts.frame import Frame, scales, spread_out
from gpufx_plot.showing.charts.look import DEVICES, RAMP, SERIES, SHEETS, Source, sheet_of, sources_of
from gpufx_plot.showing.charts.pen import Label, Panel, Row, centre

TOP = Path(__file__).resolve().parents[2]
WATERMARK = b'id="watermark-synthetic"'


def draw(*arguments):
    return drawing(*arguments).figure


@pytest.fixture(scope="module")
def synthetic(full):
    return archives.load(full)


@pytest.fixture(scope="module")
def measured(other):
    return archives.load(other)


@pytest.fixture(scope="module")
def conflicts(synthetic):
    """The figure of a probe as most tests look at it."""
    return drawing([synthetic], "bank_conflict")


def texts(figure) -> str:
    """All words of a figure."""
    found = [text.get_text() for text in figure.texts]
    for ax in figure.axes:
        found += [t.get_text() for t in ax.texts] + [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    return "\n".join(found)


@pytest.mark.slow
def test_files_are_the_same_whatever_the_users_own_settings(synthetic, tmp_path, monkeypatch):
    first = draw_all([synthetic], tmp_path / "new" / "one", ["constant"], ("png", "svg"))
    monkeypatch.setitem(mpl.rcParams, "font.size", 30)
    monkeypatch.setitem(mpl.rcParams, "svg.hashsalt", "mine")
    second = draw_all([synthetic], tmp_path / "two", ["constant"], ("png", "svg"))
    assert [path.name for path in first] == ["constant.png", "constant.svg"]
    png, svg = (path.read_bytes() for path in first)
    assert [png, svg] == [path.read_bytes() for path in second]
    assert {p.name for p in (tmp_path / "two").iterdir()} == {*(p.name for p in second)}
    assert png.startswith(b"\x89PNG") and b"pHYs" in png and b"Software" not in png
    assert WATERMARK in svg and b"<dc:date>" not in svg


@pytest.mark.slow
def test_measured_archives_carry_no_watermark_and_overlays_name_both(synthetic, measured, tmp_path):
    (alone,) = draw_all([measured], tmp_path, ["constant"], ("svg",))
    assert WATERMARK not in alone.read_bytes()
    words = texts(draw([measured, synthetic], "constant"))
    assert "NVIDIA H200 (sm_90) · driver 580.65.06 · 2 processes · 2026-11-20" in words
    assert "NVIDIA RTX 4090 (sm_89)" in words and "SYNTHETIC" in words


@pytest.mark.slow
@pytest.mark.parametrize("probe", sorted({*PROBES} - {"null"}))
def test_a_figure_is_drawn_from_whatever_is_there(probe, tmp_path):
    """One case alone, single sweeps, no fits, one process: no chart may assume that a case exists."""
    head, *lines = archive_lines(1, n=1, probes=(probe,))
    cases = [line for line in lines if line["type"] == "case"]
    sweeps = {case["sweep"] for case in cases}
    parts = [cases[:1], cases[-1:], cases[::7]] + [[c for c in cases if c["sweep"] == sweep] for sweep in sweeps]
    for index, part in enumerate(parts):
        loaded = archives.load(write(tmp_path / f"{index}.jsonl", [head, *part]))
        try:
            assert "?" in texts(draw([loaded], probe))
        except NoFigureError as reason:
            assert str(reason) == f"{probe}: these cases are too few for its figure"


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda case: {"params": case["params"] | {"distinct": str(case["params"]["distinct"])}},
        lambda case: {"params": {axis: value for axis, value in case["params"].items() if axis != "space"}},
        lambda case: {"median": 0.0, "samples": [0.0], "ci95": [0.0, 0.0]},
        lambda case: {"median": -1.0, "samples": [-1.0], "ci95": [-1.0, -1.0]},
    ],
)
def test_odd_cases_end_in_a_figure_or_a_reason(change, tmp_path):
    head, *lines = archive_lines(1, n=1, probes=("constant",))
    cases = [line | change(line) for line in lines if line["type"] == "case"]
    cases = {name_of(line["probe"], line["params"]): line for line in cases}  # two may have become one
    path = write(tmp_path / "odd.jsonl", [head, *(line | {"name": name} for name, line in cases.items())])
    try:
        assert draw([archives.load(path)], "constant").axes
    except NoFigureError as reason:
        assert str(reason).startswith("constant: ")


FILES = sorted(TOP.glob("micro/*/*/figure.json"))
TYPED = re.compile(r"\d(?:\.\d|x\b| (?:%|[nµm]s|cycles|[GT]B/s|MHz|W)(?!\w))")


def test_the_schema_has_the_keys_that_are_read():
    """results/schema/figure-1.schema.json is for people and editors; the structs are what is read."""
    schema = json.loads((TOP / "results/schema/figure-1.schema.json").read_text("utf-8"))
    own = msgspec.json.schema(FigureFile)["$defs"]
    assert schema["$defs"].keys() == own.keys()
    for name, struct in own.items():
        keys = schema["$defs"][name]["properties"]
        assert keys.keys() == struct["properties"].keys() and schema["$defs"][name]["additionalProperties"] is False
        assert all("description" in key for key in keys.values() if name == "FigureFile")


def test_every_figure_can_be_read_and_quotes_quantities_alone():
    assert len(FILES) > 40
    for path in FILES:
        for where, text in quoting(read(path)):
            if where.startswith(("title", "otherwise")):
                assert not TYPED.search(FIELD.sub("", text)), (path.parent.name, text)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"panels": [{"x": "a", "titel": "t"}]}, "unknown field `titel` - at `$.panels[0]`"),
        ({"panels": [{"x": "a", "bars": "b"}]}, "panels[0]: needs one of x, bars and residuals"),
        ({"supplement": [{"x": "a", "law": "curve"}]}, "Invalid enum value 'curve' - at `$.supplement[0].law`"),
        ({"title": ["{a.b:whole}"]}, "title[0]: 'whole' is none of bare, peak"),
        ({"question": "no question"}, "`$.question`"),
    ],
)
def test_an_error_in_a_figure_names_the_file_and_the_key(change, words, tmp_path, monkeypatch):
    with pytest.raises(UserError) as told:
        checked({"question": "q?", "panels": []} | change)
    assert words in str(told.value)
    folder = tmp_path / "micro" / "group" / "wrong_one"
    folder.mkdir(parents=True)
    (folder / "figure.json").write_text(json.dumps({"question": "q?", "panels": []} | change))
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    with pytest.raises(UserError, match=r"wrong_one/figure\.json'?: "):
        chart("wrong_one")


@pytest.mark.slow
@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyError("width")])
def test_a_chart_that_fails_says_so(error, synthetic, monkeypatch, tmp_path, capsys):
    def fail(*_):
        raise error

    monkeypatch.setattr(chart("bank_conflict"), "panels", fail)
    with pytest.raises(
        NoFigureError, match=r"^bank_conflict: bank_conflict/figure.json can't be drawn from these cases"
    ):
        draw([synthetic], "bank_conflict")
    draw_all([synthetic], tmp_path, ["bank_conflict", "constant"], ("png",))
    assert [path.name for path in tmp_path.iterdir()] == ["constant.png"]
    assert "no figure of bank_conflict: bank_conflict/figure.json" in capsys.readouterr().err


def test_a_defect_of_a_chart_is_not_hidden(synthetic, monkeypatch):
    monkeypatch.setattr(chart("bank_conflict"), "panels", lambda sources: sources.nothing)
    with pytest.raises(AttributeError, match="nothing"):
        draw([synthetic], "bank_conflict")


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["access_order", "carveout", "constant", "gather", "launch", "overlap"])
def test_words_cover_no_series_of_another_colour(h200, probe):
    for ax in draw([archives.load(h200)], probe, Wanted("89mm", heads=False)).axes:
        for text, line in product(ax.texts, [line for line in ax.lines if line.get_linestyle() == "-"]):
            path = line.get_path().transformed(ax.transData)
            own = text.get_color() == line.get_color()
            assert own or not path.intersects_bbox(text.get_window_extent(), filled=False), text.get_text()


def test_a_foreign_probe_has_no_figure(tmp_path):
    head, *lines = archive_lines(1, n=1, probes=("constant",))
    cases = [line for line in lines if line["type"] == "case"]
    renamed = [line | {"probe": "l2_slices", "name": name_of("l2_slices", line["params"])} for line in cases]
    with pytest.raises(UserError, match=r"^no figure of l2_slices: there is no file micro/"):
        draw_all([archives.load(write(tmp_path / "x.jsonl", [head, *renamed]))], tmp_path / "o", [], ("png",))


@pytest.mark.slow
def test_what_was_not_measured_gets_no_mark(synthetic, tmp_path):
    def drawn(loaded):
        return {row.series for row in drawing([loaded], "constant").rows if row.panel == "a"}

    assert drawn(synthetic) == {"constant memory", "shared memory", "global memory"}
    head, *lines = archive_lines(1, n=1, probes=("constant",))
    only = [line for line in lines if line["type"] == "case" and line["params"]["space"] == "constant"]
    assert drawn(archives.load(write(tmp_path / "x.jsonl", [head, *only]))) == {"constant memory"}


def contrast(colour: str) -> float:
    """On white, by the definition of WCAG."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def test_every_colour_can_be_seen_on_white():
    assert contrast("#FFFFFF") == pytest.approx(1)
    assert [colour for colour in (*DEVICES, *SERIES, *RAMP) if contrast(colour) < 3] == []


def test_the_range_of_a_ratio_holds_what_its_base_differs_by():
    def case(order: str, medians: list[float], processes: list[int], spread=None) -> SimpleNamespace:
        own = {"name": order, "params": {"order": order}, "medians": medians, "processes": processes}
        return SimpleNamespace(**own, value=medians[0], spread=spread or (min(medians), max(medians)))

    base, alike, fewer = case("a", [1.0, 2.0], [0, 1]), case("b", [3.0, 8.0], [0, 1]), case("c", [4.0], [0], (3.0, 5.0))
    panel = SimpleNamespace(against="order=a", scale=1.0, inverse=False)
    measure = Measure(panel, SimpleNamespace(points=[base, alike, fewer]), "cost")
    assert measure.ends(base) == (1, 1, 1)
    assert measure.ends(alike) == pytest.approx((12**0.5, 3, 4))  # of the processes that both have
    assert measure.ends(fewer) == pytest.approx((8**0.5, 1.5, 5))  # of any two


@pytest.mark.slow
def test_two_archives_have_two_colours_two_findings_and_their_ratio(synthetic, measured):
    loaded = [synthetic, measured]
    assert drawing(loaded, "bank_conflict").caption.startswith("In part synthetic: A 32-way bank conflict costs")
    both = drawing([measured, measured], "bank_conflict").caption
    assert both.count("bank conflict costs") == 1 and "and" not in both.partition("conflict costs")[2][:8]
    twice = drawing([synthetic, synthetic], "bank_conflict")
    assert len({row.source.colour for row in twice.rows}) == 2


@pytest.mark.slow
def test_two_archives_say_whose_a_band_and_which_a_ratio_is(h100, h200, tmp_path):
    loaded = [archives.load(h100), archives.load(h200)]
    alone = [texts(draw(loaded[1:], "bank_conflict", Wanted(heads=heads))) for heads in (True, False)]
    assert ["what the title speaks of" in words.replace("\n", " ") for words in alone] == [True, False]
    figure = draw(loaded, "occupancy", Wanted(sheet="183mm", heads=False))
    bands = {patch.get_facecolor()[:3] for patch in figure.axes[0].patches}
    assert bands == {mpl.colors.to_rgb(source.colour) for source in sources_of(loaded, "occupancy")}
    around = draw_all(loaded, tmp_path, ["occupancy"], ("svg",), Wanted(sheet="183mm", heads=False))[-1].read_text()
    assert not any(f"archive {a.run['id']}" not in around or f"archive {a.run['id']}" in texts(figure) for a in loaded)
    assert "of each device in its colour: warps per SM" in around
    assert [texts(figure).count(name) for name in ("\u25cf 1 load\n", "1 load\n")] == [1, 1]  # one key for both
    assert all(line.get_linestyle() != "None" for line in figure.axes[1].lines)  # also where a law is drawn
    bars, *_, ratios = draw(loaded, "dram_locality", Wanted("183mm")).axes
    assert [label.get_text() for label in ratios.get_yticklabels()] == ["b: reads", "b: writes"]
    (x, y), (_, beside), (below, _) = (t.get_position() for t in bars.figure.texts if t.get_text() in ("a", "b", "c"))
    assert x == below and y == beside and not any(line.get_visible() for line in bars.lines[:2])  # that were specks
    beside = [re.search(r" \(([\d.]+)x\)$", words.get_text()) for words in bars.texts]
    assert [float(found[1]) for found in beside if found] == [1.44, 1.42, 1.42, 1.42]
    drawn = ("constant", "bank_conflict", "launch", "memory_latency", "stencil")
    said = {effect: texts(draw(loaded, effect)).replace("\n", " ") for effect in drawn}
    assert [effect for effect in drawn if "on two hosts" in said[effect]] == ["launch"]
    assert re.search(r"Two hosts: logical CPUs \d+ -> \d+", said["launch"])
    assert (
        re.search(r"\(H200\): [^:]*L2[^:]*: 28\d", said["memory_latency"])
        and "of this model" not in said["bank_conflict"]
    )
    assert "not comparable: the launch differs" in said["stencil"] and "Also differ" not in said["stencil"]
    assert re.search(r"H200 vs H100: SM cycles -1\.\d to -2\.\d % in \d+ of \d+ cases", said["constant"])
    assert "The same on H100 and H200 within 1 %" in said["bank_conflict"] and "x*)" in said["memory_latency"]


@pytest.mark.slow
def test_two_archives_differ_in_what_is_drawn_and_every_ratio_is_in_the_data(h100, h200):
    pair = [archives.load(h200), archives.load(h100)]
    of = ("reduction", "transfer", "async_copy", "bank_conflict")
    reduction, transfer, copies, conflicts = map(partial(drawing, pair), of)
    assert "CUB" not in reduction.title and re.search("Also differ: .*CUB", reduction.caption)  # its best is not drawn
    # not the little that the figure speaks of
    assert re.search(r" in (all|\d+ of) \d+ cases \(most: .*\)\.", copies.title)
    assert " costs 32.0x as much " in conflicts.title  # 31.96x and 31.95x
    rows = [*csv.DictReader(numbers(reduction).decode().splitlines())]
    old, new = (float(row["y"]) for row in rows if row["x"] == "CUB")
    assert [float(row["ratio"]) for row in rows if row["x"] == "CUB" and row["ratio"]] == [pytest.approx(new / old)]
    rows = [row for row in csv.DictReader(numbers(transfer).decode().splitlines()) if row["panel"] == "c"]
    ratios = [float(row["y"]) for row in rows if row["x"] == "a: all" and row["case"] != "median"]
    assert all(row["ratio"] == row["y"] and bool(row["over"]) == (row["case"] != "median") for row in rows)
    assert len(ratios) > 5 and [float(r["y"]) for r in rows if r["x"] == "a: all"][-1] == pytest.approx(median(ratios))


def test_two_archives_are_told_by_all_panels_and_what_has_no_ratio(monkeypatch):
    sides = [SimpleNamespace(archive=object(), label=label) for label in "AB"]
    monkeypatch.setattr(pairs, "hosts_behind", lambda _: [])
    known = {"x/mma": SimpleNamespace(verdict="UNSURE")}
    monkeypatch.setattr(pairs, "_last", [*(side.archive for side in sides), known])
    watts = [("copy", side, f"x/copy of {side.label}", 2.0, y) for side, y in zip(sides, (500, 580), strict=True)]
    cases = [("mma", sides[0], "x/mma", 1.0, 100), ("mma", sides[1], "x/mma", 1.0, 97)]

    def pen(axis, rows):
        drawn = [Row(*of, y, y, y, "", of_cost=axis != "W") for *of, y in rows]
        return SimpleNamespace(comparable=True, listed=0, names=("s", axis), rows=drawn)

    clock, power, alone = pen("MHz", cases), pen("W", watts), pen("MHz", [("mma", sides[0], "x/long", 4.0, 100)])
    assert pairs.judged(sides, [clock]) == ([], "B over A: MHz 0.97x; no case surely different")
    # Nobody compared the power, whose cases have names of their own, and a mark has none beside it.
    assert pairs.judged(sides, [clock, power]) == ([], "B over A: W 1.16x; interval not known")
    assert pairs.judged(sides, [clock, alone]) == pairs.judged(sides, [clock])
    assert pairs.without_counterpart(sides, [clock, power, alone]) == ["without a ratio: 1 of the marks of A"]
    assert pairs.without_counterpart(sides[:1], [clock, alone]) == []


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["clock_and_power", "data_toggle", "coalescing", "pattern", "launch", "reduction"])
def test_what_two_archives_are_titled(h100, h200, probe):
    """In one column in three lines; a range holds every pair that can be found in the archives."""
    pair = [archives.load(h100), archives.load(h200)]
    said = drawing(pair, probe, Wanted(sheet="89mm"))
    title, below, *_ = said.caption.splitlines()
    bold = [text for text in said.figure.texts if text.get_fontweight() == "bold" and len(text.get_text()) > 1]
    assert " ".join(text.get_text() for text in bold) == title and len(bold) <= 3
    for figure in {"clock_and_power": ("power_W",), "data_toggle": ("power_W",)}.get(probe, ()):
        drawn = [[p for p in a.points if p.probe == probe and figure in p.extras] for a in pair]
        longest = [
            [p for p in of if p.params.get("duration", 9) > (7 if p.params["task"] == "mma" else 2)] for of in drawn
        ]
        watts = [{tuple(map(p.params.get, ("task", "at", "data"))): p.extras[figure] for p in of} for of in longest]
        ratios = [watts[1][at] / watts[0][at] for at in watts[0].keys() & watts[1].keys()]
        low, high = map(float, re.search(r" H200 over H100: W ([\d.]+)x to ([\d.]+)x;", below).groups())
        assert len(ratios) > 8 and low - 0.01 < min(ratios) and max(ratios) < high + 0.01
        assert below.endswith("interval not known.")
    undecided = re.findall(r"([\d.]+) \([\d.]+x\?\)", texts(said.figure))
    apart = re.findall(r"([\d.]+)\S* ?[^ ()]* \(H\d00\)", title)  # no title names chips apart whose panel is not sure
    assert not {*apart} & {*undecided}


def test_a_law_that_does_not_hold_is_not_drawn(synthetic, conflicts, monkeypatch):
    for fit in synthetic.merged_fits:
        monkeypatch.setattr(fit, "law_holds", False)
    broken = drawing([synthetic], "bank_conflict")
    assert [any(row.law for row in one.rows) for one in (conflicts, broken)] == [True, False]
    said = ["No law is drawn where it does not hold" in texts(one.figure) for one in (conflicts, broken)]
    assert said == [False, True]


@pytest.mark.slow
def test_supplement_and_sheets(synthetic, conflicts):
    first, further = conflicts.figure, draw([synthetic], "bank_conflict", Wanted(supplement=True))
    assert 1 <= len(first.axes) <= 4
    titles = {ax.get_title(loc="left") for ax in first.axes}
    assert titles.isdisjoint(ax.get_title(loc="left") for ax in further.axes)
    for name in ("page", "75mm", "250mm"):
        assert draw([synthetic], "bank_conflict", Wanted(sheet=name)).get_size_inches()[0] == sheet_of(name).width
    for name in ("74.9mm", "251mm", "89", "mm", "-89mm", "1e2mm", "nanmm", "\u0668\u0669mm"):
        with pytest.raises(UserError, match="neither page nor 75mm to 250mm"):
            sheet_of(name)
    (alone,) = draw([synthetic], "bank_conflict", Wanted(supplement=True, panel="c")).axes
    assert further.axes[1].get_title("left") == alone.get_title("left")
    panel = drawing([synthetic], "constant", Wanted(panel="b"))
    assert panel.title == "Synthetic: " + panel.figure.axes[0].get_title("left")
    pages = [drawing([synthetic], "bank_conflict", Wanted("89mm", more)) for more in (False, True)]
    parts = range(1, pages[-1].parts)
    pages += [drawing([synthetic], "bank_conflict", Wanted("89mm", True, part=part)) for part in parts]
    assert pages[0].parts == 1 and parts and all(page.figure.get_size_inches()[1] <= 200 / 25.4 for page in pages)
    letters = [letter for page in pages for letter in page.names]
    assert letters == sorted({*letters}) and len(letters) == len(first.axes) + len(further.axes)


def test_no_text_is_smaller_than_can_be_read():
    """6.5 points in print; 9 pixels where a page shows the picture 600 wide."""
    assert min(sheet_of(name).small for name in ("75mm", "250mm")) >= 6.5
    assert SHEETS["page"].small * 600 / (72 * SHEETS["page"].width) >= 9


@pytest.mark.slow
def test_a_panel_that_shows_nothing_is_left_out(synthetic, monkeypatch):
    def points(source, ways):
        loads = [p for p in source.points if (p.params.get("op"), p.params.get("width")) == ("load", 4)]
        return [p for p in loads if p.params["stride"] in ways]

    def curve(pen, ways):
        for source in pen.sources:
            pen.plot(source, points(source, ways), lambda p: p.params["stride"], lambda _, cost: cost, "all")

    panels = [Panel(partial(curve, ways=ways)) for ways in ([1, 2, 4], [1], [-1], [2, 8])]
    monkeypatch.setattr(chart("bank_conflict"), "panels", lambda _: panels)
    monkeypatch.setattr(chart("bank_conflict"), "without", "why there is no figure where no panel shows anything")
    shown = drawing([synthetic], "bank_conflict")
    assert len(shown.figure.axes) == 2 and {row.panel for row in shown.rows} == {"a", "b"}
    assert [{row.x for row in shown.rows if row.panel == letter} for letter in "ab"] == [{1, 2, 4}, {2, 8}]


@pytest.mark.slow
def test_bars_of_a_series_stand_beside_each_other(synthetic, measured, monkeypatch):
    def bars(pen):
        rows = [
            (name, source, (value, value, value, "", "", True, ""), index)
            for source in pen.sources
            for name, index, value in (("x", 0, 1.0), ("x", 1, 2.0), ("y", 1, 3.0))
        ]
        pen.bars(rows, str, False, {0: "one", 1: "two"}, {})
        pen.axes("", "", "", scales.zero, None)

    monkeypatch.setattr(chart("bank_conflict"), "panels", lambda _: [Panel(bars)])
    one = draw([synthetic], "bank_conflict").axes[0]
    middles = [bar.get_y() + bar.get_height() / 2 for bar in one.patches]
    assert middles == pytest.approx([-0.2, 0.2, 1.0])
    assert [t.get_text() for t in one.texts if t.get_text().startswith("\u25a0")] == ["\u25a0 one", "\u25a0 two"]
    two = draw([synthetic, measured], "bank_conflict").axes[0]
    assert [label.get_text() for label in two.get_yticklabels()] == ["x, one", "x, two", "y, two"]


@pytest.mark.slow
def test_text_is_text_in_every_vector_format(synthetic, conflicts):
    svg = content(conflicts, "svg")
    assert b">Synthetic: A 32-way bank conflict costs" in svg
    assert b">What does a shared-memory bank conflict cost?</text>" in svg
    assert b"'DejaVu Sans', 'Verdana', sans-serif" in svg  # for who lacks the first
    pdf = content(conflicts, "pdf")
    assert b"DejaVuSans" in pdf
    assert b"CreationDate" not in pdf
    assert content(drawing([synthetic], "bank_conflict"), "pdf") == pdf


@pytest.mark.slow
def test_the_data_are_what_is_drawn(synthetic, conflicts, full, tmp_path, cli):
    header, *rows = numbers(conflicts).decode().splitlines()
    assert header == "panel,series,device_name,run,case,over,x_name,x,y_name,y,low,high,interval,processes,law,ratio"
    by_name = {p.name: centre(p.medians) for p in synthetic.points}
    drawn = [row for row in csv.reader(rows) if row[0] == "a"]
    assert drawn and all(float(row[9]) == by_name[row[4]] for row in drawn)
    assert all(bool(row[9]) == bool(row[10]) == bool(row[11]) for row in csv.reader(rows))
    assert cli("plot", full, "-o", tmp_path, "--probe", "bank_conflict", "--data", "--format", "svg")[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix) == ["bank_conflict.csv", "bank_conflict.svg"]


@pytest.mark.slow
def test_the_number_of_a_bar_is_its_y(h200):
    rows = [*csv.DictReader(numbers(drawing([archives.load(h200)], "sharing")).decode().splitlines())]
    assert {(row["x_name"], row["y_name"], row["processes"]) for row in rows} == {("", "% of its speed alone", "1")}


def test_labels_are_moved_apart_no_more_than_they_must():
    assert spread_out([0.1, 0.5, 0.9], 0.1) == pytest.approx([0.1, 0.5, 0.9])
    assert spread_out([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    assert max(spread_out([0.98, 0.99, 1.0], 0.1)) == pytest.approx(1.0)


@pytest.mark.slow
def test_the_command_line(full, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = cli("plot", full, "-o", tmp_path / "deep" / "er", "--probe", "constant", "--format", "png")
    assert (status, out, err) == (0, "deep/er/constant.png\n", "")
    status, _, err = cli("plot", full, "-o", tmp_path, "--probe", "null")
    assert status == 2 and "no figure of null: one number" in err
    assert cli("plot", full, "-o", tmp_path, "--probe", "nosuch")[0] == 2
    assert "choose another -o" in cli("plot", full, "-o", tmp_path / "deep/er/constant.png", "--probe", "constant")[2]
    none = write(tmp_path / "x.jsonl", [archive_lines(1, probes=())[0]])
    assert "no finished case" in cli("plot", none, "-o", tmp_path)[2]


EFFECTS = sorted(path.parent.name for path in TOP.glob("micro/*/*/probe.cu"))


def measured_as_today(archive, effect):
    """An effect that was measured by another method may have other axes, of which its picture knows nothing."""
    (source,) = TOP.glob(f"micro/*/{effect}/probe.cu")
    today = re.search(r"\.method_version =\s+(\d+)", source.read_text())
    return effect in archive.measured and archive.run["probes"][effect]["method_version"] == int(today[1])


@pytest.fixture(scope="module")
def real(h200):
    return archives.load(h200)


def of_quantity(inference, d):
    """The cases that a quantity is of: the best one or the pair of the largest ratio, else the selected ones."""
    estimate = inference.estimate(d)
    if d.by == "ratio":
        pairs = [(a.point, b.point) for a, b in inference.pairs(d)]
        return next({a.name, b.name} for a, b in pairs if estimate.note in ("", a.label))
    points = [value.point for value in inference.select(d)]
    return {p.name for p in points if d.by != "best" or estimate.note in ("", p.label)}


@pytest.mark.slow
def test_every_figure_of_the_tree_has_a_title_and_draws_the_cases_of_it(real, monkeypatch):
    """Of each quantity that the title quotes: its cases, of a ratio both, or its value."""
    quoted, known_of = [], Source.quantity
    monkeypatch.setattr(Source, "quantity", lambda self, name: (quoted.append(name), known_of(self, name))[1])
    inference, known = Inference(real), {d.id: d for d in definitions(real.run)}
    determined, absent = {q.id for q in infer(real) if q.determined}, {}
    effects = [one for one in EFFECTS if measured_as_today(real, one)]
    for effect in effects:
        quoted.clear()
        own, sources = chart(effect), sources_of([real], effect)
        said = own.finding(sources)
        assert said and len(said) <= 180 and not said.endswith(".") and not said.startswith(f"{effect}: "), effect
        titled = {*quoted}
        with mpl.rc_context():
            frame = Frame(sources, Wanted(), "")
            rows = [row for pen in frame.drawn(own.panels(sources))[:MOST_PANELS] for row in pen.rows]
            frame.drawn(own.panels(sources, "supplement"))
        assert rows or own.without, effect
        drawn, heights = {row.case for row in rows}, [row.y for row in rows]
        for name in titled & determined if rows else ():
            cases, value = of_quantity(inference, known[name]), inference.estimate(known[name]).value
            there = cases <= drawn if known[name].by == "ratio" else cases & drawn
            if not there and not (value and pytest.approx(value, rel=0.01) in heights):
                absent.setdefault(effect, []).append(name)
    assert len(effects) > 20 and absent == {}


@pytest.mark.slow
def test_a_number_without_its_unit_stands_at_the_mark_whose_value_it_is(reference, monkeypatch):
    archive, marks, wrong = archives.load(reference), [], []
    monkeypatch.setattr("gpufx_plot.showing.charts.by_file.Label", lambda x, *of: marks.append(of) or Label(x, *of))
    for effect in sorted({*archive.probes} & {*EFFECTS}):
        own, sources = chart(effect), sources_of([archive], effect)
        words = {words for _, panel in named_panels(own.file) for words in panel.labels.values() if ":bare}" in words}
        marks.clear()
        with mpl.rc_context():
            frame = Frame(sources, Wanted(), "")
            frame.drawn([*own.panels(sources), *own.panels(sources, "supplement")] * bool(words))
        for text in filter(None, (fill(sources, one) for one in words)):
            decimals = len(text.partition(".")[2])
            at = [y for y, said, *_ in marks if said == text]
            wrong += [(effect, text, at)] * ([float(text)] != [pytest.approx(y, abs=0.51 * 10**-decimals) for y in at])
    assert wrong == []


@pytest.mark.slow
def test_a_panel_without_cases_draws_nothing(real):
    """The library asks every panel of every archive, also of one that was cut short."""
    (source,) = sources_of([real], "null")
    source.points = []
    with mpl.rc_context():
        for effect in EFFECTS:
            own, frame = chart(effect), Frame([source], Wanted(), "")
            assert frame.drawn([*own.panels([source]), *own.panels([source], "supplement")]) == [], effect
