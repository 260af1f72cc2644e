"""`gpufx predict`: the cases of an algorithm, their times computed from the quantities of an archive (demands.py), and
what was measured beside them. A section holds the cases that differ in the first axis alone, whose values are the rungs
of a ladder in the order in which they are taught."""

import json
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from pathlib import Path
from statistics import median

from .. import UserError
from ..archive.load import Archive, load
from ..archive.newest import MOST_READ, newest
from ..call.output import write
from ..call.program import ask, root
from ..call.text import clipped, meant, safe_tree
from .definitions import of_the_tree
from .demands import START, Chip, Time, asked

NEAR = 0.1  # of the measured time: a prediction as good as that counts as right
APART = 0.05  # of a measured time: the pairs of rungs that are counted are further apart
TOLD = 0.02  # of a measured time: rungs that are closer may change places from card to card (docs/predict.md)
SMALL = 0.01  # of a time: less is not worth a word


@dataclass(frozen=True)
class Case:
    """measured: ns, None where the archive has none of it; low, high: as the archive knows it."""

    name: str
    params: dict
    demands: dict[str, float]
    time: Time
    measured: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.time.total / self.measured if self.measured else None

    def slower(self, other: "Case") -> bool:
        """The measurement tells the two apart, and this takes longer: by more than another card of the chip may change
        their ratio, and beyond the interval of either."""
        further = self.measured > other.measured * (1 + TOLD)
        return further and (self.low or self.measured) > (other.high or other.measured)


@dataclass(frozen=True)
class Score:
    """How good predictions are. right of `pairs` rungs that were measured further apart than APART are predicted in
    that order. tau: of the order of all rungs, Kendall's tau-b; None: fewer than three of them. told: pairs that the
    measurement tells apart; agree: those that are predicted in that order, less those that are predicted turned round.
    """

    cases: int
    median_error: float
    near: int
    right: int
    pairs: int
    tau: float | None
    told: int = 0
    agree: int = 0

    @property
    def somers(self) -> float | None:
        """Somers' d of the predicted times by the measured ones (1962): tau over the pairs that have an order."""
        return self.agree / self.told if self.told else None


@dataclass(frozen=True)
class Section:
    """One ladder. params: what its cases share."""

    axis: str
    params: dict
    cases: list[Case]

    @property
    def score(self) -> Score | None:
        return scored(self.cases)

    def next_removes(self, at: int) -> tuple[str, float, float] | None:
        """The part that holds a rung up, or its start, of which the next rung saves more: (part, ns, ns then)."""
        if at + 1 == len(self.cases):
            return None
        here, there = self.cases[at].time, self.cases[at + 1].time.all
        saved = {part: here.all[part] - there.get(part, 0.0) for part in {START, here.bound}}
        part = max(sorted(saved), key=saved.__getitem__)
        return (part, here.all[part], there.get(part, 0.0)) if saved[part] > SMALL * here.total else None


