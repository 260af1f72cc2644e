"""The archive of a comparison with hardware counters: a run line marked as profiled, one counter line per case and
metric, an end line. It lies beside the device's other archives, and holds no samples: what a case took under a profiler
is no measurement."""

import json
import os
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from . import UserError
from .context import root


def _without_folder(arguments: list[str]) -> list[str]:
    """As gpufx itself does: where its user keeps an archive says nothing of what is in it."""
    after = [False, *(word == "--out" for word in arguments)]
    return ["..." if hidden else "--out=..." if word.startswith("--out=") else word
            for word, hidden in zip(arguments, after, strict=False)]  # fmt: skip


def run_line(info: dict, arguments: list[str], quick: bool) -> dict:
    """The first line; info: what `gpufx info --json` tells."""
    return {
        "type": "run",
        "schema": 2,
        "id": secrets.token_hex(4),
        "started_utc": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "provenance": "measured",
        "profiled": True,
        "program": info["program"],
        "device": info["opened"]["device"],
        "driver": info["opened"]["driver"],
        "host": info["host"],
        "environment": info["opened"]["environment"],
        "arguments": _without_folder(arguments),
        "processes": 1,
        "quick": quick,
        "law_version": info["law_version"],
        "sampler": None,
        "labels": {},
        "probes": {},
    }


class Record:
    """Written line by line, so that a killed run keeps what it found. There is no file before the first line that is
    worth one: where no counter could be read, nothing is left behind."""

    def __init__(self, folder: Path | None, run: dict):
        self.began = time.monotonic()
        device = run["device"]
        folder = folder or root() / "results" / device["arch"] / device["slug"]
        self.path = folder / f"{run['started_utc'].replace('-', '').replace(':', '')}-{run['id']}.jsonl"
        self.waiting = [run]
        self.file = None
        self.crc = 0  # of what is written
        above = next(f for f in (folder, *folder.absolute().parents) if f.exists())
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise UserError(f"{folder}: no archive can be written there; choose a folder with --out, or --no-archive")

    def put(self, line: dict, worth: bool = True) -> None:
        self.waiting.append(line)
        if not worth and not self.file:
            return
        try:
            if not self.file:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.file = self.path.open("x", encoding="utf-8", buffering=1)
            for waiting in self.waiting:
                text = json.dumps(waiting, separators=(",", ":")) + "\n"
                self.file.write(text)
                self.crc = crc32(text.encode(), self.crc)
        except OSError as error:
            raise UserError(f"{self.path}: can't be written: {error.strerror}; choose a folder with --out") from None
        self.waiting = []

    def end(self, reason: str | None) -> None:
        if self.file:
            elapsed = round(time.monotonic() - self.began, 3)
            none = {"cases": 0, "waived": 0, "failed": 0}
            end = {"type": "end", "complete": reason is None, "reason": reason, **none, "elapsed_s": elapsed}
            self.put(end | {"crc32": f"{self.crc:08x}"})
            self.file.close()
