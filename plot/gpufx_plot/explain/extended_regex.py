"""Extended regular expressions, by the C library that the recorder and `gpufx trace-cost` match names with: those of
Python take (?i) and other words that these refuse."""

import ctypes

EXTENDED = 1  # REG_EXTENDED, of glibc, musl and the BSDs
REGEX_BYTES = 1024  # a regex_t has 64 at most


def not_extended(text: str) -> str | None:
    """What is wrong with it; None: nothing."""
    library = ctypes.CDLL(None)
    compiled, problem = ctypes.create_string_buffer(REGEX_BYTES), ctypes.create_string_buffer(200)
    code = library.regcomp(compiled, text.encode(errors="surrogateescape"), EXTENDED)
    if code:
        library.regerror(code, compiled, problem, ctypes.c_size_t(len(problem)))
        return problem.value.decode(errors="replace")
    library.regfree(compiled)
    return None
