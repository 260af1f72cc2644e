#!/usr/bin/env python3
"""No circle of includes in harness/: what stands in FILE.c and FILE.h is one part, and of two parts one may need the
other, not both each other, however many stand between them. A header whose name ends in _private belongs to every file
that includes it. Usage: check_includes.py ROOT; exit status 1, with the circles, if there are some."""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = {".c", ".h", ".cc", ".cu", ".cuh"}


def included(path: Path, places: list[Path]) -> set[Path]:
    """The project's own files that a file includes, also by way of private headers."""
    found = set()
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        known = [place / name for place in (path.parent, *places) if (place / name).is_file()]
        if known:
            file = known[0].resolve()
            found |= included(file, places) if file.stem.endswith("_private") else {file}
    return found


def parts(folder: Path) -> dict[str, set[str]]:
    """Part to the parts that it needs."""
    folder = folder.resolve()
    needs: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCES and not path.stem.endswith("_private"):
            name = str(path.relative_to(folder).with_suffix(""))
            others = {str(file.relative_to(folder).with_suffix("")) for file in included(path, [folder])}
            needs.setdefault(name, set()).update(others - {name})
    return needs


def circles(needs: dict[str, set[str]]) -> list[list[str]]:
    """Parts that need each other, each group once."""

    def reached(start: str) -> set[str]:
        seen, waiting = set(), [start]
        while waiting:
            new = needs.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        return seen

    reach = {name: reached(name) for name in needs}
    groups = {tuple(sorted(other for other in reach[name] if name in reach.get(other, ()))) for name in needs}
    return [list(group) for group in sorted(groups) if group]


def main() -> int:
    planted = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set()}
    if circles(planted) != [["a", "b", "c"]]:
        print("check_includes.py does not find what it looks for")
        return 1
    needs = parts(Path(sys.argv[1]) / "harness")
    if not {"call/parse", "core/fit"} <= needs.keys() or "core/fit" not in needs["archive/fit_lines"]:
        print("check_includes.py does not find the sources")
        return 1
    found = circles(needs)
    for group in found:
        print("parts that need each other:", ", ".join(group))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
