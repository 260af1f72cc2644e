"""The one way in which the Python half writes a file. The rules are those of harness/call/output.h,
and both are held to tests/vectors/output.json:

nothing or a regular file stands there   written beside its place, synced, then put there in one step
a device, FIFO or socket, or a link to   opened and written as it is, never replaced
one
a link to a file or to nothing           refused: through a link somebody else would choose the file
a folder, a file without permission      refused"""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from .. import UserError
from .text import shown


def write(path: str | os.PathLike, content: bytes) -> None:
    """Writes the file as a whole. Raises UserError; the old file then stands as it was."""
    path = os.fspath(path)
    if not path:
        raise UserError("the output file name is empty; name a file")
    try:
        _write(path, content)
    except OSError as error:
        raise UserError(f"'{shown(path)}' can't be written: {error.strerror or error}; choose another place") from None


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"'{shown(folder)}' can't be made: {error.strerror}; choose another -o or GPUFX_HOME") from None


def _write(path: str, content: bytes) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        if path.endswith("/"):
            raise UserError(f"'{shown(path)}' is a folder; name a file") from None
        _write_beside(path, content, None)
        return
    if stat.S_ISLNK(mode):
        with suppress(OSError):
            mode = os.stat(path).st_mode  # noqa: PTH116
        if stat.S_IFMT(mode) in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            raise UserError(f"'{shown(path)}' is a link; name the file that it points to")
    if stat.S_ISDIR(mode):
        raise UserError(f"'{shown(path)}' is a folder; name a file")
    if not stat.S_ISREG(mode):
        _write_as_it_is(path, content)
        return
    if not os.access(path, os.W_OK):  # the folder would let it be replaced all the same
        raise PermissionError(13, "Permission denied")
    _write_beside(path, content, stat.S_IMODE(mode) & 0o777)


def _write_as_it_is(path: str, content: bytes) -> None:
    """Without O_CREAT, and only if it still is no regular file: nothing is made or cut here."""
    file = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(file, "wb", buffering=0) as stream:
        if stat.S_ISREG(os.fstat(file).st_mode):
            raise UserError(f"'{shown(path)}' was replaced while it was being opened; try again")
        _put(stream, content)


def _put(stream, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


def _write_beside(path: str, content: bytes, mode: int | None) -> None:
    file, hidden = tempfile.mkstemp(prefix=".gpufx-", dir=Path(path).parent)
    try:
        with os.fdopen(file, "wb", buffering=0) as stream:
            _put(stream, content)
            os.fchmod(file, _new_mode() if mode is None else mode)
            os.fsync(file)
        os.replace(hidden, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(hidden)  # noqa: PTH108
        raise


def _new_mode() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
