"""What people write in pages holds no measurement: an archive's numbers come from the archive, by the command that
writes the parts between "written by" and "end of", or are output that another test compares with the program's."""

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GENERATED = re.compile(r"(?s)<!-- ([^:]+): written by .*?<!-- end of \1 -->")
COMPARED = re.compile(r"(?ms)^```(?:\n\$ \./gpufx|text\n).*?^```$")  # by pages.py and test_queries.py
ID = re.compile(r"(?<!\w)(?<!GPU-)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8}(?!\w)")
ADDRESS = re.compile(r"\]\(http[^)]*\)")

# A number with a unit is a measurement, except what the program sets and what a law says: whole numbers in these
# parts. Whole "times" are ways and counts everywhere.
SET = ("Law", "Counters", "Method")
UNIT = r"(?:ns|[µu]s|ms|cycles?|GB/s|TB/s|MB/s|TFLOP/s|GFLOP/s|MHz|GHz|W|watts|J|%|per cent)(?!\w)"
MEASURED = re.compile(rf"(?<![\w.^-])(\d+(?:\.\d+)?) ?{UNIT}|(?<![\w.])(\d+\.\d+)(?: times|x\b)")
SHARE = re.compile(r"(\d+(?:\.\d+)?) ?(?:%|per cent)")
FACTOR = re.compile(r"(\d+\.\d+)(?: times|x)")
ROUND = {"", "15", "25", *"123456789"}  # digits
CODE = re.compile(r"(?m)`[^`]*`|^    .*$")
# Phrases that sound translated: [what to find, what to write, what it must find]. Vale would need a binary that its
# package downloads when it is first called, and proselint takes no rules from a file.
PHRASES = json.loads((TOP / "tests" / "words" / "phrases.json").read_text(encoding="utf-8"))
CALQUE = re.compile("|".join(rf"(?P<r{i}>\b(?:{rule})\b)" for i, (rule, *_) in enumerate(PHRASES)), re.IGNORECASE)
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
C_TEXT = re.compile(rf"{LITERAL}(?:\s*(?:PRI\w+\s*)?{LITERAL})*")
NOT_YET = {"trace", "explain"}  # folders of harness whose comments are not looked at yet
C_COMMENT = re.compile(r"(?s)/\*.*?\*/|//[^\n]*|^#include.*?$", re.MULTILINE)
PART = re.compile(r"(?m)^(?:## |\*\*)([A-Z][\w ]*?)(?:$|\.\*\*)")


def pages(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=TOP, capture_output=True, text=True, check=False)
    found = [TOP / name for name in listed.stdout.split()]
    return found or [path for one in patterns for path in TOP.glob(f"**/{one}")]


def written(text: str) -> str:
    """The part of a page that people write, with as many lines."""
    for kept_by_others in (GENERATED, COMPARED):
        text = kept_by_others.sub(lambda match: "\n" * match[0].count("\n"), text)
    return text


def archive_ids(text: str) -> list[str]:
    return ID.findall(ADDRESS.sub("", written(text)))


def measurements(text: str) -> list[str]:
    """Numbers with units that no source stands beside."""
    found, part = [], ""
    for line in CODE.sub("", written(text)).splitlines():
        named = PART.match(line)
        part = named[1] if named else part
        if not ADDRESS.search(line):
            found += [m[0] for m in MEASURED.finditer(line) if "." in m[0] or part not in SET]
    return found


def calques(text: str) -> list[str]:
    """Phrases of the table, over line breaks too, each with what to write in its place."""
    words = " ".join(CODE.sub("", written(text)).split())
    return [f"'{m[0].strip()}': {PHRASES[int(m.lastgroup[1:])][1]}" for m in CALQUE.finditer(words)]


