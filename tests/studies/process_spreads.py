"""How far processes of one run differ, by probe: plot/tests/data/process_spreads.json, by the archives of the tree that
have several.

    PYTHONPATH=plot python tests/studies/process_spreads.py >plot/tests/data/process_spreads.json

Of each case the standard deviation of the logarithms of its processes' medians; of each probe the 5th, 15th, ... 95th
percentile of these. Tests read the file, so that an archive that comes or goes changes none of them.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from gpufx_plot.archive.load import Archive, load
from gpufx_plot.call.program import root

SHARES = range(5, 100, 10)


def spreads(archives: Iterable[Archive]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for archive in archives:
        for point in archive.points:
            if len(point.medians) > 1 and min(point.medians) > 0:
                found[point.probe].append(np.std(np.log(point.medians), ddof=1))
    return {probe: [float(f"{x:.3g}") for x in np.percentile(found[probe], SHARES)] for probe in sorted(found)}


def text_of(archives: list[Archive]) -> str:
    rows = (f"    {json.dumps(probe)}: {json.dumps(row)}" for probe, row in spreads(archives).items())
    runs = json.dumps([archive.run["id"] for archive in archives])
    return f'{{\n  "runs": {runs},\n  "spreads": {{\n' + ",\n".join(rows) + "\n  }\n}\n"


def main() -> int:
    read = [load(path) for path in sorted((root() / "results").glob("sm_*/*/*.jsonl.gz"))]
    sys.stdout.write(text_of([archive for archive in read if archive.processes > 1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
