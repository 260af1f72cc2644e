"""Quantities and cases as tables with named and typed columns, written as CSV, JSON or Parquet."""

import json
import tempfile
from pathlib import Path

from ... import UserError
from ...archive.contents import driver_text
from ...archive.load import Archive
from ...archive.points import Point
from ...call.output import write
from ...call.tables import csv_text
from ...call.text import clipped, json_text
from ...chip.quantity import Quantity
from ..sheet import quantity_json

TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}  # Python's, and DuckDB's

Row = dict[str, str | float | int | bool | None]
Table = tuple[list[str], list[Row]]


def identity(archive: Archive) -> dict[str, str | None]:
    """What every row says of where it comes from."""
    run = archive.run
    return {
        "provenance": run["provenance"],
        "tool": archive.tool,
        "run": run["id"],
        "started_utc": run["started_utc"],
        "device": run["device"]["name"],
        "arch": run["device"]["arch"],
        "uuid": run["device"].get("uuid"),
        "driver": driver_text(run).removeprefix("driver "),
    } | ({"incomplete": archive.incomplete} if archive.incomplete else {})


def of_quantities(archive: Archive, found: list[Quantity]) -> Table:
    rows = [identity(archive) | quantity_json(q) for q in found]
    return _columns(rows), rows


def _case(point: Point) -> Row:
    low, high = point.spread
    row: Row = {
        "probe": point.probe,
        "name": point.name,
        "metric": point.metric,
        "unit": point.unit,
        "better": point.better,
        "value": point.value,
        "low": low,
        "high": high,
        "processes": len(point.medians),
        "method_version": point.method_version,
        "law": point.law,
        "count": point.count,
        "in_fit": point.in_fit,
        "useful_bytes": point.useful_bytes or None,
        "moved_bytes": point.moved_bytes or None,
        "flags": " ".join(sorted(point.flags)),
    }
    for group, values in (("derived", point.derived), ("extras", point.extras), ("params", point.params)):
        row |= {f"{group}.{clipped(name)}": value for name, value in values.items()}
    return row


def of_cases(archive: Archive) -> Table:
    """low and high: the range of the processes' medians; of one process the interval of its median."""
    rows = [identity(archive) | _case(point) for point in archive.points]
    return _columns(rows), rows


def _columns(rows: list[Row]) -> list[str]:
    """All that a row has. Those of the kinds of cases come last, ordered by name."""
    names = dict.fromkeys(name for row in rows for name in row)
    return sorted(names, key=lambda name: ("." in name, name if "." in name else ""))


def as_json(rows: list[Row]) -> bytes:
    return json_text({"rows": rows}, 2).encode()


def as_csv(columns: list[str], rows: list[Row]) -> bytes:
    return csv_text(columns, [[row.get(name) for name in columns] for row in rows]).encode()


def _type(name: str, rows: list[Row]) -> str:
    """Of a column: what all its values are; whole numbers beside others are numbers, anything else is text."""
    kinds = {type(value) for row in rows if (value := row.get(name)) is not None}
    if len(kinds) == 1:
        return TYPES[kinds.pop()]
    return "DOUBLE" if kinds == {int, float} else "VARCHAR"


def as_parquet(columns: list[str], rows: list[Row]) -> bytes:
    try:
        import duckdb
    except ImportError:
        raise UserError("DuckDB, which writes Parquet, is missing; ./gpufx setup installs it") from None
    if not rows:
        raise UserError("this archive has no rows to write as Parquet; choose csv, or an archive with cases")
    types = {name: _type(name, rows) for name in columns}
    texts = [name for name, kind in types.items() if kind == "VARCHAR"]
    with tempfile.TemporaryDirectory(prefix="gpufx-") as folder:
        lines, parquet = Path(folder, "rows.jsonl"), Path(folder, "rows.parquet")
        words = [row | {name: str(row[name]) for name in texts if row.get(name) is not None} for row in rows]
        write(lines, "".join(f"{json.dumps(row)}\n" for row in words).encode())
        read = "read_json($lines, format = 'newline_delimited', columns = $types, maximum_object_size = 67108864)"
        with duckdb.connect(config={"threads": 1}) as database:
            database.execute(f"CREATE TABLE rows AS FROM {read}", {"lines": str(lines), "types": types})
            database.execute("COPY rows TO $parquet (FORMAT parquet)", {"parquet": str(parquet)})
        return parquet.read_bytes()
