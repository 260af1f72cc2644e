"""Cards that nobody has: an archive as it is, but that some cases cost more or less, in a file of its own."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec

SPREAD = 0.002  # standard deviation of a case's cost from card to card


def scaled(case: dict, factor: float) -> dict:
    """A case whose cost is so much larger: samples, and what follows from them."""
    case["median"] *= factor
    case["samples"] = [sample * factor for sample in case["samples"]]
    case["ci95"] = case["ci95"] and [end * factor for end in case["ci95"]]
    if case.get("over_sms"):
        case["over_sms"] |= {end: case["over_sms"][end] * factor for end in ("low", "high")}
    for figures in (case.get("derived") or {}, case.get("extras") or {}):
        for name in figures:
            if isinstance(figures[name], float) and name.endswith(("GBps", "_pct", "per_cycle")):
                figures[name] /= factor
    return case


def planted(
    archive: Path,
    folder: Path,
    change: Callable[[dict], float | None],
    run_id: str = "feed0bad",
    uuid: str | None = None,
    of_run: Callable[[dict], None] = lambda run: None,
    without: Callable[[dict], bool] = lambda case: False,
) -> Path:
    """The archive with every case's cost times what `change` gives of it (None, 1: as it is), compressed and with a sum
    that is right. of_run: changes its first line. without: cases that it lacks."""
    crc, lines, left_out = 0, [], 0
    with gzip.open(archive) as file:
        for text in file:
            line = msgspec.json.decode(text)
            if line["type"] == "run":
                line |= {"id": run_id}
                line["device"] |= {"uuid": uuid} if uuid else {}
                of_run(line)
            elif line["type"] == "case" and without(line):
                left_out += 1
                continue
            elif line["type"] == "case" and (factor := change(line) or 1.0) != 1.0:
                scaled(line, factor)
            elif line["type"] == "end":
                line |= {"crc32": f"{crc:08x}", "cases": line["cases"] - left_out}
            lines.append(msgspec.json.encode(line) + b"\n")
            crc = zlib.crc32(lines[-1], crc)
    path = folder / f"{run_id}.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(lines), 1))
    return path


def another(archive: Path, number: int, folder: Path) -> Path:
    """A card that differs by chance: of the pages' fleet (gpufx_plot/showing/screens.py)."""
    rng = Random(number)
    uuid = f"GPU-{number:08x}-0000-0000-0000-000000000000"
    return planted(archive, folder, lambda case: rng.lognormvariate(0, SPREAD), f"{number:08x}", uuid)


def slower_dram(archive: Path, folder: Path) -> Path:
    """A card of node n5 whose DRAM takes 8 % longer."""
    return planted(
        archive,
        folder,
        lambda case: 1.08 if case["probe"] == "dram_locality" else 1.0,
        "0badd7a3",
        "GPU-0badd7a3",
        lambda run: run["labels"].update(node="n5"),
    )
