"""From words to a question, its command and its figures."""

import re

import pytest
from planted_quantities import ROOT

from gpufx_plot import UserError
from gpufx_plot.archive import load as archives
from gpufx_plot.chip.definitions import of_the_tree
from gpufx_plot.showing import ask as asking
from gpufx_plot.showing.ask import PAGE, indexed, nearest_words, ranked, rows_of, stem

TEXT = (ROOT / PAGE).read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _asks(monkeypatch):
    """No program is asked: it lists no probe and no archive."""
    monkeypatch.setattr(asking, "ask", lambda *words: [])
    monkeypatch.setattr(asking, "root", lambda: ROOT)


def first(*words):
    return ranked(indexed(ROOT, []), words)[0][1]


@pytest.mark.parametrize(
    ("words", "probe", "command"),
    [
        ("ldg", "readonly", "claims"),
        ("__ldg", "readonly", "claims"),
        ("pinned", "pinning", "claims"),
        ("misaligned float4", "alignment", "pattern"),
        ("padding", "bank_conflict", "pattern"),
        ("TLB", "memory_latency", "sheet"),
        ("bank conflicts", "bank_conflict", "pattern"),
        ("last month's driver", "", "compare"),
        ("why is my number low", "", "info"),
        ("atomicAdd", "atomics", "claims"),
        ("cudaMallocManaged", "managed_memory", "sheet"),
        ("divergent branches", "divergence", "claims"),
    ],
)
def test_words_lead_to_a_question(words, probe, command):
    row = first(*words.split())
    assert (row.probe, row.command.split()[:2]) == (probe, ["gpufx", command])


def test_what_nobody_asked_is_not_found_and_what_is_mistyped_is_guessed():
    rows = indexed(ROOT, [])
    assert ranked(rows, ["xyzzy"]) == []
    assert ranked(rows, ["the"]) == []
    assert nearest_words(rows, ["paddding", "xyzzy"]) == ["padding"]
    text, found = asking.answer(["paddding"])
    assert (text, found) == ("nothing is known of 'paddding'; did you mean padding?\n", False)


@pytest.mark.parametrize(
    "same",
    [("pinned", "pinning", "pin"), ("padding", "padded", "pad"), ("latencies", "latency"), ("atomics", "atomic")],
)
def test_endings_do_not_matter(same):
    assert len({stem(word) for word in same}) == 1


def test_all_rows_of_the_page_are_read_and_lead_somewhere():
    rows = rows_of(TEXT, ROOT)
    assert len(rows) == len(re.findall(r"^\| [A-Z].* \| `gpufx ", TEXT, re.M))
    effects = {path.parent.name for path in ROOT.glob("micro/*/*/probe.cu")}
    assert {row.probe for row in rows} - {""} <= effects
    quantities = {d.id for effect in of_the_tree(ROOT).values() for d in effect}
    for row in rows:
        assert (ROOT / row.page).is_file(), row.page
        assert set(row.quantities) <= quantities
        assert row.names
        named = re.search(r"--probe (\w+)|gpufx list (\w+)", row.command)
        assert not named or (named[1] or named[2]) in effects


@pytest.mark.slow
def test_the_answer_has_the_figures_of_the_archive(monkeypatch, h200):
    archive = archives.load(h200)
    text, found = asking.answer(["padding", "tile"], archive)
    assert found
    assert f"on NVIDIA H200 (run {archive.run['id']}, {archive.run['started_utc'][:10]}):\n" in text
    assert re.search(
        r"^  [01][.\d]* times \(±[\d.]+ %\): a column of a padded tile in shared memory, of a row$", text, re.M
    )
    assert "\ncommand  gpufx pattern " in text
    assert "\npage     micro/shared/bank_conflict/README.md\n" in text
    for wide in (80, 120):
        monkeypatch.setenv("COLUMNS", str(wide))
        assert max(map(len, asking.answer(["padding", "tile"], archive)[0].splitlines())) <= wide


@pytest.mark.slow
def test_an_archive_without_the_figure_is_passed_over(archive, h200):
    empty = archives.load(archive("a.jsonl", {"x": [1.0, 1.0]}))
    row = first("padding")
    full = archives.load(h200)
    assert asking._best([empty, full], row)[0] is full
    assert asking._best([empty], row)[0] is empty
    assert asking._facts([], row, ["padding"]) == ["no archive yet: gpufx characterize"]


def test_a_page_that_is_gone_is_told(tmp_path):
    with pytest.raises(UserError, match=r"docs/answers\.md can't be read"):
        indexed(tmp_path, [])
