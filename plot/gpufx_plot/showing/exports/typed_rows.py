"""Quantities and cases as tables with named and typed columns, written as CSV or JSON."""

from ...archive.cases import Point, driver_text
from ...archive.load import Archive
from ...call.tables import csv_text
from ...call.text import clipped, json_text
from ...chip.quantity import Quantity
from ..sheet import quantity_json

Row = dict[str, str | float | int | bool | None]
Table = tuple[list[str], list[Row]]


def identity(archive: Archive) -> dict[str, str | None]:
    """What every row says of where it comes from."""
    run = archive.run
    return {
        "provenance": run["provenance"],
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
