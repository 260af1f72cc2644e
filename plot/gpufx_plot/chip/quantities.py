"""Named figures of a chip with intervals, from an archive alone. What they are is data (definitions.py), how they are
estimated stands in estimators.py, how sure each case is in uncertainty.py. The same archive gives the same figures.
"""

import math
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

from msgspec import structs

from .. import UserError
from ..archive.foreign import BY
from ..archive.lines import LARGEST
from ..archive.load import Archive
from ..archive.params import key_of
from ..archive.points import Point
from ..archive.selection import axes_in, parse
from ..call.number_text import counted
from ..call.program import root
from ..call.text import safe
from . import estimators as by
from .definitions import Definition, definitions
from .estimators import Estimate, NotDetermined, Waived
from .spreads import learnt, widened
from .uncertainty import CONFIDENCE, Value, values

NARROWING = ("--filter", "--axis", "--benchmark_filter", "--only")  # options of a run that leaves cases out
MOST_KNOWN = 256  # lists of cases that are remembered


@dataclass(frozen=True)
class Quantity:
    """One quantity of one archive: an estimate, or the reason why there is none."""

    definition: Definition
    estimate: Estimate | None
    reason: str = ""
    reported: float | None = None
    waived: bool = False  # the machine does not have what it is of: it counts as no value that is missing
    cards: float | None = (
        None  # how far the logarithm on another card of the model lies from it; None: few were measured
    )

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
        low = -math.inf if self.estimate.low is None else self.estimate.low
        high = math.inf if self.estimate.high is None else self.estimate.high
        if self.definition.reported.kind == "same":
            return low <= self.reported <= high
        return low <= self.reported

    def differs(self, other: "Quantity") -> bool:
        """True if both are known, and no value lies in both intervals."""
        ours, theirs = self.estimate, other.estimate
        if not ours or not theirs:
            return False
        ends = [(e.low if e.low is not None else -math.inf, e.high if e.high is not None else math.inf)
                for e in (ours, theirs)]  # fmt: skip
        if ours.bracket and theirs.bracket:  # their upper ends are no part of them
            return ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]
        return ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]


def basis(archive: Archive) -> str:
    """What the intervals of an archive's quantities hold for."""
    if archive.is_foreign:
        return f"figures as {archive.tool} states them; one without a range is taken as exact"
    sure = f"intervals: {100 * CONFIDENCE:g} % sure"
    if not archive.synthetic and (known := learnt(root())).archives:
        return f"{sure}, for this card on another day, as {known.archives} archives differ"
    if archive.processes < 2:
        return f"{sure}, within one process: others may differ by more"
    return f"{sure}, between {counted(archive.processes, 'process')} of this card, as it was then"


@lru_cache(maxsize=4096)
def _chosen(text: str, keys: "_Keys") -> tuple[int, ...]:
    """Which cases a selection takes. Raises UserError. Archives of one program have the same cases."""
    selection = parse(text, axes_in(text, keys.params))
    return tuple(i for i, params in enumerate(keys.params) if selection.holds(params))


class _Keys:
    """The cases of a probe, the same object for the same cases."""

    known: ClassVar[dict[tuple, "_Keys"]] = {}

    def __init__(self, keys: tuple):
        self.keys = keys
        self.params = [dict(key) for _, key in keys]

    @classmethod
    def of(cls, points: list[Point]) -> "_Keys":
        keys = tuple(point.key for point in points)
        if len(cls.known) > MOST_KNOWN:
            cls.known.clear()
        if keys not in cls.known:
            cls.known[keys] = cls(keys)
        return cls.known[keys]


def narrowed(run: dict) -> bool:
    """Whether the caller left cases out."""
    return any(str(argument).startswith(NARROWING) for argument in run["arguments"])


