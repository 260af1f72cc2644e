"""The calls of libclang that its Python module lacks, and what is asked of a cursor in many places."""

import ctypes

import clang.cindex as clang

BINARY = ("", "", "", "*", "/", "%", "+", "-", "<<", ">>", "", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|",
          "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",")  # fmt: skip
UNARY = ("", "p++", "p--", "++", "--", "&", "*", "+", "-", "~", "!")
"""By CXBinaryOperatorKind and CXUnaryOperatorKind; "": it is none."""
TYPE, INTEGRAL = 1, 4  # arguments of a template

Kind = clang.CursorKind
THROUGH = (Kind.PAREN_EXPR, Kind.UNEXPOSED_EXPR)
LOOPS = (Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT)
CASTS = (Kind.CSTYLE_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR, Kind.CXX_REINTERPRET_CAST_EXPR, Kind.CXX_CONST_CAST_EXPR,
         Kind.CXX_FUNCTIONAL_CAST_EXPR)  # fmt: skip

for kinds in (clang.CursorKind, clang.TypeKind):  # those of a newer libclang, which this Python module has no name for
    for number in [i for i, known in enumerate(kinds._kinds) if known is None]:
        kinds(number)


class Ranges(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("items", ctypes.POINTER(clang.SourceRange))]


clang.conf.lib.clang_Cursor_getTemplateArgumentKind.restype = ctypes.c_int
clang.conf.lib.clang_getSkippedRanges.argtypes = [clang.TranslationUnit, ctypes.c_void_p]
clang.conf.lib.clang_getSkippedRanges.restype = ctypes.POINTER(Ranges)

for name, result, argument in (
    ("clang_getCursorBinaryOperatorKind", ctypes.c_int, clang.Cursor),
    ("clang_getCursorUnaryOperatorKind", ctypes.c_int, clang.Cursor),
    ("clang_Cursor_getVarDeclInitializer", clang.Cursor, clang.Cursor),
    ("clang_Cursor_Evaluate", ctypes.c_void_p, clang.Cursor),
    ("clang_EvalResult_getKind", ctypes.c_int, ctypes.c_void_p),
    ("clang_EvalResult_getAsLongLong", ctypes.c_longlong, ctypes.c_void_p),
    ("clang_EvalResult_dispose", None, ctypes.c_void_p),
):
    function = getattr(clang.conf.lib, name)
    function.argtypes, function.restype = [argument], result
clang.conf.lib.clang_getFileLocation.argtypes = [clang.SourceLocation, *[ctypes.c_void_p] * 4]


def binary(cursor) -> str:
    return BINARY[clang.conf.lib.clang_getCursorBinaryOperatorKind(cursor)]


def unary(cursor) -> str:
    return UNARY[clang.conf.lib.clang_getCursorUnaryOperatorKind(cursor)]


def is_step(cursor) -> bool:
    return unary(cursor)[-2:] in ("++", "--")


def kind_of(thing):
    return thing.type.get_canonical().kind


def is_pointer(thing) -> bool:
    return kind_of(thing) == clang.TypeKind.POINTER


def same(cursor):
    """What has its value: in parentheses, behind a cast, or of an expression that has no kind of its own; None."""
    children = list(cursor.get_children())
    return children[-1] if cursor.kind in CASTS or (cursor.kind in THROUGH and len(children) == 1) else None


def initializer(variable):
    found = clang.conf.lib.clang_Cursor_getVarDeclInitializer(variable)
    found._tu = variable._tu
    return None if found.kind.is_invalid() else found


def constant(cursor) -> int | None:
    """The value of an integer constant expression, sizeof among them."""
    lib = clang.conf.lib
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    value = lib.clang_EvalResult_getAsLongLong(result) if lib.clang_EvalResult_getKind(result) == 1 else None
    lib.clang_EvalResult_dispose(result)
    return value


def offset_of(place) -> int:
    """Where it is written, also in what a macro gets."""
    offset = ctypes.c_uint()
    clang.conf.lib.clang_getFileLocation(place, None, None, None, ctypes.byref(offset))
    return offset.value


def members_set(braces) -> list[tuple]:
    """Of a list for a struct: the fields that lead to what each item sets, by its name or in their order; the value."""
    fields, found, at = list(braces.type.get_canonical().get_fields()), [], 0
    numbers = {field.spelling: i for i, field in enumerate(fields)}
    for item in braces.get_children():
        *names, value = list(item.get_children()) or [item]
        way = [of.referenced for of in names if of.kind == Kind.MEMBER_REF]
        at = numbers.get(way[0].spelling, at) if way else at
        found.append((way or fields[at : at + 1], value if way else item))
        at += 1
    return found


def definition(call):
    """The function with a body that is called; None: it has none, or the compiler makes it."""
    function = call.referenced and call.referenced.get_definition()
    has_body = function and any(item.kind == Kind.COMPOUND_STMT for item in function.get_children())
    return function if has_body and not function.is_default_method() else None


def notes(declaration) -> set[str]:
    """shared, constant, device, global: what the qualifiers of CUDA say."""
    return {item.spelling for item in declaration.get_children() if item.kind == Kind.ANNOTATE_ATTR}


def extent_of(cursor) -> range:
    return range(cursor.extent.start.offset, cursor.extent.end.offset)


def skipped(unit, path: str) -> list[range]:
    """What the preprocessor leaves out of a file."""
    found = clang.conf.lib.clang_getSkippedRanges(unit, clang.File.from_name(unit, path)).contents
    return [range(item.start.offset, item.end.offset) for item in found.items[: found.count]]
