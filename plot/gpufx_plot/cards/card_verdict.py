"""The verdict on one card against the base: PASS, FAIL or UNSURE for each quantity, the card, and its host and link."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
from scipy.special import bdtrc

from ..call.number_text import counted, number
from ..call.program import root
from ..call.text import clipped
from ..chip.definitions import Definition, of_the_tree
from ..chip.kinds import NO_NUMBERS
from ..judging.evidence import FOUND, NO_ANSWER, decide, named, unfinished
from ..statistics.rules import QUANTITY_HALF_WIDTHS
from ..statistics.spread import middle
from . import judge
from .base import Base, number_of_none, table
from .board import Board, Figure, in_future, needed
from .declared import declared, likely_cause, lower_clock, margins_of, of_a_card, parts, plainness
from .judge import AS_FAR, COMMON, FEWEST, KIND, LEAST_COMMON, RATE, SELDOM, SUSPECT
from .settings import Differs, counts_of, differing, recorded, settings_of

PASS, FAIL, UNSURE, NOT_JUDGED = "PASS", "FAIL", "UNSURE", "NOT JUDGED"
STATUS = {PASS: 0, FAIL: 1, UNSURE: 3}
MOST_REACH = math.log(2)  # where even a halved rate could be chance, nothing is judged
JUDGED, LEAST_JUDGED = 0.5, 5  # share and number of quantities to be judged; fewer are no answer
PARTLY = "not all of its cases were measured"
STATE = "healthy cards have it in one of two states, which outlasts a process"
REBUILT = "the probe has changed since the base was measured"
NOT_ALONE = "another program was on the GPU"
ONE_PROCESS = "only one probe in one process: the state of the process can look the same; measure it in several"
HEALTHY = "measure healthy cards with gpufx characterize, without --quick, and name their archives with --against"
ENOUGH = 8  # cards that a base should have


@dataclass(frozen=True)
class Finding:
    """One quantity. away and reach are logarithms; away is above zero where the figure is worse, or just other."""

    name: str
    word: str
    reason: str
    unit: str = ""
    value: float | None = None
    usual: float | None = None
    away: float = math.nan
    reach: float = math.nan
    p: float = math.nan  # over all quantities
    cards: int = 0
    hint: str = ""
    tried: bool = False  # the base resolves it, and all its cases were measured
    plain: tuple[bool, ...] = (True,)  # as plainness has it
    of_host: bool = False

    @property
    def change(self) -> str:
        """3.1 % below."""
        if self.value is None or self.usual is None:
            return ""
        ratio = self.value / self.usual
        return f"{number(100 * abs(ratio - 1), 2)} % {'below' if ratio < 1 else 'above'}"


@dataclass
class Verdict:
    card: Board
    base: Base
    card_word: str  # of what is the card's own
    card_reason: str
    findings: list[Finding]
    settings: list[Differs]
    margin: float
    notes: list[str] = field(default_factory=list)
    host_word: str = NOT_JUDGED
    host_reason: str = ""

    @property
    def word(self) -> str:
        """The worse one of the card's and its host link's."""
        return next(word for word in (FAIL, UNSURE, PASS) if word in (self.card_word, self.host_word))

    @property
    def of_host(self) -> bool:
        """The host link decides it."""
        return self.word != self.card_word

    @property
    def reason(self) -> str:
        return self.host_reason if self.of_host else self.card_reason

    @property
    def status(self) -> int:
        return STATUS[self.word]

    def of(self, word: str, of_host: bool | None = None) -> list[Finding]:
        """The plainest first, and the worst of these. of_host: of the host alone, or of the card alone."""
        found = [f for f in self.findings if f.word == word and of_host in (None, f.of_host)]
        return sorted(
            found, key=lambda f: (math.isnan(f.p), f.plain, f.p, -f.away if f.away == f.away else 0.0, f.name)
        )

    @property
    def kinds(self) -> list[Finding]:
        """What passes only because some cards of the base deviate by as much."""
        return [f for f in self.of(PASS, False) if f.reason]

    @property
    def details(self) -> str:
        """The reason, with the evidence and the hint of the finding that decides."""
        own = [] if self.of_host else self.kinds
        first = next(iter([*self.of(FAIL, self.of_host), *self.of(UNSURE, self.of_host), *own]), None)
        if not first or first.reason in self.reason:
            return self.reason
        return f"{self.reason} ({first.reason})" + (f". {first.hint[0].upper()}{first.hint[1:]}" if first.hint else "")

    @property
    def others(self) -> str:
        """The cards that this one is compared with."""
        kind = " of its kind" if self.base.kind else ""
        return f"{counted(len(self.base.cards), 'other card')}{kind}"


def percent(log: float) -> str:
    return f"{number(100 * math.expm1(log), 2)} %"


def _judged(f: dict, margin: float, near: int, of: int, common: bool) -> tuple[str, str]:
    apart = f"healthy cards stay within {percent(f['reach'])}"
    if not (f["away"] >= margin and f["p"] < SUSPECT):
        return PASS, ""
    if common or (near >= LEAST_COMMON and near >= COMMON * of):
        return PASS, f"{near} of {of} cards of the base are off in the same way: another variant of the board"
    if near >= KIND * of and near:
        show = "show" if near > 1 else "shows"
        return UNSURE, f"{near} of {of} cards of the base {show} it, too: another kind, or the same fault"
    if f["p"] < RATE:
        return FAIL, apart
    return UNSURE, f"{SELDOM}; with {counted(f['cards'], 'card')} in the base only {percent(f['reach'])} is a FAIL"


@dataclass(frozen=True)
class _Tested:
    """Of each quantity of a card. reach_*: how far a healthy card is off whose figure is known as well as this one, as
    its number of processes makes it, and as one process makes it. steady: p, if its processes varied as others' do."""

    healthy: judge.Healthy
    errors: np.ndarray
    each: np.ndarray  # what processes of other cards vary by
    away: np.ndarray
    bad: np.ndarray
    p: np.ndarray
    steady: np.ndarray
    reach: np.ndarray
    reach_usual: np.ndarray
    reach_of_one: np.ndarray
    telling: np.ndarray


