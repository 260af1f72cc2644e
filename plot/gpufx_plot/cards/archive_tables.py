"""The tables that `gpufx export --format parquet` writes and `gpufx fleet report` reads: archives, quantities, cases.
docs/queries.md says what each column means; a test compares the two."""

from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

from .. import UserError
from ..archive import lines
from ..archive.cases import driver_text
from ..archive.file import key_of_run
from ..archive.load import Archive
from ..call.text import safe
from ..chip.quantity import Quantity
from ..judging.facts import board_of

# Columns with DuckDB's types. All three tables begin with COMMON.
COMMON = {
    "archive": "VARCHAR",
    "run": "VARCHAR",
    "started_utc": "TIMESTAMP",
    "provenance": "VARCHAR",
    "arch": "VARCHAR",
    "device": "VARCHAR",
    "card": "VARCHAR",
    "driver": "VARCHAR",
}
OF_ARCHIVE = {
    "device_name": "VARCHAR",
    "uuid": "VARCHAR",
    "board_part_number": "VARCHAR",
    "vbios": "VARCHAR",
    "host": "VARCHAR",
    "labels": "JSON",
    "cuda_runtime": "VARCHAR",
    "version": "VARCHAR",
    "commit": "VARCHAR",
    "harness": "VARCHAR",
    "law_version": "BIGINT",
    "processes": "BIGINT",
    "quick": "BOOLEAN",
    "complete": "BOOLEAN",
    "cases": "BIGINT",
    "waived": "BIGINT",
    "failed": "BIGINT",
    "elapsed_s": "DOUBLE",
    "sm_clock_MHz": "DOUBLE",
    "memory_clock_MHz": "DOUBLE",
    "throttle_reasons": "VARCHAR",
    "power_limit_W": "DOUBLE",
    "sm_max_clock_MHz": "DOUBLE",
    "pcie_generation": "BIGINT",
    "pcie_width": "BIGINT",
    "ecc": "BOOLEAN",
    "file": "VARCHAR",
}
OF_QUANTITY = {
    "quantity": "VARCHAR",
    "unit": "VARCHAR",
    "probe": "VARCHAR",
    "estimator": "VARCHAR",
    "better": "VARCHAR",
    "determined": "BOOLEAN",
    "reason": "VARCHAR",
    "form": "VARCHAR",
    "value": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "points": "BIGINT",
    "processes": "BIGINT",
}
# Columns of `cases`: DuckDB's type of the field of a case line that each is taken from, and the expression.
CASE_FIELDS = {
    "type": "VARCHAR",
    "process": "BIGINT",
    "place": "BIGINT",
    "probe": "VARCHAR",
    "name": "VARCHAR",
    "sweep": "VARCHAR",
    "params": "JSON",
    "metric": "JSON",  # fit lines have a text here, and for law
    "method_version": "BIGINT",
    "median": "DOUBLE",
    "ci95": "DOUBLE[]",
    "n": "BIGINT",
    "law": "JSON",
    "useful_bytes": "DOUBLE",
    "moved_bytes": "DOUBLE",
    "derived": "JSON",
    "extras": "JSON",
    "flags": "VARCHAR[]",
    "clocks": "STRUCT(sm_clock_MHz DOUBLE, nvml STRUCT(memory_MHz DOUBLE, temperature_C DOUBLE, power_W DOUBLE)[])",
    "began_s": "DOUBLE",
    "elapsed_s": "DOUBLE",
}
OF_CASE = {
    **{name: name for name in ("process", "place", "probe", "name", "sweep", "params")},
    **{name: f"metric->>'{field}'" for name, field in (("metric", "name"), ("unit", "unit"), ("better", "better"))},
    "method_version": "method_version",
    **{"value": "median", "low": "ci95[1]", "high": "ci95[2]", "n": "n"},
    **{"law": "law->>'name'", "count": "(law->>'count')::DOUBLE", "in_fit": "(law->>'in_fit')::BOOLEAN"},
    **{name: name for name in ("useful_bytes", "moved_bytes", "derived", "extras", "flags")},
    **{"sm_clock_MHz": "clocks.sm_clock_MHz", "memory_clock_MHz": "clocks.nvml[-1].memory_MHz"},
    **{"temperature_C": "clocks.nvml[-1].temperature_C", "power_W": "clocks.nvml[-1].power_W"},
    **{"began_s": "began_s", "elapsed_s": "elapsed_s"},
}
TABLES = {"archives": COMMON | OF_ARCHIVE, "quantities": COMMON | OF_QUANTITY, "cases": COMMON | OF_CASE}


