#!/usr/bin/env python3
"""Runs many ranks of `gpufx fleet run` on one host, on a synthetic device, and looks at what is left.

    fleet.py GPUFX [--launcher MPIRUN] [--ranks N]

Without a launcher the ranks are processes with the variables that one would set; with one they are started by it, and
the program must be able to meet (GPUFX_MPI=ON). What holds in the end:
  - N ranks write N archives and N rows, and rank 0 says so; the same command again measures nothing;
  - a rank that is killed, or whose process hangs, is a row with a reason, and the others end as if it were not there;
    the same command again measures what is missing, and nothing else;
  - ranks that meet begin every case together; those of a rank that hangs go on alone;
  - two runs into one folder, a folder that can't be written and rows of somebody else are named.

Exit status: 0 all of this holds, 1 it does not, 77 there is no Python package to check archives with."""

import argparse
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plot"))
try:
    from gpufx_plot.archive.load import load
except ImportError as error:
    print(f"skipped: {error}; ./gpufx test installs it")
    sys.exit(77)

DEVICE = "synthetic:generic"
CASES = ["bank_conflict", "--quick", "--device", DEVICE]
LONG = [*CASES, "--benchmark_repetitions=40"]
# From 32 ranks on Open MPI 4.1 starts them from several threads, which can lock one another out for ever.
WORDS = ["--allow-run-as-root", "--oversubscribe", "--enable-recovery", "--mca", "odls_base_num_threads", "0"]
OWN = ("OMPI_", "PMI_", "PMIX_", "SLURM_", "FLUX_", "PALS_", "MPI_", "GPUFX_JOB", "GPUFX_RANK")


class WrongError(Exception):
    pass


def require(condition, what):
    if not condition:
        raise WrongError(what)


