"""`gpufx query`: one question in SQL to a dataset, and its answer as a table, CSV or JSON."""

import datetime
import decimal
import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

from .. import UserError
from ..call.apart import apart
from ..call.tables import csv_text, table, wrapped
from ..call.terminal import columns
from ..call.text import clipped, safe
from .dataset import duckdb, first_line, opened

LONGEST_TEXT = 10_000  # characters of a cell
AT_ONCE, MOST_LINES = 10_000, 10_000  # rows that are held in memory, and that a screen is given
ALL_GB = 4  # that a question may take: DuckDB does not count texts in the making, nor the rows that are held
TOO_MUCH = f"the query needs more than {ALL_GB} GB of memory; select fewer rows or shorter values"


# Functions of a SELECT that change DuckDB's own settings or write: the lock on its configuration does not hold them.
REFUSED = re.compile(r"(enable|disable)_.*|(force_)?checkpoint|truncate_duckdb_logs|write_log")


def _functions(part) -> Iterator[str]:
    """The names of all functions that a parsed statement calls."""
    if isinstance(part, dict):
        if isinstance(part.get("function_name"), str):
            yield part["function_name"]
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _functions(one)


def _check_functions(database, sql: str) -> None:
    """Raises UserError for a function that does more than read."""
    (parsed,) = database.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    for name in _functions(json.loads(parsed)):
        if REFUSED.fullmatch(name.lower()):
            raise UserError(f"a dataset is read-only: {safe(name)} is not allowed; leave it out")


def _statement(sql: str):
    """Raises UserError for all that is not one SELECT."""
    library = duckdb()
    if sql.encode(errors="replace").decode() != sql:
        raise UserError("the query is not UTF-8; use a UTF-8 terminal, or ASCII")
    try:
        found = library.extract_statements(sql)
    except library.Error as error:
        raise UserError(f"not valid SQL: {_reason(error)}") from None
    if not found:
        raise UserError("the query is empty; give a SELECT")
    if len(found) != 1:
        raise UserError("give one statement; run several in several calls")
    # EXPLAIN ANALYZE would do what it explains.
    if found[0].type != library.StatementType.SELECT:
        raise UserError("a dataset is read-only; give a SELECT")
    return found[0]


def answer(database, sql: str) -> tuple[list[str], list[str], Iterator[tuple]]:
    """Names and kinds of the columns, and the rows, some at a time. Raises UserError, also while rows are taken."""
    library = duckdb()
    try:
        statement = _statement(sql)
        _check_functions(database, sql)
        result = database.execute(statement)
        names, kinds = zip(*((safe(c[0]), str(c[1])) for c in result.description), strict=True)
    except library.Error as error:
        raise UserError(_reason(error)) from None
    return _told_apart(names), list(kinds), _rows(result)


def _told_apart(names: Iterable[str]) -> list[str]:
    """Of two columns with one name the second would take the place of the first in JSON."""
    told: dict[str, None] = {}
    for name in names:
        others = (f"{name}_{i}" for i in count(2))
        told[name if name not in told else next(other for other in others if other not in told)] = None
    return list(told)


def _rows(result) -> Iterator[tuple]:
    library = duckdb()
    try:
        while rows := result.fetchmany(AT_ONCE):
            yield from rows
    except library.Error as error:
        raise UserError(_reason(error)) from None
    except (ValueError, OverflowError) as error:
        raise UserError(f"a value of the result can't be printed: {safe(str(error))[:100]}") from None


def _reason(error: Exception) -> str:
    """DuckDB's sentence, as ours: "Binder Error: Referenced column ..."."""
    text = first_line(error)
    kind, colon, rest = text.partition(": ")
    if kind == "Out of Memory Error":
        return TOO_MUCH
    if kind == "Permission Error":
        return "a query can only read the dataset: its tables are archives, quantities and cases"
    text = rest if colon and kind.endswith("Error") else text
    more = "; docs/fleet.md has the columns" if kind in ("Binder Error", "Catalog Error") else ""
    return (text[:1].lower() + text[1:]).rstrip(".!") + more


def plain(value):
    """As JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | decimal.Decimal():
            return float(value) if math.isfinite(value) else None
        case datetime.datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%SZ")
        case dict():
            return {str(key): plain(part) for key, part in value.items()}
        case list() | tuple() | set():
            return [plain(part) for part in value]
    return str(value)


def _cell(value) -> str:
    value = plain(value)
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        value = json.dumps(value)
    return clipped(str(value), LONGEST_TEXT)


def as_text(names: list[str], kinds: list[str], rows: Iterable[tuple]) -> Iterator[str]:
    numbers = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "NUMBER")
    right = {name for name, kind in zip(names, kinds, strict=True) if any(word in kind.upper() for word in numbers)}
    cells = [tuple(map(_cell, row)) for row in islice(rows, MOST_LINES + 1)]
    more = cells[MOST_LINES:]
    cells = cells[:MOST_LINES]
    lines = table(tuple(names), cells, right)
    if max(map(len, lines)) > columns():  # a paragraph for each row, a line for each column
        lines = [line for row in cells for line in ("", *_record(names, row))][1:]
    yield "\n".join(lines) + "\n"
    if more:
        yield f"(the first {MOST_LINES} rows; --format csv has all)\n"


def _record(names: list[str], row: tuple[str, ...]) -> list[str]:
    longest = max(map(len, names))
    cells = zip(names, row, strict=True)
    return [line for n, cell in cells for line in wrapped(f"{n:{longest}}  {cell}", indent=" " * (longest + 2))]


def as_csv(names: list[str], kinds: list[str], rows: Iterable[tuple]) -> Iterator[str]:
    def cell(value):
        value = plain(value)
        return json.dumps(value) if isinstance(value, dict | list) else value

    rows = iter(rows)
    yield csv_text(names, [])
    while some := [[cell(value) for value in row] for row in islice(rows, AT_ONCE)]:
        yield csv_text([], some).removeprefix("\n")


def as_json(names: list[str], kinds: list[str], rows: Iterable[tuple]) -> Iterator[str]:
    """A list of objects, a row on each line."""
    rows, between = iter(rows), "["
    while some := [json.dumps(dict(zip(names, map(plain, row), strict=True))) for row in islice(rows, AT_ONCE)]:
        yield between + ",\n ".join(some)
        between = ",\n "
    yield "[]\n" if between == "[" else "]\n"


FORMATS = {"text": as_text, "csv": as_csv, "json": as_json}


def asked(path: Path, sql: str, form: str):
    """The answer as a text, piece by piece, from a process of its own, for no step of DuckDB can be interrupted."""

    def pieces() -> Iterator[str]:
        with opened(path) as database:
            yield from FORMATS[form](*answer(database, sql))

    return apart(pieces, ALL_GB << 30, TOO_MUCH)
