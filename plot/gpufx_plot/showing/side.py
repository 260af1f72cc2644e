"""One archive as the first screen and all that looks like it see it: its quantities by their places there, and what it
is called beside others: H200, H100; with the run where two chips are alike."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from ..archive.load import Archive
from ..call.number_text import time_text
from ..call.text import clipped, shown
from ..chip.quantity import Quantity

MAKER, MEMORY = re.compile(r"^NVIDIA "), re.compile(r" \d+ ?GB?\b.*")
MOST = 40  # characters of a name
TYPES = ("FP64", "FP64 tensor", "FP32", "TF32", "FP16", "FP8", "INT8")  # of the table of arithmetic, in order
HEADS = {"latency": "latency", "holds": "capacity", "rate": "rate"}  # of the columns of the table of memories


@dataclass
class Side:
    """One archive on the screen."""

    archive: Archive
    quantities: list[Quantity]

    def on_screen(self) -> list[Quantity]:
        return [q for q in self.quantities if q.definition.screen]

    def costs(self) -> list[Quantity]:
        """What surely costs more than nothing, worst first."""
        found = [q for q in self.on_screen() if q.definition.screen.cost and q.estimate and (q.estimate.low or 0) > 1]
        return sorted(found, key=lambda q: -q.estimate.value)

    def rows(self) -> dict[str, dict[str, list[Quantity]]]:
        """The table of memories: row, column, quantities; by latency, rows without one last."""
        found: dict[str, dict[str, list[Quantity]]] = {}
        for q in self.on_screen():
            if q.definition.screen.row:
                found.setdefault(q.definition.screen.row, {}).setdefault(q.definition.screen.column, []).append(q)

        def latency(row: str) -> float:
            estimates = [q.estimate for q in found[row].get("latency", []) if q.estimate]
            return estimates[0].value if estimates else 1e9 if "latency" in found[row] else 2e9

        return {row: found[row] for row in sorted(found, key=latency)}

    def arithmetic(self) -> dict[str, dict[str, Quantity]]:
        """The table of arithmetic: row, type. Of two ways to the same peak the faster one."""
        found: dict[str, dict[str, Quantity]] = {}
        for q in self.on_screen():
            screen = q.definition.screen
            if screen.arithmetic and q.estimate and not q.estimate.bracket:
                row = found.setdefault(screen.column, {})
                known = row.get(screen.arithmetic)
                if not known or known.estimate.value < q.estimate.value:
                    row[screen.arithmetic] = q
        return found

    def untold(self, row: str, name: str) -> str:
        """What stands there where no number does: of what was measured, and is not determined, another mark."""
        measured = (q.definition.screen for q in self.on_screen() if q.measured)
        return "?" if any((of.column, of.arithmetic) == (row, name) for of in measured) else "-"

    def at_power_limit(self, q: Quantity) -> bool:
        """Whether the case that the value is of ran at it."""
        known = q.definition.probe, q.estimate.note
        case = next((p for p in self.archive.points if (p.probe, p.label) == known), None)
        return bool(case and case.limits and any("power" in name for name in case.limits.names))

    def clock(self) -> float | None:
        """MHz of the SMs in the middle case."""
        known = self.archive.clocks.sm_mhz
        return median(known) if known else None


def listed(parts: Iterable[tuple[str, str]]) -> str:
    """read 4648, write 4726; pinned in 55, out 55: labels and values, a first word that they share once."""
    said, before = [], ""
    for label, value in parts:
        first, _, rest = label.partition(" ")
        said.append(f"{rest if rest and first == before else label} {value}".strip())
        before = first
    return ", ".join(said)


def with_ns(value: str, q: Quantity, archive: Archive) -> str:
    """Beside cycles the time at the clock that was measured."""
    mhz = Side(archive, []).clock() if q.unit == "cycles" and q.estimate else None
    return f"{value}, {time_text(1000 * q.estimate.value / mhz)}" if mhz and q.estimate.value else value


def chip_name(archive: Archive) -> str:
    """H100 of NVIDIA H100 80GB HBM3."""
    return clipped(MEMORY.sub("", MAKER.sub("", shown(archive.run["device"]["name"]))), MOST)


def chip_names(archives: Sequence[Archive]) -> list[str]:
    names = [chip_name(archive) for archive in archives]
    return [name if names.count(name) == 1 else f"{name} {archive.run['id']}"
            for name, archive in zip(names, archives, strict=True)]  # fmt: skip
