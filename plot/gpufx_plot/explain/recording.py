"""Runs a program under the recorder (harness/trace), which the CUDA driver loads into every process that it serves, by
the variable that it has for tools. The program keeps its input, output, environment and exit status; Ctrl-C goes to it,
and what was recorded until then stays."""

import math
import os
import signal
import stat
import subprocess
import sys
import sysconfig
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from .. import UserError
from ..call.text import clipped, shown

INJECTION = "CUDA_INJECTION64_PATH"
TIMED = "31"  # launches of each kernel, grid and block, of which the median is taken
LEAST_LIMIT_S, GRACE_S = 60, 5  # of a second run; from its SIGTERM to SIGKILL
RECORDER, SANITIZER = "libgpufx_recorder.so", "libsanitizer-public.so"
INSIDE = ("bin", "compute-sanitizer", "extras/Sanitizer")  # of a toolkit's folder
NO_RECORDER = (
    "there is no recorder here: `./gpufx setup` builds it, with CUDA and the headers of NVIDIA's Compute Sanitizer, "
    "for a machine with a GPU"
)
NO_SANITIZER = (
    f"there is no {SANITIZER}, by which accesses are recorded: it comes with CUDA's toolkit (compute-sanitizer) and "
    "with NVIDIA's Python package nvidia-cuda-sanitizer-api; install one, or name the file in GPUFX_SANITIZER"
)


class NothingToRunError(UserError):
    """A required tool is not installed."""


@dataclass(frozen=True)
class Wanted:
    """What is to be recorded, as the recorder is told it."""

    kernel: str | None
    launches: str
    blocks: str
    memory_bytes: int
    launched: str = "all"  # of which part of the program: all, or profiler

    def variables(self, only_times: bool) -> dict[str, str]:
        told = {"BLOCKS": self.blocks, "MEMORY": str(self.memory_bytes)}
        told |= {"TIME": "1", "LAUNCHES": TIMED} if only_times else {"LAUNCHES": self.launches}
        told |= {"KERNEL": self.kernel} if self.kernel else {}
        told |= {"RANGE": self.launched} if self.launched != "all" else {}
        return {f"GPUFX_TRACE_{name}": value for name, value in told.items()}


@dataclass(frozen=True)
class Ended:
    """status: as a shell reports it."""

    status: int
    signal: int | None
    seconds: float
    interrupted: bool  # by SIGINT, SIGTERM or SIGHUP, of gpufx itself


