"""Heads of templates: they leave the text, and what the program or the caller gives stands for their parameters."""

import re

from .heads import CLAUSE, bare, blank
from .launches import Program

PARAMETER = re.compile(r"([^=]+?)\s*\b(\w+)\s*(?:=\s*(.+))?", re.DOTALL)


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


def values_of_templates(templates: dict, launch, program: Program, has: set[str]) -> tuple[dict[str, str], str]:
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


def with_structs(code: str, start: int, values) -> tuple[str, str]:
    """The text without structs that values name and it has behind a place; and these, on one line."""
    found = ""
    for name in {word for value in values for word in re.findall(r"[A-Za-z_]\w*", value)}:
        form = rf"(?:\btemplate\s*<[^;{{}}]*>\s*)?\b(?:struct|class)\s+{name}\b[^;{{}}()]*(?=\{{)"
        if hit := re.compile(form).search(code, start):
            end = closed(code, hit.end() + 1, "{}")
            found += f"{' '.join(bare(code[hit.start() : end]).split())}; "
            code = code[: hit.start()] + blank(re.match("(?s).*", code[hit.start() : end])) + code[end:]
    return code, found


def with_aliases(code: str, templates: dict, values: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The parameters that have one declared in the place of the head, on as many lines; and these."""
    found = {}
    for parameters, (start, head) in sorted(templates.values(), key=lambda item: -item[1][0]):
        own = [(" ".join(kind.split()), name, values[name]) for kind, name, _ in parameters if name in values]
        code, declared = with_structs(code, start, [value for *_, value in own])
        declared += " ".join(f"using {name} = {value};" if kind in ("class", "typename") else
                             f"constexpr {kind} {name} = {value};" for kind, name, value in own)  # fmt: skip
        code = code[:start] + (declared + "\n" * head.count("\n")).ljust(len(head)) + code[start + len(head) :]
        found |= {name: value for _, name, value in own}
    return code, found