class Inference:
    """All that the estimators ask of one archive. vague: from which width on, as a share of its value, an interval says
    nothing."""

    def __init__(self, archive: Archive, vague: float = by.VAGUE, unsettled: "Inference | None" = None):
        """unsettled: the same, whose figures are taken as if each case's spread were known."""
        self.archive, self.vague, self.unsettled = archive, vague, unsettled
        self.by_probe: dict[str, list[Point]] = {}
        for point in archive.points if unsettled is None else ():
            self.by_probe.setdefault(point.probe, []).append(point)
        self.keys = {probe: _Keys.of(points) for probe, points in self.by_probe.items()}
        if unsettled:
            self.by_probe, self.keys = unsettled.by_probe, unsettled.keys
        self.figures: dict[tuple[str, str], dict[tuple, Value]] = {}

    @cached_property
    def settled(self) -> "Inference":
        """Without the doubt whether a few processes show the spread: that is learnt from archives."""
        return Inference(self.archive, self.vague, self)

    def values_of(self, probe: str, name: str) -> dict[tuple, Value]:
        if (probe, name) not in self.figures:
            if self.unsettled:
                found = {key: v.settled() for key, v in self.unsettled.values_of(probe, name).items()}
            else:
                found = values(self.by_probe.get(probe, []), name)
            self.figures[probe, name] = found
        return self.figures[probe, name]

    def select(self, definition: Definition) -> list[Value]:
        """The figures of the selected cases. Raises NotDetermined where there are none."""
        known = self.values_of(definition.probe, definition.of)
        absent = [a for a in (*self.archive.waived, *self.archive.failed) if a.probe == definition.probe]
        everything = self.by_probe.get(definition.probe, [])
        try:
            if everything and not absent:
                points = [everything[i] for i in _chosen(definition.cases, self.keys[definition.probe])]
                return self.found(points, known, definition)
            axes = axes_in(definition.cases, [case.params for case in (*everything, *absent)])
            selection = parse(definition.cases, axes)
        except UserError as error:
            raise NotDetermined(f"its cases can't be selected here: {error}") from None
        points = [p for p in everything if selection.holds(p.params)]
        if not points:
            self.check_absent(selection, absent)
        return self.found(points, known, definition)

    def check_absent(self, selection, absent: list) -> None:
        """Raises where one of the cases is known to be missing. Of what a machine lacks altogether a whole run makes a
        few cases alone, which say so for the others."""
        for absence in absent:
            if selection.holds(absence.params):
                raise (Waived if absence.kind == "waived" else NotDetermined)(f"{absence.kind}: {absence.reason}")
        reasons = {absence.reason for absence in absent if absence.kind == "waived"}
        if len(reasons) == 1 and not self.archive.run["quick"] and not narrowed(self.archive.run):
            raise Waived(f"waived: {reasons.pop()}")

    def found(self, points: list[Point], known: dict[tuple, Value], definition: Definition) -> list[Value]:
        found = [known[p.key] for p in points if p.key in known]
        if found:
            return found
        if points:
            raise NotDetermined(f"its cases have no {definition.of}")
        raise NotDetermined("none of its cases is in this archive")

    def pairs(self, definition: Definition) -> list[tuple[Value, Value]]:
        """The selected cases beside those that differ from them in the axes of `against` alone."""
        selected, known = self.select(definition), self.values_of(definition.probe, definition.of)
        axes = axes_in(definition.against, [v.point.params for v in selected])
        try:
            other = parse(definition.against, axes).alone()
        except UserError as error:
            raise NotDetermined(f"its cases can't be compared here: {error}") from None
        keys = [(v.point.probe, key_of(v.point.params | other)) for v in selected]
        found = [(v, known.get(key)) for v, key in zip(selected, keys, strict=True)]
        found = [(a, b) for a, b in found if b is not None and b.point.unit == a.point.unit]
        if not found:
            raise NotDetermined(f"no case with {definition.against} to compare with")
        return found

    def estimate(self, d: Definition) -> Estimate:
        """Raises NotDetermined."""
        unit = by.plain_or_size(d.axis_unit or d.unit)
        tolerance = d.tolerance or by.TOLERANCE
        extreme = d.extreme or ("largest" if d.of != "cost" else "smallest")
        ways: dict[str, Callable[[], Estimate]] = {
            "best": lambda: by.best(self.select(d), extreme, d.scale, d.inverse),
            "plateau": lambda: by.plateau(self.select(d), d.along, d.which, d.levels, unit),
            "change": lambda: by.change(self.select(d), d.along, d.which, d.levels, tolerance, unit),
            "period": lambda: by.period(self.select(d), d.along, d.extreme, unit),
            "slope": lambda: by.slope(self.select(d), d.count),
            "intercept": lambda: by.intercept(self.select(d), d.count),
            "half": lambda: by.half(self.select(d), d.count),
            "ratio": lambda: by.ratio(self.pairs(d), d.extreme or "largest", d.scale),
            "crossing": lambda: self.crossing(d, unit),
            "payback": lambda: self.payback(d),
            "reported": lambda: self.reported(d),
        }
        try:
            return by.checked(ways[d.by](), self.vague)
        except ArithmeticError:  # figures as no chip has them, up to 1e300, or a line through counts that are all alike
            raise NotDetermined("its figures are too large, too small or too far apart to compute with") from None

    def crossing(self, d: Definition, unit) -> Estimate:
        if d.share:
            walk = sorted(((by.place(v, d.along), v) for v in self.select(d)), key=lambda entry: entry[0])
            return by.crossing(by.reaches(walk, d.share), d.along, unit)
        pairs = [(by.place(a, d.along), a, b) for a, b in self.pairs(d)]
        return by.crossing(by.cheaper(pairs), d.along, unit)

    def payback(self, d: Definition) -> Estimate:
        saving = structs.replace(d, probe=d.saves.probe, cases=d.saves.cases, against=d.saves.against)
        (pair, *more), paid = self.pairs(saving), self.select(d)
        if more:
            raise NotDetermined("several cases could save it")
        if len({v.point.unit for v in (*pair, *paid)}) > 1:
            raise NotDetermined("its cases are not of one unit")
        return by.payback(paid, *pair)

    def reported(self, d: Definition) -> Estimate:
        value = reported_at(self.archive.run, d.reported.path)
        if value is None:
            raise NotDetermined("the device does not report it")
        return Estimate(value, value, value, 0)