@cache
def nvidia_file(name: str) -> Path | None:
    """A file of NVIDIA's: in its Python packages, on PATH, where CUDA's variables say, and where CUDA usually is."""
    path = [Path(place) for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place]
    tops = [place.resolve().parent for place in path if (place / "nvcc").is_file()]
    tops += [Path(os.environ[variable]) for variable in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(variable)]
    tops += [Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"), reverse=True)]
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*"), reverse=True)
    places = [*(wheel / part for wheel in wheels for part in ("lib", "bin")), *path]
    places += [top / part for top in tops for part in INSIDE]
    return next((place / name for place in places if (place / name).is_file()), None)


def _file(variable: str, usual: Path | None, lacking: str) -> Path:
    found = Path(os.environ[variable]) if os.environ.get(variable) else usual
    if not found or not found.is_file():
        raise NothingToRunError(lacking)
    return found.resolve()


def recorder() -> Path:
    """Raises NothingToRunError."""
    folder = Path(os.environ.get("GPUFX_PROGRAM") or sys.argv[0]).resolve().parent
    places = [folder / part / RECORDER for part in ("", "../lib", "../lib/gpufx", "../lib64/gpufx")]
    return _file("GPUFX_RECORDER", next(filter(Path.is_file, places), None), NO_RECORDER)


def sanitizer() -> Path:
    """NVIDIA's library. Raises NothingToRunError."""
    return _file("GPUFX_SANITIZER", nvidia_file(SANITIZER), NO_SANITIZER)


def own_environment() -> dict[str, str]:
    """What gpufx was started with: it changes what Python is given, which is not the program's."""
    with suppress(OSError):
        if "GPUFX_SAYS_NO" in os.environ:  # started by gpufx
            parts = Path(f"/proc/{os.getppid()}/environ").read_bytes().split(b"\0")
            pairs = [part.split(b"=", 1) for part in parts if b"=" in part]
            if pairs:
                return {os.fsdecode(name): os.fsdecode(value) for name, value in pairs}
    return dict(os.environ)


@contextmanager
def _passed_on(told: list[int]):
    """Ctrl-C has gone to the program as well; what else asks for an end is passed on by who waits for it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: told.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def input_begins() -> int | None:
    """Where the program begins to read standard input; None: it is no file, and can be read once."""
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(0).st_mode) and os.access("/proc/self/fd/0", os.R_OK):
            return os.lseek(0, 0, os.SEEK_CUR)
    return None


def limit_s(first: Ended) -> float:
    """Of a second run, which is no slower than the first unless it waits for what does not come."""
    return max(LEAST_LIMIT_S, math.ceil(2 * first.seconds))


def run(words: list[str], folder: Path, wanted: Wanted, only_times: bool, output=None) -> Ended:
    """The recorder's files come into the folder. output: where the program's standard output goes; None: to ours.
    Raises UserError where it can't be started."""
    return _run(words, folder, wanted.variables(only_times), _waited, stdout=output)


def run_again(words: list[str], folder: Path, wanted: Wanted, begins: int | None, limit: float) -> Ended:
    """A second run, which is only timed: without output, with the same input where that is a file, in a session of its
    own, all of which is ended after the limit in seconds, or by Ctrl-C. Its code is loaded before its first launch, so
    that this one can be timed, too."""
    told = wanted.variables(True) | {"CUDA_MODULE_LOADING": "EAGER"}
    wait = partial(_waited_for_some_time, limit=limit)
    # Opened anew, so that whoever shares our input does not find it moved.
    with Path(os.devnull if begins is None else "/proc/self/fd/0").open("rb", buffering=0) as file:
        file.seek(begins or 0)
        files = {"stdin": file, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return _run(words, folder, told, wait, start_new_session=True, **files)


def _run(words: list[str], folder: Path, variables: dict[str, str], wait, **how) -> Ended:
    environment = own_environment()
    if environment.get(INJECTION):
        raise UserError(f"{INJECTION} is set, so another tool uses the injection; unset it")
    kept = {name: value for name, value in environment.items() if not name.startswith("GPUFX_TRACE_")}
    told = {
        INJECTION: str(recorder()),
        "GPUFX_TRACE_FILE": str(folder / "trace.XXXXXX"),
        "GPUFX_TRACE_CUBINS": str(folder),
    }
    told |= {"GPUFX_TRACE_SANITIZER": str(sanitizer())} | variables
    asked: list[int] = []
    began = time.monotonic()
    with _passed_on(asked):
        try:
            child = subprocess.Popen(words, env=kept | told, **how)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"'{shown(words[0])}' can't be started: {clipped(str(reason))}") from None
        status = wait(child, asked)
    seconds = time.monotonic() - began
    return Ended(128 - status if status < 0 else status, -status if status < 0 else None, seconds, bool(asked))


def _waited(child: subprocess.Popen, asked: list[int]) -> int:
    """SIGTERM goes on to the program, each one."""
    passed = 0
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(0.1)
        terms = asked.count(signal.SIGTERM)
        for _ in range(terms - passed):
            child.terminate()
        passed = terms


def _waited_for_some_time(child: subprocess.Popen, asked: list[int], limit: float) -> int:
    """Past the limit, or where an end is asked for, the session is ended, and killed a little later."""
    until = time.monotonic() + limit
    for count, number in enumerate((signal.SIGTERM, signal.SIGKILL)):
        while time.monotonic() < until and len(asked) <= count:
            with suppress(subprocess.TimeoutExpired):
                return child.wait(0.1)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        until = time.monotonic() + GRACE_S
    return child.wait()
