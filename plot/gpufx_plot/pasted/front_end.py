"""The text through clang: a tree of cursors, layouts of types, and names that nobody declared.

The front end is libclang, which knows the language; here are only the calls of it that its Python module lacks. What is
used without a declaration, such as the x of `x = tile[i]`, is declared as something that can be assigned from and to
anything, so that its value is unknown and only a use in an index is an error. Templates lose their heads: their
parameters are then names like any other."""

import difflib
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import clang.cindex as clang

from .. import UserError
from . import prelude
from .cursors import Kind, constant, extent_of, initializer, notes, offset_of
from .defines import HEADERS, check_defines, defines_of, has_its_own, with_kernels, words_of
from .heads import marks_of, plain_heads, unseen, values_of_templates, with_aliases, without_heads
from .launches import Program

MOST_ROUNDS, OPTIONS = 60, 0x200 | 0x1  # of clang: keep going, with a record of macros
BODY, NAME, VALUE = "gpufx_pasted", "gpufx_pasted.cpp", "gpufx_value_"
FLAGS = ["-std=gnu++20", "-Wno-everything", "-Werror=macro-redefined", "-ferror-limit=0",
         "--target=x86_64-unknown-linux-gnu", "-nostdinc", *(f"-I{folder}" for folder in HEADERS)]  # fmt: skip
NO_ACCESS, NO_KERNEL = "no access to memory", "no kernel (__global__) in it"
EXAMPLE = "'__shared__ float tile[32][33]; x = tile[threadIdx.x][0];'"
NOTHING = f"{NO_ACCESS}: give a declaration and a statement, such as {EXAMPLE}"
CONSTRAINT = re.compile(r"(?<=[\"=+])[fdhC](?=\"\s*\()")
"""Of PTX, in an asm statement; the host's compiler takes m for what is set, and g."""
SHUFFLE = re.compile(r"shfl|__(ballot|any|all|reduce_\w+|match_\w+)_sync")
INDEXED = re.compile(r"(\w+)\[([A-Za-z_]\w*)\]")
ALIGNED, ALIGNAS = re.compile(r"(__shared__\s+)alignas\b"), "alignAs"
"""After an attribute of GNU, clang takes the keyword of C alone, which `alignAs` stands for: columns stay."""
DYNAMIC = re.compile(r"\bextern\b(?=[^;{}]*__shared__)([^;{}[]*)\[\s*\]")
"""Of each kernel its own: C++ has one variable of this name in a file, of one type."""
MACRO = re.compile(r"\w+(\([\w\s,]*\))?")
HARMLESS = re.compile("file not found|default initialization of an object of const|static assertion|macro redefined")
OF_CUDA = re.compile(
    r"(cooperative_groups|cub|thrust|cuda|nv)/|(cuda|cu(blas|fft|rand|solver|sparse)|device_|vector_|sm_\d|math_|mma|nv"
    r"|cooperative_groups)\w*\.h|std\w+\.h|(math|string|assert|time)\.h|[^./]+$"
)
"""Headers that the prelude stands for, or of the host alone."""
END = (";", "{", "}")  # of a statement


def discarded(function, items: list) -> list[range]:
    """Branches of `if constexpr` that this instance of a template has not: an empty block stands for each."""
    blocks = [item for item in items if item.kind == Kind.COMPOUND_STMT and not [*item.get_children()]]
    template = blocks and clang.conf.lib.clang_getSpecializedCursorTemplate(function)
    full = [item for item in template.walk_preorder() if [*item.get_children()]] if template else []
    empty = {item.extent.start.offset for item in blocks}
    return [extent_of(item) for item in full if item.kind.is_statement() and item.extent.start.offset in empty]