def printed(path: Path) -> str:
    """What people can come to read of a source: its literals, joined over line breaks, and of C its comments; of Python
    without docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return text
    if path.suffix != ".py":
        found = [re.sub(r"\"\s*(?:PRI\w+\s*)?\"", "", one) for one in C_TEXT.findall(C_COMMENT.sub("", text))]
        comments = () if NOT_YET & {*path.parts} else C_COMMENT.findall(text)
        return "\n\n".join([*found, *(re.sub(r"\s*\n\s*(?:\*|//)?\s*", " ", one) for one in comments)])
    tree = ast.parse(text)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = [
        n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs
    ]
    return "\n\n".join(node.value for node in nodes)


def is_round(number: float) -> bool:
    """Whether a number looks like a level or a threshold: 2, 0.5, 1.5, 25. What was measured rarely does."""
    return f"{abs(number):.6e}".partition("e")[0].replace(".", "").rstrip("0") in ROUND


def not_a_rule(typed: list[str], page: Path) -> list[str]:
    """Without what a page for users may say of the program: round shares, or as much short of 100 %, round factors, and
    in docs/method.md its own settings."""
    settings = page.stem.capitalize() in SET

    def allowed(one: str) -> bool:
        if share := SHARE.fullmatch(one):
            return is_round(float(share[1])) or is_round(100 - float(share[1]))
        factor = FACTOR.fullmatch(one)
        return is_round(float(factor[1])) if factor else settings and "." not in one

    return [one for one in typed if not allowed(one)]


def test_no_page_names_an_archive():
    known = {path: archive_ids(path.read_text("utf-8")) for path in pages("*.md") if path.is_file()}
    assert known and {str(path.relative_to(TOP)): ids for path, ids in known.items() if ids} == {}


def test_no_page_of_an_effect_types_a_measurement():
    known = {path: measurements(path.read_text("utf-8")) for path in pages("micro/*/*/README.md")}
    assert known and {str(path.relative_to(TOP)): typed for path, typed in known.items() if typed} == {}


def test_no_other_page_types_one():
    """Rules of the program are round shares; a published figure stands beside the address of its source."""
    others = [path for path in pages("*.md") if path.is_file() and path.parts[len(TOP.parts)] != "micro"]
    typed = {str(path.relative_to(TOP)): not_a_rule(measurements(path.read_text("utf-8")), path) for path in others}
    assert "docs/trust.md" in typed and {name: found for name, found in typed.items() if found} == {}


def test_no_page_sounds_translated():
    known = {path: calques(path.read_text("utf-8")) for path in pages("*.md") if path.name != "CHANGELOG.md"}
    assert known and {str(path.relative_to(TOP)): found for path, found in known.items() if found} == {}


SOURCES = (
    "harness/*.[ch]",
    "harness/*.cu",
    "harness/*.cc",
    "micro/*.cu",
    "micro/*.cuh",
    "plot/gpufx_plot/*.py",
    "micro/*.json",
)


def test_no_text_of_a_program_sounds_translated():
    """Help, screens, errors, titles of figures, claims, quantities and questions."""
    found = {path: calques(printed(path)) for path in pages(*SOURCES) if path.is_file()}
    assert len(found) > 100 and {str(path.relative_to(TOP)): said for path, said in found.items() if said} == {}


@pytest.mark.parametrize(("rule", "example"), [(rule, example) for rule, _, example in PHRASES])
def test_a_calque_is_found(rule, example):
    assert re.search(rf"\b(?:{rule})\b", " ".join(example.split()), re.IGNORECASE) and calques(example)


def test_literals_and_comments_are_joined_and_docstrings_left_out(tmp_path):
    c, python = tmp_path / "a.c", tmp_path / "a.py"
    c.write_text('    /* it hangs\n     * on it */ fail("it hangs "\n     "on it");')
    python.write_text('"""mended"""\nprint(f"it hangs " "on {it}")\n')
    assert len(calques(printed(c))) == 2 and len(calques(printed(python))) == 1
    assert calques("Cards are told apart; 2.1 times, `hangs on`. It recommends a cure.") == []


PLANTED = """[a commit](https://example.org/d680b83f), card GPU-1032ac52 of 16777216 bytes
<!-- measured: written by `it` -->
d680b83f takes 28 cycles
<!-- end of measured -->
## Law
A step takes 2 cycles, 0.5 times here; run e0f1fc15.
## How to read it
A load takes 28 cycles, 55.3 GB/s or 7 %; others have [38.5 cycles](https://example.org).
See `l2 28 cycles`, sm_90, n = 2048, 64 KiB.
Another takes 9 us, and 17 %.
"""


def test_what_is_looked_for_is_found():
    typed = ["0.5 times", "9 us", "17 %"]
    assert archive_ids(PLANTED) == ["e0f1fc15"] and measurements(PLANTED) == typed
    assert measurements("A load takes 28 cycles, 55.3 GB/s or 7 %.") == ["28 cycles", "55.3 GB/s", "7 %"]
    assert not_a_rule(["0.6 %", "99.9 %", "1.5 times", "17 %", "1.21x", "9 µs"], Path("trust.md")) == [
        *("17 %", "1.21x", "9 µs")
    ]
    assert not_a_rule(["50 ms", "4.5 ms"], Path("docs/method.md")) == ["4.5 ms"]
