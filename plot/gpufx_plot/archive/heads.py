"""Archives of a folder, as their first lines describe them. Nothing but the first line and the last bytes of a file is
read, so that ten thousand are listed in seconds; what is inside is not checked."""

import os
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from .. import UserError
from ..call.text import shown
from .lines import Id, Utc
from .reading import GZIP

ENDS = (".jsonl", ".jsonl.gz")
NOT_THEIRS = {"kept", "published", "schema"}  # folders of results/ that hold other lines of JSON
LONGEST_HEAD = 4 << 20  # bytes; the first line of an archive of all probes has 75,000
PIECE, BEGIN = 1 << 12, 1 << 13
NO_FILE = "this is not a file"


def key_of_run(run: dict) -> str:
    """What tells an archive from all others: when it began, and its id, as in the file's name."""
    return f"{run['started_utc'].replace('-', '').replace(':', '')}-{run['id']}"


@dataclass(frozen=True)
class Content:
    """The bytes of an archive, unpacked: their sum and number, by which a copy is known."""

    crc32: int
    size: int


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
    provenance: str
    device: Device
    processes: int = 0
    quick: bool = False
    profiled: bool = False
    labels: dict[str, str] = {}

    @property
    def key(self) -> str:
        return key_of_run({"started_utc": self.started_utc, "id": self.id})


@dataclass(frozen=True)
class Found:
    """A file, and what it says of itself; problem: why it says nothing."""

    path: Path
    size: int
    head: Head | None
    content: Content | None  # of a compressed file as its last bytes say, of another as it is
    problem: str = ""

    @property
    def no_file(self) -> bool:
        return self.problem == NO_FILE


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


def look_at(path: Path, contents: bool = True) -> Found:
    """Never raises."""
    size = 0
    try:
        info = path.stat()
        size = info.st_size
        if not stat.S_ISREG(info.st_mode):  # a pipe would keep us waiting
            return Found(path, 0, None, None, NO_FILE)
        with path.open("rb") as file:
            packed = file.read(2) == GZIP
            file.seek(0)
            head = _head(file, packed)
            content = None
            if contents:
                content = _content_of_packed(file, size) if packed else _content(file)
        if head.type != "run":
            return Found(path, size, None, content, "this is not a gpufx archive")
        return Found(path, size, head, content)
    except OSError as error:
        return Found(path, size, None, None, f"can't be read: {error.strerror}")
    except (msgspec.MsgspecError, zlib.error, UnicodeDecodeError, RecursionError, EOFError):
        return Found(path, size, None, None, "this is not a gpufx archive")


def _head(file, packed: bool) -> Head:
    """What is wanted stands before the probes, which make up most of a first line."""
    unpack = zlib.decompressobj(wbits=31) if packed else None
    begin = file.read(PIECE)
    begin = unpack.decompress(begin, BEGIN) if packed else begin[:BEGIN]
    end = begin.find(b',"probes":{')
    if end > 0:
        with suppress(msgspec.MsgspecError):  # a label may say so, too
            return DECODER.decode(begin[:end] + b"}")
    file.seek(0)
    return DECODER.decode(_first_line(file, packed))


def _first_line(file, packed: bool) -> bytes:
    unpack = zlib.decompressobj(wbits=31) if packed else None
    line = b""
    while piece := file.read(PIECE):
        line += unpack.decompress(piece, LONGEST_HEAD) if packed else piece
        if (end := line.find(b"\n")) >= 0:
            return line[: end + 1]
        if len(line) >= LONGEST_HEAD:
            break
    raise EOFError


def _content_of_packed(file, size: int) -> Content | None:
    """gzip writes both behind the data. A file of several parts, which no run writes, says it of the last one; what is
    taken is told by what was read."""
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    return Content(*struct.unpack("<II", tail)) if len(tail) == 8 else None


def _content(file) -> Content:
    file.seek(0)
    crc = size = 0
    while piece := file.read(1 << 20):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
    return Content(crc, size & 0xFFFFFFFF)
