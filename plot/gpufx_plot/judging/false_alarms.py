"""Compares a device with itself: does `compare` find differences where there are none?

One run of many processes is split into two sides, and the sides are compared by the same rules as two archives. Every
verdict that says "not the same" is a false alarm, since nothing was changed. The sides take turns, A B B A A B B A ...,
so that what changes slowly, such as the temperature, falls on both alike.

The rules promise that equal archives give a false FASTER or SLOWER, in any of their cases, in at most one comparison of
a hundred. So one false alarm is a no. Beside it stands how many of the 95 % intervals leave zero out: about 5 %, if
spreads are judged rightly; cases of one process share its fate, so that this is no test by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .. import UserError
from ..archive.cases import describe
from ..archive.load import Archive
from ..call.number_text import counted, number
from ..call.tables import table
from ..call.text import json_text, shown
from ..statistics.quantiles import beta_quantile
from .compare import Comparison, compare

LIMIT = 0.01  # of false alarms
CONFIDENCE = 0.95
ALARMS = ("SLOWER", "FASTER", "MISSING", "NEW", "INCOMPARABLE")
QUIET = (("SAME", "COMMON"), ("UNSURE",))
MOST_SHOWN = 20


@dataclass
class Count:
    """Verdicts of some cases."""

    name: str
    cases: int
    same: int
    unsure: int
    alarms: int
    off: int = 0  # intervals that leave zero out

    @property
    def bound(self) -> float:
        """95 % sure, the true rate of false alarms lies under this (Clopper and Pearson 1934, exact for cases that do
        not depend on each other)."""
        x, n = self.alarms, self.cases
        return beta_quantile(x + 1, n - x, CONFIDENCE) if x < n else 1.0

    @property
    def answer(self) -> str:
        """undecided: too few cases to be sure of anything; 299 are enough."""
        return "no" if self.alarms else "yes" if self.bound < LIMIT else "undecided"


def side_of(process: int) -> str:
    return "ABBA"[process % 4]


def sides(archive: Archive) -> tuple[Archive, Archive]:
    """The archive's processes as two archives. Raises UserError where they are too few."""
    ids = {side: {p for p in archive.process_ids if side_of(p) == side} for side in "AB"}
    if min(map(len, ids.values())) < 2:
        raise UserError(
            f"{shown(archive.path)}: {counted(archive.processes, 'process')} are too few for a self-check, which "
            "needs two per side; `gpufx selfcheck` runs ten"
        )
    return archive.part(ids["A"]), archive.part(ids["B"])


def counts(comparison: Comparison) -> list[Count]:
    """One for each probe, and for all together."""

    def count(name: str, rows: list) -> Count:
        found = [row.verdict for row in rows]
        quiet = [sum(verdict in same for verdict in found) for same in QUIET]
        off = sum(row.low is not None and not row.low <= 1 <= row.high for row in rows)
        return Count(name, len(rows), *quiet, sum(verdict in ALARMS for verdict in found), off)

    probes = dict.fromkeys(row.probe for row in comparison.rows)
    each = [count(probe, [r for r in comparison.rows if r.probe == probe]) for probe in probes]
    return [*each, count("all", comparison.rows)]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %"


def as_text(archive: Archive, comparison: Comparison, margin: float) -> str:
    found = counts(comparison)
    total = found[-1]
    processes = {side: [p for p in archive.process_ids if side_of(p) == side] for side in "AB"}
    head = ("probe", "cases", "SAME", "UNSURE", "unsure", "intervals that exclude 0", "false alarms")
    rows = [
        (c.name, *map(str, (c.cases, c.same, c.unsure)), _percent(c.unsure, c.cases),
         _percent(c.off, c.cases), str(c.alarms))
        for c in found
    ]  # fmt: skip
    lines = [describe(archive), shown(archive.path)]
    lines += ["processes " + ", ".join(f"{side}: {' '.join(map(str, v))}" for side, v in processes.items())]
    if comparison.behind:
        lines.append(f"the variation between processes was estimated from {', '.join(comparison.behind)}, too")
    lines.append("")
    lines += [*table(head, rows, set(head[1:])), ""]
    alarms = [row for row in comparison.rows if row.verdict in ALARMS]
    lines += [f"{row.verdict} {row.probe}/{row.case}: {row.reason}" for row in alarms[:MOST_SHOWN]]
    if len(alarms) > MOST_SHOWN:
        lines.append(f"... and {len(alarms) - MOST_SHOWN} more; --json has all")
    known = f"{total.alarms} false alarms in {total.cases} cases at a margin of {number(margin * 100, 3)} %"
    lines.append(
        {
            "yes": f"yes: {known}; their rate is below {100 * total.bound:.2f} % (95 % confidence).",
            "no": f"no: {known}; 1 of 100 comparisons of equals is meant to raise one: do not trust `compare` here.",
            "undecided": f"undecided: {known}; to be sure that fewer than {100 * LIMIT:g} % are, take more cases.",
        }[total.answer]
    )
    lines.append(f"{_percent(total.off, total.cases)} of the 95 % intervals exclude zero; 5 % should.")
    return "\n".join(lines) + "\n"


def as_json(archive: Archive, comparison: Comparison, margin: float) -> str:
    def entry(count: Count) -> dict:
        return {
            "cases": count.cases,
            "same": count.same,
            "unsure": count.unsure,
            "unsure_rate": count.unsure / count.cases,
            "false_alarms": count.alarms,
            "false_alarm_rate": count.alarms / count.cases,
            "false_alarm_bound": count.bound,
            "intervals_off": count.off,
            "intervals_off_rate": count.off / count.cases,
        }

    *probes, total = counts(comparison)
    document = {
        "archive": str(archive.path),
        "provenance": archive.run["provenance"],
        "margin": margin,
        "limit": LIMIT,
        "processes": archive.processes,
        "behind": comparison.behind,
        "answer": total.answer,
        "all": entry(total),
        "probes": {count.name: entry(count) for count in probes},
        "alarms": [
            {"case": f"{row.probe}/{row.case}", "verdict": row.verdict, "reason": row.reason}
            for row in comparison.rows
            if row.verdict in ALARMS
        ],
    }
    return json_text(document, 1)


def selfcheck(archive: Archive, margin: float, json_wanted: bool, others: Sequence[Archive] = ()) -> tuple[str, int]:
    """What to print, and the exit status: 0 yes, 1 no, 3 undecided, 77 there is nothing to compare. others: what
    `compare` would be given beside two archives of so few processes."""
    if not archive.points:
        return f"{shown(archive.path)}: no measured case, so nothing to compare.\n", 77
    comparison = compare(*sides(archive), margin, others=others)
    text = (as_json if json_wanted else as_text)(archive, comparison, margin)
    return text, {"yes": 0, "no": 1, "undecided": 3}[counts(comparison)[-1].answer]