def _tested(card: Board, base: Base, names: Sequence[str]) -> _Tested:
    healthy = judge.learn(base, base.siblings)
    logs = np.array([card.figures[n].log if n in card.figures else np.nan for n in names])
    errors = np.array([card.figures[n].error if n in card.figures else np.nan for n in names])
    away, (of, share) = logs - healthy.centre, parts(names)
    each = healthy.errors * math.sqrt(median([one.processes for one in base.boards] or [1]))
    alike = np.fmin(errors, np.fmax(each / math.sqrt(max(card.processes, 1)), healthy.errors))
    p, steady = (judge.chance(healthy, base.better, away, own) for own in (errors, alike))
    # What can't tell half of a rate from chance is no part of the test, whatever the card has.
    usual = judge.reach(healthy, base.better, judge.limits(judge.corrected(p, of, share), of, share))
    known = np.isfinite(p) & (usual <= MOST_REACH)
    p, steady = (judge.corrected(np.where(known, one, np.nan), of, share) for one in (p, steady))
    mine, limit = (judge.limits(one, of, share) for one in (p, steady))
    reach = judge.reach(healthy, base.better, mine, errors)
    usual, of_one = (judge.reach(healthy, base.better, limit, own) for own in (alike, each))
    telling = (healthy.count >= FEWEST) & (judge.reach(healthy, base.better, mine) <= MOST_REACH)
    bad = judge.worse(base.better, away)
    return _Tested(healthy, errors, each, away, bad, p, steady, reach, usual, of_one, telling)


def _compared(card: Board, base: Base, t: _Tested, q: int, margin: float) -> tuple[dict, str, str]:
    """What a finding has beside the figure."""
    figure, centre, far = card.figures[base.quantities[q]], float(t.healthy.centre[q]), float(t.reach[q])
    f = {"usual": math.exp(centre), "away": float(t.bad[q]), "reach": max(far, margin), "p": float(t.p[q])}
    f |= {"cards": int(t.healthy.count[q])}
    as_others = f | {"p": float(t.steady[q]), "reach": max(float(t.reach_usual[q]), margin)}
    kin = _kin(card, base, t, q) if t.steady[q] < SUSPECT else (0, 0, False)
    if (f["p"] >= RATE or far > MOST_REACH) and _judged(as_others, margin, *kin)[0] == FAIL:
        own = percent(t.errors[q] * math.sqrt(card.processes))
        reason = f"varies by {own} between processes, others {percent(t.each[q])}"
        if _beyond(figure, base.better[q], centre, max(float(t.reach_of_one[q]), margin)):
            return as_others, FAIL, f"{reason}; each is worse than in any healthy card"
        return f, UNSURE, reason
    if far > MOST_REACH:
        reason = f"known to {percent(QUANTITY_HALF_WIDTHS * t.errors[q])} here: half of this deviation could be chance"
        return f, UNSURE if t.bad[q] > t.reach_usual[q] else NOT_JUDGED, reason
    return f, *_judged(f, margin, *kin)


