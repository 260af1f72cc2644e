"""What gates say of two runs in which nothing changed, and of planted changes; what accept says of planted cards.

    python tests/studies/gates.py PROGRAM BASE NEW

BASE and NEW are default runs of one card, one after the other. With one archive alone, given twice, the second is the
first with a little noise, which is no second run. Each row is one call of the program and one planted archive: all of
them are made from one pair, so a row is one draw, and the table as a whole has one independent pair behind it.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "plot" / "tests"))
from other_cards import planted

LINK = ("transfer", "overlap", "managed_memory")
NEW_CARD = "GPU-feed0bad-0000-0000-0000-000000000000"


def _is_l2(case: dict) -> bool:
    return case["params"].get("level") == "l2" or case["probe"] in (
        "l2_requests",
        "l2_stores",
    )


def _reads(case: dict) -> bool:
    return case["probe"] == "dram_locality" and case["params"].get("task") == "read"


def _from_dram(case: dict) -> bool:
    return case["probe"] == "dram_locality" or (case.get("derived") or {}).get("peak_pct", 0) >= 50


def by(factor: float, which=lambda case: True):
    return lambda case: factor if which(case) else None


# What is planted, the condition, and the status that is due.
GATES = [
    ("nothing", by(1), "slower>5%", 0),
    ("nothing", by(1), "slower", 0),
    ("nothing", by(1), "slower>3%", 0),
    ("nothing", by(1), "dram.read_rate<-3%", 0),
    (
        "bank_conflict 10 %",
        by(1.10, lambda case: case["probe"] == "bank_conflict"),
        "slower>5%",
        1,
    ),
    ("DRAM reads 5 %", by(1 / 0.95, _reads), "slower>5%", 1),
    ("DRAM reads 5 %", by(1 / 0.95, _reads), "dram.read_rate<-3%", 1),
    ("L2 5 %", by(1 / 0.95, _is_l2), "slower>5%", 1),
    ("link 20 %", by(1 / 0.80, lambda case: case["probe"] in LINK), "slower>5%", 1),
    ("everything 10 %", by(1.10), "slower>5%", 1),
    ("everything 3 %", by(1.03), "slower", 1),
]
CARDS = [
    ("nothing", by(1), 0),
    ("DRAM 2 %", by(1 / 0.98, _from_dram), 1),
    ("DRAM 5 %", by(1 / 0.95, _from_dram), 1),
    ("DRAM 10 %", by(1 / 0.90, _from_dram), 1),
    ("L2 5 %", by(1 / 0.95, _is_l2), 1),
]


def call(*words: str) -> tuple[int, str]:
    """Exit status, and the last line that was said."""
    run = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "400"},
    )
    return run.returncode, (run.stderr.strip().splitlines() or [""])[-1]


def verdict(program: str, card: Path, *more: str) -> tuple[int, str]:
    run = subprocess.run(
        [program, "accept", card, "--json", *more],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        told = json.loads(run.stdout)["answer"]
        return run.returncode, f"{told['verdict']}: {told['reason']}"
    except (ValueError, KeyError):
        return run.returncode, run.stderr.strip()


def main(program: str, base: str, new: str) -> int:
    wrong = 0

    def row(what: str, asked: str, due: int, found: tuple[int, str]) -> None:
        nonlocal wrong
        wrong += found[0] != due
        print(
            f"| {what} | `{asked}` | {due} | {found[0]} | {found[1][:200]} |",
            flush=True,
        )

    print("| planted | asked | due | found | said |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder, made = Path(place), {}
        for what, change, condition, due in GATES:
            if what not in made:
                made[what] = planted(Path(new), folder, change, f"{len(made):08x}")
            row(
                what,
                condition,
                due,
                call(program, "compare", base, made[what], "--fail-on", condition),
            )
        whole = planted(Path(base), folder, by(1), "cccccccc")
        cut = folder / "cut.jsonl"
        cut.write_bytes(b"\n".join(gzip.decompress(whole.read_bytes()).split(b"\n")[:4000]) + b"\n")
        other = planted(
            Path(new),
            folder,
            lambda case: case.update(method_version=case["method_version"] + 1),
            "dddddddd",
        )
        invented = planted(
            Path(new),
            folder,
            by(1),
            "eeeeeeee",
            of_run=lambda run: run.update(provenance="synthetic"),
        )
        for what, pair in (
            ("base cut off", (cut, new)),
            ("method changed", (base, other)),
            ("synthetic", (base, invented)),
        ):
            for condition in ("slower>5%", "dram.read_rate<-3%"):
                row(
                    what,
                    condition,
                    3,
                    call(program, "compare", *map(str, pair), "--fail-on", condition),
                )
        for what, change, due in CARDS:
            card = planted(Path(new), folder, change, "feed0bad", NEW_CARD)
            for more in ((), ("--against", "h200")):
                row(
                    f"accept: {what}",
                    " ".join(("accept", *more)),
                    due,
                    verdict(program, card, *more),
                )
    print(f"\n{wrong} rows are not as due; one independent pair of runs, of one card")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
