"""Tables of the pages on explain: `python tables.py TABLE < INPUT`.

findings   docs/explain_pytorch.md: what `gpufx explain TRACE --archive h200 --json` says, a row a kernel
savings    docs/explain.md: of a trace of pairs.cu with times, what it says that a cure saves at most, and what it saved
ladders    docs/explain_ladders.md: what it says at each rung of a public ladder, and what the next rung gained, from
           the table that times.py writes (results/traces/times.txt)
"""

import json
import re
import sys

FINDINGS = (
    "kernel of PyTorch",
    "launches",
    "measured",
    "predicted",
    "bound by",
    "costliest line",
    "now, best",
    "saves at most",
)
SAVINGS = ("pair", "measured", "predicted", "measured saving", "estimated", "at most", "estimated over measured")
RUNGS = ("ladder, rung", "measured", "predicted", "bound, predicted", "next rung is faster", "predicted")
PAIRS = (
    ("transpose_direct", "transpose_padded"),
    ("transpose_tile", "transpose_padded"),
    ("points_structures", "points_arrays"),
    ("copy_rows", "copy_side_by_side"),
    ("fields_narrow", "fields_wide"),
    ("columns_conflicting", "columns_padded"),
    ("hidden_conflicting", "hidden_padded"),
)
LADDERS = {
    "hardware-effects-gpu: stride over banks": [f"hw_bank_{n}" for n in (32, 8, 2, 1)],
    "hardware-effects-gpu: stride in global memory": [f"hw_coal_{n}" for n in (32, 16, 8, 4, 1)],
    "How_to_optimize_in_GPU: reduction": [f"lx_reduce_v{n}" for n in range(8)],
    "SGEMM_CUDA: matrix product": [f"sg_{n}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 10)],
    "CUDA samples: transpose": [
        f"cs_transpose {name}" for name in ("transposeNaive", "transposeCoalesced", "transposeNoBankConflicts")
    ],
}


def us(ns: float | None, launches: int = 1) -> str:
    return "-" if ns is None else f"{ns / launches / 1e3:.3g} µs"


def kernels() -> list[dict]:
    return json.load(sys.stdin)["answer"]["kernels"]


# ---- Findings ----


def name(text: str) -> str:
    """The function's own name, without namespaces, types and what a compiler wrote behind it."""
    text = re.sub(r"\(anonymous namespace\)::", "", text)
    found = re.search(r"([A-Za-z_0-9]+)(?=[<(]|$)", text.removeprefix("void ").split("<")[0].split("::")[-1])
    return f"`{(found.group(1) if found else text)[:40]}`"


def finding(kernel: dict) -> list[str]:
    lines = [line for line in kernel["lines"] if line["executed"]]
    top = max(lines, key=lambda line: (line["saved"] or 0, line["share"] or 0), default=None)
    cells = [name(kernel["name"]), str(kernel["launches"])]
    cells += [us(kernel["measured_ns"], kernel["launches"]), us(kernel["predicted_ns"], kernel["launches"])]
    cells.append(kernel["bound"] or "not explained")
    if top is None or top["count"] is None:
        return [*cells, "-", "-", "-"]
    each = f"{top['count'] / top['executed']:.3g}, {(top['best_count'] or 0) / top['executed']:.3g} {top['unit']}"
    saved = "hidden" if top["hidden_by"] else f"{100 * (top['saved'] or 0):.2g} %"
    return [*cells, f"{top['space']} {top['op']}", each, saved]


def findings() -> list:
    return [FINDINGS, *map(finding, kernels())]


# ---- Savings ----


def saving(of: dict[str, dict], costly: str, cured: str) -> list[str]:
    """Times of one launch. Of the costly kernel's lines, the one that could save most."""
    before, after = of[costly], of[cured]
    measured = [kernel["measured_ns"] / kernel["launches"] for kernel in (before, after)]
    predicted = [kernel["predicted_ns"] / kernel["launches"] for kernel in (before, after)]
    top = max(before["lines"], key=lambda line: line["saved_ns"] or 0)
    saved, at_most = (measured[0] - measured[1], (top["saved_ns"] or 0) / before["launches"])
    estimate = (top["estimated"] or 0) * measured[0]
    ratio = f"{estimate / saved:.2f}" if saved > 0 else "-"
    said = ["hidden", "hidden", "-"] if top["hidden_by"] else [us(estimate), us(at_most), ratio]
    times = [f"{us(first)}, {us(second)}" for first, second in (measured, predicted)]
    return [f"`{costly}`, `{cured}`", *times, us(saved), *said]


def savings() -> list:
    of = {kernel["name"].split("(")[0]: kernel for kernel in kernels()}
    return [SAVINGS, *(saving(of, *pair) for pair in PAIRS)]


# ---- Ladders ----


def times(text: str) -> dict[str, tuple[str, str, str]]:
    """Measured, predicted and bound, by program, and by program and kernel; the first is the newest."""
    found = {}
    for row in text.splitlines()[2:]:
        cells = [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        if len(cells) > 5:
            found.setdefault(cells[0], (cells[2], cells[3], cells[5]))
            found.setdefault(f"{cells[0]} {cells[1]}", (cells[2], cells[3], cells[5]))
    return found


def faster(before: str, after: str) -> str:
    """How many times, of two times with their units."""
    first, second = (float(number) * {"µs": 1.0, "ms": 1e3}[unit] for number, unit in map(str.split, (before, after)))
    return f"{first / second:.2f}x"


def ladders() -> list:
    known, rows = times(sys.stdin.read()), [RUNGS]
    for ladder, rungs in LADDERS.items():
        rows.append((f"**{ladder}**", *("",) * (len(RUNGS) - 1)))
        there = [(rung, known[rung]) for rung in rungs if rung in known]
        after = [known[rung][:2] for rung, _ in there[1:]]
        for (rung, (measured, predicted, bound)), faster_ones in zip(there, [*after, None], strict=True):
            gains = map(faster, (measured, predicted), faster_ones) if faster_ones else ("-", "-")
            rows.append((f"`{rung.split()[-1]}`", measured, predicted, bound, *gains))
    return rows


if __name__ == "__main__":
    head, *rows = {"findings": findings, "savings": savings, "ladders": ladders}[sys.argv[1]]()
    print("\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)))
