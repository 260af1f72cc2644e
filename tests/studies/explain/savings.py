"""The table of docs/explain.md: what `gpufx explain` says that a cure saves at most, and what it saved, of the pairs of
kernels in pairs.cu, from a trace with times.

gpufx explain TRACE --archive h200 --json | python savings.py
"""

import json
import sys

PAIRS = (
    ("transpose_direct", "transpose_padded"),
    ("transpose_tile", "transpose_padded"),
    ("points_structures", "points_arrays"),
    ("copy_rows", "copy_side_by_side"),
    ("fields_narrow", "fields_wide"),
    ("columns_conflicting", "columns_padded"),
    ("hidden_conflicting", "hidden_padded"),
)
HEAD = ("pair", "measured", "predicted", "measured saving", "estimated", "at most", "estimated over measured")


def us(ns: float) -> str:
    return f"{ns / 1e3:.3g} µs"


def row(kernels: dict[str, dict], costly: str, cured: str) -> list[str]:
    """Times of one launch. Of the costly kernel's lines, the one that could save most."""
    before, after = kernels[costly], kernels[cured]
    measured = [kernel["measured_ns"] / kernel["launches"] for kernel in (before, after)]
    predicted = [kernel["predicted_ns"] / kernel["launches"] for kernel in (before, after)]
    top = max(before["lines"], key=lambda line: line["saved_ns"] or 0)
    saved, at_most = (measured[0] - measured[1], (top["saved_ns"] or 0) / before["launches"])
    estimate = (top["estimated"] or 0) * measured[0]
    ratio = f"{estimate / saved:.2f}" if saved > 0 else "-"
    said = ["hidden", "hidden", "-"] if top["hidden_by"] else [us(estimate), us(at_most), ratio]
    times = [f"{us(first)}, {us(second)}" for first, second in (measured, predicted)]
    return [f"`{costly}`, `{cured}`", *times, us(saved), *said]


def main() -> None:
    kernels = {kernel["name"].split("(")[0]: kernel for kernel in json.load(sys.stdin)["answer"]["kernels"]}
    rows = [HEAD, ["---"] * len(HEAD), *(row(kernels, *pair) for pair in PAIRS)]
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
