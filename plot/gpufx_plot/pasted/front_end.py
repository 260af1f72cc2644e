"""The pasted text through clang: a tree of cursors, layouts of types, and names that nobody declared.

The front end is libclang, which knows the language; here are only the calls of it that its Python module lacks. What is
used without a declaration, such as the x of `x = tile[i]`, is declared as something that can be assigned from and to
anything, so that its value is unknown and only a use in an index is an error."""

import ctypes
import re
from dataclasses import dataclass

import clang.cindex as clang

from .. import UserError
from . import prelude

BINARY = (None, None, None, "*", "/", "%", "+", "-", "<<", ">>", None, "<", ">", "<=", ">=", "==", "!=", "&", "^", "|",
          "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",")  # fmt: skip
UNARY = (None, "p++", "p--", "++", "--", "&", "*", "+", "-", "~", "!")
"""By CXBinaryOperatorKind and CXUnaryOperatorKind."""

MOST_NAMES = 60
BODY = "gpufx_pasted"


@dataclass
class Parsed:
    body: clang.Cursor  # of the function to run
    outside: list  # declarations of variables at file scope
    first_line: int  # of the file that clang saw, where the pasted text begins
    lines: list[str]
    unit: clang.TranslationUnit  # keeps the cursors alive

    def where(self, cursor) -> str:
        at = cursor.location
        line = at.line - self.first_line + 1
        if line > len(self.lines):
            return "the end"
        return f"column {at.column}" if len(self.lines) == 1 else f"line {line}, column {at.column}"

    def text(self, cursor) -> str:
        """The words that were pasted, on one line."""
        start, end = cursor.extent.start, cursor.extent.end
        first, last = start.line - self.first_line, end.line - self.first_line
        if not 0 <= first <= last < len(self.lines):
            return cursor.spelling
        cut = self.lines[first : last + 1]
        cut[-1] = cut[-1][: end.column - 1]
        cut[0] = cut[0][start.column - 1 :]
        return " ".join(" ".join(cut).split())


def library():
    lib = clang.conf.lib
    lib.clang_getCursorBinaryOperatorKind.argtypes = [clang.Cursor]
    lib.clang_getCursorUnaryOperatorKind.argtypes = [clang.Cursor]
    lib.clang_Cursor_getVarDeclInitializer.argtypes = [clang.Cursor]
    lib.clang_Cursor_getVarDeclInitializer.restype = clang.Cursor
    lib.clang_Cursor_Evaluate.argtypes = [clang.Cursor]
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    lib.clang_EvalResult_getKind.argtypes = lib.clang_EvalResult_getAsLongLong.argtypes = [ctypes.c_void_p]
    lib.clang_EvalResult_getAsLongLong.restype = ctypes.c_longlong
    lib.clang_EvalResult_dispose.argtypes = [ctypes.c_void_p]
    return lib


def binary(cursor) -> str | None:
    return BINARY[clang.conf.lib.clang_getCursorBinaryOperatorKind(cursor)]


def unary(cursor) -> str | None:
    return UNARY[clang.conf.lib.clang_getCursorUnaryOperatorKind(cursor)]


def initializer(variable):
    found = clang.conf.lib.clang_Cursor_getVarDeclInitializer(variable)
    if found.kind.is_invalid():
        return None
    found._tu = variable._tu
    return found


def constant(cursor) -> int | None:
    """The value of an integer constant expression, sizeof among them."""
    lib = clang.conf.lib
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    value = lib.clang_EvalResult_getAsLongLong(result) if lib.clang_EvalResult_getKind(result) == 1 else None
    lib.clang_EvalResult_dispose(result)
    return value


def source(code: str, wrapped: bool, names: dict[str, str]) -> str:
    declared = "\n".join(
        f"template <class... T> gpufx_any {name}(T...);" if kind == "function" else f"extern {kind} {name};"
        for name, kind in names.items()
    )
    opened, closed = (f"void {BODY}() {{", ";}") if wrapped else ("", "")
    return f"{prelude.text()}\n{declared}\n{opened}\n{code}\n{closed}\n"


ATTEMPTS = ("int", "gpufx_any")
"""What names that nobody declared are, where the first guess is no C++."""


def kind_of(name: str, code: str) -> str:
    """What is called is a function, what is only assigned to may be anything, the rest are numbers."""
    if re.search(rf"\b{name}\s*\(", code):
        return "function"
    return "gpufx_any" if re.search(rf"\b{name}\s*([-+*/]|<<|>>)?=(?!=)", code) else "int"


def parse(code: str, given: set[str]) -> Parsed:
    """`given`: names whose values the caller sets, ints."""
    library()
    code = re.sub(r"^[ \t]*#[ \t]*include\b.*$", "", code, flags=re.MULTILINE)
    names = dict.fromkeys(given, "int")
    wrapped = not re.search(r"\b__global__\b", code)
    index, attempt = clang.Index.create(), 0
    for _ in range(MOST_NAMES):
        text = source(code, wrapped, names)
        unit = index.parse("pasted.cpp", args=["-std=c++17", "-w", "--target=x86_64-unknown-linux-gnu", "-nostdinc"],
                           unsaved_files=[("pasted.cpp", text)])  # fmt: skip
        first_line = text.count("\n", 0, len(text) - len(code) - (4 if wrapped else 2)) + 1
        parsed = Parsed(None, [], first_line, code.split("\n"), unit)
        errors = [found for found in unit.diagnostics if found.severity >= clang.Diagnostic.Error]
        if wrapped and any("function definition is not allowed" in found.spelling for found in errors):
            wrapped = False
            continue
        new = {}
        for found in errors:
            name = re.match(r"use of undeclared identifier '(\w+)'", found.spelling)
            if name and name[1] not in names:
                new[name[1]] = kind_of(name[1], code)
        if new:
            names |= new
            continue
        others = [name for name in names if name not in given and names[name] != "function"]
        if errors and attempt < len(ATTEMPTS):
            names |= dict.fromkeys(others, ATTEMPTS[attempt])
            attempt += 1
            continue
        return finish(parsed, errors, others)
    raise UserError("--code: too many names that are not declared")


def finish(parsed: Parsed, errors: list, names: list[str]) -> Parsed:
    if errors:
        first = errors[0]
        what = re.sub(r"'gpufx_any'", "an undeclared name", first.spelling)
        unknown = re.search(r"\bgpufx_any\b", first.spelling)
        names = [name for name in names if re.search(rf"\b{name}\s*(\[|\.|->)", "\n".join(parsed.lines))] or names
        hint = f"; declare {' and '.join(names)}" if unknown and names else ""
        raise UserError(f"--code: {what} at {parsed.where(first)}{hint}")
    functions = []
    for cursor in parsed.unit.cursor.get_children():
        inside = cursor.location.line >= parsed.first_line - 1
        if cursor.kind == clang.CursorKind.VAR_DECL and inside:
            parsed.outside.append(cursor)
        elif cursor.kind == clang.CursorKind.FUNCTION_DECL and inside and cursor.is_definition():
            functions.append(cursor)
        elif cursor.kind == clang.CursorKind.FUNCTION_TEMPLATE and inside:
            raise UserError(f"--code: {cursor.spelling} is a template: paste its body, and its arguments as #define")
    if not functions:
        raise UserError("--code: no access: give a declaration and a statement, such as "
                        "'__shared__ float tile[32][33]; x = tile[threadIdx.x][0];'")  # fmt: skip
    kernels = [one for one in functions if "global" in notes(one)] or functions[-1:]
    if len(kernels) > 1:
        raise UserError(f"--code: {len(kernels)} kernels: paste one")
    parsed.body = kernels[0]
    return parsed


def notes(declaration) -> set[str]:
    """shared, constant, device, global: what the qualifiers of CUDA say."""
    return {one.spelling for one in declaration.get_children() if one.kind == clang.CursorKind.ANNOTATE_ATTR}
