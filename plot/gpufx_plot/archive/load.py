"""Loads an archive: JSON Lines, plain or compressed, as results/schema/archive-2.schema.json says.

One pass over the lines; nothing is kept per sample, unless samples are asked for. A last line without its newline was
cut off by a kill: it is left out and the archive marked truncated. Everything else that is not as a run writes it is
refused with the file, the line and the reason. So is any other schema than today's. What a file of some size was found
to hold is kept (call/cache.py), since reading it takes longer than all that is done with it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from .. import UserError
from ..call.cache import available, kept, sum_of
from ..call.terminal import detail
from ..call.text import shown
from . import lines
from .contents import Absence, Archive, Clocks
from .loader import Loader, RefusedError, in_words
from .points import Point
from .reading import content_of, lines_of, uncollected

__all__ = ["Absence", "Archive", "load"]


class _Kept(msgspec.Struct, array_like=True):
    """An archive but for where it lies."""

    run: dict
    points: list[Point]
    waived: list[Absence]
    failed: list[Absence]
    fits: list[lines.Fit]
    counters: list[dict]
    clocks: Clocks
    counts: dict[str, int]
    measured: set[str]
    end: lines.End | None
    truncated: bool


def load(
    path: Path | str,
    profiled: bool = False,
    probes: set[str] | None = None,
    keep_samples: bool = False,
    loader: Callable[[Path, set[str] | None, bool], Loader] = Loader,
) -> Archive:
    """Reads and checks one archive. Raises UserError. profiled: also one that was taken under a profiler, whose samples
    are no measurements. probes: points of these only. keep_samples: each point keeps those of its processes.
    loader: what takes the lines."""
    path = Path(path)
    detail(f"gpufx: reading {shown(path)}")
    plain = loader is Loader and not profiled and available()
    content = content_of(path) if plain else None
    with uncollected():
        if content is None:
            archive = _read(path, None, profiled, loader(path, probes, keep_samples))
        else:
            kind = "samples" if keep_samples else "archive"
            archive = again(path, kind, content, lambda: _read(path, content, False, Loader(path, None, keep_samples)))
            archive.sum = sum_of(b"archive", content)  # nothing that is kept follows from samples
            archive = of_probes(archive, probes)
    return archive


def again(path: Path, kind: str, content: bytes, read: Callable[[], Archive]) -> Archive:
    """The archive that was made of this content, or is made now."""
    names = _Kept.__struct_fields__

    def compute() -> _Kept:
        archive = read()
        return _Kept(*(getattr(archive, name) for name in names))

    found = kept(kind, (content,), _Kept, compute)
    archive = Archive(path, *(getattr(found, name) for name in names))
    archive.counts, archive.sum = Counter(archive.counts), sum_of(kind.encode(), content)
    return archive


def of_probes(archive: Archive, probes: set[str] | None) -> Archive:
    """With the points of these alone."""
    if probes is None:
        return archive
    found = replace(archive, points=[point for point in archive.points if point.probe in probes])
    found.sum = sum_of(archive.sum, *(probe.encode(errors="surrogateescape") for probe in sorted(probes)))
    return found


def _read(path: Path, content: bytes | None, profiled: bool, loader: Loader) -> Archive:
    try:
        texts = lines_of(path, content)
        first = next(texts, None)
        if first is None:
            raise UserError(f"{shown(path)}: the file is empty; its run wrote nothing")
        loader.first(first, profiled)
        loader.take_all(texts)
    except RefusedError as error:
        raise UserError(f"{shown(path)}:{loader.number}: {error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{shown(path)}:{loader.number}: {in_words(loader.text, error)}") from None
    loader.archive.sort()
    for point in loader.repeated:
        point.lay_repetitions_together()
    return loader.archive
