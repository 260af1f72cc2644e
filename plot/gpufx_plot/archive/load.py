"""Loads an archive: JSON Lines, plain or compressed, as results/schema/archive-2.schema.json says.

One pass over the lines; nothing is kept per sample, unless samples are asked for. A last line without its newline was
cut off by a kill: it is left out and the archive marked truncated. Everything else that is not as a run writes it is
refused with the file, the line and the reason. So is any other schema than today's.
"""

import gc
from collections.abc import Callable
from pathlib import Path

import msgspec

from .. import UserError
from ..call.text import shown
from .contents import Absence, Archive
from .foreign import NO_CASES
from .foreign import read as read_foreign
from .loader import Loader, RefusedError, in_words
from .reading import lines_of

FOREIGN = b'{"type":"foreign"'  # how a foreign archive begins

__all__ = ["Absence", "Archive", "load"]


def load(
    path: Path | str,
    profiled: bool = False,
    probes: set[str] | None = None,
    keep_samples: bool = False,
    foreign: bool = False,
    loader: Callable[[Path, set[str] | None, bool], Loader] = Loader,
) -> Archive:
    """Reads and checks one archive. Raises UserError. profiled: also one that was taken under a profiler, whose samples
    are no measurements. probes: points of these only. keep_samples: each point keeps those of its processes. foreign:
    also what another tool measured, which has quantities and no cases. loader: what takes the lines."""
    path = Path(path)
    loader = loader(path, probes, keep_samples)
    collecting = gc.isenabled()
    # A million small objects without a cycle: looking for some, now or later, takes a third of the time.
    gc.disable()
    try:
        texts = lines_of(path)
        first = next(texts, None)
        if first is None:
            raise UserError(f"{shown(path)}: the file is empty: the run that made it wrote nothing")
        if first.startswith(FOREIGN):
            if foreign:
                return read_foreign(path, first, texts)
            raise UserError(f"{shown(path)}: {NO_CASES}")
        loader.first(first, profiled)
        loader.take_all(texts)
    except RefusedError as error:
        raise UserError(f"{shown(path)}:{loader.number}: {error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{shown(path)}:{loader.number}: {in_words(loader.text, error)}") from None
    finally:
        if collecting:
            gc.freeze()
            gc.enable()
    loader.archive.sort()
    for point in loader.repeated:
        point.lay_repetitions_together()
    return loader.archive
