"""A dataset: a folder of Parquet files that is only added to.

    archives/INGEST.parquet                              one row an archive
    quantities/arch=A/device=D/month=M/INGEST.parquet    one row a quantity of an archive
    cases/arch=A/device=D/month=M/INGEST.parquet         one row a case and process

An ingest writes its files of quantities and cases first, and its file under archives/ last, in one step: that file is
what says that the ingest took place. Files without it are what a killed ingest left. They are not read, and the next
ingest removes them. No file is ever changed.
"""

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import UserError
from ..archive.heads import Content
from ..call.number_text import counted
from ..call.output import write
from ..call.program import home
from ..call.text import clipped, safe, shown
from .dataset_columns import PARTITION, STORED, TABLES

MARK, VERSION = "gpufx-dataset.json", 3
STORED_VIEW = "stored"
INGEST = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{12}\.parquet")
# What an ingest makes folders of. A stranger's dataset may say anything, and DuckDB decodes "%2f" in a folder's name.
FOLDERS = dict(zip(PARTITION, ("[A-Za-z0-9_]{1,200}", "[a-z0-9-]{1,200}", "[0-9]{4}-[0-9]{2}|future"), strict=True))
MEMORY = "1GB"  # that DuckDB may take; what is more goes to a folder of its own


def usual() -> Path:
    """The dataset where none is named."""
    return home() / "out" / "dataset"


def duckdb():
    """The library. Raises UserError where it is missing."""
    try:
        import duckdb as library
    except ImportError:
        raise UserError("DuckDB, which reads datasets, is missing; ./gpufx setup installs it") from None
    return library


def connected(**settings):
    """A database of its own, in memory, that prints nothing by itself."""
    database = duckdb().connect(config=settings)
    database.execute("SET enable_progress_bar = false")
    return database


def is_dataset(path: Path) -> bool:
    """Raises UserError for a folder that may not be looked into."""
    try:
        return (path / MARK).is_file()
    except OSError as error:
        raise UserError(f"{shown(path)}: can't be read: {error.strerror}") from None


