"""Archives as four files of Parquet (table_columns.py), which DuckDB, pandas, Polars and Spark read without gpufx.
archives.parquet is put in place last, so a folder that has it has the others. Its metadata name what was left out."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from .. import UserError
from ..archive.file import LONGEST_LINE
from ..call.number_text import counted
from ..call.text import clipped, safe, shown
from .read_archives import Refused, Rows, read
from .table_columns import CASE_FIELDS, COMMON, OF_CASE, OF_FIT, OF_QUANTITY, TABLES

MARK, LEFT_OUT = "archives.parquet", "left_out"
KEY = {"archive": "VARCHAR"}
LINES = {  # what is written as JSON first: columns, order
    "archives": (TABLES["archives"], "archive"),
    "quantities": (KEY | OF_QUANTITY, "quantity, archive"),
    "fits": (KEY | OF_FIT, 'probe, "group", law, metric, archive'),
}
MEMORY = "1GB"  # that DuckDB may take; what is more goes to a temporary folder


def duckdb():
    """The library. Raises UserError where it is missing."""
    try:
        import duckdb as library
    except ImportError:
        raise UserError("DuckDB, which reads and writes Parquet, is missing; ./gpufx setup installs it") from None
    return library


def first_line(error: Exception) -> str:
    return safe(str(error).partition("\n")[0])[:300]


@contextmanager
def _temporary(beside: Path | None = None) -> Iterator[Path]:
    """Raises UserError where no folder can be made."""
    try:
        folder = TemporaryDirectory(prefix=".gpufx-" if beside else "gpufx-", dir=beside, ignore_cleanup_errors=True)
    except OSError as error:
        place = shown(beside) if beside else "a temporary folder"
        cure = "choose another folder with -o" if beside else "set TMPDIR to a folder with free space"
        raise UserError(f"{place} can't be written: {error.strerror or error}; {cure}") from None
    with folder as name:
        yield Path(name)


@contextmanager
def _connected(spilled: Path):
    with duckdb().connect(config={"memory_limit": MEMORY, "temp_directory": str(spilled)}) as database:
        database.execute("SET enable_progress_bar = false")
        yield database


def _pattern(path: Path | str) -> str:
    """DuckDB reads file names as patterns."""
    return re.sub(r"[][*?]", lambda found: f"[{found[0]}]", str(path))


def is_tables(folder: Path) -> bool:
    """Raises UserError for a folder that may not be read."""
    try:
        return (folder / MARK).is_file()
    except (OSError, ValueError) as error:
        raise UserError(f"{shown(folder)}: can't be read: {getattr(error, 'strerror', error)}") from None


def export(places: list[Path], folder: Path) -> tuple[int, list[Refused]]:
    """Writes the tables of all archives of these files and folders: how many these are, and what is none. Raises
    UserError."""
    there = True
    try:
        there = folder.exists()
        str(folder).encode()
        folder.mkdir(parents=True, exist_ok=True)
        with _temporary(folder) as stage:
            found = _write(places, stage, cases=True)
            for table in reversed(TABLES):
                (stage / f"{table}.parquet").replace(folder / f"{table}.parquet")
        return found
    except UnicodeEncodeError:
        raise UserError(f"{shown(folder)}: its name is not UTF-8; choose another folder with -o") from None
    except OSError as error:
        raise UserError(f"{shown(folder)} can't be written: {error.strerror}; choose another folder with -o") from None
    finally:
        if not there:
            with suppress(OSError):  # it has the tables
                folder.rmdir()


def _write(places: list[Path], stage: Path, cases: bool) -> tuple[int, list[Refused]]:
    refused, files, library = [], [], duckdb()
    try:
        with ExitStack() as open_files:
            of = {table: open_files.enter_context((stage / f"{table}.jsonl").open("wb")) for table in LINES}
            for one in read(places, whole=cases):
                if isinstance(one, Rows):
                    files.append(str(one.path))
                    for table, lines in of.items():
                        lines.write(getattr(one, table))
                else:
                    refused.append(one)
        refused.sort(key=lambda one: str(one.path))
        if not files:
            raise UserError(f"no archive could be read: {refused[0].text()}")
        with _connected(stage) as database:
            _write_tables(database, stage, files if cases else [], refused)
    except library.Error as error:
        raise UserError(f"the archives can't be written as Parquet: {first_line(error)}") from None
    except OSError as error:
        why = error.strerror or error
        raise UserError(f"{shown(stage.parent)} can't be written: {why}; free some space, or choose another") from None
    return len(files), refused


def _write_tables(database, stage: Path, files: list[str], refused: list[Refused]) -> None:
    """files: the archives, where their cases are wanted."""
    lines = "read_json($file, format = 'newline_delimited', columns = $columns)"
    said = [{name: text.encode(errors="replace").decode() for name, text in one.as_json().items()} for one in refused]
    left_out = msgspec.json.encode(said).decode()

    def copy(table: str, rows: str, values: dict | None = None) -> None:
        target = {"target": str(stage / f"{table}.parquet"), "metadata": {LEFT_OUT: left_out}}
        form = "FORMAT parquet, COMPRESSION zstd, KV_METADATA $metadata"
        database.execute(f"COPY ({rows}) TO $target ({form})", target | (values or {}))

    common = ", ".join(f"a.{name}" for name in COMMON)
    for table, (columns, order) in LINES.items():
        values = {"file": _pattern(stage / f"{table}.jsonl"), "columns": columns}
        database.execute(f"CREATE TABLE {table} AS FROM {lines}", values)
        rows = f"SELECT {common}, t.* EXCLUDE (archive) FROM {table} t JOIN archives a USING (archive)"
        copy(table, f"{'FROM archives' if table == 'archives' else rows} ORDER BY {order}")
    if files:
        of_case = ", ".join(f'{source} AS "{name}"' for name, source in OF_CASE.items())
        longest = f"filename = true, maximum_object_size = {LONGEST_LINE}"
        listed = f"read_json($files, format = 'newline_delimited', columns = $columns, {longest})"
        cases = f"SELECT filename, {of_case} FROM {listed} WHERE type = 'case'"
        rows = f"SELECT {common}, c.* EXCLUDE (filename) FROM ({cases}) c JOIN archives a ON a.file = c.filename"
        copy("cases", rows, {"files": [_pattern(file) for file in files], "columns": CASE_FIELDS})


@contextmanager
def opened(places: list[Path], tell: Callable[[list[Refused]], None]):
    """A connection with the views `archives` and `quantities` of what a person named: one folder of these tables, or
    archives and folders of them. tell: hears what could not be read, now or then. Raises UserError."""
    with _temporary() as stage:
        folder = places[0]
        if not is_tables(folder):
            folder = stage
            tell(_write(places, stage, cases=False)[1])
        elif len(places) > 1:
            raise UserError(f"{shown(folder)}: a folder of Parquet tables can only be named alone")
        with _connected(stage) as database:
            if folder != stage and (refused := _left_out(database, folder / MARK)):
                tell(refused)
            for table in ("archives", "quantities"):
                _view(database, table, folder / f"{table}.parquet")
            yield database


def _left_out(database, file: Path) -> list[Refused]:
    """What the export named; nothing in tables of earlier versions."""
    said = ask(database, "SELECT value FROM parquet_kv_metadata(?) WHERE decode(key) = ?", _pattern(file), LEFT_OUT)
    try:
        found = [one for (text,) in said for one in msgspec.json.decode(text, type=list[dict[str, str]])]
        return [Refused(Path(one["path"]), clipped(one["reason"])) for one in found]
    except (msgspec.MsgspecError, KeyError) as error:
        raise UserError(f"{shown(file)}: {safe(str(error))[:100]}; export the archives again") from None


def _view(database, table: str, file: Path) -> None:
    """A view of a file that may be a stranger's: its columns have the types that they should have, those of COMMON and
    the names of quantities are known. future: the archive begins later than tomorrow."""
    tomorrow = f"TIMESTAMP '{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d %H:%M:%S}'"
    names = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in TABLES[table].items())
    source = _pattern(file).replace("'", "''")
    sql = f"SELECT {names}, started_utc > {tomorrow} AS future FROM read_parquet('{source}')"
    ask(database, f"CREATE VIEW {table} AS {sql}")
    needed = [*COMMON, *(("quantity", "unit") if table == "quantities" else ())]
    lacking = f"SELECT count(*) FROM {table} WHERE {' OR '.join(f'{name} IS NULL' for name in needed)}"
    if (count := ask(database, lacking)[0][0]) > 0:
        what = f"{counted(count, 'row')} without one of {', '.join(needed)}"
        raise UserError(f"{shown(file)}: {what}; export the archives again")


def ask(database, sql: str, *values) -> list[tuple]:
    """The rows of a question of ours. Raises UserError for a file that is not what it should be."""
    try:
        return database.execute(sql, list(values)).fetchall()
    except (duckdb().Error, ValueError, OverflowError) as error:
        raise UserError(f"the tables can't be read: {first_line(error)}; export the archives again") from None
