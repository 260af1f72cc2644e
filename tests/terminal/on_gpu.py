#!/usr/bin/env python3
"""Types README.md from top to bottom into a pseudo-terminal, as somebody with a GPU would, and prints a table: command,
exit status, seconds, first line of the answer.

    tests/terminal/on_gpu.py [--list] [--out DIR] [--only REGEX] [--page PAGE]... [--tree DIR]

--list   print the commands and how each is typed; type nothing
--out    whole transcripts, and the table as table.txt and table.json, in this folder; default: out/terminal
--only   only commands in which this regular expression is found
--page   another page than README.md, such as docs/explain.md; repeatable
--tree   the built tree to type in; default: this one

It writes what its commands write: archives under results/, charts and reports under out/. Needs Python and a built tree
alone. `explain -- ./app` is typed of a program that nvcc compiles from app.cu. Without a GPU the same commands run on
the synthetic device, or are left out with the reason (commands.json).

Exit status: 0 each command ended by itself with a status that commands.json allows, 1 one did not, 2 wrong use."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from commands import TREE, of_page, way  # noqa: E402
from typed import Screen, WaitsForEverError, type_in  # noqa: E402

APP = "./gpufx explain -- ./app"


def has_gpu() -> bool:
    found = shutil.which("nvidia-smi")
    return bool(found) and subprocess.run([found, "-L"], capture_output=True, check=False).returncode == 0


def compiler() -> str | None:
    places = ("/usr/local/cuda/bin", str(TREE / ".venv/cuda/bin"))
    return os.environ.get("CUDACXX") or shutil.which("nvcc", path=os.pathsep.join([os.environ["PATH"], *places]))


def compiled(nvcc: str, app: Path) -> str:
    """Why not; "" where the program was made."""
    done = subprocess.run(
        [nvcc, "-arch=native", "-lineinfo", "-o", app, HERE / "app.cu"], capture_output=True, text=True, check=False
    )
    return done.stderr.strip() if done.returncode else ""


def commands(pages: list[str], gpu: bool) -> list[tuple[str, str, str, tuple[int, ...]]]:
    """Where it stands, what is typed, why it is left out, and the exit statuses that are right. README's
    `explain -- ./app` stands in a sentence."""
    found = []
    for page in pages:
        for one in of_page(page):
            how = way(one, gpu)
            found.append((f"{page}:{one.line}", how.typed, how.left_out, how.status))
        text = (TREE / page).read_text(encoding="utf-8")
        if f"`{APP}`" in text:
            line = text[: text.index(f"`{APP}`")].count("\n") + 1
            why = "" if gpu else "runs a CUDA program on a GPU"
            found.append((f"{page}:{line}", APP, why, (0,)))
    return sorted(found, key=lambda one: (one[0].split(":")[0], int(one[0].split(":")[1])))


def first_line(screen: Screen) -> str:
    """Of the answer: behind notes and what was measured."""
    lines = [line for line in screen.lines if line.strip()]
    said = [line for line in lines if not re.match(r"(gpufx|note): |\w+: \d+ measured|device: ", line)]
    return (said or lines or [""])[0]


def table(rows: list[dict]) -> str:
    lines = ["status  seconds  command", "                 first line of the answer"]
    for row in rows:
        took = "" if row["seconds"] is None else f"{row['seconds']:.1f}"
        wrong = "" if row["right"] else "   <- " + row["wrong"]
        status = "-" if row["status"] is None else row["status"]
        lines += [f"{status:>6}  {took:>7}  {row['command']}{wrong}", f"{'':17}{row['first_line']}"]
    return "\n".join(lines) + "\n"


def typed(where: str, command: str, allowed: tuple[int, ...], tree: Path, transcript: Path) -> dict:
    row = {"where": where, "command": command, "status": None, "seconds": None, "right": False, "first_line": ""}
    environment = os.environ | {"TERM": os.environ.get("TERM", "xterm-256color")}
    environment.pop("COLUMNS", None)
    try:
        # Measuring takes minutes in which a process may sleep; a GPU's first kernels, too.
        found = type_in(command, tree, environment, asleep_s=300)
    except WaitsForEverError as error:
        return row | {"wrong": "waits for ever", "first_line": str(error)}
    transcript.write_text(found.output, encoding="utf-8", errors="replace")
    left = [line for line in found.screen.lines if re.search(r"\[ *\d+ %\]|drawing  \d+ %", line)]
    wrong = [f"not {' or '.join(map(str, allowed))}"] * (found.status not in allowed)
    wrong += [f"control characters: {found.screen.garbage[:3]}"] * bool(found.screen.garbage)
    wrong += [f"progress is left: {left[:1]}"] * bool(left)
    row |= {"status": found.status, "seconds": round(found.seconds, 1), "first_line": first_line(found.screen)}
    return row | {"right": not wrong, "wrong": "; ".join(wrong)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tree", type=Path, default=TREE)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", action="append")
    options = parser.parse_args()
    gpu = has_gpu()
    chosen = [one for one in commands(options.page or ["README.md"], gpu) if re.search(options.only, one[1])]
    if options.list:
        for where, command, left_out, allowed in chosen:
            print(f"{where}: {command}   ({left_out or 'exit status ' + ' or '.join(map(str, allowed))})")
        return 0
    out = options.out or options.tree / "out/terminal"
    out.mkdir(parents=True, exist_ok=True)
    app, nvcc = options.tree / "app", compiler()
    mine = gpu and not app.exists()
    no_app = "" if not mine else compiled(nvcc, app) if nvcc else "there is no nvcc to compile ./app"
    rows = []
    for number, (where, command, left_out, allowed) in enumerate(chosen, start=1):
        why = left_out or (no_app if re.search(r"-- \./app", command) else "")
        if why:
            row = {"where": where, "command": command, "status": None, "seconds": None, "right": True}
            row |= {"first_line": f"left out: {why}", "wrong": ""}
        else:
            print(f"{where}: {command}", file=sys.stderr, flush=True)
            row = typed(where, command, allowed, options.tree, out / f"{number:02}.txt")
        rows.append(row)
        # After each: what was seen is kept, whatever comes next.
        (out / "table.txt").write_text(table(rows), encoding="utf-8")
        (out / "table.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if mine:
        app.unlink(missing_ok=True)
    print(table(rows), end="")
    return int(not all(row["right"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
