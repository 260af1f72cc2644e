"""One archive of a card: its quantities as logarithms, its settings and its build."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np

from ..archive.cases import Archive, driver_text
from ..archive.load import load
from ..call.cache import kept
from ..chip.definitions import VALUELESS, Definition
from ..chip.inference import Inference, inferred, narrowed
from ..chip.quantities import data
from ..chip.quantity import NotDetermined
from ..chip.uncertainty import CONFIDENCE, Value, reader
from ..judging.facts import SHARED, board_of, part_number_of, shared_cases
from ..statistics.rules import QUANTITY_HALF_WIDTHS
from ..statistics.student import student_quantile

FAMILY = 8  # cases of which the best counts: of more, those that came near it on some card are enough
NEAR = 0.005


@dataclass(frozen=True)
class Figure:
    """One quantity of one archive, as a logarithm. kind: what must be alike in archives that are put together. names:
    the cases that it is taken from, but for those that a search added. family: where it is the best of several, all of
    them, since an acceptance measures some of them alone."""

    log: float
    error: float | None  # NaN: not known; JSON has null for that
    kind: tuple[tuple[int, ...], bool]
    family: dict[str, float] = field(default_factory=dict)
    sign: int = 1  # the best is the largest
    source: str | None = None  # hash of the probe's sources
    code: frozenset[tuple] = frozenset()  # what ran in its cases; empty: not known
    names: frozenset[str] = frozenset()
    ends: tuple[float, float] | None = None  # of its processes, where each of them has the figure
    processes: int = 0  # that the case which decides it was measured in; of several cases the fewest

    def __post_init__(self):
        if self.error is None:
            object.__setattr__(self, "error", math.nan)

    def rebuilt(self, others: Sequence["Figure"]) -> bool:
        """True if the probe's sources, and what ran, are none of the others'."""
        known = [one for one in others if one.source]
        same = any(one.source == self.source or (self.code and one.code == self.code) for one in known)
        return bool(self.source and known and not same)

    def among(self, other: "Figure") -> float:
        """The figure by the cases that the other one has, too."""
        common = [log for name, log in self.family.items() if name in other.family]
        return max(common, key=lambda log: self.sign * log) if common else self.log


@dataclass(frozen=True)
class Board:
    """One archive of a card."""

    path: Path
    id: str
    card: str
    slug: str
    device: str
    synthetic: bool
    started: str
    driver: str
    quick: bool
    incomplete: str | None
    run: dict
    figures: dict[str, Figure]
    missing: dict[str, str]  # quantities that were measured and not determined: why
    cases: frozenset[str] | None = None  # of a run that left some out: those that it tried
    definitions: dict[str, Definition] = field(repr=False, default_factory=dict)
    processes: int = 1
    of_host: frozenset[str] = frozenset()  # quantities of the host and its link, not of the card
    cases_count: int = 0
    shared: int = 0  # cases beside which another program was on the GPU
    disturbed: frozenset[str] = frozenset()  # quantities that such a case is behind
    sm_clock_MHz: float | None = None  # noqa: N815
    throttled: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The card's UUID, shortened."""
        return self.card[:12] if self.card.startswith("GPU-") else self.card

    @property
    def part_number(self) -> str:
        return part_number_of(self.run)

    def covers(self, cases: frozenset[str] | set[str]) -> bool:
        """True if it tried all of these cases."""
        return self.cases is None or cases <= self.cases


def needed(name: str, boards: Sequence[Board]) -> frozenset[str]:
    """The cases of a quantity in the newest whole run; of the best of many, those near it on some card."""
    having = [b for b in boards if name in b.figures]
    having = [b for b in having if b.cases is None] or having
    if not having:
        return frozenset()
    latest = max(having, key=lambda b: b.started).figures[name].names
    return latest if len(latest) <= FAMILY else (latest & near([b.figures[name] for b in having]) or latest)


def near(figures: Iterable[Figure]) -> set[str]:
    """The cases that came near the best one on some card."""
    found = set()
    for figure in figures:
        if figure.family:
            top = max(figure.family.values(), key=lambda log, sign=figure.sign: sign * log)
            found |= {name for name, log in figure.family.items() if abs(log - top) <= NEAR}
    return found


