"""Heads of templates: they leave the text, and what the program or the caller gives stands for their parameters."""

import re

from .heads import CLAUSE, bare, blank
from .launches import Program

PARAMETER = re.compile(r"(\w+)\s*(?:=[^,<>]*)?[,>]")


def parts_of(text: str) -> list[str]:
    """What the commas part, but those in parentheses, braces and angles."""
    depth, start, parts = 0, 0, []
    for i, sign in enumerate(f"{text},"):
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts


def without_heads(text: str, wanted: int, kernel: str) -> tuple[str, dict[str, tuple]]:
    """Blanks `template <...>` of kernels and of what is asked for, and the arguments where one is named; of what is
    asked for, by name, parameters, defaults, and the head with its place. What they call is clang's to instantiate."""
    kernels = len(re.findall(r"__global__[^{;]*\{", text))
    templates, names, end = {}, set(), 0
    while found := re.compile(r"\btemplate\s*<").search(text, end):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
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
            defaults = dict(re.findall(r"\w+\s+(\w+)\s*=\s*([\w:]+)", head))
            templates[called[0]] = PARAMETER.findall(head), defaults, (found.start(), head)
    names -= {"__launch_bounds__", "__align__"}
    for name in names:
        text = re.sub(rf"(\b{name}\s*)(<[^<>;(){{}}]*>)(?=\s*\()", lambda hit: hit[1] + " " * len(hit[2]), text)
    return text, templates


def values_of_templates(templates: dict, launch, program: Program, has: set[str]) -> tuple[dict[str, str], str]:
    """Values of parameters: the arguments of the launch, else the first that the program has, else defaults; and in
    words what nothing in `has` gives."""
    values, words = {}, ""
    for name, (parameters, defaults, _) in templates.items():
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


def aliases(head: str, values: dict[str, str]) -> str:
    """Declarations in the place of the head, on as many lines: its parameters with the values."""
    declared = []
    for part in filter(None, parts_of(head.partition("<")[2].rpartition(">")[0])):
        kind, name = re.fullmatch(r"(.*?)\s*\b(\w+)\s*(?:=.*)?", part, re.DOTALL).groups()
        if name in values and kind in ("class", "typename"):
            declared.append(f"using {name} = {values[name]};")
        elif name in values:
            declared.append(f"constexpr {' '.join(kind.split())} {name} = {values[name]};")
    return " ".join(declared) + "\n" * head.count("\n")


def with_structs(code: str, start: int, values) -> tuple[str, str]:
    """The text without structs that values name and it has behind a place; and these, on one line."""
    found = ""
    for name in {word for value in values for word in re.findall(r"[A-Za-z_]\w*", value)}:
        form = rf"(?:\btemplate\s*<[^;{{}}]*>\s*)?\b(?:struct|class)\s+{name}\b[^;{{}}()]*(?=\{{)"
        if hit := re.compile(form).search(code, start):
            depth, end = 1, hit.end() + 1
            while depth and end < len(code):
                depth += {"{": 1, "}": -1}.get(code[end], 0)
                end += 1
            found += f"{' '.join(bare(code[hit.start() : end]).split())}; "
            code = code[: hit.start()] + blank(re.match("(?s).*", code[hit.start() : end])) + code[end:]
    return code, found


def with_aliases(code: str, templates: dict, values: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The parameters that have one declared in the place of the head; and these."""
    found = {}
    for parameters, _, (start, head) in sorted(templates.values(), key=lambda item: -item[2][0]):
        own = {name: text for name, text in values.items() if name in parameters}
        code, structs = with_structs(code, start, own.values())
        code = code[:start] + (structs + aliases(head, own)).ljust(len(head)) + code[start + len(head) :]
        found |= own
    return code, found
