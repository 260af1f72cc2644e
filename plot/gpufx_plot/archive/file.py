"""The bytes of archives: which files of a folder are archives, what the first line of one says, and all of its lines.

A file or a pipe, plain or compressed by gzip. Every line, and all of them together, have a limit, so that a small file
that unpacks to terabytes is refused in a sentence. `look_at` reads the first line alone: ten thousand archives are
listed in seconds, and what is inside is not checked.
"""

import gc
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from .. import UserError
from ..call.terminal import progress
from ..call.text import shown
from .lines import Id, Utc

TOLD_AT = 1000  # lines: how often the progress is told
LARGEST_KEPT = 64 << 20  # bytes of a file
LONGEST_LINE = 24 << 20  # bytes; a line of a million samples has 20 MB
LARGEST = 1 << 30  # bytes of all lines, some 20 s of reading; an archive of all probes has 22 MB
ENDS = (".jsonl", ".jsonl.gz")
NOT_THEIRS = {"kept", "published", "schema"}  # folders of results/ that hold other lines of JSON
LONGEST_HEAD = 4 << 20  # bytes; the first line of an archive of all probes has 75,000
PIECE = 1 << 12
PROBES = b',"probes":{'
NOT_REGULAR = "this is not a file"
NOT_ARCHIVE = "this is not a gpufx archive"
GZIP = b"\x1f\x8b"
MARKS = {b"\xef\xbb\xbf": "a byte-order mark", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def stem(path: Path) -> str:
    """The name without .jsonl or .jsonl.gz."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")


@contextmanager
def uncollected() -> Iterator[None]:
    """A million small objects without a cycle: looking for some, now or later, takes a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.freeze()
            gc.enable()


def content_of(path: Path) -> bytes | None:
    """All bytes of a compressed file that is not too large to be held; None: of another one, or of none. A run that
    goes on writes plain text."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST_KEPT:
            return None
        with path.open("rb") as file:
            return GZIP + file.read() if file.read(len(GZIP)) == GZIP else None
    except OSError:
        return None


def _opened(path: Path, content: bytes | None) -> tuple[io.BufferedReader, Callable[[], float]]:
    """The bytes, unpacked, and what tells the share of the file that was read. content: the file's, where it was read
    already."""
    try:
        info = path.stat()
        kind = info.st_mode
        if stat.S_ISDIR(kind):
            raise UserError(f"{shown(path)}: can't be read: it is a folder")
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise UserError(f"{shown(path)}: neither a file nor a pipe, so not an archive")
        raw = io.BytesIO(content) if content else io.FileIO(os.open(path, os.O_RDONLY | os.O_CLOEXEC), closefd=True)
    except FileNotFoundError:
        raise UserError(f"{shown(path)}: no such file") from None
    except OSError as error:
        raise UserError(f"{shown(path)}: can't be read: {error.strerror}") from None
    file = io.BufferedReader(raw, 1 << 20)
    start = file.peek(3)[:3]
    for mark, name in MARKS.items():
        if start.startswith(mark):
            raise UserError(f"{shown(path)}: it starts with {name}; save it as plain UTF-8")
    # A pipe may have given one byte so far, and JSON starts with neither of gzip's two.
    packed = start[:1] == GZIP[:1]
    share = partial(_share, raw, info.st_size) if stat.S_ISREG(kind) else lambda: 0.0
    return io.BufferedReader(gzip.GzipFile(fileobj=file), 1 << 20) if packed else file, share


def _share(raw: io.RawIOBase | io.BytesIO, size: int) -> float:
    return min(raw.tell() / max(size, 1), 1.0)


def lines_of(path: Path, content: bytes | None = None) -> Iterator[bytes]:
    """All lines, each with its line break; a last one without was cut off. Raises UserError."""
    try:
        file, share = _opened(path, content)
        with file, progress(f"reading {path.name}") as tell:
            number = size = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                size += len(line)
                if number % TOLD_AT == 0:
                    tell(share())
                if size > LARGEST:
                    raise UserError(
                        f"{shown(path)}:{number}: the archive has more than {LARGEST >> 20} MiB of text, which is more "
                        "than gpufx reads; measure fewer processes in one run"
                    )
                if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                    raise UserError(f"{shown(path)}:{number}: the line is too long for an archive")
                yield line
    except EOFError:
        raise UserError(f"{shown(path)}: the compressed file is truncated; copy it again") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{shown(path)}: the compressed file is damaged ({error}): copy it again") from None
    except OSError as error:
        raise UserError(f"{shown(path)}: can't be read: {error.strerror or error}") from None


def lines_of_kind(path: Path, kind: str) -> Iterator[bytes]:
    """The complete lines of this type, which stands first in each: archives are long, so that only what is asked for is
    parsed."""
    begins = tuple(f'{{"type":{space}"{kind}"'.encode() for space in ("", " "))
    return (line for line in lines_of(path) if line.startswith(begins) and line.endswith(b"\n"))


# ---- First lines ----


def key_of_run(run: dict) -> str:
    """What tells an archive from all others: when it began, and its id, as in the file's name."""
    return f"{run['started_utc'].replace('-', '').replace(':', '')}-{run['id']}"


class Device(msgspec.Struct):
    name: str
    slug: str
    arch: str
    uuid: str | None = None


class Head(msgspec.Struct):
    """What is wanted of a first line."""

    type: str
    id: Id
    started_utc: Utc
    device: Device
    processes: int = 0
    labels: dict[str, str] = {}


@dataclass(frozen=True)
class Found:
    """A file, and what it says of itself; problem: why it says nothing."""

    path: Path
    size: int
    head: Head | None
    problem: str = ""

    @property
    def is_no_file(self) -> bool:
        return self.problem == NOT_REGULAR


DECODER = msgspec.json.Decoder(Head)


def archives_in(place: Path) -> Iterator[Path]:
    """Files that are called as archives are, in the order of their names; a file stands for itself. Links to folders
    are not followed. Raises UserError."""
    try:
        is_folder = stat.S_ISDIR(place.stat().st_mode)
    except (OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError | NotADirectoryError | ValueError)
        why = "no such file or folder" if absent else f"can't be read: {error.strerror}"
        raise UserError(f"{shown(place)}: {why}") from None
    if not is_folder:
        yield place
        return

    def refuse(error: OSError):
        raise UserError(f"{shown(error.filename or place)}: can't be read: {error.strerror}") from None

    for folder, folders, names in os.walk(place, onerror=refuse):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in NOT_THEIRS)
        for name in sorted(names):
            if name.endswith(ENDS) and name[0] != ".":
                yield Path(folder, name)