@dataclass(frozen=True)
class Prediction:
    algorithm: str
    per: str  # what a time stands for
    archive: Archive  # whose cases
    chip: Chip  # whose quantities
    sections: list[Section]
    units: dict[str, str]  # of axes

    @property
    def cases(self) -> list[Case]:
        return [case for section in self.sections for case in section.cases]

    @property
    def score(self) -> Score | None:
        """Over all sections; tau: the mean of theirs."""
        if not (whole := scored(self.cases)):
            return None
        taus = [s.score.tau for s in self.sections if s.score and s.score.tau is not None]
        counts = ("right", "pairs", "told", "agree")
        sums = {name: sum(getattr(s.score, name) for s in self.sections if s.score) for name in counts}
        return replace(whole, tau=math.fsum(taus) / len(taus) if taus else None, **sums)


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Tau-b, which allows for ties (Kendall 1945); None: one side is all alike."""
    pairs = [(i, k) for k in range(len(first)) for i in range(k)]
    signs = [[(side[k] > side[i]) - (side[k] < side[i]) for i, k in pairs] for side in (first, second)]
    both = sum(a * b for a, b in zip(*signs, strict=True))
    different = math.prod(sum(abs(sign) for sign in side) for side in signs)
    return both / math.sqrt(different) if different else None


def scored(cases: Sequence[Case]) -> Score | None:
    known = [case for case in cases if case.measured]
    if not known:
        return None
    errors = [abs(case.ratio - 1) for case in known]
    tau = kendall([c.time.total for c in known], [c.measured for c in known]) if len(known) > 2 else None
    apart = [(a, b) for a in known for b in known if a.measured > b.measured * (1 + APART)]
    right = sum(a.time.total > b.time.total for a, b in apart)
    told = [(a.time.total, b.time.total) for a, b in permutations(known, 2) if a.slower(b)]
    agree = sum((first > second) - (first < second) for first, second in told)
    near = sum(error <= NEAR for error in errors)
    return Score(len(known), median(errors), near, right, len(apart), tau, len(told), agree)


def algorithms() -> dict[str, int]:
    """The probes whose cases declare demands, and how many do."""
    found = {probe["name"]: sum(bool(asked(c["counts"])) for c in probe["cases"]) for probe in _listed()}
    return {name: count for name, count in found.items() if count}


def _listed(*words: str) -> list[dict]:
    listing = ask("list", *words, "--cases", "--json")
    try:
        return [p | {"cases": [c for c in p["cases"] if isinstance(c["counts"], dict)]} for p in safe_tree(listing)]
    except (KeyError, TypeError):
        raise UserError("`gpufx list --cases` did not list cases; is it the same version?") from None


def _as_on(archive: Archive, algorithm: str) -> dict:
    """What the program lists of the algorithm for the device of an archive: by an invented one with its facts."""
    schema = json.loads((root() / "results/schema/synthetic-1.schema.json").read_text(encoding="utf-8"))
    facts = schema["$defs"]["facts"]["properties"]
    of = archive.run["device"]
    kept = {name: of[name] for name in facts if name in of and name != "geometry"}
    kept["geometry"] = {n: v for n, v in of.get("geometry", {}).items() if n in facts["geometry"]["properties"]}
    device = {"schema": 1, "name": "as archived", "sm_clock_MHz": 1000, "facts": kept, "models": [{"a": 1}]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "device.json"
        write(path, json.dumps(device).encode())
        (listed,) = _listed(algorithm, "--device", f"synthetic:{path}")
    return listed


def _values_of(axis: dict | None, values: Sequence) -> list:
    """In the order in which the axis declares its words; numbers by size."""
    words = {word: i for i, word in enumerate((axis or {}).get("choices") or ())}
    return sorted(
        values, key=lambda v: (words.get(v, len(words)), isinstance(v, str), str(v) if isinstance(v, str) else v)
    )


def _sections(cases: list[Case], axes: list[dict]) -> list[Section]:
    """In the order of the axes and of their values."""
    names = [axis["name"] for axis in axes if cases and axis["name"] in cases[0].params] or list(cases[0].params)
    declared = {axis["name"]: axis for axis in axes}
    order = {
        name: {v: i for i, v in enumerate(_values_of(declared.get(name), {c.params.get(name, "") for c in cases}))}
        for name in names
    }
    rung, *rest = names

    def place(case: Case, among: list[str]) -> tuple:
        return tuple(order[name][case.params.get(name, "")] for name in among)

    found: dict[tuple, list[Case]] = {}
    for case in sorted(cases, key=lambda case: place(case, [*rest, rung])):
        found.setdefault(place(case, rest), []).append(case)
    return [
        Section(rung, {name: same[0].params[name] for name in rest if name in same[0].params}, same)
        for same in found.values()
    ]


def _measured(archive: Archive, algorithm: str, chip: Chip) -> list[Case]:
    cases = []
    for point in archive.points:
        if point.probe != algorithm or point.unit != "ns":
            continue
        demanded = asked(point.counts)
        if demanded:
            low, high = point.spread
            cases.append(Case(point.name, point.params, demanded, chip.time(demanded), point.value, low, high))
    return cases


def _unmeasured(archive: Archive, algorithm: str, chip: Chip) -> tuple[list[Case], dict]:
    """Cases that nobody measured, as the program lists them."""
    listed = _as_on(archive, algorithm)
    cases = [
        Case(c["name"], c["params"], demanded, chip.time(demanded))
        for c in listed["cases"]
        if not c["waived"] and (demanded := asked(c["counts"]))
    ]
    return cases, listed


def measured(archive: Archive) -> list[str]:
    """The probes of the archive whose cases declare demands."""
    return sorted({point.probe for point in archive.points if point.unit == "ns" and asked(point.counts)})


def predict(algorithm: str, archive: Archive, chip: Chip, keep=lambda name: True) -> Prediction:
    """chip: whose quantities. Measured cases ask for what their archive says. Raises UserError."""
    cases = _measured(archive, algorithm, chip)
    declared = archive.run["probes"].get(algorithm, {})
    if not cases:
        known = algorithms()
        if algorithm not in known:
            more = meant(algorithm, known, f"choose one of: {', '.join(known) or 'none'}")
            raise UserError(f"no case of '{clipped(algorithm)}' declares demands; {more}")
        cases, declared = _unmeasured(archive, algorithm, chip)
    kept = [case for case in cases if keep(case.name)]
    if not kept:
        raise UserError(f"no case of '{clipped(algorithm)}' is left; check --filter")
    axes, metrics = declared.get("axes") or [], declared.get("metrics") or []
    units = {axis["name"]: axis.get("unit") or "" for axis in axes}
    per = metrics[0].get("per") if metrics else ""
    return Prediction(algorithm, per or "run", archive, chip, _sections(kept, axes), units)


def serving() -> set[str]:
    """The probes with a quantity that serves a demand."""
    return {probe for probe, found in of_the_tree(root()).items() for d in found if d.serves}


def usual(algorithm: str) -> tuple[Archive, Archive | None]:
    """Without a name: the newest archive with cases of the algorithm, and where it has no quantities, the newest one
    of its device that has. Without such cases the newest one with quantities."""
    wanted = serving() | {algorithm}
    seen = list(islice(newest(wanted), MOST_READ))
    whole = [archive for archive in seen if archive.measured & serving()]
    for archive in seen:
        if algorithm in archive.measured:
            others = [other for other in whole if other.slug == archive.slug]
            if archive in whole or others:
                return archive, None if archive in whole else others[0]
    if not whole:
        raise UserError("no archive has quantities to predict from; run `gpufx characterize`")
    return whole[0], None


def opened(path: str, algorithm: str) -> Archive:
    return load(path, probes=serving() | {algorithm})
