"""Faults that cards have, as data: results/faults/faults.json. A fault of 5 % takes 5 % of a rate (moves -1), or makes
a time as much longer as such a rate would (1)."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from .. import UserError
from ..call.program import root
from ..call.text import safe, shown

MOVED = 0.8
SIZES = (0.02, 0.05, 0.10, 0.30)


class Fault(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """where: whose fault it is, since spreads are of another kind on the chip, in DRAM, on the link and on the host."""

    id: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]*$")]
    what: str
    where: Literal["chip", "dram", "link", "host"]
    moves: Annotated[dict[str, Annotated[float, Meta(ge=-4, le=4)]], Meta(min_length=1)]

    def shift(self, size: float) -> dict[str, float]:
        """By how much each quantity's logarithm changes."""
        return {name: -power * math.log1p(-size) for name, power in self.moves.items()}


@cache
def faults() -> tuple[Fault, ...]:
    path = root() / "results" / "faults" / "faults.json"
    try:
        return tuple(msgspec.json.decode(path.read_bytes(), type=list[Fault]))
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{shown(path)}: {safe(str(error))[:200]}") from None


def weights(names: Sequence[str]) -> np.ndarray:
    """How much of what may go wrong each quantity has for itself, one on average: four fifths go to those that planted
    faults move (Genovese, Roeder and Wasserman 2006, doi:10.1093/biomet/93.3.509)."""
    moved = np.array([any(name in fault.moves for fault in faults()) for name in names], dtype=bool)
    count = int(moved.sum())
    if not 0 < count < len(moved):
        return np.ones(len(moved))
    return np.where(moved, MOVED / count, (1 - MOVED) / (len(moved) - count)) * len(moved)
