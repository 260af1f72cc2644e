#!/usr/bin/env python3
"""Nothing in harness/ or plot/ names an effect: what it needs to know of one, the effect's folder says. Folders of
micro/*/ are the names; sources are searched for them where they can only mean a probe:

  - as what a probe is looked up by, or compared with
  - behind the word probe or probes, in prose
  - anywhere, if the name has an underscore and is none of the sources' own: a file, or a field in a header

So no name is kept from a newcomer by a word that means something else, and no list of such words is needed. Examples
in help texts, which begin with "  gpufx ", may name effects. Usage: check_names.py ROOT; exit status 1 for each
finding printed. It begins by finding planted ones."""

import re
import sys
from pathlib import Path

SOURCES = ("harness/**/*.c", "harness/**/*.h", "harness/**/*.cu", "harness/**/*.cuh", "harness/**/*.cc",
           "plot/gpufx_plot/**/*.py")  # fmt: skip
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def own(sources: dict[Path, str], names: set[str]) -> set[str]:
    """Names that the sources have for something of their own."""
    headers = "\n".join(COMMENT.sub("", text) for path, text in sources.items() if path.suffix == ".h")
    files = {path.stem for path in sources}
    return {name for name in names if name in files or re.search(rf"\b{re.escape(name)}\s*[,;]", headers)}


def findings(text: str, names: set[str], taken: set[str]):
    """(line number, name, how) of every place."""
    some = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    whole = "|".join(re.escape(name) for name in names - taken if "_" in name) or "(?!)"
    looks = {
        "looked up": rf"""probe_find\(["']({some})["']|probes["']?\]?\[["']({some})["']""",
        "compared": rf"""probe(?:(?:->|\.)name)?(?:"\])?\s*(?:[!=]=|in \()\s*["']({some})["']""",
        "compared in C": rf"""strcmp\([^,]*probe[^,]*, "({some})\"""",
        "prose": rf"""\bprobes?\s(?:\w+(?:,| and) )*?[`"']?({some})\b""",
        "anywhere": rf"\b({whole})\b",
    }
    for number, line in enumerate(text.splitlines(), 1):
        if '"  gpufx ' in line:
            continue
        for how, look in looks.items():
            for match in re.finditer(look, line):
                yield number, next(filter(None, match.groups())), how


PLANTED = """fx_probe_find("shuffle")
/* the probe shuffle measures it */
// as in bank_walk/README.md
/* probes many and shuffle */
if point.probe == "shuffle":
strcmp(probe->name, "shuffle")
run["probes"]["shuffle"]
x = "bank_walk"
"  gpufx run bank_walk"
/* shuffled, a shuffle */
/* probes are registered */
json_pack("{ss}", "name", "shuffle")
bool own_field = facts->own_field;
"""


def planted() -> bool:
    header = {Path("a.h"): "bool own_field, x; /* bank_walk; */"}
    names = {"bank_walk", "shuffle", "own_field", "many"}
    seen = {(number, name) for number, name, _ in findings(PLANTED, names - {"many"}, own(header, names))}
    return seen == {(3, "bank_walk"), (8, "bank_walk"), *((number, "shuffle") for number in (1, 2, 4, 5, 6, 7))}


def main(root: Path) -> int:
    names = {folder.name for folder in root.glob("micro/*/*/") if (folder / "probe.cu").exists()}
    if not planted() or len(names) < 2:
        print("check_names.py does not find what it looks for")
        return 2
    sources = {path: path.read_text(encoding="utf-8") for pattern in SOURCES for path in sorted(root.glob(pattern))}
    taken = own(sources, names)
    found = [
        f"{path.relative_to(root)}:{number}: {name} ({how})"
        for path, text in sources.items()
        for number, name, how in findings(text, names, taken)
    ]
    print("\n".join(dict.fromkeys(found)) or "no effect is named")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