@dataclass
class Parsed:
    what: str  # "--code" or "--file app.cu:12"
    path: str  # "": the text is of the command line
    lines: list[str]
    first_line: int  # of what clang saw, where the text begins
    unit: clang.TranslationUnit  # keeps the cursors alive
    wanted: int = 0  # the line whose accesses are asked for; 0: all
    kernel: str = ""  # the function that is asked for by name
    at_line: int = 0  # where its name is, of several that have it
    marks: dict = field(default_factory=dict)  # macros that make a kernel
    program: Program | None = None  # its launches
    instance: str = ""  # of a template, where the program has one
    origins: tuple = ()  # of each line, its file and number, if headers are a part of the text
    parameters: list = field(default_factory=list)  # of the template, and whether the caller gives the value
    body: clang.Cursor | None = None  # of the function to run
    only_shared: bool = False  # accesses of other memory are not asked for
    outside: tuple = ()  # declarations of variables at file scope
    unpriced: tuple = ()  # arrays that nobody declared
    values: dict = field(default_factory=dict)  # variables whose initializer is what the caller gives for a text
    headers: dict = field(default_factory=dict)  # lines of those that were read, by path
    left_out: dict = field(default_factory=dict)  # statements, by function
    errors: list = field(default_factory=list)  # of all functions, those of headers among them
    unseen: list = field(default_factory=list)  # kernels that clang takes for none: name, line, why

    def line(self, place) -> int:
        """Of the text, from 1; 0: it is elsewhere."""
        line = place.line - self.first_line + 1
        near = 0 < line <= len(self.lines)  # clang takes its time to name a file
        return line if near and place.file is not None and place.file.name.endswith(NAME) else 0

    def rows(self, cursor) -> range:
        return range(self.line(cursor.extent.start), self.line(cursor.extent.end) + 1)

    def at(self, place) -> tuple[str, int]:
        """File and line, also of a header."""
        is_header = place.file is not None and not place.file.name.endswith(NAME)
        return (place.file.name, place.line) if is_header else (self.path, self.line(place))

    def origin(self, at: tuple[str, int]) -> tuple[str, int]:
        """File and line, to show."""
        path, line = at
        return self.origins[line - 1] if line and self.origins and path == self.path else at

    def place(self, line: int) -> tuple[str, int]:
        return self.origin((self.path, line))

    def shown(self, line: int) -> str:
        path, number = self.place(line)
        return f"line {number}" if path == self.path else f"{path}:{number}"

    def absent(self, of_libraries: bool = False) -> str:
        """Headers that are not found, but those of CUDA and C++, which the prelude stands for; those of libraries,
        such as <torch/extension.h>, kernels can often do without."""
        names = {}
        for item in self.unit.diagnostics:
            name = hit[1] if (hit := re.match("'(.*)' file not found", item.spelling)) else ""
            is_asked = of_libraries or ".cuh" in name or f'"{name}"' in self.row(item.location)
            names |= {name: 0} if name and is_asked and not OF_CUDA.match(name) else {}
        return f"{', '.join(names)} not found: CPATH=FOLDER in front names its folder" if names else ""

    def problem(self, text: str, of_libraries: bool = False) -> UserError:
        """What to raise."""
        return UserError(f"{self.what}: {'; '.join(item for item in (self.absent(of_libraries), text) if item)}")

    def unjudged(self, text: str, functions: list, of_libraries: bool = False) -> UserError:
        """What to raise of functions that are not followed: a gate is open."""
        problem = self.problem(text, of_libraries)
        why = str(problem).replace(self.what, "not judged", 1)
        problem.unjudged = [{"text": name, "place": [self.place(self.line(item.location))], "lost": why, "kernel": name}
                            for item in functions for name in [item.spelling if self.path else self.what]]  # fmt: skip
        return problem

    def is_broken(self, function) -> bool:
        """True if clang understands a part of it only."""
        (path, first), (_, last) = self.at(function.extent.start), self.at(function.extent.end)
        places = [self.at(error.location) for error in self.errors]
        return any(at == path and 0 < first <= line <= last for at, line in places) or bool(self.dropped(function))

    def dropped(self, function) -> list[tuple]:
        """Statements with a variable that no cursor stands for, where they are, and the error: without a word, clang
        leaves out what uses a declaration that has one."""
        if function.hash in self.left_out:
            return self.left_out[function.hash]
        items = list(function.walk_preorder()) if self.errors else []
        seen = {offset_of(item.location) for item in items}
        names = {item.spelling for item in (*items, *self.outside) if item.kind in (Kind.VAR_DECL, Kind.PARM_DECL)}
        names |= {"threadIdx", "blockIdx"}
        body = next((item for item in items if item.kind == Kind.COMPOUND_STMT), None)
        found, passed = self.left_out.setdefault(function.hash, []), discarded(function, items)
        macros = [extent_of(item) for item in self.unit.cursor.get_children() if item.kind == Kind.MACRO_INSTANTIATION
                  and self.at(item.location)[0] == self.at(function.location)[0]]  # fmt: skip
        for is_end, group in itertools.groupby(body.get_tokens() if body else (), lambda token: token.spelling in END):
            tokens = [] if is_end else [token for token in group if self.row(token.location).lstrip()[:1] != "#"]
            bare = [token for token in tokens if offset_of(token.location) not in seen]
            unused = [*passed, *(macros if len(bare) < len(tokens) else ())]  # what a macro gets and does not use
            bare = [token for token in bare if not any(offset_of(token.location) in item for item in unused)]
            if any(names & {token.spelling, *words_of(self.definition(token.spelling))} for token in bare):
                words = {token.spelling for token in tokens}
                named = [item for item in self.errors if words & set(re.findall(r"'(\w+)'", item.spelling))]
                error = (named or self.errors)[0]
                extent = clang.SourceRange.from_locations(tokens[0].extent.start, tokens[-1].extent.end)
                text = self.text(SimpleNamespace(extent=extent, spelling="a statement"))
                found.append((text, self.at(extent.start), f"{error.spelling} at {self.where(error)}"))
        return found

    def row(self, place) -> str:
        """The line that it is in, also of a header."""
        path, line = self.at(place)
        return self.lines_of(path)[line - 1] if line else ""

    def lines_of(self, path: str) -> list[str]:
        if path not in self.headers:
            text = "" if path == self.path else Path(path).read_text(errors="replace")
            self.headers[path] = text.split("\n") if text else self.lines
        return self.headers[path]

    def definition(self, name: str) -> str:
        """Of a macro of the text."""
        head = rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b"
        found = re.search(rf"{head}(.*\\\n)*.*", "\n".join(self.lines), re.MULTILINE)
        return found[0] if found else ""

    def where(self, cursor) -> str:
        path, line = self.origin(self.at(cursor.location))
        column, of = f"column {cursor.location.column}", "" if path == self.path else f"{path}, "
        return "the end" if not line else column if not of and len(self.lines) == 1 else f"{of}line {line}, {column}"

    def text(self, cursor) -> str:
        """The words of the text, on one line."""
        start, end = cursor.extent.start, cursor.extent.end
        (path, first), (_, last) = self.at(start), self.at(end)
        if not 0 < first <= last:
            return cursor.spelling
        cut = self.lines_of(path)[first - 1 : last]
        cut[-1] = cut[-1][: end.column - 1]
        cut[0] = cut[0][start.column - 1 :]
        return " ".join(" ".join(cut).split()) or self.row(start).strip()  # of what a macro of a macro gets


