"""Which quantities are measured: those that tell planted faults from healthy cards best, per second.

The gain of a quantity is how much more of the faults (faults.py, each of 2, 5, 10 and 30 %, and as much of a quantity
alone, whatever does that) would be found if it were measured, too; its price the seconds that those of its cases took
in the base that nothing chosen before has measured. The quantity with the most gain per second comes first, then the
next, as long as there is time (the greedy rule for a budget, Khuller et al. 1999, doi:10.1016/S0020-0190(99)00031-9).
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from .. import UserError
from ..archive.params import key_of
from ..archive.reading import lines_of_kind
from ..archive.selection import axes_in, parse
from ..chip.definitions import Definition
from .base import Base
from .board import FAMILY, Board, near
from .card_verdict import MOST_REACH
from .dataset import ask, opened
from .faults import SIZES, faults, weights
from .judge import learn, reach

ALONE = 0.01  # weight of a fault that moves this quantity alone, beside 1 of each planted one
ENOUGH = 1e-4  # of gain: less is not worth a case
USUAL_S = 0.05  # of a case that the base does not have


class Timed(msgspec.Struct):
    name: str
    elapsed_s: float


@dataclass
class Chosen:
    """What is to be measured; seconds: what that took in the base."""

    quantities: list[str] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    seconds: float = 0.0
    steps: list[tuple[str, float, float]] = field(default_factory=list)  # quantity, its gain, its seconds


def seconds(boards: Sequence[Board]) -> dict[str, float]:
    """How long each case took, in the slowest of these archives."""
    found: dict[str, float] = {}
    for one in boards:
        for name, elapsed_s in _packed(*one.packed) if one.packed else _timed(one.path):
            if 0 <= elapsed_s < 1e6:
                found[name] = max(found.get(name, 0.0), elapsed_s)
    return found


def _timed(path: Path) -> Iterator[tuple[str, float]]:
    decode = msgspec.json.Decoder(Timed).decode
    for line in lines_of_kind(path, "case"):
        with suppress(msgspec.MsgspecError):
            case = decode(line)
            yield case.name, case.elapsed_s


def _packed(dataset: Path, key: str) -> list[tuple[str, float]]:
    with opened(dataset) as database:
        return ask(database, "SELECT name, max(elapsed_s) FROM cases WHERE archive = ? GROUP BY name", key)


Listed = dict[str, list[tuple[str, dict]]]  # by probe: name and params of each case


def listed(told) -> Listed:
    """From what `gpufx list --cases --json` prints; cases that the device can't run are left out."""
    try:
        return {p["name"]: [(c["name"], c["params"]) for c in p["cases"] if not c["waived"]] for p in told}
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
    params = [p for _, p in here]
    try:
        selection = parse(cases, axes_in(cases, params))
        chosen = [p for p in params if selection.holds(p)]
        keys = {key_of(p) for p in chosen}
        if against:
            other = parse(against, axes_in(against, params)).alone()
            keys |= {key_of(p | other) for p in chosen}
    except UserError:
        return set()
    return {name for name, p in here if key_of(p) in keys}


def family(d: Definition, names: set[str], boards: Sequence[Board]) -> set[str]:
    """Of many cases of which the best counts, those that came near it on some card."""
    if d.by != "best" or len(names) <= FAMILY:
        return names
    return names & near(b.figures[d.id] for b in boards if d.id in b.figures) or names


def found_by(far: np.ndarray, spread: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """The chance that each quantity sees a shift: that a normal error does not hide it."""
    erf = np.frompyfunc(math.erf, 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (np.abs(shifts) - far) / spread
    return np.where(np.isfinite(z), 0.5 * (1 + erf(np.clip(z, -9, 9) / math.sqrt(2)).astype(float)), 0.0)


def worth(base: Base, margin: float) -> np.ndarray:
    """[F, Q]: how surely each quantity sees each fault; the last rows are faults of one quantity alone."""
    healthy = learn(base, base.siblings)
    weight = weights(base.quantities)
    known = healthy.known & (reach(healthy, base.better, len(base.quantities), weight) <= MOST_REACH)
    far = np.fmax(reach(healthy, base.better, int(known.sum()), weight), margin)
    place = {name: q for q, name in enumerate(base.quantities)}
    rows = []
    for fault in faults():
        for size in SIZES:
            row = np.zeros(len(place))
            for name, shift in fault.shift(size).items():
                if name in place:
                    row[place[name]] = shift
            rows.append(row)
    alone = [np.eye(len(place)) * -math.log1p(-size) for size in SIZES]
    table = found_by(far, healthy.spread, np.vstack([*rows, *alone]))
    return np.where(known, table, 0.0)


def choose(base: Base, cases: dict[str, set[str]], took: dict[str, float], budget_s: float, margin: float) -> Chosen:
    """cases: of each quantity of the base that can be measured here."""
    table = worth(base, margin)
    weight = np.ones(len(table))
    weight[len(faults()) * len(SIZES) :] = ALONE
    missed = np.ones(len(table))
    chosen, have = Chosen(), set()
    left = {q for q, name in enumerate(base.quantities) if cases.get(name)}
    while left:
        best, rate, price, gain = None, 0.0, 0.0, 0.0
        for q in sorted(left):
            more = float(weight @ (missed * table[:, q]))
            cost = sum(took.get(name, USUAL_S) for name in cases[base.quantities[q]] - have)
            if more >= ENOUGH and cost <= budget_s - chosen.seconds and more / (cost + 1e-3) > rate:
                best, rate, price, gain = q, more / (cost + 1e-3), cost, more
        if best is None:
            break
        left.discard(best)
        name = base.quantities[best]
        missed *= 1 - table[:, best]
        have |= cases[name]
        chosen.quantities.append(name)
        chosen.seconds += price
        chosen.steps.append((name, gain, price))
    chosen.cases = sorted(have)
    return chosen
