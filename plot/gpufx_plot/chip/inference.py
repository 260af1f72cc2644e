"""Named figures of a chip with intervals, from an archive alone. What they are is data (definitions.py), how they are
estimated stands in estimators.py, how sure each case is in uncertainty.py. The same archive gives the same figures."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import ClassVar
from weakref import proxy

from msgspec import structs

from .. import UserError
from ..archive.cases import Point, value_at
from ..archive.lines import LARGEST
from ..archive.load import Archive
from ..archive.params import key_of
from ..archive.selection import axes_in, parse
from ..call.grouped import grouped
from ..call.number_text import number, size_text
from ..call.program import root
from . import estimators as by
from .definitions import Definition, definitions
from .quantity import NO_CASES, VAGUE, Estimate, NotDetermined, Quantity, Waived
from .spreads import learnt, widened
from .uncertainty import Value, in_its_unit, reader, values

NARROWING = ("--filter", "--axis", "--benchmark_filter", "--only")  # options of a run that leaves cases out
HIGHEST_CLOCK = "environment.sm_max_clock_MHz"
MOST_KNOWN = 256  # lists of cases that are remembered


@lru_cache(maxsize=4096)
def chosen(cases: str, against: str, keys: "Keys") -> tuple[int, ...]:
    """Which cases a selection takes, and behind them those that they are set against. Raises UserError. Archives of one
    program have the same cases."""
    selection = parse(cases, axes_in(cases, keys.params))
    found = [i for i, params in enumerate(keys.params) if selection.holds(params)]
    if against and found:
        other = parse(against, axes_in(against, [keys.params[i] for i in found])).alone()
        wanted = {key_of(keys.params[i] | other) for i in found}
        found += [i for i, (_, key) in enumerate(keys.keys) if key in wanted and i not in found]
    return tuple(found)


class Keys:
    """The cases of a probe, the same object for the same cases."""

    known: ClassVar[dict[tuple, "Keys"]] = {}

    def __init__(self, keys: tuple):
        self.keys = keys
        self.params = [dict(key) for _, key in keys]

    @classmethod
    def of(cls, points: list[Point]) -> "Keys":
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
    """All that the estimators ask of one archive. vague: intervals wider than this share of their value say nothing."""

    def __init__(self, archive: Archive, vague: float = VAGUE, unsettled: "Inference | None" = None):
        """unsettled: the same, whose figures are taken as if each case's spread were known."""
        self.archive, self.vague, self.unsettled = archive, vague, unsettled
        self.by_probe = grouped(archive.points if unsettled is None else (), lambda point: point.probe)
        self.keys = {probe: Keys.of(points) for probe, points in self.by_probe.items()}
        if unsettled:
            self.by_probe, self.keys = unsettled.by_probe, unsettled.keys
        self.figures: dict[tuple[str, str], dict[tuple, Value]] = {}

    @cached_property
    def settled(self) -> "Inference":
        """Without the doubt whether a few processes show the spread: that is learnt from archives."""
        # No cycle: the collector is frozen or off where archives are read, and each would stay in memory.
        return Inference(self.archive, self.vague, proxy(self))

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
                points = [everything[i] for i in chosen(definition.cases, "", self.keys[definition.probe])]
                return self.values_among(points, known, definition)
            axes = axes_in(definition.cases, [case.params for case in (*everything, *absent)])
            selection = parse(definition.cases, axes)
        except UserError as error:
            raise NotDetermined(f"its cases can't be selected: {error}") from None
        points = [p for p in everything if selection.holds(p.params)]
        if not points:
            self.check_absent(selection, absent)
        return self.values_among(points, known, definition)

    def behind(self, d: Definition) -> frozenset[str]:
        """The names of the cases that a quantity is taken from, without those that a search added."""
        return frozenset(p.name for p in self._behind(d)) if d.by != "reported" else frozenset()

    def processes(self, d: Definition) -> int:
        """Of the case behind it that the fewest measured."""
        return min((len(p.processes) for p in self._behind(d)), default=0)

    def _behind(self, d: Definition) -> list[Point]:
        if d.by == "quotient":
            return [p for name in d.ids if name in self.defined for p in self._behind(self.defined[name])]
        if d.saves:
            saving = structs.replace(d, **structs.asdict(d.saves), saves=None)
            return self._behind(structs.replace(d, saves=None)) + self._behind(saving)
        points = self.by_probe.get(d.probe, []) if d.cases or d.by != "reported" else []
        with suppress(UserError):
            taken = chosen(d.cases, d.against, self.keys[d.probe]) if points else ()
            return [points[i] for i in taken if not points[i].searched]
        return []

    def check_absent(self, selection, absent: list) -> None:
        """Raises where one of the cases is known to be missing. Of what a machine lacks altogether a whole run makes a
        few cases alone, which say so for the others."""
        for absence in absent:
            if selection.holds(absence.params):
                raise (Waived if absence.kind == "waived" else NotDetermined)(f"{absence.kind}: {absence.reason}")
        reasons = {absence.reason for absence in absent if absence.kind == "waived"}
        if len(reasons) == 1 and not self.archive.run["quick"] and not narrowed(self.archive.run):
            raise Waived(f"waived: {reasons.pop()}")

    def values_among(self, points: list[Point], known: dict[tuple, Value], definition: Definition) -> list[Value]:
        if found := [known[p.key] for p in points if p.key in known]:
            return found
        if others := [p for p in points if not in_its_unit(p)]:
            raise NotDetermined(f"its cases have {others[0].metric} in {others[0].unit}")
        raise NotDetermined(f"its cases have no {definition.of}" if points else NO_CASES)

    def pairs(self, definition: Definition) -> list[tuple[Value, Value]]:
        """The selected cases beside those that differ from them in the axes of `against` alone."""
        selected, known = self.select(definition), self.values_of(definition.probe, definition.of)
        axes = axes_in(definition.against, [v.point.params for v in selected])
        try:
            other = parse(definition.against, axes).alone()
        except UserError as error:
            raise NotDetermined(f"its cases can't be compared: {error}") from None
        keys = [(v.point.probe, key_of(v.point.params | other)) for v in selected]
        found = [(v, known.get(key)) for v, key in zip(selected, keys, strict=True)]
        found = [(a, b) for a, b in found if b is not None and b.point.unit == a.point.unit]
        if not found:
            raise NotDetermined(f"no case with {definition.against} to compare with")
        return found

    def estimate(self, d: Definition) -> Estimate:
        """Raises NotDetermined."""
        unit = size_text if (d.axis_unit or d.unit) == "bytes" else partial(number, digits=4)
        tolerance = d.tolerance or by.TOLERANCE
        extreme = d.extreme or ("largest" if d.of != "cost" else "smallest")
        ways: dict[str, Callable[[], Estimate]] = {
            "best": lambda: by.best(self.select(d), extreme, d.scale * self.factor(d), d.inverse),
            "plateau": lambda: by.plateau(self.select(d), d.along, d.which, d.levels, unit),
            "change": lambda: by.change(self.select(d), d.along, d.which, d.levels, tolerance, unit),
            "period": lambda: by.period(self.select(d), d.along, d.extreme, unit),
            "slope": lambda: by.slope(self.select(d), d.count),
            "intercept": lambda: by.intercept(self.select(d), d.count),
            "half": lambda: by.half(self.select(d), d.count),
            "ratio": lambda: by.ratio(self.pairs(d), d.extreme or "largest", d.scale),
            "quotient": lambda: by.quotient(*(self.estimate_of(name) for name in d.ids), d.scale),
            "crossing": lambda: self.crossing(d, unit),
            "payback": lambda: self.payback(d),
            "reported": lambda: self.reported(d),
        }
        try:
            return by.checked(ways[d.by](), d.unit, self.vague)
        except ArithmeticError:  # figures as no chip has them, up to 1e300, or a line through counts that are all alike
            raise NotDetermined("its values are too large, too small or too different to compute with") from None

    def factor(self, d: Definition) -> float:
        """From per SM cycle to 10^12 per second of all SMs."""
        if not d.whole_chip:
            return 1.0
        sms, MHz = (reported_at(self.archive.run, path) for path in ("device.sm_count", HIGHEST_CLOCK))  # noqa: N806
        if not sms or not MHz:
            raise NotDetermined("the driver does not report the highest SM clock")
        return sms * MHz / 1e6

    @cached_property
    def defined(self) -> dict[str, Definition]:
        return {d.id: d for d in definitions(self.archive.run)}

    def estimate_of(self, name: str) -> Estimate:
        if name not in self.defined:
            raise NotDetermined(f"{name} is unknown")
        return self.estimate(self.defined[name])

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
            raise NotDetermined("its cases have different units")
        return by.payback(paid, *pair)

    def reported(self, d: Definition) -> Estimate:
        """With cases: what the device said to them, so much at the most."""
        if d.cases:
            found = [x for v in self.select(d) for x in reader(d.of)(v.point)]
            return Estimate(max(found), max(found), max(found), len(found))
        value = reported_at(self.archive.run, d.reported.path)
        if value is None:
            raise NotDetermined("the device does not report it")
        return Estimate(value, value, value, 0)


