"""Names of kernels as they stand in the source, by the C++ runtime library, which the program itself is linked with,
and the short ones that people call them by."""

import ctypes
import re
from collections.abc import Iterable, Iterator
from functools import cache

from ..call.grouped import grouped
from ..call.text import safe

LONGEST = 4096  # characters; the library is not given what no compiler writes
SHORT, IN_SENTENCES = 24, 60  # of a kernel's name in a table on a narrow screen
CUT, READ = "…", 9  # letters by which a word is known
USUAL = {"array", "const", "double", "false", "float", "operator", "short", "unsigned"}  # words of templates
NAMELESS, CALLS = "\0", "\1"  # parentheses that are no parameters


@cache
def _library():
    try:
        known, free = ctypes.CDLL("libstdc++.so.6").__cxa_demangle, ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    known.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_int)]
    known.restype = ctypes.c_void_p
    free.argtypes, free.restype = [ctypes.c_void_p], None
    return known, free


@cache
def demangled(name: str) -> str:
    """_Z5naivePfPKfi -> naive(float*, float const*, int); another name as it is."""
    library = _library() if name.startswith("_Z") and "\0" not in name and len(name) <= LONGEST else None
    if not library:
        return name
    known, free = library
    status = ctypes.c_int(0)
    at = known(name.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
    if not at:
        return name
    text = ctypes.string_at(at).decode("utf-8", "replace")
    free(at)
    return text


def _levels(text: str) -> Iterator[tuple[int, str, int]]:
    """Where each letter stands, and in how many templates and parentheses."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        yield i, letter, depth


def short_name(name: str) -> str:
    """Without its parameters, which is what a person calls it."""
    parts = name.replace("(anonymous namespace)", NAMELESS).replace("operator()", CALLS)
    end = next((i for i, letter, depth in _levels(parts) if letter == "(" and depth == 1), len(parts))
    found = parts[:end].replace(NAMELESS, "(anonymous namespace)").replace(CALLS, "operator()")
    return safe(found.strip().removeprefix("void ") or name)


def bare_name(name: str) -> str:
    """at::native::elementwise_kernel<128, 2, T>(int) -> elementwise_kernel<128, 2, T>."""
    whole = short_name(name)
    begin = max((i + 1 for i, letter, depth in _levels(whole) if letter == ":" and not depth), default=0)
    return whole[begin:] or whole


def _telling(text: str) -> int:
    """Where the innermost type or function of the template's arguments begins, which tells most; 0: there is none."""
    depth = inside = 0
    found = (0, 0)
    for match in re.finditer(r"\b[A-Za-z_]\w{4,}\b(?!::[A-Za-z_(])|[<>(){}]", text):
        word = match[0]
        depth += (word == "<") - (word == ">")
        inside += (word in "({") - (word in ")}")  # what has parameters of its own
        if len(word) > 1 and depth and not inside and word not in USUAL:
            found = max(found, (depth, match.start()))
    return found[1]


def _cut(text: str, most: int, at: int) -> str:
    """Leaves out the middle of what is longer, but not the letter `at`, with which it parts from others."""
    if len(text) <= most:
        return text
    at = at or _telling(text)
    if 0 < at < most - READ:
        return text[: most - len(CUT)] + CUT
    head = text[: most // 2]
    left = most - len(head) - len(CUT)
    if len(head) <= at < len(text) - left:
        return head + CUT + text[at : at + left - len(CUT)] + CUT
    return head + CUT + text[-left:]


def labels(names: Iterable[str], most: int = IN_SENTENCES) -> dict[str, str]:
    """Names for people, of at most so many characters, no two of them alike: by templates that are cut elsewhere, else
    with namespaces and parameters, else by numbers."""
    bare = {name: bare_name(name) for name in names}
    found: dict[str, str] = {}

    def part(alike: list[str], at: int) -> None:
        for label, same in grouped(alike, lambda name: _cut(bare[name], most, at)).items():
            letters = enumerate(zip(*(bare[name] for name in same), strict=False))
            parts = next((i for i, each in letters if len({*each}) > 1), 0)
            if parts > at:
                part(same, parts)
            else:
                found.update((name, label) for name in same)

    for same in grouped(bare, bare.get).values():
        if len(same) > 1:
            bare.update((name, safe(name)) for name in same)
    part([*bare], 0)
    for label, same in grouped(found, found.get).items():
        for i, name in enumerate(same[1:], start=2):
            found[name] = f"{label[: most - 4]} #{i}"
    return found
