"""What the recorder leaves of a program: of each process a trace without names of the source, its counts of launches,
and machine code. Here each is read once, before they become one trace."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .frames import read

COUNTS = ".counts"  # beside a trace, of its process (docs/trace.md)
COUNT = np.dtype("<u4, (3,)<u4, (3,)<u4, <u4, <u8, <u8")
COUNT.names = "kernel", "grid", "block", "used", "launches", "recorded"


@dataclass
class Process:
    """kernels: by their number. called: functions that they call, by module and name. times: of the launches that
    have one, by what they have in common (shape): ns, and whether the launch before it was such a one, too."""

    path: Path
    began: tuple = ()
    kernels: dict[int, dict] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)  # numbers of kernels with a launch or an instruction
    called: list[tuple[str, str]] = field(default_factory=list)
    calls: list[dict] = field(default_factory=list)
    times: dict[tuple, list[tuple[float, bool]]] = field(default_factory=dict)
    has_records: bool = False
    launches: int | None = None  # all, whatever was asked for; None: it had no end
    failures: list[str] = field(default_factory=list)  # the recorder's own words

    def key(self, kernel: int) -> tuple[str, str]:
        """Module and name."""
        of = self.kernels.get(kernel, {})
        return str(of.get("module")), str(of.get("name"))

    def shape(self, launch: dict) -> tuple:
        """What launches have in common that take as long as each other."""
        return (*self.key(launch["kernel"]), *(tuple(launch.get(name) or ()) for name in ("grid", "block", "cluster")))


def process(path: Path) -> Process:
    """Raises UserError for what is no trace."""
    found, before = Process(path), None
    for frame in read(path):
        value = frame.value
        if frame.kind == "gpufx_trace":
            found.began = str(frame.head.get("started", "")), str(frame.head.get("process", "")).zfill(20), path.name
        elif frame.kind == "kernel":
            found.kernels[value["id"]] = value
        elif frame.kind in ("launch", "instruction"):
            found.used.add(value["kernel"])
        if frame.kind == "launch":
            found.has_records |= bool(value.get("blocks", {}).get("recorded"))
            shape = found.shape(value)
            if value.get("time_ns") is not None:
                found.times.setdefault(shape, []).append((value["time_ns"], shape == before))
            before = shape
        elif frame.kind == "instruction" and value.get("function"):
            found.called.append((found.key(value["kernel"])[0], str(value["function"])))
        elif frame.kind == "end":
            found.launches = value.get("launches", 0)
        elif frame.kind == "note" and value.get("code") == "failed":
            found.failures.append(str(value.get("text")))
    with suppress(OSError, ValueError):
        for one in np.fromfile(path.with_name(path.name + COUNTS), dtype=COUNT):
            if one["used"] and int(one["kernel"]) in found.kernels:
                found.calls.append({name: one[name].tolist() for name in COUNT.names if name != "used"})
    return found


def processes(folder: Path) -> list[Process]:
    """In the order in which they began."""
    found = [process(path) for path in folder.glob("trace.*") if path.suffix != COUNTS]
    return sorted(found, key=lambda one: one.began)
