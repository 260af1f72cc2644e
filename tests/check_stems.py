#!/usr/bin/env python3
"""A file's stem means one thing: no two parts of harness/, plot/ and tests/unit/ share one. Files of one folder with
one stem are one part, such as FILE.c and FILE.h. Two parts may share a stem where they are one rule in C and in Python:
then tests/vectors/STEM.json holds them together (of tests: without `test_`).
Usage: check_stems.py ROOT; exit status 1, with each stem that stands twice, if there is one."""

import sys
from pathlib import Path

FOLDERS = ("harness", "plot", "tests/unit")
SOURCES = {".c", ".h", ".cc", ".cu", ".cuh", ".py"}
EVERYWHERE = {"__init__", "__main__"}


def twice(paths: list[str], rules: set[str]) -> dict[str, list[str]]:
    """Stem to the folders in which it stands, where these are several. rules: stems that C and Python both may have."""
    folders: dict[str, dict[str, str]] = {}
    for path in map(Path, paths):
        if path.suffix in SOURCES and path.stem not in EVERYWHERE:
            folders.setdefault(path.stem, {})[str(path.parent)] = "Python" if path.suffix == ".py" else "C"

    def one_rule(stem: str, of: dict[str, str]) -> bool:
        return stem.removeprefix("test_") in rules and sorted(of.values()) == ["C", "Python"]

    return {stem: sorted(of) for stem, of in folders.items() if len(of) > 1 and not one_rule(stem, of)}


def finds_planted() -> bool:
    paths = ["a/x.c", "a/x.h", "b/x.py", "a/rule.c", "b/rule.py", "a/thrice.c", "b/thrice.py", "c/thrice.py", "a/y.c"]
    return twice(paths, {"rule", "thrice"}) == {"x": ["a", "b"], "thrice": ["a", "b", "c"]}


def main(root: Path) -> int:
    rules = {path.stem for path in (root / "tests/vectors").glob("*.json")}
    paths = [str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*.*")]
    if not finds_planted() or "harness/core/text.c" not in paths or "text" not in rules:
        print("check_stems.py does not find what it looks for")
        return 2
    found = [f"{stem} stands in {' and '.join(of)}: rename one" for stem, of in sorted(twice(paths, rules).items())]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
