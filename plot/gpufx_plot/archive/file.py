"""The bytes of archives: all lines of one, and which files of a folder are called as archives are.

A file or a pipe, plain or compressed by gzip. Every line, and all of them together, have a limit, so that a small file
that unpacks to terabytes is refused in a sentence."""

import gzip
import io
import json
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

from .. import UserError
from ..call.text import shown

LARGEST_KEPT = 64 << 20  # bytes of a file
LONGEST_LINE = 24 << 20  # bytes; a line of a million samples has 20 MB
LARGEST = 1 << 30  # bytes of all lines, some 20 s of reading; an archive of all probes has 22 MB
ENDS = (".jsonl", ".jsonl.gz")
NOT_THEIRS = {"kept", "published", "schema"}  # folders of results/ that hold other lines of JSON
REFERENCES = "results/reference.json"  # one archive a chip, which pages show and tests hold to
GZIP = b"\x1f\x8b"
MARKS = {b"\xef\xbb\xbf": "a byte-order mark", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


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


def _opened(path: Path, content: bytes | None) -> io.BufferedReader:
    """The bytes, unpacked. content: the file's, where it was read already."""
    try:
        kind = path.stat().st_mode
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
    if not packed and path.suffix == ".gz" and start[:1] not in b"{":
        raise UserError(f"{shown(path)}: not gzip, though its name says so; copy it again")
    return io.BufferedReader(gzip.GzipFile(fileobj=file), 1 << 20) if packed else file


def lines_of(path: Path, content: bytes | None = None) -> Iterator[bytes]:
    """All lines, each with its line break; a last one without was cut off. Raises UserError."""
    try:
        with _opened(path, content) as file:
            number = size = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                size += len(line)
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


# ---- Folders ----


def key_of_run(run: dict) -> str:
    """What tells an archive from all others: when it began, and its id, as in the file's name."""
    return f"{run['started_utc'].replace('-', '').replace(':', '')}-{run['id']}"


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


def references(top: Path) -> dict[str, Path]:
    """Word for the chip to archive, in the order in which pages show them; nothing where the tree names none."""
    path = top / REFERENCES
    named = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {chip: top / "results" / archive for chip, archive in named.items()}