def reported_at(run: dict, path: str) -> float | None:
    """The number at a path such as device.l2_bytes; 0 is what a driver says that does not know. What the run line has
    beyond the keys of the schema may be of any size."""
    value = value_at(run, path)
    return float(value) if type(value) in (int, float) and value and abs(value) <= LARGEST else None


def inferred(archive: Archive, inference: Inference, wanted: Collection[str] | None = None) -> list[Quantity]:
    """All quantities of the probes that were measured, by id, whose intervals hold for the archive alone. wanted: the
    ids of these alone."""
    known = archive.measured | {absence.probe for absence in archive.waived + archive.failed}
    chosen = (d for d in definitions(archive.run) if d.probe in known and (wanted is None or d.id in wanted))
    return [quantity_of(d, inference) for d in chosen]


def quantity_of(definition: Definition, inference: Inference) -> Quantity:
    reported = reported_at(inference.archive.run, definition.reported.path) if definition.reported else None
    try:
        found = inference.estimate(definition)
        processes = found.processes or inference.processes(definition)
        return Quantity(definition, found, "", reported, processes=processes)
    except NotDetermined as why:
        return Quantity(definition, None, str(why), reported, isinstance(why, Waived))


def in_another_run(q: Quantity, alone: Inference) -> Quantity:
    """With what archives of a card, and cards of the model, differ by; not determined where that is wider than the
    value itself. Nothing is known of invented cards."""
    if not q.estimate:
        return q
    d, whole, cards, apart, model = q.definition, q.estimate, None, 0.0, ""
    if not alone.archive.synthetic:
        known = learnt(root())
        model = alone.archive.run["device"]["name"]
        day, cards, apart = known.day(d), known.of_cards(d, model), known.apart.get(d.id, {}).get(model, 0.0)
        whole = widened(settled(q, alone) if day else whole, day, known.steps(d))
    try:
        whole = by.in_a_sheet(whole, d.unit)
    except NotDetermined as why:
        return replace(q, estimate=None, reason=str(why))
    return replace(q, estimate=whole, cards=cards, apart=apart, model=model)


def settled(q: Quantity, alone: Inference) -> Estimate:
    """The estimate, where days are known, whose differences have the doubt in them that few processes leave."""
    if not q.estimate.bracket:
        with suppress(NotDetermined):
            return alone.settled.estimate(q.definition)
    return q.estimate