def moment(text: str) -> datetime:
    """When a run began. Raises UserError for a time that does not exist."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise UserError(f"its start time {safe(text)} is not a valid time") from None


def _known(value, kind) -> int | str | bool | None:
    """None for a value of another type, or one too large for its column."""
    if kind is int and type(value) is int and abs(value) > lines.LARGEST_INTEGER:
        return None
    return value if type(value) is kind else None


def _number(value) -> float | None:
    return float(value) if type(value) in (int, float) else None


def archive_row(archive: Archive, file: str) -> dict:
    run, device, end, clocks = archive.run, archive.run["device"], archive.end, archive.clocks
    program, environment = run["program"], run["environment"]
    labels, limit = run.get("labels") or {}, environment.get("power_limit_mW")
    moment(run["started_utc"])
    return {
        "archive": key_of_run(run),
        "run": run["id"],
        "started_utc": run["started_utc"],
        "provenance": run["provenance"],
        "arch": device["arch"],
        "device": device["slug"],
        "card": str(board_of(archive)),
        "driver": driver_text(run).removeprefix("driver "),
        "device_name": device["name"],
        "uuid": _known(device.get("uuid"), str),
        "board_part_number": _known(device.get("board_part_number"), str),
        "vbios": _known(device.get("vbios"), str),
        "host": labels.get("host") or _known(run["host"].get("name"), str),
        "labels": labels,
        "cuda_runtime": str(run["driver"].get("cuda_runtime", "unknown")),
        "version": program["version"],
        "commit": program["commit"],
        "harness": program.get("harness_hash"),
        "law_version": _known(run.get("law_version"), int),
        "processes": archive.processes,
        "quick": run["quick"],
        "complete": end.complete,
        "cases": end.cases,
        "waived": end.waived,
        "failed": end.failed,
        "elapsed_s": end.elapsed_s,
        "sm_clock_MHz": median(clocks.sm_mhz) if clocks.sm_mhz else None,
        "memory_clock_MHz": median(clocks.memory_mhz) if clocks.memory_mhz else None,
        "throttle_reasons": " ".join(sorted(clocks.throttle_reasons))
        if clocks.throttle_known or clocks.throttle_reasons
        else None,
        "power_limit_W": limit / 1000 if _number(limit) is not None else None,
        "sm_max_clock_MHz": _number(environment.get("sm_max_clock_MHz")),
        "pcie_generation": _known(environment.get("pcie_generation"), int),
        "pcie_width": _known(environment.get("pcie_width"), int),
        "ecc": _known(environment.get("ecc"), bool),
        "file": file,
    }


def quantity_rows(archive: Archive, found: list[Quantity]) -> Iterator[dict]:
    """One row per quantity of the probes that were run, determined or not."""
    key = key_of_run(archive.run)
    tried = archive.measured | {absence.probe for absence in (*archive.waived, *archive.failed)}
    for q in found:
        d, e = q.definition, q.estimate
        if e is None and d.probe not in tried:
            continue
        yield {
            "archive": key,
            "quantity": q.id,
            "unit": q.unit,
            "probe": d.probe,
            "estimator": d.by,
            "better": {"largest": "higher", "smallest": "lower"}.get(d.better),
            "determined": e is not None,
            "reason": q.reason or None,
            "form": None if e is None else "bracket" if e.bracket else "value",
            "value": e and e.value,
            "low": e and e.low,
            "high": e and e.high,
            "points": e.points if e else 0,
            "processes": archive.usual_processes,
        }