def check_mark(path: Path) -> None:
    """Raises UserError where no dataset is, or one that this program does not know."""
    if not path.is_dir():
        what = "it is a file" if path.exists() else "no such folder"
        raise UserError(f"{shown(path)}: {what}; `gpufx archive pack FOLDER -o {shown(path)}` creates a dataset")
    try:
        known = json.loads((path / MARK).read_bytes())
    except FileNotFoundError:
        raise UserError(
            f"{shown(path)}: this is not a dataset: it has no {MARK}; `gpufx archive pack` creates one"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{shown(path / MARK)}: can't be read: {safe(str(error))[:100]}") from None
    version = known.get("dataset") if isinstance(known, dict) else None
    if version != VERSION:
        old = type(version) is int and 0 < version < VERSION
        raise UserError(
            f"{shown(path)}: the dataset has version {safe(str(version))[:20]}, this gpufx knows {VERSION}: "
            f"{'' if old else 'update gpufx, or '}pack the archives again"
        )


def make(path: Path) -> None:
    """A new dataset in a folder that is empty or does not exist. Raises UserError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        strange = [entry for entry in path.iterdir() if not entry.name.startswith(".")]
    except OSError as error:
        raise UserError(
            f"{shown(path)}: a dataset can't be created there: {error.strerror}; name another folder with -o"
        ) from None
    if strange and not is_dataset(path):
        raise UserError(f"{shown(path)}: this folder is neither empty nor a dataset; name another one with -o")
    if not is_dataset(path):
        write(path / MARK, f'{{"dataset": {VERSION}}}\n'.encode())


def _regular(path: str) -> bool:
    return stat.S_ISREG(os.lstat(path).st_mode)


def files(path: Path) -> dict[str, list[str]]:
    """The files of each table, of the ingests that took place; links are not followed. Raises UserError."""
    check_mark(path)
    found: dict[str, list[str]] = {table: [] for table in TABLES}
    for table in TABLES:
        if (path / table).is_symlink():
            raise UserError(f"{shown(path / table)}: a link, where a dataset has a folder; copy its target")
    try:
        archives = path / "archives"
        there = archives.iterdir() if archives.is_dir() else ()
        names = {entry.name for entry in there if INGEST.fullmatch(entry.name) and _regular(str(entry))}
        found["archives"] = sorted(str(archives / name) for name in names)
        for table in ("quantities", "cases"):
            for folder, _, files_in_it in os.walk(path / table):
                mine = (f"{folder}/{name}" for name in files_in_it if name in names)
                found[table] += [file for file in mine if _regular(file)]
            found[table].sort()
    except OSError as error:
        raise UserError(f"{shown(path)}: can't be read: {error.strerror}") from None
    return found


def left_over(path: Path) -> Iterator[Path]:
    """Files of ingests that did not take place. Only who holds the lock may remove them."""
    done = {Path(name).name for name in files(path)["archives"]}
    for table in ("quantities", "cases"):
        for folder, _, names in os.walk(path / table):
            yield from (Path(folder, name) for name in names if INGEST.fullmatch(name) and name not in done)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _view(table: str, paths: list[str], view: str = "", tables: dict = TABLES) -> str:
    columns, view = tables[table], view or table
    if not paths:
        empty = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in columns.items())
        return f"CREATE VIEW {view} AS SELECT {empty} WHERE false"
    listed = ", ".join(map(_literal, paths))
    hive = ""
    if table != "archives":
        kinds = ", ".join(f"'{name}': {kind}" for name, kind in PARTITION.items())
        hive = f", hive_partitioning = true, hive_types = {{{kinds}}}"
    names = ", ".join(f'"{name}"' for name in columns)
    return f"CREATE VIEW {view} AS SELECT {names} FROM read_parquet([{listed}]{hive})"


def check_complete(database, path: Path, paths: dict[str, list[str]]) -> None:
    """Raises UserError where files are missing that an ingest has put there, as in a copy that is not done yet, or lie
    where no ingest puts them. An archive with cases has a file of these, and one of quantities where an acceptance
    knows some."""
    if not paths["archives"]:
        return
    _check_rows(database, path, paths["archives"])
    there = {table: set(names) for table, names in paths.items()}
    folders = "/".join(f"{column}=' || {column} || '" for column in PARTITION)
    found = database.execute(
        f"SELECT filename, '{folders}/' || parse_filename(filename), sum(cases) > 0 "
        "FROM read_parquet(?, filename = true) GROUP BY ALL",
        [paths["archives"]],
    ).fetchall()
    for table in ("quantities", "cases"):
        strange = there[table] - {str(path / table / name) for _, name, _ in found}
        if strange:
            raise UserError(f"{shown(min(strange))}: not a file of the dataset; pack the archives again")
    with_cases = [(file, name) for file, name, has_cases in found if has_cases]
    missing = [f"cases/{name}" for _, name in with_cases if str(path / "cases" / name) not in there["cases"]]
    for file, name in with_cases:
        if str(path / "quantities" / name) not in there["quantities"]:
            known = "SELECT count(*) FROM read_parquet(?) WHERE json_array_length(acceptance, '$.definitions') > 0"
            if database.execute(known, [file]).fetchone()[0]:
                missing.append(f"quantities/{name}")
    if missing:
        raise UserError(
            f"{shown(path)}: it lacks {counted(len(missing), 'file')} with packed archives, such as "
            f"{safe(missing[0])}; copy the dataset again, with archives/ last, or pack the archives into a new one"
        )


def _check_rows(database, path: Path, names: list[str]) -> None:
    """Raises UserError for a row of an archive that no ingest writes: what tells archives apart, and where they lie."""
    good = [f"regexp_full_match({column}, '{pattern}')" for column, pattern in FOLDERS.items()]
    good += ["regexp_full_match(content_crc32, '[0-9a-f]{8}')"]
    good += [f"{column} IS NOT NULL" for column in ("archive", "started_utc", "cases", "content_bytes")]
    wrong = f"SELECT archive FROM read_parquet(?) WHERE ({' AND '.join(good)}) IS NOT TRUE LIMIT 1"
    for (archive,) in database.execute(wrong, [names]).fetchall():
        raise UserError(
            f"{shown(path)}: its row of archive {clipped(str(archive), 40)} was not written by an ingest; pack the "
            "archives into a new dataset"
        )


def contents(database, path: Path, names: list[str]) -> dict[str, Content]:
    """The archives in these files of archives/, with the sum and the number of their bytes. Raises UserError."""
    library = duckdb()
    try:
        _check_rows(database, path, names)
        rows = database.execute("SELECT archive, content_crc32, content_bytes FROM read_parquet(?)", [names]).fetchall()
    except library.Error as error:
        raise UserError(
            f"{shown(path)}: the dataset can't be read: {first_line(error)}; pack the archives again"
        ) from None
    return {archive: Content(int(crc32, 16), size) for archive, crc32, size in rows}


@contextmanager
def opened(path: Path, threads: int = 0, stored: bool = False):
    """A connection in which the tables are views, and from which nothing can be written and no other file be read,
    whatever is asked of it. stored: with STORED_VIEW, the archives and what questions do not see of them. Raises
    UserError."""
    paths = files(path)
    library = duckdb()
    settings = {"memory_limit": MEMORY} | ({"threads": threads} if threads else {})
    settings |= {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    with TemporaryDirectory(prefix="gpufx-") as spilled, connected(**settings) as database:
        try:
            database.execute(f"SET temp_directory = {_literal(spilled)}")
            for table, names in paths.items():
                database.execute(_view(table, names))
            if stored:
                database.execute(_view("archives", paths["archives"], STORED_VIEW, STORED))
            check_complete(database, path, paths)
            allowed = ", ".join(_literal(name) for names in paths.values() for name in names)
            database.execute(f"SET allowed_paths = [{allowed}]")
            database.execute("SET enable_external_access = false")
            database.execute("SET lock_configuration = true")
        except library.Error as error:
            raise UserError(
                f"{shown(path)}: the dataset can't be opened: {first_line(error)}; restore the file, or pack the "
                "archives into a new dataset"
            ) from None
        yield database


def first_line(error: Exception) -> str:
    """What DuckDB says, in one line."""
    return safe(str(error).partition("\n")[0])[:300]


def ask(database, sql: str, *values) -> list[tuple]:
    """The rows of a question of ours. Raises UserError for a file that is not what it should be."""
    library = duckdb()
    try:
        return database.execute(sql, list(values)).fetchall()
    except library.Error as error:
        raise UserError(f"the dataset can't be read: {first_line(error)}; pack the archives again") from None
