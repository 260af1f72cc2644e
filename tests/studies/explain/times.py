"""The table of docs/explain.md: predicted and measured time, and the bound, of kernels that were not written for gpufx.

python times.py ARCHIVE FOLDER [JUDGED]      FOLDER: NAME.fxtrace, and NAME.csv or not, for each program

NAME.csv is what `ncu --csv --page raw --clock-control none --metrics ...` printed of a run that recorded nothing;
without it the measured time is the trace's own, and no counter names the bound. It empties the caches before it counts,
so the bound that is compared with its counters is that of a replay which begins with an empty L2; times are not.
JUDGED: a regular expression of the names that were kept back while the rules of the replay were written. A row per
program and kernel, of the shape that takes longest."""

import csv
import re
import sys
from multiprocessing import Pool
from pathlib import Path
from statistics import fmean

from gpufx_plot.explain.demangled import bare_name, demangled
from gpufx_plot.explain.played import FULL, bound
from gpufx_plot.explain.trace_costs import costs_of

HEAD = (
    "program",
    "kernel",
    "measured",
    "predicted",
    "predicted over measured",
    "bound, predicted",
    "bound, by counters",
)
US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6, "nsecond": 1e-3, "usecond": 1.0, "msecond": 1e3, "second": 1e6}
STALLS = {
    "global memory": ("long_scoreboard", "lg_throttle", "drain"),
    "shared memory": ("short_scoreboard", "mio_throttle"),
    "barriers": ("barrier",),
    "dependent arithmetic": ("wait", "branch_resolving"),
    "arithmetic units": ("math_pipe_throttle",),
}

ALIKE = ({"DRAM", "global memory"}, {"special functions and constants", "shared memory"})


def number(text: str | None) -> float:
    return float((text or "0").replace(",", "") or 0)


def measured(path: Path) -> dict[tuple, dict]:
    """By kernel, grid and block: the counters of the launch with the median time."""
    names, units, *rows = [*csv.reader(path.open())] or [[], []]
    found: dict[tuple, list[dict]] = {}
    for row in rows:
        one = dict(zip(names, row, strict=True))
        unit = dict(zip(names, units, strict=True))["gpu__time_duration.sum"]
        one["us"] = number(one["gpu__time_duration.sum"]) * US[unit]
        key = (plain(one["Kernel Name"]), shape(one["Grid Size"]), shape(one["Block Size"]))
        found.setdefault(key, []).append(one)
    return {key: sorted(all_, key=lambda one: one["us"])[(len(all_) - 1) // 2] for key, all_ in found.items()}


def plain(name: str) -> str:
    return re.sub(r"[<(].*", "", bare_name(name))


def shape(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def by_counters(one: dict) -> str:
    """The bound as the counters name it; empty: they were not asked."""
    if number(one.get("smsp__issue_active.avg.pct_of_peak_sustained_elapsed")) > 100 * FULL:
        return "issue slots"
    if number(one.get("dram__throughput.avg.pct_of_peak_sustained_elapsed")) > 100 * FULL:
        return "DRAM"
    stall = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio".format
    sums = {name: sum(number(one.get(stall(reason))) for reason in reasons) for name, reasons in STALLS.items()}
    return max(sums, key=sums.__getitem__) if any(sums.values()) else ""


def by_replay(time) -> str:
    """Starts are left out: while a kernel starts, no counter of stalls counts."""
    return bound({**time.parts, "starts": 0.0}, time.held, time.dram)


def alike(predicted: str, counted: str) -> bool:
    """Profilers count special functions and constants as they do shared memory."""
    return predicted == counted or {predicted, counted} in ALIKE


def rows_of(trace: Path, archive: str) -> list[tuple]:
    found = {}
    costs, _ = costs_of(trace, archive, None, None)
    kernels = {kernel.id: plain(kernel.shown or demangled(kernel.name)) for kernel in costs.kernels}
    counters = trace.with_suffix(".csv")
    counted = measured(counters) if counters.is_file() else {}
    cold = {one.id: one.time for one in costs_of(trace, archive, None, None, cold=True)[0].launches} if counted else {}
    for launch in costs.launches:
        name = kernels[launch.kernel]
        one = counted.get((name, launch.grid, launch.block), {})
        us = (launch.time_ns or 0.0) / 1e3 or one.get("us", 0.0)
        if launch.time and us > found.get(name, (0, 0, 0.0))[2]:
            named = by_replay(cold.get(launch.id) or launch.time)
            found[name] = (trace.stem, name, us, launch.time, named, by_counters(one))
    return [*found.values()]


def is_explained(time) -> bool:
    """What explain answers with a time whatever was measured."""
    return time.ns is not None and not time.unknown and not time.managed


def summary(title: str, rows: list[tuple]) -> str:
    known = [row for row in rows if is_explained(row[3])]
    off = [abs(row[3].ns / 1e3 / row[2] - 1) for row in known]
    named = [row[4:] for row in known if row[5]]
    half = sum(row[3].ns / 1e3 < row[2] / 2 for row in known)
    right = sum(alike(*both) for both in named)
    within = {share: sum(x <= share for x in off) for share in (0.25, 0.15)}
    return (
        f"{title}: {len(rows)} kernels, {len(rows) - len(known)} of them not explained; "
        f"within 25 % {within[0.25]}, within 15 % {within[0.15]}, mean absolute error {100 * fmean(off or [0]):.1f} %, "
        f"under half {half}" + (f"; bound as the counters name it {right} of {len(named)}" if named else "")
    )


def main() -> None:
    archive, folder = sys.argv[1], Path(sys.argv[2])
    judged = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    with Pool() as pool:
        found = pool.starmap(rows_of, [(path, archive) for path in sorted(folder.glob("*.fxtrace"))], 1)
    rows = [row for of in found for row in of]
    print("\n".join(f"| {' | '.join(cells)} |" for cells in (HEAD, ["---"] * len(HEAD))))
    for name, kernel, us, time, named, counted in rows:
        known = is_explained(time)
        predicted = (
            [f"{time.ns / 1e3:.3g} µs", f"{time.ns / 1e3 / us:.2f}", named]
            if known
            else ["-", "-", time.unknown or "it accesses managed memory"]
        )
        print(f"| {' | '.join([name, f'`{kernel[:28]}`', f'{us:.3g} µs', *predicted, counted or '-'])} |")
    print()
    for title, of in (
        ("judged", [x for x in rows if judged.match(x[0])]),
        ("looked at", [x for x in rows if not judged.match(x[0])]),
    ):
        print(f"{summary(title, of)}\n" if of else "", end="")


if __name__ == "__main__":
    main()
