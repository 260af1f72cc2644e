"""The parts of pages that are written. In README.md: from the folders of micro/ the table of effects and the gallery;
from the reference archives (results/reference.json) the picture of the memory hierarchy and the first screens. In
docs/answers.md the table of answers.

    python -m gpufx_plot.showing.readme

rewrites them, and docs/figures/hierarchy.svg; a test compares. The words of a row are the title of the effect's page,
"# NAME: WHAT IT ISOLATES".
"""

import json
import re
import sys
from pathlib import Path

from .. import UserError
from ..archive.load import load
from ..archive.reference import references
from ..call.output import write
from ..call.program import root
from ..call.text import markdown
from ..chip.quantities import infer
from .report.build import GROUPS
from .report.hierarchy import pictures, standalone
from .screen import Side, first_screen

PICTURE = "docs/figures/hierarchy.svg"
MARGIN = 0.01  # that `gpufx summary` takes unless told otherwise
BEGIN, END = "<!-- {} written from {} by `python -m gpufx_plot.showing.readme` -->", "<!-- end of {} -->"
FROM = dict.fromkeys(("table of effects", "gallery", "table of answers"), "micro/")  # all others: from results/


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
    return {"table of effects": "\n".join(table), "gallery": "\n".join(gallery)} | of_archives(top)


def sides(top: Path) -> list[Side]:
    loaded = [load(path) for path in references(top).values()]
    return [Side(archive, infer(archive)) for archive in loaded]


def of_archives(top: Path) -> dict[str, str]:
    """The picture and the first screens, at 80 columns."""
    known = sides(top)
    if not known:
        return {}
    words = ". ".join(markdown(picture["words"]) for picture in pictures(known))
    screens = []
    for side in known:
        lines = first_screen([side.archive], "text", MARGIN).splitlines()
        command = f"$ ./gpufx summary {side.archive.run['id']}"
        screens.append("\n".join(["```", command, *lines[:-1], f"archive {side.archive.path.relative_to(top)}", "```"]))
    lead = "What `./gpufx summary` prints of them, as `./gpufx characterize` does of yours at its end"
    lead += ";\n`./gpufx report` makes one page of them"
    return {"memory hierarchy": f"![{words}]({PICTURE})", "first screens": "\n\n".join([f"{lead}:", *screens])}


def picture(top: Path) -> str:
    """The file that README's first picture is."""
    return standalone(sides(top))


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
                words = (f"`{word}`" if re.search(r"[_\[]", word) else word for word in row["words"])
                lines.append(f"| {row['question']} | `{row['command']}` | {figure} | {', '.join(words)} |")
    return {"table of answers": "\n".join(lines)}


def rewritten(text: str, top: Path, written=None) -> str:
    for name, part in (parts(top) if written is None else written).items():
        begin, end = BEGIN.format(name, FROM.get(name, "results/")), END.format(name)
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise UserError(f"the lines '{begin}' and '{end}' are missing")
        text = f"{head}{begin}\n{part}\n{end}{tail}"
    return text


def main() -> int:
    top = root()
    for name, written in (("README.md", parts), ("docs/answers.md", answers)):
        page = top / name
        if page.is_file():
            write(page, rewritten(page.read_text(encoding="utf-8"), top, written(top)).encode())
    (top / PICTURE).parent.mkdir(exist_ok=True)
    write(top / PICTURE, picture(top).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
