"""Heads of kernels in the text, from __global__ to the name."""

import re
from collections.abc import Callable

from clang.cindex import CursorKind

from .defines import DEFINE, UNREAD

MARK = "__global__"
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(\s*(?:global|__global__)\s*\)\)")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
AFTER = ("requires", "noexcept", "__attribute__", "__launch_bounds__")
"""What has parentheses and may follow the parameters."""

WORDS = {"static", "inline", "extern", "constexpr", "template", "__device__", "__host__", "__forceinline__",
         "__noinline__", "__inline__", "__restrict__", "__attribute__"}  # fmt: skip
"""In front of a function, and of no header of the program."""


def blank(hit) -> str:
    return re.sub(r"\S", " ", hit[0])


def bare(text: str) -> str:
    """Of the same length, without comments, strings and directives."""
    return DIRECTIVE.sub(blank, UNREAD.sub(blank, text))


def marks_of(sources: dict[str, str]) -> dict[str, str]:
    """Macros of the text and its headers that mark a kernel, with what they stand for."""
    marks, size, bodies = {MARK: ""}, 0, DEFINE.findall("\n".join(sources.values()))
    while size < len(marks):
        size = len(marks)
        marks |= {name: body for name, body in bodies if name != MARK and marks.keys() & set(re.findall(r"\w+", body))}
    return marks


def head(text: str, start: int) -> tuple[str, int, int]:
    """The name (and where), and where the head ends: at a brace or a semicolon."""
    depth, name, at, end = 0, "", start, start
    for end in range(start, len(text)):
        letter = text[end]
        if letter == "(" and not depth:
            called = re.search(r"(\w+)\s*(<[^(){};]*>)?\s*$", text[start:end])
            if called and called[1] not in AFTER:
                name, at = called[1], start + called.start()
            elif not called:
                name = ""
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(letter, 0)
        if letter in "{;" and not depth:
            break
    return name, at, end


def body_end(text: str, start: int) -> int:
    depth = 0
    for hit in re.compile("[{}]").finditer(text, start):
        depth += 1 if hit[0] == "{" else -1
        if not depth:
            return hit.end()
    return len(text)


def plain_heads(code: str) -> str:
    """Blanks what stands between __global__ and the name, but void: attributes, bounds, macros of headers."""
    code = ATTRIBUTE.sub(lambda hit: MARK.ljust(len(hit[0])) if "\n" not in hit[0] else hit[0], code)
    text = bare(code)
    for found in re.finditer(rf"\b{MARK}\b", text):
        name, at, _ = head(text, found.end())
        between = text[found.end() : at]
        if name and re.search(r"\bvoid\b", between):
            kept = re.sub(r"\bvoid\b|\S", lambda hit: hit[0] if hit[0] == "void" else "\0", between)
            both = zip(kept, code[found.end() : at], strict=True)
            code = code[: found.end()] + "".join(" " if new == "\0" else old for new, old in both) + code[at:]
    return code


def kernel_heads(code: str) -> Callable[[int, int, bool], tuple[str, int, bool]]:
    """By line and column (of bytes) of what marks a kernel: its name, the head's last line, and if a body follows."""
    text = bare(code)
    starts = [0, *(hit.end() for hit in re.finditer("\n", text))]

    def at(line: int, column: int, is_mark: bool) -> tuple[str, int, bool]:
        if not line:
            return "", 0, False
        row = code[starts[line - 1] :].partition("\n")[0]
        start = starts[line - 1] + len(row.encode()[: column - 1].decode(errors="replace"))
        name, _, end = head(text, start + (len(MARK) if is_mark else 0))
        return name, text.count("\n", 0, end) + 1, text[end : end + 1] == "{"

    return at


def maybe_kernels(lines: list[str]) -> list[tuple[str, int]]:
    """Functions of threads that nothing here calls, with a macro in front that nothing here defines: where a header is
    not found, it may stand for __global__."""
    text, found = bare("\n".join(lines)), []
    own = WORDS | {name for name, _ in DEFINE.findall("\n".join(lines))}
    for hit in re.finditer(r"\bvoid\s+(\w+)\s*\(", text):
        front = re.split(r"[;{}>]", text[: hit.start()])[-1]
        macros = [word for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^()]*\)", " ", front)) if word not in own]
        _, _, end = head(text, hit.start())
        body = text[end : body_end(text, end)]
        is_called = len(re.findall(rf"\b{hit[1]}\s*\(", text)) > 1
        if macros and MARK not in front and text[end : end + 1] == "{" and "Idx" in body and not is_called:
            found.append((hit[1], text.count("\n", 0, hit.start()) + 1))
    return found


def unseen(parsed, kernels: set[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Name, line, and why, of what has __global__, by itself or by a macro, where clang sees no kernel; and of what a
    header that is not found may make a kernel. The preprocessor's record leaves out what no compiler reads."""
    used = (item for item in parsed.unit.cursor.get_children() if item.kind == CursorKind.MACRO_INSTANTIATION)
    places = [(parsed.line(item.location), item) for item in used if item.spelling in parsed.marks]
    heads, found = kernel_heads("\n".join(parsed.lines)), []
    for line, item in places:
        is_whole = "{" in parsed.marks[item.spelling]
        name, last, is_body = (item.spelling, parsed.line(item.extent.end), True) if is_whole else heads(
            line, item.location.column, item.spelling == MARK)  # fmt: skip
        names = [called for called, there in kernels if line <= there <= last]
        if line and is_body and not (name in names if item.spelling == MARK else names):
            found.append((name, line, last))
    found += [(name, line, line) for name, line in maybe_kernels(parsed.lines)] if parsed.absent() else []
    return [(name, line, why_unseen(parsed, line, last)) for name, line, last in dict.fromkeys(found)]


def why_unseen(parsed, first: int, last: int) -> str:
    errors = [item for item in parsed.errors if first <= parsed.line(item.location) <= last]
    why = [parsed.absent(), *(f"{item.spelling} at {parsed.where(item)}" for item in errors[:1])]
    return "; ".join(text for text in why if text) or "clang sees no kernel here"
