"""The sheet for a paper, quantities that are chosen by name and by probe, and exports."""

import csv
import io
import json
import re
from types import SimpleNamespace

import duckdb
import pytest
from invent import archive_lines, write

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.call.number_text import moved_between
from gpufx_plot.cards.export_rows import export
from gpufx_plot.chip import quantity_text
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Estimate, Quantity
from gpufx_plot.showing import sheet
from gpufx_plot.showing.difference import change_json, change_text, legend
from gpufx_plot.showing.side import chip_names


@pytest.mark.slow
def test_latex_is_a_table_without_a_bare_sign(h200):
    archive = load(h200)
    found = infer(archive)
    assert not any(quantity_text.cards_text(q) for q in found if q.estimate and q.estimate.bracket)
    text = sheet.as_latex([(archive, found)])
    first, _, body = text.partition("\\endhead\n")
    assert first.count(r"\caption") == first.partition(r"\endfirsthead")[0].count(r"\caption") == 1
    body = body.partition("\n\\bottomrule")[0].splitlines()
    begun, ended = re.findall(r"\\begin\{([a-z*]+)\}", text), re.findall(r"\\end\{([a-z*]+)\}", text)
    assert begun == ended == ["longtable"]
    assert len(body) == len([q for q in found if not q.waived])
    assert all(line.count(" & ") == 3 and line.endswith(r" \\") for line in body)
    assert not re.search(r"(?<!\\)[%$#_]", re.sub(r"\$(\\pm|\\mu|\\times|-)\$", "", "".join(body)))
    start = r"a dependent load that misses all caches\newline\texttt{dram.\allowbreak{}latency} & \qty{"
    assert any(line.startswith(start) and r"}{cycles} & \numrange{" in line for line in body)
    shares = [float(share) for share in re.findall(r"p\{([.\d]+)\\linewidth\}", text.partition(r"\midrule")[0])]
    assert sum(shares) <= 0.95 and shares[0] > 0.3 and r" & other cards \\" in text
    assert archive.run["id"] in text
    assert r"99\,\% CIs for another run of this card within the hour" in text
    assert "(gpufx 0." in text
    assert f"\\label{{tab:gpufx-{archive.run['id']}-" in text and "±" not in text.partition(r"\caption")[2]


@pytest.mark.parametrize(
    ("base", "new", "cards", "word"),
    [
        ((100, 99, 101), (101, 100, 102), None, "+1.0 % (-0.4..2.4 %) same"),
        ((100, 60, 160), (140, 80, 200), 0.5, "+40.0 % (-32.6..161.0 %) unsure"),
        ((100, 97, 103), (100, 97, 103), None, "+0.0 % (-4.2..4.3 %) same"),
        ((100, 96, 104), (100, 96, 104), None, "+0.0 % (-5.5..5.8 %) unsure"),
        ((None, 96, 128), (None, 96, 128), None, "same"),
        ((None, 96, 128), (None, 112, 128), None, "unsure"),
        ((100, 99, 101), (105, 104, 106), 0.04, "+5.0 % (3.6..6.5 %) worse"),
        ((100, 99, 101), (105, 104, 106), 0.05, "+5.0 % (3.6..6.5 %) *"),
        ((100, 99, 101), (105, 104, 106), (0.04, 0.05), "+5.0 % (3.6..6.5 %) *"),  # archives of the model do
    ],
)
def test_same_excludes_5_percent_and_a_star_is_what_cards_differ_by(base, new, cards, word):
    definition = SimpleNamespace(better="smallest", id="q", by="slope")
    cards, apart = cards if isinstance(cards, tuple) else (cards, 0.0)
    pair = [Quantity(definition, Estimate(*of, 3), cards=cards, apart=apart) for of in (base, new)]
    assert change_text(*pair) == word
    told = change_json(*pair)
    assert (told["change"], told["within_cards"]) == (word.removesuffix(" *"), "*" in word)
    ends = [told[name] for name in ("ratio", "ratio_low", "ratio_high")]
    assert (moved_between(*ends) if "(" in word else "") == word.rpartition(" ")[0]
    assert len(legend([word])) == (word.rpartition(" ")[2] in ("same", "unsure", "*"))


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ((0.0, 0.0), "+10.0 % (8.5..11.6 %) worse"),
        ((0.04, 0.03), "+10.0 % (4.4..15.9 %) worse"),  # the two cards' own, and what cards of both models differ by
        ((0.08, 0.06), "+10.0 % (-0.6..21.7 %) *"),  # by less than either spread, but two others may be alike
        ((0.04, None), "+10.0 % (5.4..14.8 %) worse †"),
    ],
)
def test_a_change_from_model_to_model_holds_for_other_cards_or_says_that_it_does_not(cards, text):
    definition = SimpleNamespace(better="smallest", id="q", by="slope")
    ends = (100, 99, 101), (110, 108.9, 111.1)
    each = zip(ends, cards, "AB", strict=True)
    pair = [Quantity(definition, Estimate(*of, 3), cards=far, model=model) for of, far, model in each]
    assert change_text(*pair) == text
    assert change_json(*pair)["within_cards"] == (None if "†" in text else "*" in text)
    assert change_json(*pair)["change"] == text.removesuffix(" †").removesuffix(" *")
    assert bool(legend([text])) == text.endswith(("*", "†"))


