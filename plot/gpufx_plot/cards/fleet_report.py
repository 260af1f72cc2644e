"""`gpufx fleet report`: the cards of each chip: which are sick, which groups differ, and how quantities are spread."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

import numpy as np

from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.program import root
from ..call.text import clipped
from ..chip.definitions import OF_HOST, Definition, of_the_tree
from ..chip.kinds import NO_NUMBERS, Kinds, kinds, voters
from ..chip.spreads import learnt
from ..judging.evidence import NO_ANSWER, decide, named, unfinished
from ..statistics.rules import MEDIAN_ERROR, QUANTITY_HALF_WIDTHS
from ..statistics.spread import middle
from ..statistics.student import above
from .base import number_of_none
from .card_groups import GROUP_MARGIN, Group, groups, without
from .card_table import Fleet, of_tables, percent, shorts
from .declared import likely_cause, lower_clock, of_a_card, plainness, tells_of_a_card
from .judge import FEWEST, KIND, MARGIN, RATE, SELDOM, Judged, judge, worse
from .parquet import ask
from .settings import ALIKE, SETTINGS, Differs, counts_of, differing, recorded, value_text

MOST_NAMED, MOST_UNSURE = 3, 10
PLACES = ("host", "label ")
WIDER = 3.0  # times what cards of the tree differ by, and a card's margin at the least: from there on nothing passes
SHARED = "another kind of card, or a fault of them all: hold nvidia-smi -q against others, or measure with --label"


@dataclass(frozen=True)
class Sick:
    """A card and the quantities in which it is sick, the plainest first, and the largest deviation of these.
    settings: those that are a finding by themselves."""

    card: int
    settings: tuple[Differs, ...]
    quantities: tuple[int, ...]
    cause: str  # that is likely


@dataclass(frozen=True)
class Apart:
    """Cards that differ from the others by what they have in common, and a sentence."""

    cards: np.ndarray  # bool
    text: str
    worse: bool
    surely: bool
    cause: str  # if one is known


@dataclass
class Chip:
    """The cards of one chip, and the findings."""

    cards: Fleet
    judged: Judged
    sick: list[Sick]
    unsure: dict[int, list[str]]  # of cards: why they can't be called healthy
    groups: list[Group]
    notes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of the cards, short
    fell: str = ""  # what most cards lost since their earlier runs: a sentence
    unread: int = 0  # files beside its archives
    apart: list[Apart] = field(default_factory=list)  # the groups that are worse first

    @property
    def enough(self) -> bool:
        return len(self.cards.cards) >= FEWEST

    @property
    def not_judged(self) -> int:
        """Cards without a quantity that could be compared."""
        return int((~np.isfinite(self.judged.p)).all(axis=1).sum()) if self.enough else len(self.cards.cards)

    def quantiles(self, quantity: int) -> list[float | None]:
        """Over the cards: that of 5 %, the median, that of 95 %; None where no card has a value."""
        logs = self.cards.logs[:, quantity]
        known = logs[~np.isnan(logs)]
        return np.exp(np.quantile(known, [0.05, 0.5, 0.95])).tolist() if known.size else [None] * 3

    @cached_property
    def places(self) -> list[str]:
        """The labels that tell cards apart, and the host."""
        labels = [name for name in self.cards.groups if name.startswith("label ")]
        telling = [name for name in labels if len(set(self.cards.groups[name])) > 1]
        return telling + [name for name in self.cards.groups if name == "host"]

    def called(self, card: int) -> str:
        return f"{self.names[card]} {self.place(card)}".rstrip()

    def place(self, card: int) -> str:
        """Host and labels of a card."""
        labels = (self.cards.groups[name][card] for name in self.places)
        return " ".join(text for text in labels if text)


def gather(database) -> tuple[list[Chip], list[str]]:
    """Each chip, and notes on all archives. Raises UserError."""
    return [_chip(cards) for cards in of_tables(database)], _of_all(database)


def _against_others(cards: Fleet, found: Kinds | None) -> tuple[Judged, list[Group]]:
    """Each card against those of its kind, without what groups are off by, and these groups."""
    known, apart = np.isfinite(cards.logs).any(axis=1), []
    of_known = {name: np.where(known, of, "") for name, of in cards.groups.items()}
    for _ in range(2 if found else 1):  # a slow rack that is half of its kind moves the level of that kind
        logs = levelled(cards.logs, found, _level_without(cards, found, apart)) if found else cards.logs
        level = replace(cards, logs=logs, groups=of_known)
        judged = judge(level)
        apart = groups(level, judged)
    return judge(replace(level, logs=without(level.logs, apart))) if apart else judged, apart


def _level_without(cards: Fleet, found: Kinds, apart: list[Group]) -> np.ndarray:
    """Leave out of each quantity one group, or the rest of its kind: without which kinds are alike, else the worse."""
    kept, sides = cards.logs.copy(), (found.upper, ~found.upper)
    for q, of in grouped(apart, lambda one: one.quantity).items():
        tried = []
        either = [(one.cards, one.away) for one in of]
        either += [(side & ~one.cards, -one.away) for one in of for side in sides if not (one.cards & ~side).any()]
        for mine, away in either:
            rest = np.where(mine, np.nan, cards.logs[:, q])
            if min(np.isfinite(rest[side]).sum() for side in sides) >= FEWEST:
                step = abs(float(np.subtract(*(np.nanmedian(rest[side]) for side in sides))))
                tried.append((step >= GROUP_MARGIN, -float(worse(cards.better[q], away)), mine))
        if tried:
            kept[min(tried, key=lambda one: one[:2])[2], q] = np.nan
    return kept


def _parted(cards: Fleet, numbers: list[str], of_card: np.ndarray) -> Kinds | None:
    """The kinds of cards. Where no part number says so, the figures of one probe are enough, since cards of two kinds
    hide what is off in one of them; but not a few cards, which may have one fault, nor a group, such as a driver."""
    votes = voters(cards.quantities)
    found = kinds(cards.logs, numbers, votes) or kinds(cards.logs, numbers, np.where(of_card, votes, ""), 1)
    if not found or found.numbered:
        return found
    sides = [found.upper, ~found.upper]
    few = min(side.sum() for side in sides) < max(FEWEST, KIND * len(cards.cards))
    groups_too = [((values == values[side][0]) == side).all() for values in cards.groups.values() for side in sides]
    return None if few or any(groups_too) else found


def _chip(cards: Fleet) -> Chip:
    numbers = list(cards.groups.get("board_part_number", [""] * len(cards.cards)))
    defined = {d.id: d for effect in of_the_tree(root()).values() for d in effect}
    of = [defined.get(name) for name in cards.quantities]
    of_card, own = (np.array([*map(whether, of)], dtype=bool) for whether in (of_a_card, tells_of_a_card))
    found = _parted(cards, numbers, of_card)
    judged, apart = _against_others(cards, found)
    # A card whose own interval reaches the centre, such as the next step of a search, is not significantly off.
    usual = np.fmin(cards.errors, middle(cards.errors.T))
    surely, steady = (np.abs(judged.away) > QUANTITY_HALF_WIDTHS * np.nan_to_num(of) for of in (cards.errors, usual))
    unlike = _unlike(cards)
    # As accept: no card is sick by what another program, driver, mode or host may cause.
    lone = _lone(cards, unlike, defined)
    beside = judged.sick & surely & (lone != "")
    sick, unsteady = judged.sick & surely & ~beside, judged.unsteady & ~beside
    suspect = judged.suspect & surely & ~cards.disturbed & ~unsteady & own
    shared = judged.shared * (surely | (steady & of_card))
    judged = replace(judged, sick=sick, unsteady=unsteady, shared=shared)
    found_sick = [_sick(cards, judged, card, unlike[card], defined) for card in range(len(cards.cards))]
    found_sick = [one for one in found_sick if one.quantities or one.settings]
    found_sick.sort(key=lambda one: (-np.abs(judged.score[one.card, one.quantities]).max(initial=-1.0), one.card))
    doubts, ill = {}, {one.card for one in found_sick}
    for card, (one, of) in enumerate(zip(cards.newest, unlike, strict=True)):
        cut = [f"{unfinished(one.incomplete)}: {one.file}"] if one.incomplete else []
        doubts[card] = cut + [differs.text for differs in of if differs.doubt]
        if found and number_of_none(numbers[card], {*numbers[:card], *numbers[card + 1 :]}):
            doubts[card].append(f"no other card has its board part number, {numbers[card]}: none of its kind is known")
        if not cut:
            doubts[card] += _unknown(cards, card, own)
            if off := _off(cards, judged.away[card], unsteady[card] & ~sick[card] & own, defined):
                doubts[card].append(f"{off}: its processes differ by more than those of others")
            if off := _off(cards, judged.away[card], suspect[card], defined):
                doubts[card].append(f"{off}: {SELDOM}, and not seldom enough to call it sick; measure it again")
        if off := _off(cards, judged.away[card], beside[card], defined):
            doubts[card].append(f"{off}; {named([*dict.fromkeys(lone[card, beside[card]])])}")
        doubts[card] += _missed(cards, card)
    unsure = {card: of for card, of in doubts.items() if of and card not in ill}
    chip = Chip(cards, judged, found_sick, unsure, apart, names=shorts(cards.cards))
    said = Counter(path for one in cards.newest for path in one.settings)
    alarms = [recorded(one.settings, one.throttled, said, len(cards.newest) - 1) for one in cards.newest]
    alarms = [[s.text for s in of if s.usual is None] + alarms[card] for card, of in enumerate(unlike)]
    known = {one.card: one.cause for one in found_sick} | {card: "; ".join(of) for card, of in unsure.items()}
    more = [(card, text) for card, of in enumerate(alarms) for text in of if text not in known.get(card, "")]
    told = [f"{chip.called(card)}: {text}" for card, text in more]
    chip.notes += told[:MOST_UNSURE]
    chip.notes += [f"recorded on {len(told) - MOST_UNSURE} more cards"] if told[MOST_UNSURE:] else []
    chip.notes += _changes(cards, defined, chip)
    shared = [one for one in _shared(cards, judged, defined, alarms) if not ill.issuperset(np.flatnonzero(one[0]))]
    shared += (_kinds(cards, found) if found else []) + _wide(cards, judged, of_card, defined)
    chip.notes += [text for _, text in shared]
    chip.apart = _apart(cards, apart, defined)
    chip.notes += [text for one in chip.apart if (text := one.cause if one.worse else one.text)]
    for mine, text in [(one.cards, one.text) for one in chip.apart if one.worse] + shared:
        for card in set(np.flatnonzero(mine).tolist()) - ill:
            unsure.setdefault(card, []).append(text)
    chip.notes += [*_mixed(chip, {one.setting.words for of in unlike for one in of}), *_fewer(cards)]
    return chip


def _unknown(cards: Fleet, card: int, own: np.ndarray) -> list[str]:
    """What nearly all others know of a card, and this one does not."""
    known = np.isfinite(cards.logs)
    others = known.sum(axis=0) - known[card]
    enough = (others >= FEWEST) & (others >= ALIKE * (len(known) - 1))
    gone = np.flatnonzero(own & ~known[card] & (enough | cards.unlike[card]))
    return [f"unknown here, or by another method: {named([cards.quantities[q] for q in gone])}"] * bool(len(gone))


def _off(cards: Fleet, away: np.ndarray, which: np.ndarray, known: dict) -> str:
    """What is off, by its plainest quantity and the worst of these: dram.read_rate -4.7 % and 2 more quantities."""
    off = [(*plainness(known.get(cards.quantities[q])), -abs(away[q]), q) for q in np.flatnonzero(which).tolist()]
    more = f" and {counted(len(off) - 1, 'more quantity')}" if off[1:] else ""
    return f"{cards.quantities[min(off)[-1]]} {percent(away[min(off)[-1]])}{more}" if off else ""


def _lone(cards: Fleet, unlike: list[list[Differs]], known: dict) -> np.ndarray:
    """Of each card and quantity, why what is off in it may be no fault of the card; "" where nothing says so."""
    of_host = np.array([bool((d := known.get(name)) and d.kind in OF_HOST) for name in cards.quantities], dtype=bool)
    of = {"driver": "driver", "board_part_number": "board part number"}
    why = np.where(cards.disturbed, "the GPU was shared", "").astype(object)
    for card, every in enumerate(unlike):
        for mode in (one for one in every if one.setting.mode):
            why[card, of_host if mode.setting.of_host else slice(None)] = mode.text
        for name in of.keys() & cards.groups.keys():
            mine, others = cards.groups[name][card], {*cards.groups[name][:card], *cards.groups[name][card + 1 :]}
            if number_of_none(mine, others):
                why[card] = f"no other card has {mine}, its {of[name]}"
    return why


def _missed(cards: Fleet, card: int) -> list[str]:
    """Most others were measured twice or more since it was."""
    mine, since = cards.newest[card].started, [one.earlier for one in cards.newest if one.earlier]
    missed = 2 * sum(other > mine for other in since) > len(cards.cards)
    return [f"not measured since {mine:%Y-%m-%d}, most others at least twice"] if missed else []


def _shared(cards: Fleet, judged: Judged, known: dict, alarms: list[list[str]]) -> list[tuple[np.ndarray, str]]:
    """Cards that are off in the same way and too many to be called sick, and a sentence; each card once. Of the
    quantities, one with a hint at a fault is named, that most cards share."""
    defined = [known.get(name) for name in cards.quantities]
    left = np.where([bool(d and d.state) for d in defined], 0, judged.shared)  # healthy cards have either state
    left[np.abs(judged.away) < [_least(d) for d in defined]] = 0
    found = []
    while left.any():
        most = left.max(axis=0)
        q = max(np.flatnonzero(most).tolist(), key=lambda q: (bool(defined[q] and defined[q].accept), most[q]))
        mine = left[:, q] > 0
        more = int(left[mine].any(axis=0).sum()) - 1
        also = f" and {counted(more, 'more quantity')}" if more else ""
        off = f"{cards.quantities[q]} {percent(float(np.median(judged.away[mine, q])))}"
        of = shorts([cards.cards[card] for card in np.flatnonzero(mine).tolist()])
        sick = shorts([cards.cards[card] for card in np.flatnonzero(judged.sick[:, q]).tolist()])
        share = f"{counted(len(of), 'card')} share" if of[1:] else "not alone with"
        also += f", as has sick {named(sick)}" if sick else ""
        all_with = f"all with {', '.join(common)}: " if of[1:] and (common := _in_common(cards, mine)) else ""
        told = [text for card in np.flatnonzero(mine).tolist() for text in alarms[card]]
        first = f"{named([*dict.fromkeys(told)])}, else " if told else ""
        found.append((mine, f"{share} {off}{also} ({named(of)}): {first}{all_with}{SHARED}"))
        left[mine] = 0
    return found


def _in_common(cards: Fleet, mine: np.ndarray) -> list[str]:
    """Settings, host and labels that all these cards have, and less than half of the others."""
    first = int(np.flatnonzero(mine)[0])
    same = {name: values == values[first] for name, values in cards.groups.items() if values[first]}
    alike = [name for name, of in same.items() if of[mine].all() and 2 * of[~mine].sum() < (~mine).sum()]
    return [f"{name.removeprefix('label ')} {cards.groups[name][first]}" for name in alike]


def _least(d: Definition | None) -> float:
    """What several cards have to be off by in the same way. A fleet of few hosts does not show what hosts differ by
    anyway; those of the tree's archives do."""
    reach = learnt().reach(d) if d and d.kind in OF_HOST else None
    return max(MARGIN, reach.cards) if reach else MARGIN


