"""Names of kernels as they stand in the source: by the C++ runtime library, which the program itself is linked with."""

import ctypes
from functools import cache


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


LONGEST = 4096  # characters; the library is not given what no compiler writes


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
