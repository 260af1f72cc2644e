"""The archives of files and folders, as rows of tables: all of them checked, and each one once. One that can't be used
is named with the reason and holds up nothing."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from .. import UserError
from ..archive.file import archives_in, lines_of
from ..archive.load import Archive, load
from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.terminal import counted_off, notice
from ..call.text import shown
from ..call.workers import shared
from ..chip.quantities import infer
from .board import in_future
from .table_columns import archive_row, fit_row, quantity_rows

LEAST = 16  # archives; below, processes of their own would not pay
EARLIER = 7  # runs of a card that its newest one is compared with


@dataclass(frozen=True)
class Refused:
    path: Path
    reason: str

    def text(self) -> str:
        name = shown(self.path)
        return self.reason if self.reason.startswith(name) else f"{name}: {self.reason}"

    def as_json(self) -> dict:
        return {"path": str(self.path), "reason": self.reason}


@dataclass(frozen=True)
class Rows:
    """What the tables have of one archive. content: the checksum of its lines. The rest: JSON lines."""

    path: Path
    key: str
    content: str
    archives: bytes
    quantities: bytes
    fits: bytes


def find(places: list[Path]) -> tuple[list[Path], list[Refused]]:
    """Each file once, however many places lead to it, and what is no file. A pipe is read where it is named itself; one
    that lies in a folder would keep us waiting. Raises UserError where there is nothing."""
    found = {os.path.realpath(path): path for place in places for path in archives_in(place)}.values()
    if not found:
        raise UserError(f"no archive in {', '.join(map(shown, places))}: no file name ends in .jsonl[.gz]")
    usable = {path: path in places or path.is_file() for path in found}
    no_files = [Refused(path, "this is not a file") for path, fine in usable.items() if not fine]
    return [path for path, fine in usable.items() if fine], no_files


def _load_whole(path: Path) -> Archive:
    """An archive with its end. Raises UserError."""
    archive = load(path)
    if archive.end is None:
        raise UserError("it has no end line: its run is still writing it, or was killed")
    if archive.truncated:
        raise UserError("half a line follows its end line; restore the file")
    return archive


def _rows_of(path: Path, whole: bool) -> Rows | Refused:
    try:
        archive = _load_whole(path)
        name = os.fsencode(path).decode()
        row = archive_row(archive, name)
    except UnicodeDecodeError:
        return Refused(path, "its name is not UTF-8, which Parquet requires; rename the file")
    except UserError as error:
        return Refused(path, str(error))
    encode = msgspec.json.Encoder().encode
    of_fits = ({"archive": row["archive"]} | fit_row(fit) for fit in (archive.merged_fits if whole else ()))
    tables = ([row], quantity_rows(archive, infer(archive)), of_fits)
    encoded = (b"".join(encode(one) + b"\n" for one in of) for of in tables)
    return Rows(path, row["archive"], archive.end.crc32, *encoded)


class _Device(msgspec.Struct):
    uuid: str | None = None


class _Begun(msgspec.Struct):
    """Of the first line of an archive."""

    id: str
    started_utc: str
    device: _Device


def _begun(path: Path) -> tuple[str, tuple[bool, str]] | None:
    """The card, and what orders its runs: those from the future come first. None: it is no archive, or a pipe."""
    if not path.is_file():
        return None
    try:
        run = msgspec.json.decode(next(lines_of(path), b""), type=_Begun)
    except (UserError, msgspec.MsgspecError):
        return None
    return run.device.uuid or run.id, (not in_future(run.started_utc), run.started_utc)


def _newest(paths: list[Path]) -> list[Path]:
    """Of each card as many as it is judged by; what is no archive stays, to be refused."""
    first = counted_off("finding the newest archives", shared(_begun, paths, least=LEAST), len(paths))
    begun = dict(zip(paths, first, strict=True))
    of_cards = grouped((path for path in paths if begun[path]), lambda path: begun[path][0])
    older = {path for of in of_cards.values() for path in sorted(of, key=lambda path: begun[path][1])[: -1 - EARLIER]}
    if older:
        notice(f"note: of each card the newest {1 + EARLIER} archives are read: {len(older)} older ones left out")
    return [path for path in paths if path not in older]


def read(places: list[Path], whole: bool) -> Iterator[Rows | Refused]:
    """The rows of each archive, or why it has none; of copies the first. whole: with fits;
    else only what a report of a fleet asks of, the newest runs of each card."""
    paths, refused = find(places)
    yield from refused
    paths = paths if whole else _newest(paths)
    known: dict[str, str] = {}
    copies = 0
    for rows in counted_off("reading archives", shared(partial(_rows_of, whole=whole), paths, least=LEAST), len(paths)):
        if isinstance(rows, Refused) or rows.key not in known:
            yield rows
        elif known[rows.key] != rows.content:
            yield Refused(rows.path, "another archive has the same id and time, but other cases")
        else:
            copies += 1
        if isinstance(rows, Rows):
            known.setdefault(rows.key, rows.content)
    if copies:
        notice(f"note: {counted(copies, 'copy')} of runs that are there already left out: a run counts once")
