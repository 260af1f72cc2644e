"""Runs every kernel once under the four tools of compute-sanitizer, and prints a table: per probe and tool the errors.

    python tests/studies/sanitize.py PROGRAM [--probe NAME]... [--tool NAME]... [--seconds N] [--keep FOLDER]

Of each probe as few cases are run, with one sample each, as all of its kernels need, at the sizes that it names for
that (`sanitized` in `gpufx list --json`). Exit status: 0 no errors, 1 errors or a run that did not end, 2 wrong use."""

import argparse
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOLS = ("memcheck", "initcheck", "synccheck", "racecheck")
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")


def listed(program: str, *wanted: str) -> list:
    run = subprocess.run([program, "list", *wanted, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["answer"]


def sizes(probe: dict) -> list[str]:
    return [word for axis in (probe["sanitized"] or "").split() for word in ("--axis", axis)]


def cover(cases: list[dict]) -> tuple[int, list[str]]:
    """How many kernels there are, and cases in which all of them run, those of small numbers first; one at least."""

    def size(case: dict) -> tuple:
        numbers = [value for value in case["params"].values() if isinstance(value, int) and value > 0]
        return math.prod(numbers), case["name"]

    seen: set[str] = set()
    chosen = []
    for case in sorted((case for case in cases if case["waived"] is None), key=size):
        if not chosen or not seen.issuperset(case["kernels"]):
            seen.update(case["kernels"])
            chosen.append(case["name"])
    return len(seen), chosen


def checked(command: list[str], seconds: float, log: Path) -> str:
    """A cell of the table."""
    begin = time.monotonic()
    with log.open("w", encoding="utf-8") as out:
        run = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = run.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"not done in {seconds:.0f} s"
        finally:
            if run.poll() is None:  # the tool's child, too
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
    found = SUMMARY.findall(log.read_text(encoding="utf-8", errors="replace"))
    errors = f"{sum(map(int, found))} errors" if found else "no summary"
    return errors + (f", status {status}" if status else "") + f", {time.monotonic() - begin:.0f} s"


def commands(program: str, probe: dict, tools: list[str], folder: Path) -> tuple[int, dict[str, list[str]]]:
    """How many kernels, and a command for each tool."""
    if probe["sanitized"]:
        (probe,) = listed(program, probe["name"], *sizes(probe), "--cases")
    count, names = cover(probe["cases"])
    only = folder / f"{probe['name']}.cases"
    only.write_text("\n".join(names) + "\n", encoding="utf-8")
    run = [program, "run", probe["name"], *sizes(probe), "--only", str(only), "--samples", "1", "--no-archive"]
    return count, {tool: ["compute-sanitizer", "--tool", tool, *run] for tool in tools if names}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--probe", action="append", default=[])
    options.add_argument("--tool", action="append", choices=TOOLS, default=[])
    options.add_argument("--seconds", type=float, default=120, help="the most that one run may take")
    options.add_argument("--keep", type=Path, help="folder for what the tools say")
    asked = options.parse_args()
    tools = asked.tool or list(TOOLS)
    folder = asked.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    fine = True
    print("| probe | kernels |", " | ".join(tools), "|\n|---|--:|" + "---|" * len(tools), flush=True)
    for probe in listed(asked.program, *asked.probe, "--cases"):
        count, runs = commands(asked.program, probe, tools, folder)
        cells = [checked(run, asked.seconds, folder / f"{probe['name']}.{tool}") for tool, run in runs.items()]
        fine = fine and all(cell.startswith("0 errors,") and "status" not in cell for cell in cells)
        print(f"| {probe['name']} | {count} |", " | ".join(cells or ["waived"] * len(tools)), "|", flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"sanitize.py: {error}", file=sys.stderr)
        sys.exit(2)
