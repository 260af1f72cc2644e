"""`gpufx export`: the quantities of an archive, or its cases, as CSV or JSON. Provenance stands in every row, so that
what was invented can't lose its mark on the way out. Parquet, of many archives, is that of cards/tables."""

from ... import UserError
from ...archive.load import Archive
from ...chip.quantities import infer
from . import typed_rows as rows


def export(archive: Archive, form: str, by: str) -> bytes:
    """The whole file."""
    if by == "case" and not archive.points:
        raise UserError("this archive has no cases; leave out --by case")
    columns, found = rows.of_quantities(archive, infer(archive)) if by == "quantity" else rows.of_cases(archive)
    return rows.as_csv(columns, found) if form == "csv" else rows.as_json(found)
