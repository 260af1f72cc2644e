"""The newest archives of the tree, where none is named."""

from collections.abc import Iterator
from contextlib import suppress

from .. import UserError
from ..call.program import ask, entries
from .contents import Archive
from .load import load

MOST_READ = 3  # archives, until one has a figure


def newest(probes: set[str] | None) -> Iterator[Archive]:
    """Archives with the cases of these probes: of the device at hand, then of any device, the newest first; measured
    ones go before others."""
    try:
        told = ask("info", "--json")
        slug = told["opened"]["device"]["slug"] if told["cuda_devices"] else ""
    except (UserError, KeyError, TypeError):
        slug = ""
    found = entries(ask("archive", "list", "--json"))
    for entry in sorted(found, key=lambda e: (e.slug != slug, e.synthetic)):
        with suppress(UserError):
            archive = load(entry.path, probes=probes)
            if not archive.incomplete:
                yield archive