def reported_at(run: dict, path: str) -> float | None:
    """The number at a path such as device.l2_bytes; 0 is what a driver says that does not know. What the run line has
    beyond the keys of the schema may be of any size."""
    value = run
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return float(value) if type(value) in (int, float) and value and abs(value) <= LARGEST else None


def infer(
    archive: Archive, inference: Inference | None = None, wanted: Collection[str] | None = None
) -> list[Quantity]:
    """All quantities of the probes that were measured, by id; of a foreign archive those that it states. Intervals hold
    for the card on another day; inference: by this one, and for the archive alone. wanted: the ids of these alone."""
    if archive.is_foreign:
        return _stated(archive)
    if inference is None:
        alone = Inference(archive)
        return [on_another_day(q, alone) for q in infer(archive, alone, wanted)]
    found = []
    known = archive.measured | {absence.probe for absence in archive.waived + archive.failed}
    for definition in definitions(archive.run):
        if definition.probe not in known or (wanted is not None and definition.id not in wanted):
            continue
        reported = reported_at(archive.run, definition.reported.path) if definition.reported else None
        try:
            found.append(Quantity(definition, inference.estimate(definition), "", reported))
        except NotDetermined as why:
            found.append(Quantity(definition, None, str(why), reported, isinstance(why, Waived)))
    return found


def on_another_day(q: Quantity, alone: Inference) -> Quantity:
    """With what archives of a card, and cards of the model, differ by. Nothing is known of invented cards."""
    if not q.estimate or alone.archive.synthetic:
        return q
    known, d = learnt(root()), q.definition
    day, cards = known.day(d), known.of_cards(d, alone.archive.run["device"]["name"])
    return replace(q, estimate=widened(settled(q, alone) if day else q.estimate, day, known.steps(d)), cards=cards)


def settled(q: Quantity, alone: Inference) -> Estimate:
    """The estimate, where days are known, whose differences have the doubt in them that few processes leave."""
    if not q.estimate.bracket:
        with suppress(NotDetermined):
            return alone.settled.estimate(q.definition)
    return q.estimate


def _stated(archive: Archive) -> list[Quantity]:
    """What a foreign archive says, under the definitions of this tree; a figure in another unit is not determined."""
    ours, found = {d.id: d for d in definitions(archive.run)}, []
    for stated in sorted(archive.foreign, key=lambda stated: stated.id):
        definition = ours.get(stated.id)
        if definition is None or definition.unit != stated.unit:
            why = f"its unit is {safe(stated.unit)}" if definition else "there is no such quantity"
            definition = definition or Definition(safe(stated.id), safe(stated.unit), "unknown here", "reported")
            found.append(Quantity(_as_foreign(definition), None, why))
            continue
        low, high = (stated.value if end is None else end for end in (stated.low, stated.high))
        note = f"{safe(stated.name)} = {stated.stated:g} {safe(stated.stated_unit)}"
        note += f"; {safe(stated.note)}" if stated.note else ""
        found.append(Quantity(_as_foreign(definition), Estimate(stated.value, low, high, stated.n, note)))
    return found


def _as_foreign(definition: Definition) -> Definition:
    """Without what the device reports, which this device may not."""
    return structs.replace(definition, by=BY, reported=None, screen=None)
