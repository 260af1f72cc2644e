"""What an algorithm asks of a chip, and what the chip takes for it: a roofline with latency, whose parts may blend.
docs/predict.md has the model and its sources.

The names of demands are data (results/schema/demands-1.json), and so is which quantity tells the cost of which
(`serves` in definitions.py). Nothing here knows one of them by name, but for the one that begins a run."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .. import UserError
from ..archive.load import Archive
from ..call.program import root
from ..call.text import safe, shown
from .quantities import infer
from .quantity import Quantity

FILE = "results/schema/demands-1.json"
START = "start"  # the engine whose time is added, where all others work beside each other
EXPONENT = 2.25  # of the blend; chosen by tests/studies/exponents.py
STARTS = "launches"  # the demand that every case with demands has


class Demand(msgspec.Struct, forbid_unknown_fields=True):
    """of: whether it is a total of the device, the busiest SM's, along a chain, or what an SM has in flight, which
    `limits` another demand: by Little's law, with the latency that serves the demand `by`, in an engine of its own."""

    of: Literal["device", "SM", "chain", "in_flight"]
    unit: str
    meaning: str
    limits: str | None = None
    by: str | None = None
    engine: Annotated[str, Meta(min_length=1)] | None = None


@cache
def demands(top: Path) -> dict[str, Demand]:
    path = top / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Demand])
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise UserError(f"{shown(path)}: {safe(str(error))[:300]}") from None


def asked(counts: dict[str, float]) -> dict[str, float] | None:
    """The demands among a case's counts; None: it declares none."""
    known = demands(root())
    return {name: n for name, n in counts.items() if name in known and n > 0} if counts.get(STARTS) else None


def blended(times: Iterable[float], exponent: float = EXPONENT) -> float:
    """The root of the sum of the powers."""
    longest = max(times := [*times], default=0.0)
    return longest * math.fsum((time / longest) ** exponent for time in times) ** (1 / exponent) if longest else 0.0


@dataclass
class Time:
    """What a case takes, in ns. parts: by part of the chip. The start is added to the longest of them (a bound), or to
    the EXPONENT-th root of the sum of their powers (a blend: parts that take about as long hold each other up).
    unpriced: demands that no quantity tells the cost of, so that it may be more."""

    start: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    unpriced: list[str] = field(default_factory=list)

    @property
    def bound(self) -> str:
        """The part that is busy longest, or the start where that is longer."""
        return max(self.all, key=self.all.__getitem__)

    @property
    def all(self) -> dict[str, float]:
        return {START: self.start, **self.parts}

    @property
    def shares(self) -> dict[str, float]:
        """What each part has of the whole, together 1: as its power has of their sum."""
        longest = max(self.parts.values(), default=0.0) or 1.0
        weights = {part: (time / longest) ** EXPONENT for part, time in self.parts.items()}
        rest = (self.total - self.start) / (math.fsum(weights.values()) or 1.0)
        found = {START: self.start, **{part: rest * weight for part, weight in weights.items()}}
        return {part: time / self.total if self.total else 0.0 for part, time in found.items()}

    @property
    def total(self) -> float:
        return self.start + blended(self.parts.values())


@dataclass
class Chip:
    """The quantities that serve demands, with what else it takes to make times of them."""

    archive: Archive
    sms: int
    ghz: float
    prices: dict[tuple[str, str | None], Quantity]
    lacking: dict[str, str]  # quantities that could serve a demand and are not determined: why

    def ns(self, quantity: Quantity, amount: float) -> float | None:
        """Of so much of what it serves; None: it has a unit that nothing is known of."""
        value = quantity.estimate.value
        match quantity.unit:
            case "GB/s":
                return amount / value
            case "B/cycle per SM":
                return amount / (value * self.sms * self.ghz)
            case "per SM cycle":
                return amount / (value * self.ghz)
            case "cycles":
                return amount * value / self.ghz
            case "ns":
                return amount * value
        return None

    def time(self, demanded: dict[str, float]) -> Time:
        time, left, known = Time(), dict(demanded), demands(root())
        for (name, beside), quantity in self.prices.items():
            if beside and min(left.get(name, 0), left.get(beside, 0)) > 0:
                both = min(left[name], left[beside])
                self._add(time, quantity, 2 * both)
                left[name] -= both
                left[beside] -= both
        for name, amount in left.items():
            demand = known[name]
            if demand.limits:
                self._limit(time, name, demand, demanded)
            elif price := self.prices.get((name, None)):
                self._add(time, price, amount)
            else:
                time.unpriced.append(name)
        return time

    def _add(self, time: Time, quantity: Quantity, amount: float) -> None:
        ns, engine = self.ns(quantity, amount), quantity.definition.serves.engine
        if ns is None:
            time.unpriced.append(quantity.definition.serves.demand)
        elif engine == START:
            time.start += ns
        elif ns > 0:
            time.parts[engine] = time.parts.get(engine, 0.0) + ns

    def _limit(self, time: Time, name: str, demand: Demand, demanded: dict[str, float]) -> None:
        """Little's law: what is in flight on all SMs arrives once in a latency."""
        latency = self.prices.get((demand.by, None))
        ns = self.ns(latency, demanded.get(demand.limits, 0) / (self.sms * demanded[name])) if latency else None
        if ns is None:
            time.unpriced.append(name)
        elif ns > 0:
            time.parts[demand.engine] = ns


def chip_of(archive: Archive, quantities: Iterable[Quantity] | None = None) -> Chip:
    """Raises UserError where the archive has nothing to compute times from."""
    found = infer(archive) if quantities is None else quantities
    serving = [q for q in found if q.definition.serves]
    prices = {(q.definition.serves.demand, q.definition.serves.beside): q for q in serving if _usable(q)}
    lacking = {q.id: q.reason or "not above 0" for q in serving if not _usable(q)}
    sms = archive.run["device"].get("sm_count")
    clocks = [mhz for mhz in archive.clocks.sm_mhz if mhz > 0]
    if not prices:
        raise UserError(
            f"run {archive.run['id']} has no quantity that gives the cost of a demand; "
            "name an archive of a full run with --archive"
        )
    if not sms or not clocks:
        raise UserError(
            f"run {archive.run['id']} does not record the number of SMs or the SM clock; "
            "name another archive with --archive"
        )
    return Chip(archive, int(sms), median(clocks) / 1000, prices, lacking)


def _usable(quantity: Quantity) -> bool:
    estimate = quantity.estimate
    return bool(estimate and not estimate.bracket and estimate.value and estimate.value > 0)