def place_of(file: str) -> tuple[str, int, str]:
    """The path of app.cu, app.cu:12, app.cu:transpose or app.cu:ns::transpose, the line (0: none) and the function."""
    path, what = found.groups() if (found := re.fullmatch(r"(.*?):([^./]*)", file)) else (file, "")
    if not found or all(part.isidentifier() for part in what.split("::")):
        return path, 0, what
    if what.isdecimal() and int(what):
        return path, int(what), ""
    raise UserError(f"--file {file}: give one line or kernel, such as {path}:12 or {path}:transpose")


FUNCTION = {
    "function": "template <class... gpufx_t> gpufx_any @(gpufx_t...);",
    "template": "template <class gpufx_a, class... gpufx_t> gpufx_any @(gpufx_t...);"
    "template <auto gpufx_a, class... gpufx_t> gpufx_any @(gpufx_t...);",
}
"""How one is declared by what it is called with."""


def kind_of(name: str, code: str) -> str:
    """What is called is a function, what is assigned to or indexed may be anything, the rest are numbers."""
    if re.search(rf"\b{name}\s*\(", code):
        return "function"
    if re.search(rf"\b{name}\s*<[^;(){{}}]*>\s*\(", code):
        return "template"
    return "gpufx_any" if re.search(rf"\b{name}\s*(\[|([-+*/]|<<|>>)?=(?!=))", code) else "int"


