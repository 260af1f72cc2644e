"""Lines of the source that a trace names. A trace may be a stranger's: only files named as sources are opened."""

import os
import stat
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path

from ..call.text import safe

ENDS = {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".py", ".ptx"}
MOST_BYTES = 16 << 20


@cache
def lines(file: str) -> tuple[str, ...]:
    """None where no such file, or none that is source, wherever a link leads."""
    with suppress(OSError, ValueError):
        if {Path(name).suffix.lower() for name in (file, os.path.realpath(file))} - ENDS:
            return ()
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                return tuple(stream.read(MOST_BYTES).decode("utf-8", "replace").splitlines())
    return ()


def line(file: str | None, number: int | None) -> str:
    """Empty where it is not to be had."""
    every = lines(file) if file else ()
    return safe(every[number - 1].strip().expandtabs(4)) if number and 0 < number <= len(every) else ""


def is_newer(file: str | None, started: str) -> bool:
    """The file was changed after the trace was recorded."""
    with suppress(OSError, ValueError):
        return bool(file and lines(file)) and Path(file).stat().st_mtime > datetime.fromisoformat(started).timestamp()
    return False
