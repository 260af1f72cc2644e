"""What the rules of `compare` are worth on real archives: false alarms of equal sides, and changes that are found.

    bench_verdicts.py results/sm_90/nvidia-h200/*.jsonl.gz --apart transfer,memory_latency

prints tables of them. Three rules are held against each other: Welch's t on every case by itself
(what gpufx did at first), Benjamini and Hochberg's choice on the same p, and those of gpufx_plot.statistics.verdicts.

Simulated: processes are drawn anew for every case from the processes that the archive has of it, with replacement and
about their mean ("own", which keeps states and jumps), as Student's t with three degrees of freedom and the same
standard deviation ("t3"), or as whole processes, which keeps what goes on at one time together ("whole").
Real: the archive's processes are dealt to two sides in every possible way; nothing is drawn. Where the command line has
further archives of the device, the last two of them tell about spreads and states ("with other archives").
"""

import argparse
import itertools
import math
from dataclasses import dataclass

import numpy as np
from bench_processes import played
from gpufx_plot.archive.load import load
from gpufx_plot.judging.levels import side
from gpufx_plot.statistics.spread import Side
from gpufx_plot.statistics.verdicts import discoveries, weigh
from scipy.special import stdtr, stdtrit

MARGIN = 0.01
LIMIT = math.log1p(MARGIN)
SIZES = ((5, 5), (3, 3), (2, 2), (5, 1), (2, 1))
HELPED = "gpufx with other archives"
RULES = ("case by case", "BH", "gpufx", HELPED)
TEACHERS = 2
BY_NEED = (("own, auto v auto", (True, True)), ("own, auto v 1", (True, False)))
CHANGES = (("+-2 % in a tenth", 0.02, 0.1), ("+-2 % in a hundredth", 0.02, 0.01), ("+-50 % in a hundredth", 0.5, 0.01))


@dataclass
class Data:
    name: str
    card: str
    slug: str
    keys: list
    probe: np.ndarray
    side: Side


def read(path: str) -> Data:
    archive = load(path)
    points = [p for p in archive.points if len(p.medians) == archive.processes and min(p.medians) > 0]
    device = archive.run["device"]
    keys = [(p.key, p.method_version, p.metric) for p in points]
    probes = np.array([p.probe for p in points])
    return Data(archive.run["id"], device.get("uuid"), device["slug"], keys, probes, side(points))


def taught(data: Data, other: Data) -> Side:
    """What another archive has of the same cases by the same method, NaN where it has nothing."""
    at = {key: i for i, key in enumerate(other.keys)}
    rows = np.array([at.get(key, -1) for key in data.keys])
    logs, inside = other.side.logs[rows], other.side.inside[rows]
    logs[rows < 0] = inside[rows < 0] = np.nan
    return Side(logs, inside)


def welch(base: Side, new: Side) -> tuple[np.ndarray, np.ndarray]:
    """p of a difference beyond the margin, and which cases Welch's 95 % interval puts beyond it."""
    parts = [s.squares / s.freedom / s.count for s in (base, new)]
    error2 = np.maximum(sum(parts), 1e-300)
    freedom = error2**2 / np.maximum(sum(p**2 / s.freedom for p, s in zip(parts, (base, new), strict=True)), 1e-300)
    freedom = np.where(sum(parts) > 0, freedom, 1.0)
    away, error = np.abs(new.mean - base.mean), np.sqrt(error2)
    p = stdtr(freedom, (LIMIT - away) / error) + stdtr(freedom, -(LIMIT + away) / error)
    return p, away - stdtrit(freedom, 0.975) * error > LIMIT


