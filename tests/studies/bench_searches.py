"""200 chips with random parameters, measured by the program itself with its adaptive search: every quantity of the
probes that search held against the truth, and how wide the brackets are. Not a
test: it takes a quarter of an hour. tests/unit/test_search.c and tests/cli/search.t are the tests.

    PYTHONPATH=plot:plot/tests python tests/studies/bench_searches.py PROGRAM [CHIPS]
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gpufx_plot.archive.load import load
from gpufx_plot.chip.quantities import infer
from planted_quantities import ROOT, Chip, Oracle, Tally, weigh

CHIPS = 200
PROBES = ("memory_latency", "carveout", "constant", "readonly", "transfer")
NARROW = 0.0101  # of where it lies, a granule's rounding included


def measured(program: str, folder: Path, chip: Chip):
    """What the program makes of the chip: its models as a synthetic device, with noise, outliers and spread. Without
    its drift: 100 samples drift farther than those of a planted chip, and no interval holds the truth then."""
    device = json.loads((ROOT / "harness/core/synthetic/generic.json").read_text())
    device["models"] = [
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
    path = folder / f"chip{chip.seed}.json"
    path.write_text(json.dumps(device))
    words = [program, "run", *PROBES, "--device", f"synthetic:{path}", "--out", str(folder / path.stem)]
    words += ["--seed", str(chip.seed), "--processes", str(chip.processes)]
    # A slope that is steeper than the intercept allows makes costs below zero: these cases fail, and the status is 1.
    if (done := subprocess.run(words, capture_output=True, check=False)).returncode > 1:
        raise RuntimeError(done.stderr.decode())
    return load(next((folder / path.stem).glob("*.jsonl.gz")))


def narrow(estimate, points) -> bool:
    """Whether a bracket is as narrow as a search makes it: a granule is a row of 256 bytes, or a page."""
    if estimate.low is None or estimate.high is None:
        return True
    granule = max(256, *(p.params.get("stride", 0) for p in points))
    return estimate.high - estimate.low <= max(granule, NARROW * estimate.high)


def main(program: str, chips: int = CHIPS) -> None:
    tally, brackets, wide = Tally(), 0, Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(chips):
            chip = Chip(seed)
            archive = measured(program, Path(folder), chip)
            found = infer(archive)
            oracle = Oracle(chip, archive)
            weigh(chip, oracle, found, tally)
            for q in found:
                if q.definition.by in ("change", "crossing") and q.determined:
                    brackets += 1
                    wide[q.id] += not narrow(q.estimate, oracle.selected(q.definition))
    found = tally.inside + tally.outside
    print(f"{chips} chips: {tally.inside} of {found} truths inside ({100 * tally.inside / found:.2f} %)")
    print(f"not determined: {tally.refused.total()} rightly, {tally.wrongly_refused} wrongly")
    for why, count in tally.refused.most_common():
        print(f"  {count} x {why}")
    print(f"brackets: {brackets - wide.total()} of {brackets} as narrow as 1 % or a granule")
    for name, count in (+wide).most_common():
        print(f"  {count} x wider: {name}")
    for miss in tally.misses[:50]:
        print("   ", miss)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
