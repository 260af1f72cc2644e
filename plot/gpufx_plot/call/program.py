"""The program gpufx, asked for what it alone knows: claims, and the archives that the project has."""

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer

from .. import UserError
from .text import safe

PATIENCE_S = 120


def root() -> Path:
    """The project's folder."""
    return Path(os.environ.get("GPUFX_ROOT") or Path(__file__).resolve().parents[3])


def home() -> Path:
    """The folder in which the user's own results/ and out/ lie; of a checkout the project's."""
    return Path(os.environ.get("GPUFX_HOME") or root())


def latest() -> tuple[list[Path], str | None]:
    """What the word `latest` was taken for, and the newest run if that is synthetic (harness/call/parse.h)."""
    taken = os.environ.get("GPUFX_LATEST", "")
    return [Path(line) for line in taken.splitlines()], os.environ.get("GPUFX_INVENTED")


class RefusedError(UserError):
    """The program says no; reason: in its own words."""

    def __init__(self, call: str, text: str, status: int = 2):
        super().__init__(f"{call} failed: {text}")
        self.reason = (text.splitlines() or [call])[-1].removeprefix("gpufx: ")
        self.status = status
        self.args_given = call, text, status

    def __reduce__(self):
        return type(self), self.args_given  # a process that works for another one hands it over


def path_of_program() -> str:
    """Raises UserError where Python was not started by gpufx."""
    if path := os.environ.get("GPUFX_PROGRAM"):
        return path
    raise UserError("the gpufx program is unknown; start this verb through gpufx")


def ask(*words: str, reply: Callable[[dict], str] | None = None, **environment: str):
    """The answer of `gpufx WORDS`, among them --json. reply: the program prints a first line of JSON and waits for the
    reply to that on its standard input; the answer is what it prints then. Raises UserError."""
    program = path_of_program()
    said = f"`{program} {' '.join(words)}`"
    style = {"bufsize": 0, "env": os.environ | {"GPUFX_TALK": "quiet"} | environment}  # 0: a line is read, and no more
    pipes = dict.fromkeys(("stdout", "stderr", *["stdin"] * bool(reply)), subprocess.PIPE)
    try:
        child = subprocess.Popen([program, *words], **pipes, **style)
    except OSError as error:
        raise UserError(f"{program} can't be started: {error.strerror}") from None
    timer = Timer(PATIENCE_S, child.kill)
    timer.start()
    try:
        first = child.stdout.readline() if reply else b""
        out, err = child.communicate(reply(_read(said, first)).encode() if first else None)
        if child.returncode and not timer.is_alive():
            raise UserError(f"{said} did not finish within {PATIENCE_S} s")
        if child.returncode:
            text = err.decode(errors="replace").strip() or str(child.returncode)
            raise RefusedError(said, text, child.returncode)
        return _read(said, out, "" if reply else "answer")
    finally:
        timer.cancel()
        child.kill()
        with suppress(OSError), child:  # closes its pipes, and waits for it
            pass


def _read(said: str, text: bytes, key: str = ""):
    """What the program printed, or what it has there of that key."""
    try:
        return json.loads(text)[key] if key else json.loads(text)
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{said} did not print JSON: another program, or another version?") from None


@dataclass(frozen=True)
class Entry:
    """An archive by its first line."""

    path: Path
    id: str
    slug: str
    arch: str
    synthetic: bool
    processes: int  # that were meant
    reference: bool = False  # of its chip


def entries(listing) -> list[Entry]:
    """What `archive list --json` printed, newest first."""
    try:
        return [
            Entry(
                *(Path(e["path"]), safe(e["id"]), safe(e["device"]["slug"]), safe(e["device"]["arch"])),
                *(e["provenance"] == "synthetic", int(e["processes"]), bool(e.get("reference"))),
            )
            for e in listing
        ]
    except (TypeError, ValueError, KeyError):
        raise UserError("`gpufx archive list` did not list archives; is it the same version?") from None


def archives(*name: str) -> list[Entry]:
    """All that the project has, or those that a name means."""
    return entries(ask("archive", "list", *name, "--json"))


def cards() -> set[str]:
    """The UUIDs of the GPUs of this machine."""
    return {card["uuid"] for card in ask("info", "--json")["cuda_devices"]}
