"""From what a user types to an archive file.

A path to a file, a folder (its newest archive), `latest`, an architecture (`sm_90`), part of a device's slug (`h200`),
or the start of a run's id. A name may end in ~N for the N-th archive before the newest. Names are looked up under
results/ and out/ of the project, whose root is in GPUFX_ROOT.
"""

import difflib
import json
import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from . import UserError

FOLDERS = ("results", "out")
NOT_ARCHIVES = {"published", "schema"}
FIRST_LINE = 1 << 20  # bytes: more than any first line of an archive has


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


def _entry(path: Path) -> Entry | None:
    """None for a file that is no archive of measurements: a search must not fail on a stranger."""
    try:
        if not path.is_file():  # a FIFO would be waited for
            return None
        with path.open("rb") as file:
            run = json.loads(file.readline(FIRST_LINE))
        if run.get("profiled"):  # its samples are no measurements: a name must not lead there
            return None
        device = run["device"]
        synthetic = run["provenance"] == "synthetic"
        written_ns = path.stat().st_mtime_ns
        return Entry(run["started_utc"], written_ns, path, device["slug"], device["arch"], run["id"], synthetic)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _newest_first(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda e: (e.started, e.written_ns, str(e.path)), reverse=True)


def find(folder: Path) -> list[Entry]:
    """All archives under a folder, newest first."""
    paths = (p for p in folder.rglob("*.jsonl") if not NOT_ARCHIVES & set(p.relative_to(folder).parts))
    entries = [entry for path in paths if (entry := _entry(path))]
    return _newest_first(entries)


def everything() -> list[Entry]:
    entries = [entry for name in FOLDERS for entry in find(root() / name)]
    return _newest_first(entries)


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


def resolve(name: str) -> Path:
    """The archive that `name` means. Raises UserError with the nearest names where there is none."""
    if not name:
        raise UserError("an empty name means no archive: give a file, or a name such as latest.")
    path = Path(name)
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # ValueError: a NUL in the name
        kind = 0
    if stat.S_ISREG(kind):
        return path
    if stat.S_ISDIR(kind):
        entries = find(path)
        if not entries:
            raise UserError(f"{name}: no archive in this folder.")
        return entries[0].path
    if kind:
        raise UserError(f"{name}: this is no regular file, so it is no archive.")
    if path.suffix == ".jsonl" or "/" in name:
        raise UserError(f"{name}: there is no such file or folder.")
    entries = everything()
    if not entries:
        raise UserError(f"{name}: no archive under results/ or out/ of {root()} yet: run `gpufx characterize` first.")
    word, back = re.fullmatch(r"(.*?)(?:~(\d{1,4}))?", name, re.DOTALL).groups()
    found = _matching(word, entries)
    if not found:
        known = sorted({"latest", *(e.arch for e in entries), *(e.slug for e in entries), *(e.id for e in entries)})
        near = difflib.get_close_matches(word.lower(), known, n=3, cutoff=0.4) or [k for k in known if "-" in k][:5]
        raise UserError(f"no archive is called {name!r}; did you mean {', '.join(near or known[:5])}?")
    index = int(back or 0)
    if index >= len(found):
        raise UserError(f"{name}: there are only {len(found)} archives of that name.")
    if len({e.slug for e in found}) > 1 and word != "latest":
        print(f"note: {name} fits {len(found)} archives, taking the newest: {found[index].path}", file=sys.stderr)
    return found[index].path
