"""No room but an effect's own knows its name or its axes: literals of plot/gpufx_plot and harness are searched for the
names under micro/ and for the axes that the probes declare."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    "plot/gpufx_plot": ("*.py",),
    "harness": ("*.c", "*.h", "*.cu", "*.cuh", "*.cc"),
}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"' + r"|'((?:[^'\\\n]|\\.)*)'")
AXES = re.compile(r"static const fx_axis \w+\[\] = \{(.*?)\n\};", re.S)
# Names of effects that are other things, too, and the files that mean these.
ALSO = {
    "pattern": {"option_table.c", "verbs.c", "pattern_show.c"},  # a verb, and a column
    "null": {"pattern_json.c"},  # of JSON
    "constant": {"pattern_kind.c"},  # a memory
    "launch": {"archive_migrate.c", "lean.py", "lines.py"},  # of a process, in an archive
    "managed_memory": {"recount.c", "device.c", "synthetic.c"},  # what a device can do
}
# Axes whose names are common words: keys of an archive, words of a law, of a language or of a library.
COMMON = {
    *(
        "b",
        "base",
        "blocks",
        "distinct",
        "family",
        "lanes",
        "length",
        "level",
        "limit",
        "memory",
        "mode",
        "n",
        "on",
        "op",
        "path",
        "read",
        "registers",
        "result",
    ),
    *("run", "seed", "size", "stride", "threads", "type", "ways", "width", "words"),
}


def effects() -> set[str]:
    return {path.parent.name for path in ROOT.glob("micro/*/*/probe.cu")}


def axes() -> set[str]:
    tables = (AXES.search(path.read_text(encoding="utf-8")) for path in ROOT.glob("micro/*/*/probe.cu"))
    return {
        name
        for table in tables
        if table
        for name in re.findall(r'\.name = "(\w+)"|\{"(\w+)"', table[1])
        for name in name
        if name
    }


def literals(folder: str):
    """(file, line, text) of all literals that are a word by themselves."""
    for suffix in SOURCES[folder]:
        for path in (ROOT / folder).rglob(suffix):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                for match in LITERAL.finditer(line):
                    yield path, number, match[1] or match[2] or ""


def test_the_effects_and_their_axes_are_found():
    assert {"bank_conflict", "transfer", "null"} <= effects()
    assert {"footprint", "direction", "stride", "size"} <= axes()
    assert axes() >= COMMON
    assert set(ALSO) <= effects()


@pytest.mark.parametrize("folder", SOURCES)
def test_no_effect_is_named(folder):
    names = effects()
    found = [
        f"{path.relative_to(ROOT)}:{number}: {text}"
        for path, number, text in literals(folder)
        if text in names and path.name not in ALSO.get(text, ())
    ]
    assert found == []


@pytest.mark.parametrize("folder", SOURCES)
def test_no_axis_of_an_effect_is_named(folder):
    names = axes() - effects() - COMMON
    found = [f"{path.relative_to(ROOT)}:{number}: {text}" for path, number, text in literals(folder) if text in names]
    assert found == []


def test_a_name_would_be_found(tmp_path, monkeypatch):
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "x.c").write_text('f("transfer", "footprint", "transfers", "the footprint");\n')
    found = {text for _, _, text in literals("harness")}
    monkeypatch.setattr("test_names_of_effects.ROOT", tmp_path)
    assert "transfer" not in found
    assert {text for _, _, text in literals("harness")} & {"transfer", "footprint"} == {"transfer", "footprint"}
