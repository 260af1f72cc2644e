"""From what a user types to an archive file.

A path to a file, a folder (its newest archive), `latest`, an architecture (`sm_90`), part of a device's slug (`h200`),
or the start of a run's id. A name may end in ~N for the N-th archive before the newest. Archives of runs that came to
their end go before those that did not. Names are looked up under results/ and out/ of the project, whose root is in
GPUFX_ROOT. A search reads first lines, and of the archive that it takes the last one.
"""

import difflib
import gzip
import json
import os
import re
import stat
import sys
import zlib
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from . import UserError
from .reading import GZIP, is_archive_name, lines_of
from .text import clipped, safe, shown

FOLDERS = ("results", "out")
NOT_ARCHIVES = {"published", "schema"}
FIRST_LINE = 1 << 20  # bytes: more than any first line of an archive has
LAST_LINE = 1 << 16
DEEPEST = 5  # folders below the one that is searched: ARCH/DEVICE is two
MOST_ENTRIES = 50_000  # of folders that are looked through


@dataclass(frozen=True)
class Entry:
    """One archive that was found, as its first line describes it."""

    started: str
    written_ns: int  # archives of the same second: the one that was written to last is the later one
    path: Path
    slug: str
    arch: str
    id: str
    synthetic: bool


def root() -> Path:
    return Path(os.environ.get("GPUFX_ROOT") or Path(__file__).resolve().parents[2])


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        if file.peek(2)[:2] == GZIP:
            with gzip.GzipFile(fileobj=file) as unpacked:
                return unpacked.readline(FIRST_LINE)
        return file.readline(FIRST_LINE)


def _entry(path: Path) -> Entry | None:
    """None for a file that is no archive of measurements: a search must not fail on a stranger."""
    try:
        if not path.is_file():  # a FIFO would be waited for
            return None
        run = json.loads(_first_line(path))
        if run.get("profiled"):  # its samples are no measurements: a name must not lead there
            return None
        device = run["device"]
        synthetic = run["provenance"] == "synthetic"
        texts = (run["started_utc"], device["slug"], device["arch"], run["id"])
        started, slug, arch, run_id = map(safe, texts)
        return Entry(started, path.stat().st_mtime_ns, path, slug, arch, run_id, synthetic)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, EOFError, zlib.error):
        return None


def _newest_first(entries: list[Entry]) -> list[Entry]:
    """A date that is still to come says nothing, and goes last. An archive and its compressed copy are one."""
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    ordered = sorted(entries, key=lambda e: (e.started <= tomorrow, e.started, e.written_ns, str(e.path)), reverse=True)
    seen: dict[tuple, Entry] = {}
    for entry in ordered:
        seen.setdefault((entry.id, entry.started, entry.slug, entry.path.name.removesuffix(".gz")), entry)
    return list(seen.values())


def _files(folder: Path) -> list[Path]:
    """All files of an archive's name under a folder, as far down and as many as a project can have."""
    found, looked, waiting = [], 0, [(str(folder), 0)]
    while waiting:
        where, depth = waiting.pop()
        try:
            with os.scandir(where) as entries:
                for entry in entries:
                    looked += 1
                    if looked > MOST_ENTRIES:
                        raise UserError(
                            f"{shown(folder)}: over {MOST_ENTRIES} files lie here; name the archive's own folder"
                        )
                    if entry.name in NOT_ARCHIVES:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [(entry.path, depth + 1)] * (depth < DEEPEST)
                    elif is_archive_name(entry.name):
                        found.append(Path(entry.path))
        except OSError:
            continue
    return found


def find(folder: Path) -> list[Entry]:
    """All archives under a folder, newest first."""
    return _newest_first([entry for path in _files(folder) if (entry := _entry(path))])


def everything() -> list[Entry]:
    return _newest_first([entry for name in FOLDERS for entry in find(root() / name)])


