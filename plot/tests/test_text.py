"""Text of archives, devices and files: harmless on every way out, in every verb and format."""

import csv
import io
import json
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from conftest import handed, vectors
from invent import NS, archive_lines, case_line, declared, failed_line, fit_line, run_line, sealed, waived_line, write

from gpufx_plot.__main__ import main
from gpufx_plot.call import text
from gpufx_plot.call.annotation import escaped
from gpufx_plot.call.number_text import moved
from gpufx_plot.call.tables import wrapped
from gpufx_plot.judging import claims

load = cache(claims.load)
ESCAPE = "\x1b]52;c;ZXZpbA==\x07"
EVIL = [
    ESCAPE,
    "H200\n3 cases: 3 SAME",
    "a\rb",
    "\x9b31m",
    "\u202eksid\u202c",
    "a\u2028b\u2029c",
    "\x7f\x08",
    "\u200e\u200f\u061c\u2066\u2069",
    "\ufffe\uffff",
]
MARKUP = [
    '<script>alert(1)</script><img src="http://evil/x.png">',
    "[a](http://evil) ![b](http://evil/i.png) `c` **d**",
    "a|b",
    "$\\frac{1}{$",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "&lt;b&gt;",
    "ünï ✓ 漢",
]
DIRECTIONS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


def hostile(path: Path, word: str, scale: float = 1.0, probe: str = "null") -> Path:
    """An archive with the word wherever a text is free."""
    params = {"case": word, word or "x": "y"}
    more = {"extras": {word: 2.0}, "flags": [word], "law": word, "count": 3.0}
    spec = {"sweep": word, "params": params, "metric": (f"{word}_ns", *NS), "a": 1.0, "bytes": 8} | more
    other = spec | {"params": {"case": word, "n": 4}}
    cases = [case_line(probe, s, p, [scale * (1 + p / 1e4)] * 3) for s in (spec, other) for p in range(2)]
    driver = {"version": word, "x": {word: [word, {word: word}]}}
    head = run_line(2, provenance="measured", driver=driver, host={word: word}, environment={word: word})
    head["device"] |= {"name": word, "arch": word}
    head["program"] |= {"version": word, "commit": word, "build_type": word}
    head |= {"labels": {word: word}, "arguments": [word]}
    head["probes"][probe] = declared("null")
    head["probes"][probe]["axes"] = [{"name": "case", "unit": word}, {"name": "n", "unit": word}]
    if scale == 1:
        head["probes"][probe]["claims"] = [hostile_claim(word), hostile_claim(word, None)]
    fit = fit_line(None, probe, {"case": word}, word, f"{word}_ns", 1.0, 1.0, holds=False)
    gone = [failed_line(0, probe, {"case": word, "n": 5}, word), waived_line(0, probe, {"case": word, "n": 6}, word)]
    end = {"complete": False, "reason": word}
    return write(path, sealed([head, *cases, fit, *gone], **end))


def hostile_claim(word: str, where: str | None = "n=4") -> dict:
    terms = {"probe": None, "where": where, "against": None, "quantity": "cost", "low": 0, "high": None}
    claim = {"text": word, "source": word, "where": "n=4", "against": None, "quantity": "cost", "low": 0.1}
    return claim | {"high": 9, "given": terms | {"otherwise": word}}


VERBS = [
    *(["claims", "A", *words] for words in ([], ["--full"], ["--json"])),
    *(["compare", "A", "B", "--format", kind] for kind in ("text", "json", "csv")),
    ["compare", "A", "B", "--fail-on", "slower"],
    *(["sheet", "A", "B", "--format", kind] for kind in ("text", "latex", "json", "csv")),
    *(["export", "A", "--by", "case", "--format", kind] for kind in ("csv", "json")),
    ["summary", "A", "--against", "B"],
    ["summary", "A~"],
]


@pytest.mark.parametrize(
    ("ratio", "said"), [(1.056, "+5.6 %"), (0.99999, "+0.0 %"), (1.44, "+44 %"), (34.2, "34.2x"), (0.03, "0.03x")]
)
def test_a_change_of_several_times_is_a_factor(ratio, said):
    assert moved(ratio) == said


@pytest.mark.parametrize("word", EVIL + MARKUP, ids=range(len(EVIL + MARKUP)))
def test_no_verb_and_no_format_lets_it_through(word, tmp_path, cli, monkeypatch):
    monkeypatch.setattr(claims, "load", load)  # reads each reference archive once
    paths = {"A": hostile(tmp_path / "a.jsonl", word), "B": hostile(tmp_path / "b.jsonl", word, 1.2)}
    for words in VERBS:
        _, out, err = cli(*(paths.get(w, w) for w in words))
        assert "Traceback" not in err
        assert not FORBIDDEN.search(out + err), words
        assert "\n3 cases: 3 SAME" not in out + err
        if "csv" in words:
            rows = list(csv.reader(io.StringIO(out)))
            assert {len(row) for row in rows} == {len(rows[0])}
            assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
            assert not any(
                cell.startswith("-") and not re.fullmatch(r"-[\d.e-]+", cell) for row in rows for cell in row
            )
        if "json" in words or "--json" in words:
            assert out.isascii(), (words, err)
            assert out, (words, err)
            json.loads(out)