def source(code: str, wrapped: bool, names: dict[str, str], numbers: dict[str, int], macros: dict[str, str],
           values: dict[str, str], defines: dict[str, str]) -> str:  # fmt: skip
    declared = [FUNCTION.get(kind, f"extern {kind} @;").replace("@", name) for name, kind in names.items()]
    declared += [f"constexpr long long {name} = {value};" for name, value in numbers.items()]
    declared += [f"const auto {VALUE}{i} = ({text});" for i, text in enumerate(values.values())]
    opened, closed = (f"void {BODY}() {{", ";}") if wrapped else ("", "")
    heads = re.findall(r"\btemplate\s*(<[^{;(]*)", code)
    hidden = {name for head in heads for name in re.findall(r"(\w+)\s*(?:=[^,<>]*)?[,>]", head)}
    defined = [f"#define {name} {text}" for name, text in (defines | macros).items() if name not in hidden - {*defines}]
    has_map = "CUtensorMap" not in code or re.search(r"CUtensorMap\s*\{|\}\s*CUtensorMap", code)
    tensor_map = "" if has_map else "struct alignas(64) CUtensorMap { long opaque[16]; };"
    return "\n".join([prelude.text(), tensor_map, *defined, *declared, opened, code, closed, ""])


def check_given(parsed: Parsed, errors: list, lines: list[str], values: dict[str, str], given: dict) -> list:
    """Refuses a value that is no C++, or for what the text has a constant of. Returns the functions of the text."""
    for error in errors:
        line = lines[error.location.line - 1] if parsed.at(error.location) == (parsed.path, 0) else ""
        _, found, rest = line.partition(f"const auto {VALUE}")
        if found:
            name = list(values)[int(rest.partition(" ")[0])]
            takes = "a value is a number or an expression of threadIdx, blockIdx and variables of integers"
            raise UserError(f"{parsed.what}: '{name}={values[name]}': {takes} ({error.spelling})")
        again = re.match(r"redefinition of '(\w+)'", error.spelling)
        if again and again[1] in given:
            part = next(part for part in parsed.row(error.location).split(";") if again[1] in part)
            raise has_its_own(parsed.what, again[1], part, parsed.at(error.location)[0], parsed.path)
    functions = list(find_functions(parsed))
    asked = [item for item in functions if not parsed.path or is_asked_for(parsed, item)]
    for item in (*parsed.outside, *(item for function in asked for item in function.walk_preorder())):
        first = initializer(item) if item.kind == Kind.VAR_DECL and item.spelling in given else None
        if first is not None and item.type.is_const_qualified() and constant(first) is not None:
            raise has_its_own(parsed.what, item.spelling, parsed.text(item))
    kernels = [item for item in asked if "global" in notes(item)]
    return [item for item in functions if not (parsed.kernel and kernels) or item in kernels or item not in asked]