def findings(card: Board, base: Base, names: Sequence[str], margin: float) -> list[Finding]:
    """Judge each quantity. One with cases not measured is not judged; one measured and not determined is a doubt."""
    t = _tested(card, base, names)
    healthy, known, margins = t.healthy, np.isfinite(t.p), margins_of(names, margin)
    clock = lower_clock(card.sm_clock_MHz, [one.sm_clock_MHz for one in base.boards])
    result = []
    for q, name in enumerate(names):
        definition = card.definitions.get(name)
        if definition and definition.state:
            result.append(Finding(name, NOT_JUDGED, STATE))
        elif not card.covers(needed(name, base.boards)):
            result.append(Finding(name, NOT_JUDGED, PARTLY))
        elif name not in card.figures:
            why = clipped(card.missing[name], 200)
            waived = why.startswith("waived")
            always = not any(name in b.missing for of in base.of_chip for b in of.boards if b.cases is None)
            asked = name not in card.of_host or bool(definition and definition.accept)
            doubt = not waived and int(healthy.count[q]) >= FEWEST and always and asked
            word = UNSURE if doubt else NOT_JUDGED
            result.append(Finding(name, word, f"not determined here: {why}", tried=bool(t.telling[q]) and not waived))
        else:
            f = {"unit": definition.unit, "value": math.exp(card.figures[name].log), "cards": int(healthy.count[q])}
            f |= {"hint": likely_cause([definition], clock), "plain": plainness(definition)}
            f |= {"tried": bool(t.telling[q])}
            if known[q]:
                # Of the two times of a ratio each may be off by the margin.
                more, word, reason = _compared(card, base, t, q, margins[q] * (2 if definition.by == "ratio" else 1))
                f |= more
            elif healthy.count[q] >= FEWEST:
                word, reason = NOT_JUDGED, "cards of the base vary too much: half of this deviation could be chance"
            else:
                of = f"{int(healthy.count[q])} of {counted(len(base.cards), 'card')}"
                word, reason = NOT_JUDGED, f"known for {of} of the base; {FEWEST} are required"
            result.append(Finding(name, word, reason, **f))
    return [replace(f, of_host=f.name in card.of_host) for f in result]


def _beyond(figure: Figure, better: int, centre: float, limit: float) -> bool:
    """Whether every process is off by more, to the same side."""
    low, high = (end - centre for end in figure.ends or (centre, centre))
    return (low > limit and better <= 0) or (high < -limit and better >= 0)


def _kin(card: Board, base: Base, t: _Tested, q: int) -> tuple[int, int, bool]:
    """Of all cards of the chip, those as far out, each from the middle of its kind; and whether healthy cards fall into
    two groups, and this one into the smaller: where the base shows, at 90 %, that more than a few of them do."""
    name, found = base.quantities[q], []
    for part in base.of_chip:
        logs = dict(zip(part.cards, part.logs[:, q], strict=True))
        usual = float(t.healthy.centre[q]) if part is base else middle(part.logs[:, q][None])[0]
        for one in (b for b in part.boards if name in b.figures and math.isnan(logs[b.card])):  # measured on other SMs
            if one.figures[name].kind[:1] == card.figures[name].kind[:1]:
                logs[one.card] = one.figures[name].log
        found += [log - usual for log in logs.values()]
    away, mine = np.array(found)[np.isfinite(found)], float(t.away[q])
    near = away[away / mine >= AS_FAR]
    apart = math.sqrt(2) * judge.reach(t.healthy, np.zeros(1), SUSPECT)[q]  # of two cards of a group
    same = int((np.abs(near - mine) <= apart).sum())
    return len(near), len(away), bool(same > 1 and bdtrc(same - 1, len(away), SUSPECT) <= judge.DOUBT)


