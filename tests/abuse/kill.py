#!/usr/bin/env python3
"""Kills runs on a synthetic device with SIGKILL at random points, and looks at what is left.

    kill.py GPUFX [--runs N] [--seed S] [--first I]

N is 40 where neither it nor GPUFX_KILL_RUNS says otherwise.

Each run is killed in one of four ways: the process itself; one launch by itself, which tells of every case that it has
finished; the parent of three launches; one of its three launches. After each kill
  - every file in the folder is an archive, or was not given its name yet, and only its last line may be cut off;
  - every case that was told as finished is in it;
  - where the parent lived on, the last line is there, its counts are right and it says that a launch failed;
  - the same command, run again in the same folder, completes.
The seed is printed; --seed S --first I --runs 1 repeats run I with the same delay.

Exit status: 0 all of this holds, 1 it does not, 2 wrong use, 77 there is no Python package to check archives with."""

import argparse
import contextlib
import gzip
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plot"))

try:
    from gpufx_plot import UserError
    from gpufx_plot.archive.load import load
except ImportError as error:
    print(f"skipped: {error}; ./gpufx test installs it")
    sys.exit(77)

DEVICE = "synthetic:" + str(ROOT / "tests/abuse/device.json")
COMMAND = ["bank_conflict", "--quick", "--device", DEVICE, "--benchmark_repetitions=5"]
LAUNCHES = 3
RECORD = "GPUFX_PARENT_RECORD"


class WrongError(Exception):
    pass


def require(condition, what):
    if not condition:
        raise WrongError(what)


def start(program, *options, **more):
    return subprocess.Popen([program, "run", *COMMAND, *options], stdout=subprocess.DEVNULL, **more)


def start_child(program, path, events):
    """A process that appends to an archive, as gpufx starts it: with a record of its parent (call/parent_record.h)."""
    file = os.memfd_create(RECORD, 0)
    numbers = struct.pack("@i0q?qqd?q3P", os.getpid(), True, 0, events, 0, False, -1, 0, 0, 0)
    os.write(file, numbers + b"\0" + os.fsencode(path) + b"\0\0")
    more = {"env": os.environ | {RECORD: str(file)}, "pass_fds": [file, events]}
    process = start(program, stderr=subprocess.DEVNULL, **more)
    os.close(file)
    return process


def run_to_its_end(program, folder, *options):
    """The new archive of a run that nobody disturbs, and the seconds that it took."""
    before = set(folder.glob("*.jsonl.gz"))
    began = time.monotonic()
    process = start(program, "--out", folder, *options, stderr=subprocess.PIPE, text=True)
    _, told = process.communicate()
    seconds = time.monotonic() - began
    require(process.returncode == 0, f"the rerun ended with status {process.returncode}: {told}")
    (path,) = set(folder.glob("*.jsonl.gz")) - before
    archive = load(path)
    require(not archive.truncated and not archive.incomplete, f"the rerun's archive is {archive.incomplete}")
    return archive, seconds


def lines_of(archive):
    return sum(archive.counts[kind] for kind in ("case", "waived", "failed"))


def look(folder):
    """The archives of a folder, each line checked against the schema; a damaged one raises UserError. Between the
    moment when a compressed archive is in its place and that when the text is gone, both are there, and the same."""
    archives = {}
    for path in sorted(folder.iterdir()):
        hidden = (path.name.startswith(".") and path.name.endswith(".jsonl.new")) or path.name.startswith(".gpufx-")
        require(hidden or path.name.endswith((".jsonl", ".jsonl.gz")), f"a stray file {path.name}")
        if not hidden:
            archive = load(path)
            text = archives.get(path.name.removesuffix(".gz"))
            require(not text or text.end == archive.end, f"{path.name} is not what its text is")
            archives[path.name.removesuffix(".gz")] = archive
    return list(archives.values())


def kill_the_process(program, folder, chance, full, options=()):
    process = start(program, "--out", folder, *options, stderr=subprocess.PIPE)
    time.sleep(chance.uniform(0, 1.05 * full["seconds", len(options) > 0]))
    process.kill()
    process.stderr.read()  # until the launches are gone too: they hold the pipe
    process.wait()
    archives = look(folder)
    require(len(archives) <= 1, f"{len(archives)} archives")
    return archives[0] if archives else None


