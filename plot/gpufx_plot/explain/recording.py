"""Runs a program under the recorder (harness/trace), which the CUDA driver loads into every process that it serves, by
the variable that it has for tools. The program keeps its input, output, environment and exit status; Ctrl-C goes to it,
and what was recorded until then stays."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .. import UserError
from ..call.text import clipped, shown

INJECTION = "CUDA_INJECTION64_PATH"
RECORDER, SANITIZER = "libgpufx_recorder.so", "libsanitizer-public.so"
NO_RECORDER = (
    "this build has no recorder, since it was made where the headers of NVIDIA's Compute Sanitizer are not; "
    "`./gpufx setup` installs and builds it, on a machine where CUDA is wanted"
)
NO_SANITIZER = (
    f"there is no {SANITIZER}, by which accesses are recorded: it comes with CUDA's toolkit (compute-sanitizer) and "
    "with NVIDIA's Python package nvidia-cuda-sanitizer-api; install one, or name the file in GPUFX_SANITIZER"
)


class NothingToRunError(UserError):
    """What it takes is not on this machine."""


@dataclass(frozen=True)
class Wanted:
    """What is to be recorded, as the recorder is told it."""

    kernel: str | None = None
    launches: str = "1"
    blocks: str = "64"
    memory_bytes: int = 512 << 20

    def variables(self, only_times: bool) -> dict[str, str]:
        if only_times:
            return {"GPUFX_TRACE_TIME": "1"} | ({"GPUFX_TRACE_KERNEL": self.kernel} if self.kernel else {})
        told = {"LAUNCHES": self.launches, "BLOCKS": self.blocks, "MEMORY": str(self.memory_bytes)}
        told |= {"KERNEL": self.kernel} if self.kernel else {}
        return {f"GPUFX_TRACE_{name}": value for name, value in told.items()}


@dataclass(frozen=True)
class Ended:
    """status: as a shell reports it."""

    status: int
    signal: int | None
    seconds: float
    interrupted: bool  # by Ctrl-C, or by who wanted an end


def _first(places: Iterable[Path]) -> Path | None:
    return next((place for place in places if place.is_file()), None)


def recorder() -> Path:
    """Raises NothingToRunError."""
    if named := os.environ.get("GPUFX_RECORDER"):
        places = [Path(named)]
    else:
        folder = Path(os.environ.get("GPUFX_PROGRAM") or sys.argv[0]).resolve().parent
        places = [folder / part / RECORDER for part in ("", "../lib", "../lib/gpufx", "../lib64/gpufx")]
    found = _first(places)
    if not found:
        raise NothingToRunError(NO_RECORDER)
    return found.resolve()


def sanitizer() -> Path:
    """NVIDIA's library: the one that is named, the wheel's, the toolkit's. Raises NothingToRunError."""
    if named := os.environ.get("GPUFX_SANITIZER"):
        places = [Path(named)]
    else:
        tool = os.environ.get("PATH", os.defpath).split(os.pathsep)
        tops = [Path(top).resolve().parent for top in tool if Path(top, "nvcc").is_file()]
        tops += [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
        tops += [Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"), reverse=True)]
        wheels = sorted(Path(sysconfig.get_path("purelib")).glob(f"nvidia/*/lib/{SANITIZER}"), reverse=True)
        inside = ("compute-sanitizer", "extras/Sanitizer")
        places = [*wheels, *(top / folder / SANITIZER for top in tops for folder in inside)]
    found = _first(places)
    if not found:
        raise NothingToRunError(NO_SANITIZER)
    return found.resolve()


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


def run(words: list[str], folder: Path, wanted: Wanted, only_times: bool, output=None) -> Ended:
    """The recorder's files come into the folder. output: where the program's standard output goes; None: to ours.
    Raises UserError where it can't be started."""
    environment = own_environment()
    if environment.get(INJECTION):
        raise UserError(f"{INJECTION} is set, and another tool records through it; unset it")
    kept = {name: value for name, value in environment.items() if not name.startswith("GPUFX_TRACE_")}
    told = {INJECTION: str(recorder()), "GPUFX_TRACE_FILE": str(folder / "trace.%p"), "GPUFX_TRACE_CUBINS": str(folder)}
    told |= {"GPUFX_TRACE_SANITIZER": str(sanitizer())} | wanted.variables(only_times)
    asked: list[int] = []
    began = time.monotonic()
    with _passed_on(asked):
        try:
            child = subprocess.Popen(words, env=kept | told, stdout=output)
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
