"""Faults that studies plant, as data: faults.json. A fault of 5 % takes 5 % of a rate (moves -1), or makes a time as
much longer as such a rate would (1)."""

import math
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

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
    return tuple(msgspec.json.decode((Path(__file__).parent / "faults.json").read_bytes(), type=list[Fault]))
