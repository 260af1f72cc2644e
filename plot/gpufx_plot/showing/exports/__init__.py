"""`gpufx export`: an archive in the forms of other tools, by quantity or by case. Provenance stands in every row, every
sample and every head, so that what was invented or measured by another tool can't lose its mark on the way out.
"""

from collections.abc import Callable

from ... import UserError
from ...archive.load import Archive
from ...chip.quantities import infer
from . import google_benchmark, prometheus
from . import typed_rows as rows

# Each gives the bytes, and in words what had to be left out.
QUANTITIES: dict[str, Callable] = {
    "csv": lambda archive, found: (rows.as_csv(*rows.of_quantities(archive, found)), ""),
    "json": lambda archive, found: (rows.as_json(rows.of_quantities(archive, found)[1]), ""),
    "prometheus": lambda archive, found: (prometheus.of_quantities(archive, found), ""),
    "google-benchmark": google_benchmark.of_quantities,
}
CASES: dict[str, Callable] = {
    "csv": lambda archive: (rows.as_csv(*rows.of_cases(archive)), ""),
    "json": lambda archive: (rows.as_json(rows.of_cases(archive)[1]), ""),
    "prometheus": lambda archive: (prometheus.of_cases(archive), ""),
    "google-benchmark": google_benchmark.of_cases,
}


def export(archive: Archive, form: str, by: str) -> tuple[bytes, str]:
    """The whole file, and what had to be left out, or ""."""
    if by == "quantity":
        return QUANTITIES[form](archive, infer(archive))
    if not archive.points:
        raise UserError("this archive has no cases; leave out --by case")
    return CASES[form](archive)
