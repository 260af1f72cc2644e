#!/usr/bin/env python3
"""No circle of imports in plot/gpufx_plot, imports within functions counted as well, and its rooms import downwards
alone: ROOMS, from the lowest to the highest. Modules that lie in no room, such as __main__, are above all rooms; the
package's __init__ is below. Usage: check_imports.py ROOT; prints the longest chain of imports. Exit status 1, with each
finding, if there are some."""

import ast
import sys
from pathlib import Path

from check_includes import circles

PACKAGE = "gpufx_plot"
ROOMS = ("call", "pasted", "statistics", "archive", "chip", "judging", "cards", "explain", "showing")


def imported(module: str, source: str, modules: set[str], is_package: bool) -> set[str]:
    """The package's own modules that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")[: None if is_package else -1]
            place = parts[: len(parts) - node.level + 1] if node.level else []
            place = ".".join([*place, *([node.module] if node.module else [])])
            inside = {f"{place}.{name.name}" for name in node.names}
            found |= inside & modules | ({place} if inside - modules else set())
    return found & modules - {module}


def needs_of(package: Path) -> dict[str, set[str]]:
    """Module to the modules that it imports."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        files[".".join(parts).removesuffix(".__init__")] = path
    return {
        name: imported(name, path.read_text(encoding="utf-8"), files.keys(), path.name == "__init__.py")
        for name, path in files.items()
    }


def level(module: str) -> int:
    """How high a module stands."""
    if module == PACKAGE:
        return -1
    room = module.split(".")[1]
    return ROOMS.index(room) if room in ROOMS else len(ROOMS)


def upward(needs: dict[str, set[str]]) -> list[tuple[str, str]]:
    return sorted((one, other) for one in needs for other in needs[one] if level(other) > level(one))


def chain(needs: dict[str, set[str]]) -> list[str]:
    """The longest one, where there is no circle."""
    longest: dict[str, list[str]] = {}

    def of(module: str) -> list[str]:
        if module not in longest:
            longest[module] = [module, *max((of(other) for other in needs[module]), key=len, default=[])]
        return longest[module]

    return max(map(of, needs), key=len)


def finds_planted() -> bool:
    modules = {f"{PACKAGE}{name}" for name in ("", ".call.a", ".call.b", ".chip.c", ".cards.d")}
    sources = {
        ".call.a": "from .b import x",
        ".call.b": "def f():\n    from . import a",
        ".chip.c": "from ..cards import d\nfrom ..call.a import x\nfrom .. import UserError",
        ".cards.d": f"import {PACKAGE}.call.a",
    }
    needs = {name: set() for name in modules}
    needs |= {PACKAGE + name: imported(PACKAGE + name, text, modules, False) for name, text in sources.items()}
    planted = [[f"{PACKAGE}.call.a", f"{PACKAGE}.call.b"]]
    straight = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    return (
        circles(needs) == planted
        and upward(needs) == [(f"{PACKAGE}.chip.c", f"{PACKAGE}.cards.d")]
        and PACKAGE in needs[f"{PACKAGE}.chip.c"]
        and chain(straight) == ["a", "b", "c"]
    )


def main(root: Path) -> int:
    needs = needs_of(root / "plot" / PACKAGE)
    if not finds_planted() or f"{PACKAGE}.statistics.student" not in needs[f"{PACKAGE}.statistics.spread"]:
        print("check_imports.py does not find what it looks for")
        return 2
    found = [f"modules that need each other: {', '.join(group)}" for group in circles(needs)]
    found += [f"{one} imports {other}, which stands in a higher room" for one, other in upward(needs)]
    print("\n".join(found) or f"deepest chain of imports: {len(longest := chain(needs))}: {' -> '.join(longest)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
