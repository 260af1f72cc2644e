#!/usr/bin/env python3
"""Who may need whom, and what a file may be called. Usage: check_rooms.py ROOT; prints what is found, and ends with 1.

C: of two parts of harness/ one may need the other, not both each other, however many stand between them; what stands in
FILE.c and FILE.h is one part. A header whose name ends in _private belongs to every file that includes it; so that it
hides no circle, neither may the C files call each other's functions in one. (A function in a table is handed over, not
called.) And no room of harness/ includes what stands above it, nor micro/ but what BELOW says.

Python: no circle of imports in plot/gpufx_plot, imports within functions counted as well, and its rooms (ROOMS, from
the lowest on) import downwards alone. Modules that lie in no room, such as __main__, are above all; __init__ is below.

Stems: no two parts of harness/, plot/ and tests/unit/ share one, unless they are one rule in C and in Python: then
tests/vectors/STEM.json holds them together (of tests: without `test_`).

It begins by finding what is planted."""

import ast
import re
import sys
import tempfile
from graphlib import CycleError, TopologicalSorter
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
PACKAGE = "gpufx_plot"
ROOMS = ("call", "pasted", "statistics", "archive", "chip", "judging", "cards", "explain", "showing")
WITH_STEMS = ("harness", "plot", "tests/unit")


def circles(needs: dict[str, set[str]]) -> list[str]:
    """One of those that there are."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return [", ".join(sorted(set(error.args[1])))]
    return []


# ---- C ----


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


def includes_upward(root: Path) -> list[str]:
    """Includes of a room that stands above, or of an effect by another one."""
    harness, micro = root / "harness", root / "micro"
    found = []
    for path in sorted([*harness.rglob("*"), *micro.rglob("*")]):
        for file in included(path, [harness]) if path.suffix in SOURCES else ():
            if file.is_relative_to(micro):
                allowed = path.is_relative_to(micro) and path.is_relative_to(file.parent)
            else:
                room = "micro" if path.is_relative_to(micro) else path.relative_to(harness).parts[0]
                other = file.relative_to(harness).parts[0]
                allowed = other == room or other in BELOW[room]
            if not allowed:
                found.append(f"{path.relative_to(root)} includes {file.relative_to(root)}")
    return found


# ---- Python ----


def imported(module: str, source: str, modules: set[str], is_package: bool) -> set[str]:
    """The package's own modules that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            own = module.split(".")[: None if is_package else -1]
            place = own[: len(own) - node.level + 1] if node.level else []
            place = ".".join([*place, *([node.module] if node.module else [])])
            inside = {f"{place}.{name.name}" for name in node.names}
            found |= inside & modules | ({place} if inside - modules else set())
    return found & modules - {module}


def modules_of(package: Path) -> dict[str, set[str]]:
    """Module to the modules that it imports."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        words = (package.name, *path.relative_to(package).with_suffix("").parts)
        files[".".join(words).removesuffix(".__init__")] = path
    return {
        name: imported(name, path.read_text(encoding="utf-8"), files.keys(), path.name == "__init__.py")
        for name, path in files.items()
    }


def level(module: str) -> int:
    """How high a module stands."""
    room = module.split(".")[1] if "." in module else None
    return -1 if room is None else ROOMS.index(room) if room in ROOMS else len(ROOMS)


# ---- Stems ----


def stems(root: Path) -> list[str]:
    rules = {path.stem for path in (root / "tests/vectors").glob("*.json")}
    folders: dict[str, dict[str, str]] = {}
    for path in (path for folder in WITH_STEMS for path in (root / folder).rglob("*.*")):
        if path.suffix in SOURCES | {".py"} and path.stem not in ("__init__", "__main__"):
            language = "Python" if path.suffix == ".py" else "C"
            folders.setdefault(path.stem, {})[str(path.parent.relative_to(root))] = language
    return [
        f"{stem} stands in {' and '.join(sorted(of))}: rename one"
        for stem, of in sorted(folders.items())
        if len(of) > 1 and not (stem.removeprefix("test_") in rules and sorted(of.values()) == ["C", "Python"])
    ]


def findings(root: Path) -> list[str]:
    modules = modules_of(root / "plot" / PACKAGE)
    upward = sorted((one, other) for one in modules for other in modules[one] if level(other) > level(one))
    return [
        *(f"parts need each other: {group}" for group in circles(parts(root / "harness"))),
        *(f"files call each other: {group}" for group in circles(calls(root / "harness"))),
        *includes_upward(root),
        *(f"modules need each other: {group}" for group in circles(modules)),
        *(f"{one} imports {other}, which stands in a higher room" for one, other in upward),
        *stems(root),
    ]


PLANTED = {  # faults, and what is like them and none
    "harness/core/low.h": '#include "run/high.h"\n',
    "harness/run/high.h": '#include "core/low.h"\n',
    "harness/run/one.c": "int fx_one(int n) {\n    return fx_two(n);\n}\n",
    "harness/run/two.c": "int fx_two(int n) {\n    return n ? fx_one(n) : 0;\n}\n",
    "harness/run/table.c": "int (*const table)(int) = fx_three;\nint fx_table(void) {\n    return 1;\n}\n",
    "harness/run/three.c": "int fx_three(int n) {\n    return n * fx_table();\n}\n",
    "micro/group/shared.h": "",
    "micro/group/effect/own.h": '#include "../shared.h"\n#include "core/low.h"\n',
    "micro/group/other/probe.cu": '#include "../effect/own.h"\n#include "run/high.h"\n',
    "plot/gpufx_plot/__init__.py": "",
    "plot/gpufx_plot/call/a.py": "from .b import x",
    "plot/gpufx_plot/call/b.py": "def f():\n    from . import a",
    "plot/gpufx_plot/chip/c.py": "from ..cards import d\nfrom ..call.a import x\nfrom .. import UserError",
    "plot/gpufx_plot/cards/d.py": "import gpufx_plot.call.a",
    "plot/gpufx_plot/chip/two.py": "",
    "plot/gpufx_plot/chip/table.py": "",
    "plot/gpufx_plot/cards/three.py": "",
    "plot/gpufx_plot/chip/three.py": "",
    **{f"tests/vectors/{stem}.json": "" for stem in ("table", "three")},
}
FOUND = [
    "parts need each other: core/low, run/high",
    "files call each other: run/one.c, run/two.c",
    "harness/core/low.h includes harness/run/high.h",
    "micro/group/other/probe.cu includes harness/run/high.h",
    "micro/group/other/probe.cu includes micro/group/effect/own.h",
    "modules need each other: gpufx_plot.call.a, gpufx_plot.call.b",
    "gpufx_plot.chip.c imports gpufx_plot.cards.d, which stands in a higher room",
    "three stands in harness/run and plot/gpufx_plot/cards and plot/gpufx_plot/chip: rename one",
    "two stands in harness/run and plot/gpufx_plot/chip: rename one",
]


def finds_planted() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return sorted(findings(root)) == sorted(FOUND)


def main(root: Path) -> int:
    found = [] if finds_planted() else ["check_rooms.py does not find what it looks for"]
    if (
        "core/fit" not in parts(root / "harness")["archive/fit_lines"]
        or f"{PACKAGE}.statistics.student" not in modules_of(root / "plot" / PACKAGE)[f"{PACKAGE}.statistics.verdicts"]
    ):
        found.append("check_rooms.py does not find the sources")
    found += findings(root)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
