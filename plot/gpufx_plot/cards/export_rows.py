"""One archive as CSV or JSON, for `gpufx export`."""

from .. import UserError
from ..archive.cases import Point
from ..archive.load import Archive
from ..call.tables import csv_text
from ..call.text import clipped, fields_of, json_text
from ..chip.columns import as_row
from ..chip.quantities import infer
from .table_columns import COMMON, fit_row


def _of_case(point: Point) -> dict:
    """low and high: the range of the processes' medians; of one process the interval of its median."""
    low, high = point.spread
    row = fields_of(point, "probe name metric unit better value")
    row |= {"low": low, "high": high, "level_pct": 95 if len(point.medians) == 1 else None}
    row["processes"] = len(point.medians)
    row |= fields_of(point, "method_version law count in_fit")
    row |= {name: getattr(point, name) or None for name in ("useful_bytes", "moved_bytes")}
    row["flags"] = " ".join(sorted(point.flags))
    for group in ("derived", "extras", "params"):
        row |= {f"{group}.{clipped(name)}": value for name, value in getattr(point, group).items()}
    return row


def export(archive: Archive, form: str, by: str) -> bytes:
    """The whole file of `gpufx export`, CSV or JSON. Columns: all that a row has; those of kinds of cases last."""
    rows_by = {
        "quantity": lambda: (as_row(q, archive) for q in infer(archive)),
        "case": lambda: map(_of_case, archive.points),
        "fit": lambda: map(fit_row, archive.merged_fits),
    }
    if not (found := [*rows_by[by]()]) and by != "quantity":
        raise UserError(f"this archive has no {by}s; leave out --by {by}")
    # What every row says of where it comes from, so that what was invented can't lose its mark on the way out.
    source = {name: value(archive) for name, (_, value) in COMMON.items()}
    source |= {"device_name": archive.run["device"]["name"]}
    source |= {"incomplete": archive.incomplete} if archive.incomplete else {}
    rows = [source | row for row in found]
    if form == "json":
        return json_text({"rows": rows}, 2).encode()
    names = dict.fromkeys(name for row in rows for name in row)
    columns = sorted(names, key=lambda name: ("." in name, name if "." in name else ""))
    return csv_text(columns, [[row.get(name) for name in columns] for row in rows]).encode()
