"""Compares archives: is each case the same, faster or slower, and by how much?

The unit of evidence is the process, not the sample: samples of one process share its memory layout and clocks, and
tests on them find differences where there are none. So each process gives one number, the log of its median, and
Welch's t gives the 95 % interval of the ratio. The verdict follows from that interval and a margin alone.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median

from .archive import Archive
from .model import Point, number
from .quantiles import student_quantile, variance

VERDICTS = ("SLOWER", "FASTER", "SMALL", "UNDECIDED", "MISSING", "NEW", "INCOMPARABLE", "SAME")
CONFIDENCE, POWER = 0.95, 0.90
MOST_PROCESSES = 1000
MOST_RATIO = 1e100  # of two medians
MOST_EXPONENT = 700.0
WATCHED_FLAGS = {"throttled", "clock_moved", "latch_timeout", "drift", "above_peak"}


@dataclass(slots=True)
class Row:
    """One case of two archives. Ratios are new over base; the interval is None where there is no evidence for one."""

    probe: str
    case: str
    metric: str
    better: str
    verdict: str
    reason: str
    base: float | None = None
    new: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    base_processes: int = 0
    new_processes: int = 0
    processes_needed: int | None = None
    flags: tuple = ()


@dataclass
class Comparison:
    base: Archive
    new: Archive
    facts: list[tuple[str, str, str]]  # what differs: name, in base, in new
    rows: list[Row]

    @property
    def counts(self) -> dict[str, int]:
        seen = Counter(row.verdict for row in self.rows)
        return {verdict: seen[verdict] for verdict in VERDICTS if seen[verdict]}


def welch(base: list[float], new: list[float]) -> tuple[float, float]:
    """Difference of the means (new - base) and half-width of its 95 % interval; two values a side at least."""
    parts = [variance(side) / len(side) for side in (base, new)]
    error2 = sum(parts)
    difference = fmean(new) - fmean(base)
    if error2 == 0:
        return difference, 0.0
    freedom = error2**2 / sum(p**2 / (len(side) - 1) for p, side in zip(parts, (base, new), strict=True))
    return difference, student_quantile(freedom, 0.5 + CONFIDENCE / 2) * math.sqrt(error2)


def exp(power: float) -> float:
    """e to the power, kept finite and above zero: the interval of few wild processes may reach anywhere."""
    return math.exp(max(-MOST_EXPONENT, min(power, MOST_EXPONENT)))


@cache
def _reach(n: int) -> float:
    """The difference, in spreads between processes, that n processes per side resolve."""
    freedom = 2 * n - 2
    surely = student_quantile(freedom, 0.5 + CONFIDENCE / 2) + student_quantile(freedom, POWER)
    return surely * math.sqrt(2 / n)


def processes_needed(spread: float, difference: float, margin: float) -> int | None:
    """Processes per side with which a verdict other than UNDECIDED is expected nine times in ten; None: over 1000.

    Decided means that the interval leaves zero out, or that it lies inside the margin: the nearer goal counts.
    """
    target = max(abs(difference), margin - abs(difference))
    if target <= 0:
        return None
    n = 2 + bisect_left(range(2, MOST_PROCESSES + 1), -target, key=lambda n: -_reach(n) * spread)
    return n if n <= MOST_PROCESSES else None


def judge(base: Point, new: Point, margin: float) -> Row:
    """Verdict of one case that both archives have. margin is a fraction: 0.01."""
    row = Row(base.probe, base.label, base.metric, base.better, "INCOMPARABLE", "")
    row.base_processes, row.new_processes = len(base.medians), len(new.medians)
    row.flags = tuple(sorted((base.flags | new.flags) & WATCHED_FLAGS))
    if base.method_version != new.method_version:
        row.reason = f"the method changed: version {base.method_version} against {new.method_version}"
        return row
    if (base.metric, base.better) != (new.metric, new.better):
        row.reason = f"metrics differ: {base.metric} against {new.metric}"
        return row
    medians = base.medians + new.medians
    if min(medians) <= 0 or max(medians) / MOST_RATIO > min(medians):
        row.base, row.new = base.value, new.value
        word = "zero or less" if min(medians) <= 0 else "out of all proportion"
        row.reason = f"the median of a process is {word}, so there is no ratio"
        return row
    logs = [[math.log(value) for value in point.medians] for point in (base, new)]
    row.base, row.new = (exp(fmean(side)) for side in logs)
    row.ratio = row.new / row.base
    if min(map(len, logs)) < 2:
        row.verdict, row.processes_needed = "UNDECIDED", 5
        row.reason = f"no interval: {len(logs[0])} against {len(logs[1])} processes"
        return row
    difference, half = welch(*logs)
    _decide(row, difference, half, math.log1p(margin), margin)
    if row.verdict == "UNDECIDED":
        spread = math.sqrt((variance(logs[0]) + variance(logs[1])) / 2)
        row.processes_needed = processes_needed(spread, difference, math.log1p(margin))
        needed = f"about {row.processes_needed}" if row.processes_needed else f"over {MOST_PROCESSES}"
        row.reason += f"; {needed} processes per side would decide"
    if row.flags and row.verdict != "SAME":
        row.reason += f" (flagged: {', '.join(row.flags)})"
    return row


def _decide(row: Row, difference: float, half: float, limit: float, margin: float) -> None:
    low, high = difference - half, difference + half
    row.low, row.high = exp(low), exp(high)
    up, down = ("FASTER", "SLOWER") if row.better == "higher" else ("SLOWER", "FASTER")
    if -limit <= low and high <= limit:
        row.verdict, row.reason = "SAME", f"inside ±{number(margin * 100, 3)} %"
    elif low > limit or high < -limit:
        row.verdict = up if low > limit else down
        edge = row.low if low > limit else row.high
        row.reason = f"{percent(row.ratio)}, at the least {percent(edge)}"
    elif low > 0 or high < 0:
        row.verdict, row.reason = "SMALL", f"a real change of {percent(row.ratio)}, not surely beyond the margin"
    else:
        row.verdict = "UNDECIDED"
        row.reason = f"between {percent(row.low)} and {percent(row.high)}"


def percent(ratio: float) -> str:
    change = (ratio - 1) * 100
    return f"{change:+.0f} %" if abs(change) >= 100 else f"{change:+.2f} %"


def compare(
    base: Archive, new: Archive, margin: float, probes: set[str] | None = None, pattern: str = ""
) -> Comparison:
    """All cases of both, in order of probe and then of the files. probes: of these only. What is returned keeps no
    case of the archives."""
    wanted = re.compile(pattern)
    sides = [
        {p.key: p for p in archive.points if (probes is None or p.probe in probes) and wanted.search(p.name)}
        for archive in (base, new)
    ]
    absences = [_absences(archive) for archive in (base, new)]
    rows = []
    for key in dict.fromkeys((*sides[0], *sides[1])):
        old, young = (side.get(key) for side in sides)
        if old and young:
            rows.append(judge(old, young, margin))
        else:
            rows.append(_alone(old, young, absences[1 if old else 0].get(key, "not measured")))
    rows.sort(key=lambda row: row.probe)
    return Comparison(base.without_cases(), new.without_cases(), differing_facts(base, new), rows)


def _absences(archive: Archive) -> dict[tuple, str]:
    """Why a case has no result: it was waived, or it failed."""
    return {absence.key: f"{absence.kind}: {absence.reason}" for absence in archive.waived + archive.failed}


def _alone(old: Point | None, young: Point | None, why: str) -> Row:
    point = old or young
    row = Row(point.probe, point.label, point.metric, point.better, "MISSING" if old else "NEW", why)
    row.reason += " (in the new archive)" if old else " (in the base)"
    if old:
        row.base, row.base_processes = old.value, len(old.medians)
    else:
        row.new, row.new_processes = young.value, len(young.medians)
    return row


def _flat(prefix: str, value) -> dict[str, str]:
    if isinstance(value, dict):
        return {k: v for name, part in value.items() for k, v in _flat(f"{prefix}.{name}", part).items()}
    if isinstance(value, list):
        value = " ".join(map(str, value)) or "none"
    return {prefix: "unknown" if value is None else str(value)}


def facts(archive: Archive) -> dict[str, str]:
    """Everything about a run that may explain a difference, as flat texts."""
    run = archive.run
    result = {"provenance": run["provenance"]}
    for part in ("device", "driver", "environment", "program"):
        result |= _flat(part, run[part])
    result |= {"quick": str(run["quick"]).lower(), "processes": str(archive.processes)}
    result["complete"] = archive.incomplete or "true"
    clocks = archive.clocks
    for name, known in (("clocks.sm_MHz", clocks.sm_mhz), ("clocks.memory_MHz", clocks.memory_mhz)):
        # Three figures: a clock that wanders by less explains nothing.
        result[name] = f"{float(f'{median(known):.3g}'):.0f}" if known else "unknown"
    result["clocks.throttle_reasons"] = " ".join(sorted(clocks.throttle_reasons)) or "none"
    return result


def differing_facts(base: Archive, new: Archive) -> list[tuple[str, str, str]]:
    old, young = facts(base), facts(new)
    moving = re.compile(r"temperature|power|uptime|load|free|pid$|started")
    return [
        (name, old.get(name, "not reported"), young.get(name, "not reported"))
        for name in dict.fromkeys((*old, *young))
        if old.get(name) != young.get(name) and not moving.search(name)
    ]
