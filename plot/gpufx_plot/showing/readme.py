"""The written parts of README.md and docs/gallery.md: from the reference archives the picture of the memory hierarchy,
from the folders of micro/ the gallery. The words of an effect's line are the title of its page,
"# NAME: WHAT IT ISOLATES". pages.py writes and checks them."""

import re
from pathlib import Path
from typing import NamedTuple

from .. import UserError
from ..call.text import markdown
from .measured import Reference
from .report import hierarchy, roofline
from .report.build import GROUPS
from .side import Side

GALLERY, PICTURE, ROOFS = "docs/gallery.md", "docs/figures/hierarchy.svg", "docs/figures/roofline.svg"


class Effect(NamedTuple):
    name: str
    isolates: str
    drawn: bool  # there is a picture


Effects = dict[str, list[Effect]]  # by group, in order


def effects(top: Path) -> Effects:
    order = [*GROUPS, *sorted({p.name for p in (top / "micro").iterdir() if p.is_dir()} - GROUPS.keys())]
    found: Effects = {}
    for group in order:
        for page in sorted((top / "micro" / group).glob("*/README.md")):
            name = page.parent.name
            title = page.read_text(encoding="utf-8").split("\n", 1)[0]
            match = re.fullmatch(rf"# {re.escape(name)}: (\S.*\S)", title)
            if not match:
                raise UserError(f"{page}:1: the title must be '# {name}: what it isolates'")
            found.setdefault(group, []).append(Effect(name, match[1], (page.parent / "measured.png").is_file()))
    return found


def probes(told: Effects) -> dict[str, str]:
    """The part of docs/gallery.md: what each effect isolates and, where it is drawn, its picture."""
    lines = []
    for group, members in told.items():
        lines.append(f"## {GROUPS.get(group, group)}")
        for name, text, drawn in members:
            folder = f"../micro/{group}/{name}"
            picture = f"<br>![{name}]({folder}/measured.png)" if drawn else ""
            lines.append(f"- [{name}]({folder}/README.md): {text}{picture}")
    return {"effects": "\n".join(lines)}


def _sides(known: list[Reference]) -> list[Side]:
    return [Side(of.archive, of.quantities) for of in known]


def of_archives(known: list[Reference]) -> dict[str, str]:
    """The part of README.md: the picture of all reference archives."""
    if not known:
        return {}
    words = ". ".join(markdown(picture["words"]) for picture in hierarchy.pictures(_sides(known)))
    return {"memory hierarchy": f"![{words}]({PICTURE})"}


def drawn(top: Path, known: list[Reference]) -> dict[Path, str]:
    """The files of both pictures of a chip."""
    sides = _sides(known)
    drawn = {PICTURE: hierarchy.standalone(sides), ROOFS: roofline.standalone(sides)}
    return {top / name: content for name, content in drawn.items() if content}
