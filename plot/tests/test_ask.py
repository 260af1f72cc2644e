"""From words to rows of a table: what is found, what is named as absent, and whose values are printed."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from planted_quantities import ROOT

from gpufx_plot.archive import load as archives
from gpufx_plot.call.program import Entry
from gpufx_plot.chip.definitions import of_the_tree
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing import ask as asking

KNOWN = [
    Entry(Path(f"results/{slug}"), run, slug, "sm_90", False, 5)
    for slug, run in (("nvidia-h200", "0123abcd"), ("nvidia-h100-80gb-hbm3", "4567cdef"))
]


@pytest.fixture(autouse=True)
def _asks(monkeypatch):
    """No program is asked: it lists two archives."""
    monkeypatch.setattr(asking.program, "archives", lambda: KNOWN)
    monkeypatch.setattr(asking.program, "cards", lambda: {"GPU-0"})
    monkeypatch.setattr(asking.program, "root", lambda: ROOT)


@cache
def index():
    return asking.Index(asking.rows_of(ROOT))


def search(text):
    return index().search(text)


def test_all_that_the_project_has_is_searched():
    names = {
        kind: {row.name for row in index().rows if row.kind == kind} for kind in ("quantity", "effect", "verb", "page")
    }
    assert names["quantity"] == {d.id for effect in of_the_tree(ROOT).values() for d in effect}
    assert names["effect"] == {path.parent.name for path in ROOT.glob("micro/*/*/probe.cu")}
    assert {"ask", "fleet report", "compare"} <= names["verb"]
    assert {"method", "gates", "README", "glossary"} <= names["page"]
    claims = [c["text"] for path in ROOT.glob("micro/*/*/claims.json") for c in json.loads(path.read_text("utf-8"))]
    assert sorted(row.text for row in index().rows if row.kind == "claim") == sorted(claims)
    quantities = [row.text for row in index().rows if row.kind == "quantity"]
    assert not [text for text in quantities if text.startswith("the same")]  # a row stands alone


@pytest.mark.parametrize(
    "case",
    [line for line in (Path(__file__).parent / "data/public_questions.txt").read_text().splitlines() if line[0] != "#"],
)
def test_public_questions(case):
    _, names, question = case.split("\t")
    rows, _ = search(question)
    first = {row.name.replace(" ", "_") or row.text.split()[0] for row in rows[:1]}
    assert first <= set(names.split()) and rows


@pytest.mark.parametrize("words", ["xyzzy", "xyzzy plugh unicorns frobnicate", "", "what is it"])
def test_no_row_without_a_word_that_matches(words):
    assert search(words) == ([], [word for word in words.split() if word not in ("what", "is", "it")])


def test_words_that_match_nothing_are_left_out_and_named():
    text, document = asking.answer(["xyzzy", "plugh", "latency", "of", "unicorns"])
    assert document["found"] and document["absent"] == ["xyzzy", "plugh", "unicorns"]
    assert "left out: xyzzy, plugh, unicorns\n" in text


def test_absent_words_are_named_and_the_rest_is_found():
    rows, absent = search("plugh l2 latency")
    assert absent == ["plugh"] and rows[0].name == "l2.latency"
    document = {"found": False, "absent": ["xyzzy"], "no_archive": []}
    assert asking.answer(["xyzzy"]) == ("nothing found; no match for: xyzzy\n", document)


@pytest.mark.parametrize(
    ("word", "run"),
    [
        ("h200", "0123abcd"),
        ("h100", "4567cdef"),
        ("0123abcd", "0123abcd"),
        ("hbm3", None),  # of a chip's name, and a word of questions
        ("80gb", None),
        ("nvidia", None),
        ("a100", None),
    ],
)
def test_a_word_that_names_a_chip_or_a_run_names_its_archives(word, run):
    named, searched = asking._parted([word, "sm_90", "H100's?"], KNOWN)
    assert named.get(word, []) == [entry.path for entry in KNOWN if entry.id == run]
    assert (word in named) == (word == "a100" or bool(run)) and searched == word * (word not in named)
    assert len(named["sm_90"]) == 2 and named["h100"] == [KNOWN[1].path]


@pytest.fixture
def two(monkeypatch, h200, h100):
    """Both archives of the tree are listed."""
    of = [(h200, KNOWN[0]), (h100, KNOWN[1])]
    known = [Entry(path, archives.load(path).run["id"], e.slug, e.arch, False, 5) for path, e in of]
    monkeypatch.setattr(asking.program, "archives", lambda: known)
    return known


def rows_of(answer):
    _, document = answer
    assert document["found"] and len(document["rows"]) <= asking.MOST_ROWS
    return document["rows"]


@pytest.mark.slow
def test_a_row_has_the_value_of_the_chip_that_was_named(two):
    for chip, entry in zip(("h200", "H100"), two, strict=True):
        (first, *_) = rows_of(asking.answer(["L2", "latency", chip]))
        (ours,) = infer(archives.load(entry.path), wanted=["l2.latency"])
        assert first["quantity"]["quantity"] == "l2.latency" and first["quantity"]["value"] == ours.estimate.value
        assert first["archive"]["id"] == entry.id and first["command"] == f"gpufx sheet {entry.id} --probe readonly"


@pytest.mark.slow
def test_a_claim_has_its_verdict_and_a_refuted_one_follows_the_figures(two):
    rows = rows_of(asking.answer(["what", "is", "a", "bank", "conflict"]))
    refuted = [row["verdict"] == "DOES NOT HOLD" for row in rows]
    assert any(refuted) and refuted == sorted(refuted)
    assert all((row["verdict"] is not None) == (row["kind"] == "claim") for row in rows)
    assert "docs/effects.md" in [row["command"] for row in rows]
    assert "docs/effects.md" in [row["command"] for row in rows_of(asking.answer(["what is coalescing"]))]
    pages = [row["command"] for row in rows_of(asking.answer(["explain"]))]
    assert pages.count("docs/explain.md") == asking.MOST_OF_PAGE
    assert all(row["command"].startswith("gpufx claims ") == (row["kind"] == "claim") for row in rows)


@pytest.mark.slow
def test_a_chip_without_an_archive_is_named(two):
    text, document = asking.answer(["A100", "L2", "latency"])
    assert re.search(rf"\A.*: run {two[0].id} of [-\d]+\n", text) and document["no_archive"] == ["a100"]
    assert "\nno archive of: a100 (gpufx characterize measures one)\n" in text
    assert document["rows"][0]["name"] == "l2.latency"


@pytest.mark.slow
def test_two_chips_stand_below_each_other(two):
    told = asking.answer(["L2", "latency", "H100", "vs", "H200"])
    of = [(row["quantity"]["quantity"], row["archive"]["id"]) for row in rows_of(told)[:2]]
    assert of == [("l2.latency", two[1].id), ("l2.latency", two[0].id)]
    assert re.findall(r"run (\w+) of", told[0]) == [two[1].id, two[0].id]
    assert "vs" not in told[1]["absent"]


@pytest.mark.slow
def test_an_archive_without_the_quantity_is_passed_over(two, archive, monkeypatch):
    few = archive("a.jsonl", {"x": [1.0, 1.0]})
    newest = [Entry(few, "89abcdef", "nvidia-h200", "sm_90", False, 1), *two]
    monkeypatch.setattr(asking.program, "archives", lambda: newest)
    (first, *_) = rows_of(asking.answer(["l2.latency"]))
    assert first["archive"]["id"] == two[0].id and two[0].id in first["command"]
    (alone, *_) = rows_of(asking.answer(["l2.latency"], archives.load(few)))
    assert alone["quantity"] is None and alone["archive"] is None


@pytest.mark.slow
def test_without_a_gpu_the_reference_answers(two, monkeypatch):
    monkeypatch.setattr(asking.program, "archives", lambda: [two[1], replace(two[0], reference=True)])
    for cards, of in (({"GPU-0"}, two[1]), (set(), two[0])):
        monkeypatch.setattr(asking.program, "cards", lambda cards=cards: cards)
        assert rows_of(asking.answer(["l2.latency"]))[0]["archive"]["id"] == of.id


@pytest.mark.slow
def test_the_shortest_answer_is_the_best_row_alone(two, monkeypatch):
    whole, _ = asking.answer(["xyzzy", "L2", "latency"])
    assert whole.index("left out: xyzzy") < whole.index("value ") and re.search(r"\d cycles, \d+ ns ", whole)
    monkeypatch.setattr(asking.terminal, "is_quiet", lambda: True)
    short, _ = asking.answer(["xyzzy", "L2", "latency"])
    assert short in whole and short.count("  # l2.") == 1 and "# l2.latency" in " ".join(short.split())


@pytest.mark.parametrize("words", [[""], ["  "], ["", " "]])
def test_an_empty_search_is_wrong_use(cli, words):
    status, out, err = cli("ask", *words)
    assert (status, out) == (2, "") and "no word to search for" in err and err.count("\n") == 1