def verdict_on(card: Board, boards: Sequence[Board], margin: float, known: Sequence[Board] = ()) -> Verdict:
    """Judge the card by its archive alone. known: cards beside the base, which show what kinds there are."""
    in_base = {name for one in boards for name in (*one.figures, *one.missing)}
    names = sorted({*card.figures, *(name for name in card.missing if name in in_base)})
    base = table(card, boards, names, known)
    found = findings(card, base, names, margin)
    others = counts_of({one.card: settings_of(one.run) for one in base.boards}.values())
    settings = differing(settings_of(card.run), others)
    verdict = Verdict(card, base, PASS, "", found, settings, margin)
    _notes(verdict)
    _decide(verdict, max(LEAST_JUDGED, JUDGED * sum(f.tried for f in found if not f.of_host)))
    _decide_host(verdict)
    return verdict


def _notes(v: Verdict) -> None:
    if v.card.synthetic:
        v.notes.append("SYNTHETIC: the card and its base come from parameter files, not from GPUs")
    known = Counter(path for one in v.base.boards for path in settings_of(one.run))
    v.notes += recorded(settings_of(v.card.run), v.card.throttled, known, len(v.base.boards))
    future = f"its run began on {v.card.started[:10]}, in the future: a host clock is wrong"
    v.notes += [future] * in_future(v.card.started)
    if v.card.disturbed:
        v.notes.append(f"{NOT_ALONE} during {v.card.shared} of {counted(v.card.cases_count, 'case')}")
    if v.base.kind and v.base.kind.others:
        v.notes.append(
            f"this card is of the kind {v.base.kind.name}; {counted(v.base.kind.others, 'card')} of the other kind "
            f"({v.base.kind.theirs}) only show how far cards differ"
        )
    numbers, mine = {one.part_number for one in v.base.boards}, v.card.part_number
    if not v.base.kind and (others := sorted(numbers - {mine, ""})):
        told = f"cards of part number {' or '.join(others)} are in the base"
        v.notes.append(f"{told}: no figure parts them from the others")
        if number_of_none(mine, numbers):
            v.findings = [_doubted(f, f"no other card has its board part number, {mine}") for f in v.findings]
    if v.base.left_out:
        v.notes.append(f"archives left out of the base: {', '.join(v.base.left_out)}")
    if len(v.base.cards) < FEWEST:
        v.notes.append(HEALTHY)
    if 0 < len(v.base.cards) < ENOUGH:
        v.notes.append(
            f"the base has {counted(len(v.base.cards), 'card')}; {ENOUGH} or more show how far healthy ones differ"
        )
    drivers = {one.driver for one in v.base.boards}
    if drivers and v.card.driver not in drivers:
        others = clipped(", ".join(sorted(drivers)), 200)
        v.notes.append(f"{v.card.driver} here, {others} in the base: a driver's effect can't be told from a fault")
        v.findings = [_doubted(f, "the driver differs") for f in v.findings]
    mine, theirs = v.card.figures, [one.figures for one in v.base.boards]
    rebuilt = {n for n, figure in mine.items() if figure.rebuilt([of[n] for of in theirs if n in of])}
    v.findings = [_doubted(f, REBUILT) if f.name in rebuilt else f for f in v.findings]
    shared = {f.name: replace(_doubted(f, "the GPU was shared"), hint="") for f in v.findings}
    v.findings = [shared[f.name] if f.name in v.card.disturbed else f for f in v.findings]
    if v.card.incomplete:
        v.findings = [_doubted(f, unfinished(v.card.incomplete)) if f.of_host else f for f in v.findings]
    for mode in (s for s in v.settings if s.setting.mode):
        v.findings = [_doubted(f, mode.text) if f.of_host or mode.doubt else f for f in v.findings]
        v.notes += [] if mode.doubt else [f"the host differs: {mode.text}"]
    of_sms = {name for name, d in v.card.definitions.items() if d.of == "sms"}  # a process has the other SMs beside it
    failed = [f.name for f in v.of(FAIL, False) if f.name not in of_sms]
    alone = {(v.card.definitions[name].probe, v.card.figures[name].processes == 1) for name in failed}
    if len(alone) == 1 and alone.pop()[1]:
        v.findings = [f if f.of_host or f.name in of_sms else _doubted(f, ONE_PROCESS) for f in v.findings]


def _doubted(f: Finding, why: str) -> Finding:
    return replace(f, word=UNSURE, reason=f"{f.reason}; {why}") if f.word == FAIL else f


