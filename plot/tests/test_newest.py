"""The archive that is taken where none is named is the one that the program would take: both are held to
tests/vectors/nearest_archive.json."""

from pathlib import Path

import pytest
from conftest import vectors

from gpufx_plot.archive.newest import nearest
from gpufx_plot.call.program import Entry


@pytest.mark.parametrize("case", vectors("nearest_archive.json"), ids=lambda case: case["what"])
def test_vectors(case):
    listed = sorted(case["archives"], key=lambda one: one["utc"], reverse=True)
    entries = [Entry(Path(), a["id"], a["slug"], a["arch"], a["synthetic"], 1) for a in listed]
    complete = {a["id"] for a in listed if a["complete"]}
    found = nearest(entries, case["slug"], case["arch"])
    measured = [entry for entry in found if not entry.synthetic]
    assert found[: len(measured)] == measured
    assert [e.id for e in measured if e.id in complete] == [name for name in case["nearest"] if name in complete]
