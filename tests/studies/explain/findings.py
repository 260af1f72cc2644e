"""The table of docs/explain_pytorch.md: what `gpufx explain` says of a trace, a row a kernel.

gpufx explain TRACE --archive h200 --json | python findings.py
"""

import json
import re
import sys

HEAD = (
    "kernel of PyTorch",
    "launches",
    "measured",
    "predicted",
    "bound by",
    "costliest line",
    "now, best",
    "saves at most",
)


def us(ns: float | None, launches: int) -> str:
    return "-" if ns is None else f"{ns / launches / 1e3:.3g} µs"


def name(text: str) -> str:
    """The function's own name, without namespaces, types and what a compiler wrote behind it."""
    text = re.sub(r"\(anonymous namespace\)::", "", text)
    found = re.search(r"([A-Za-z_0-9]+)(?=[<(]|$)", text.removeprefix("void ").split("<")[0].split("::")[-1])
    return f"`{(found.group(1) if found else text)[:40]}`"


def row(kernel: dict) -> list[str]:
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


def main() -> None:
    kernels = json.load(sys.stdin)["answer"]["kernels"]
    rows = [HEAD, ["---"] * len(HEAD), *map(row, kernels)]
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
