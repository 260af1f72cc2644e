"""Names of kernels as they stand in the source, by the C++ runtime library, which the program itself is linked with,
and the short ones that people call them by."""

import ctypes
from functools import cache

from ..call.text import clipped

LONGEST = 4096  # characters; the library is not given what no compiler writes
SHORT = 24  # of a kernel's name in a table
NAMELESS, CALLS = "\0", "\1"  # parentheses that are no parameters


@cache
def _library():
    try:
        known, free = ctypes.CDLL("libstdc++.so.6").__cxa_demangle, ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    known.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_int)]
    known.restype = ctypes.c_void_p
    free.argtypes, free.restype = [ctypes.c_void_p], None
    return known, free


@cache
def demangled(name: str) -> str:
    """_Z5naivePfPKfi -> naive(float*, float const*, int); another name as it is."""
    library = _library() if name.startswith("_Z") and "\0" not in name and len(name) <= LONGEST else None
    if not library:
        return name
    known, free = library
    status = ctypes.c_int(0)
    at = known(name.encode("utf-8", "surrogateescape"), None, None, ctypes.byref(status))
    if not at:
        return name
    text = ctypes.string_at(at).decode("utf-8", "replace")
    free(at)
    return text


def short_name(name: str, most: int = SHORT) -> str:
    """Without its parameters, which is what a person calls it."""
    found, depth = "", 0
    parts = name.replace("(anonymous namespace)", NAMELESS).replace("operator()", CALLS)
    for letter in parts:
        if letter == "(" and not depth:
            break
        depth += (letter in "<(") - (letter in ">)")
        found += letter
    found = found.replace(NAMELESS, "(anonymous namespace)").replace(CALLS, "operator()")
    return clipped(found.strip().removeprefix("void ") or name, most)


def bare_name(name: str, most: int = SHORT) -> str:
    """at::native::elementwise_kernel<128, 2, T>(int) -> elementwise_kernel<128, 2, T>, for a table."""
    whole, depth, begin = short_name(name, len(name)), 0, 0
    for i, letter in enumerate(whole):
        depth += (letter in "<(") - (letter in ">)")
        begin = i + 1 if letter == ":" and not depth else begin
    return clipped(whole[begin:] or whole, most)
