"""Counts of a trace against the counters of Nsight Compute, instruction by instruction.

    ncu --metrics inst_executed,memory_l1_wavefronts_shared,memory_l2_theoretical_sectors_global,\\
        memory_l2_theoretical_sectors_local -f -o report PROGRAM
    python counters.py --rows report.ncu-rep NSIGHT/extras/python > counted.jsonl      where Nsight Compute is
    gpufx explain --blocks all --record all.fxtrace -- PROGRAM
    gpufx trace-cost all.fxtrace --archive h200 > cost.json
    python counters.py cost.json counted.jsonl

A line a kernel: how many instructions have sectors or wavefronts, and how many are more than 1 % off; then those. Of
kernels that are launched several times with one grid the first launch counts on both sides.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

SECTORS = ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_local")
WAVEFRONTS = ("memory_l1_wavefronts_shared",)
CLOSE = 0.01
AT_MOST = 40  # differences that are printed


def rows(report: str, library: str) -> None:
    """What the report has of each instruction, as JSON: by its address within the kernel."""
    sys.path.insert(0, library)
    import ncu_report

    context = ncu_report.load_report(report)
    for action in (of.action_by_idx(i) for of in context for i in range(of.num_actions())):
        found: dict[int, dict] = defaultdict(dict)
        for name in ("inst_executed", *SECTORS, *WAVEFRONTS):
            metric = action.metric_by_name(name)
            for i in range(metric.num_instances() if metric else 0):
                found[metric.correlation_ids().as_uint64(i)][name] = metric.as_uint64(i)
        first = min(found, default=0)
        grid = [action.metric_by_name(f"launch__grid_dim_{axis}").as_uint64() for axis in "xyz"]
        kept = {at - first: of | {"sass": action.sass_by_pc(at)} for at, of in found.items() if len(of) > 1}
        told = {"name": action.name(ncu_report.IAction.NameBase_MANGLED), "grid": grid, "rows": kept}
        print(json.dumps(told))


def compared(mine: list[dict], theirs: dict) -> tuple[Counter, list[str]]:
    """Of one launch."""
    count, off = Counter(), []
    by_place = defaultdict(list)
    for row in mine:
        by_place[str(row["instruction"]["pc"])].append(row)
    for place, counted in theirs["rows"].items():
        of = by_place[place]
        for what, names, key in (("sectors", SECTORS, "sectors"), ("wavefronts", WAVEFRONTS, "wavefronts")):
            spaces = ("global", "local") if what == "sectors" else ("shared", "remote")
            ours = sum(row[key] or 0 for row in of if row["instruction"]["space"] in spaces)
            true = sum(counted.get(name, 0) for name in names)
            count[what] += bool(ours or true)
            if abs(ours - true) > CLOSE * max(ours, true):
                count[f"{what} off"] += 1
                off.append(f"  +{int(place):#x} {counted['sass']}: {true} {what} counted, {ours} by the law")
    return count, off


def main() -> None:
    if sys.argv[1] == "--rows":
        return rows(*sys.argv[2:4])
    cost = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    theirs: dict[tuple, dict] = {}
    for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        theirs.setdefault((one["name"], tuple(one["grid"])), one)
    names = {kernel["id"]: kernel["name"] for kernel in cost["kernels"]}
    total = Counter()
    for launch in cost["launches"]:
        counted = theirs.get((names[launch["kernel"]], tuple(launch["grid"])))
        if counted:
            count, off = compared([row for row in cost["rows"] if row["launch"] == launch["id"]], counted)
            total += count
            print(names[launch["kernel"]][:90], dict(count))
            print("\n".join(off[:AT_MOST]), end="\n" if off else "")
    print("together", dict(total))
    return None


if __name__ == "__main__":
    main()
