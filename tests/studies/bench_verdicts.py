"""What the rules of `compare` are worth on real processes: false alarms of equal sides, and changes that are found.

    bench_verdicts.py ARCHIVE... [--tries 320] [--sizes 1 2 3 5]

The archives are of one model, with two processes or more each. Their processes are laid together, each archive about
its own mean (deviations are widened by the degree of freedom that this takes), and dealt at random: n to the base, n to
the new side, and the rest, three by three, to further archives that tell about spreads. Nothing is drawn that was not
measured; `by probe` deals each probe by itself, which makes more comparisons of few processes.

Printed are the shares of comparisons with any false call: equal sides, and equal sides with a drift of 1 % in each
process or in one of them; and what is found of planted changes, in comparisons and as a share of the planted cases.
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gpufx_plot.archive.load import load
from gpufx_plot.judging.compare import kind_of, timebase_of
from gpufx_plot.judging.levels import cases_of, side
from gpufx_plot.statistics.spread import Side
from gpufx_plot.statistics.verdicts import Found, weigh_all

MARGIN, DRIFT, PER_TEACHER = 0.01, 0.01, 3
PLANTED = "dram_locality", "task:read/"


@dataclass
class Pool:
    """Cases that all archives have, and a column for each of their processes."""

    names: list[tuple[str, str]]  # probe and label
    probe: np.ndarray
    kind: np.ndarray
    timebase: np.ndarray
    sign: np.ndarray
    logs: np.ndarray
    inside: np.ndarray


def numbers(values) -> np.ndarray:
    known: dict = {}
    return np.array([known.setdefault(value, len(known)) for value in values])


def whole(one: Side) -> Side:
    """Without the processes that measured again what needed it, and nothing else."""
    kept = 2 * np.isfinite(one.logs).sum(axis=0) > (one.count > 0).sum()
    return Side(one.logs[:, kept], one.inside[:, kept])


def pooled(sides: list[Side]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Deviations and inside errors of all processes, and which cases each archive has in all of its processes."""
    there = np.all([one.count == one.logs.shape[1] for one in sides], axis=0)
    wider = [math.sqrt(one.logs.shape[1] / (one.logs.shape[1] - 1)) for one in sides]
    logs = [w * (one.logs - one.mean[:, None]) for one, w in zip(sides, wider, strict=True)]
    return np.hstack(logs)[there], np.hstack([one.inside for one in sides])[there], there


def read(paths: list[str]) -> Pool:
    archives = [load(path) for path in paths]
    points = [point for point in archives[0].points if min(point.medians) > 0]
    logs, inside, there = pooled([whole(side(cases_of(archive, points))) for archive in archives])
    kept = [point for point, has in zip(points, there, strict=True) if has]
    return Pool(
        [(p.probe, p.label) for p in kept],
        numbers(p.probe for p in kept),
        numbers(kind_of(p.probe, p.metric, p.label) for p in kept),
        numbers(timebase_of(archives[0], p) for p in kept),
        np.array([1 if p.better == "lower" else -1 for p in kept]),
        logs,
        inside,
    )


def dealt(rng, pool: Pool, by_probe: bool) -> tuple[np.ndarray, np.ndarray]:
    """The processes in a random order; by probe: in another one for each probe."""
    processes = pool.logs.shape[1]
    orders = np.array([rng.permutation(processes) for _ in range(pool.probe.max() + 1)])
    order = orders[pool.probe if by_probe else np.zeros_like(pool.probe)]
    return np.take_along_axis(pool.logs, order, axis=1), np.take_along_axis(pool.inside, order, axis=1)


def compared(pool: Pool, logs: np.ndarray, inside: np.ndarray, size: int) -> Found:
    parts = [slice(0, size), slice(size, 2 * size)]
    parts += [slice(at, at + PER_TEACHER) for at in range(2 * size, logs.shape[1] - 1, PER_TEACHER)]
    base, new, *rest = (Side(logs[:, part], inside[:, part]) for part in parts)
    return weigh_all(pool.probe, pool.kind, pool.timebase, pool.sign, base, new, MARGIN, rest)


def null(rng, pool: Pool, size: int, tries: int, by_probe: bool = False, drift: str = "") -> float:
    """The share of comparisons of equal sides with any call, of a case or of all times."""
    alarms = 0
    for _ in range(tries):
        logs, inside = dealt(rng, pool, by_probe)
        if drift == "each":
            logs = logs + rng.normal(0, DRIFT, logs.shape[1])
        elif drift == "one":
            logs[:, size + rng.integers(size)] += DRIFT
        found = compared(pool, logs, inside, size)
        alarms += bool(found.how.any()) or any(one.beyond for one in found.common)
    return alarms / tries


def power(rng, pool: Pool, size: int, tries: int, change: float, one: bool = False) -> tuple[float, float]:
    """Of comparisons with a planted change: in how many any of it is found, and the share of its cases that is."""
    able = np.array([probe == PLANTED[0] and label.startswith(PLANTED[1]) for probe, label in pool.names])
    any_found, share = 0, 0.0
    for _ in range(tries):
        logs, inside = dealt(rng, pool, False)
        planted = np.isin(np.arange(len(able)), rng.choice(np.flatnonzero(able))) if one else able
        logs[planted, size : 2 * size] += math.log1p(change)
        how = compared(pool, logs, inside, size).how[planted] > 0
        any_found, share = any_found + bool(how.any()), share + how.mean()
    return any_found / tries, share / tries


def table(pool: Pool, sizes: list[int], tries: int, seed: int = 1) -> Iterator[str]:
    """Line by line. The changes take a quarter of the tries: their shares need not be known as well."""
    rng = np.random.default_rng(seed)
    head = ("processes", "equal", "by probe", "drift of each", "drift of one")
    planted = [(0.03, False), (0.05, False), (0.05, True), (0.10, True)]
    head += tuple(f"{'one read' if one else 'all reads'} {100 * change:g} %" for change, one in planted)
    yield "| " + " | ".join(head) + " |\n|---|" + "--:|" * (len(head) - 1)
    for size in (size for size in sizes if 2 * size <= pool.logs.shape[1]):
        cells = [null(rng, pool, size, tries, by, drift) for by, drift in ((0, ""), (1, ""), (0, "each"), (0, "one"))]
        shown = [f"{100 * share:.1f} %" for share in cells]
        for change, one in planted:
            found, share = power(rng, pool, size, max(tries // 4, 1), change, one)
            shown.append(f"{100 * found:.0f} %" + ("" if one else f" ({100 * share:.0f} %)"))
        yield f"| {size} and {size} | " + " | ".join(shown) + " |"


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("archives", nargs="+")
    p.add_argument("--tries", type=int, default=320, help="299 without a call bound their rate at 1 %%")
    p.add_argument("--sizes", type=int, nargs="+", default=[1, 2, 3, 5])
    options = p.parse_args()
    pool = read(options.archives)
    print(f"{len(pool.names)} cases, {pool.logs.shape[1]} processes\n")
    for line in table(pool, options.sizes, options.tries):
        print(line, flush=True)


if __name__ == "__main__":
    main()
