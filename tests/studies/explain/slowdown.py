"""What the recorder costs the launches of pairs.cu: the table of docs/explain.md, from what pairs printed

    python slowdown.py ALONE RECORDED EVERY EMPTY

alone; under the recorder, which records the first of eight launches; with GPUFX_TRACE_LAUNCHES=8, which records all;
and under a recorder whose modules stay patched and whose callbacks in recorder_patch.cu return at once, which is what
the patching API itself costs."""

import sys
from pathlib import Path

HEAD = ("kernel", "alone", "launches not recorded", "recorded", "empty callbacks")


def times(path: str) -> dict[str, float]:
    found = {}
    for line in Path(path).read_text().splitlines():
        words = line.split()
        if len(words) > 4 and words[4] == "saves":
            found |= {words[0]: float(words[1]), words[2]: float(words[3])}
    return found


def main() -> None:
    alone, *others = map(times, sys.argv[1:5])
    rows = [HEAD, ["---"] * len(HEAD)]
    for kernel, ns in alone.items():
        rows.append((f"`{kernel}`", f"{ns / 1e3:.3g} µs", *(f"{other[kernel] / ns:.3g}x" for other in others)))
    print("\n".join(f"| {' | '.join(cells)} |" for cells in rows))


if __name__ == "__main__":
    main()
