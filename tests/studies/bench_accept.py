"""Acceptance end to end: archives of a synthetic device as the program writes them, some of devices with a planted
fault, judged as gpufx accept judges an archive. Not a test: it takes some minutes.

    GPUFX_ROOT=. PYTHONPATH=plot python tests/studies/bench_accept.py PROGRAM [CARDS]

PROGRAM is build/bin/gpufx. A fault makes all cases of the probes longer whose quantities it moves, by as much as the
quantity that it moves most; a ratio within one probe does not notice that.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from faults import Fault, faults
from gpufx_plot.call.program import root
from gpufx_plot.cards.board import Board, board
from gpufx_plot.cards.card_verdict import verdict_on
from gpufx_plot.cards.judge import MARGIN
from gpufx_plot.chip.definitions import of_the_tree

BASE, HEALTHY = 12, 40
SIZES, EACH = (0.05, 0.10, 0.30), 2
SYNTHETIC = "harness/core/synthetic/generic.json"


def probes_of(fault: Fault) -> dict[str, float]:
    """How many times as long the cases of each probe take, at a fault that halves a rate: 2 to this power."""
    found: dict[str, float] = {}
    for effect, definitions in of_the_tree(root()).items():
        for d in definitions:
            if d.id in fault.moves and d.of in ("cost", "rate"):
                found[effect] = max(found.get(effect, 0.0), abs(fault.moves[d.id]))
    return found


def device(folder: Path, fault: Fault, size: float) -> Path:
    data = json.loads((root() / SYNTHETIC).read_text(encoding="utf-8"))
    models = []
    for effect, power in probes_of(fault).items():
        factor = (1 - size) ** -power
        (path,) = root().glob(f"micro/*/{effect}/synthetic.json")
        for model in json.loads(path.read_text(encoding="utf-8")):
            scaled = {key: factor * model[key] for key in ("a", "b") if key in model}
            models.append(model | scaled | {"probe": effect})
    data["models"] = [*models, {"include": "../../../micro/*/*/synthetic.json"}, *data["models"][1:]]
    path = folder / f"{fault.id}_{size:g}.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def measured(program: str, folder: Path, which: str, seed: int, probes: list[str]) -> Board:
    out = folder / f"{seed}"
    words = [program, "run", *probes, "--device", f"synthetic:{which}", "--seed", str(seed), "--out", str(out)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    (path,) = out.glob("*.jsonl.gz")
    return board(path)


def main(program: str, healthy: int = HEALTHY) -> None:
    probes = sorted({effect for fault in faults() for effect in probes_of(fault)})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        seeds = iter(range(1, 10**6))
        base = [measured(program, folder, "generic", next(seeds), probes) for _ in range(BASE)]

        def words(which: str, count: int) -> Counter:
            cards = [measured(program, folder, which, next(seeds), probes) for _ in range(count)]
            return Counter(verdict_on(card, base, MARGIN).word for card in cards)

        print(f"base of {BASE} cards; {healthy} healthy cards: {dict(words('generic', healthy))}")
        for fault in faults():
            if not probes_of(fault):
                print(f"{fault.what}: no synthetic model has what it moves")
                continue
            told = [f"{100 * s:g} %: {dict(words(str(device(folder, fault, s)), EACH))}" for s in SIZES]
            print(f"{fault.what}: {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
