"""Heads of kernels in the text, from __global__ to the name; and of templates, which leave it: what the program or the
caller gives stands for their parameters."""

import re

from clang.cindex import CursorKind

from .defines import DEFINE, UNREAD, reaching, words_of

MARK = "__global__"
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(\s*(?:global|__global__)\s*\)\)")
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)

ROUND = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
"""What is in parentheses, and in those in them."""
AFTER = r"requires|noexcept|__attribute__|__launch_bounds__"
"""What has parentheses and may follow the parameters."""
HEAD = re.compile(rf"((?:[^(){{}};]|{ROUND})*?)\b(?!(?:{AFTER})\b)(\w+)\s*(?:<[^(){{}};]*>)?\s*{ROUND}[^(){{}};]*"
                  rf"(?:\b(?:{AFTER})\s*{ROUND}[^(){{}};]*)*(?=[;{{])")  # fmt: skip
"""What is in front of a function's name, and the name."""
LAMBDA = re.compile(r"(?<=\])\s*(?:__(?:device|host)__\s*)+(?=[({])")
CLAUSE = re.compile(r"\s*requires\b.*?(?=\b(?:__global__|__device__|static|inline|extern|void)\b)", re.DOTALL)
"""Behind the head of a template."""
PARAMETER = re.compile(r"([^=]+?)\s*\b(\w+)\s*(?:=\s*(.+))?", re.DOTALL)


def blank(hit) -> str:
    return re.sub(r"\S", " ", hit[0])


def bare(text: str) -> str:
    """Of the same length, without comments, strings and directives."""
    return DIRECTIVE.sub(blank, UNREAD.sub(blank, text))


def marks_of(sources: dict[str, str]) -> dict[str, str]:
    """Macros of the text and its headers that mark a kernel, with what they stand for."""
    bodies = DEFINE.findall("\n".join(sources.values()))
    marks = reaching([(name, words_of(body)) for name, body in bodies], {MARK})
    return {name: body for name, body in bodies if name in marks} | {MARK: ""}


def plain_heads(code: str, name: str = "", line: int = 0) -> str:
    """Blanks what stands between __global__ and the name, but void: attributes, bounds, macros of headers; and what
    makes a lambda CUDA's. line: of the one of several kernels of this name that keeps it."""
    code = ATTRIBUTE.sub(lambda hit: MARK.ljust(len(hit[0])) if "\n" not in hit[0] else hit[0], code)
    text = bare(code)
    spans, others = [hit.span() for hit in LAMBDA.finditer(text)], []
    for found in re.finditer(rf"\b{MARK}\b", text):
        head = HEAD.match(text, found.end())
        void = head and re.search(r"\bvoid\b", head[1])
        if void:
            start = found.end()
            spans += [(start, start + void.start()), (start + void.end(), head.end(1))]
        if line and head and head[2] == name and text.count("\n", 0, head.start(2)) + 1 != line:
            others.append(head.end(2))
    for start, end in spans:
        kept = "".join(" " if a.strip() else b for a, b in zip(text[start:end], code[start:end], strict=True))
        code = code[:start] + kept + code[end:]
    for end in reversed(others):
        code = f"{code[:end]}_of_another_line{code[end:]}"
    return code


def unseen(parsed, kernels: list, others: list) -> list[tuple[str, int, str]]:
    """Name, line, and why, of what has __global__, by itself or by a macro, where clang sees no kernel; of others,
    functions of threads that nothing calls, behind a name that a header which is not found may make a mark. The
    preprocessor's record leaves out what no compiler reads."""
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
    unknown = [parsed.line(item.location) for item in parsed.errors if item.spelling.startswith("unknown type name")]
    for item in others if parsed.absent() else ():
        first, last, name = parsed.line(item.extent.start), parsed.line(item.location), item.spelling
        is_called = len(re.findall(rf"\b{name}\s*\(", text)) > 1
        if any(first <= line <= last for line in unknown) and "Idx" in parsed.text(item) and not is_called:
            found.append((name, last, last))
    return [(name, line, why_unseen(parsed, line, last)) for name, line, last in dict.fromkeys(found)]


def why_unseen(parsed, first: int, last: int) -> str:
    errors = [item for item in parsed.errors if first <= parsed.line(item.location) <= last]
    why = [parsed.absent(), *(f"{item.spelling} at {parsed.where(item)}" for item in errors[:1])]
    return "; ".join(text for text in why if text) or "clang sees no kernel here"


