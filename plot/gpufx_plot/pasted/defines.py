"""Macros: names with values that are the preprocessor's, in the text or a header of it, and what a value does there."""

import os
import re
from functools import cache
from pathlib import Path

from .. import UserError

HEADERS = [at for at in os.environ.pop("CPATH", "").split(":") if at and not Path(at, "cuda_runtime.h").exists()]
"""Folders, but CUDA's own, which the prelude stands for."""
UNREAD = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|#[ \t]*include[^\n]*", re.DOTALL)
"""What no name of the program is in."""
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">\n]+)", re.MULTILINE)
LIBRARY = re.compile(r"/(cub|thrust|cuda|cute|cutlass|cooperative_groups)/")
"""In paths of headers whose launches are not the program's."""
LAUNCHING = re.compile(r"(?<!<)<<<(?!<)|\bcudaLaunch(?:Cooperative)?Kernel(?:ExC?)?(?=\s*(?:<[^;()]*>\s*)?\()")
KERNEL = re.compile(r"__global__[^;{}]*\{")
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)", re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)", re.MULTILINE)


def resolve(name: str, folder: Path) -> Path | None:
    return next((at for at in (Path(item, name) for item in (folder, *HEADERS)) if at.is_file()), None)


def rows_of(text: str, path: str, base: Path, done: dict, sources: dict) -> tuple[list[tuple[str, str, int]], bool]:
    """Each line with its file and number, whatever the conditions; and whether a kernel is in it, or in what it
    includes. done: headers that are read, and whether they are a part of the text; sources become without comments."""
    folder, rows, sources[path] = Path(path).parent, [], UNREAD.sub(" ", text.replace("\\\n", " "))
    has_kernel = path in done and any(of.search(sources[path]) for of in (KERNEL, LAUNCHING))
    for number, line in enumerate(text.split("\n"), 1):
        hit, inner, kept = INCLUDE.match(line), [], "" if line.startswith("#pragma once") else line
        found = resolve(hit[1], folder) if hit else None
        if found and (name := str(found)) not in done:
            done[name] = False
            inner, done[name] = rows_of(found.read_text(errors="replace"), name, base, done, sources)
        if found and done[name]:
            has_kernel, kept = True, ""
        elif found and folder != base:
            kept = f'#include "{os.path.relpath(found, base)}"'
        rows += [(kept, path, number), *(inner if not kept else ())]
    return rows, has_kernel and not LIBRARY.search(path)


@cache
def with_kernels(code: str, path: str) -> tuple[str, tuple[tuple[str, int], ...], dict[str, str]]:
    """The text with headers that have kernels or launches, in the place of their first #include; of each line where it
    came from, (): nothing is added; and the sources: this text, "", and all other headers that it may include."""
    rows, has_kernel = rows_of(code, path, Path(path).parent, done := {}, sources := {})
    if not path or not has_kernel:
        return code, (), {name if name != path else "": of for name, of in sources.items()}
    code, origins = "\n".join(line for line, *_ in rows), tuple((of, number) for _, of, number in rows)
    others = {name: of for name, of in sources.items() if name != path and not done[name]}
    return code, origins, others | {"": UNREAD.sub(" ", code.replace("\\\n", " "))}


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def reaching(macros: list[tuple[str, set[str]]], names: set[str]) -> set[str]:
    """These, and macros of whose words one is among them, by itself or by another macro."""
    size = 0
    while size < len(names):
        size, names = len(names), names | {name for name, words in macros if not names.isdisjoint(words)}
    return names


def conditional(sources: dict[str, str]) -> set[str]:
    """Names that decide what the preprocessor keeps, by themselves or in the text of a macro that does."""
    text = "\n".join(sources.values())
    turned = [(word, {name}) for name, body in DEFINE.findall(text) for word in words_of(body)]
    return reaching(turned, words_of(" ".join(CONDITION.findall(text))))


def defines_of(what: str, sources: dict[str, str], words: list[str], given: dict, texts: dict[str, str]) -> dict:
    """Takes what nvcc would define, too, out of both: the preprocessor asks for it, or only a header has it. Refuses a
    value that would go nowhere."""
    decides, defines = conditional(sources), {}
    seen_in, everywhere = " ".join([sources[""], *texts.values()]), " ".join(sources.values())
    for full in [name for name in (*given, *texts) if "." not in name]:
        name = full.partition("(")[0]  # of F(n)=..., a macro's, F
        spaced = r"\s*".join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", name))
        form = re.compile(rf"(?<!\w){spaced}(?!\w)")
        in_text = form.search(seen_in)
        if not in_text and not (name.isidentifier() and form.search(everywhere)):
            has = ", ".join(dict.fromkeys(re.findall(rf"\b{name.partition('[')[0]}\[[^][]*\]", seen_in)))
            raise UserError(f"{what}: '{name}' is given a value, and no such name is in it{has and ': it has ' + has}")
        for path, text in sources.items():
            own = name.isidentifier() and re.search(rf"#[ \t]*define[ \t]+{name}\b.*", text)
            if own and not re.search(rf"#[ \t]*(ifndef|if\b.*\bdefined)\b.*\b{name}\b", text):
                raise has_its_own(what, name, own[0], path)
        if name not in decides and in_text:
            if name in words:
                raise UserError(f"'{name}' is not NAME=VALUE: no #if of the program asks whether it is defined")
            continue
        if len(given.get(full, [0])) > 1:
            raise UserError(f"{what}: '{name}' is the preprocessor's: give it one value")
        defines[full] = str(given.pop(full)[0]) if full in given else texts.pop(full)
    return defines


def has_its_own(what: str, name: str, definition: str, path: str = "", own: str = "") -> UserError:
    at = f" ({path})" if path != own else ""
    return UserError(f"{what}: '{name}' is given a value, and has its own: {definition.strip()}{at}; change it there")


def check_defines(parsed, errors: list, defines: dict[str, str]) -> None:
    """Refuses a value that the source replaces, or that is no C++ where a name is used."""
    for error in errors:
        row = parsed.row(error.location)
        for full, value in defines.items() if row else ():
            name = full.partition("(")[0]
            if error.spelling == f"'{name}' macro redefined":
                raise has_its_own(parsed.what, name, row, parsed.at(error.location)[0], parsed.path)
            word = re.match(r"use of undeclared identifier '(\w+)'", error.spelling)
            is_its = word and word[1] in words_of(value) and not re.search(rf"\b{word[1]}\b", row)
            is_here = re.match(rf"{name}\b", row[error.location.column - 1 :]) and error.spelling.startswith("expected")
            if is_its or is_here:
                raise parsed.problem(f"'{full}={value}' does not compile ({error.spelling})")