def is_complete(path: Path) -> bool:
    """Whether the archive's last line says that its run came to its end."""
    last = b""
    try:
        with path.open("rb") as file:
            packed = file.peek(2)[:2] == GZIP
            if not packed:
                file.seek(max(0, path.stat().st_size - LAST_LINE))
                last = file.read(LAST_LINE)
        if packed:
            last = deque(lines_of(path), maxlen=1).pop()
        line = json.loads(last.rstrip(b"\n").rpartition(b"\n")[2]) if last.endswith(b"\n") else {}
        return isinstance(line, dict) and line.get("type") == "end" and line.get("complete") is True
    except (OSError, ValueError, RecursionError, UserError):
        return False


def _matching(name: str, entries: list[Entry]) -> list[Entry]:
    if name == "latest":
        return entries
    low = name.lower()
    for test in (
        lambda e: low in (e.arch, e.slug, e.id),
        lambda e: low in e.slug,
        lambda e: len(low) >= 4 and e.id.startswith(low),
    ):
        found = [e for e in entries if test(e)]
        if found:
            # Who names a device means the device; its synthetic likeness only where nothing was measured.
            return [e for e in found if not e.synthetic] or found
    return []


def _pick(entries: list[Entry], index: int) -> Entry:
    """The index-th of the complete ones; where there are not as many, of all."""
    complete = (entry for entry in entries if is_complete(entry.path))
    return next(islice(complete, index, None), None) or entries[index]


def _note(name: str, taken: Entry, entries: list[Entry], index: int) -> None:
    """Says what was taken, where the name does not."""
    passed = entries.index(taken) - index
    reasons = [f"passing over {passed} newer that {'is' if passed == 1 else 'are'} incomplete"] * (passed > 0)
    if len({e.slug for e in entries}) > 1 and not name.startswith("latest"):
        reasons.insert(0, f"which fits {len(entries)} archives, the newest")
    if reasons or name.startswith("latest"):
        said = f"note: {clipped(name)}: taking {shown(taken.path)} ({taken.slug}, {taken.started})"
        print(", ".join([said, *reasons]), file=sys.stderr)


def resolve(name: str) -> Path:
    """The archive that `name` means. Raises UserError with the nearest names where there is none."""
    if not name:
        raise UserError("an empty name means no archive: give a file, or a name such as latest")
    path = Path(name)
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # ValueError: a NUL in the name
        kind = 0
    if stat.S_ISREG(kind) or stat.S_ISFIFO(kind):
        return path
    if stat.S_ISDIR(kind):
        entries = find(path)
        if not entries:
            raise UserError(f"{shown(name)}: no archive in this folder")
        taken = _pick(entries, 0)
        _note(name, taken, entries[: entries.index(taken) + 1], 0) if taken != entries[0] else None
        return taken.path
    if kind:
        raise UserError(f"{shown(name)}: this is neither a file nor a pipe, so it is no archive")
    if is_archive_name(path.name) or "/" in name:
        raise UserError(f"{shown(name)}: there is no such file or folder")
    entries = everything()
    if not entries:
        raise UserError(
            f"{shown(name)}: no archive under results/ or out/ of {shown(root())} yet: run `gpufx characterize` first"
        )
    word, back = re.fullmatch(r"(.*?)(?:~(\d{1,4}))?", name, re.DOTALL).groups()
    found = _matching(word, entries)
    if not found:
        known = sorted({"latest", *(e.arch for e in entries), *(e.slug for e in entries), *(e.id for e in entries)})
        near = difflib.get_close_matches(word.lower(), known, n=3, cutoff=0.4) or [k for k in known if "-" in k][:5]
        raise UserError(f"no archive is called '{shown(name)}'; did you mean {', '.join(near or known[:5])}?")
    index = int(back or 0)
    if index >= len(found):
        raise UserError(f"{shown(name)}: there are only {len(found)} archives of that name")
    taken = _pick(found, index)
    _note(name, taken, found, index)
    return taken.path
