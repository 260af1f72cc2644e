"""The program gpufx, asked for what it alone knows: claims, and the archives that the project has."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .. import UserError
from .text import safe

PATIENCE_S = 120


def root() -> Path:
    """The project's folder."""
    return Path(os.environ.get("GPUFX_ROOT") or Path(__file__).resolve().parents[3])


def home() -> Path:
    """The folder in which the user's own results/ and out/ lie; of a checkout the project's."""
    return Path(os.environ.get("GPUFX_HOME") or root())


class RefusedError(UserError):
    """The program says no; reason: in its own words."""

    def __init__(self, said: str, told: str):
        super().__init__(f"{said} failed: {told}")
        self.reason = (told.splitlines() or [said])[-1].removeprefix("gpufx: ")
        self.args_given = said, told

    def __reduce__(self):
        return type(self), self.args_given  # a process that works for another one hands it over


def quietly() -> dict[str, str]:
    """The environment of a call whose last line on standard error says why it failed."""
    return os.environ | {"GPUFX_TALK": "quiet"}


def ask(*words: str):
    """The answer of `gpufx WORDS`, among them --json. Raises UserError."""
    program = os.environ.get("GPUFX_PROGRAM")
    if not program:
        raise UserError("the gpufx program is unknown; start this verb through gpufx")
    said = f"`{program} {' '.join(words)}`"
    try:
        style = {"encoding": "utf-8", "errors": "replace", "timeout": PATIENCE_S, "env": quietly()}
        run = subprocess.run([program, *words], capture_output=True, check=False, **style)
    except OSError as error:
        raise UserError(f"{program} can't be started: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"{said} did not finish within {PATIENCE_S} s") from None
    if run.returncode:
        raise RefusedError(said, run.stderr.strip() or str(run.returncode))
    try:
        return json.loads(run.stdout)["answer"]
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{said} printed no JSON of an answer: is it gpufx?") from None


@dataclass(frozen=True)
class Entry:
    """An archive by its first line."""

    path: Path
    id: str
    slug: str
    arch: str
    synthetic: bool
    processes: int  # that were meant


def entries(told) -> list[Entry]:
    """What `archive list --json` printed, newest first."""
    try:
        return [
            Entry(
                *(Path(e["path"]), safe(e["id"]), safe(e["device"]["slug"]), safe(e["device"]["arch"])),
                *(e["provenance"] == "synthetic", int(e["processes"])),
            )
            for e in told
        ]
    except (TypeError, ValueError, KeyError):
        raise UserError("`gpufx archive list` did not list archives; is it the same version?") from None


def archives(*name: str) -> list[Entry]:
    """All that the project has, or those that a name means."""
    return entries(ask("archive", "list", *name, "--json"))
