"""What the recorder costs the launches of pairs.cu: results/traces/slowdown.txt, from what pairs printed

    python slowdown.py ALONE RECORDED EVERY EMPTY_ALONE EMPTY

alone; under the recorder, which records the first of eight launches; with GPUFX_TRACE_LAUNCHES=8, which records all;
and, against another run alone where it was on another machine, under a recorder whose modules stay patched and whose
callbacks in recorder_patch.cu return at once, which is what the patching API itself costs."""

import sys
from pathlib import Path

HEAD = ("kernel", "alone", "launches not recorded", "recorded", "empty callbacks")


def times(path: str) -> dict[str, float]:
    found = {}
    for line in Path(path).read_text().splitlines():
        words = line.split()
        if len(words) > 4 and words[4] == "saves":
            for name, ns in (
                words[:2],
                words[2:4],
            ):  # one is there twice, and recorded the first time
                found.setdefault(name, float(ns))
    return found


def main() -> None:
    alone, recorded, every, empty_alone, empty = map(times, sys.argv[1:6])
    rows = [HEAD, ["---"] * len(HEAD)]
    for kernel, ns in alone.items():
        ratios = (
            recorded[kernel] / ns,
            every[kernel] / ns,
            empty[kernel] / empty_alone[kernel],
        )
        rows.append(
            (
                f"`{kernel}`",
                f"{ns / 1e3:.3g} µs",
                f"{ratios[0]:.2f}x",
                *(f"{x:.0f}x" for x in ratios[1:]),
            )
        )
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
