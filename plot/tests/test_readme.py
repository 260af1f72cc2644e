"""README's table and gallery are those of the folders, and every link of every page leads somewhere."""

import gzip
import re
import subprocess
from pathlib import Path

import pytest
from gpufx_plot import UserError
from gpufx_plot.showing import readme

TOP = Path(__file__).resolve().parents[2]


def test_readme_is_written_from_the_folders():
    text = (TOP / "README.md").read_text(encoding="utf-8")
    assert readme.rewritten(text, TOP) == text, "run: python -m gpufx_plot.showing.readme"


def test_the_page_of_answers_is_written_from_the_folders():
    text = (TOP / "docs" / "answers.md").read_text(encoding="utf-8")
    assert readme.rewritten(text, TOP, readme.answers(TOP)) == text, "run: python -m gpufx_plot.showing.readme"


def test_the_picture_is_that_of_the_archives():
    drawn = (TOP / readme.PICTURE).read_text(encoding="utf-8")
    assert drawn == readme.picture(TOP), "run: python -m gpufx_plot.showing.readme"


def test_the_reference_archives_are_shown(tmp_path, monkeypatch, archive):
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    for folder in ("docs", "micro", "results/sm_90/x"):
        (tmp_path / folder).mkdir(parents=True)
    plain = archive("a.jsonl", {"a": [1.0, 1.1]})
    (tmp_path / "results/sm_90/x/2026-0a1b2c3d.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    (tmp_path / "results/reference.json").write_text('{"x": "sm_90/x/2026-0a1b2c3d.jsonl.gz"}')
    marks = [(readme.BEGIN.format(n, readme.FROM.get(n, "results/")), readme.END.format(n))
             for n in ("table of effects", "gallery", "memory hierarchy", "first screens")]  # fmt: skip
    (tmp_path / "README.md").write_text("\n".join(f"{begin}\n{end}" for begin, end in marks))
    assert readme.main() == 0
    assert "$ ./gpufx summary 0a1b2c3d" in (tmp_path / "README.md").read_text()


def test_a_new_effect_changes_readme(tmp_path):
    page = tmp_path / "micro" / "shared" / "made_up" / "README.md"
    page.parent.mkdir(parents=True)
    page.write_text("# made_up: nothing at all\n")
    assert "[made_up](micro/shared/made_up/README.md) | nothing at all |" in readme.parts(tmp_path)["table of effects"]
    page.write_text("# made_up\n")
    with pytest.raises(UserError, match="the title must be"):
        readme.parts(tmp_path)


def pages_of_the_tree() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=TOP, capture_output=True, text=True, check=False)
    return [TOP / name for name in listed.stdout.split()] or [*TOP.glob("*.md"), *TOP.glob("[dm]*/**/*.md")]


def test_prose_is_within_120_columns():
    there = [page for page in pages_of_the_tree() if page.is_file()]
    text = {page: re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8")) for page in there}
    wide = [
        f"{page.relative_to(TOP)}: {line[:60]}..."
        for page in text
        for line in text[page].splitlines()
        if len(line) > 120 and not re.match(r"\s*\||    |!\[", line) and "](http" not in line
    ]
    assert text and not wide


def test_links_between_pages_lead_somewhere():
    pages = pages_of_the_tree()
    dead = [
        f"{page.relative_to(TOP)}: {target}"
        for page in pages
        if page.is_file()
        for target in re.findall(
            r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8"))
        )
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert pages and not dead
