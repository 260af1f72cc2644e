"""The table of docs/explain.md: what a trace's accesses take by the archive's rates, beside the measured time, of the
rungs of micro/algorithm.

gpufx explain TRACE --archive h200 --json | python rungs.py
"""

import json
import re
import sys

HEAD = ("kernel", "measured", "predicted", "predicted over measured", "bound by")


def short(name: str) -> str:
    """Without its parameters."""
    return re.sub(r"\((?!anonymous).*", "", name)


def us(ns: float) -> str:
    return f"{ns / 1e3:.3g} µs"


def main() -> None:
    rows = [HEAD, ["---"] * len(HEAD)]
    for kernel in sorted(json.load(sys.stdin)["answer"]["kernels"], key=lambda one: one["name"]):
        if kernel["measured_ns"]:
            measured, predicted = (kernel[key] / kernel["launches"] for key in ("measured_ns", "predicted_ns"))
            bound = "not memory" if kernel["explained"] < 0.5 else kernel["bound"]
            times = us(measured), us(predicted), f"{kernel['explained']:.2f}"
            rows.append((f"`{short(kernel['name'])}`", *times, bound))
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
