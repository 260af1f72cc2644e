"""A test opens no archive of results/ but those that it takes from a fixture (conftest.py)."""

import pytest
from conftest import REFERENCE, OtherArchiveError

from gpufx_plot.call.program import root


def test_archives_are_not_looked_for():
    with pytest.raises(OtherArchiveError):
        sorted((root() / "results").glob("sm_*/*/*"))


def test_without_a_fixture_none_is_opened():
    with pytest.raises(OtherArchiveError):
        REFERENCE["h200"].open("rb")


def test_with_one_no_other_is_opened(h200):
    h200.open("rb").close()
    with pytest.raises(OtherArchiveError):
        h200.with_name("another.jsonl.gz").open("rb")