@pytest.mark.slow
def test_at_80_columns_no_name_and_no_value_is_broken(cli, h200):
    lines = cli("sheet", h200)[1].splitlines()
    assert max(map(len, lines)) <= 80
    assert "  a dependent load that misses all caches" in lines
    names = {q.id for q in infer(load(h200)) if not q.waived}
    assert names <= {line.split()[0] for line in lines if line}
    values = [line for line in lines if not re.match(r"  (  )?[^ ]", line)]
    assert not [line for line in values if line.split()[-1:] == ["not"] or line.split() == ["determined"]]
    assert "device reports: async.dram_rate 9" in "\n".join(lines)


def test_signs_of_latex_are_escaped_and_in_math_mode():
    assert sheet.amount_latex("32 B exact") == r"\qty{32}{\byte} exact"
    assert sheet.amount_latex("2..2.063 KiB") == r"\qtyrange{2.000}{2.063}{\kibi\byte}"  # to the same place
    assert sheet.amount_latex("4 KiB or less") == r"\qty{4}{\kibi\byte} or less"
    assert sheet.latex("-33 % (-31.4..-29.5 %, -2..3) worse, a_b ±6 %, 1.2..1.3 µs, 16-byte") == (
        r"$-$33\,\% ($-$31.4 to $-$29.5\,\%, $-$2 to 3) worse, a\_b $\pm$6\,\%, 1.2--1.3 $\mu$s, 16-byte"
    )


def test_quantities_are_chosen_by_name_and_by_several_probes(cli, h200):
    def names(*options):
        return [line.split(",")[2] for line in cli("sheet", h200, "--format", "csv", *options)[1].splitlines()[1:]]

    assert {"l2.latency", "dram.latency", "shared.latency"} <= set(names("--filter", "latency"))
    assert set(names("--probe", "memory_latency,readonly")) == {
        *names("--probe", "memory_latency"),
        *names("--probe", "readonly"),
    }


@pytest.mark.slow
def test_a_row_tells_what_stands_behind_its_interval(cli, h200, tmp_path):
    rows = csv.DictReader(cli("sheet", h200, "--format", "csv")[1].splitlines())
    behind = {row["quantity"]: (row["cases"], row["processes"], row["cards"]) for row in rows}
    _, processes, cards = behind["dram.read_rate"]
    tasks = [p for p in load(h200).points if p.params.get("task") == "read" and p.probe == "dram_locality"]
    assert int(processes) == min(len(p.processes) for p in tasks) < max(len(p.processes) for p in tasks)
    assert int(cards) > 10
    rows = json.loads(cli("export", h200, "--format", "json")[1])["rows"]
    assert {
        row["quantity"]: tuple(str(row[name]) for name in ("cases", "processes", "cards")) for row in rows
    } == behind
    assert cli("export", h200, "--format", "parquet", "--output", tmp_path / "t")[0] == 0
    counts = duckdb.sql(f"SELECT quantity, cases, processes, cards FROM '{tmp_path}/t/quantities.parquet'").fetchall()
    assert {name: tuple(map(str, of)) for name, *of in counts} == {name: behind[name] for name, *_ in counts}
    assert len(counts) > 300