def _wide(cards: Fleet, judged: Judged, of_card: np.ndarray, known: dict) -> list[tuple[np.ndarray, str]]:
    """All cards, where they differ by so much more than those of the tree's archives that a sick one passes."""
    reach = [learnt().reach(known[name]) if name in known else None for name in cards.quantities]
    usual = np.array([max(one.cards, MARGIN) if one else np.inf for one in reach])
    far = QUANTITY_HALF_WIDTHS * math.sqrt(2) * judged.spread  # of the difference of two cards, as learnt has it
    wide = np.flatnonzero(of_card & (far > WIDER * usual)).tolist()
    if not wide or cards.synthetic or len(cards.cards) < FEWEST:
        return []
    q = max(wide, key=lambda q: far[q] / usual[q])
    more = f" and {counted(len(wide) - 1, 'more quantity')}" if wide[1:] else ""
    differ = f"cards differ by {percent(far[q])} in {cards.quantities[q]}{more}, those of other fleets"
    text = f"{differ} by {percent(reach[q].cards)}: unlike kinds of cards, or faults, in which a sick card hides"
    return [(np.ones(len(cards.cards), dtype=bool), text)]


def _apart(cards: Fleet, apart: list[Group], known: dict) -> list[Apart]:
    """Each set of cards that differs, once. It is worse by what accept measures, or surely by anything, such as NVLink;
    cards of one part number may be of a kind. surely: can be said of many hosts, racks and other places."""

    def is_worse(one: Group) -> bool:
        d, bad = known.get(cards.quantities[one.quantity]), worse(cards.better[one.quantity], one.away)
        counts = d and not d.state and (d.accept or (one.surely and cards.better[one.quantity]))
        of_kind = any(name.startswith("board_part_number") for name in one.names)
        return bool(counts and bad >= (MARGIN if one.surely else _least(d)) and not of_kind)

    found = []
    for every in grouped(apart, lambda one: one.cards.tobytes()).values():
        of = [one for one in every if is_worse(one)]
        first, away = every[0], np.zeros(len(cards.quantities))
        away[[one.quantity for one in of or every]] = [one.away for one in of or every]
        place = first.names[0].startswith(PLACES)
        names = ", ".join(name.removeprefix("label ").replace(" = ", " ") for name in first.names)
        why = f"slower than other {names.partition(' ')[0]}s" if place else "what they share, or a fault of them all"
        mine, rest = ([cards.newest[i] for i in np.flatnonzero(side)] for side in (first.cards, ~first.cards))
        clocks = [one.sm_clock_MHz for one in mine if one.sm_clock_MHz]
        clock = lower_clock(median(clocks), [one.sm_clock_MHz for one in rest]) if clocks else ""
        throttled = set.intersection(*(one.throttled for one in mine)) - set().union(*(one.throttled for one in rest))
        causes = [clock] * bool(clock) + [f"recorded: {' '.join(sorted(throttled))}"] * bool(throttled)
        text = f"{names}: {counted(first.count, 'card')} with {_off(cards, away, away != 0, known)}"
        sure = place and any(one.surely for one in of)
        cause = f"{names}: {'; '.join(causes)}" if causes and of else ""
        found.append(Apart(first.cards, f"{text}: {why}" if of else text, bool(of), sure, cause))
    return sorted(found, key=lambda one: not one.worse)


