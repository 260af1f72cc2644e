"""200 chips with random parameters and four geometries, every quantity held against the truth. Not a
test: it takes some ten minutes. test_quantities.py does the same with a few chips.

    PYTHONPATH=plot:plot/tests python tests/studies/bench_quantities.py PROGRAM [CHIPS]

PROGRAM is build/bin/gpufx. It measures one synthetic device of each geometry, so that names, counts of the laws and
bytes of the cases are the program's own; the costs are then those of planted_quantities.Chip.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gpufx_plot.archive.load import load
from planted_quantities import ROOT, Tally, judge

# banks, bytes of a sector, bytes of a line
GEOMETRIES = ((32, 32, 128), (16, 32, 128), (32, 64, 256), (64, 32, 64))
CHIPS = 200


def template(program: str, folder: Path, geometry: tuple[int, int, int]):
    device = json.loads((ROOT / "harness/core/synthetic/generic.json").read_text())
    banks, sector, line = geometry
    device["facts"]["geometry"] |= {"banks": banks, "sector_bytes": sector, "line_bytes": line}
    device["name"] = f"Synthetic {banks} {sector} {line}"
    device["models"] = [{"a": 40, "b": 2}]
    path = folder / f"{banks}_{sector}_{line}.json"
    path.write_text(json.dumps(device))
    words = [program, "run", "--device", f"synthetic:{path}", "--out", str(folder / path.stem), "--samples", "2"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return load(next((folder / path.stem).glob("*.jsonl.gz")))


def main(program: str, chips: int = CHIPS) -> None:
    with tempfile.TemporaryDirectory() as folder:
        templates = [template(program, Path(folder), geometry) for geometry in GEOMETRIES]
        tally = Tally()
        for seed in range(chips):
            judge(seed, templates[seed % len(templates)], tally)
            if seed % 20 == 19:
                print(f"{seed + 1} chips: {tally.inside} inside, {tally.outside} outside", file=sys.stderr)
    found = tally.inside + tally.outside
    print(f"{chips} chips: {tally.inside} of {found} truths inside ({100 * tally.inside / found:.2f} %)")
    print(f"not determined: {tally.refused.total()} rightly, {tally.wrongly_refused} wrongly")
    for why, count in tally.refused.most_common():
        print(f"  {count} x {why}")
    for (name, processes), count in Counter((name, processes) for _, processes, name, _ in tally.misses).most_common():
        print(f"  {count} x {name}, of {processes} processes")
    for miss in tally.misses[:50]:
        print("   ", miss)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
