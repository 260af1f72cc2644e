"""What is written in pages, from folders and from the reference archives (results/reference.json), one a chip:

    python -m gpufx_plot.showing.pages [--check]

README.md            the memory hierarchy
README.md            how near explain's times are, summed over results/traces/times.txt
README.md, docs      what commands print, in blocks that begin with "$ ./gpufx"
docs/gallery.md      the effects and their pictures
docs/verbs.md        the verbs
docs/quantities.md   how many values lie in the intervals that other archives give them
micro/*/*/README.md  the part "Measured", and the words for the picture that it shows
micro/*/*/measured.png, docs/figures/hierarchy.svg and docs/figures/roofline.svg

--check names what is stale and writes nothing. An effect that no reference archive has, such as a new one, may be
absent from the tables and may lack its part. Pictures of effects take long to draw: --check holds their words. The
words of an effect's line in the gallery are the title of its page, "# NAME: WHAT IT ISOLATES"."""

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .. import UserError
from ..call.output import write
from ..call.program import root
from ..call.stopping import guarded, leave
from ..call.terminal import counted_off, say
from ..call.text import markdown
from ..call.workers import shared
from ..chip.learn_spreads import coverage_part
from . import measured, screens
from .measured import Reference, measured_by
from .report import hierarchy, roofline
from .report.build import GROUPS
from .side import Side

COMMAND = "python -m gpufx_plot.showing.pages"
BEGIN, END = f"<!-- {{}}: written by `{COMMAND}` -->", "<!-- end of {} -->"
MEASURED = "measured"  # the part of an effect's page
TIMES = "results/traces/times.txt"
PICTURE, ROOFS = "docs/figures/hierarchy.svg", "docs/figures/roofline.svg"
# A row of harness/cli/verbs.c: group, name, arguments, fewest and most words, summary, and what the page of help says.
ROW = re.compile(
    r'\{"([A-Z][a-z ]*)",\s+"([a-z ]+)",\s+(?:"[^"]*"\s*)+,\s+\w+,\s+\w+,\s+"([^"]+)",(.*?)(?=\n    \{"|\n\};)',
    re.DOTALL,
)
HELPED = re.compile(r"docs/(\w+)\.md")
JUDGED = re.compile(r"^judged: (\d+) kernels, (\d+) of .*; within 25 % (\d+), .*, under half (\d+)", re.MULTILINE)


class Effect(NamedTuple):
    name: str
    isolates: str
    drawn: bool  # there is a picture


Effects = dict[str, list[Effect]]  # by group, in order


def all_effects(top: Path) -> Effects:
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


def gallery(told: Effects) -> str:
    """What each effect isolates and, where it is drawn, its picture."""
    lines = []
    for group, members in told.items():
        lines.append(f"## {GROUPS.get(group, group)}")
        for name, text, drawn in members:
            folder = f"../micro/{group}/{name}"
            picture = f"<br>![{name}]({folder}/measured.png)" if drawn else ""
            lines.append(f"- [{name}]({folder}/README.md): {text}{picture}")
    return "\n".join(lines)


def verbs(top: Path) -> str:
    lines, group = ["| verb | what it does | page |", "|---|---|---|"], None
    for heading, name, summary, text in ROW.findall((top / "harness/cli/verbs.c").read_text(encoding="utf-8")):
        if heading != group:
            lines.append(f"| **{heading}** | | |")
            group = heading
        pages = ", ".join(f"[{page}]({page}.md)" for page in dict.fromkeys(HELPED.findall(text)))
        lines.append(f"| `{name}` | {summary} | {pages} |")
    return "\n".join(lines)


def judged(top: Path) -> str:
    """How near explain's times are to those of kernels that nobody had looked at."""
    rows = JUDGED.findall((top / TIMES).read_text(encoding="utf-8"))
    told = "Of {} kernels that nobody had looked at {} were not explained, {} predicted within 25 %, {} as under half."
    return told.format(*(sum(map(int, column)) for column in zip(*rows, strict=True)))


def rewritten(text: str, parts: dict[str, str]) -> str:
    """The page with each part between its two lines. Raises UserError where these are missing."""
    for name, part in parts.items():
        begin, end = BEGIN.format(name), END.format(name)
        head, found, rest = text.partition(begin)
        _, closed, tail = rest.partition(end)
        if not found or not closed:
            raise UserError(f"the lines '{begin}' and '{end}' are missing")
        text = f"{head}{begin}\n{part}\n{end}{tail}"
    return text


