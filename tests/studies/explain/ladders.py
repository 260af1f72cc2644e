"""The table of docs/explain_ladders.md: what `gpufx explain` says at each rung of a public ladder, and what the next
rung gained, from the table that times.py writes.

python tests/studies/explain/ladders.py < results/traces/times.txt
"""

import sys

LADDERS = {
    "hardware-effects-gpu: stride over banks": ["hw_bank_32", "hw_bank_8", "hw_bank_2", "hw_bank_1"],
    "hardware-effects-gpu: stride in global memory": ["hw_coal_32", "hw_coal_8"],
    "How_to_optimize_in_GPU: reduction": [f"lx_reduce_v{n}" for n in (0, 1, 3, 4, 5, 7)],
    "CUDA_Freshman: reduction in place": [
        f"fr_reduceInteger {name}" for name in ("reduceNeighbored", "reduceNeighboredLess", "reduceInterleaved")
    ],
    "CUDA_Freshman: reduction, unrolled": [
        f"fr_reduceUnrolling {name}"
        for name in ("reduceUnroll2", "reduceUnroll4", "reduceUnroll8", "reduceUnrollWarp8")
    ],
    "CUDA samples: transpose": [
        f"cs_transpose {name}" for name in ("transposeNaive", "transposeCoalesced", "transposeNoBankConflicts")
    ],
}
UNITS = {"µs": 1.0, "ms": 1e3}


def times(text: str) -> dict[str, tuple[str, str, str]]:
    """Measured, predicted and bound, by program, and by program and kernel."""
    found = {}
    for row in text.splitlines()[2:]:
        cells = [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        if len(cells) > 5:
            found.setdefault(cells[0], (cells[2], cells[3], cells[5]))
            found[f"{cells[0]} {cells[1]}"] = cells[2], cells[3], cells[5]
    return found


def us(text: str) -> float:
    number, unit = text.split()
    return float(number) * UNITS[unit]


def main() -> None:
    known = times(sys.stdin.read())
    head = ("ladder, rung", "measured", "predicted", "bound, predicted", "next rung is faster", "predicted")
    rows = [head, ("---",) * len(head)]
    for ladder, rungs in LADDERS.items():
        rows.append((f"**{ladder}**", *("",) * (len(head) - 1)))
        there = [(rung, known[rung]) for rung in rungs if rung in known]
        for at, (rung, (measured, predicted, bound)) in enumerate(there):
            gains = ("-", "-")
            if at + 1 < len(there):
                after = there[at + 1][1]
                gains = tuple(f"{us(a) / us(b):.2f}x" for a, b in zip((measured, predicted), after[:2], strict=True))
            rows.append((f"`{rung.split()[-1]}`", measured, predicted, bound, *gains))
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
