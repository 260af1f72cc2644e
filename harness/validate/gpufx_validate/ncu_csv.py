"""Reads what `ncu --csv --page raw --nvtx` prints: one line per profiled launch, one column per metric.

Before the header stand the tool's messages (==PROF== ...) and, where the output is shared, the program's own. The line
behind the header has the units and no ID. Numbers may have thousands separators. A launch may be told in several lines,
and another page of ncu tells one metric a line; lines of one ID are laid together."""

import csv
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_SCALES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_RANGE = "Push/Pop_Range"  # its column has a long name, which tells how its cells are made


@dataclass
class Launch:
    """One profiled launch of a kernel."""

    id: str
    kernel: str
    ranges: str  # the cell as it stands: 4711  "gpufx:NAME:none:none:none:none:none:none"
    metrics: dict[str, float | None] = field(default_factory=dict)  # None: told, but no number


def number(text: str, unit: str = "") -> float | None:
    """1,234.5 in base units; None for "n/a" and whatever else is no finite number."""
    try:
        value = float(text.replace(",", "").strip())
    except ValueError:
        return None
    prefix = re.match(r"([KMGT])(byte|sector|inst|cycle|request|$)", unit)
    value *= _SCALES[prefix[1]] if prefix else 1.0
    return value if math.isfinite(value) else None


def _tables(text: str) -> Iterable[tuple[list[str], list[str]]]:
    """(header, cells) of every line behind a header."""
    header: list[str] | None = None
    for line in text.splitlines():
        if not line.startswith('"') or not line.endswith('"') or line.count('"') % 2:  # of these, one that was cut off
            continue
        cells = next(csv.reader([line]))
        if cells[0] == "ID":
            header = cells
        elif header and len(cells) == len(header):
            yield header, cells


def read(text: str) -> list[Launch]:
    """All launches, in order."""
    launches: dict[tuple[str, str], Launch] = {}
    units: dict[str, str] = {}
    for header, cells in _tables(text):
        line = dict(zip(header, cells, strict=True))
        if not line["ID"]:
            units = line
            continue
        key = (line.get("Process ID", ""), line["ID"])
        ranges = "  ".join(cell for name, cell in line.items() if _RANGE in name and cell)
        launch = launches.setdefault(key, Launch(line["ID"], line.get("Kernel Name", ""), ranges))
        if "Metric Name" in line:
            if line["Metric Name"]:
                launch.metrics[line["Metric Name"]] = number(line["Metric Value"], line.get("Metric Unit", ""))
            continue
        for name, cell in line.items():
            if "__" in name and "." in name and cell:
                launch.metrics[name] = number(cell, units.get(name, ""))
    return list(launches.values())


def case_of(ranges: str, names: Iterable[str]) -> str | None:
    """Which of the names the NVTX range of a launch has. A range is told as DOMAIN:NAME:..., and names hold colons
    themselves, so the longest name that fits is the one."""
    for piece in re.findall(r'"([^"]*)"', ranges) or [ranges]:
        parts = piece.split(":")
        for end in range(len(parts), 1, -1):
            if (name := ":".join(parts[1:end])) in names:
                return name
    return None
