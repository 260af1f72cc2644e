"""What gates say of runs in which nothing changed, and of planted changes; what accept says of planted cards.

    python tests/studies/gates.py PROGRAM BASE NEW [--draws 100] [MORE...]

BASE and NEW are default runs of one card, one after the other. First a table: each row is one call of the program and
one planted archive, all made from this pair, which is one draw. Then dealt pairs: both runs of a pair have the cases of
BASE, and processes that lie about their means as those of some processes of BASE, NEW, the archives of the tree that
compare learns from, and MORE do; a case that one process measures lies as NEW lies from BASE, probe by probe with
either sign. The independent units behind these are the runs, and of cases of one process the one pair.
"""

import argparse
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plot" / "tests"))
from gpufx_plot.archive.load import load
from gpufx_plot.chip.inference import Inference
from gpufx_plot.chip.quantities import infer
from gpufx_plot.judging import fail_on
from gpufx_plot.judging.compare import compare
from gpufx_plot.judging.conditions import parse
from gpufx_plot.judging.levels import load_others
from other_cards import planted
from several import costing

LINK = ("transfer", "overlap", "managed_memory")
NEW_CARD = "GPU-feed0bad-0000-0000-0000-000000000000"
NOTHING, FIVE, READS = "nothing", "slower>5%", "dram.read_rate<-3%"
OF_DRAM, ONE_CASE = "slower>5% --probe dram_locality", {"task": "read", "order": "strided", "stride": 1048448}

# What is planted: factor, probes, and what the parameters of a case must have.
CHANGES = {
    NOTHING: (1.0, lambda probe, params: False),
    "DRAM reads 5 %": (1 / 0.95, lambda probe, params: probe == "dram_locality" and params.get("task") == "read"),
    "L2 5 %": (1 / 0.95, lambda probe, params: params.get("level") == "l2" or probe in ("l2_requests", "l2_stores")),
    "bank_conflict 10 %": (1.10, lambda probe, params: probe == "bank_conflict"),
    "link 20 %": (1 / 0.80, lambda probe, params: probe in LINK),
    "everything 10 %": (1.10, lambda probe, params: True),
}
GATES = [
    *((NOTHING, condition, 0) for condition in (FIVE, "slower", "slower>3%", READS)),
    *((what, FIVE, 1) for what in CHANGES if what != NOTHING),
    ("DRAM reads 5 %", READS, 1),
]


def _from_dram(case: dict) -> bool:
    return case["probe"] == "dram_locality" or (case.get("derived") or {}).get("peak_pct", 0) >= 50


def _beside_its_own_child(case: dict) -> float | None:
    if case["probe"] == "sharing" and case["params"].get("neighbour") == "process":
        case["flags"] = sorted({*case["flags"], "gpu_shared"})
    return 1 / 0.952 if _from_dram(case) else None


CARDS = [
    (NOTHING, lambda case: None, 0),
    *((f"DRAM {p} %", lambda case, p=p: 100 / (100 - p) if _from_dram(case) else None, 1) for p in (2, 4.8, 10)),
    ("DRAM 4.8 %, flagged", _beside_its_own_child, 1),
    ("L2 5 %", lambda case: CHANGES["L2 5 %"][0] if CHANGES["L2 5 %"][1](case["probe"], case["params"]) else None, 1),
]


def _of_metric(name: str, value):
    return lambda case: case["metric"].update({name: value})


# What can't be compared: of the case, of the first line.
DEFECTS = {
    "another method": (lambda case: case.update(method_version=case["method_version"] + 1), None),
    "another unit": (_of_metric("unit", "us"), None),
    "another metric": (_of_metric("name", "other"), None),
    "synthetic": (lambda case: None, lambda run: run.update(provenance="synthetic")),
}


def call(*words) -> tuple[int, str]:
    """Exit status, and the last line that was said."""
    run = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "400"}
    )
    return run.returncode, (run.stderr.strip().splitlines() or [""])[-1]


def verdict(program: str, card: Path, *more: str) -> tuple[int, str]:
    run = subprocess.run([program, "accept", card, "--json", *more], capture_output=True, text=True, check=False)
    try:
        told = json.loads(run.stdout)["answer"]
        return run.returncode, f"{told['verdict']}: {told['reason']}"
    except (ValueError, KeyError):
        return run.returncode, run.stderr.strip()


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def rows(program: str, base: Path, new: Path, folder: Path):
    """What was planted, what was asked, the status that is due, and how to ask."""
    gate = [program, "compare"]
    for number, (what, condition, due) in enumerate(GATES):
        factor, which = CHANGES[what]
        change = lambda case, f=factor, w=which: f if w(case["probe"], case["params"]) else None  # noqa: E731
        made = planted(new, folder, change, f"{number:08x}")
        for more in ((), ("--strict",)) if what == NOTHING and condition == FIVE else ((),):
            asked = " ".join((condition, *more))
            yield what, asked, 3 if more else due, partial(call, *gate, base, made, "--fail-on", condition, *more)
    made = planted(new, folder, lambda case: 1.5 if ONE_CASE.items() <= case["params"].items() else None, "e0000000")
    yield "one DRAM case 50 %", OF_DRAM, 3, partial(call, *gate, base, made, "--fail-on", *OF_DRAM.split())
    pairs = {}
    for number, (what, (change, of_run)) in enumerate(DEFECTS.items()):
        pairs[what] = base, planted(new, folder, change, f"d{number:07x}", of_run=of_run or (lambda run: None))
    whole, mine = lines_of(planted(base, folder, lambda case: None, "cccccccc")), lines_of(new)
    for what, name, lines in (
        ("base cut off", "cut.jsonl", whole[:4000]),
        ("new cut off", "cut_new.jsonl", mine[:4000]),
        ("no case of a probe", "part.jsonl", None),
    ):
        if lines is None:
            found = planted(new, folder, lambda case: None, "abababab", without=lambda c: c["probe"] == "dram_locality")
        else:
            found = folder / name
            found.write_bytes(b"".join(lines))
        pairs[what] = (found, new) if what == "base cut off" else (base, found)
    for what, pair in pairs.items():
        for more in ((FIVE,), (FIVE, "--strict"), ("slower",), (READS,), ("unsure>10%",)):
            yield what, " ".join(more), 3, partial(call, *gate, *pair, "--fail-on", *more)
    for what, change, due in CARDS:
        card = planted(new, folder, change, "feed0bad", NEW_CARD)
        for more in ((), ("--against", "h200")):
            yield f"accept: {what}", " ".join(("accept", *more)), due, partial(verdict, program, card, *more)