def kill_the_parent(program, folder, chance, full):
    return kill_the_process(program, folder, chance, full, ("--processes", str(LAUNCHES)))


def kill_one_launch(program, folder, chance, full):
    process = start(program, "--out", folder, "--processes", str(LAUNCHES), stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    time.sleep(chance.uniform(0, full["seconds", True]))
    killed = 0
    while process.poll() is None and not killed:
        for child in children.read_text().split():
            with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it has just ended
                # Not the helper by which a leak sanitizer looks at its parent: that one would wait for it for ever.
                if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"gpufx\0run\0"):
                    os.kill(int(child), signal.SIGKILL)
                    killed += 1
    told = process.stderr.read()
    process.wait()
    (archive,) = look(folder)
    require(archive.end and not archive.truncated, f"the parent wrote no last line: {told}")
    counts = [archive.end.cases, archive.end.waived, archive.end.failed]
    require(counts == [archive.counts[kind] for kind in ("case", "waived", "failed")], f"{counts} are not its lines")
    if process.returncode == 0:  # killed behind its last line, where nothing was lost
        require(lines_of(archive) == LAUNCHES * full["lines"], f"{lines_of(archive)} lines, complete: {told}")
    else:
        require(process.returncode == 1 and archive.incomplete == "process_failed", f"{archive.incomplete}: {told}")
        require("signal 9" in told, f"the kill was not told: {told}")
        require(lines_of(archive) >= (LAUNCHES - 1) * full["lines"], f"{lines_of(archive)} lines: the others stopped")
    return archive


def kill_a_launch_that_tells(program, folder, chance, full):
    """Plays the parent: an archive with its first line alone, and a pipe of events."""
    path = folder / "archive.jsonl"
    path.write_bytes(full["first line"])
    ours, theirs = os.pipe()
    process = start_child(program, path, theirs)
    os.close(theirs)
    wanted, told = chance.randint(0, full["lines"]), b""
    while told.count(b"\ndone ") < wanted and (more := os.read(ours, 4096)):
        told += more
    time.sleep(chance.choice((0, chance.uniform(0, 0.002))))
    process.kill()
    while more := os.read(ours, 4096):
        told += more
    os.close(ours)
    process.wait()
    (archive,) = look(folder)
    finished = told.count(b"\ndone ")
    require(wanted <= finished <= lines_of(archive) <= finished + 1, f"{finished} finished, {lines_of(archive)} lines")
    return archive


WAYS = [kill_the_process, kill_a_launch_that_tells, kill_the_parent, kill_one_launch]


def measure(program):
    """What a run is that nobody kills: its time with one launch and with three, its lines."""
    full = {}
    with tempfile.TemporaryDirectory(prefix="gpufx-kill-") as name:
        for launches in (1, LAUNCHES):
            archive, full["seconds", launches > 1] = run_to_its_end(program, Path(name), f"--processes={launches}")
            if launches == 1:
                full["lines"] = lines_of(archive)
                full["first line"] = gzip.decompress(archive.path.read_bytes()).split(b"\n")[0] + b"\n"
    return full


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda name: Path(name).resolve())
    parser.add_argument("--runs", type=int, default=int(os.environ.get("GPUFX_KILL_RUNS", "40")))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    os.environ["GPUFX_ROOT"] = str(ROOT)
    print(f"seed {options.seed}", flush=True)

    full = measure(options.program)
    bad, none, partial, truncated = 0, 0, 0, 0
    for index in range(options.first, options.first + options.runs):
        way = WAYS[index % len(WAYS)]
        chance = random.Random(f"{options.seed} {index}")
        with tempfile.TemporaryDirectory(prefix="gpufx-kill-") as name:
            try:
                archive = way(options.program, Path(name), chance, full)
                again, _ = run_to_its_end(options.program, Path(name))
                require(lines_of(again) == full["lines"], f"the rerun has {lines_of(again)} lines")
                none += archive is None
                partial += archive is not None and bool(archive.incomplete)
                truncated += archive is not None and archive.truncated
            except (WrongError, UserError) as error:
                bad += 1
                print(f"run {index}, {way.__name__}: {error}", flush=True)
    print(f"{options.runs} runs: {none} killed before their archive, {partial} in the middle ({truncated} of them in "
          f"a line), the rest at their end; {bad} wrong")  # fmt: skip
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
