"""Foreign archives: figures that another tool measured, as quantities of ours. `gpufx import` writes them (showing/
exports/imports.py), `sheet`, `compare --by quantity` and `export` take them.

JSON Lines as all archives, results/schema/foreign-1.schema.json: a first line that says whose figures these are, a line
for each quantity, an end line with their number and the sum of all bytes before it. There are no cases, so that no
other verb can take one by mistake: it says what it is in its first word.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from zlib import crc32

import msgspec
from msgspec import Meta

from .. import UserError
from ..call.text import safe, safe_tree, shown
from . import lines
from .check import DuplicateError, once
from .contents import Archive
from .lines import Id, Line, Natural, Number, Positive, Utc

NO_CASES = "a foreign archive has no cases; gpufx sheet, gpufx compare --by quantity and gpufx export take it"
BY = "foreign"  # in the place of an estimator
Text = Annotated[str, Meta(max_length=256)]


class Tool(Line):
    """Who measured: the tool, its version as far as the file says, the file, and the sum of its bytes."""

    name: Text
    version: Text | None
    file: Text
    crc32: Id


class ForeignDevice(Line):
    name: Text
    slug: Annotated[str, Meta(pattern="^[a-z0-9-]+$", max_length=256)]
    arch: Text
    uuid: Text | None


class Head(Line, tag_field="type", tag="foreign"):
    schema: Literal[1]
    id: Id
    started_utc: Utc | None
    provenance: Literal["foreign"]
    invented: bool  # it comes from figures that were invented, as far as the file says
    tool: Tool
    device: ForeignDevice
    driver: dict[str, Text]


class Stated(Line, tag_field="type", tag="quantity"):
    """One figure. low, high: the range that the file has of it; name, stated, stated_unit: as it stands there."""

    id: Text
    unit: Text
    value: Number
    low: Number | None
    high: Number | None
    n: Positive
    name: Text
    stated: Number
    stated_unit: Text
    note: Text


class End(Line, tag_field="type", tag="end"):
    quantities: Natural
    crc32: Id


DECODER = msgspec.json.Decoder(Head | Stated | End)


def content(head: Head, found: list[Stated]) -> bytes:
    """The file. Each quantity stands in it once."""
    text = b"".join(msgspec.json.encode(line) + b"\n" for line in (head, *found))
    return text + msgspec.json.encode(End(len(found), f"{crc32(text):08x}")) + b"\n"


def read(path: Path, first: bytes, texts: Iterator[bytes]) -> Archive:
    """The lines after the first come from `texts`. Raises UserError with file and line."""
    head, found, end, crc, number = None, {}, None, 0, 0
    try:
        for number, text in enumerate((first, *texts), start=1):
            if end or not text.endswith(b"\n"):
                raise UserError("something follows the end line" if end else "the line is cut off")
            line = DECODER.decode(text)
            if (number == 1) != isinstance(line, Head):
                raise UserError("the first line, and no other, names the tool and the device")
            if isinstance(line, Head):
                head = line
            elif isinstance(line, Stated):
                if line.id in found:
                    raise UserError(f"{safe(line.id)} appears twice")
                found[line.id] = line
            elif line != End(len(found), f"{crc:08x}"):
                raise UserError("the checksum of the preceding lines is wrong")
            else:
                end = line
            crc = crc32(text, crc)
        if not end:
            raise UserError("the end line is missing")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{shown(path)}:{number}: bad line of a foreign archive: {safe(str(error))[:200]}") from None
    except UserError as error:
        raise UserError(f"{shown(path)}:{number}: {error}: restore the file, or import it again") from None
    archive = Archive(path, _run(head))
    archive.foreign = list(found.values())
    archive.end = lines.End(True, None, 0, 0, 0, 0.0, end.crc32)
    return archive


def _run(head: Head) -> dict:
    """The head as a first line of ours, as far as it goes."""
    known = safe_tree(msgspec.to_builtins(head))
    empty = {"labels": {}, "probes": {}, "environment": {}, "program": {}, "host": {}, "arguments": []}
    return known | empty | {"processes": 0, "quick": False, "profiled": False, "seed": None}


def strict_json(data: bytes, where: str) -> dict | list:
    """A whole document of another tool; NaN and Infinity, which some write, are none. Raises UserError with file and
    line."""
    try:
        return json.loads(data, object_pairs_hook=once, parse_constant=lambda text: None)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}:{error.lineno}: not JSON ({error.msg})") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{where}:{line}: not UTF-8") from None
    except DuplicateError as error:
        raise UserError(f"{where}: the key {safe(str(error))[:60]!r} appears twice in an object") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: unreadable JSON ({safe(str(error))[:100]})") from None
