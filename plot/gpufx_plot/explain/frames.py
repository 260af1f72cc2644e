"""Trace files as they are written and read on the way from the recorder to the answer (docs/trace.md): frames, each an
object of JSON on a line, and where it says "bytes", so many bytes and a line's end behind it.

Frames are read one at a time, so that a trace may be larger than the memory. What the laws make of a trace is the
program's to say (`gpufx trace-cost`); here a trace is finished."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .. import UserError
from ..call.text import shown

LONGEST_LINE, MOST_BYTES = 1 << 20, 1 << 30
FAST = 3  # of gzip: a third of the time of the usual 6, for a tenth more bytes
MOST = {"kernel": 1 << 20, "instruction": 1 << 20, "launch": 1 << 20, "pattern": 1 << 22, "record": 1 << 26}


@dataclass
class Frame:
    """kind: the first key, by which a frame is known; its value is what it says."""

    head: dict
    content: bytes | None = None

    @property
    def kind(self) -> str:
        return next(iter(self.head), "")

    @property
    def value(self):
        return self.head[self.kind]


def read(path: Path) -> Iterator[Frame]:
    """All whole frames, in order. Less than one more, or damage, ends the file, as what ends a program may leave it so.
    Raises UserError for what is no trace."""
    with suppress(EOFError, zlib.error, gzip.BadGzipFile), gzip.open(path) as stream:
        while frame := _one(stream, path):
            yield frame


def _one(stream, path: Path) -> Frame | None:
    line = stream.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise UserError(f"'{shown(path)}' is not a trace: a line has more than {LONGEST_LINE} bytes")
    if not line.endswith(b"\n"):
        return None
    try:
        head = json.loads(line)
        size = head.get("bytes", 0)
    except (ValueError, AttributeError, RecursionError):
        raise UserError(f"'{shown(path)}' is not a trace: a frame is not a JSON object") from None
    if not isinstance(size, int) or not 0 <= size <= MOST_BYTES:
        raise UserError(f"'{shown(path)}' is not a trace: a frame has {shown(str(size))} bytes")
    if "bytes" not in head:
        return Frame(head)
    content = stream.read(size)
    if len(content) < size or stream.read(1) != b"\n":
        return None
    return Frame(head, content)


class Writer(gzip.GzipFile):
    """A trace that is being written."""

    def __init__(self, path: Path):
        super().__init__(path, "wb", compresslevel=FAST, mtime=0)

    def put(self, head: dict, content: bytes | None = None) -> None:
        sized = head if content is None else head | {"bytes": len(content)}
        self.write(json.dumps(sized, separators=(",", ":")).encode() + b"\n")
        self.write(b"" if content is None else content + b"\n")
