"""The parts of pages that are written from the folders of micro/: in README.md the table of effects and the gallery,
and the first screen, from an archive; in docs/answers.md the table of answers.

`python -m gpufx_plot.readme` rewrites them; a test compares. The words of a row are the title of the effect's page,
"# NAME: WHAT IT ISOLATES".
"""

import json
import re
import sys
from pathlib import Path

from . import UserError
from .archive import load
from .program import root
from .screen import first_screen

# The groups in the order in which a reader looks for them; a folder that is not named here comes last.
GROUPS = {
    "shared": "Shared memory",
    "global": "Global memory",
    "cached": "Caches, constants and local memory",
    "execution": "Execution and atomics",
    "host": "Host and link",
    "power": "Power",
    "instrument": "The instrument itself",
}
ARCHIVE = "*-5e752ec2.jsonl.gz"  # whose screen README opens with
BEGIN, END = "<!-- {} written from {} by `python -m gpufx_plot.readme` -->", "<!-- end of {} -->"


def effects(top: Path) -> dict[str, list[tuple[str, str, bool]]]:
    """Group to (name, what it isolates, whether there is a picture), in order."""
    order = [*GROUPS, *sorted({p.name for p in (top / "micro").iterdir() if p.is_dir()} - GROUPS.keys())]
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for group in order:
        for page in sorted((top / "micro" / group).glob("*/README.md")):
            name = page.parent.name
            title = page.read_text(encoding="utf-8").split("\n", 1)[0]
            match = re.fullmatch(rf"# {re.escape(name)}: (\S.*\S)", title)
            if not match:
                raise UserError(f"{page}:1: the title must be '# {name}: what it isolates'")
            found.setdefault(group, []).append((name, match[1], (page.parent / "measured.png").is_file()))
    return found


def parts(top: Path) -> dict[str, str]:
    """The text of each part by its name."""
    table, gallery = [], []
    for group, members in effects(top).items():
        title = GROUPS.get(group, group)
        table += [f"| **{title}** | |"] if table else [f"| {title} | what it isolates |", "|---|---|"]
        table += [f"| [{name}](micro/{group}/{name}/README.md) | {text} |" for name, text, _ in members]
        gallery += [f"![{name}: {text}](micro/{group}/{name}/measured.png)" for name, text, drawn in members if drawn]
    return {"table of effects": "\n".join(table), "gallery": "\n".join(gallery)} | screen(top)


def screen(top: Path) -> dict[str, str]:
    """The first screen of the archive, at 80 columns, if it is there."""
    found = next((top / "results").glob(f"*/*/{ARCHIVE}"), None)
    if not found:
        return {}
    lines = first_screen([load(found)], "text", 0.01).splitlines()
    return {"first screen": "\n".join(["```", *lines[:-1], f"archive {found.relative_to(top)}", "```"])}


def answers(top: Path) -> dict[str, str]:
    """The table of answers: a row for each question of each effect."""
    lines = ["| I want to know | command | figure | also called |", "|---|---|---|---|"]
    for group, members in effects(top).items():
        for name, _, _ in members:
            path = top / "micro" / group / name / "answers.json"
            for row in json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []:
                figures = ", ".join(f"`{quantity}`" for quantity in row["quantities"])
                figure = f"{figures} ([{name}](../micro/{group}/{name}/README.md))".strip()
                figure += f": {row['note']}" if "note" in row else ""
                lines.append(f"| {row['question']} | `{row['command']}` | {figure} | {', '.join(row['words'])} |")
    return {"table of answers": "\n".join(lines)}


def rewritten(text: str, top: Path, written=None) -> str:
    for name, part in (parts(top) if written is None else written).items():
        begin, end = BEGIN.format(name, "results/" if name == "first screen" else "micro/"), END.format(name)
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise UserError(f"the lines '{begin}' and '{end}' are missing")
        text = f"{head}{begin}\n{part}\n{end}{tail}"
    return text


def main() -> int:
    for page, written in (("README.md", parts), ("docs/answers.md", answers)):
        path = root() / page
        text = rewritten(path.read_text(encoding="utf-8"), root(), written(root()))
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
