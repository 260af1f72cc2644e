"""results/spreads.json: what archives say of each quantity. Read without numpy, which takes longer than most verbs."""

from functools import cache
from pathlib import Path

import msgspec

from .definitions import SPREADS


class Source(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An archive: the model, the card that it is of, and its board part number, "" where the archive has none."""

    model: str
    card: str
    processes: int
    board: str = ""


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """A quantity by archive: value (a bracket has none), low and high with the normal distribution's quantiles, low and
    high as the archive alone has them. definition: fingerprint of how it was had."""

    kind: str
    state: bool
    definition: str
    values: dict[str, tuple[float | None, float | None, float | None, float | None, float | None]]


class Table(msgspec.Struct, forbid_unknown_fields=True):
    archives: dict[str, Source]
    quantities: dict[str, Row]


def read(top: Path) -> Table:
    """Raises UserError for a file that is none."""
    path = top / SPREADS
    return msgspec.json.decode(path.read_bytes(), type=Table) if path.is_file() else Table({}, {})


kept = cache(read)  # of a tree that stays as it is
