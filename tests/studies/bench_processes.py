"""What `--processes auto` saves: the rule of harness/run/plan.c, played over archives of five processes.

    PYTHONPATH=plot python tests/studies/bench_processes.py ARCHIVE...

takes the archive's processes in random orders, begins with two of everything, and goes on with the cases that the rule
wants. Printed: measuring time against that of all five, the cases whose 95 % interval (as compare makes it) is wider
than the precision, with the rule and with five of everything, and how often a mean of fewer processes lies further than
the precision from that of all five.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from gpufx_plot.archive.file import lines_of
from gpufx_plot.archive.load import load
from gpufx_plot.judging.levels import side
from gpufx_plot.statistics.spread import LEAST, Side, spreads
from scipy.special import stdtrit

FIRST, EXPECTED = 2, 4


def durations(path: str) -> dict[tuple, float]:
    """Seconds of each case in each process."""
    seconds = {}
    for line in lines_of(Path(path)):
        if line.startswith(b'{"type":"case"'):
            case = json.loads(line)
            seconds[case["name"], case["process"]] = case["elapsed_s"]
    return seconds


def wanted(kind: np.ndarray, found: Side, precision: float) -> np.ndarray:
    """As fx_plan_repeat_more."""
    known = np.isfinite(found.inside)
    inside = np.where(known, found.inside, 0.0)
    inside = (inside**2).sum(axis=1) / np.maximum(known.sum(axis=1), 1) + LEAST**2
    freedom = found.freedom
    usual = (1 - 2 / (9 * freedom)) ** 3
    ratio = np.empty(len(kind))
    for name in np.unique(kind):
        mine = kind == name
        ratio[mine] = np.median((found.squares / freedom / inside / usual)[mine])
    variance = (found.squares + EXPECTED * ratio * inside) / (freedom + EXPECTED)
    return stdtrit(freedom + EXPECTED, 0.975) * np.sqrt(variance / found.count) > precision


def half_widths(kind: np.ndarray, found: Side) -> np.ndarray:
    spread = spreads(kind, [found])
    return stdtrit(spread.freedom, 0.975) * np.sqrt(spread.variance / found.count)


def played(kind, all_five: Side, order, precision: float) -> Side:
    """What is left of the processes, taken in this order, NaN where a case was not measured."""
    logs, inside = all_five.logs[:, order].copy(), all_five.inside[:, order].copy()
    for process in range(FIRST, logs.shape[1]):
        enough = ~wanted(kind, Side(logs[:, :process], inside[:, :process]), precision)
        logs[enough, process] = inside[enough, process] = np.nan
    return Side(logs, inside)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("archives", nargs="+")
    p.add_argument("--precision", type=float, nargs="+", default=[0.25, 0.5, 1.0], metavar="PCT")
    p.add_argument("--tries", type=int, default=20)
    options = p.parse_args()
    head = ["archive", "precision", "time", "processes per case", "wider", "wider with five", "mean off by more"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for path in options.archives:
        archive, took = load(path), durations(path)
        points = [q for q in archive.points if len(q.medians) == archive.processes and min(q.medians) > 0]
        seconds = np.array([[took[q.name, process] for process in q.processes] for q in points])
        kind = np.unique([q.probe for q in points], return_inverse=True)[1]
        five = side(points)
        for percent in options.precision:
            rng, rows, precision = np.random.default_rng(1), [], percent / 100
            for _ in range(options.tries):
                order = rng.permutation(archive.processes)
                found = played(kind, five, order, precision)
                spent = np.where(np.isfinite(found.logs), seconds[:, order], 0.0).sum() / seconds.sum()
                off = np.abs(found.mean - five.mean) > precision
                wide = [(half_widths(kind, s) > precision).mean() for s in (found, five)]
                rows.append((spent, found.count.mean(), *wide, off.mean()))
            spent, count, wide, before, off = np.mean(rows, axis=0)
            figures = [f"{percent:g} %", f"{100 * spent:.0f} %", f"{count:.2f}", f"{100 * wide:.1f} %"]
            figures += [f"{100 * before:.1f} %", f"{100 * off:.1f} %"]
            print("| " + " | ".join([archive.run["id"], *figures]) + " |")


if __name__ == "__main__":
    main()
