"""How two archives differ, in sentences: the memories of the first screen, then what differs by more than any of these
do. Quantities of the host and of launches come last: another host changes them, too."""

import math
from collections.abc import Iterable, Sequence

from ..call.number_text import moved, moved_between
from ..call.tables import wrapped
from ..chip.definitions import OF_HOST
from ..chip.quantity import Quantity
from ..chip.quantity_text import ratio_text, value_text
from ..judging.changes import change_of, differing, logs_between, within_cards
from ..judging.compare import exp
from ..judging.facts import hosts_apart
from .side import HEADS, TYPES, Side, chip_names

ALIKE = 0.02  # a change that is printed as none
CLEAR = 1.1  # times the largest change of a memory: what differs by more is not explained by it
LEAST = 1.1  # such a change at least
MOST = 2  # that are named
FEW = 1.25  # a limit so low is worth a word
WITHIN = "within what cards of a model differ by"
SMALL = 0.05  # a difference that "same" excludes
WORDS = {"same": f"same: not surely apart, and surely by less than {100 * SMALL:.0f} %, or one bracket",
         "unsure": f"unsure: perhaps {100 * SMALL:.0f} % or more", "*": f"*: {WITHIN}",
         "†": "†: holds for these two cards alone, other intervals for any two of the models"}  # fmt: skip


def _ratio(base: Quantity, new: Quantity) -> tuple[float, ...]:
    """new / base, and both ends of its interval where there is one."""
    if (found := logs_between(base, new)) and any(found[1:]):
        change, down, up = found
        return exp(change), exp(change - down), exp(change + up)
    return (ratio,) if (ratio := change_of(base, new)) else ()


def _word(base: Quantity, new: Quantity, ratio: tuple[float, ...]) -> str:
    better = base.definition.better
    if not base.differs(new):
        small = max(*ratio, 1 / min(ratio)) < 1 + SMALL if ratio else base.estimate.ends == new.estimate.ends
        return "same" if small else "unsure"
    if not ratio:
        return "differs"
    if within_cards(base, new):
        return "*"
    if not better or base.definition.by == "ratio":  # one may rise since what it is held against is better
        return ""
    return "better" if (ratio[0] > 1) == (better == "largest") else "worse"


def change_text(base: Quantity | None, new: Quantity | None) -> str:
    """What the new one is beside the base: same, +5.1 % (4.2..6.0 %) worse, -4.0 % (-4.5..-3.5 %) *; a dagger where
    they are of two models, and few cards of one have it."""
    if not base or not new or not base.determined or not new.determined:
        return ""
    ratio = _ratio(base, new)
    text = "" if not ratio else moved_between(*ratio) if len(ratio) > 1 else moved(*ratio)
    lone = len(ratio) > 1 and base.model != new.model and None in (base.cards, new.cards)
    return " ".join(filter(None, (text, _word(base, new, ratio), "†" * lone)))


def change_json(base: Quantity | None, new: Quantity | None) -> dict:
    text = change_text(base, new)
    ends = (*(_ratio(base, new) if text else ()), None, None, None)
    words = text.split(" ")
    within = "*" in words or (None if "†" in words or not text else False)  # None: that is not known
    return {"change": " ".join(word for word in words if word not in ("*", "†")) or None, "within_cards": within,
            "ratio": ends[0], "ratio_low": ends[1], "ratio_high": ends[2]}  # fmt: skip


def legend(texts: Iterable[str]) -> list[str]:
    """What the words and signs among these changes mean."""
    used = {word for text in texts for word in text.split(" ")}
    said = [text for word, text in WORDS.items() if word in used]
    return wrapped("; ".join(said), between=";") if said else []


def change(base: Quantity, new: Quantity) -> str:
    """+44 %, 2.2x, +4 % (within ...); "" where the two are alike or can't be compared."""
    ratio = change_of(base, new) if base.determined and new.determined and base.differs(new) else None
    if ratio is None or abs(math.log(ratio)) < ALIKE:
        return ""
    percent = 100 * (ratio - 1)
    text = f"{percent:+.0f} %" if 0.8 < ratio < 2 else ratio_text(ratio, 2)
    return f"{text} ({WITHIN})" if within_cards(base, new) else text


