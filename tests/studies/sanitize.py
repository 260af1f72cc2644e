"""Runs every kernel once under the four tools of compute-sanitizer, and prints a table: per probe and tool the errors.

    python tests/studies/sanitize.py PROGRAM [--probe NAME]... [--tool NAME]... [--seconds N] [--keep FOLDER]

Of the cases that a kernel serves one is run, with one sample, at the sizes that the probe names for it (`sanitized` in
`gpufx list --json`). Exit status: 0 no errors, 1 errors or a run that did not end, 2 wrong use."""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOLS = ("memcheck", "initcheck", "synccheck", "racecheck")
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")


def listed(program: str, *wanted: str) -> list:
    run = subprocess.run(
        [program, "list", *wanted, "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def sizes(probe: dict) -> list[str]:
    return [
        word for axis in (probe["sanitized"] or "").split() for word in ("--axis", axis)
    ]


def one_per_kernel(cases: list[dict]) -> list[str]:
    """Names of cases: for each kernel that one whose numbers are the least."""
    best: dict[str, tuple] = {}
    for case in cases:
        if case["waived"] is None:
            numbers = [
                value
                for value in case["params"].values()
                if isinstance(value, int) and value > 0
            ]
            rank = (math.prod(numbers), case["name"])
            best[case["kernel"]] = min(best.get(case["kernel"], rank), rank)
    return [name for _, name in best.values()]


def checked(command: list[str], seconds: float, log: Path) -> str:
    """A cell of the table."""
    begin = time.monotonic()
    with log.open("w", encoding="utf-8") as out:
        try:
            status = subprocess.run(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return f"not done in {seconds:.0f} s"
    found = SUMMARY.findall(log.read_text(encoding="utf-8", errors="replace"))
    errors = f"{sum(map(int, found))} errors" if found else "no summary"
    return (
        errors
        + (f", status {status}" if status else "")
        + f", {time.monotonic() - begin:.0f} s"
    )


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("program")
    options.add_argument("--probe", action="append", default=[])
    options.add_argument("--tool", action="append", choices=TOOLS, default=[])
    options.add_argument(
        "--seconds", type=float, default=120, help="the most that one run may take"
    )
    options.add_argument("--keep", type=Path, help="folder for what the tools say")
    asked = options.parse_args()
    tools = asked.tool or TOOLS
    folder = asked.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    fine = True
    print(
        "| probe | kernels |",
        " | ".join(tools),
        "|\n|---|--:|" + "---|" * len(tools),
        flush=True,
    )
    for probe in listed(asked.program, *asked.probe):
        name = probe["name"]
        names = one_per_kernel(
            listed(asked.program, name, *sizes(probe), "--cases")[0]["cases"]
        )
        cells = ["waived"] * len(tools)
        if names:
            only = folder / f"{name}.cases"
            only.write_text("\n".join(names) + "\n", encoding="utf-8")
            run = [
                asked.program,
                "run",
                name,
                *sizes(probe),
                "--only",
                only,
                "--samples",
                "1",
                "--no-archive",
            ]
            cells = [
                checked(
                    ["compute-sanitizer", "--tool", tool, *map(str, run)],
                    asked.seconds,
                    folder / f"{name}.{tool}",
                )
                for tool in tools
            ]
            fine = fine and all(
                cell.startswith("0 errors,") and "status" not in cell for cell in cells
            )
        print(f"| {name} | {len(names)} |", " | ".join(cells), "|", flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"sanitize.py: {error}", file=sys.stderr)
        sys.exit(2)
