"""Heads of kernels in the text, from __global__ to the name."""

import re

from clang.cindex import CursorKind

from .defines import DEFINE, UNREAD

MARK = "__global__"
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(\s*(?:global|__global__)\s*\)\)")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def nested(pair: str, depth: int) -> str:
    """What matches parentheses or braces with others in them."""
    inner = f"|{nested(pair, depth - 1)}" if depth else ""
    return rf"\{pair[0]}(?:[^{pair}]{inner})*\{pair[1]}"


ROUND, BODY = nested("()", 3), re.compile(nested("{}", 9))
AFTER = r"requires|noexcept|__attribute__|__launch_bounds__"
"""What has parentheses and may follow the parameters."""
HEAD = re.compile(rf"((?:[^(){{}};]|{ROUND})*?)\b(?!(?:{AFTER})\b)(\w+)\s*(?:<[^(){{}};]*>)?\s*{ROUND}[^(){{}};]*"
                  rf"(?:\b(?:{AFTER})\s*{ROUND}[^(){{}};]*)*(?=[;{{])")  # fmt: skip
"""What is in front of a function's name, and the name."""
LAMBDA = re.compile(r"(?<=\])\s*(?:__(?:device|host)__\s*)+(?=[({])")
CLAUSE = re.compile(r"\s*requires\b.*?(?=\b(?:__global__|__device__|static|inline|extern|void)\b)", re.DOTALL)
"""Behind the head of a template."""

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


def plain_heads(code: str) -> str:
    """Blanks what stands between __global__ and the name, but void: attributes, bounds, macros of headers; and what
    makes a lambda CUDA's."""
    code = ATTRIBUTE.sub(lambda hit: MARK.ljust(len(hit[0])) if "\n" not in hit[0] else hit[0], code)
    text = bare(code)
    spans = [hit.span() for hit in LAMBDA.finditer(text)]
    for found in re.finditer(rf"\b{MARK}\b", text):
        head = HEAD.match(text, found.end())
        void = head and re.search(r"\bvoid\b", head[1])
        if void:
            start = found.end()
            spans += [(start, start + void.start()), (start + void.end(), head.end(1))]
    for start, end in spans:
        kept = "".join(" " if a.strip() else b for a, b in zip(text[start:end], code[start:end], strict=True))
        code = code[:start] + kept + code[end:]
    return code


def maybe_kernels(lines: list[str]) -> list[tuple[str, int]]:
    """Functions of threads that nothing here calls, with a macro in front that nothing here defines: where a header is
    not found, it may stand for __global__."""
    text, found = bare("\n".join(lines)), []
    own = WORDS | {name for name, _ in DEFINE.findall("\n".join(lines))}
    for hit in re.finditer(r"\bvoid\b", text):
        front, head = re.split(r"[;{}>]", text[: hit.start()])[-1], HEAD.match(text, hit.end())
        macros = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^()]*\)", " ", front))) - own
        body = BODY.match(text, head.end()) if head and not head[1].strip() and macros and MARK not in front else None
        if body and "Idx" in body[0] and len(re.findall(rf"\b{head[2]}\s*\(", text)) == 1:
            found.append((head[2], text.count("\n", 0, hit.start()) + 1))
    return found


def unseen(parsed, kernels: list) -> list[tuple[str, int, str]]:
    """Name, line, and why, of what has __global__, by itself or by a macro, where clang sees no kernel; and of what a
    header that is not found may make a kernel. The preprocessor's record leaves out what no compiler reads."""
    text, found = bare("\n".join(parsed.lines)), []
    heads = [range(item.extent.start.offset, item.location.offset + 1) for item in kernels]
    for item in parsed.unit.cursor.get_children() if parsed.marks else ():
        line, name = parsed.line(item.location), item.spelling
        is_mark = item.kind == CursorKind.MACRO_INSTANTIATION and name in parsed.marks
        if not line or not is_mark or any(item.location.offset in head for head in heads):
            continue
        before = parsed.lines[line - 1].encode()[: item.extent.end.column - 1].decode(errors="replace")
        start = sum(len(row) + 1 for row in parsed.lines[: line - 1]) + len(before)
        is_whole, head = "{" in parsed.marks[name], re.compile("[^{;]*").match(text, start)
        last = parsed.line(item.extent.end) if is_whole else line + head[0].count("\n")
        called = HEAD.match(text, start) or re.search(r"()(\w+)\s*\(", head[0])
        if is_whole or text[head.end() : head.end() + 1] == "{":
            found.append((called[2] if called and not is_whole else name, line, last))
    found += [(name, line, line) for name, line in maybe_kernels(parsed.lines)] if parsed.absent() else []
    return [(name, line, why_unseen(parsed, line, last)) for name, line, last in dict.fromkeys(found)]


def why_unseen(parsed, first: int, last: int) -> str:
    errors = [item for item in parsed.errors if first <= parsed.line(item.location) <= last]
    why = [parsed.absent(), *(f"{item.spelling} at {parsed.where(item)}" for item in errors[:1])]
    return "; ".join(text for text in why if text) or "clang sees no kernel here"
