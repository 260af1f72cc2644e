"""Macros: names with values that are the preprocessor's, in the text or a header of it, and what a value does there."""

import os
import re
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
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)", re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)", re.MULTILINE)


def resolve(name: str, folder: Path) -> Path | None:
    return next((at for at in (Path(item, name) for item in (folder, *HEADERS)) if at.is_file()), None)


def with_headers(code: str, folder: Path) -> dict[str, str]:
    """The text, "", and all headers that it may include, whatever the conditions; without comments."""
    texts, waiting = {}, [("", folder, code)]
    while waiting:
        path, folder, text = waiting.pop()
        text = text.replace("\\\n", " ")
        texts[path] = UNREAD.sub(" ", text)
        for name in INCLUDE.findall(text):
            found = resolve(name, folder)
            if found and str(found) not in texts:
                texts[str(found)] = ""
                waiting.append((str(found), found.parent, found.read_text(errors="replace")))
    return texts


def conditional(sources: dict[str, str]) -> set[str]:
    """Names that decide what the preprocessor keeps, by themselves or in the text of a macro that does."""
    text = "\n".join(sources.values())
    names = set(re.findall(r"\w+", " ".join(CONDITION.findall(text))))
    bodies, size = DEFINE.findall(text), 0
    while size < len(names):
        size = len(names)
        names |= {word for name, body in bodies if name in names for word in re.findall(r"\w+", body)}
    return names


def defines_of(what: str, sources: dict[str, str], words: list[str], given: dict, texts: dict[str, str]) -> dict:
    """Takes what nvcc would define, too, out of both: the preprocessor asks for it, or only a header has it. Refuses a
    value that would go nowhere; of what is typed t has one by itself."""
    decides, defines = conditional(sources), {}
    seen_in, everywhere = " ".join([sources[""], *texts.values()]), " ".join(sources.values())
    for full in [name for name in (*given, *texts) if "." not in name]:
        name = full.partition("(")[0]  # of F(n)=..., a macro's, F
        spaced = r"\s*".join(re.escape(word) for word in re.findall(r"\w+|[^\w\s]", name))
        form = re.compile(rf"(?<!\w){spaced}(?!\w)")
        in_text = form.search(seen_in) or (name == "t" and not what.startswith("--"))
        if not in_text and not (name.isidentifier() and form.search(everywhere)):
            has = ", ".join(dict.fromkeys(re.findall(rf"\b{name.partition('[')[0]}\[[^][]*\]", seen_in)))
            raise UserError(f"{what}: '{name}' is given a value, and no such name is in it{has and ': it has ' + has}")
        for path, text in sources.items():
            own = name.isidentifier() and re.search(rf"#[ \t]*define[ \t]+{name}\b.*", text)
            if own and not re.search(rf"#[ \t]*(ifndef|if\b.*\bdefined)\b.*\b{name}\b", text):
                raise has_its_own(what, name, own[0].rstrip(), path)
        if name not in decides and in_text:
            if name in words:
                raise UserError(f"'{name}' is not NAME=VALUE: no #if of the program asks whether it is defined")
            continue
        if len(given.get(full, [0])) > 1:
            raise UserError(f"{what}: '{name}' is the preprocessor's: give it one value")
        defines[full] = str(given.pop(full)[0]) if full in given else texts.pop(full)
    return defines


def has_its_own(what: str, name: str, definition: str, path: str) -> UserError:
    at = f" ({path})" if path else ""
    return UserError(f"{what}: '{name}' is given a value, and has its own: {definition}{at}; change it there")


def check_defines(parsed, errors: list, defines: dict[str, str]) -> None:
    """Refuses a value that the source replaces, or that is no C++ where a name is used."""
    for error in errors:
        path, line = parsed.at(error.location)
        text = parsed.lines_of(path)[line - 1] if line else ""
        for full, value in defines.items():
            name = full.partition("(")[0]
            if line and error.spelling == f"'{name}' macro redefined":
                raise has_its_own(parsed.what, name, text.strip(), path if path != parsed.path else "")
            word = re.match(r"use of undeclared identifier '(\w+)'", error.spelling)
            is_here = line and re.match(rf"{name}\b", text[error.location.column - 1 :])
            is_its = word and word[1] in re.findall(r"\w+", value) and not re.search(rf"\b{word[1]}\b", text)
            if is_its or (is_here and error.spelling.startswith("expected")):
                raise parsed.problem(f"'{full}={value}' does not compile ({error.spelling})")
