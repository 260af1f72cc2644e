"""The first screen."""

import json
import re

import pytest
from invent import archive_lines, write

from gpufx_plot.archive import load as archives
from gpufx_plot.call import terminal
from gpufx_plot.call.program import root
from gpufx_plot.cards.board import board
from gpufx_plot.chip.definitions import OF_HOST
from gpufx_plot.chip.quantities import infer
from gpufx_plot.judging.changes import differing
from gpufx_plot.judging.compare import compare
from gpufx_plot.judging.facts import warnings
from gpufx_plot.showing.compare_text import notes_on
from gpufx_plot.showing.difference import in_order
from gpufx_plot.showing.screen import _head, first_screen

LINES, COLUMNS = 24, 80


pytestmark = pytest.mark.slow  # reads archives of the tree


@pytest.fixture(scope="module")
def loaded(h200, h100):
    return [archives.load(path) for path in (h200, h100)]


def test_one_archive_is_one_screen_without_jargon(loaded, monkeypatch):
    monkeypatch.chdir(root())  # from where the path of the archive is short
    text = first_screen(loaded[0], False)
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= COLUMNS
    assert lines[0].startswith(loaded[0].run["device"]["name"])
    for start in ("FMA", "shared", "constant", "L1", "L2", "DRAM", "host link", "biggest slowdowns", "archive"):
        assert any(line.startswith(start) for line in lines), start
    assert re.search(r"L1 +34\.00 +17\.2 +216\.\.218 KiB +128\.\d B/cycle per SM, all SMs [\d.]+ TB/s", text)
    assert re.search(r"32-way bank conflict +31\.9\dx +±", text)
    assert re.search(r"^TFLOP/s +FP64 .*\npeak +[\d.]+ .*\nreached +-.* \d+ P", text, re.M)
    assert not re.search(r"bank lanes|residual|R²|flagged|LAW", text)


def test_a_table_of_two_chips_is_in_the_order_of_their_sentences(loaded):
    pairs = in_order(differing(*(infer(archive) for archive in loaded[::-1])))
    of_host = [base.id for base, _ in pairs if base.definition.kind in OF_HOST]
    assert pairs[0][0].id == "dram.size"
    assert "link.pinned.d2h_start" in of_host and not {*of_host} & {base.id for base, _ in pairs[:10]}


@pytest.mark.parametrize(
    "name", ["Synthetic generic GPU", "NVIDIA RTX PRO 6000 Blackwell Server Edition", "W " * 60 + "W"]
)
def test_a_name_of_any_length_has_its_place(loaded, monkeypatch, name):
    monkeypatch.setitem(loaded[0].run["device"], "name", name)
    lines = first_screen(loaded[0], False).splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines[:-1])) <= COLUMNS


def test_other_formats_say_the_same(loaded):
    (document,) = json.loads(first_screen(loaded[0], True))["archives"]
    assert "dram.read_rate" in [q["quantity"] for q in document["quantities"]]


def test_a_wide_and_high_terminal_is_used(loaded, monkeypatch):
    small = len(first_screen(loaded[0], False).splitlines())
    monkeypatch.setattr(terminal, "_is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("LINES", "60")
    assert len(first_screen(loaded[0], False).splitlines()) > small


def test_colour_is_for_terminals_and_never_alone(monkeypatch):
    assert terminal.painted("+3 % worse") == "+3 % worse"
    monkeypatch.setattr(terminal, "_is_terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.painted("+3 % worse") == "+3 % \x1b[31mworse\x1b[0m"
    assert terminal.painted("0 slower") == "0 slower"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.painted("+3 % worse") == "+3 % worse"


def test_only_text_is_painted(archive, cli, monkeypatch, h200, h100):
    monkeypatch.setattr(terminal, "_is_terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    far = {0: [1.0, 1.001, 1.0], 1: [99.0, 99.1, 99.0]}
    old, new = (archive(f"{i}.jsonl", {"x": x}, run_id=str(i) * 8) for i, x in far.items())
    for words in (["compare", old, new], ["sheet", h200, h100]):
        for form in ("text", "json", "csv"):
            assert ("\x1b[" in cli(*words, "--format", form)[1]) == (form == "text"), (words, form)


def test_what_is_synthetic_cut_off_or_failed_says_so(tmp_path, cli):
    lines = archive_lines(1, n=1, probes=("null",))
    text = cli("summary", write(tmp_path / "a.jsonl", lines[:-1]))[1]
    assert "SYNTHETIC: these numbers come from a parameter file" in text
    assert "INCOMPLETE: cut off" in text
    whole = cli("summary", "--full", write(tmp_path / "c.jsonl", archive_lines(1, n=1, probes=("constant",))))
    assert whole[0] == 0
    assert "constant: " in whole[1]


# ---- Cases beside which another program was on the GPU ----

SAID = "another program was on the GPU during 1 of 2 cases"


@pytest.fixture
def both(archive):
    flagged = {"a": ([1.0, 1.1], {"flags": ["gpu_shared"]}), "b": [2.0, 2.1]}
    return archive("beside.jsonl", flagged, id="aaaaaaaa"), archive("alone.jsonl", {"a": [1.0, 1.1], "b": [2.0, 2.1]})


def test_every_reader_says_so(both):
    beside, alone = map(archives.load, both)
    assert [note for note in notes_on(compare(beside, alone, 0.01)) if SAID in note] == [f"aaaaaaaa: {SAID}."]
    assert f"NOT ALONE: {SAID}" in _head(beside)
    assert not any("NOT ALONE" in line for line in _head(alone))
    card = board(both[0])
    assert (card.shared, card.cases_count, board(both[1]).shared) == (1, 2, 0)


def test_a_report_warns(both):
    beside, alone = (warnings(archives.load(path)) for path in both)
    assert f"NOT ALONE: {SAID}" in beside and not any("NOT ALONE" in one for one in alone)