# ---- Dealt pairs ----


def deviations(archives: list) -> list[dict]:
    """Of each process of archives that have several: how each case lies from its archive's mean, widened by the degree
    of freedom that this takes."""
    found = []
    for archive in archives:
        of: dict[int, dict] = {}
        for point in archive.points:
            if len(point.medians) > 1 and min(point.medians) > 0:
                logs = [math.log(median) for median in point.medians]
                mean, wider = sum(logs) / len(logs), math.sqrt(len(logs) / (len(logs) - 1))
                for process, log in zip(point.processes, logs, strict=True):
                    of.setdefault(process, {})[point.key] = wider * (log - mean)
        found += of.values()
    return found


def dealt(target, rng: Random, processes: list[dict], apart: dict, run_id: str):
    """The run with other processes: whole ones, so that what a process shares is shared."""
    taking = rng.sample(processes, len(target.process_ids))
    mine, sign, points = dict(zip(target.process_ids, taking, strict=True)), {}, []
    for point in target.points:
        if min(point.medians) <= 0:
            points.append(point)
            continue
        if len(point.medians) == 1:
            moved = [apart.get(point.key, 0.0) * sign.setdefault(point.probe, rng.choice((-1, 1)))]
        else:
            having = [of for of in processes if point.key in of] or [{}]
            taken = [mine[p] if point.key in mine[p] else rng.choice(having) for p in point.processes]
            moved = [of.get(point.key, 0.0) for of in taken]
        mean = sum(map(math.log, point.medians)) / len(point.medians)
        medians = [math.exp(mean + by) for by in moved]
        points.append(costing(point, [value / old for value, old in zip(medians, point.medians, strict=True)]))
    return replace(target, points=points, run=target.run | {"id": run_id})


def changed(archive, factor: float, which):
    points = [costing(p, [factor] * len(p.medians)) if which(p.probe, p.params) else p for p in archive.points]
    return replace(archive, points=points)


def draws(base: Path, new: Path, more: list[Path], count: int) -> int:
    """Prints how often each status came out, and why it was another one; returns how many rows miss 95 %."""
    target, second = load(base), load(new)
    others = load_others(target, "process", beside=second)
    runs = [target, second, *(load(one.path) for one in others), *map(load, more)]
    processes, theirs = deviations(runs), {point.key: point for point in second.points}
    apart = {
        p.key: math.log(theirs[p.key].medians[0] / p.medians[0]) / math.sqrt(2)
        for p in target.points
        if p.key in theirs and min(*p.medians, *theirs[p.key].medians) > 0
    }
    rng, seen, why, called = Random(1), Counter(), Counter(), 0
    for _ in range(count):
        one, other = (dealt(target, rng, processes, apart, name) for name in ("aaaaaaaa", "bbbbbbbb"))
        of_base, taken = infer(one), Inference(one)
        behind = {q.id: taken.behind(q.definition) for q in of_base}
        for what, change in CHANGES.items():
            made = changed(other, *change)
            found, sheets = compare(one, made, 0.01, others=others), fail_on.Sheets(of_base, infer(made), behind)
            called += what == NOTHING and bool(
                {"SLOWER", "FASTER"} & {*found.counts, *(one.verdict for one in found.shared)}
            )
            for condition, due in ((c, due) for of, c, due in GATES if of == what):
                status, said = fail_on.answer([found], parse(condition), [sheets])
                seen[what, condition, due] += status == due
                if status != due:
                    why[f"{what}, {condition}: {status}, {said[0][-150:] if said else ''}"] += 1
    cards = len({run.run["device"].get("uuid") for run in runs})
    print(
        f"\n{count} dealt pairs, from {len(processes)} processes of {len(runs)} runs of {cards} cards; of cases of one"
    )
    print("process from one pair of runs\n\n| planted | asked | due | found in |\n|---|---|---|---|")
    for (what, condition, due), right in seen.items():
        print(f"| {what} | `{condition}` | {due} | {right} of {count} |")
    print(f"\na case, or all times, called SLOWER or FASTER where nothing is planted: in {called} of {count}\n")
    for sentence, times in why.most_common(20):
        print(f"{times}: {sentence}")
    return sum(right < 0.95 * count for right in seen.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("archives", nargs="+", type=Path, help="BASE NEW [MORE...]")
    parser.add_argument("--draws", type=int, default=100)
    options = parser.parse_args()
    base, new, *more = options.archives
    wrong = 0
    print("| planted | asked | due | now | said |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for what, asked, due, ask in rows(options.program, base, new, Path(place)):
            status, said = ask()
            wrong += status != due
            print(f"| {what} | `{asked}` | {due} | {status} | {said[:200]} |", flush=True)
    print(f"\n{wrong} rows are not as due; one independent pair of runs, of one card")
    return int(wrong + (draws(base, new, more, options.draws) if options.draws else 0) > 0)


if __name__ == "__main__":
    sys.exit(main())
