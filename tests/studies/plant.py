"""Each archive of a chip in turn against all others: as it is, and with all DRAM reads slower.

    python tests/studies/plant.py [--slower 3] ARCHIVE...

What results/kept has of cards is given as its file, and counts in the base alone. A line an archive: whose kind it is,
how many other cards of that kind there are, and both verdicts. A healthy card must not FAIL; one whose reads are slower
should, where the base has enough cards of its kind and more than one process saw it. What is planted is in the samples
of the archive, and all that is inferred of them follows.
"""

import argparse
import gzip
import json
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

from gpufx_plot.cards.base import boards
from gpufx_plot.cards.board import board
from gpufx_plot.cards.card_verdict import FAIL, verdict_on
from gpufx_plot.cards.judge import FEWEST, MARGIN


def _is_read(case: dict) -> bool:
    of = case["params"]
    return of.get("task") == "read" if case["probe"] == "dram_locality" else of.get("level") == "dram" and _loads(of)


def _loads(params: dict) -> bool:
    return params.get("op", "load") == "load"


def _slower(case: dict, factor: float) -> dict:
    for key in ("samples", "ci95"):
        case[key] = case[key] and [float(f"{value * factor:.9g}") for value in case[key]]
    ordered = sorted(case["samples"])
    middle = len(ordered) // 2
    case["median"] = float(f"{(ordered[middle] + ordered[~middle]) / 2:.9g}")
    case["derived"] = {name: value / factor for name, value in case["derived"].items()}
    return case


def plant(source: Path, target: Path, factor: float) -> None:
    """Copies an archive with the DRAM reads slower by a factor."""
    *lines, end = gzip.decompress(source.read_bytes()).splitlines(keepends=True)
    made = []
    for line in lines:
        told = json.loads(line) if b'"dram' in line else {}
        changed = told.get("type") == "case" and _is_read(told)
        made.append(json.dumps(_slower(told, factor), separators=(",", ":")).encode() + b"\n" if changed else line)
    body, last = b"".join(made), json.loads(end)
    last["crc32"] = f"{zlib.crc32(body):08x}"
    target.write_bytes(gzip.compress(body + json.dumps(last, separators=(",", ":")).encode() + b"\n", 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=float, default=3.0, metavar="PCT")
    parser.add_argument("archives", nargs="+", type=Path)
    call = parser.parse_args()
    read, unread = boards(call.archives)
    print(*unread, sep="\n", end="\n" if unread else "")
    counts = Counter()
    with tempfile.TemporaryDirectory() as place:
        for one in (one for one in read if one.path.exists()):
            path = Path(place) / one.path.name
            plant(one.path, path, 1 + call.slower / 100)
            healthy, sick = (verdict_on(card, read, MARGIN, {}) for card in (one, board(path)))
            kind, cards = healthy.base.kind, len(healthy.base.cards)
            group = "planted" if cards >= FEWEST else "planted, too few cards of the kind"
            counts["healthy", healthy.word] += 1
            counts[group, sick.word] += 1
            reach = next((f.reach for f in healthy.findings if f.name == "dram.read_rate"), float("nan"))
            words = f"{healthy.word}, host {healthy.host_word}; planted {sick.word}"
            print(f"{one.id} {one.device} {kind.name if kind else '-'}: {cards} others; {words}; "
                  f"dram.read_rate fails from {100 * reach:.2g} %")  # fmt: skip
            print(f"    {healthy.reason}\n    {sick.reason}\n    host: {healthy.host_reason}", flush=True)
    for (group, word), count in sorted(counts.items()):
        print(f"{group}: {count} {word}")
    return int(counts["healthy", FAIL] > 0)


if __name__ == "__main__":
    sys.exit(main())
