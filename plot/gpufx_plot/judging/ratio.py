"""What the pairs of a claim give. They are kept, and shown without what ratios.py needs to find them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

INSIDE, OUTSIDE, UNCLEAR = "inside", "outside", "undecided"


@dataclass
class Ratio:
    """What one pair of cases gives, with its interval, and on which side of the bounds it lies."""

    case: str
    base: str | None
    value: float
    tested: float  # the quantity of the case itself
    against: float | None
    low: float
    high: float
    level_pct: int = 95
    side: str = UNCLEAR
    doubt: str = ""  # why it refutes only what is farther away than another run may lie
    in_each: bool = False  # outside in each process by itself, though on different sides, or by different factors
    params: dict = field(default_factory=dict)


@dataclass
class Found:
    """The pairs of a claim: those measured, and why others were not."""

    ratios: list[Ratio] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)  # by reason
    unit: str = ""
    of_host: bool = False  # another host changes some of them


def spread_of(ratios: Sequence[Ratio]) -> tuple[float, float]:
    return min(r.value for r in ratios), max(r.value for r in ratios)
