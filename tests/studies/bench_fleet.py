"""How long the report of a fleet takes, and whether that is linear. Not a test: it takes minutes, and what it says
depends on the machine, whose load it prints.

    python tests/studies/bench_fleet.py PROGRAM FOLDER [ARCHIVES...]

PROGRAM is build/bin/gpufx, FOLDER where everything is put. It measures some probes of a synthetic device with --quick,
as large as what `accept` leaves, and makes as many cards of it as are wanted, 250 and 1000 where nothing is said: every
case of a card costs what a card more or less differs by, and noise.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

SOME = (
    "memory_latency",
    "dram_locality",
    "transfer",
    "coalescing",
    "constant",
    "atomics",
    "bank_conflict",
)
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
BETWEEN_CARDS, NOISE = 0.004, 0.001  # relative, one sigma


def measured(program: str, folder: Path, name: str, *words: str) -> list[dict]:
    """The lines of an archive of the synthetic device."""
    out = folder / f"template-{name}"
    run = [program, "run", *words, "--device", "synthetic:generic", "--out", str(out)]
    if not out.exists():
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    text = gzip.decompress(next(out.glob("*.jsonl.gz")).read_bytes())
    return [json.loads(line) for line in text.splitlines()]


def _scaled(value, factor: float):
    if isinstance(value, list):
        return [_scaled(one, factor) for one in value]
    return value * factor if isinstance(value, int | float) else value


def of_card(lines: list[dict], card: int, rng: random.Random) -> Iterator[dict]:
    """What another card would have left: each case slower or faster as a whole, by its probe and by itself."""
    begun = BEGIN + timedelta(minutes=7 * card)
    probes: dict[str, float] = {}
    for line in lines:
        if line["type"] == "run":
            device = line["device"] | {"uuid": f"GPU-{card:08x}-0000-4000-8000-{card:012x}"}
            labels = {"host": f"node{card // 8:04}", "rack": f"r{card // 64:03}"}
            driver = line["driver"] | {"version": "580.65" if card % 10 else "575.51"}
            changed = {
                "id": f"{rng.getrandbits(32):08x}",
                "started_utc": f"{begun:%Y-%m-%dT%H:%M:%SZ}",
            }
            yield (line | changed | {"device": device, "labels": labels, "driver": driver})
        elif line["type"] == "case":
            probe = probes.setdefault(line["probe"], rng.gauss(0, BETWEEN_CARDS))
            factor = 1 + probe + rng.gauss(0, NOISE)
            yield line | {key: _scaled(line[key], factor) for key in ("median", "ci95", "samples")}
        elif line["type"] != "end":
            yield line


def write_archive(lines: list[dict], card: int, folder: Path) -> int:
    made = list(of_card(lines, card, random.Random(card)))
    text = b"".join(msgspec.json.encode(line) + b"\n" for line in made)
    end = {
        "type": "end",
        "complete": True,
        "reason": None,
        "elapsed_s": 60.0,
        "crc32": f"{zlib.crc32(text):08x}",
    }
    end |= {"cases": sum(line["type"] == "case" for line in made)}
    end |= {kind: sum(line["type"] == kind for line in made) for kind in ("waived", "failed")}
    name = f"{made[0]['started_utc'].replace('-', '').replace(':', '')}-{made[0]['id']}.jsonl.gz"
    (folder / name).write_bytes(gzip.compress(text + msgspec.json.encode(end) + b"\n", 1, mtime=0))
    return end["cases"]


def make(lines: list[dict], count: int, folder: Path) -> None:
    """As many archives as are wanted, by processes of their own."""
    folder.mkdir(exist_ok=True)
    if len(list(folder.iterdir())) >= count:
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor() as pool:
        for _ in pool.map(
            write_archive,
            [lines] * count,
            range(count),
            [folder] * count,
            chunksize=max(count // 64, 1),
        ):
            pass


def timed(program: str, *words: str) -> tuple[float, int, float, str]:
    """Seconds, the largest resident set of a process in MB, seconds of the processors, and what was said."""
    begun, usage = time.perf_counter(), os.times()
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        said, wrong = run.communicate()
    if run.returncode:
        print(
            f"gpufx {' '.join(words)}: {run.returncode}: {wrong[-500:]}",
            file=sys.stderr,
        )
    used = os.times()
    import resource

    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    busy = used.children_user + used.children_system - usage.children_user - usage.children_system
    return time.perf_counter() - begun, largest, busy, said


def tell(what: str, seconds: float, largest: int, busy: float, more: str = "") -> None:
    load = os.getloadavg()[0]
    print(f"{what:34} {seconds:8.2f} s  {busy:8.2f} s of CPU  {largest:6} MB at most so far  load {load:.1f}  {more}")


def main(program: str, place: str, *counts: int) -> None:
    folder = Path(place)
    folder.mkdir(exist_ok=True)
    lines = measured(program, folder, "accept", *SOME, "--quick")
    cases = sum(line["type"] == "case" for line in lines)
    for count in counts or (250, 1000):
        archives, tables = folder / f"archives-{count}", folder / f"tables-{count}"
        make(lines, count, archives)
        size = sum(path.stat().st_size for path in archives.iterdir()) / 1e6
        print(f"\n{count} archives of {cases} cases, {size:.0f} MB, on {len(os.sched_getaffinity(0))} processors")
        tell("archive list FOLDER", *timed(program, "archive", "list", str(archives))[:3])
        tell("fleet report FOLDER", *timed(program, "fleet", "report", str(archives))[:3])
        tell(
            "fleet report FOLDER, once more",
            *timed(program, "fleet", "report", str(archives))[:3],
        )
        tell(
            "export --format parquet",
            *timed(
                program,
                "export",
                str(archives),
                "--format",
                "parquet",
                "-o",
                str(tables),
            )[:3],
        )
        tell("fleet report TABLES", *timed(program, "fleet", "report", str(tables))[:3])
        out = str(folder / "fleet.html")
        tell(
            "fleet report TABLES, HTML",
            *timed(program, "fleet", "report", str(tables), "--format", "html", "-o", out)[:3],
        )


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
