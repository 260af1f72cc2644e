"""How long the verbs take: wall time, processor time, and the latter as a multiple of a yardstick. Not a test: what it
says depends on the machine and on what else runs there, which the yardstick takes out for the most part.

    python tests/studies/bench_verbs.py PROGRAM [TIMES [VERB...]]

PROGRAM is build/bin/gpufx. Each command is called once to warm up and then TIMES times (3), of which the least counts,
with the reference archives of results/reference.json; VERB: these alone. AIM is the wall time that is wanted on a quiet
machine. The yardstick is what Python takes to unpack and parse the first reference archive, measured between all
others, so that it sees the same load. What a command starts is counted as long as somebody waits for it.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
YARDSTICK = "import gzip, json, sys; [json.loads(line) for line in gzip.open(sys.argv[1])]"
H200, H100, OUT = "H200", "H100", "OUT"  # replaced by the archives, and by a folder that is removed
INVENTED = ["characterize", "--device", "synthetic:generic", "--out", OUT]
COMMANDS = [  # aim in seconds, None: none is set; words
    (0.1, ["help"]),
    (0.1, ["list"]),
    (0.1, ["info", "--device", "synthetic:generic"]),
    (0.1, ["pattern", "--expr", "lane*128"]),
    (0.5, ["summary", H200]),
    (0.5, ["sheet", H200]),
    (0.5, ["ask", "what is the latency of the L2?"]),
    (0.5, ["claims", H200]),
    (1.5, ["compare", H200, H100]),
    (None, ["accept", H200]),
    (10, ["report", H200, H100, "--output", f"{OUT}/report.html"]),
    (8, [*INVENTED, "--quick"]),
    (30, INVENTED),
]


def once(command: list[str]) -> tuple[float, float]:
    """Wall time and processor time, that of its children included."""
    since = time.monotonic()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        print(f"status {process.returncode}: {' '.join(command)}", file=sys.stderr)
    return time.monotonic() - since, used.ru_utime + used.ru_stime


def main(program: str, times: int = 3, *verbs: str) -> None:
    named = json.loads((ROOT / "results" / "reference.json").read_text())
    archives = {name: str(ROOT / "results" / named[name.lower()]) for name in (H200, H100)}
    yardstick = [sys.executable, "-c", YARDSTICK, archives[H200]]
    print("  wall s    aim s  processor s  x yardstick  command")
    with tempfile.TemporaryDirectory() as out:
        for aim, words in COMMANDS:
            if verbs and words[0] not in verbs:
                continue
            known = archives | {OUT: out, f"{OUT}/report.html": f"{out}/report.html"}
            command = [program, *(known.get(word, word) for word in words)]
            once(command)
            beside = [(once(command), once(yardstick)[1]) for _ in range(times)]
            wall, used = (min(run[i] for run, _ in beside) for i in (0, 1))
            ratio = statistics.median(run[1] / unit for run, unit in beside)
            wanted = f"{aim:.1f}" if aim else "-"
            print(f"{wall:8.2f} {wanted:>8} {used:12.2f} {ratio:12.2f}  {' '.join(words)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