def found_by(kind, base: Side, new: Side, history=()) -> dict[str, np.ndarray]:
    """Which cases each rule calls FASTER or SLOWER, and, of the last, which intervals leave zero out."""
    found = {}
    if min(base.count.min(), new.count.min()) > 1:
        p, alone = welch(base, new)
        found = {"case by case": alone, "BH": discoveries(p)}
    evidence = weigh(kind, base, new, MARGIN)
    found |= {"gpufx": evidence.beyond, "off": np.abs(evidence.difference) > evidence.half}
    if history:
        evidence = weigh(kind, base, new, MARGIN, history)
        found |= {HELPED: evidence.beyond, "off, " + HELPED: np.abs(evidence.difference) > evidence.half}
    return found


def drawn(form: str, rng, data: Data, count: int) -> Side:
    logs, inside = data.side.logs, data.side.inside
    cases, processes = logs.shape
    mean = logs.mean(axis=1, keepdims=True)
    taken = rng.integers(0, processes, (cases, count))
    if form == "t3":
        values = mean + logs.std(axis=1, ddof=1, keepdims=True) * rng.standard_t(3, (cases, count)) / math.sqrt(3)
    else:
        wider = math.sqrt(processes / (processes - 1))
        of = np.broadcast_to(rng.integers(0, processes, count), taken.shape) if form == "whole" else taken
        values = mean + wider * np.take_along_axis(logs - mean, of, axis=1)
    return Side(values, np.take_along_axis(inside, taken, axis=1))


def by_need(kind, five: Side) -> Side:
    """What `--processes auto` would have measured of it."""
    return played(kind, five, np.arange(five.logs.shape[1]), 0.005)


def splits(count: int, sizes: tuple[int, int]):
    """Every way to deal processes to two sides."""
    for first in itertools.combinations(range(count), sizes[0]):
        rest = [i for i in range(count) if i not in first]
        for second in itertools.combinations(rest, sizes[1]):
            if sizes[0] != sizes[1] or first < second:
                yield list(first), list(second)


def part(data: Data, columns: list[int]) -> Side:
    return Side(data.side.logs[:, columns], data.side.inside[:, columns])


class Tally:
    """Results of one table's row, rule by rule."""

    def __init__(self):
        self.values: dict[tuple, list] = {}

    def add(self, rule: str, what: str, value: float) -> None:
        self.values.setdefault((rule, what), []).append(value)

    def mean(self, rule: str, what: str) -> float:
        return float(np.nanmean(self.values.get((rule, what), [math.nan])))


def trial(tally: Tally, rng, kind, apart, base: Side, new: Side, changes=CHANGES, history=()) -> None:
    """Equal sides first, then with changes put into the second one."""
    for rule, found in found_by(kind, base, new, history).items():
        tally.add(rule, "false", found.sum())
        tally.add(rule, "any", found.any())
        tally.add(rule, "share", found.mean())
    for name, size, share in changes:
        changed = rng.random(len(kind)) < share
        shift = np.where(changed, math.log1p(size) * rng.choice([-1, 1], len(kind)), 0.0)
        for rule, found in found_by(kind, base, Side(new.logs + shift[:, None], new.inside), history).items():
            if not rule.startswith("off"):
                tally.add(rule, name, found[changed & ~apart].mean() if (changed & ~apart).any() else math.nan)
                tally.add(
                    rule, f"{name}, apart", found[changed & apart].mean() if (changed & apart).any() else math.nan
                )
                tally.add(rule, "false discoveries", found[~changed].sum() / max(found.sum(), 1))


