"""Reads what `ncu --csv --page raw --print-units base --nvtx` prints: one line per profiled launch, one column per
metric. Before the header stand the tool's messages (==PROF== ...) and, where the output is shared, the program's own;
the line behind it has the units and no ID. Numbers may have thousands separators."""

import csv
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_RANGE = "Push/Pop_Range"  # its column has a long name, which tells how its cells are made


@dataclass
class Launch:
    """One profiled launch of a kernel."""

    ranges: str  # the cell as it stands: 4711  "gpufx:NAME:none:none:none:none:none:none"
    metrics: dict[str, float | None] = field(default_factory=dict)  # None: told, but no number


def number(text: str) -> float | None:
    """1,234.5; None for "n/a" and whatever else is no finite number."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read(text: str) -> list[Launch]:
    """All launches, in order. A line that was cut off is left out."""
    launches, header = [], None
    for line in text.splitlines():
        if not line.startswith('"') or not line.endswith('"') or line.count('"') % 2:
            continue
        cells = next(csv.reader([line]))
        if cells[0] == "ID":
            header = cells
        elif header and cells[0] and len(cells) == len(header):
            named = dict(zip(header, cells, strict=True))
            ranges = "  ".join(cell for name, cell in named.items() if _RANGE in name and cell)
            metrics = {name: number(cell) for name, cell in named.items() if "__" in name and "." in name and cell}
            launches.append(Launch(ranges, metrics))
    return launches


def case_of(ranges: str, names: Iterable[str]) -> str | None:
    """Which of the names the NVTX range of a launch has. A range is told as DOMAIN:NAME:..., and names hold colons
    themselves, so the longest name that fits is the one."""
    for piece in re.findall(r'"([^"]*)"', ranges) or [ranges]:
        parts = piece.split(":")
        for end in range(len(parts), 1, -1):
            if (name := ":".join(parts[1:end])) in names:
                return name
    return None
