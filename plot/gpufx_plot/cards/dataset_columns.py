"""The three tables of a dataset, and the rows that one archive gives: what the archive says of itself, its quantities,
and its cases by process. docs/fleet.md says what each column means; a test holds both together."""

from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

import msgspec

from .. import UserError
from ..archive import lines
from ..archive.contents import driver_text
from ..archive.heads import Content, key_of_run
from ..archive.load import Archive
from ..archive.loader import Loader, RefusedError
from ..call.text import safe
from ..chip.quantity import Quantity
from ..judging.facts import board_of

# Columns with DuckDB's types. Those of PARTITION are names of folders, ARCH/DEVICE/MONTH.
PARTITION = {"arch": "VARCHAR", "device": "VARCHAR", "month": "VARCHAR"}
COMMON = {
    "archive": "VARCHAR",
    "run": "VARCHAR",
    "started_utc": "TIMESTAMP",
    "provenance": "VARCHAR",
    "arch": "VARCHAR",
    "device": "VARCHAR",
    "month": "VARCHAR",
    "card": "VARCHAR",
    "driver": "VARCHAR",
}
ARCHIVES = COMMON | {
    "device_name": "VARCHAR",
    "uuid": "VARCHAR",
    "board_part_number": "VARCHAR",
    "vbios": "VARCHAR",
    "host": "VARCHAR",
    "labels": "VARCHAR",
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
    "content_crc32": "VARCHAR",
    "content_bytes": "BIGINT",
    "ingested_utc": "TIMESTAMP",
}
QUANTITIES = COMMON | {
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
CASES = COMMON | {
    "process": "BIGINT",
    "place": "BIGINT",
    "probe": "VARCHAR",
    "name": "VARCHAR",
    "sweep": "VARCHAR",
    "params": "VARCHAR",
    "metric": "VARCHAR",
    "unit": "VARCHAR",
    "better": "VARCHAR",
    "method_version": "BIGINT",
    "value": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "n": "BIGINT",
    "law": "VARCHAR",
    "count": "DOUBLE",
    "in_fit": "BOOLEAN",
    "useful_bytes": "DOUBLE",
    "moved_bytes": "DOUBLE",
    "derived": "VARCHAR",
    "extras": "VARCHAR",
    "flags": "VARCHAR",
    "sm_clock_MHz": "DOUBLE",
    "memory_clock_MHz": "DOUBLE",
    "temperature_C": "DOUBLE",
    "power_W": "DOUBLE",
    "began_s": "DOUBLE",
    "elapsed_s": "DOUBLE",
}
TABLES = {"archives": ARCHIVES, "quantities": QUANTITIES, "cases": CASES}
# What files have and questions do not see: what an acceptance reads of an archive (base_row.py).
STORED = TABLES | {"archives": ARCHIVES | {"acceptance": "VARCHAR"}}
# In which order the rows of a file lie, so that who asks for one quantity or probe reads a part of it.
ORDER = {
    "archives": "started_utc, archive",
    "quantities": "quantity, started_utc, archive",
    "cases": "probe, name, process, place",
}

FUTURE = "future"  # the month of an archive that begins later than tomorrow: its clock says nothing
DAY_S = 86400
LONGEST_NAME = 200  # characters of an architecture and a device; names of folders end at 255 bytes

encoded = msgspec.json.Encoder().encode


def moment(text: str) -> datetime:
    """When a run began. Raises UserError for a time that there is not."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise UserError(f"its start time {safe(text)} is not a valid time") from None


def _known(value, kind) -> int | str | bool | None:
    """What no column has room for is not known."""
    if kind is int and type(value) is int and abs(value) > lines.LARGEST_INTEGER:
        return None
    return value if type(value) is kind else None


def common(archive: Archive, now: datetime) -> dict:
    run, device = archive.run, archive.run["device"]
    begun = moment(run["started_utc"])
    month = FUTURE if (begun - now).total_seconds() > DAY_S else run["started_utc"][:7]
    arch, slug = device["arch"], device["slug"]
    if len(slug) > LONGEST_NAME:
        raise UserError(f"its device.slug has {len(slug)} characters, and a folder name may have {LONGEST_NAME}")
    plain = arch.replace("_", "").isalnum() and arch.isascii() and len(arch) <= LONGEST_NAME
    return {
        "archive": key_of_run(run),
        "run": run["id"],
        "started_utc": run["started_utc"],
        "provenance": run["provenance"],
        "arch": arch if plain else "unknown",
        "device": slug,
        "month": month,
        "card": str(board_of(archive)),
        "driver": driver_text(run).removeprefix("driver "),
    }


def archive_row(archive: Archive, content: Content, now: datetime) -> dict:
    run, device, end, clocks = archive.run, archive.run["device"], archive.end, archive.clocks
    program, environment = run["program"], run["environment"]
    labels = run.get("labels") or {}
    limit = environment.get("power_limit_mW")
    return common(archive, now) | {
        "device_name": device["name"],
        "uuid": _known(device.get("uuid"), str),
        "board_part_number": _known(device.get("board_part_number"), str),
        "vbios": _known(device.get("vbios"), str),
        "host": labels.get("host") or _known(run["host"].get("name"), str),
        "labels": encoded(labels).decode(),
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
        "throttle_reasons": " ".join(sorted(clocks.throttle_reasons)),
        "power_limit_W": limit / 1000 if _number(limit) is not None else None,
        "sm_max_clock_MHz": _number(environment.get("sm_max_clock_MHz")),
        "pcie_generation": _known(environment.get("pcie_generation"), int),
        "pcie_width": _known(environment.get("pcie_width"), int),
        "ecc": _known(environment.get("ecc"), bool),
        "file": safe(str(archive.path)),
        "content_crc32": f"{content.crc32:08x}",
        "content_bytes": content.size,
        "ingested_utc": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _number(value) -> float | None:
    return float(value) if type(value) in (int, float) else None


def quantity_rows(archive: Archive, found: list[Quantity], shared: dict) -> Iterator[dict]:
    """Of the probes that were run; what other probes would say is no row."""
    tried = archive.measured | {absence.probe for absence in (*archive.waived, *archive.failed)}
    for q in found:
        d, e = q.definition, q.estimate
        if e is None and d.probe not in tried:
            continue
        yield shared | {
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


class CaseRows(Loader):
    """A loader that keeps, beside what all keep, each case line as a row: JSON. The part that all lines of a case share
    is written once."""

    MOST = 5_000_000  # lines; a full archive of 100 processes has 3,000,000
    now: datetime  # of the ingest

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.rows: list[bytes] = []
        self.heads: dict[int, bytes] = {}  # by the case
        self.head = b""

    def first(self, text, profiled) -> None:
        super().first(text, profiled)
        self.head = encoded(common(self.archive, self.now))[:-1] + b","

    def case(self, line, known, text) -> None:
        super().case(line, known, text)
        point = known.point
        head = self.heads.get(id(point))
        if head is None:
            head = self.heads[id(point)] = self.head + encoded(_of_case(point))[1:-1] + b","
        if len(self.rows) == self.MOST:
            raise RefusedError(f"more than {self.MOST} cases, which no archive has")
        self.rows.append(head + encoded(_of_line(line))[1:])


def _of_case(point) -> dict:
    return {
        "probe": point.probe,
        "name": point.name,
        "sweep": point.sweep,
        "params": encoded(point.params).decode(),
        "metric": point.metric,
        "unit": point.unit,
        "better": point.better,
        "method_version": point.method_version,
        "law": point.law,
        "count": point.count,
        "in_fit": point.in_fit,
        "useful_bytes": point.useful_bytes or None,
        "moved_bytes": point.moved_bytes or None,
    }


class _Line(msgspec.Struct, gc=False):
    """What differs from process to process."""

    process: int
    place: int | None
    value: float
    low: float | None
    high: float | None
    n: int
    derived: str
    extras: str
    flags: str
    sm_clock: float | None = msgspec.field(name="sm_clock_MHz")
    memory_clock: float | None = msgspec.field(name="memory_clock_MHz")
    temperature: float | None = msgspec.field(name="temperature_C")
    power: float | None = msgspec.field(name="power_W")
    began_s: float | None
    elapsed_s: float


def _of_line(line: lines.Case) -> _Line:
    low, high = line.ci95 or (None, None)
    last = next(reversed(line.clocks.nvml), None)
    return _Line(
        line.process,
        getattr(line, "place", None),
        line.median,
        low,
        high,
        line.n,
        safe(encoded(line.derived).decode()),
        safe(encoded(line.extras).decode()) if line.extras else "{}",
        safe(" ".join(line.flags)) if line.flags else "",
        line.clocks.sm_clock,
        last and last.memory_mhz,
        last and last.temperature,
        last and last.power,
        getattr(line, "began_s", None),
        line.elapsed_s,
    )
