"""What is written in pages is what the reference archives and the folders say, and every link leads somewhere."""

import os
import re
import shutil
from pathlib import Path

import pytest
from invent import archive_lines, write
from test_prose import pages as listed
from test_prose import written

from gpufx_plot import UserError
from gpufx_plot.call.program import root
from gpufx_plot.showing import pages, screens

pytestmark = pytest.mark.slow

TOP = Path(__file__).resolve().parents[2]
JUDGED = (
    "judged: 9 kernels, 2 of them not explained; within 25 % 6, within 15 % 4, mean absolute error 8 %, under half 1"
)
PROGRAM = os.environ.get("GPUFX_PROGRAM") or str(TOP / "build" / "bin" / "gpufx")


@pytest.mark.skipif(not Path(PROGRAM).is_file(), reason="no build that prints what pages show")
def test_no_page_is_stale(monkeypatch):
    monkeypatch.setenv("GPUFX_PROGRAM", PROGRAM)
    assert pages.stale(root()) == [], f"run: PYTHONPATH=plot {pages.COMMAND}"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project with two effects, of which the one reference archive has both, and its pages written."""
    for name in ("shared/bank_conflict", "instrument/null"):
        folder = tmp_path / "micro" / name
        folder.mkdir(parents=True)
        for file in ("figure.json", "quantities.json"):
            shutil.copy(TOP / "micro" / name / file, folder)
        (folder / "README.md").write_text(f"# {folder.name}: a thing\n\n**Question.** What?\n")
    (tmp_path / "results/sm_90/h").mkdir(parents=True)
    add(tmp_path, "00000001", ("null", "bank_conflict"))
    (tmp_path / "results/reference.json").write_text('{"h": "sm_90/h/2026-00000001.jsonl.gz"}')
    (tmp_path / "docs").mkdir()
    (tmp_path / pages.TIMES).parent.mkdir()
    (tmp_path / pages.TIMES).write_text(f"{JUDGED}\n\n{JUDGED}; bound\n")
    parts = {"README.md": ("memory hierarchy", "judged"), "docs/gallery.md": ("effects",)}
    for page, names in parts.items():
        marks = "\n".join(f"{pages.BEGIN.format(name)}\n{pages.END.format(name)}" for name in names)
        (tmp_path / page).write_text(marks)
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    assert pages.main([]) == 0
    return tmp_path


def add(tree, name: str, probes):
    lines = archive_lines(1, n=1, probes=probes, run_id=name, provenance="measured")
    return write(tree / "results/sm_90/h" / f"2026-{name}.jsonl.gz", lines)


def page_of(tree, name: str) -> Path:
    (page,) = tree.glob(f"micro/*/{name}/README.md")
    return page


def test_the_command_writes_what_its_check_holds(tree, capsys):
    drawn, text = page_of(tree, "bank_conflict").read_text(), page_of(tree, "null").read_text()
    assert re.search(r"\n!\[A 32-way bank conflict costs .*\]\(measured\.png\)\n", drawn)
    assert "measured.png" not in text and not (page_of(tree, "null").parent / "measured.png").exists()
    assert " | H `00000001`, 1 case |\n" in text and text.startswith("# null: a thing\n")
    picture = page_of(tree, "bank_conflict").parent / "measured.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    first = (tree / "README.md").read_text()
    assert "memory hierarchy" in first and "Of 18 kernels" in first and "explained, 12 predicted within" in first
    gallery = (tree / "docs/gallery.md").read_text()
    name = "bank_conflict"
    said = f"- [{name}](../micro/shared/{name}/README.md): a thing<br>![{name}](../micro/shared/{name}/measured.png)"
    assert gallery.count("null/README.md") == 1 and f"\n{said}\n" in gallery
    capsys.readouterr()
    assert pages.main(["--check"]) == 0 and capsys.readouterr().out == ""


def test_a_number_that_was_changed_is_found(tree, capsys):
    page = page_of(tree, "null")
    page.write_text(page.read_text().replace("1 case |", "2 cases |"))
    assert pages.main(["--check"]) == 1
    told = "micro/instrument/null/README.md: not what the reference archives and the folders say\n"
    assert capsys.readouterr().out == f"{told}write them with: {pages.COMMAND}\n"
    first = tree / "docs/gallery.md"
    first.write_text(first.read_text().replace("a thing", "another thing"))
    (tree / pages.TIMES).write_text(JUDGED)
    assert len(pages.stale(tree)) == 3
    page.write_text(page.read_text().replace("# null:", "# nothing:"))
    with pytest.raises(UserError, match="the title must be"):
        pages.stale(tree)


def test_a_page_a_picture_and_a_part_that_are_missing_are_found(tree):
    (page_of(tree, "bank_conflict").parent / "measured.png").unlink()
    assert "micro/shared/bank_conflict: measured.png is missing" in pages.stale(tree)
    folder = page_of(tree, "null").parent
    (folder / "README.md").write_text("# null: a thing\n")
    assert any(line.startswith("micro/instrument/null/README.md: not what") for line in pages.stale(tree))
    (folder / "README.md").unlink()
    assert "micro/instrument/null: README.md is missing" in pages.stale(tree)


def test_another_archive_and_a_new_effect_make_nothing_stale(tree):
    add(tree, "00000002", ("null",))
    page = tree / "micro/shared/made_up/README.md"
    page.parent.mkdir()
    page.write_text("# made_up: nothing at all\n")
    assert pages.stale(tree) == []
    assert pages.main([]) == 0 and pages.stale(tree) == []
    assert "[made_up](../micro/shared/made_up/README.md): nothing" in (tree / "docs/gallery.md").read_text()
    assert "The reference archives (H `00000001`) have no case of it yet." in page.read_text()


def test_a_wrong_word_and_a_reference_that_is_not_there_are_refused(tree):
    with pytest.raises(UserError, match="not '--chekc'"):
        pages.main(["--chekc"])
    (tree / "results/sm_90/h/2026-00000001.jsonl.gz").unlink()
    with pytest.raises(UserError, match=r"2026-00000001\.jsonl\.gz"):
        pages.main(["--check"])


FENCED = re.compile(r"(?s)```.*?```")


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    return {page: page.read_text(encoding="utf-8") for page in listed("*.md") if page.is_file()}


def test_prose_is_within_120_columns(texts):
    wide = [
        f"{page.relative_to(TOP)}: {line[:60]}..."
        for page, text in texts.items()
        for line in FENCED.sub("", written(text)).splitlines()
        if len(line) > 120 and not re.match(r"\s*\||    |!\[", line) and "](http" not in line
    ]
    assert texts and not wide


def test_links_between_pages_lead_somewhere(texts):
    dead = [
        f"{page.relative_to(TOP)}: {target}"
        for page, text in texts.items()
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", FENCED.sub("", text))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert texts and not dead


def test_a_screen_of_a_page_is_what_the_command_prints_now():
    said = ["head 3 GB/s", "", "table of two", "row  7", "foot"]
    shown = "```\n$ ./gpufx x\n...\nrow  6\n...\n```\n"
    assert screens.renewed(shown, lambda _: said) == shown.replace("row  6", "row  7")
    assert screens.renewed("```\n$ ./gpufx x\n```\n", lambda _: said).splitlines()[2:-1] == said
    with pytest.raises(UserError, match="prints no line like 'other'"):
        screens.renewed(shown.replace("row  6", "other"), lambda _: said)