def effect_page(folder: Path, known: list[Reference], drawn: bool) -> str:
    """The whole text of an effect's page. drawn: it shows a picture."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    if BEGIN.format(MEASURED) not in text:
        text += f"\n## Measured\n{BEGIN.format(MEASURED)}\n{END.format(MEASURED)}\n"
    said = ""
    if drawn:
        from .charts import chart, sources_of

        said = chart(folder.name).finding(sources_of([measured_by(known, folder.name)[0].archive], folder.name))
    return rewritten(text, {MEASURED: measured.part(known, folder.name, said.replace("[", "(").replace("]", ")"))})


def written(top: Path, known: list[Reference], new: bool = True) -> dict[Path, str]:
    """Each page with its parts as they must be. new: also of effects without reference and page. Raises UserError."""
    effects, found, sides = all_effects(top), {}, [Side(of.archive, of.quantities) for of in known]
    hierarchies = ". ".join(markdown(picture["words"]) for picture in hierarchy.pictures(sides))
    first = {"memory hierarchy": f"![{hierarchies}]({PICTURE})", "judged": judged(top)} if known else {}
    parts = {
        "README.md": lambda _: first,
        "docs/gallery.md": lambda text: {"effects": gallery({
            group: [e for e in members if new or measured_by(known, e.name) or f"/{e.name}/README.md" in text]
            for group, members in effects.items()})},
        "docs/quantities.md": lambda _: {"coverage": coverage_part(top)},
        "docs/verbs.md": lambda _: {"verbs": verbs(top)},
    }  # fmt: skip
    for name, of in parts.items():
        if (page := top / name).is_file():
            text = page.read_text(encoding="utf-8")
            found[page] = rewritten(text, of(text))
    roofs = hierarchy.standalone(sides, found=roofline.pictures(sides), shape="roofline.svg")
    drawn = {PICTURE: hierarchy.standalone(sides), ROOFS: roofs}
    found |= {top / name: content for name, content in drawn.items() if content}
    shown = (top / "README.md", *sorted(top.glob("docs/*.md")))
    texts = {page: found.get(page) or page.read_text(encoding="utf-8") for page in shown if page.is_file()}
    found |= screens.of_pages(top, texts)
    for group, members in effects.items():
        for effect in members:
            folder = top / "micro" / group / effect.name
            has = bool(measured_by(known, effect.name))
            if new or has or BEGIN.format(MEASURED) in (folder / "README.md").read_text(encoding="utf-8"):
                found[folder / "README.md"] = effect_page(folder, known, has and effect.drawn)
    return found


def stale(top: Path) -> list[str]:
    """What is not as it must be, and why, a line each."""
    from .charts import chart

    known = measured.read(top)
    names = {name for of in known for name in of.archive.measured}
    lines = [
        f"{folder.relative_to(top)}: {file} is missing"
        for folder in sorted(path for path in (top / "micro").glob("*/*") if path.name in names)
        for file in ("README.md", "figure.json", "measured.png")
        if not (folder / file).is_file() and not (file == "measured.png" and chart(folder.name).without)
    ]
    for page, text in written(top, known, new=False).items():
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            lines.append(f"{page.relative_to(top)}: not what the reference archives and the folders say")
    return lines


def _draw(known: list[Reference], top: Path, effect: str) -> None:
    from .charts import content, draw

    (figure,) = top.glob(f"micro/*/{effect}/figure.json")
    picture = figure.parent / "measured.png"
    if drawing := draw([measured_by(known, effect)[0].archive], effect):
        write(picture, content(drawing, "png"))
    else:  # the effect says why there is none
        picture.unlink(missing_ok=True)


def rewrite(top: Path) -> None:
    known = measured.read(top)
    wanted = sorted(path.parent.name for path in top.glob("micro/*/*/figure.json"))
    wanted = [effect for effect in wanted if measured_by(known, effect)]
    list(counted_off("drawing", shared(partial(_draw, known, top), wanted, most=2), len(wanted)))
    for page, text in written(top, known).items():
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            write(page, text.encode())


def main(words: list[str]) -> int:
    top = root()
    os.environ.setdefault("GPUFX_PROGRAM", str(top / "build" / "bin" / "gpufx"))
    if words == ["--check"]:
        lines = stale(top)
        say("".join(f"{line}\n" for line in lines) + (f"write them with: {COMMAND}\n" if lines else ""))
        return 1 if lines else 0
    if words:
        raise UserError(f"takes nothing or --check, not '{words[0]}'")
    rewrite(top)
    return 0


if __name__ == "__main__":
    leave(guarded("gpufx_plot.showing.pages", lambda: main(sys.argv[1:])))
