"""Runs a program under the recorder (harness/trace), which the CUDA driver loads into every process that it serves, by
the variable that it has for tools. The program keeps its input, output, environment and exit status; Ctrl-C goes to it,
and what was recorded until then stays."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .. import UserError
from ..call.text import clipped, shown
from . import nvidia

INJECTION = "CUDA_INJECTION64_PATH"
TIMED = "31"  # launches of each kernel, grid and block, of which the median is taken
RECORDER, SANITIZER = "libgpufx_recorder.so", "libsanitizer-public.so"
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
    interrupted: bool  # by SIGINT or SIGTERM


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
    return _file("GPUFX_SANITIZER", nvidia.find(SANITIZER), NO_SANITIZER)


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
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: told.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(words: list[str], folder: Path, wanted: Wanted, only_times: bool, output=None, silent=False) -> Ended:
    """The recorder's files come into the folder. output: where the program's standard output goes; None: to ours.
    silent: it has neither input nor output, and its code is loaded before its first launch, so that this one can be
    timed, too. Raises UserError where it can't be started."""
    environment = own_environment()
    if environment.get(INJECTION):
        raise UserError(f"{INJECTION} is set, so another tool uses the injection; unset it")
    kept = {name: value for name, value in environment.items() if not name.startswith("GPUFX_TRACE_")}
    told = {INJECTION: str(recorder()), "GPUFX_TRACE_FILE": str(folder / "trace.%p"), "GPUFX_TRACE_CUBINS": str(folder)}
    told |= {"GPUFX_TRACE_SANITIZER": str(sanitizer())} | wanted.variables(only_times)
    told |= {"CUDA_MODULE_LOADING": "EAGER"} if silent else {}
    asked: list[int] = []
    began = time.monotonic()
    with _passed_on(asked):
        try:
            files = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL) if silent else {"stdout": output}
            child = subprocess.Popen(words, env=kept | told, **files)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(f"'{shown(words[0])}' can't be started: {clipped(str(reason))}") from None
        status = _waited(child, asked)
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