def _decide(v: Verdict, least: float) -> None:
    """Set the verdict on what is the card's own, and one sentence."""
    unsure, cards = v.of(UNSURE, False), v.others
    mine = [f for f in v.findings if not f.of_host]
    judged = [f for f in mine if f.word in (PASS, FAIL)]
    few = None
    if len(v.base.cards) < FEWEST:
        of = f", and {counted(v.base.kind.others, 'card')} of another" if v.base.kind else " of this chip"
        few = f"the base has {cards}{of}, but {FEWEST} are needed"
    doubts = [few, unfinished(v.card.incomplete) if v.card.incomplete else None]
    off = [_sentence(f, cards) for f in unsure[:1]]
    gone = f"not measured: {named(gone)}; archives of the base have that" if (gone := _gone(v)) else None
    doubts += [*off, gone] if off and unsure[0].change else [gone, *off]
    doubts += [s.text for s in v.settings if s.doubt]
    if len(judged) < max(least, 1):
        doubts.append(f"{len(judged)} of {counted(len(mine), 'quantity')} could be judged")
    status, v.card_reason = decide(_met(v, False, cards) or None, len(mine), len(mine), "quantity", doubts)
    v.card_word = {FOUND: FAIL, NO_ANSWER: UNSURE}.get(status, PASS)
    if v.card_word == PASS:
        match = "match" if v.kinds else "none is worse than" if any(-f.away >= f.reach for f in mine) else "all match"
        v.card_reason = f"{len(judged)} of {counted(len(mine), 'quantity')} judged, {match} {cards}"
        if kinds := v.kinds:
            more = f" and {counted(len(kinds) - 1, 'more quantity')}" if len(kinds) > 1 else ""
            v.card_reason += f", but {kinds[0].name}{more} {kinds[0].change}"
        v.card_reason += _not_tried(v)
        if v.base.kind and not v.base.kind.numbered:
            v.card_reason += f"; of its kind are those with {v.base.kind.name}: {NO_NUMBERS}"


def _met(v: Verdict, of_host: bool, others: str) -> str:
    """What is a finding; "": nothing."""
    failed = v.of(FAIL, of_host)
    more = [f"and {counted(len(failed) - 1, 'more quantity')}"] if len(failed) > 1 else []
    limits = [s.text for s in v.settings if s.fails and s.setting.of_host == of_host]
    return "; ".join([*limits, *(_sentence(f, others) for f in failed[:1]), *more])


def _gone(v: Verdict) -> list[str]:
    """What this archive has not, though the card can do it: of what accept measures of a card, what the whole base has;
    of a run that left nothing out, also what four archives from before it have."""
    tried = [d.id for d in declared() if of_a_card(d) and all(d.id in one.figures for one in v.base.boards)]
    missing, found = v.card.missing, []
    if v.card.cases is None:
        tried += [d.id for d in _known_before(v) if d.id not in tried]
    for name in tried if v.base.boards else ():
        left_out = name not in missing or not v.card.covers(needed(name, v.base.boards))
        if name not in v.card.figures and left_out and not missing.get(name, "").startswith("waived"):
            found.append(name)
    return found


def _known_before(v: Verdict) -> list[Definition]:
    """What four archives of the base have that are not newer."""
    count = Counter(name for one in v.base.boards if one.started <= v.card.started for name in one.figures)
    return [d for of in of_the_tree(root()).values() for d in of if count[d.id] >= FEWEST]


def _not_tried(v: Verdict) -> str:
    """The probes that the base has and this run left out, those that accept measures first."""
    tried = {d.probe for name, d in v.card.definitions.items() if name in v.card.figures or name in v.card.missing}
    first, left = {d.probe for d in declared()}, {d.probe for d in _known_before(v)} - tried
    some = named(sorted(left, key=lambda one: (one not in first, one)), 3)
    return f"; not measured: {counted(len(left), 'probe')} ({some})" if left else ""


def _decide_host(v: Verdict) -> None:
    met, unsure, passed = _met(v, True, "the others"), v.of(UNSURE, True), v.of(PASS, True)
    if met:
        v.host_word, v.host_reason = FAIL, met
    elif unsure:
        v.host_word, v.host_reason = UNSURE, _sentence(unsure[0], "the others")
    elif passed:
        v.host_word, v.host_reason = PASS, f"{counted(len(passed), 'quantity')} match"


def _sentence(f: Finding, cards: str) -> str:
    """How far a finding is off, or why it can't be told."""
    return f"{f.name} {f.change} {cards}" if f.change else f"{f.name} {f.reason}"
