"""Cards that nobody has: an archive as it is, but that each case costs a little more or less, in a file of its own."""

import gzip
import zlib
from pathlib import Path
from random import Random

import msgspec

SPREAD = 0.002  # standard deviation of a case's cost from card to card


def scaled(case: dict, factor: float) -> dict:
    case["median"] *= factor
    case["samples"] = [sample * factor for sample in case["samples"]]
    case["ci95"] = case["ci95"] and [end * factor for end in case["ci95"]]
    if case.get("over_sms"):
        case["over_sms"] |= {end: case["over_sms"][end] * factor for end in ("low", "high")}
    return case


def another(archive: Path, number: int, folder: Path, turns: bool = True, apart: float = SPREAD) -> Path:
    """turns: no is an archive of a program that ran on one SM."""
    rng, crc, lines = Random(number), 0, []
    with gzip.open(archive) as file:
        for text in file:
            line = msgspec.json.decode(text)
            if line["type"] == "run":
                line |= {"id": f"{number:08x}"}
                line["device"] |= {"uuid": f"GPU-{number:08x}-0000-0000-0000-000000000000"}
            elif line["type"] == "case":
                scaled(line, rng.lognormvariate(0, apart))
                if not turns:
                    line.pop("over_sms", None)
            elif line["type"] == "end":
                line["crc32"] = f"{crc:08x}"
            lines.append(msgspec.json.encode(line) + b"\n")
            crc = zlib.crc32(lines[-1], crc)
    path = folder / f"{number:08x}.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(lines), 1))
    return path
