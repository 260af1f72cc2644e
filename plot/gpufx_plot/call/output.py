"""The one way in which the Python half writes a file. The rules are those of harness/core/output.h,
and both are held to tests/vectors/output.json:

nothing or a regular file stands there   written beside its place without a name, synced, then put there in one step
a device, FIFO or socket, or a link to   opened and written as it is, never replaced
one
a link to a file or to nothing           refused: through a link somebody else would choose the file
a folder, a file without permission      refused
"""

import fcntl
import os
import re
import secrets
import stat
from contextlib import contextmanager, suppress

from .. import UserError
from .text import shown

HIDDEN = re.compile(r"\.gpufx-[0-9a-f]{16}")


def write(path: str | os.PathLike, content: bytes) -> None:
    """Writes the file as a whole. Raises UserError; the old file then stands as it was."""
    path = os.fspath(path)
    if not path:
        raise UserError("the output file name is empty; name a file")
    try:
        _write(path, content)
    except OSError as error:
        raise UserError(f"'{shown(path)}' can't be written: {error.strerror or error}; choose another place") from None


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
        if _is_file(mode) or stat.S_ISLNK(mode):
            raise UserError(f"'{shown(path)}' is a link; name the file that it points to")
    if stat.S_ISDIR(mode):
        raise UserError(f"'{shown(path)}' is a folder; name a file")
    if not stat.S_ISREG(mode):
        _write_as_it_is(path, content)
        return
    if not os.access(path, os.W_OK):  # the folder would let it be replaced all the same
        raise PermissionError(13, "Permission denied")
    _write_beside(path, content, stat.S_IMODE(mode) & 0o777)


def _is_file(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


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
    where, name = os.path.split(path)
    folder = os.open(where or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with _nameless(folder) as (stream, hidden):
            _put(stream, content)
            os.fchmod(stream.fileno(), _new_mode() if mode is None else mode)
            os.fsync(stream.fileno())
            _put_in_place(stream, folder, hidden, name, path, mode is not None)
        with suppress(OSError):  # the name, too; not all file systems can
            os.fsync(folder)
    finally:
        os.close(folder)


def _new_mode() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _nameless(folder: int):
    """An open file without a name, or, where the file system has none of that kind, with a hidden one, locked, that is
    gone at the end. Gives the stream and a list that holds the hidden name if there is one."""
    hidden: list[str] = []
    try:
        file = os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=folder)
    except OSError:
        _remove_leftovers(folder)
        hidden.append(_random_name())
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.open(hidden[0], flags, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb", buffering=0) as stream:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX)
            yield stream, hidden
    finally:
        for name in hidden:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


def _random_name() -> str:
    return f".gpufx-{secrets.token_hex(8)}"


def _put_in_place(stream, folder: int, hidden: list[str], name: str, path: str, replaces: bool) -> None:
    """Where nothing stood, a file that has come meanwhile is replaced like one that was there; what is no file is
    not."""
    self = f"/proc/self/fd/{stream.fileno()}"
    if not replaces and not hidden:
        with suppress(FileExistsError):
            os.link(self, name, dst_dir_fd=folder, follow_symlinks=True)
            return
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise UserError(f"'{shown(path)}' is no longer a regular file and was left unchanged")
    if not hidden:
        _remove_leftovers(folder)
        hidden.append(_random_name())
        os.link(self, hidden[0], dst_dir_fd=folder, follow_symlinks=True)
    os.rename(hidden[0], name, src_dir_fd=folder, dst_dir_fd=folder)
    hidden.clear()


def _remove_leftovers(folder: int) -> None:
    """What killed processes of this user left: files of such a name that nobody has locked."""
    for name in os.listdir(folder):
        if not HIDDEN.fullmatch(name):
            continue
        with suppress(OSError):
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                info = os.fstat(file)
                if stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid():
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(name, dir_fd=folder)
            finally:
                os.close(file)
