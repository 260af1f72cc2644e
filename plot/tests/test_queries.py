"""docs/queries.md: every query is run and prints what the page shows, where its tool is there."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from gpufx_plot.archive.load import load
from gpufx_plot.cards.parquet import export
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.sheet import as_json

pytestmark = pytest.mark.slow  # reads archives of the tree

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "queries.md"
BLOCKS = re.compile(r"```(python|sql|bash)\n((?:(?!```).)*)```\n\n```text\n(.*?)```", re.S)
SECTIONS = ("pandas", "DuckDB", "Many archives")


def blocks() -> list[tuple[str, str, str]]:
    return BLOCKS.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def place(tmp_path_factory, references) -> Path:
    """A folder with the files that the page says how to make."""
    folder = tmp_path_factory.mktemp("queries")
    for chip, path in references.items():
        (folder / f"{chip}.jsonl.gz").symlink_to(path)
        archive = load(path)
        (folder / f"{chip}.json").write_text(f'{{"answer": {as_json([(archive, infer(archive))])}}}')
    line = re.search(r"^gpufx export (.*) --format parquet -o fleet$", PAGE.read_text(encoding="utf-8"), re.M)[1]
    places = [folder / name for name in line.split()]
    assert export(places, folder / "fleet")[0] == len(places) > 1
    return folder


def by_python(code: str, folder: Path) -> str:
    return run([sys.executable, "-P", "-c", code], folder)


def by_sql(code: str, folder: Path) -> str:
    with duckdb.connect(config={"file_search_path": str(folder)}) as database:
        found = database.execute(code)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column[0] for column in found.description])
        writer.writerows(found.fetchall())
    return text.getvalue()


def run(words: list[str], folder: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


RUN = {"python": by_python, "sql": by_sql}


def test_questions_for_each():
    kinds = ["python", "sql", "sql"]
    assert [language for language, *_ in blocks()] == kinds
    assert all(f"## {name}\n" in PAGE.read_text(encoding="utf-8") for name in SECTIONS)


@pytest.mark.parametrize("number", range(3))
def test_it_prints_what_the_page_shows(number, place, request):
    language, code, shown = blocks()[number]
    said = RUN[language](code, place)
    if request.config.getoption("--refresh"):
        old = f"```{language}\n{code}```\n\n```text\n{shown}```"
        PAGE.write_text(
            PAGE.read_text(encoding="utf-8").replace(old, old.replace(f"text\n{shown}", f"text\n{said}", 1))
        )
        shown = said
    assert said == shown
    assert len(said.splitlines()) > 1