def _figures(archive: Archive) -> tuple[dict, dict, dict]:
    """Quantities with their errors; wide intervals are kept, since the spread is estimated from cards."""
    inference, figures, missing, definitions = Inference(archive, math.inf), {}, {}, {}
    for q in inferred(archive, inference):
        d = q.definition
        if d.by in VALUELESS or d.follows or (d.saves and d.saves.probe not in archive.measured):
            continue
        definitions[q.id] = d
        if not q.determined or not q.estimate.value or q.estimate.value <= 0:
            missing[q.id] = q.reason or "it is zero or less"
            continue
        e = q.estimate
        values = []
        with suppress(NotDetermined):
            values = inference.select(d)
        deciding = [max(values, key=lambda value: _sign(d) * value.log)] if d.by == "best" and values else values
        error = _error(d, deciding, math.log(e.high / e.low) / 2) if e.low and e.high and e.low > 0 else math.nan
        points = [value.point for value in values]
        kind = (tuple(sorted({p.method_version for p in points})), any(p.over_sms for p in points))
        turn, scale = (-1 if d.inverse else 1), math.log(d.scale)
        family = {v.point.name: scale + turn * v.log for v in values} if d.by == "best" and len(values) > 1 else {}
        sign = turn * _sign(d)
        source = (archive.run["probes"].get(d.probe) or {}).get("source_hash")
        code = frozenset().union(*(p.code for p in points))
        ends = _ends(d, deciding, math.log(e.value))
        least = min((len(value.point.processes) for value in deciding), default=0)
        known = math.log(e.value), error, kind, family, sign, source, code, inference.behind(d), ends, least
        figures[q.id] = Figure(*known)
    return figures, missing, definitions


def _sign(d: Definition) -> int:
    """1 if the largest value is the best, else -1."""
    return 1 if (d.extreme or ("largest" if d.of != "cost" else "smallest")) == "largest" else -1


def _error(d: Definition, values: Sequence[Value], half: float) -> float:
    """The standard error of a quantity from half its interval, without what widens that: Student's factor for few
    processes, and the correction for the best of several cases."""
    if not values:
        return half / QUANTITY_HALF_WIDTHS
    if d.by == "best":
        return values[0].error
    among = len(values) if d.by == "ratio" else 1
    freedom = float(np.median([value.freedom for value in values]))
    return half / student_quantile(freedom, 1 - (1 - CONFIDENCE) / 2 / among)


def _ends(d: Definition, values: Sequence[Value], log: float) -> tuple[float, float] | None:
    """The lowest and the highest of what the processes have of the best case."""
    if d.by != "best" or not values:
        return None
    best = values[0]
    apart = [math.log(x) - best.log for x in reader(d.of)(best.point) if x > 0]
    turn = -1 if d.inverse else 1
    return (log + min(turn * x for x in apart), log + max(turn * x for x in apart)) if len(apart) > 1 else None


def _of_host(archive: Archive, definitions: Iterable[Definition]) -> frozenset[str]:
    """Quantities of probes timed on the host: its link, driver calls and memory, whatever the card."""
    probes = {
        name
        for name, probe in archive.run["probes"].items()
        if any(metric.get("timebase") == "host_ns" for metric in probe.get("metrics") or [])
    }
    return frozenset(d.id for d in definitions if d.probe in probes)


def in_future(started: str) -> bool:
    """Whether a host clock was wrong. Clocks of healthy hosts differ by less than a day."""
    return started > f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"


def board(path: Path | str) -> Board:
    """Read one archive. Raises UserError."""
    archive = load(path)
    return replace(kept("board", (archive.sum, *data()), Board, lambda: board_in(archive)), path=archive.path)


def board_in(archive: Archive) -> Board:
    run, path = archive.run, archive.path
    beside = {point.name for point in archive.points if SHARED in point.flags}
    tried = frozenset(case.name for case in (*archive.points, *archive.waived, *archive.failed))
    figures, missing, definitions = _figures(archive)
    return Board(
        *(Path(path), run["id"], board_of(archive), archive.slug, run["device"]["name"], archive.synthetic),
        *(run["started_utc"], driver_text(run), run["quick"], archive.incomplete),
        {key: run[key] for key in ("device", "driver", "environment", "program", "host", "labels") if key in run}
        | {"clocks": archive.clocks.slowdown},
        *(figures, missing, tried if run["quick"] or narrowed(run) else None, definitions, archive.usual_processes),
        of_host=_of_host(archive, definitions.values()),
        cases_count=len(archive.points),
        shared=shared_cases(archive),
        disturbed=frozenset(name for name, figure in figures.items() if figure.names & beside),
        sm_clock_MHz=median(archive.clocks.sm_mhz) if archive.clocks.sm_mhz else None,
        throttled=frozenset(archive.clocks.throttle_reasons),
    )