def nothing_usable(wrong: list[str]) -> UserError:
    """Where no file is an archive: the first one, and how many more there are."""
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return UserError(f"{wrong[0]}{more}; name archives, or a folder that has some")


def look_at(path: Path) -> Found:
    """What the first line says; never raises."""
    size = 0
    try:
        info = path.stat()
        size = info.st_size
        if not stat.S_ISREG(info.st_mode):  # a pipe would keep us waiting
            return Found(path, 0, None, NOT_REGULAR)
        head = _head(path)
        return Found(path, size, head) if head.type == "run" else Found(path, size, None, NOT_ARCHIVE)
    except OSError as error:
        return Found(path, size, None, f"can't be read: {error.strerror}")
    except (msgspec.MsgspecError, zlib.error, UnicodeDecodeError, RecursionError, EOFError):
        return Found(path, size, None, NOT_ARCHIVE)


def _head(path: Path) -> Head:
    """What is wanted stands before the probes, which make up most of a first line."""
    with path.open("rb") as file:
        unpack = zlib.decompressobj(wbits=31) if file.peek(2).startswith(GZIP) else None
        text = b""
        while len(text) < LONGEST_HEAD and (piece := file.read(PIECE)):
            text += unpack.decompress(piece, LONGEST_HEAD) if unpack else piece
            if (end := text.find(PROBES)) > 0:
                with suppress(msgspec.MsgspecError):  # a label may say so, too
                    return DECODER.decode(text[:end] + b"}")
            if (end := text.find(b"\n")) >= 0:
                return DECODER.decode(text[:end])
    raise EOFError