def _changes(cards: Fleet, known: dict, chip: Chip) -> list[str]:
    """What a card has that is worse than in its own earlier runs, by more than others changed; and what most have."""
    logs = cards.logs - cards.earlier.logs
    if np.isfinite(logs).any(axis=1).sum() < FEWEST:
        return []
    errors = np.hypot(cards.errors, cards.earlier.errors)
    judged = judge(replace(cards.earlier, logs=logs, errors=errors))
    steady = np.array([not (d := known.get(name)) or not d.state for name in cards.quantities])
    fell = steady & ~cards.disturbed & (np.abs(judged.away) > QUANTITY_HALF_WIDTHS * np.nan_to_num(errors))
    fell &= judged.sick | (judged.shared > 0)
    usual, count = middle(logs.T), np.isfinite(logs).sum(axis=0)
    far = np.nan_to_num(np.abs(usual) * np.sqrt(count) / (MEDIAN_ERROR * judged.spread))
    sure = above(far, np.maximum(count - 1.0, 1.0)) < RATE / max(len(count), 1)
    common = steady & sure & (worse(cards.better, usual) >= MARGIN) & (count >= FEWEST)
    most = f"most of {counted(len(logs), 'card')}"
    if (mine := common & [of_a_card(known.get(name)) for name in cards.quantities]).any():
        chip.fell = f"{most}: {_off(cards, usual, mine, known)} since earlier runs{_set_since(cards)}"
    told = [(most, common, usual)] if common.any() else []
    told += [(chip.called(card), fell[card], logs[card]) for card in np.flatnonzero(fell.any(axis=1)).tolist()]
    return [f"{whose}: {_off(cards, away, off, known)} since earlier runs" for whose, off, away in told]


