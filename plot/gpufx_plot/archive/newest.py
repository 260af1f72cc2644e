"""The newest archives of the tree, where none is named."""

from collections.abc import Iterator
from contextlib import suppress

from .. import UserError
from ..call.program import Entry, archives, ask
from .cases import Archive
from .load import load

MOST_READ = 3  # archives, until one has a figure


def nearest(found: list[Entry], slug: str, arch: str) -> list[Entry]:
    """In the program's order (harness/archive/archive_folder.h): those of the device at hand, of its architecture, of
    any. `found` are the newest first. Synthetic ones, which are near to nothing, come last."""
    return sorted(found, key=lambda e: (e.synthetic, 0 if e.slug == slug else 1 if e.arch == arch else 2))


def device_at_hand() -> tuple[str, str]:
    """Its slug and architecture; empty without a GPU."""
    try:
        info = ask("info", "--json")
        device = info["opened"]["device"] if info["cuda_devices"] else {"slug": "", "arch": ""}
        return device["slug"], device["arch"]
    except (UserError, KeyError, TypeError):
        return "", ""


def newest(probes: set[str] | None, known: list[Entry] | None = None) -> Iterator[Archive]:
    """Archives with the cases of these probes, the nearest to the device at hand first; none that was cut off. known:
    what the program has listed already."""
    return opened(nearest(archives() if known is None else known, *device_at_hand()), probes)


def opened(entries: list[Entry], probes: set[str] | None) -> Iterator[Archive]:
    """Those that can be read and were not cut off."""
    for entry in entries:
        with suppress(UserError):
            archive = load(entry.path, probes=probes)
            if not archive.incomplete:
                yield archive