def undeclared(parsed: Parsed, errors: list, names: set[str]) -> dict[str, str]:
    """What is not in names; that of a value is a number."""
    found = ((re.match(r"use of undeclared identifier '(\w+)'", item.spelling), item.location) for item in errors)
    new = {item[1]: parsed.at(place) for item, place in found if item and item[1] not in names}
    return {name: kind_of(name, "\n".join(parsed.lines_of(path)) if line else "") for name, (path, line) in new.items()}


def text_of(question: dict, path: str, wanted: int) -> tuple[str, str, tuple, dict[str, str], int]:
    """What it is, for messages, the text, as with_kernels has it, and the line."""
    if not path:
        if question["code"].startswith("@"):
            raise UserError(f"--code takes the text itself; of a file: --file {question['code'][1:]}")
        return "--code", *with_kernels(question["code"], path), 0
    what = f"--file {question['file']}"
    try:
        code = Path(path).read_text("utf-8-sig", errors="replace")
    except OSError as problem:
        raise UserError(f"{what}: {problem.strerror}") from problem
    if "\0" in code:
        raise UserError(f"{what}: it is not a text")
    if wanted > code.count("\n") + 1:
        raise UserError(f"{what}: the file has {code.count(chr(10)) + 1} lines")
    code, origins, sources = with_kernels(code, path)
    return what, code, origins, sources, origins.index((path, wanted)) + 1 if wanted and origins else wanted


@cache
def reader(seen: str) -> Callable:
    index = clang.Index.create()  # the text is the same for most kernels of a file
    return cache(lambda text: index.parse(seen, args=FLAGS, unsaved_files=[(seen, text)], options=OPTIONS))


def singles(given: dict[str, list[int]]) -> dict[str, int]:
    return {name: values[0] for name, values in given.items() if len(values) == 1}


program_of = cache(Program)


def parse(question: dict, given: dict[str, list[int]], texts: dict[str, str]) -> Parsed:
    """`given`: names whose values the caller sets; one value alone is a constant."""
    path, wanted, kernel = place_of(question["file"])
    what, code, origins, sources, wanted = text_of(question, path, wanted)
    name, at_line = kernel.rpartition("::")[2], question.get("at_line", 0)
    marks = marks_of(sources)
    defines = defines_of(what, sources, question["words"], given, texts := with_indexes(texts, code))
    whole, (code, templates) = code, without_heads(plain_heads(code, name, at_line), wanted, name)
    has, unit_of = {*given, *texts, *defines}, reader(str(Path(path or ".").parent / NAME))
    program = program_of(whole, tuple(defines.items()), tuple(singles(given).items()), Path(path or ".").parent)
    defaults, instance = values_of_templates(templates, question.get("launch"), program, has)
    given = {name: values for name, values in given.items() if "." not in name}
    numbers = singles(given)
    names = {name: "int" for name in [*given, "lane", "tid"] if name not in numbers}
    values = {name: text for name, text in texts.items() if not MACRO.fullmatch(name)}
    texts = {name: text for name, text in texts.items() if name not in values}
    macros = {name: text for name, text in defaults.items() if name not in has}
    code, aliased = with_aliases(code, templates, macros | texts)
    macros, texts = ({name: text for name, text in of.items() if name not in aliased} for of in (macros, texts))
    code = ALIGNED.sub(rf"\1{ALIGNAS}", with_members(DYNAMIC.sub(r"static\1[0]", code), macros))
    wrapped, attempts, first = not path and "__global__" not in code, ["int", "gpufx_any"], None
    for _ in range(MOST_ROUNDS):
        text = source(code, wrapped, names, numbers, macros, values, defines)
        first_line = text.count("\n", 0, text.rindex(code)) + 1
        text = CONSTRAINT.sub(lambda hit: "mg"[hit.string[hit.start() - 1] == '"'], text)
        unit = unit_of(text)
        parsed = Parsed(
            what, path, code.split("\n"), first_line, unit, wanted, kernel, at_line, marks, program, instance, origins
        )
        parsed.parameters = [(name, name in has) for of, _ in templates.values() for _, name, _ in of]
        errors = [item for item in unit.diagnostics if item.severity >= clang.Diagnostic.Error]
        if wrapped and any("function definition is not allowed" in item.spelling for item in errors):
            wrapped = False
            continue
        check_defines(parsed, errors, defines)
        if texts:  # of a variable it is the value; anything else is a macro
            assign(parsed, texts, values, macros)
            code, texts = with_members(code, macros), {}
            continue
        if new := undeclared(parsed, errors, aliased | names.keys()):
            names |= new
            continue
        functions = check_given(parsed, errors, text.split("\n"), values, given)
        errors = parsed.errors = [item for item in errors if not HARMLESS.search(item.spelling)]
        errors, asked = concerning(parsed, errors, functions)
        texts_of = [parsed.text(item) for item in asked] if path else [code]
        parsed.unpriced = tuple(name for name in names if re.search(rf"\b{name}\s*\[", "\n".join(texts_of)))
        others = [name for name, kind in names.items() if name not in (*given, "lane", "tid") and kind not in FUNCTION]
        first = first or (errors and (parsed, errors, others, functions))  # they are about the text as it is
        if errors and attempts:
            names |= dict.fromkeys(others, attempts.pop(0))
            continue
        parsed.values = {"".join(name.split()): parsed.values[f"{VALUE}{i}"] for i, name in enumerate(values)}
        return finish(*(first if errors else (parsed, [], others, functions)))
    raise UserError(f"{what}: too many names that are not declared")


