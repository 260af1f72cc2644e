"""The tables that `gpufx export --format parquet` writes and `gpufx fleet report` reads: archives, quantities, cases,
fits. docs/queries.md says what each column means; a test compares the two."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec

from .. import UserError
from ..archive import lines
from ..archive.cases import driver_text, value_at
from ..archive.file import key_of_run
from ..archive.load import Archive
from ..archive.pooled_fits import Fit
from ..call.text import safe
from ..chip.columns import COLUMNS, as_row
from ..chip.quantity import Quantity
from ..judging.facts import SHARED, board_of
from .settings import settings_of

# Columns with DuckDB's types, and what each has of an archive. All tables begin with those of COMMON.
Column = tuple[str, Callable[[Archive], object]]


def _typed(value, kind) -> float | str | bool | None:
    """None for a value of another type, or one too large for its column."""
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and type(value) is int and abs(value) > lines.LARGEST_INTEGER:
        return None
    return value if type(value) is kind else None


def _run(path: str, kind: type = str, column: str = "VARCHAR") -> Column:
    """A value of the run line."""
    return column, lambda archive: _typed(value_at(archive.run, path), kind)


def _middle(values) -> float | None:
    return median(values) if values else None


def _watts(archive: Archive) -> float | None:
    milliwatts = _typed(archive.run["environment"].get("power_limit_mW"), float)
    return None if milliwatts is None else milliwatts / 1000


def _labels(archive: Archive) -> dict:
    return archive.run.get("labels") or {}


COMMON: dict[str, Column] = {
    "archive": ("VARCHAR", lambda a: key_of_run(a.run)),
    "run": _run("id"),
    "started_utc": _run("started_utc", column="TIMESTAMP"),
    "provenance": _run("provenance"),
    "arch": _run("device.arch"),
    "device": _run("device.slug"),
    "card": ("VARCHAR", lambda a: str(board_of(a))),
    "driver": ("VARCHAR", lambda a: driver_text(a.run).removeprefix("driver ")),
}
OF_ARCHIVE: dict[str, Column] = {
    "device_name": _run("device.name"),
    **{name: _run(f"device.{name}") for name in ("uuid", "board_part_number", "vbios")},
    "host": ("VARCHAR", lambda a: _labels(a).get("host") or _typed(a.run["host"].get("name"), str)),
    "labels": ("JSON", _labels),
    "cuda_runtime": ("VARCHAR", lambda a: str(a.run["driver"].get("cuda_runtime", "unknown"))),
    **{name: _run(f"program.{name}") for name in ("version", "commit")},
    "harness": _run("program.harness_hash"),
    "law_version": _run("law_version", kind=int, column="BIGINT"),
    "processes": ("BIGINT", lambda a: a.processes),
    "quick": _run("quick", kind=bool, column="BOOLEAN"),
    "complete": ("BOOLEAN", lambda a: a.end.complete),
    "incomplete": ("VARCHAR", lambda a: a.incomplete),
    **{of: ("BIGINT", lambda a, of=of: getattr(a.end, of)) for of in ("cases", "waived", "failed")},
    "elapsed_s": ("DOUBLE", lambda a: a.end.elapsed_s),
    "sm_clock_MHz": ("DOUBLE", lambda a: _middle(a.clocks.sm_mhz)),
    "memory_clock_MHz": ("DOUBLE", lambda a: _middle(a.clocks.memory_mhz)),
    "throttle_reasons": ("VARCHAR", lambda a: a.clocks.reasons),
    "power_limit_W": ("DOUBLE", _watts),
    "sm_max_clock_MHz": _run("environment.sm_max_clock_MHz", kind=float, column="DOUBLE"),
    "pcie_generation": _run("environment.pcie_generation", kind=int, column="BIGINT"),
    "pcie_width": _run("environment.pcie_width", kind=int, column="BIGINT"),
    "ecc": _run("environment.ecc", kind=bool, column="BOOLEAN"),
    "settings": ("JSON", lambda a: settings_of(a.run | {"clocks": a.clocks.slowdown})),
}
# Of `cases`: DuckDB's type of each field of a case line that is read, and the expression of each column. law and metric
# are JSON, since fit lines have texts for them.
CASES = msgspec.json.decode(Path(__file__).with_name("cases.json").read_bytes(), type=dict[str, dict[str, str]])
CASE_FIELDS, OF_CASE = CASES["fields"], CASES["columns"]
TYPES = {name: kind for name, (kind, _) in COMMON.items()}
ARCHIVES = TYPES | {name: kind for name, (kind, _) in OF_ARCHIVE.items()} | {"file": "VARCHAR"}
COLUMNS_OF_FIT: dict[str, tuple[str, Callable[[Fit], object]]] = {
    "probe": ("VARCHAR", lambda f: f.probe),
    "group": ("VARCHAR", lambda f: " ".join(f"{axis}={value}" for axis, value in f.group.items())),
    "law": ("VARCHAR", lambda f: f.law),
    "metric": ("VARCHAR", lambda f: f.metric),
    "a": ("DOUBLE", lambda f: f.a),
    "a_low": ("DOUBLE", lambda f: f.a_ends and f.a_ends[0]),
    "a_high": ("DOUBLE", lambda f: f.a_ends and f.a_ends[1]),
    "b": ("DOUBLE", lambda f: f.b),
    "b_low": ("DOUBLE", lambda f: f.b_ends and f.b_ends[0]),
    "b_high": ("DOUBLE", lambda f: f.b_ends and f.b_ends[1]),
    "level_pct": ("DOUBLE", lambda f: 95.0 if f.a_ends else None),
    "cases": ("BIGINT", lambda f: f.n),
    "processes": ("BIGINT", lambda f: f.processes),
    "holds": ("BOOLEAN", lambda f: f.law_holds),
    "worst_pct": ("DOUBLE", lambda f: f.residual_pct),
    "worst_case": ("VARCHAR", lambda f: f.worst_case),
}
OF_FIT = {name: kind for name, (kind, _) in COLUMNS_OF_FIT.items()}
OF_QUANTITY = {name: kind for name, (kind, _) in COLUMNS.items()} | {"shared": "BOOLEAN", "method": "BIGINT"}
TABLES = {"archives": ARCHIVES, "quantities": TYPES | OF_QUANTITY, "cases": TYPES | OF_CASE, "fits": TYPES | OF_FIT}


def moment(text: str) -> datetime:
    """When a run began. Raises UserError for a time that does not exist."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise UserError(f"its start time {safe(text)} is not a valid time") from None


