"""What the exponent of a blend and the price of a launch (docs/predict.md) are worth for an algorithm that had no part
in choosing them: exponents.py ARCHIVE...

Each algorithm is left out in turn. The others, of the chip with most archives, choose both by the least median error;
then the one left out is predicted, on every chip, by that choice and by the program's own."""

import sys
from dataclasses import dataclass
from math import inf
from statistics import median, quantiles

from gpufx_plot.archive.load import load
from gpufx_plot.chip.demands import EXPONENT, STARTS, blended, chip_of
from gpufx_plot.chip.predict import TODAY, measured, predict
from gpufx_plot.chip.quantities import infer

EXPONENTS = (1, 1.5, 2, 2.25, 2.5, 2.75, 3, 4, inf)
STARTING = ("copying_kernel", "grid_kernel", "dram_kernel", "kernel_to_kernel", "graph_node")


@dataclass(frozen=True)
class Case:
    chip: str
    algorithm: str
    launches: float
    starts: dict[str, float]  # ns by kind of launch
    parts: tuple[float, ...]
    measured: float

    def error(self, exponent: float, start: str) -> float:
        together = max(self.parts, default=0.0) if exponent == inf else blended(self.parts, exponent)
        return abs((self.launches * self.starts[start] + together) / self.measured - 1)


def cases(path: str):
    archive = load(path)
    found = infer(archive)
    starts = {q.id.removeprefix("launch."): q.estimate.value for q in found if q.estimate}
    starts = {name: starts[name] for name in STARTING if name in starts}
    chip = chip_of(archive, found) if len(starts) == len(STARTING) else None
    for algorithm in measured(archive) if chip else ():
        for case in predict(algorithm, archive, chip, laws=TODAY).cases:
            yield Case(
                archive.slug, algorithm, case.demands[STARTS], starts, tuple(case.time.parts.values()), case.measured
            )


def middle(some: list[Case], *choice) -> float:
    return 100 * median(case.error(*choice) for case in some)


def said(some: list[Case], *choice) -> str:
    return f"{middle(some, *choice):5.1f} {100 * quantiles([c.error(*choice) for c in some], n=10)[-1]:5.1f}"


def main():
    every = [case for path in sys.argv[1:] for case in cases(path)]
    chips = sorted({case.chip for case in every}, key=lambda chip: -sum(case.chip == chip for case in every))
    for exponent in EXPONENTS:
        row = [said([c for c in every if c.chip == chip], exponent, STARTING[0]) for chip in chips]
        print(f"all, n = {exponent:<5}", *row, sep="  ")
    errors = {chip: ([], []) for chip in chips}
    for algorithm in sorted({case.algorithm for case in every}):
        others = [c for c in every if c.chip == chips[0] and c.algorithm != algorithm]
        choice = min(((n, s) for n in EXPONENTS for s in STARTING), key=lambda c: middle(others, *c))
        for chip in chips:
            mine = [c for c in every if c.chip == chip and c.algorithm == algorithm]
            if len(mine) > 1:
                errors[chip][0].extend(c.error(*choice) for c in mine)
                errors[chip][1].extend(c.error(EXPONENT, STARTING[0]) for c in mine)
                print(f"{algorithm} on {chip}: n = {choice[0]}, launch.{choice[1]}:", said(mine, *choice))
    for chip, (chosen, ours) in errors.items():
        ends = [f"{100 * median(e):.1f} {100 * quantiles(e, n=10)[-1]:.1f}" for e in (chosen, ours)]
        print(f"{chip}, {len(chosen)} cases left out: {ends[0]}; by the program: {ends[1]}")


if __name__ == "__main__":
    main()
