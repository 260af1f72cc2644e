"""Nsight Compute's command line: where it is, which metrics it knows, one run of it, what its errors mean, and what
`ncu --csv --page raw --print-units base --nvtx` prints: one line per profiled launch, one column per metric. Before the
header stand the tool's messages (==PROF== ...) and, where the output is shared, the program's own; the line behind it
has the units and no ID. Numbers may have thousands separators."""

import csv
import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/NVIDIA-Nsight-Compute*/ncu")

# What in ncu's messages means that counters can't be read here at all: nothing was found wrong, and no further run
# would fare better.
WAIVERS: dict[str, str] = json.loads(Path(__file__).with_name("waivers.json").read_text(encoding="utf-8"))
_RANGE = "Push/Pop_Range"  # its column has a long name, which tells how its cells are made
_UNKNOWN = re.compile(r"(?:[Ff]ailed to find|[Uu]nknown|[Cc]ould not find) metrics?\W+(?:regex:)?([\w., ]+)")


@dataclass
class Outcome:
    """One run of ncu. text: all that it printed, the table among it."""

    text: str
    status: int
    waiver: str | None = None  # why counters can't be read on this machine
    unknown: set[str] = field(default_factory=set)  # metrics that ncu does not know
    trouble: str | None = None  # what else it complained of


def find() -> str | None:
    """From PATH, else the newest of the usual places."""
    paths = (path for place in PLACES for path in sorted(Path("/").glob(place.removeprefix("/")), reverse=True))
    return shutil.which("ncu") or next((str(path) for path in paths if os.access(path, os.X_OK)), None)


def base(metric: str) -> str:
    """Without its suffix, as ncu lists it."""
    return metric.split(".", maxsplit=1)[0]


def known_metrics(ncu: str) -> set[str] | None:
    """Base names of the metrics that this ncu knows for this machine's chip; None where it does not say."""
    try:
        run = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    names = set(re.findall(r"^\"?([a-z]\w*__\w+)", run.stdout, re.MULTILINE))
    return names if run.returncode == 0 and names else None


def _argument(text: str) -> str:
    """A template argument as ncu may write it: 4 or (int)4, true or (bool)1."""
    word = {"true": "(true|1)", "false": "(false|0)"}.get(text, re.escape(text))
    return rf"(\([a-z ]+\))?{word}"


def _kernel(name: str) -> str:
    base, _, arguments = name.removesuffix(">").partition("<")
    inner = ", ?".join(_argument(text) for text in arguments.split(", "))
    return re.escape(base) + (f"<{inner}>" if arguments else "")


def kernel_filter(names: list[str]) -> str:
    """The expression for ncu's --kernel-name: these kernels, which the kernel table spells as c++filt does, by the
    names that ncu's own demangler gives them."""
    return "regex:^(void )?(" + "|".join(map(_kernel, names)) + r")\("


def command(ncu: str, metrics: list[str], kernels: list[str], log: Path, target: list[str]) -> list[str]:
    """Clocks and caches are left as they are: the probes flush what they want flushed, and no time is taken here.

    Kernels are replayed where the metrics need several passes: ncu then saves what the kernel can write and restores
    it. That costs little for the on-chip kernels. Those over gigabytes of DRAM are asked for few enough metrics for one
    pass, so that nothing is saved. Replaying the whole program instead would need no saving either, but would run each
    case's fills and checks again for every pass."""
    return [
        *(ncu, "--csv", "--page", "raw", "--print-units", "base", "--nvtx", "--replay-mode", "kernel"),
        *("--clock-control", "none", "--cache-control", "none", "--metrics", ",".join(metrics)),
        *("--kernel-name-base", "demangled", "--kernel-name", kernel_filter(kernels), "--log-file", str(log)),
        *target,
    ]


def judge(text: str, status: int) -> Outcome:
    outcome = Outcome(text, status)
    said = [m.strip() for m in re.findall(r"^==(?:ERROR|WARNING)== *(.+)$", text, re.MULTILINE)]
    for line in said:
        for mark, reason in WAIVERS.items():
            if mark in line:
                outcome.waiver = reason.format(line=line.rstrip("."))
                return outcome
        if unknown := _UNKNOWN.search(line):
            outcome.unknown |= {name for name in re.split(r"[ ,]+", unknown[1].strip(" .,")) if "__" in name}
    if status:
        outcome.trouble = f"ncu ended with status {status}" + (f": {said[-1].rstrip('.')}" if said else "")
    elif not any(line.startswith('"ID"') for line in text.splitlines()):
        outcome.trouble = "ncu printed no table" + (f": {said[-1].rstrip('.')}" if said else "")
    return outcome


def profile(words: list[str], log: Path) -> Outcome:
    """Runs ncu as command() wrote it. Its messages and its table go to the log, the program's own words beside it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    run = subprocess.run(words, capture_output=True, text=True, check=False, errors="replace")
    log.with_suffix(".out").write_text(run.stdout + run.stderr, encoding="utf-8")
    table = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return judge(f"{run.stdout}\n{run.stderr}\n{table}", run.returncode)


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
