"""Export: every form holds all figures with unit and provenance."""

import csv
import io
import json

import pytest
from invent import archive_lines, write

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.exports import export

pytestmark = pytest.mark.slow

IDENTITY = ("provenance", "run", "device", "arch")


@pytest.fixture(scope="module")
def both(full, other):
    """A synthetic archive and a measured one."""
    return [load(full), load(other)]


def table(text: bytes) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text.decode())))


def test_a_row_for_each_quantity_and_each_case(both):
    for archive in both:
        for by, expected in (("quantity", infer(archive)), ("case", archive.points)):
            rows = table(export(archive, "csv", by))
            assert len(rows) == len(expected)
            for row in rows:
                assert [row[name] for name in IDENTITY] == [
                    archive.run["provenance"],
                    archive.run["id"],
                    *(archive.run["device"][name] for name in ("name", "arch")),
                ]
                assert row["unit"]


def test_cases_keep_their_figures_and_params(both):
    for point, row in zip(both[0].points, table(export(both[0], "csv", "case")), strict=True):
        assert row["name"] == point.name
        assert float(row["value"]) == point.value
        assert [float(row[end]) for end in ("low", "high")] == list(point.spread)
        params = {n: v for n, v in row.items() if n.startswith("params.") and v not in ("", None)}
        assert {n: str(v) for n, v in params.items()} == {f"params.{n}": str(v) for n, v in point.params.items()}


def test_an_archive_without_cases_has_none_to_export(both):
    with pytest.raises(UserError, match="no case"):
        export(both[0].without_cases(), "csv", "case")


def test_what_was_cut_off_says_so_in_every_form(tmp_path, cli):
    """A run that was ended in the middle must not pass for a whole one in the next tool."""
    path = write(tmp_path / "cut.jsonl", archive_lines(2, n=3)[:-1])
    cut = load(path)
    assert cut.incomplete == "cut off"
    for by in ("quantity", "case"):
        assert {row["incomplete"] for row in table(export(cut, "csv", by))} == {"cut off"}
    status, _, told = cli("export", path, "--format", "csv")
    assert (status, told) == (0, "note: the archive is incomplete: cut off\n")
    assert json.loads(cli("sheet", path, "--format", "json")[1])["archives"][0]["incomplete"] == "cut off"
