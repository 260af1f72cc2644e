"""The cases that accept measures: those of all quantities with a hint at a fault (`accept` in quantities.json). They
take about twenty seconds in one process."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from statistics import median

import numpy as np

from .. import UserError
from ..archive.params import key_of
from ..call.program import root
from ..chip.definitions import OF_HOST, VALUELESS, Definition, of_the_tree
from ..chip.inference import Keys, chosen

NO_HINT = "no likely cause is on record: measure again; `gpufx list {}` says what it measures"
LOWER = 0.03  # share by which an SM clock is lower than others, from which on it is a cause
FEWEST = 4  # cards with a quantity; with fewer, it is not judged
CARD, HOST, OTHERS = range(3)
SHARES = (0.8, 0.1, 0.1)  # of the error rate, for the declared quantities of the card, of its host, and all others

Listed = dict[str, list[tuple[str, dict]]]  # by probe: name and params of each case


def listed(listing) -> Listed:
    """From what `gpufx list --cases --json` prints; cases that the device can't run are left out."""
    try:
        return {p["name"]: [(c["name"], c["params"]) for c in p["cases"] if not c["waived"]] for p in listing}
    except (TypeError, KeyError):
        raise UserError("`gpufx list --cases` did not list cases; is it the same version?") from None


def cases_of(d: Definition, known: Listed) -> set[str]:
    """The cases that a quantity takes; empty: it can't be measured here."""
    found = _selected(d.probe, d.cases, d.against, known)
    if d.saves and found:
        saving = _selected(d.saves.probe, d.saves.cases, d.saves.against, known)
        found = found | saving if saving else set()
    return found


def _selected(probe: str, cases: str, against: str, known: Listed) -> set[str]:
    here = known.get(probe, [])
    with suppress(UserError):
        return {here[i][0] for i in chosen(cases, against, Keys(tuple((probe, key_of(p)) for _, p in here)))}
    return set()


def declared() -> list[Definition]:
    return [d for effect in of_the_tree(root()).values() for d in effect if d.accept and d.by != "reported"]


def margins_of(names: Sequence[str], margin: float) -> np.ndarray:
    """The deviation from which each quantity counts."""
    own = {d.id: d.accept.margin for d in declared()}
    return margin * np.array([own.get(name, 1.0) for name in names])


def tells_of_a_card(d: Definition | None) -> bool:
    """Whether a card itself is judged by it."""
    return bool(d and not d.state and d.kind not in OF_HOST and d.by not in VALUELESS)


def of_a_card(d: Definition | None) -> bool:
    """Whether accept measures it of a card itself."""
    return tells_of_a_card(d) and bool(d.accept)


def lower_clock(mine: float | None, others: Iterable[float | None]) -> str:
    """Why a card is slow whose SM clock, as its run recorded it, was below that of most others; "" where it was not."""
    usual = median(known) if (known := [clock for clock in others if clock]) else 0.0
    if not mine or mine > (1 - LOWER) * usual:
        return ""
    clocks = f"its SM clock was {mine:.0f} MHz, that of others {usual:.0f} MHz"
    return f"{clocks}: heat, power, or clocks that were set; nvidia-smi -q -d CLOCK,PERFORMANCE"


def plainness(d: Definition | None) -> tuple[bool, bool, bool]:
    """Of quantities that are off, what is named first: of the card itself, no ratio, and what accept measures."""
    return bool(d and d.kind in OF_HOST), bool(d and d.by in ("ratio", "quotient")), not (d and d.accept)


def likely_cause(of: Sequence[Definition], clock: str = "") -> str:
    """What may be wrong with a card that is worse in these, the worst first: what most of the first kind hint at, or
    where none does, all that accept measures of it. clock: as lower_clock has it, of all but SM cycles and the host."""
    kind = of[0].kind
    if clock and kind not in ("sm", *OF_HOST):
        return clock
    hinting = [d for d in of if d.accept] or [d for d in declared() if d.kind == kind and kind not in OF_HOST]
    hints = Counter(d.accept.hint for d in hinting if d.kind == hinting[0].kind)
    return hints.most_common(1)[0][0] if hints else NO_HINT.format(of[0].probe)


def parts(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """For each quantity, the number of the part of the machine that it tells of, and this part's share of the error
    rate (Genovese, Roeder and Wasserman 2006, doi:10.1093/biomet/93.3.509). Declared quantities of one kind are of one
    part, others of one subject."""
    known = {d.id: (HOST if d.kind in OF_HOST else CARD, d.kind) for d in declared()}
    keys = [known.get(name, (OTHERS, name.partition(".")[0])) for name in names]
    found = sorted(set(keys))
    count = Counter(share for share, _ in found)
    shares = np.array([SHARES[share] / count[share] for share, _ in found])
    of = np.array([found.index(key) for key in keys], dtype=int)
    return of, (shares / shares.sum())[of]