def _set_since(cards: Fleet) -> str:
    """What most cards had otherwise in their run before: the driver, ECC, a limit of power or clocks."""
    changes = Counter()
    for one, driver in zip(cards.newest, cards.groups.get("driver", [""] * len(cards.cards)), strict=True):
        changes["driver", one.driver_before, driver] += 1
        for s in SETTINGS:
            both = [of[s.path] for of in (one.settings_before, one.settings) if s.path in of]
            changes[(s.words, *(value_text(s, value) for value in both))] += len(both) == 2
    most = [which for which, count in changes.items() if 2 * count > len(cards.cards) and all(which)]
    return "".join(f"; {words} {before} -> {new}" for words, before, new in most if before != new)


def _unlike(cards: Fleet) -> list[list[Differs]]:
    """The settings of each card against those of the others."""
    every = [one.settings for one in cards.newest]
    counts = counts_of(every)
    return [differing(own, {path: of - Counter([own.get(path)]) for path, of in counts.items()}) for own in every]


def _sick(cards: Fleet, judged: Judged, card: int, unlike: list[Differs], known: dict) -> Sick:
    off = [(q, known.get(cards.quantities[q])) for q in np.flatnonzero(judged.sick[card]).tolist()]
    off.sort(key=lambda one: (*plainness(one[1]), -abs(judged.score[card, one[0]])))
    causes = [one.text if one.usual is None else one.setting.cure for one in unlike if one.fails]
    lost = next((MARGIN + math.log(s.usual / s.card) for s in unlike if s.fails and s.setting.words == "SMs"), 0)
    if (defined := [d for _, d in off if d]) and max(abs(judged.away[card, q]) for q, _ in off) > lost:
        clocks = [one.sm_clock_MHz for one in cards.newest]
        causes.append(likely_cause(defined, lower_clock(clocks[card], clocks[:card] + clocks[card + 1 :])))
        among = Counter(why for one in cards.newest for why in one.throttled)
        seldom = [why for why in sorted(cards.newest[card].throttled) if 2 * among[why] < len(cards.cards)]
        causes += [f"recorded: {' '.join(seldom)}"] if seldom else []
    return Sick(card, tuple(s for s in unlike if s.fails), tuple(q for q, _ in off), "; ".join(filter(None, causes)))