def declaration(parsed: Parsed, name: str) -> str:
    """What a text that lacks it may mean."""
    text = "\n".join(parsed.lines)
    if re.search(rf"\b{name}\s*\[([^][]|\[[^][]*\])*\]\s*\[", text):
        return f"__shared__ float {name}[32][32];"
    if re.search(rf"\[[^][]*\b{name}\s*\[", text):
        return f"int *{name};"
    read = re.search(rf"\b(?!(?:auto|else|do)\b)([a-z]\w*) +\w+ *= *{name} *\[[^][]*\] *[;,]", text)
    return f"{read[1] if read else 'float'} *{name};"


def no_access(parsed: Parsed, warp) -> str:
    lines = [line for path, line in warp.elsewhere if path == parsed.path]
    near = f"; line {min(lines, key=lambda line: abs(line - parsed.wanted))} has one" if lines else ""
    if undeclared := parsed.unpriced:
        are, their = ("are", "their") if len(undeclared) > 1 else ("is", "its")
        declared = " ".join(declaration(parsed, name) for name in undeclared)
        problem = f"{' and '.join(undeclared)} {are} not declared, so {their} accesses are not priced"
        return f"{problem}: write in front '{declared}', with the types that you have{near}"
    if text := warp.not_reached():
        return f"the kernel returns before any access, or passes all by: {text}; give values that reach one{near}"
    if SHUFFLE.search("\n".join(parsed.lines[warp.first - 1 : warp.last] if parsed.wanted else parsed.lines)):
        return f"a shuffle uses registers: no bank conflict, and no access to memory that could be judged{near}"
    if parsed.wanted:
        return f"the first warp makes no access to memory in this statement{near}"
    nothing = NOTHING if not parsed.path else NO_ACCESS if "global" in notes(parsed.body) else NO_KERNEL
    return f"{nothing}{near}"


def full_name(function) -> str:
    around = function.semantic_parent
    is_outer = around is None or not around.spelling or around.kind == Kind.TRANSLATION_UNIT
    return function.spelling if is_outer else f"{full_name(around)}::{function.spelling}"


def is_asked_for(parsed: Parsed, function) -> bool:
    if parsed.kernel:
        is_named = f"::{full_name(function)}".endswith(f"::{parsed.kernel}")
        return is_named and parsed.at_line in (0, parsed.line(function.location))
    return parsed.wanted in parsed.rows(function) if parsed.wanted else "global" in notes(function)


