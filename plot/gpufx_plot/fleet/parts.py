"""A part of an ingest: some archives, read and inferred one after another, and written as Parquet files that wait to be
put in place."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .. import UserError
from ..archive import Archive, load
from ..quantities import infer
from ..reading import lines_of
from ..text import safe
from .columns import FUTURE, ORDER, PARTITION, TABLES, CaseRows, Content, archive_row, common, encoded, quantity_rows
from .dataset import connected, duckdb, first_line

LONGEST_ROW = 1 << 20  # bytes


@dataclass(frozen=True)
class Refused:
    path: Path
    reason: str

    def text(self) -> str:
        from ..text import shown

        name = shown(self.path)
        return self.reason if self.reason.startswith(name) else f"{name}: {self.reason}"


@dataclass
class Part:
    """What was written: a folder that holds TABLE/... as the dataset does, each file with this name."""

    folder: Path
    name: str
    contents: dict[str, Content] = field(default_factory=dict)  # by the key of the archive
    paths: dict[str, Path] = field(default_factory=dict)
    future: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    copies: int = 0


class _Counted:
    """Lines of an archive, and the sum and number of their bytes."""

    def __init__(self, path: Path):
        self.path, self.crc, self.size = path, 0, 0

    def __iter__(self) -> Iterator[bytes]:
        for line in lines_of(self.path):
            self.crc = zlib.crc32(line, self.crc)
            self.size += len(line)
            yield line

    @property
    def content(self) -> Content:
        return Content(self.crc, self.size & 0xFFFFFFFF)


def whole(path: Path, kind: type = CaseRows) -> tuple[Archive, CaseRows, Content]:
    """An archive that has ended. Raises UserError."""
    texts = _Counted(path)
    kept: list = []

    def make(*arguments):
        kept.append(kind(*arguments))
        return kept[0]

    archive = load(path, loader=make, texts=iter(texts))
    if archive.end is None:
        raise UserError("it has no end line: a run still writes it, or was killed; it is taken once it is whole")
    return archive, kept[0], texts.content


def read_part(numbered: tuple[int, list[Path]], stage: Path, now: datetime) -> Part:
    """Raises UserError where nothing can be written."""
    number, paths = numbered
    part = Part(stage / f"{number:06}", f"{now:%Y%m%dT%H%M%SZ}-{unique()}.parquet")
    CaseRows.now = now
    try:
        part.folder.mkdir()
        files = {table: (part.folder / f"{table}.jsonl").open("wb") for table in TABLES}
        try:
            for path in paths:
                _take(path, part, files, now)
        finally:
            for file in files.values():
                file.close()
        if part.contents:
            _convert(part)
        for table in TABLES:
            (part.folder / f"{table}.jsonl").unlink()
    except OSError as error:
        raise UserError(f"the dataset can't be written: {error.strerror or error}; make room, or choose another "
                        "place, and start again: what was packed is kept") from None  # fmt: skip
    return part


def unique() -> str:
    import secrets

    return secrets.token_hex(6)


def _take(path: Path, part: Part, files: dict, now: datetime) -> None:
    try:
        archive, rows, content = whole(path)
        shared = common(archive, now)
        key = shared["archive"]
        if part.contents.get(key) == content:
            part.copies += 1
            return
        if key in part.contents:
            raise UserError(f"another archive has its id and its time, {part.paths[key].name}, and other cases")
        head = encoded(archive_row(archive, content, now))
        quantities = [encoded(row) for row in quantity_rows(archive, infer(archive), shared)]
        if max(map(len, (head, *quantities, *rows.rows)), default=0) > LONGEST_ROW:
            raise UserError("a text in it is longer than any of an archive")
    except UserError as error:
        part.refused.append(Refused(path, str(error)))
        return
    part.contents[key], part.paths[key] = content, path
    if shared["month"] == FUTURE:
        part.future.append(key)
    for table, lines in (("archives", [head]), ("quantities", quantities), ("cases", rows.rows)):
        files[table].write(b"\n".join([*lines, b""]))


def _convert(part: Part) -> None:
    library = duckdb()
    try:
        with connected(threads=1, preserve_insertion_order=True) as database:
            for table, columns in TABLES.items():
                source = part.folder / f"{table}.jsonl"
                if source.stat().st_size:
                    put(database, table, "read_json($file, format = 'newline_delimited', columns = $columns)",
                        part.folder, part.name, {"file": str(source), "columns": columns})  # fmt: skip
    except library.IOException as error:
        raise OSError(first_line(error)) from None
    except library.Error as error:
        raise UserError(f"the archives can't be laid into tables: {safe(first_line(error))}") from None


def put(database, table: str, source: str, folder: Path, name: str, values: dict) -> None:
    """Writes the rows of a source as the files of a table."""
    columns = ", ".join(f'"{column}"' for column in TABLES[table])
    database.execute(f"CREATE OR REPLACE TEMP TABLE rows AS SELECT {columns} FROM {source} ORDER BY {ORDER[table]}",
                     values)  # fmt: skip
    target = folder / table
    if table == "archives":
        target.mkdir()
        database.execute(f"COPY rows TO '{_quoted(target / name)}' (FORMAT parquet, COMPRESSION zstd)")
        return
    parts = ", ".join(PARTITION)
    for arch, device, month in database.execute(f"SELECT DISTINCT {parts} FROM rows").fetchall():
        place = target / f"arch={arch}" / f"device={device}" / f"month={month}"
        place.mkdir(parents=True)
        chosen = f"SELECT * EXCLUDE ({parts}) FROM rows WHERE arch = ? AND device = ? AND month = ?"
        database.execute(f"CREATE OR REPLACE TEMP TABLE chosen AS {chosen}", [arch, device, month])
        database.execute(f"COPY chosen TO '{_quoted(place / name)}' (FORMAT parquet, COMPRESSION zstd)")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def check_part(paths: list[Path]) -> tuple[int, list[Refused]]:
    """How many are whole, and the others."""
    good, refused = 0, []
    for path in paths:
        try:
            whole(path, _plain())
            good += 1
        except UserError as error:
            refused.append(Refused(path, str(error)))
    return good, refused


def _plain() -> type:
    from ..loader import Loader

    return Loader
