"""Reads the archives of folders, several at a time in processes of their own: all of them checked, and each one once.
An archive that can't be used is named with the reason and holds up nothing."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import msgspec

from .. import UserError
from ..archive.file import Found, archives_in, look_at, nothing_usable
from ..archive.load import Archive, load
from ..call.apart import belong_to_the_parent
from ..call.stopping import held_back
from ..call.terminal import progress
from ..call.text import shown
from ..call.workers import at_most
from ..chip.quantities import infer
from .archive_tables import archive_row, quantity_rows

MOST_ARCHIVES, MOST_BYTES = 250, 16 << 20  # of a part
LEAST_ARCHIVES, LEAST_BYTES = 16, 2 << 20  # below, a process of its own would not pay
MOST_PROCESSES = 16


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
    """What the tables have of one archive. content: the checksum of its lines. lines: JSON, a row each."""

    path: Path
    key: str
    content: str
    archive: bytes
    quantities: bytes


def find(places: Iterable[Path]) -> list[Found]:
    """Each file once, however many places lead to it. Raises UserError where there is none."""
    places = list(places)
    paths = {os.path.realpath(path): path for place in places for path in archives_in(place)}
    if not paths:
        raise UserError(f"no archive in {', '.join(map(shown, places))}: no file name ends in .jsonl[.gz]")
    with progress("looking at archives") as tell:
        found = []
        for i, path in enumerate(paths.values()):
            found.append(look_at(path))
            if i % 500 == 0:
                tell(i / len(paths))
    return found


def _parts(found: list[Found], workers: int) -> list[list[Path]]:
    """Parts of similar size, and enough of them to keep all processes busy."""
    total = sum(one.size for one in found)
    most_bytes = min(MOST_BYTES, max(total / (2 * workers), LEAST_BYTES))
    most = min(MOST_ARCHIVES, max(-(-len(found) // (2 * workers)), LEAST_ARCHIVES))
    parts: list[list[Path]] = []
    size = 0
    for one in found:
        if not parts or size >= most_bytes or len(parts[-1]) >= most:
            parts.append([])
            size = 0
        parts[-1].append(one.path)
        size += one.size
    return parts


def _spread(work: Callable, found: list[Found]) -> Iterator:
    """work(paths) of each part as it is done, in processes of their own."""
    workers = at_most(MOST_PROCESSES)
    parts = _parts(found, workers)
    workers = min(workers, len(parts))
    if workers < 2:
        yield from map(work, parts)
        return
    # Not by fork: DuckDB's threads may be there.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), belong_to_the_parent)
    try:
        with progress("reading archives") as tell:
            with held_back():  # from processes that start, and have not yet heard that Ctrl-C is the parent's
                waiting = {pool.submit(work, part) for part in parts}
            for i, done in enumerate(as_completed(set(waiting))):
                yield done.result()
                tell((i + 1) / len(parts))
                waiting.discard(done)  # frees its result
    except BrokenProcessPool:
        raise UserError("a process that reads archives was killed, perhaps for lack of memory; start again") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _whole(path: Path) -> Archive:
    """An archive with its end. Raises UserError."""
    archive = load(path)
    if archive.end is None:
        raise UserError("it has no end line: its run is still writing it, or was killed")
    if archive.truncated:
        raise UserError("half a line follows its end line; restore the file")
    return archive


def _each(paths: list[Path], use: Callable[[Path], object]) -> list:
    found = []
    for path in paths:
        try:
            found.append(use(path))
        except UserError as error:
            found.append(Refused(path, str(error)))
    return found


def _check(paths: list[Path]) -> list:
    return _each(paths, lambda path: _whole(path) and None)


def _rows_of(path: Path) -> Rows:
    archive = _whole(path)
    try:
        name = os.fsencode(path).decode()
    except UnicodeDecodeError:
        raise UserError("its name is not UTF-8, which Parquet requires; rename the file") from None
    encode = msgspec.json.Encoder().encode
    row = archive_row(archive, name)
    quantities = b"".join(encode(one) + b"\n" for one in quantity_rows(archive, infer(archive)))
    return Rows(path, row["archive"], archive.end.crc32, encode(row) + b"\n", quantities)


def _read(paths: list[Path]) -> list:
    return _each(paths, _rows_of)


def verify(places: list[Path]) -> tuple[int, list[Refused]]:
    """How many archives are whole, and what is wrong with the others. A pipe is read where it is named itself; one that
    lies in a folder would keep us waiting."""
    found = find(places)
    refused = [Refused(one.path, one.problem) for one in found if one.is_no_file and one.path not in places]
    found = [one for one in found if not one.is_no_file or one.path in places]
    wrong = [one for part in _spread(_check, found) for one in part if one is not None]
    return len(found) - len(wrong), sorted(refused + wrong, key=lambda one: str(one.path))


def read(places: list[Path]) -> Iterator[Rows | Refused]:
    """The rows of each archive, or why it has none; of copies the first that was read. Raises UserError where no file
    is an archive."""
    found = find(places)
    if not any(one.head for one in found):
        raise nothing_usable([f"{shown(one.path)}: {one.problem}" for one in found])
    yield from (Refused(one.path, one.problem) for one in found if one.head is None)
    known: dict[str, str] = {}
    for part in _spread(_read, [one for one in found if one.head]):
        for one in part:
            if isinstance(one, Refused):
                yield one
            elif one.key not in known:
                known[one.key] = one.content
                yield one
            elif known[one.key] != one.content:
                yield Refused(one.path, "another archive has the same id and time, but other cases")
