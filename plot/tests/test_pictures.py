"""The measured pictures of the tree come from the newest archive that can be shown."""

import re
import shutil
from pathlib import Path

import pytest
from gpufx_plot import UserError
from gpufx_plot.showing import pictures
from invent import archive_lines, write

TOP = Path(__file__).resolve().parents[2]
MEASURED = {"provenance": "measured"}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project with two effects and an empty results/."""
    for name in ("shared/bank_conflict", "instrument/null"):
        folder = tmp_path / "micro" / name
        folder.mkdir(parents=True)
        shutil.copy(TOP / "micro" / name / "figure.py", folder)
    (tmp_path / "results" / "sm_90" / "h").mkdir(parents=True)
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    return tmp_path


def add(tree, name: str, probes, **run):
    return write(tree / "results" / "sm_90" / "h" / f"{name}.jsonl.gz", archive_lines(1, n=1, probes=probes, **run))


def test_the_newest_archive_that_can_be_shown_wins(tree):
    add(tree, "20260101T000000Z-00000001", ("null", "bank_conflict"), run_id="00000001", **MEASURED)
    add(tree, "20260102T000000Z-00000002", ("null",), run_id="00000002", **MEASURED)
    add(tree, "20260103T000000Z-00000003", ("null",), run_id="00000003")  # synthetic
    add(tree, "20260104T000000Z-00000004", ("null",), run_id="00000004", quick=True, **MEASURED)
    (tree / "results" / "sm_90" / "h" / "20260105T000000Z-00000005.jsonl.gz").write_bytes(b"damaged")
    page = tree / "micro" / "instrument" / "null" / "README.md"
    page.write_text("![](measured.png)\nthe rest ![x](y)\n")
    assert pictures.rewrite([], tree) == ["00000002: null", "00000001: bank_conflict"]
    said = re.fullmatch(r"!\[(.*)\]\(measured\.png\)\nthe rest !\[x\]\(y\)\n", page.read_text())
    assert said and re.fullmatch(r"The harness adds \d+ ns per call of an empty function", said[1])
    for picture in ("shared/bank_conflict", "instrument/null"):
        assert (tree / "micro" / picture / "measured.png").read_bytes().startswith(b"\x89PNG")


def test_archives_that_are_named_are_taken_as_they_are(tree):
    path = add(tree, "20260103T000000Z-00000003", ("null",), run_id="00000003")
    assert pictures.rewrite([path], tree) == ["00000003: null", "no archive has: bank_conflict"]
    with pytest.raises(UserError, match="nosuch"):
        pictures.rewrite([tree / "nosuch"], tree)


def test_the_device_that_readme_shows_first_comes_first(tree):
    other = tree / "results" / "sm_90" / "a"
    other.mkdir()
    named = '{"h": "sm_90/h/20260101T000000Z-00000001.jsonl.gz", "a": "sm_90/a/20260102T000000Z-00000002.jsonl.gz"}'
    (tree / "results" / "reference.json").write_text(named)
    shown = tree / "results" / "sm_90" / "h" / "20260101T000000Z-00000001.jsonl.gz"
    for path in (shown, other / "20260102T000000Z-00000002.jsonl.gz"):
        path.write_bytes(b"")
    assert pictures.candidates(tree) == [shown, other / "20260102T000000Z-00000002.jsonl.gz"]