def gate(chips: list[Chip], left_out: int) -> tuple[int, str]:
    """For --fail-on sick: the exit status, and why it is not 0. left_out: archives that could not be read."""
    sick = [f"{chip.names[one.card]} ({chip.cards.name})" for chip in chips for one in chip.sick]
    cards, unknown = (sum(counts) for counts in ([len(c.cards.cards) for c in chips], [c.not_judged for c in chips]))
    doubts = [
        f"{counted(left_out, 'archive')} could not be read" if left_out else None,
        *(chip.fell for chip in chips),
        *(f"{chip.called(card)}: {of[0]}" for chip in chips for card, of in chip.unsure.items()),
    ]
    met = [f"{counted(len(sick), 'card')} sick: {named(sick)}"] if sick else []
    met += [one.text for chip in chips for one in chip.apart if one.surely][:MOST_NAMED]
    status, why = decide("; ".join(met) or None, cards, cards - unknown, "card", doubts)
    if status == NO_ANSWER and unknown and not any(doubts):
        of = ", ".join(chip.cards.name for chip in chips if chip.not_judged)
        why += f" ({of}): {FEWEST} cards of a kind with common quantities are needed"
    return status, f"can't be decided: {why}" if status == NO_ANSWER else why


def levelled(logs: np.ndarray, found: Kinds, kept: np.ndarray) -> np.ndarray:
    """Shift all cards to the larger kind's level, both that of `kept`; a kind of fewer than four cards is left out."""
    level = logs.copy()
    theirs = found.upper != (np.mean(found.upper) > 0.5)
    level[theirs] += middle(kept[~theirs].T) - middle(kept[theirs].T) if theirs.sum() >= FEWEST else np.nan
    return level


