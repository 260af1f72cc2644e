"""The exit status of a comparison that was asked to fail on something: a gate passes only on evidence (evidence.py).

What the conditions ask of, and what each status means, is in docs/gates.md. `slower>5%` asks of quantities, kinds of
cases and what all times share, as far as their intervals, known before anything is compared, can show 5 %; it is met by
cases that are SLOWER by more, too. With --strict, or of one probe, every case has to lie below the limit."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist

from ..call.number_text import counted, moved_between
from ..chip.definitions import OF_HOST
from ..chip.quantity import CONFIDENCE, Quantity
from ..statistics.rules import CONFIDENCE as OF_MIDDLES
from ..statistics.student import student_quantile
from .changes import logs_between
from .compare import TIMEBASES, UNLIKE, WITH_OTHERS, Comparison, Middle, Row, percent
from .conditions import Condition, OfQuantity
from .evidence import FOUND, NO_ANSWER, cut_off, decide, named, not_alike
from .facts import board_of

SEEN = 0.10  # a change of so much would be seen where no size is asked for
WAYS = {"slower": (True,), "faster": (False,), "changed": (True, False)}
WITHOUT = {"unsure": UNLIKE, "incomparable": ("MISSING",)}  # cases of which nobody knows
FALSE_DOUBT = 0.05  # of pairs of runs in which nothing changed that end with 3
FALSE = 0.01  # how often any of the quantities is called worse where nothing changed
MANY = 1e5  # degrees of freedom that are as good as all


@dataclass(frozen=True)
class Sheets:
    """The quantities of both archives. cases: of each of the base's quantities, the names of those that it takes."""

    base: Sequence[Quantity] = ()
    new: Sequence[Quantity] = ()
    cases: dict[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """What one thing of two archives changed by: logarithms, above zero where it is worse. what: its words. quantity:
    it is one, else the middle of some cases."""

    what: str
    worse: float
    down: float
    up: float
    probe: str = ""  # of the cases; "" of a quantity, and of what all times share
    quantity: bool = False
    freedom: float = MANY  # of Student's distribution, which the interval is of

    @property
    def half(self) -> float:
        return max(self.down, self.up)

    def error(self, freedom: float) -> float:
        """The standard error by Student's distribution of so many degrees of freedom."""
        return self.half / student_quantile(freedom, (1 + (CONFIDENCE if self.quantity else OF_MIDDLES)) / 2)

    def turned(self) -> "Change":
        return replace(self, worse=-self.worse, down=self.up, up=self.down)

    @property
    def text(self) -> str:
        ends = (math.exp(self.worse + end) for end in (0.0, -self.down, self.up))
        return f"{self.what} {moved_between(*ends)}"


def change_of(base: Quantity, new: Quantity, two_cards: bool) -> Change | None:
    """new / base; None where either has no value above zero; of two cards also what cards of the model differ by."""
    if not (found := logs_between(base, new)):
        return None
    cards = max(base.cards or 0.0, new.cards or 0.0) if two_cards else 0.0
    if two_cards and not cards and base.definition.by != "reported":
        cards = math.inf  # too few cards of the model have it
    change, down, up = found
    return Change(base.id, change, max(down, cards), max(up, cards), quantity=True)


def uncompared(comparison: Comparison, names: frozenset[str]) -> str | None:
    """Why a quantity that is taken from these cases is not compared. Of two models the kernels and launches differ."""
    found = [comparison.unlike[name] for name in sorted(names) if name in comparison.unlike]
    if comparison.of_two_models:
        found = [(word, why) for word, why in found if "code" not in why and "launch" not in why]
    if not found:
        return None
    (word, why), are = found[0], "is" if len(found) == 1 else "are"
    return f"{len(found)} of {counted(len(names), 'case')} behind it {are} {word} ({why})"


def _undecided_kinds(comparison: Comparison) -> tuple[str, ...]:
    """Kinds of quantities that quick runs don't decide: those of the host and its link."""
    return OF_HOST if comparison.base.run["quick"] or comparison.new.run["quick"] else ()


def _sides(comparison: Comparison) -> list[tuple[str, object]]:
    return [("base", comparison.base), ("new archive", comparison.new)]


def may_be(row: Row, slower: bool, size: float) -> bool:
    """Whether the case may have changed by more than so much, one way, for all that is known."""
    if row.low is None:
        return row.verdict != "NEW"
    longer = slower == (row.better == "lower")
    return row.high > 1 + size if longer else row.low < 1 / (1 + size)


@dataclass
class Asked:
    """What a condition of size `size` asks of, beside single cases: what can show such a change, and what can't."""

    size: float
    judged: list[Change] = field(default_factory=list)
    wide: list[Change] = field(default_factory=list)
    quantities: tuple[int, int] = (0, 0)  # judged, and all
    probes: tuple[int, int] = (0, 0)
    left: list[str] = field(default_factory=list)  # probes that are not judged
    once: list[str] = field(default_factory=list)  # cases that nothing repeats: not judged
    away: list[str] = field(default_factory=list)  # quantities whose cases are not compared, with the reason
    rough: list[str] = field(default_factory=list)  # quantities that quick runs don't decide

    @property
    def text(self) -> str:
        parts = [f"{count} of {counted(of, what)}" for (count, of), what in
                 ((self.quantities, "quantity"), (self.probes, "probe")) if of]  # fmt: skip
        text = f"{' and '.join(parts)} judged at {100 * self.size:g} %"
        if self.rough:
            text += f"; quick runs don't decide {counted(len(self.rough), 'quantity')} of the host and its link"
        text += f"; not judged: {named(self.left)}, which vary more between runs" if self.left else ""
        once = f"{counted(len(self.once), 'case')} measured once, with no interval, such as" if self.once else ""
        return text + (f"; not judged: {once} {self.once[0]}" if once else "")


def _of_middle(one: Middle) -> Change:
    of = f"the median of {len(one.names)} cases" if len(one.names) > 1 else "a case"
    change = Change(f"{of} of {one.probe}", *_logs(one), one.probe, freedom=one.freedom)
    return change if one.better == "lower" else change.turned()


def _logs(one) -> tuple[float, float, float]:
    middle = math.log(one.ratio)
    return middle, middle - math.log(one.low), math.log(one.high) - middle


def asked_of(comparison: Comparison, sheets: Sheets, size: float, ways: int = 1) -> Asked:
    """What can show a change of that size, by widths known before any comparison. ways: slower, faster, or both."""
    found, limit = Asked(size), math.log1p(size)
    new, changes, of = {q.id: q for q in sheets.new}, [], 0
    undecided, sides = _undecided_kinds(comparison), (comparison.base, comparison.new)
    two_cards = sides[0].slug == sides[1].slug and board_of(sides[0]) != board_of(sides[1])
    every = dict.fromkeys(row.probe for row in comparison.rows if row.verdict != "NEW")
    for q in sheets.base:
        d = q.definition
        able = d.better and q.estimate and not q.estimate.bracket and d.by != "reported" and not d.follows
        if not able or d.probe not in every:
            continue
        of += 1
        if why := uncompared(comparison, sheets.cases.get(q.id, frozenset())):
            found.away.append(f"{q.id}: {why}")
        elif d.kind in undecided:
            found.rough.append(q.id)
        elif q.id in new and (change := change_of(q, new[q.id], two_cards)):
            changes.append(change if d.better == "smallest" else change.turned())
    quantities, wide_times = changes[:], set()
    for one in comparison.shared:
        change = Change(f"all {TIMEBASES.get(one.timebase, 'times')}", *_logs(one))
        if 2 * change.half > limit:
            wide_times.add(one.timebase)
        else:
            found.judged.append(change)
    lasting = _lasting(sheets, ("power", *undecided))
    able = (m for m in comparison.middles if m.timebase not in wide_times and not m.once and not lasting(m))
    changes += map(_of_middle, able)
    narrow = _narrow(changes, limit, ways)
    found.judged += narrow
    found.wide = [change for change in quantities if change not in narrow]
    found.quantities = len(quantities) - len(found.wide), of
    kinds, judged = (Counter(one.probe for one in some) for some in (comparison.middles, narrow))
    found.left = [probe for probe in every if 2 * judged[probe] < max(kinds[probe], 1)]
    found.once = sorted(frozenset().union(*(m.names for m in comparison.middles if m.once)))
    found.probes = len(every) - len(found.left), len(every)
    return found


def _narrow(changes: Sequence[Change], limit: float, ways: int) -> list[Change]:
    """As many of the narrowest as all together seem to have changed, where nothing has, in FALSE_DOUBT of pairs. Few
    degrees of freedom have long tails and little near by: the larger chance counts, that or the normal one."""
    import numpy as np  # loaded where something is judged

    from ..statistics.student import above

    known = [change for change in changes if 0 < change.half < math.inf]
    chances = np.zeros(len(known))
    for freedom in ([change.freedom for change in known], [MANY] * len(known)):
        room = [(limit - one.half) / one.error(of) for one, of in zip(known, freedom, strict=True)]
        chances = np.maximum(chances, ways * above(np.array(room), np.array(freedom)))
    order = np.argsort(chances, kind="stable")
    kept = order[np.cumsum(chances[order]) <= FALSE_DOUBT]
    return [change for change in changes if not change.half] + [known[at] for at in kept.tolist()]


def _lasting(sheets: Sheets, kinds: Sequence[str]) -> Callable[[Middle], bool]:
    """Whether a kind of cases is in a state that outlasts a run, which its own processes don't show: those of probes
    with quantities of these kinds, such as `power`, which follow the power limit and the temperature, and what
    quantities with a `state` are taken from, whose intervals have it. That of a slope is the version of its law."""
    probes = {q.definition.probe for q in sheets.base if q.definition.kind in kinds}
    stated = [q.id for q in sheets.base if q.definition.state and q.definition.by != "slope"]
    cases = frozenset().union(*(sheets.cases.get(name, frozenset()) for name in stated))
    return lambda middle: middle.probe in probes or 2 * len(middle.names & cases) >= len(middle.names)


def _worse(condition: Condition, asked: Asked, margin: float) -> list[Change]:
    """The quantities that surely changed beyond the margin, and by more than was asked: all of them together are wrong
    in one of a hundred comparisons. More than 5 % is what was measured."""
    found, least = [], condition.above or 0.0
    changes = [change for change in (*asked.judged, *asked.wide) if change.quantity]
    sure = NormalDist().inv_cdf(1 - FALSE / 2 / max(len(changes), 1)) / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    for slower in WAYS[condition.word]:
        for change in changes:
            one = change if slower else change.turned()
            if one.worse - sure * one.down > math.log1p(margin) and one.worse > math.log1p(least):
                found.append(one)
    return sorted(found, key=lambda one: -one.worse)


def _named(condition: Condition, changes: Sequence[Change]) -> str:
    """The largest ones, and by which rule they meet the condition."""
    rule = "surely " + {"slower": "worse", "faster": "better"}.get(condition.word, "changed")
    rule += f", by more than {100 * condition.above:g} % as measured" if condition.above else ""
    return f"{named([one.text for one in changes], 3)}: {rule}"


def _met_by(condition: Condition, row: Row) -> bool:
    """By so much, whichever way the metric goes: half the rate and twice the time are the same change. By how much a
    case moved that is slower as all are, they say together."""
    if row.verdict not in condition.verdicts:
        return False
    if condition.share or condition.above is None:
        return True
    return WITH_OTHERS not in row.reason and max(row.ratio, 1 / row.ratio) > 1 + condition.above


def _of_cases(condition: Condition, comparison: Comparison, sheets: Sheets | None, strict: bool) -> tuple[int, str]:
    cut = cut_off(_sides(comparison))
    if condition.word == "incomplete":
        return decide(cut, 2, 2, "run")
    compared = [row for row in comparison.rows if row.verdict != "NEW"]
    hit = [row for row in comparison.rows if _met_by(condition, row)]
    if condition.share:
        met = len(hit) > condition.above * len(comparison.rows)
    else:
        shared = [one for one in comparison.shared if one.verdict in condition.verdicts]
        met = bool(hit) or any(max(one.ratio, 1 / one.ratio) > 1 + (condition.above or 0.0) for one in shared)
    said = f"{len(hit)} of {counted(len(comparison.rows), 'case')} are {condition.word.upper()}{_worst(hit)}"
    doubts, absent = [cut], 0
    if condition.word in WAYS:
        size = SEEN if condition.above is None else condition.above
        asked = asked_of(comparison, sheets or Sheets(), size, len(WAYS[condition.word]))
        worse = [] if cut else _worse(condition, asked, comparison.margin)
        if worse:
            said = _named(condition, worse) + (f"; {said}" if met else "")
        if not (met := met or bool(worse)):
            doubts += _every_case(condition, compared, asked) if strict else _as_asked(condition, comparison, asked)
            if not strict:
                if size < SEEN:  # what shows 10 % alone, and may have changed by that
                    wider = asked_of(comparison, sheets or Sheets(), SEEN, len(WAYS[condition.word]))
                    doubts += _may_have_changed(condition, wider)
                comparison.judged.append(f"--fail-on '{condition}': {asked.text}")
    elif condition.word in WITHOUT:
        absent = sum(row.verdict in WITHOUT[condition.word] for row in compared)
        if absent < len(compared) and comparison.of_two_models:
            absent = 0  # two models have different cases
    if condition.word == "unsure" and met:
        met, doubts = False, [said]
    found = said if met else None
    void = not_alike(_sides(comparison))
    return decide(found, len(compared), len(compared) - absent, "case", doubts, void)


def _every_case(condition: Condition, rows: Sequence[Row], asked: Asked) -> list[str]:
    blind = [row for row in rows if any(may_be(row, way, asked.size) for way in WAYS[condition.word])]
    such = [f"such as {row.probe}/{row.case}: measure with more processes" for row in blind[:1]]
    many = f"{len(blind)} of {counted(len(rows), 'case')} may have changed by {100 * asked.size:g} %"
    return [f"{many}, {one}" for one in such]


def _as_asked(condition: Condition, comparison: Comparison, asked: Asked) -> list[str]:
    """Why what could show the change does not say that there is none."""
    doubts = []
    absent = [row for row in comparison.rows if row.verdict in UNLIKE]
    if absent and not comparison.of_two_models:
        probes = list(dict.fromkeys(row.probe for row in absent))
        without = "|".join(f"{re.escape(probe)}/" for probe in probes)
        doubts.append(
            f"{counted(len(absent), 'case')} of {named(probes)} {'is' if len(absent) == 1 else 'are'} "
            f"{absent[0].verdict} ({absent[0].reason}): measure the base and the new archive alike, "
            f"or leave them out with --filter '^(?!{without})'"
        )
    doubts += asked.away[:1]
    if not asked.judged:
        doubts.append(f"nothing that was compared can show {100 * asked.size:g} %: measure with more processes")
    return doubts + _may_have_changed(condition, asked)


def _may_have_changed(condition: Condition, asked: Asked) -> list[str]:
    return [
        f"cost may have changed by {100 * asked.size:g} %: {change.text}; measure with more processes"
        for slower in WAYS[condition.word]
        for change in (one if slower else one.turned() for one in asked.judged)
        if change.worse + change.up > math.log1p(asked.size)
    ]


def _worst(rows: Sequence[Row]) -> str:
    sized = [row for row in rows if row.ratio]
    if not sized:
        return ""
    row = max(sized, key=lambda row: abs(math.log(row.ratio)))
    return f", worst {row.probe}/{row.case} {percent(row.ratio)}"


def _of_quantity(condition: OfQuantity, comparison: Comparison, sheets: Sheets) -> tuple[int, str]:
    sides = _sides(comparison)
    void = [not_alike(sides), cut_off(sides)]
    pair = [next((q for q in found if q.id == condition.id), None) for found in (sheets.base, sheets.new)]
    for (side, _), quantity in zip(sides, pair, strict=True):
        if quantity is None or not quantity.estimate or (quantity.estimate.value or 0) <= 0:
            void.append(f"the {side} has no {condition.id}")
        elif quantity.definition.kind in _undecided_kinds(comparison):
            void.append(f"quick runs don't decide {condition.id}: measure both without --quick")
    void.append(uncompared(comparison, sheets.cases.get(condition.id, frozenset())))
    why = next(filter(None, void), None)
    change = None if why else change_of(*pair, False)  # what these two cards differ by, whatever others do
    if change is None:
        return decide(None, 1, 0, "quantity", void=why or f"{condition.id} has no interval")
    low, high = math.expm1(change.worse - change.down), math.expm1(min(change.worse + change.up, 700.0))
    said = f"it changed by {moved_between(math.exp(change.worse), 1 + low, 1 + high, '99 % CI ')}"
    met = (high < condition.limit) if condition.falls else (low > condition.limit)
    surely_not = low >= condition.limit if condition.falls else high <= condition.limit
    doubt = None if surely_not else f"{said}; measure with more processes"
    return decide(said if met else None, 1, 1, "quantity", [doubt])


def answer(
    comparisons: list[Comparison],
    conditions: list[Condition | OfQuantity],
    sheets: Sequence[Sheets] = (),
    strict: bool = False,
    selected: bool = False,
    void: str | None = None,
) -> tuple[int, list[str]]:
    """Exit status, and a sentence for each condition that is met or has no answer, which the comparison keeps as well,
    beside what was judged. No condition: there is no gate. strict: `slower` asks of every case, too. selected: rows
    are of some cases of their probes, which no quantity speaks of. void: why none of this is evidence."""
    words = {FOUND: "is met by", NO_ANSWER: "can't be decided for"}
    statuses = []
    for at, comparison in enumerate(comparisons):
        comparison.fail_on, comparison.judged = [], []
        mine = sheets[at] if sheets else Sheets()
        for condition in conditions:
            if void:
                one, why = decide(None, 0, 0, "case", void=void)
            elif isinstance(condition, OfQuantity):
                one, why = _of_quantity(condition, comparison, mine)
            else:
                one, why = _of_cases(condition, comparison, None if selected else mine, strict)
            statuses.append(one)
            if one:
                comparison.fail_on.append(f"--fail-on '{condition}' {words[one]} {comparison.new.run['id']}: {why}")
    status = FOUND if FOUND in statuses else max(statuses, default=0)
    return status, [sentence for comparison in comparisons for sentence in comparison.fail_on]