def show(title: str, rows: list[tuple[str, int, Tally]]) -> None:
    print(f"\n{title}\n")
    head = ["", "tries", "rule", "false", "P(any)", *(n for name, *_ in CHANGES for n in (name, "apart"))]
    head.append("of those found, false")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name, tries, tally in rows:
        for rule in RULES:
            if (rule, "any") in tally.values:
                figures = [f"{tally.mean(rule, 'false'):.2f}", f"{tally.mean(rule, 'any'):.3f}"]
                for change, *_ in CHANGES:
                    figures += [f"{tally.mean(rule, change):.2f}", f"{tally.mean(rule, change + ', apart'):.2f}"]
                figures.append(f"{100 * tally.mean(rule, 'false discoveries'):.1f} %")
                print("| " + " | ".join([name, str(tries), rule, *figures]) + " |")
        off = (
            f"{100 * tally.mean(rule, 'share'):.1f} %"
            for rule in ("off", "off, " + HELPED)
            if (rule, "share") in tally.values
        )
        print(f"  intervals that leave zero out, {name}: {', '.join(off)}")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("archives", nargs="+")
    p.add_argument("--apart", default="", help="probes that stand apart in the shares of changes found")
    p.add_argument("--tries", type=int, default=100, help="of each simulation")
    options = p.parse_args()
    all_data = [read(path) for path in options.archives]
    rng = np.random.default_rng(1)
    for data in all_data:
        cases, processes = data.side.logs.shape
        kind, apart = np.unique(data.probe, return_inverse=True)[1], np.isin(data.probe, options.apart.split(","))
        print(f"\n# {data.name} ({data.slug}): {cases} cases in {processes} processes")
        others = [d for d in all_data if d.slug == data.slug and d is not data and d.side.logs.shape[1] > 1]
        history = [taught(data, other) for other in others[-TEACHERS:]]
        rows = []
        if processes >= 4:
            for form, sizes in itertools.product(("own", "t3", "whole"), SIZES if data is all_data[0] else ()):
                if form == "whole" and min(sizes) < 3:
                    continue  # so few, and one process is often drawn twice
                tally = Tally()
                for i in range(options.tries):
                    base, new = (drawn(form, rng, data, n) for n in sizes)
                    trial(tally, rng, kind, apart, base, new, CHANGES if i % 4 == 0 else ())
                rows.append((f"{form}, {sizes[0]} v {sizes[1]}", options.tries, tally))
            for title, most in BY_NEED if data is all_data[0] else ():
                tally = Tally()
                for i in range(options.tries):
                    base, new = (
                        by_need(kind, drawn("own", rng, data, 5)) if n else drawn("own", rng, data, 1) for n in most
                    )
                    trial(tally, rng, kind, apart, base, new, CHANGES if i % 4 == 0 else (), history)
                rows.append((title, options.tries, tally))
            if rows:
                show("Simulated", rows)
        rows = []
        for sizes in ((a, b) for a in range(processes) for b in range(1, a + 1) if 2 < a + b <= processes):
            tally, dealt = Tally(), list(splits(processes, sizes))
            for columns in dealt:
                trial(tally, rng, kind, apart, *(part(data, c) for c in columns), history=history)
            rows.append((f"{sizes[0]} v {sizes[1]}", len(dealt), tally))
        if rows:
            show("Real: the archive's own processes", rows)
    between(all_data)


def between(all_data: list[Data]) -> None:
    print("\n# Cards of one device: calls of FASTER or SLOWER\n\n| base | new | cases | case by case | BH | gpufx |")
    print("|---|---|---|---|---|---|")
    for base, new in itertools.combinations(all_data, 2):
        if base.slug == new.slug and base.card != new.card:
            at = {key: i for i, key in enumerate(new.keys)}
            rows = [(i, at[key]) for i, key in enumerate(base.keys) if key in at]
            old, young = (np.array(column) for column in zip(*rows, strict=True))
            sides = [Side(d.side.logs[r], d.side.inside[r]) for d, r in ((base, old), (new, young))]
            found = found_by(np.unique(base.probe[old], return_inverse=True)[1], *sides)
            calls = [str(found[rule].sum()) if rule in found else "-" for rule in ("case by case", "BH", "gpufx")]
            sizes = [d.side.logs.shape[1] for d in (base, new)]
            print(f"| {base.name} ({sizes[0]}) | {new.name} ({sizes[1]}) | {len(rows)} | " + " | ".join(calls) + " |")


if __name__ == "__main__":
    main()
