"""README's table and gallery are those of the folders, and every link of every page leads somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

from gpufx_plot import UserError, readme

TOP = Path(__file__).resolve().parents[2]


def test_readme_is_written_from_the_folders():
    text = (TOP / "README.md").read_text(encoding="utf-8")
    assert readme.rewritten(text, TOP) == text, "run: python -m gpufx_plot.readme"


def test_the_page_of_answers_is_written_from_the_folders():
    text = (TOP / "docs" / "answers.md").read_text(encoding="utf-8")
    assert readme.rewritten(text, TOP, readme.answers(TOP)) == text, "run: python -m gpufx_plot.readme"


def test_a_new_effect_changes_readme(tmp_path):
    page = tmp_path / "micro" / "shared" / "made_up" / "README.md"
    page.parent.mkdir(parents=True)
    page.write_text("# made_up: nothing at all\n")
    assert "[made_up](micro/shared/made_up/README.md) | nothing at all |" in readme.parts(tmp_path)["table of effects"]
    page.write_text("# made_up\n")
    with pytest.raises(UserError, match="the title must be"):
        readme.parts(tmp_path)


def test_links_between_pages_lead_somewhere():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=TOP, capture_output=True, text=True, check=False)
    pages = [TOP / name for name in listed.stdout.split()] or [*TOP.glob("*.md"), *TOP.glob("[dm]*/**/*.md")]
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