def concerning(parsed: Parsed, errors: list, functions: list) -> tuple[list, list]:
    """Those in the text, and of a file in what is asked for; and the functions that are."""
    asked = [item for item in functions if is_asked_for(parsed, item)]
    if not parsed.path:
        return [item for item in errors if not parsed.at(item.location)[0]], asked
    return [item for item in errors if any(parsed.line(item.location) in parsed.rows(of) for of in asked)], asked


def with_members(code: str, macros: dict[str, str]) -> str:
    """Writes out macros that would take members, too."""
    for name in [name for name in macros if re.search(rf"(\.|->)\s*{re.escape(name)}\b", code)]:
        code = re.sub(rf"(?<!\.)(?<!->)\b{name}\b", f"({macros.pop(name)})", code)
    return code


def with_indexes(values: dict[str, str], code: str) -> dict[str, str]:
    """What row[r]=r*5 says of row[r + 1], and row[i]=0 of every row[...] where the program has no i."""
    new = {}
    for name, text in values.items():
        array, index = hit.groups() if (hit := INDEXED.fullmatch(name)) else ("", "")
        word = re.compile(rf"\b{index}\b")
        is_any = index and (word.search(text) or not word.search(code))
        ats = re.findall(rf"\b{array}\[([^][]*)\]", code) if is_any else ()
        new |= {f"{array}[{at}]": word.sub(lambda _, at=at: f"({at})", text) for at in ats} or {name: text}
    return new


def assign(parsed: Parsed, texts: dict[str, str], values: dict[str, str], macros: dict[str, str]) -> None:
    functions = list(find_functions(parsed))
    inside = (item for function in functions for item in function.walk_preorder())
    variables = {item.spelling for item in (*inside, *parsed.outside) if item.kind in (Kind.VAR_DECL, Kind.PARM_DECL)}
    for name, text in texts.items():
        (values if name in variables else macros)[name] = text


def find_functions(parsed: Parsed):
    """Definitions in the text; variables at file scope become parsed.outside."""
    outside, waiting = [], [parsed.unit.cursor]
    while waiting:
        for cursor in waiting.pop().get_children():
            place = cursor.location
            inside = parsed.line(place) or (place.line == parsed.first_line - 1 and cursor.spelling == BODY)
            if cursor.kind == Kind.VAR_DECL and inside:
                outside.append(cursor)
            elif cursor.kind == Kind.VAR_DECL and cursor.spelling.startswith(VALUE):
                parsed.values[cursor.spelling] = cursor
            elif cursor.kind in (Kind.FUNCTION_DECL, Kind.CXX_METHOD) and inside and cursor.is_definition():
                yield cursor
            elif inside and cursor.kind in (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL, Kind.STRUCT_DECL):
                waiting.append(cursor)
    parsed.outside = tuple(outside)


def is_used(parsed: Parsed, kernel) -> bool:
    """False of one of a header that nothing launches, and the text itself does not name."""
    line, name = parsed.line(kernel.location), kernel.spelling
    path, _ = parsed.origin((parsed.path, line))
    own = [row for row, (at, _) in zip(parsed.lines, parsed.origins, strict=True) if at == parsed.path]
    return path == parsed.path or bool(
        parsed.program.launches(line, name) or re.search(rf"\b{name}\b", "\n".join(own)))  # fmt: skip


