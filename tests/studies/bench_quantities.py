"""200 chips with random parameters, every quantity held against the truth. Not a test: it takes some ten minutes, with
--search a quarter of an hour. test_quantities.py does the same with a few chips.

    PYTHONPATH=plot:plot/tests python tests/studies/bench_quantities.py PROGRAM [--search] [CHIPS]

PROGRAM is build/bin/gpufx. It measures one synthetic device of each of four geometries, so that names, counts of the
laws and bytes of the cases are the program's own; the costs are then those of planted_quantities.Chip. --search: it
measures each chip itself, the probes that search for sizes, and how wide the brackets are is printed, too.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gpufx_plot.archive.load import Archive, load
from gpufx_plot.chip.quantities import infer
from planted_quantities import ROOT, Chip, Oracle, Tally, weigh

# banks, bytes of a sector, bytes of a line
GEOMETRIES = ((32, 32, 128), (16, 32, 128), (32, 64, 256), (64, 32, 64))
CHIPS = 200
PROBES = ("memory_latency", "carveout", "constant", "readonly", "transfer")
NARROW = 0.0101  # of where it lies, a granule's rounding included


def measured(program: str, folder: Path, name: str, device: dict, *words: str) -> Archive:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(device))
    out = folder / name
    command = [program, "run", "--device", f"synthetic:{path}", "--out", str(out), *words]
    # A slope that is steeper than the intercept allows makes costs below zero: these cases fail, and the status is 1.
    if (done := subprocess.run(command, capture_output=True, check=False)).returncode > 1:
        raise RuntimeError(done.stderr.decode())
    return load(next(out.glob("*.jsonl.gz")))


def generic() -> dict:
    return json.loads((ROOT / "harness/core/synthetic/generic.json").read_text())


def template(program: str, folder: Path, geometry: tuple[int, int, int]) -> Archive:
    device, (banks, sector, line) = generic(), geometry
    device["facts"]["geometry"] |= {"banks": banks, "sector_bytes": sector, "line_bytes": line}
    device["models"] = [{"a": 40, "b": 2}]
    return measured(program, folder, f"{banks}_{sector}_{line}", device, "--samples", "2")


def searched(program: str, folder: Path, chip: Chip) -> Archive:
    """The chip's models as a synthetic device, with noise, outliers and spread. Without its drift: 100 samples drift
    farther than those of a planted chip, and no interval holds the truth then."""
    models = [
        model
        | {
            "probe": probe,
            "noise_pct": model.get("noise_pct", 0) * chip.noise,
            "process_spread_pct": model.get("process_spread_pct", 0) * chip.spread,
            "outlier_probability": chip.outliers,
            "outlier_factor": 2,
        }
        for probe in PROBES
        for model in chip.models[probe]
    ]
    words = [*PROBES, "--seed", str(chip.seed), "--processes", str(chip.processes)]
    return measured(program, folder, f"chip{chip.seed}", generic() | {"models": models}, *words)


def narrow(estimate, points) -> bool:
    """Whether a bracket is as narrow as a search makes it: a granule is a row of 256 bytes, or a page."""
    if estimate.low is None or estimate.high is None:
        return True
    granule = max(256, *(p.params.get("stride", 0) for p in points))
    return estimate.high - estimate.low <= max(granule, NARROW * estimate.high)


def main(program: str, *options: str) -> None:
    search, chips = "--search" in options, int(next((word for word in options if word.isdigit()), CHIPS))
    tally, brackets = Tally(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        templates = [template(program, Path(folder), geometry) for geometry in GEOMETRIES if not search]
        for seed in range(chips):
            chip = Chip(seed)
            archive = searched(program, Path(folder), chip) if search else chip.archive(templates[seed % 4])
            oracle, found = Oracle(chip, archive), infer(archive)
            weigh(chip, oracle, found, tally)
            for q in found if search else ():
                if q.definition.by in ("change", "crossing") and q.determined:
                    brackets["narrow" if narrow(q.estimate, oracle.selected(q.definition)) else q.id] += 1
    found = tally.inside + tally.outside
    print(f"{chips} chips: {tally.inside} of {found} truths inside ({100 * tally.inside / found:.2f} %)")
    print(f"not determined: {tally.refused.total()} rightly, {tally.wrongly_refused} wrongly")
    for why, count in tally.refused.most_common():
        print(f"  {count} x {why}")
    if search:
        print(f"brackets: {brackets['narrow']} of {brackets.total()} as narrow as 1 % or a granule; wider: {brackets}")
    for miss in tally.misses[:50]:
        print("   ", miss)


if __name__ == "__main__":
    main(*sys.argv[1:])
