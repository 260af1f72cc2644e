"""The JSON of Google Benchmark, as its tools/compare.py reads it: the processes of a case are its repetitions, so that
the U test of compare.py has something to test.

That file knows times alone. Cycles become ns by one clock, the median of the archive's, and stand beside them as a
counter; a rate becomes the time of a megabyte; what is neither is left out, and said. cpu_time, which no archive
has, is the same figure once more, since compare.py asks for it.
"""

from statistics import median

from ... import UserError
from ...archive.load import Archive
from ...call.number_text import counted
from ...call.text import json_text
from ...chip.quantity import Quantity
from .typed_rows import identity

MEGABYTE = 1e6  # bytes, whose time compare.py shows with some digits before the point


def _clock_ghz(archive: Archive) -> float | None:
    return median(archive.clocks.sm_mhz) / 1000 if archive.clocks.sm_mhz else None


def _entry(name: str, index: int, values: list[float], i: int, counters: dict) -> dict:
    return {
        "name": name,
        "family_index": index,
        "per_family_instance_index": 0,
        "run_name": name,
        "run_type": "iteration",
        "repetitions": len(values),
        "repetition_index": i,
        "threads": 1,
        "iterations": 1,
        "real_time": values[i],
        "cpu_time": values[i],
        "time_unit": "ns",
        **counters,
    }


def _document(archive: Archive, entries: list[dict], left: int, what: str) -> tuple[bytes, str]:
    if not entries:
        raise UserError(f"no {what} of this archive is a time; choose another --format")
    clock = _clock_ghz(archive)
    context = {
        "date": archive.run["started_utc"],
        "executable": "gpufx",
        "num_cpus": (archive.run.get("host") or {}).get("logical_cpus") or 0,
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": False,
        "caches": [],
        "library_build_type": "release",
        "gpufx_sm_clock_MHz": None if clock is None else clock * 1000,
        **{f"gpufx_{name}": text for name, text in identity(archive).items()},
    }
    note = f"{counted(left, what)} left out, because Google Benchmark has no format for them" if left else ""
    return json_text({"context": context, "benchmarks": entries}, 1).encode(), note


def of_cases(archive: Archive) -> tuple[bytes, str]:
    entries, left, clock = [], 0, _clock_ghz(archive)
    for index, point in enumerate(archive.points):
        per_ns = {"ns": 1.0, "cycles": clock}.get(point.unit)
        if not per_ns:
            left += 1
            continue
        values = [value / per_ns for value in point.medians]
        for i, value in enumerate(point.medians):
            counters = {point.metric: value} | ({"bytes_per_second": point.gbps * 1e9} if point.gbps else {})
            entries.append(_entry(point.name, index, values, i, counters))
    return _document(archive, entries, left, "case")


def of_quantities(archive: Archive, found: list[Quantity]) -> tuple[bytes, str]:
    entries, left, clock = [], 0, _clock_ghz(archive)
    for index, q in enumerate(found):
        value = q.estimate.value if q.estimate else None
        if not value or value < 0 or (time := _time(value, q.unit, clock)) is None:
            left += 1
            continue
        counters = {"bytes_per_second": value * 1e9} if q.unit == "GB/s" else {q.unit: value}
        entries.append(_entry(q.id, index, [time], 0, counters))
    return _document(archive, entries, left, "quantity")


def _time(value: float, unit: str, clock: float | None) -> float | None:
    """In ns."""
    if unit == "ns":
        return value
    if unit == "cycles":
        return value / clock if clock else None
    return MEGABYTE / value if unit == "GB/s" else None
