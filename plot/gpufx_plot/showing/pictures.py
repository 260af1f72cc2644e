"""The measured pictures of the tree, micro/GROUP/EFFECT/measured.png, and README's gallery of them.

    python -m gpufx_plot.showing.pictures [ARCHIVE...]

rewrites all of them, and says on each effect's page, as the words for its picture, what the picture shows. Each effect
is drawn from the first of the archives that measured it; without any named, from the newest complete one under
results/, those of the device that README shows first before others.
"""

import os
import re
import sys
from functools import partial
from pathlib import Path

from .. import UserError
from ..archive.contents import Archive
from ..archive.load import load
from ..archive.reference import references
from ..call.output import write
from ..call.program import root
from ..call.terminal import complain, say
from . import readme

PICTURE = re.compile(r"!\[[^\]\n]*\]\(measured\.png\)")


def candidates(top: Path) -> list[Path]:
    """The archives under results/, the best first."""
    shown = {path.parent for path in [*references(top).values()][:1]}
    found = (top / "results").glob("*/*/*.jsonl.gz")
    return sorted(found, key=lambda path: (path.parent in shown, path.name), reverse=True)


def presentable(archive: Archive) -> bool:
    return not (archive.synthetic or archive.run["quick"] or archive.incomplete)


def _draw(archive: Archive, top: Path, effect: str) -> None:
    from .charts import content, draw, finding

    (figure,) = top.glob(f"micro/*/{effect}/figure.py")
    write(figure.parent / "measured.png", content(draw([archive], effect), "png"))
    page = figure.parent / "README.md"
    if page.is_file():
        old = page.read_text(encoding="utf-8")
        said = finding([archive], effect).replace("[", "(").replace("]", ")")
        new = PICTURE.sub(lambda _: f"![{said}](measured.png)", old)
        if new != old:
            write(page, new.encode())


def rewrite(paths: list[Path], top: Path) -> list[str]:
    """Returns what was drawn from which archive, in words."""
    from .charts.files import foresee, side_by_side

    named = bool(paths)
    wanted = {path.parent.name for path in top.glob("micro/*/*/figure.py")}
    told = []
    for path in paths or candidates(top):
        if not wanted:
            break
        try:
            archive = load(path, probes=wanted)
        except UserError:
            if named:
                raise
            continue  # such as one that was taken under a profiler
        if not (named or presentable(archive)):
            continue
        here = sorted(wanted & archive.measured)
        foresee([archive], here)
        side_by_side(partial(_draw, archive, top), here)
        wanted -= archive.measured
        told += [f"{archive.run['id']}: {', '.join(here)}"] if here else []
    return told + ([f"no archive has: {', '.join(sorted(wanted))}"] if wanted else [])


def main(arguments: list[str]) -> int:
    top = root()
    os.environ.setdefault("GPUFX_PROGRAM", str(top / "build" / "bin" / "gpufx"))
    try:
        say("".join(f"{line}\n" for line in rewrite([Path(word) for word in arguments], top)))
    except UserError as error:
        return complain(f"gpufx_plot.showing.pictures: {error}")
    return readme.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
