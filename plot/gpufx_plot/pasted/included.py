"""Headers with kernels or launches become a part of the text, in the place of their first #include.

Lines are counted in the text that results; what is shown has the file and the line that each came from."""

import functools
import os
import re
from pathlib import Path

from .defines import INCLUDE, LAUNCHING, LIBRARY, UNREAD, resolve

BODY = re.compile(r"__global__[^;{}]*\{")


def rows_of(text: str, path: str, base: Path, done: dict[str, bool]) -> tuple[list[tuple[str, str, int]], bool]:
    """Each line with its file and number; and whether a kernel is in it, or in what it includes. done: headers that are
    part of the text already, or have no kernel."""
    folder, rows = Path(path).parent, []
    has_kernel = path in done and any(of.search(UNREAD.sub(" ", text)) for of in (BODY, LAUNCHING))
    for number, line in enumerate(text.split("\n"), 1):
        hit, inner, kept = INCLUDE.match(line), [], "" if line.startswith("#pragma once") else line
        found = resolve(hit[1], folder) if hit else None
        name = str(found)
        if found and not LIBRARY.search(name) and name not in done:
            done[name] = False
            inner, done[name] = rows_of(found.read_text(errors="replace"), name, base, done)
        if found and done.get(name):
            has_kernel, kept = True, ""
        elif found and folder != base:
            kept = f'#include "{os.path.relpath(found, base)}"'
        rows += [(kept, path, number), *(inner if not kept else ())]
    return rows, has_kernel


@functools.cache
def with_kernels(code: str, path: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    """The text, and of each line where it came from; (): nothing is added."""
    rows, has_kernel = rows_of(code, path, Path(path).parent, {})
    if not has_kernel:
        return code, ()
    return "\n".join(line for line, *_ in rows), tuple((of, number) for _, of, number in rows)
