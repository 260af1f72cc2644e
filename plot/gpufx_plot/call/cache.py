"""What was computed of an archive, kept for the next call in $XDG_CACHE_HOME/gpufx (~/.cache/gpufx).

An entry's name is the sum of all that it follows from: this package's own code, the versions of Python and of the
libraries that compute, and the bytes that the caller names. So nothing is ever out of date, and an entry of another
program or archive is another file. It begins with its own sum: one that was cut off or changed counts for nothing.
Entries appear whole (output.py), and the folder is one that this user alone can write to. Where that is not
to be had, or the disk is full, everything is computed as if there were no cache."""

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from .. import UserError
from .output import write

SUM_BYTES = 32
MOST_BYTES = 400 << 20  # those that were used last
SWEEPS = 8  # of 256 entries, by their sums, see to the room: with thousands, each would take long to look at all
LARGEST_FILE = 64 << 20  # of an entry, and of an archive
NOT_KEPT = (UserError, OSError, ValueError, TypeError, ArithmeticError, RecursionError, msgspec.MsgspecError)
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
T = TypeVar("T")


def sum_of(*parts: bytes) -> bytes:
    """Of the parts in their order, each told from the next."""
    found = blake2b(digest_size=SUM_BYTES)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.digest()


@cache
def _program() -> bytes:
    """The code that computes."""
    package = Path(__file__).parents[1]
    files = sorted(path for kind in ("*.py", "*.mplstyle") for path in package.rglob(kind))
    found = [part for file in files for part in (str(file.relative_to(package)).encode(), file.read_bytes())]
    return sum_of(f"{sys.version} {sys.byteorder} {msgspec.__version__} {version_of('numpy')}".encode(), *found)


def version_of(library: str) -> str:
    """Without loading it, which takes longer than all the rest."""
    return next((path.name for at in sys.path for path in Path(at or ".").glob(f"{library}-*.dist-info")), "")


@cache
def _folder() -> Path | None:
    """Where entries lie; None: nowhere."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = (Path(base) if base.startswith("/") else Path("~/.cache").expanduser()) / "gpufx"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.lstat()
        ours = stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & OTHERS_WRITE
        return folder if ours and os.access(folder, os.R_OK | os.W_OK | os.X_OK) else None
    except (OSError, ValueError, RuntimeError):  # no home
        return None


def available() -> bool:
    return _folder() is not None


def _plain(value) -> float | str:
    if isinstance(value, float):  # numpy's
        return float(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value)} is not kept")


def _again(of: type, value: str) -> Path:
    if issubclass(of, Path):
        return Path(value)
    raise TypeError(f"{of} is not kept")


def kept(kind: str, follows_from: Sequence[bytes], of: type[T], compute: Callable[[], T]) -> T:
    """What `compute` gives, of the type `of`, which follows from those bytes alone: from an earlier call, or computed
    and kept; only computed where some of them are empty, and so not known."""
    folder = _folder() if all(follows_from) else None
    if not folder:
        return compute()
    entry = sum_of(kind.encode(), _program(), *follows_from)
    path = folder / f"{entry.hex()}.{kind}"
    with suppress(*NOT_KEPT):
        content = path.read_bytes()
        if content[:SUM_BYTES] == sum_of(entry, content[SUM_BYTES:]):
            os.utime(path)
            return msgspec.msgpack.decode(memoryview(content)[SUM_BYTES:], type=of, dec_hook=_again)
    found = compute()
    with suppress(*NOT_KEPT):
        content = msgspec.msgpack.encode(found, enc_hook=_plain)
        if len(content) < LARGEST_FILE:
            write(path, sum_of(entry, content) + content)
            if entry[0] < SWEEPS:
                _make_room(folder)
    return found


def _make_room(folder: Path) -> None:
    """Removes what was not used for longest."""
    found = sorted(((path.lstat(), path) for path in folder.iterdir()), key=lambda entry: -entry[0].st_mtime_ns)
    room = MOST_BYTES
    for info, path in found:
        room -= info.st_size
        if room < 0:
            path.unlink()
