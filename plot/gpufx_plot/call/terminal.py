"""Standard output and standard error: all at once, harmless on a terminal, with a status where none can be printed."""

import os
import re
import shutil
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from .. import UserError
from .text import clipped, safe_lines

COLUMNS, LINES = 80, 24  # of a screen where nothing is known of it
RED, GREEN = 31, 32
PAINT = dict.fromkeys(("slower", "SLOWER", "worse", "FAILED", "DIFFERS"), RED)
PAINT |= dict.fromkeys(("faster", "FASTER", "better"), GREEN)
PAINTED = re.compile(rf"(?<!\b0 )\b({'|'.join(PAINT)})\b")


def columns(answer: bool = False) -> int:
    """What COLUMNS says, else the width of the terminal, 80 at the least; 80 in a pipe or a file, but for an answer,
    which is one line there."""
    known = _is_terminal() or "COLUMNS" in os.environ
    unknown = sys.maxsize if answer else COLUMNS
    return max(COLUMNS, shutil.get_terminal_size((COLUMNS, LINES)).columns) if known else unknown


def height() -> int:
    return max(LINES, shutil.get_terminal_size((COLUMNS, LINES)).lines - 1) if _is_terminal() else LINES


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _capable() -> bool:
    """Knows colours, and how to erase: as progress.c has it."""
    return os.environ.get("TERM", "") not in ("", "dumb")


def painted(text: str) -> str:
    """Words that say good or bad in colour, on a terminal that wants it (https://no-color.org): the word stays."""
    if not _is_terminal() or os.environ.get("NO_COLOR") or not _capable():
        return text
    return PAINTED.sub(lambda match: f"\x1b[{PAINT[match[1]]}m{match[1]}\x1b[0m", text)


QUIET_S, LONG_S = 0.7, 5.0  # what ends sooner says nothing; what has taken longer says how long it still takes


def counted_off(what: str, parts: Iterable, of: int) -> Iterator:
    """The parts one by one. Of what takes long, one line on standard error tells their share, where that is a terminal;
    the line is gone at the end."""
    shows = sys.stderr is not None and sys.stderr.isatty() and _capable() and not is_quiet()
    said, since = "", time.monotonic()
    try:
        for done, part in enumerate(parts, start=1):
            taken = time.monotonic() - since
            minutes, seconds = divmod(round(taken * (of / done - 1)), 60)
            left = f", about {minutes}:{seconds:02d} left" if taken > LONG_S else ""
            if shows and taken > QUIET_S:
                said = f"\r{what}  {100 * done / of:.0f} %{left}\x1b[K"
                sys.stderr.write(said)
                sys.stderr.flush()
            yield part
    finally:
        if said:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def give_up(stream: TextIO) -> None:
    """What the stream still holds goes nowhere, so that Python doesn't try, and fail, once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str, plain: bool = False) -> None:
    """Prints all at once, in colour where that helps and it is not to be plain. A reader that went away (`| head`) is
    no error, and takes nothing from the exit status."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so there is nowhere to print to")
    try:
        sys.stdout.write(safe_lines(text) if plain else painted(safe_lines(text)))
        sys.stdout.flush()
    except BrokenPipeError:
        give_up(sys.stdout)
    except OSError as error:
        give_up(sys.stdout)
        raise UserError(f"standard output can't be written: {error.strerror}") from None


def complain(text: str) -> int:
    """Returns the status of wrong use, which says it too where nobody can be told."""
    if sys.stderr is not None:
        try:
            print(safe_lines(text), file=sys.stderr, flush=True)
        except OSError:
            give_up(sys.stderr)
    return 2


def is_quiet() -> bool:
    """--quiet, as the program hands it over (FX_TALK in harness/call/parse.h)."""
    return os.environ.get("GPUFX_TALK") == "quiet"


def notice(text: str) -> None:
    """What is no error; --quiet leaves it out."""
    if not is_quiet():
        complain(text)


def detail(text: str) -> None:
    """What --verbose alone has."""
    if os.environ.get("GPUFX_TALK") == "verbose":
        complain(text)


def unforeseen(name: str, error: BaseException) -> int:
    """What nobody caught, in one sentence. Python's own way would be a traceback and status 1, which is an answer."""
    if isinstance(error, MemoryError):
        return complain(f"{name}: out of memory")
    if isinstance(error, OSError) and error.strerror:  # a path, a disk, a limit of the machine
        where = f"{clipped(str(error.filename), 100)}: " if error.filename else ""
        return complain(f"{name}: {where}{error.strerror}")
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).parent.name}/{Path(last.filename).name}:{last.lineno}"
    kind, text = type(error).__name__, clipped(str(error)) or "no details"
    return complain(f"{name}: internal error, please report this line: {kind} in {place}: {text}")