def test_names_of_files_and_arguments_are_told_harmlessly(tmp_path, cli):
    run = head()
    run["device"]["name"] = MARKUP[3]
    evil, absent, folder = write(tmp_path / f"{ESCAPE}.jsonl", sealed([run, case()])), f"no{ESCAPE}.jsonl", f"o{ESCAPE}"
    for words in (["summary", absent], ["plot", evil, "--probe", ESCAPE], ["plot", evil, "-o", tmp_path / folder]):
        status, out, err = cli(*words)
        assert status == 2
        assert not FORBIDDEN.search(out + err), words


def head(processes=2, **more) -> dict:
    """Of a probe that this tree does not have."""
    return run_line(processes, **more) | {"probes": {"elsewhere": declared("null")}}


def case() -> dict:
    return case_line("elsewhere", {"sweep": "s", "params": {}, "metric": ("overhead_ns", *NS)}, 0, [1.0])


@pytest.mark.parametrize("place", ["name", "version", "reason"])
def test_a_text_of_a_megabyte_is_cut(place, tmp_path, capsys):
    long = "x" * (3 << 20)  # a line that is no case has 4 MiB at most
    driver = {"version": long if place == "version" else "1"}
    lines = archive_lines(1, n=1, probes=("constant",), provenance="measured", driver=driver)
    lines[0]["device"]["name"] = long if place == "name" else "GPU"
    path = write(tmp_path / "a.jsonl", sealed(lines, complete=False, reason=long if place == "reason" else "io"))
    assert main(handed("plot", path, "-o", tmp_path / "charts", "--format", "svg")) == 0
    assert main(handed("summary", path)) == 0
    assert len(capsys.readouterr().out) < 3000
    assert (tmp_path / "charts" / "constant.svg").stat().st_size < 2_000_000


@pytest.mark.parametrize("case", vectors("github.json"), ids=lambda case: case["text"])
def test_messages_and_properties_of_github(case):
    assert escaped(case["text"]) == case["message"]
    assert escaped(case["text"], ":,") == case["property"]


@pytest.mark.parametrize("case", vectors("text.json"), ids=lambda case: case["what"])
def test_bytes_are_made_harmless_as_the_program_does(case):
    """As file names and arguments come: what is no UTF-8 is escaped."""
    assert text.safe(bytes.fromhex(case["bytes"]).decode("utf-8", "surrogateescape")) == case["text"]


def test_the_replaced_are_those_of_the_program():
    """harness/core/text.h: controls, line separators, controls of direction, surrogates and what is no character."""
    for point in range(0x11000):
        character = chr(point)
        kind = unicodedata.category(character)
        unsafe = kind in ("Cc", "Zl", "Zp", "Cs") or point in (0xFFFE, 0xFFFF)
        unsafe |= unicodedata.bidirectional(character) in DIRECTIONS
        unsafe |= point in (0x61C, 0x200E, 0x200F)
        assert text.safe(f"a{character}b") == ("a?b" if unsafe else f"a{character}b"), hex(point)
    assert text.safe("plain") == "plain"
    assert text.safe_lines("a\nb\tc") == "a\nb?c"
    assert text.clipped("x" * 300) == "x" * 253 + "..."


@pytest.mark.parametrize("line", [b'{"a":"b"}', '{"a":"ü"}'.encode(), b'{"a":"\\u001b"}', b'{"a":"\x7f"}'])
def test_what_is_safe_at_a_glance_is_safe(line):
    assert not text.is_safe_json(line) or text.safe(json.loads(line)["a"]) == json.loads(line)["a"]
    assert text.is_safe_json(b'{"a":"b"}')
    assert not text.is_safe_json(b'{"a":"\\u001b"}')


def test_a_line_never_ends_between_a_number_and_its_unit():
    """Where a line has no room for both, it does."""
    said = "it took 12.5 ms at 99 % CI, 128 B/cycle, 25.5..26.5 MiB, not determined"
    parted = re.compile(r"\d$|\bnot$")
    for width in range(17, 80):
        lines = wrapped(said, width, "  ")
        assert " ".join(line.strip() for line in lines) == said
        assert all(len(line) <= width for line in lines)
        assert not any(parted.search(line) for line in lines)
    assert wrapped("a 25.5..26.5 MiB", 10) == ["a", "25.5..26.5", "MiB"]
