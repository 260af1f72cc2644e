"""`explain --list`: the kernels of a program, how often they are launched, in which shapes and how long.
A program is not patched for that: it runs as fast as it does without."""

from collections import defaultdict
from statistics import median_low

from ..call.number_text import time_text
from ..call.tables import fitted
from ..explain.demangled import bare_name, demangled
from ..explain.recorded import Process


def kernel_list(processes: list[Process]) -> str:
    """processes: of a run that was only timed."""
    times: dict[tuple, list[float]] = defaultdict(list)
    launches: dict[tuple, int] = defaultdict(int)
    for one in processes:
        for (_, name, grid, block, _), found in one.times.items():
            times[demangled(name), grid, block] += found
        for call in one.calls:
            _, name, grid, block, _ = one.shape(call)
            launches[demangled(name), grid, block] += call["launches"]
    rows = []
    for key in {**launches, **times}:
        one = median_low(times[key]) if times[key] else None
        count = max(launches[key], len(times[key]))
        rows.append((-(one or 0.0) * count, bare_name(key[0]), _shape(key[1]), _shape(key[2]), str(count or "-"), one))
    cells = [(*row[1:5], time_text(row[5]) if row[5] else "-") for row in sorted(rows, key=lambda row: row[:4])]
    head = ("kernel", "grid", "block", "launches", "each")
    return "\n".join(fitted(head, cells, {"launches", "each"})) + "\n"


def _shape(sizes: tuple[int, ...]) -> str:
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return "x".join(map(str, sizes)) or "-"