# ---- Notes ----


def _kinds(cards: Fleet, found: Kinds) -> list[tuple[np.ndarray, str]]:
    """The cards of each kind and the quantities in which they differ, as a sentence; and those that may be faulty for
    all that is known: of the kind that is worse, if no part numbers tell."""
    sides = [
        f"{counted(int((found.upper == side).sum()), 'card')} ({' or '.join(found.known(side)) or 'number not known'})"
        for side in (False, True)
    ]
    steps = list(zip(found.quantities, found.centres[1] - found.centres[0], strict=True))
    differing = named([f"{cards.quantities[q]} {percent(step)}" for q, step in steps])
    worse_one = found.upper == (sum(worse(cards.better[q], step) * (cards.better[q] != 0) for q, step in steps) > 0)
    text = f"two kinds of cards: {sides[0]}, and {sides[1]} with {differing}"
    return [(worse_one & (not found.numbered), text if found.numbered else f"{text}; {NO_NUMBERS}")]


def _mixed(chip: Chip, told: set[str]) -> list[str]:
    """Settings with several values, beside those that were told of a card, and the cards that have a seldom one."""
    notes, cards = [], chip.cards
    for name in ("driver", "gpufx version", *(s.words for s in SETTINGS if s.words not in told)):
        values = cards.groups.get(name, np.array([]))
        parts = []
        for value, count in Counter(values[values != ""].tolist()).most_common():
            few = f" ({', '.join(map(chip.called, np.flatnonzero(values == value).tolist()))})"
            parts.append(f"{count} with {value}{few if parts and count <= MOST_NAMED else ''}")
        if len(parts) > 1:
            notes.append(f"mixed: {name}: {named(parts)}")
    return notes


