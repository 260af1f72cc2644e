#!/usr/bin/env python3
"""No circle of includes in harness/: what stands in FILE.c and FILE.h is one part, and of two parts one may need the
other, not both each other, however many stand between them. A header whose name ends in _private belongs to every file
that includes it; so that it hides no circle, neither may the C files call each other's functions in one. (A function in
a table is handed over, not called.) And no room includes what stands above it, in harness/ and in micro/.
Usage: check_includes.py ROOT; exit status 1, with what was found, if there is something."""

import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = {".c", ".h", ".cc", ".cu", ".cuh"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DEFINED = re.compile(r"^(?!static\b|typedef\b)[A-Za-z][^;={}#]*?\b(fx_\w+)\([^;{]*\)\s*\{", re.MULTILINE)
CALLED = re.compile(r"\b(fx_\w+)\(")
BELOW = {
    "core": set(),
    "gbench": set(),
    "trace": {"core"},
    "call": {"core"},
    "archive": {"call", "core"},
    "gpu": {"core"},
    "run": {"archive", "gpu", "gbench", "call", "core"},
    "pattern": {"run", "archive", "gpu", "gbench", "call", "core"},
    "page": {"pattern", "call", "core"},
    "explain": {"pattern", "trace", "run", "archive", "gpu", "gbench", "call", "core"},
    "cli": {"explain", "pattern", "run", "archive", "gpu", "gbench", "call", "core"},
    "micro": {"gpu", "core"},
}


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


def calls(folder: Path) -> dict[str, set[str]]:
    """C file to the C files whose functions it calls. A function with two homes is a choice of the build: left out."""
    texts = {
        str(path.relative_to(folder)): COMMENT.sub("", path.read_text(encoding="utf-8")) for path in folder.rglob("*.c")
    }
    homes: dict[str, list[str]] = {}
    for name, text in texts.items():
        for function in DEFINED.findall(text):
            homes.setdefault(function, []).append(name)
    return {
        name: {homes[word][0] for word in CALLED.findall(text) if len(homes.get(word, ())) == 1} - {name}
        for name, text in texts.items()
    }


def upward(root: Path) -> list[str]:
    """Includes of a room that stands above, or of an effect by another one."""
    harness, micro = root.resolve() / "harness", root.resolve() / "micro"
    found = []
    for path in sorted([*harness.rglob("*"), *micro.rglob("*")]):
        if path.suffix not in SOURCES:
            continue
        for file in included(path, [harness]):
            if file.is_relative_to(micro):
                allowed = path.is_relative_to(micro) and path.is_relative_to(file.parent)
            else:
                room = "micro" if path.is_relative_to(micro) else path.relative_to(harness).parts[0]
                other = file.relative_to(harness).parts[0]
                allowed = other == room or other in BELOW[room]
            if not allowed:
                found.append(f"{path.relative_to(root.resolve())} includes {file.relative_to(root.resolve())}")
    return found


def plant(root: Path) -> None:
    """A tree with one fault of each kind, and what is like it and none."""
    for name, text in {
        "harness/core/low.h": '#include "run/high.h"\n',
        "harness/run/high.h": '#include "core/low.h"\n',
        "harness/run/one.c": "int fx_one(int n) {\n    return fx_two(n);\n}\n",
        "harness/run/two.c": "int fx_two(int n) {\n    return n ? fx_one(n) : 0;\n}\n",
        "harness/run/table.c": "int (*const table)(int) = fx_three;\nint fx_table(void) {\n    return 1;\n}\n",
        "harness/run/three.c": "int fx_three(int n) {\n    return n * fx_table();\n}\n",
        "micro/group/shared.h": "",
        "micro/group/effect/own.h": '#include "../shared.h"\n#include "core/low.h"\n',
        "micro/group/other/probe.cu": '#include "../effect/own.h"\n#include "run/high.h"\n',
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def finds_what_is_planted() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root)
        return (
            circles(parts(root / "harness")) == [["core/low", "run/high"]]
            and circles(calls(root / "harness")) == [["run/one.c", "run/two.c"]]
            and sorted(upward(root))
            == [
                "harness/core/low.h includes harness/run/high.h",
                "micro/group/other/probe.cu includes harness/run/high.h",
                "micro/group/other/probe.cu includes micro/group/effect/own.h",
            ]
        )


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
    root = Path(sys.argv[1])
    if not finds_what_is_planted():
        print("check_includes.py does not find what it looks for")
        return 1
    needs, called = parts(root / "harness"), calls(root / "harness")
    if "core/fit" not in needs["archive/fit_lines"] or "run/process_search.c" not in called["run/process.c"]:
        print("check_includes.py does not find the sources")
        return 1
    found = ["parts that need each other: " + ", ".join(group) for group in circles(needs)]
    found += ["files that call each other: " + ", ".join(group) for group in circles(called)]
    found += upward(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
