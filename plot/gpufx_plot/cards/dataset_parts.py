"""A part of an ingest: some archives, read and inferred one after another, and written as Parquet files that wait to be
put in place."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .. import UserError
from ..archive.heads import Content
from ..archive.load import Archive, load
from ..archive.loader import Loader
from ..call.text import safe
from ..chip.inference import Inference, in_another_run, inferred
from .base_row import text_of
from .board import board_in
from .dataset import connected, duckdb, first_line
from .dataset_columns import (
    FUTURE,
    ORDER,
    PARTITION,
    STORED,
    TABLES,
    CaseRows,
    archive_row,
    common,
    encoded,
    quantity_rows,
)

LONGEST_ROW = 1 << 20  # bytes


@dataclass(frozen=True)
class Refused:
    path: Path
    reason: str

    def text(self) -> str:
        from ..call.text import shown

        name = shown(self.path)
        return self.reason if self.reason.startswith(name) else f"{name}: {self.reason}"

    def as_json(self) -> dict:
        return {"path": str(self.path), "reason": self.reason}


@dataclass
class Part:
    """What was written: a folder that holds TABLE/... as the dataset does, each file with this name."""

    folder: Path
    name: str
    contents: dict[str, Content] = field(default_factory=dict)  # by the key of the archive
    paths: dict[str, Path] = field(default_factory=dict)
    partitions: set[tuple] = field(default_factory=set)
    future: list[str] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    copies: int = 0


def whole(path: Path, kind: type[Loader]) -> tuple[Archive, Loader]:
    """An archive that has ended, and what took its lines. Raises UserError."""
    kept: list = []

    def make(*arguments):
        kept.append(kind(*arguments))
        return kept[0]

    archive = load(path, loader=make)
    if archive.end is None:
        raise UserError(
            "it has no end line: its run is still writing it, or was killed; it is added once it is complete"
        )
    if archive.truncated:
        raise UserError("half a line follows its end line; restore the file")
    return archive, kept[0]


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
        raise UserError(f"the dataset can't be written: {error.strerror or error}; free some space, or choose another "
                        "place, and start again; what was packed is kept") from None  # fmt: skip
    return part


def unique() -> str:
    import secrets

    return secrets.token_hex(6)


def _take(path: Path, part: Part, files: dict, now: datetime) -> None:
    try:
        archive, rows = whole(path, CaseRows)
        content = Content(rows.crc, rows.size & 0xFFFFFFFF)
        shared = common(archive, now)
        key = shared["archive"]
        if part.contents.get(key) == content:
            part.copies += 1
            return
        if key in part.contents:
            raise UserError(f"another archive, {part.paths[key].name}, has the same id and time, but other cases")
        inference = Inference(archive)
        figures = [in_another_run(q, inference) for q in inferred(archive, inference)]
        quantities = [encoded(row) for row in quantity_rows(archive, figures, shared)]
        accepted = text_of(board_in(archive, known=inference))
        head = encoded(archive_row(archive, content, now) | {"acceptance": accepted})
        if max(map(len, (head, *quantities, *rows.rows)), default=0) > LONGEST_ROW:
            absent = len(archive.waived) + len(archive.failed)
            raise UserError(
                f"a row of it would be longer than a dataset has room for, {LONGEST_ROW >> 10} KiB: "
                f"it has a long text, or {absent} cases that were waived or failed are too many"
            )
    except UserError as error:
        part.refused.append(Refused(path, str(error)))
        return
    part.contents[key], part.paths[key] = content, path
    part.partitions.add(tuple(shared[column] for column in PARTITION))
    if shared["month"] == FUTURE:
        part.future.append(key)
    for table, lines in (("archives", [head]), ("quantities", quantities), ("cases", rows.rows)):
        files[table].write(b"\n".join([*lines, b""]))


def _convert(part: Part) -> None:
    library = duckdb()
    try:
        with connected(threads=1, preserve_insertion_order=True) as database:
            for table, columns in STORED.items():
                source = part.folder / f"{table}.jsonl"
                if source.stat().st_size:
                    put(database, table, "read_json($file, format = 'newline_delimited', columns = $columns)",
                        part.folder, part.name, {"file": str(source), "columns": columns},
                        part.partitions)  # fmt: skip
    except library.IOException as error:
        raise OSError(first_line(error)) from None
    except library.Error as error:
        raise UserError(f"the archives can't be converted to tables: {safe(first_line(error))}") from None


def put(database, table: str, source: str, folder: Path, name: str, values: dict, partitions: Iterable = ()) -> None:
    """Writes the rows of a source as the files of a table. partitions: the folders that it has rows for, if that is
    known."""

    def copy(columns: list[str], where: str, place: Path, more: dict) -> None:
        place.mkdir(parents=True)
        names = ", ".join(f'"{column}"' for column in columns)
        rows = f"SELECT {names} FROM {source}{where} ORDER BY {ORDER[table]}"
        target = {"target": str(place / name)}
        database.execute(f"COPY ({rows}) TO $target (FORMAT parquet, COMPRESSION zstd)", values | more | target)

    if table == "archives":
        copy(list(STORED[table]), "", folder / table, {})
        return
    if not partitions:
        partitions = database.execute(f"SELECT DISTINCT {', '.join(PARTITION)} FROM {source}", values).fetchall()
    columns = [column for column in TABLES[table] if column not in PARTITION]
    for one in partitions:
        parts = dict(zip(PARTITION, one, strict=True))
        place = folder.joinpath(table, *(f"{column}={value}" for column, value in parts.items()))
        several = len(partitions) > 1
        copy(columns, f" WHERE {' AND '.join(f'{column} = ${column}' for column in parts)}" if several else "", place,
             parts if several else {})  # fmt: skip


def check_part(paths: list[Path]) -> tuple[int, list[Refused]]:
    """How many are whole, and the others."""
    good, refused = 0, []
    for path in paths:
        try:
            whole(path, Loader)
            good += 1
        except UserError as error:
            refused.append(Refused(path, str(error)))
    return good, refused
