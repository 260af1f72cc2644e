"""A quantity of an archive: its definition with an estimate, or with the reason why there is none."""

import math
from dataclasses import dataclass

from .definitions import Definition

CONFIDENCE = 0.99  # of the two ends of an interval together
VAGUE = 1.0  # half of an interval, of its value: wider ones say nothing
WIDEST = 0.5  # the same in a sheet, where the whole interval is no wider than the value


class NotDetermined(Exception):  # noqa: N818
    """The data can't support a value; the text is the reason."""


class Waived(NotDetermined):
    """The machine does not have what the value is of."""


@dataclass(frozen=True)
class Estimate:
    """value with an interval, or no value and a bracket low <= x < high; an end that is None is open. points: how many
    cases stand behind it."""

    value: int | float | None
    low: int | float | None
    high: int | float | None
    points: int
    note: str = ""
    processes: int = 0  # of the case that decides it which the fewest measured; 0: all that stand behind it do

    @property
    def bracket(self) -> bool:
        return self.value is None

    @property
    def ends(self) -> tuple[float, float]:
        """An open one lies at infinity."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high


NO_CASES = "this archive has none of its cases"


@dataclass(frozen=True)
class Quantity:
    """One quantity of one archive: an estimate, or the reason why there is none."""

    definition: Definition
    estimate: Estimate | None
    reason: str = ""
    reported: int | float | None = None
    waived: bool = False  # the machine does not have what it is of: it counts as no value that is missing
    cards: int | float | None = None  # how far the logarithm on another card of the model lies from it; None: few known
    apart: int | float = 0.0  # how far the logarithms of the model's archives lie apart
    processes: int = 0  # of the case that decides it which the fewest measured
    model: str = ""  # of which the cards are

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def unit(self) -> str:
        return self.definition.unit

    @property
    def determined(self) -> bool:
        return self.estimate is not None

    @property
    def measured(self) -> bool:
        """Whether any case of it was."""
        return self.determined or not (self.waived or self.reason == NO_CASES)

    @property
    def share_pct(self) -> float | None:
        """Of the peak that the device reports."""
        if not self.estimate or self.estimate.bracket or not self.reported or self.definition.reported.kind != "peak":
            return None
        return 100 * self.estimate.value / self.reported

    @property
    def agrees(self) -> bool | None:
        """With what the device reports; None: there is nothing to agree with."""
        if not self.estimate or self.reported is None or self.definition.by == "reported":
            return None
        low, high = self.estimate.ends
        return low <= self.reported and (self.definition.reported.kind != "same" or self.reported <= high)

    def differs(self, other: "Quantity") -> bool:
        """True if both are known, and no value lies in both intervals."""
        ours, theirs = self.estimate, other.estimate
        if not ours or not theirs:
            return False
        ends = ours.ends, theirs.ends
        if ours.bracket and theirs.bracket:  # their upper ends are no part of them
            return ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]
        return ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]