def _fewer(cards: Fleet) -> list[str]:
    """Hosts with fewer cards than most: a card that left no archive."""
    hosts = Counter(cards.groups.get("host", [""]))
    hosts.pop("", None)
    usual, of = Counter(hosts.values()).most_common(1)[0] if hosts else (0, 0)
    fewer = [f"{host} has {counted(count, 'card')}" for host, count in sorted(hosts.items()) if count < usual]
    told = f"{named(fewer)}; most hosts {usual}: a card without an archive is not judged"
    return [told] if fewer and 2 * of > len(hosts) else []


def _of_all(database) -> list[str]:
    hosts = "SELECT card, string_agg(DISTINCT host, ' and ' ORDER BY host) FROM archives GROUP BY card"
    notes = [
        f"{clipped(card)} was measured on {clipped(both)}: it was moved, or several cards report one UUID"
        for card, both in ask(database, f"{hosts} HAVING count(DISTINCT host) > 1 ORDER BY card LIMIT {MOST_NAMED}")
    ]
    filters = ("count(*)", "future"), ("min(archive)", "future"), ("count(*)", "quick"), ("count(*)", "NOT complete")
    counts = ", ".join(f"{what} FILTER ({which})" for what, which in filters)
    future, first, quick, cut = ask(database, f"SELECT {counts} FROM archives")[0]
    if future:
        such = f"{counted(future, 'archive')} from the future, such as {first}"
        notes.append(f"{such}: a host clock is wrong; left out where order in time matters")
    if quick:
        taken = f"{counted(quick, 'archive')} taken with --quick"
        notes.append(f"{taken}: compared here, but left out of the base of `gpufx accept`")
    if cut:
        notes.append(f"{counted(cut, 'archive')} incomplete, not judged")
    return notes