def test_columns_are_headed_by_the_chips(cli, h200, h100):
    assert re.search(r"^quantity +H200 +H100 ", cli("sheet", h200, h100)[1], re.MULTILINE)
    same = [SimpleNamespace(run={"id": run, "device": {"name": "NVIDIA H200"}}) for run in "ab"]
    assert chip_names(same) == ["H200 a", "H200 b"]


def test_a_wide_interval_is_a_factor():
    assert quantity_text.share_text(66.7) == "within a factor of 68"
    assert quantity_text.share_text(0.2) == "±20 %"


def test_a_filter_of_plain_words_finds_meanings_and_units(h200, cli):
    def ids(pattern):
        status, out, _ = cli("sheet", h200, "--filter", pattern, "--format", "csv")
        return status, [row["quantity"] for row in csv.DictReader(out.splitlines())]

    assert "chip.fma_rate" in ids("flop")[1]
    assert not [name for name in ids("^(?!dram)")[1] if name.startswith("dram")]
    assert ids("^flop")[0] == 2


# ---- Export: every form holds all figures with unit and provenance ----

IDENTITY = ("provenance", "run", "device_name", "arch")


@pytest.fixture(scope="module")
def both(full, other):
    """A synthetic archive and a measured one."""
    return [load(full), load(other)]


def table(text: bytes) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text.decode())))


def test_a_row_for_each_quantity_and_each_case(both):
    for archive in both:
        for by, expected in (("quantity", infer(archive)), ("case", archive.points), ("fit", archive.merged_fits)):
            rows = table(export(archive, "csv", by))
            assert len(rows) == len(expected)
            for row in rows:
                assert [row[name] for name in IDENTITY] == [
                    archive.run["provenance"],
                    archive.run["id"],
                    *(archive.run["device"][name] for name in ("name", "arch")),
                ]
                assert by == "fit" or row["unit"]


def test_cases_keep_their_figures_and_params(both):
    for point, row in zip(both[0].points, table(export(both[0], "csv", "case")), strict=True):
        assert row["name"] == point.name
        assert float(row["value"]) == point.value
        assert [float(row[end]) for end in ("low", "high")] == list(point.spread)
        assert int(row["processes"]) == len(point.medians)
        params = {n: v for n, v in row.items() if n.startswith("params.") and v not in ("", None)}
        assert {n: str(v) for n, v in params.items()} == {f"params.{n}": str(v) for n, v in point.params.items()}


def test_an_archive_without_cases_has_none_to_export(both):
    with pytest.raises(UserError, match="no case"):
        export(both[0].without_cases(), "csv", "case")


def test_what_was_cut_off_says_so_in_every_form(tmp_path, cli):
    """A run that was ended in the middle must not pass for a whole one in the next tool."""
    lines = archive_lines(2, n=3)[:-1]
    lines[1]["flags"] = ["throttled", "drift"]
    path = write(tmp_path / "cut.jsonl", lines)
    cut = load(path)
    assert cut.incomplete == "cut off"
    for by in ("quantity", "case"):
        rows = table(export(cut, "csv", by))
        assert {row["incomplete"] for row in rows} == {"cut off"}
    assert rows[0]["flags"] == "drift throttled"
    status, _, told = cli("export", path, "--format", "csv")
    assert (status, told) == (0, "note: the archive is incomplete: cut off\n")
    assert json.loads(cli("sheet", path, "--format", "json")[1])["archives"][0]["incomplete"] == "cut off"
