"""What pages show of a program is what it prints: a block that begins with "$ ./gpufx ..." is run again. A line "..."
stands for any lines; behind it stands the next line of the answer that is like the shown one but for its numbers. A
block of a command alone gets the whole answer. Only the reference archives are there: h100 means that one."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import UserError
from ..archive.file import references

BLOCK = re.compile(r"^```\n\$ \./gpufx (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
NUMBER = re.compile(r"[~<>=]*[-+]?\d[\d.,]*|[0-9a-f]{8}\b")
ANY, BOTH = "...", " 2>&1"


def _shape(line: str) -> str:
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def _renewed(shown: list[str], said: list[str]) -> list[str]:
    """The shown lines as the answer has them now: behind "..." the next one that is alike, or begins alike, and then
    one after the other. Raises UserError for one that it has not."""
    found, at, jump = [], 0, False
    for line in shown:
        if line == ANY:
            jump = True
        elif jump:
            ways = (str, _shape, lambda text: text.split()[:2])
            at = next((i for way in ways for i in range(at, len(said)) if way(said[i]) == way(line)), len(said))
            jump = False
        if line != ANY and at == len(said):
            raise UserError(f"prints no line like '{line}', but {said[:3]}")
        found.append(line if line == ANY else said[at])
        at += line != ANY
    return found


def renewed(text: str, answer: Callable[[str], list[str]]) -> str:
    def block(match: re.Match) -> str:
        said, shown = answer(match[1]), match[2].splitlines()
        try:
            lines = _renewed(shown, said) if shown else said
        except UserError as error:
            raise UserError(f"`gpufx {match[1]}` {error}; change the page") from None
        return "\n".join(["```", f"$ ./gpufx {match[1]}", *lines, "```"])

    return BLOCK.sub(block, text)


def _plant(top: Path, tree: Path) -> None:
    """Archives that nobody measured, for pages that show what a fault looks like: the first reference with DRAM that
    takes 8 % longer, and a fleet of that card and of four that differ by chance."""
    sys.path.insert(0, str(top / "plot" / "tests"))
    from other_cards import another, slower_dram

    whole, fleet = next(iter(references(top).values())), tree / "planted" / "fleet"
    fleet.mkdir(parents=True)
    slow = slower_dram(whole, fleet.parent)
    (fleet / slow.name).symlink_to(slow)
    for number in range(1, 5):
        another(whole, number, fleet)


def of_pages(top: Path, pages: dict[Path, str]) -> dict[Path, str]:
    """The pages with their blocks as they must be."""
    if not any(BLOCK.search(text) for text in pages.values()):
        return pages
    with TemporaryDirectory() as folder:
        tree = Path(folder)
        subprocess.run([top / "tests" / "cli" / "tools" / "linked_tree", tree, "references"], check=True)
        if any("planted/" in text for text in pages.values()):
            _plant(top, tree)
        kept = {name: value for name, value in os.environ.items() if name not in ("GPUFX_HOME", "COLUMNS", "LINES")}
        environment = kept | {"GPUFX_ROOT": folder, "GPUFX_PYTHON": sys.executable, "COLUMNS": "80"}

        def answer(command: str) -> list[str]:
            words, both = command.removesuffix(BOTH), command.endswith(BOTH)
            run = subprocess.run([os.environ["GPUFX_PROGRAM"], *shlex.split(words)], cwd=tree, env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT if both else subprocess.PIPE,
                                 encoding="utf-8", check=False)  # fmt: skip
            return (run.stdout or run.stderr).rstrip("\n").split("\n")

        found = {}
        for page, text in pages.items():
            try:
                found[page] = renewed(text, answer)
            except UserError as error:
                raise UserError(f"{page.relative_to(top)}: {error}") from None
        return found