def changed(base: Sequence[Quantity], new: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    """What differs, the largest change first; ratios, which may rise since their base is better, after all others."""
    pairs = [pair for pair in differing(base, new) if change(*pair) and not pair[0].definition.follows]
    return sorted(pairs, key=lambda pair: (pair[0].definition.by == "ratio", -abs(math.log(change_of(*pair)))))


def in_order(pairs: Sequence[tuple[Quantity, Quantity]]) -> list[tuple[Quantity, Quantity]]:
    """Of two chips, as sentences() has them: the first screen, then the rest of the chip, then its host, and at the end
    what cards of a model differ by, too; of each the largest change first, ratios after all others."""

    def rank(pair: tuple[Quantity, Quantity]) -> tuple:
        d, ratio = pair[0].definition, change_of(*pair)
        place = 3 if within_cards(*pair) else 2 if d.kind in OF_HOST else not (d.screen and d.screen.row)
        return (place, not ratio, d.by == "ratio", -abs(math.log(ratio or 1)))

    return sorted(pairs, key=rank)


def _told(base: Quantity, new: Quantity, chips: bool) -> bool:
    """Of two chips, what cards of a model differ by, too, is no difference."""
    return bool(change(base, new)) and not (chips and within_cards(base, new))


def _memories(base: Side, new: Side, chips: bool) -> tuple[list[str], list[str], float]:
    """What of the table of memories differs, which rows are alike, and the logarithm of the largest change."""
    told, alike, most = [], [], 0.0
    ours = new.rows()
    for row, columns in base.rows().items():
        if row not in ours:
            continue
        parts, largest = [], 0.0
        of = [q for column in HEADS for q in sorted(columns.get(column, []), key=lambda q: q.definition.place)
              if not q.definition.follows]  # fmt: skip
        ids = {q.id: q for found in ours[row].values() for q in found}
        pairs = [(here, ids.get(here.id)) for here in of]
        for here, there in pairs:
            if there and _told(here, there, chips):
                text = change(here, there)
                parts.append(f"{here.definition.screen.label or HEADS[here.definition.screen.column]} {text}")
                size = abs(math.log(change_of(here, there)))
                largest = max(largest, size)
                most = max(most, size) if here.definition.screen.column != "holds" else most
        known = [(here, text) for here, there in pairs if (text := change_text(here, there))]
        sure = [here.definition.screen.label or HEADS[here.definition.screen.column] for here, text in known
                if "unsure" not in text]  # fmt: skip
        if parts:
            told.append((-largest, f"{row} {', '.join(parts)}"))
        elif sure:
            alike.append(row if len(sure) == len(known) else f"{row} ({', '.join(sure)})")
    ours, theirs = (side.arithmetic().get("peak", {}) for side in (new, base))
    peaks = {name: change(theirs[name], ours[name]) for name in TYPES if name in ours and name in theirs}
    if moved := [f"{name} {text}" for name, text in peaks.items() if text]:
        told.append((0.0, f"peak {', '.join(moved)}"))
    elif peaks:  # of types that only one side has, nothing is said
        alike.append("peak TFLOP/s" + ("" if {*ours} == {*theirs} else f" of {', '.join(peaks)}"))
    return [text for _, text in sorted(told)], alike, most


def _largest_changes(pairs: Sequence[tuple[Quantity, Quantity]]) -> str:
    """The largest changes, by what they mean."""
    texts = [f"{here.definition.meaning}: {value_text(here)} -> {value_text(there)}, {change(here, there)}"
             for here, there in pairs[:MOST]]  # fmt: skip
    return "; ".join(texts) + (f"; {len(pairs) - MOST} more" if len(pairs) > MOST else "")


def sentences(base: Side, new: Side) -> list[str]:
    """What new is beside base."""
    names = chip_names([base.archive, new.archive])
    chips = base.archive.run["device"]["name"] != new.archive.run["device"]["name"]
    told, alike, most = _memories(base, new, chips)
    within = {q.definition.screen.row for q in base.on_screen() if q.definition.screen.part == "SM"}
    if within and within <= {*alike}:
        alike = ["memories of an SM", *(row for row in alike if row not in within)]
    same = " and ".join(filter(None, (", ".join(alike[:-1]), *alike[-1:])))
    first = [*told, *([f"{same} the same"] if same else [])]
    lines = [f"{names[1]} vs {names[0]}: {'; '.join(first) or 'no memory is surely the same or another'}."]
    seen = {q.id for q in base.on_screen() if q.definition.screen.row}
    beyond = max(math.log(LEAST), math.log(CLEAR) + most if most else 0.0)
    pairs = [(here, there) for here, there in changed(base.quantities, new.quantities)
             if here.id not in seen and _told(here, there, chips)
             and abs(math.log(change_of(here, there))) > beyond]  # fmt: skip
    own = [pair for pair in pairs if pair[0].definition.kind not in OF_HOST]
    of_host = [pair for pair in pairs if pair[0].definition.kind in OF_HOST]
    if own:
        lines.append(f"By more than any memory, and unexplained: {_largest_changes(own)}.")
    if of_host:
        hosts = f" ({apart})" if (apart := hosts_apart(base.archive, new.archive)) else ""
        lines.append(f"Of the host or its driver{hosts}: {_largest_changes(of_host)}.")
    if not own and not of_host and beyond < math.log(FEW):
        lines.append(f"Nothing else differs by more than {100 * math.expm1(beyond):.0f} %.")
    return lines