def closed(text: str, start: int, pair: str) -> int:
    """Where it ends what begins in front of start."""
    depth = 1
    while depth and start < len(text):
        depth += (text[start] == pair[0]) - (text[start] == pair[1])
        start += 1
    return start


def parameters_of(head: str) -> list[tuple[str, str, str]]:
    """Kind, name and default of each; one without a name has none of them."""
    depth, parts = 0, [""]
    for sign in head.partition("<")[2].rpartition(">")[0]:
        depth += (sign in "([{<") - (sign in ")]}>")
        parts = [*parts, ""] if sign == "," and not depth else [*parts[:-1], parts[-1] + sign]
    hits = [PARAMETER.fullmatch(part.strip()) for part in parts if part.strip()]
    return [hit.groups("") if hit else ("", "", "") for hit in hits]


def without_heads(text: str, wanted: int, kernel: str) -> tuple[str, dict[str, tuple]]:
    """Blanks `template <...>` of kernels and of what is asked for, and the arguments where one is named; of what is
    asked for, by name, parameters, and the head with its place. What they call is clang's to instantiate."""
    kernels = len(re.findall(r"__global__[^{;]*\{", text))
    templates, names, end = {}, set(), 0
    while found := re.compile(r"\btemplate\s*<").search(text, end):
        end = closed(text, found.end(), "<>")
        parameters = parameters_of(text[found.start() : end])
        end = clause.end() if (clause := CLAUSE.match(text, end)) else end
        head = text[found.start() : end]
        declaration, last = re.match(r"[^{;]*", text[end:])[0], text.find("\n}", end) % (len(text) + 1)
        is_on_line = text.count("\n", 0, found.start()) < wanted <= text.count("\n", 0, last + 2) + 1
        is_asked_for = is_on_line or kernel in re.findall(r"\w+", declaration)
        is_helper = kernels and "__global__" not in declaration and not is_asked_for
        if is_helper or re.match(r"\s*(struct|class|union|using|constexpr|template)\b", declaration):
            continue
        text = text[: found.start()] + re.sub(r"\S", " ", head) + text[end:]
        called = re.findall(r"(\w+)\s*(?:<[^<>;(){}]*>\s*)?\(", declaration)[:2]
        names |= {*called}
        is_hidden = called[:1] and called[0] in templates and "__global__" not in declaration  # by a kernel
        if called and not is_hidden and (is_asked_for or (kernels < 2 and not wanted and not kernel)):
            templates[called[0]] = parameters, (found.start(), head)
    names -= {"__launch_bounds__", "__align__"}
    for name in names:
        text = re.sub(rf"(\b{name}\s*)(<[^<>;(){{}}]*>)(?=\s*\()", lambda hit: hit[1] + " " * len(hit[2]), text)
    return text, templates


def values_of_templates(templates: dict, launch, program, has: set[str]) -> tuple[dict[str, str], str]:
    """Values of parameters: the arguments of the launch, else the first that the program has, else defaults; and in
    words what nothing in `has` gives."""
    values, words = {}, ""
    for name, (of, _) in templates.items():
        parameters, defaults = [name for _, name, _ in of], {name: text for _, name, text in of if text}
        lists = [launch[0]] if launch else program.instances(name)
        known = [item for item in lists if 0 < len(item) <= len(parameters)]
        values |= defaults
        if known:
            own = list(known[0])
            while len(own) > 1 and defaults.get(parameters[len(own) - 1]) == own[-1]:
                own.pop()
            values |= dict(zip(parameters, own, strict=False))
            words = f"{name}<{', '.join(own)}>" if {*parameters[: len(own)]} - has else ""
    return values, words


def with_aliases(code: str, templates: dict, values: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The parameters that have one declared in the place of the head, on as many lines; and these."""
    found = {}
    for parameters, (start, head) in sorted(templates.values(), key=lambda item: -item[1][0]):
        own = [(" ".join(kind.split()), name, values[name]) for kind, name, _ in parameters if name in values]
        declared = " ".join(f"using {name} = {value};" if kind in ("class", "typename") else
                             f"constexpr {kind} {name} = {value};" for kind, name, value in own)  # fmt: skip
        code = code[:start] + (declared + "\n" * head.count("\n")).ljust(len(head)) + code[start + len(head) :]
        found |= {name: value for _, name, value in own}
    return code, found