def environment(**more):
    """That of this process, without what a launcher around it may have set."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OWN)} | more


class Fleet:
    """One start of all ranks."""

    def __init__(self, program, launcher, folder, ranks, *arguments, job="1"):
        command = [program, "fleet", "run", "--out", folder, *arguments]
        self.program, self.folder, self.launched = program, folder, launcher is not None
        if launcher:
            words = [launcher, *WORDS, "-n", str(ranks)]
            self.processes = [self._start([*words, *command], environment())]
        else:
            variables = {"OMPI_COMM_WORLD_SIZE": str(ranks), "PMIX_NAMESPACE": job}
            self.processes = [self._start(command, environment(**variables, **self._of(rank))) for rank in range(ranks)]

    @staticmethod
    def _of(rank):
        return {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_RANK": str(rank)}

    @staticmethod
    def _start(command, variables):
        return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ranks(self):
        """The processes of the ranks, by rank; only those that are there."""
        if not self.launched:
            return {rank: process.pid for rank, process in enumerate(self.processes)}
        found = {}
        for pid in children_of(self.processes[0].pid):
            with contextlib.suppress(OSError):
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                texts = dict(text.split(b"=", 1) for text in variables if b"=" in text)
                found[int(texts.get(b"OMPI_COMM_WORLD_RANK", b"-1"))] = pid
        return found

    def end(self):
        """What rank 0 said, and its exit status; a launcher that goes on without a rank ends with 0 whatever happens,
        so there it is that of `fleet status`."""
        said = [process.communicate()[0] for process in self.processes]
        if not self.launched:
            return said[0], self.processes[0].returncode
        told = subprocess.run([self.program, "fleet", "status", self.folder], capture_output=True, check=False)
        return said[0], told.returncode


def children_of(pid):
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def rows(folder):
    return {row["rank"]: row for row in (json.loads(path.read_text()) for path in folder.glob("ranks/*.json"))}


def archives(folder):
    return sorted(folder.glob("archives/*/*.jsonl*"))


def wait_for(what, condition):
    """Polls; the test as a whole is what somebody may lose patience with."""
    while not (result := condition()):
        time.sleep(0.01)
    require(result, what)
    return result


def measuring(fleet, rank):
    """The process of a rank that measures, once it does: it has a new program, and an archive."""

    def found():
        pid = fleet.ranks().get(rank)
        for child in children_of(pid) if pid else []:
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{child}/cmdline").read_bytes()
                if command.startswith(b"gpufx\0run\0"):
                    return child
        return None

    return wait_for("a rank measures", found)


def all_are_done(program, launcher, folder, ranks):
    said, status = Fleet(program, launcher, folder, ranks, *CASES).end()
    require(status == 0, f"{ranks} ranks end with {status}: {said}")
    require(f"{ranks} of {ranks} GPUs done" in said, said)
    first = archives(folder)
    require(len(first) == ranks, f"{len(first)} archives of {ranks} ranks")
    for path in first:
        require(load(str(path)).run["labels"]["rank"] == path.parent.name.rsplit(".", 1)[1], f"{path}: another's label")
    require(sorted(rows(folder)) == list(range(ranks)), "a row for each rank")
    said, status = Fleet(program, launcher, folder, ranks, *CASES, job="2").end()
    require(status == 0 and f"{ranks} of {ranks} GPUs done" in said, said)
    require(archives(folder) == first, "the second call measured again")


def limit_here(program, launcher, folder, ranks, *arguments):
    """Seconds that a rank which does not hang stays within on this machine, loaded as it is now: four times what all
    of them take together, and 6 at least."""
    began = time.monotonic()
    said, status = Fleet(program, launcher, folder, ranks, *arguments).end()
    require(status == 0, f"{ranks} ranks that are well end with {status}: {said}")
    return str(max(6, math.ceil(4 * (time.monotonic() - began))))


def bad_ranks_hold_nobody_up(program, launcher, folder):
    """Rank 1 is killed, the process of rank 2 hangs."""
    limit = limit_here(program, launcher, folder.with_name("well"), 4, *LONG)
    fleet = Fleet(program, launcher, folder, 4, *LONG, "--limit", limit)
    hung = measuring(fleet, 2)
    os.kill(hung, signal.SIGSTOP)
    measuring(fleet, 1)
    os.kill(fleet.ranks()[1], signal.SIGKILL)
    said, status = fleet.end()
    require(status != 0 and "2 of 4 GPUs done" in said, f"{status}: {said}")
    require("rank 1" in said and "lost" in said and "rank 2" in said and "timed out" in said, said)
    states = {rank: row["state"] for rank, row in rows(folder).items()}
    require(states == {0: "done", 1: "measuring", 2: "timed out", 3: "done"}, str(states))
    first = archives(folder)
    said, status = Fleet(program, launcher, folder, 4, *LONG, job="2").end()
    require(status == 0 and "4 of 4 GPUs done" in said, f"{status}: {said}")
    again = {path.parent.name for path in archives(folder) if path not in first}
    require({name.rsplit(".", 1)[1] for name in again} == {"1", "2"}, f"measured again: {sorted(again)}")


def ranks_meet(program, launcher, folder, ranks):
    said, status = Fleet(program, launcher, folder, ranks, "--together", *CASES).end()
    require(status == 0, f"{status}: {said}")
    for rank, row in rows(folder).items():
        require(0 < row["met"] == row["cases"], f"rank {rank} met {row['met']} of {row['cases']} times")


def a_rank_that_hangs_is_left(program, launcher, folder):
    together = ["--together", "--wait", "1", *LONG]
    limit = limit_here(program, launcher, folder.with_name("well together"), 3, *together)
    fleet = Fleet(program, launcher, folder, 3, "--limit", limit, *together)
    os.kill(measuring(fleet, 1), signal.SIGSTOP)
    said, status = fleet.end()
    require(status != 0 and "rank 1" in said and "timed out" in said, f"{status}: {said}")
    for rank in (0, 2):
        row = rows(folder)[rank]
        require(row["state"] == "done" and row["met"] < row["cases"], f"rank {rank}: {row}")
    require("but alone from case" in said, said)


def bad_input_is_named(program, folder):
    fleet = Fleet(program, None, folder, 1, *LONG)
    measuring(fleet, 0)
    said, status = Fleet(program, None, folder, 1, *LONG, job="2").end()
    require(status == 2 and "measured by another fleet run" in said, f"{status}: {said}")
    require(fleet.end()[1] == 0, "the first of two runs is disturbed by the second")
    (folder / "ranks/other.0.json").write_text('{"state": "splendid"}')
    told = subprocess.run([program, "fleet", "status", folder], capture_output=True, text=True, check=False)
    require("other.0.json is not a row of a fleet run" in told.stderr and "1 of 1 GPU done" in told.stdout, str(told))
    (folder / "ranks/other.0.json").unlink()
    (row,) = folder.glob("ranks/*.json")
    row.write_text(row.read_text().replace('"done"', '"measuring"'))
    os.utime(row, (4e9, 4e9))
    told = subprocess.run([program, "fleet", "status", folder], capture_output=True, text=True, check=False)
    require("1 lost" in told.stdout, f"a row of the future: {told}")
    said, status = Fleet(program, None, folder, 1, *CASES, job="3").end()
    require(status == 0, f"a row of the future: {status}: {said}")
    for path in archives(folder):
        path.unlink()
    said, status = Fleet(program, None, folder, 1, *CASES, job="4").end()
    require(status == 0 and len(archives(folder)) == 1, "archives that are gone are not measured again")
    log = folder / "logs" / f"{row.stem}.txt"
    log.unlink()
    os.mkfifo(log)
    said, status = Fleet(program, None, folder, 1, *LONG, job="5").end()
    require(status == 1 and "txt'" in said.replace("\n    ", " "), f"a pipe in place of a log: {status}: {said}")
    for out, sentence in (("/proc/fleet", "cannot make"), (folder / "none" / "deeper", "cannot make")):
        said, status = Fleet(program, None, out, 1, *CASES).end()
        require(status == 2 and sentence in said and len(said.splitlines()) == 1, f"{status}: {said}")
    told = subprocess.run([program, "fleet", "run", *CASES], capture_output=True, text=True, check=False)
    require(told.returncode == 2 and "--out is missing" in told.stderr, str(told))


def of_two_at_once_one_measures(program, folder):
    """At the same moment, into a folder that neither has seen."""
    for turn in range(3):
        into = folder / str(turn)
        into.mkdir(parents=True)
        both = [Fleet(program, None, into, 1, *CASES, job=str(job)) for job in range(2)]
        said = [fleet.end() for fleet in both]
        taken = [status for text, status in said if "measured by another fleet run" in text]
        done = [status for text, status in said if "1 of 1 GPU done" in text]
        require(taken in ([], [2]) and len(taken) + len(done) == 2, str(said))
        require(len(archives(into)) == 1, f"{len(archives(into))} archives of one GPU: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--launcher")
    parser.add_argument("--ranks", type=int, default=64)
    arguments = parser.parse_args()
    launcher = arguments.launcher
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        steps = {
            "done": lambda to: all_are_done(arguments.program, launcher, to, arguments.ranks),
            "bad": lambda to: bad_ranks_hold_nobody_up(arguments.program, launcher, to),
        }
        if not launcher:  # what needs none
            steps["two"] = lambda to: of_two_at_once_one_measures(arguments.program, to)
            steps["named"] = lambda to: bad_input_is_named(arguments.program, to)
        else:
            steps["meet"] = lambda to: ranks_meet(arguments.program, launcher, to, arguments.ranks)
            steps["left"] = lambda to: a_rank_that_hangs_is_left(arguments.program, launcher, to)
        for step, run in steps.items():
            began = time.monotonic()
            try:
                run(folder / step)
            except WrongError as error:
                print(f"{step}: {error}")
                return 1
            print(f"{step}: {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