def archive_row(archive: Archive, file: str) -> dict:
    """Raises UserError for a time that does not exist."""
    moment(archive.run["started_utc"])
    return {name: value(archive) for name, (_, value) in (COMMON | OF_ARCHIVE).items()} | {"file": file}


def fit_row(fit: Fit) -> dict:
    return {name: value(fit) for name, (_, value) in COLUMNS_OF_FIT.items()}


def quantity_rows(archive: Archive, found: list[Quantity]) -> Iterator[dict]:
    """One row per quantity of the probes that were run, determined or not."""
    key, shared = key_of_run(archive.run), _shared(archive)
    methods = {point.probe: point.method_version for point in archive.points}
    tried = archive.measured | {absence.probe for absence in (*archive.waived, *archive.failed)}
    for q in found:
        if q.determined or q.definition.probe in tried:
            yield {"archive": key, **as_row(q, archive), "shared": shared(q), "method": methods.get(q.definition.probe)}


def _shared(archive: Archive) -> Callable[[Quantity], bool]:
    """Whether another program was on the GPU beside a case that is behind the quantity, as accept knows it; of those
    that it does not know, beside a case of the probe."""
    probes = {point.probe for point in archive.points if SHARED in point.flags}
    if not probes:
        return lambda _: False
    from .board import board_in  # numpy, and a second of inference

    known = board_in(archive)
    return lambda q: q.id in known.disturbed if q.id in known.figures else q.definition.probe in probes