def sentence_of(parsed: Parsed, first, names: list[str], asked: list) -> str:
    """Of clang's first error: what it says, where, and what to give."""
    code = "\n".join(parsed.lines)
    problem = first.spelling.replace("'gpufx_any'", "an undeclared name")
    type_name = re.match(r"unknown type name '(\w+)'", problem)
    policy = re.match(r"'(\w+)' is not a class, namespace", problem)
    policy = policy and any(item[0] == policy[1] for item in parsed.parameters) and policy[1]
    arrays = [name for name in names if re.search(rf"\b{name}\s*(\[|\.|->)", code)]
    numbers, names = [name for name in names if name not in arrays], arrays or names
    near = difflib.get_close_matches("".join(arrays[:1]), ("threadIdx", "blockIdx", "blockDim", "gridDim"), 1)
    if near and "is not a structure" in problem:
        raise parsed.problem(f"{arrays[0]} is unknown; did you mean {near[0]}?")
    if "but not defined" in problem and names:  # an operator of what stands for them
        raise parsed.problem(f"declare {' and '.join(names)}")
    name = type_name and type_name[1]
    example = re.search(r"\bstruct\s+(\w+)[^;]*\{", code) if policy else None
    such = f", such as {policy}={example[1]}" if example else ""
    types = difflib.get_close_matches(name or "", ("float", "double", "int", "unsigned", "char", "half", "float4"), 1)
    hint = f"; give {policy}=TYPE{such}" if policy else f"; did you mean {types[0]}?" if types else (
        f"; give {name}=TYPE, such as {name}=float") if name else (
        f"; declare {' and '.join(names)}" if "gpufx_any" in first.spelling and names else "")  # fmt: skip
    if "constant expression" in problem or "variable-sized" in problem:  # such as a parameter of a template
        text = "\n".join(parsed.text(item) for item in asked) or code
        used = [f"{name}=VALUE" for name in numbers if re.search(rf"\b{name}\b", text)]
        hint = f"; give {' '.join(used)}" if used else hint
    library = re.search(r"#[ \t]*include[ \t]*[<\"]((?:cub|thrust|cuda)/[^>\"]+)", code)
    text = f"{problem} at {parsed.where(first)}{hint}"
    return f"{library[1]} is not read: {text}" if library else text  # with all of C++'s


def finish(parsed: Parsed, errors: list, names: list[str], functions: list) -> Parsed:
    is_whole = parsed.path and not parsed.wanted and not parsed.kernel
    if parsed.origins and is_whole:
        functions = [item for item in functions if "global" not in notes(item) or is_used(parsed, item)]
    choice = [item for item in functions if "global" in notes(item)]
    asked = [item for item in functions if is_asked_for(parsed, item)]
    named = [item.spelling for item in asked if "global" in notes(item)][:1]
    same = [item for item in choice if item.spelling in named]
    is_each = len(choice if is_whole else same) > 1 and not (parsed.wanted or parsed.at_line)  # with errors of its own
    parsed.unseen = unseen(parsed, choice, [item for item in functions if item not in choice]) if is_whole else []
    if errors and not is_each:
        text = sentence_of(parsed, errors[0], names, asked)
        if "(lambda" in parsed.instance:
            name = parsed.instance.partition("<")[0]
            text = f"{name} gets a lambda, whose type has no name: write a functor, or give its body as --code"
        raise parsed.unjudged(text, asked if parsed.path else [], of_libraries=True)
    found = asked if parsed.wanted or parsed.kernel else functions
    kernels = [item for item in found if "global" in notes(item)] or found[-1:]
    if len(kernels) == 1 and not is_each:
        parsed.body = kernels[0]
        return parsed
    names = [item.spelling for item in choice]
    lines = sorted((parsed.line(item.location), full_name(item) if names.count(item.spelling) > 1 else item.spelling)
                   for item in kernels or choice)  # fmt: skip
    listed = ", ".join(f"{name}: {parsed.shown(line)}" for line, name in lines)
    if kernels:
        many = UserError(f"{parsed.what}: {len(kernels)} kernels: give one ({listed})")
        many.kernels, many.parsed = lines if is_each else [], parsed
        raise many
    if parsed.unseen and not choice:
        name, line, why = parsed.unseen[0]
        raise UserError(f"{parsed.what}: {name} ({parsed.shown(line)}): {why}")
    nothing = "the line is in no function" if parsed.wanted else NO_KERNEL if parsed.path else NOTHING
    raise parsed.problem(f"no kernel has this name ({listed})" if parsed.kernel and lines else nothing)
