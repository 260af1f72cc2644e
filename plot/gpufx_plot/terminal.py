"""Standard output and standard error: all at once, harmless on a terminal, and with a status where nothing can be
printed."""

import os
import sys
from typing import TextIO

from . import UserError
from .text import safe_lines


def give_up(stream: TextIO) -> None:
    """What the stream still holds goes nowhere, so that Python doesn't try, and fail, once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """Prints all at once. A reader that went away (`| head`) is no error, and takes nothing from the exit status."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so there is nowhere to print to")
    try:
        sys.stdout.write(safe_lines(text))
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
