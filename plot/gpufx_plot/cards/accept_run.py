"""Measure cases by one `gpufx run --only`, interrupted by SIGINT when the time is over."""

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import UserError
from ..call.output import write
from ..call.program import RefusedError, ask, home, path_of_program
from ..call.text import safe

OTHERS = re.compile(r"other programs? ha(s|ve) a context on this GPU")  # a warning of the run that is repeated here
LAST_S = 15.0  # for an interrupted run to write its last line
NOTHING = 77


class NothingRan(Exception):  # noqa: N818
    """Nothing could be measured; the text is the reason."""


@dataclass(frozen=True)
class Measured:
    archive: Path
    stopped: bool  # its time was over


def folder(out: str | None) -> Path:
    return Path(out) if out else home() / "out" / "accept"


def measure(cases: Sequence[str], processes: int, more: Sequence[str], out: Path, limit_s: float) -> Measured:
    """more: words of the run. Raises UserError, or NothingRan."""
    with tempfile.TemporaryDirectory(prefix="gpufx-accept-") as place:
        names = Path(place) / "cases"
        write(names, "".join(f"{name}\n" for name in cases).encode())
        probes = sorted({name.partition("/")[0] for name in cases})
        words = [path_of_program(), "run", *probes, "--only", str(names), "--out", str(out)]
        words += ["--processes", str(processes), *more]
        before = set(_archives(out))
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as run:
            stopped = False
            try:
                _, said = run.communicate(timeout=max(limit_s, 1.0))
            except subprocess.TimeoutExpired:
                stopped = True
                run.send_signal(signal.SIGINT)
                try:
                    _, said = run.communicate(timeout=LAST_S)
                except subprocess.TimeoutExpired:
                    run.kill()
                    _, said = run.communicate()
            except BaseException:
                run.send_signal(signal.SIGINT)
                raise
    new = sorted(set(_archives(out)) - before, key=lambda path: path.stat().st_mtime)
    reasons = _reasons(said)
    if not new:
        why = reasons[-1] if reasons else f"gpufx run failed with status {run.returncode}"
        if run.returncode == NOTHING or stopped:
            raise NothingRan(why)
        raise UserError(why)
    for line in reasons:
        if (run.returncode and not stopped) or OTHERS.search(line):
            print(f"gpufx accept: {line}", file=sys.stderr)
    return Measured(new[-1], stopped)


def _reasons(said: str) -> list[str]:
    """The lines of standard error, each once."""
    lines = (safe(line).removeprefix("gpufx: ") for line in said.splitlines() if line.strip())
    return list(dict.fromkeys(lines))


def device_of(words: list[str]) -> dict:
    """What the device says of itself. Raises UserError, or NothingRan where there is no such device."""
    try:
        opened = ask("info", "--json", *words)["opened"]
    except RefusedError as error:
        raise (NothingRan if error.status == NOTHING else UserError)(error.reason) from None
    except (TypeError, KeyError):
        raise UserError("gpufx info did not describe a device; is it the same version?") from None
    if not opened:
        raise NothingRan("there is no device to check; gpufx info prints why")
    return opened["device"]


def _archives(out: Path) -> list[Path]:
    return [path for path in out.glob("*.jsonl*") if path.is_file()] if out.is_dir() else []
