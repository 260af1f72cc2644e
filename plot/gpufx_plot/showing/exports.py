"""`gpufx export`: the quantities of an archive, or its cases, as CSV or JSON. Provenance stands in every row, so that
what was invented can't lose its mark on the way out. Parquet, of many archives, is that of cards/parquet.py."""

from .. import UserError
from ..archive.cases import Point, driver_text
from ..archive.load import Archive
from ..call.tables import csv_text
from ..call.text import clipped, fields_of, json_text
from ..chip import published
from ..chip.quantities import infer
from .sheet import quantity_json

Row = dict[str, str | float | int | bool | None]


def _source(archive: Archive) -> Row:
    """What every row says of where it comes from."""
    run, device = archive.run, archive.run["device"]
    return {
        **{"provenance": run["provenance"], "run": run["id"], "started_utc": run["started_utc"]},
        **{"device": device["name"], "arch": device["arch"], "uuid": device.get("uuid")},
        "driver": driver_text(run).removeprefix("driver "),
    } | ({"incomplete": archive.incomplete} if archive.incomplete else {})


def _of_case(point: Point) -> Row:
    """low and high: the range of the processes' medians; of one process the interval of its median."""
    low, high = point.spread
    row: Row = fields_of(point, "probe name metric unit better value")
    row |= {"low": low, "high": high, "processes": len(point.medians)}
    row |= fields_of(point, "method_version law count in_fit")
    row |= {name: getattr(point, name) or None for name in ("useful_bytes", "moved_bytes")}
    row["flags"] = " ".join(sorted(point.flags))
    for group in ("derived", "extras", "params"):
        row |= {f"{group}.{clipped(name)}": value for name, value in getattr(point, group).items()}
    return row


def export(archive: Archive, form: str, by: str) -> bytes:
    """The whole file. Columns: all that a row has; those of the kinds of cases come last, ordered by name."""
    if by == "case" and not archive.points:
        raise UserError("this archive has no cases; leave out --by case")
    if by == "quantity":
        found = [quantity_json(q, archive) | {"published": published.brief(archive.run, q)} for q in infer(archive)]
    else:
        found = map(_of_case, archive.points)
    rows = [_source(archive) | row for row in found]
    if form == "json":
        return json_text({"rows": rows}, 2).encode()
    names = dict.fromkeys(name for row in rows for name in row)
    columns = sorted(names, key=lambda name: ("." in name, name if "." in name else ""))
    return csv_text(columns, [[row.get(name) for name in columns] for row in rows]).encode()
