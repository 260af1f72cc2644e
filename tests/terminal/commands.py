"""The commands that the pages show, as written there, and those of a verb's help. One rule each:

page: a block between ``` that says bash or sh, or whose first line is a prompt ($ ...); and an indented block whose
first word is a program (STARTS). A line is a command; one that ends with a backslash, or opens what a later line closes
(a loop, a quotation), goes on; # begins a comment. Behind a prompt the other lines are output.
help: each line under Examples: is a command up to two blanks; behind them it says what the command is for.

What can't be typed just so is in commands.json, with the reason. Nothing is left out otherwise."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
STARTS = r"(\./)?gpufx|git|zcat|generate|srun|mpirun"
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?:    \S.*\n)(?:(?:    .*)?\n(?=    |\n    ))*(?:    .*\n)*)")


class Command(NamedTuple):
    page: str
    line: int
    text: str


def pages() -> list[str]:
    """Where commands are shown to users; those of contributors (CONTRIBUTING.md) change the tree."""
    found = [TREE / "README.md", *TREE.glob("docs/*.md"), *TREE.glob("micro/*/*/README.md")]
    return [str(path.relative_to(TREE)) for path in sorted(found)]


def whole(text: str) -> bool:
    """Whether bash takes the lines as they are."""
    return (
        not text.endswith("\\\n")
        and not subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False).returncode
    )


def without_comment(text: str) -> str:
    """A # behind a blank, outside quotes."""
    return re.sub(r"""(?m)^((?:[^'"#\n]|'[^']*'|"[^"]*"|(?<!\s)#)*?)(?:(?<=\s)|^)#.*$""", r"\1", text).strip()


def _split(block: str, page: str, line: int, indent: int) -> list[Command]:
    found, text, first = [], "", line
    for number, row in enumerate(block.splitlines(), start=line):
        if not text:
            first = number
        text += row[indent:] + "\n"
        if whole(text):
            command = without_comment(text)
            if command:
                found.append(Command(page, first, command))
            text = ""
    assert not text, f"{page}:{first}: bash does not take this: {text}"
    return found


@cache
def of_page(page: str) -> list[Command]:
    text = (TREE / page).read_text(encoding="utf-8")
    found = []
    for block in FENCED.finditer(text):
        language, body = block.groups()
        line = text.count("\n", 0, block.start(2)) + 1
        if language in ("bash", "sh"):
            found += _split(body, page, line, 0)
        elif not language and body.startswith("$ "):
            found += [
                Command(page, line + i, row[2:]) for i, row in enumerate(body.splitlines()) if row.startswith("$ ")
            ]
    rest = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for block in INDENTED.finditer(rest):
        if re.match(rf" *(?:\w+=\S+ +)*(?:{STARTS})\s", block[1]):
            found += _split(block[1], page, rest.count("\n", 0, block.start(1)) + 1, 4)
    return sorted(found, key=lambda command: command.line)


def verbs(gpufx: str | Path, environment: dict[str, str]) -> list[str]:
    """The program's own list: the column of names is as wide as the continued lines are indented."""
    told = subprocess.run([gpufx, "help"], capture_output=True, text=True, check=True, env=environment).stdout
    rows = told.split("\nVerbs:\n")[1].split("\n\n")[0].splitlines()
    width = min(len(row) - len(row.lstrip()) for row in rows if row.startswith(" " * 6))
    return [row[:width].strip() for row in rows if re.match(r"    \S", row)]


def of_help(gpufx: str | Path, verb: str, environment: dict[str, str]) -> list[Command]:
    told = subprocess.run([gpufx, *verb.split(), "--help"], capture_output=True, text=True, check=True, env=environment)
    part = told.stdout.split("\nExamples:\n")[1].split("\n\n")[0]
    rows = re.sub(r"\n      +", " ", part).splitlines()
    return [
        Command(f"gpufx {verb} --help", number, re.split(r" {2,}", row.strip())[0])
        for number, row in enumerate(rows, 1)
    ]


@cache
def rules() -> dict:
    return json.loads((HERE / "commands.json").read_text(encoding="utf-8"))


class Way(NamedTuple):
    """How a command is typed."""

    typed: str
    status: tuple[int, ...]
    left_out: str  # the reason; "": it is typed
    alone: bool  # not compared with a pipe
    numbers: bool  # compared with those of the pipe


def way(command: Command, gpu: bool = False) -> Way:
    """The rules one after the other: `match` is found in what is typed so far, `page` begins the page's name."""
    typed, status, left_out, alone, numbers = command.text, (0,), "", False, True
    for rule in rules()["rules"]:
        if not re.search(rule["match"], typed) or not command.page.startswith(rule.get("page", "")):
            continue
        if "gpu" in rule and rule["gpu"] != gpu:
            continue
        rule.setdefault("used", 0)
        rule["used"] += 1
        if "left_out" in rule:
            left_out = left_out or rule["left_out"]
        if "typed" in rule:
            typed = re.sub(rule["match"], rule["typed"], typed)
        if "status" in rule:
            status = tuple(rule["status"])
        alone = alone or rule.get("alone", False)
        numbers = numbers and rule.get("numbers", True)
    return Way(typed, status, left_out, alone, numbers)
