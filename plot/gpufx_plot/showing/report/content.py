"""What stands on the page, in words: plain data for the templates."""

import json
import re
import zlib
from dataclasses import dataclass
from math import log
from statistics import median

from ...archive.cases import driver_text
from ...call.grouped import grouped
from ...call.number_text import number
from ...call.text import fields_of, shown
from ...chip.quantities import basis
from ...chip.quantity import Quantity
from ...chip.quantity_text import interval_text, reported_text, sure_text, value_text
from ...judging.changes import factors, folded, unexplained
from ...judging.claims import WORDS, Judged
from ...judging.compare import Comparison, Row, percent
from ..changes_text import factor_text
from ..charts.look import device_colours
from ..claims_text import short
from ..compare_text import notes_on, shared_text, terms, totals
from ..difference import change_text
from ..screen import chip_line
from ..side import TYPES, Side
from .hierarchy import memories

DECIMAL = re.compile(r"\d+\.\d+")
MOST_CHANGES = 40  # rows of a comparison


@dataclass
class Subject:
    """One archive of the page."""

    side: Side
    claims: Judged
    index: int
    label: str  # tells it from the others

    @property
    def colours(self) -> tuple[str, str]:
        return device_colours(self.side.archive.slug)

    @property
    def facts(self) -> list[tuple[str, str]]:
        archive, run = self.side.archive, self.side.archive.run
        program = run["program"]
        failed = f"{len(archive.failed)} failed" if archive.failed else "no failures"
        build = ", ".join(filter(None, (f"{program['name']} {program['version']}", (program.get("commit") or "")[:10])))
        return [
            ("chip", chip_line(archive)),
            ("driver", driver_text(run).removeprefix("driver ")),
            ("measured", run["started_utc"].replace("T", " ").replace("Z", " UTC")),
            ("cases", f"{len(archive.points)} in {archive.processes_text}, {failed}"),
            ("intervals", basis(archive)),
            ("by", build + (", quick" if run["quick"] else "")),
            ("archive", shown(archive.path.name)),
        ]


def cards(sides: list[Side]) -> list[dict]:
    """A card for each memory, in the first archive's order: what each says of it, once where all say the same."""
    by_name = [{m.name: m for m in memories(side)} for side in sides]
    found = []
    for name in dict.fromkeys(name for known in by_name for name in known):
        of = [(i, known[name]) for i, known in enumerate(by_name) if name in known]
        chips = [{"latency": m.latency, "far": m.far, "holds": m.size,
                  "rates": [(rate.label, f"{rate.text} {rate.unit}") for rate in m.rates]} for _, m in of]  # fmt: skip
        rough = [DECIMAL.sub(lambda found: number(float(found[0]), 3), json.dumps(chip)) for chip in chips]
        alike = len(of) > 1 and len({*rough}) == 1  # in three digits, which are shown then
        chips = [json.loads(rough[0])] if alike else chips
        chips = [chip | {"index": i} for (i, _), chip in zip(of, chips, strict=False)]
        found.append({"name": name, "alike": alike, "chips": chips})
    of = [(i, rates) for i, side in enumerate(sides) if (rates := _arithmetic(side))]
    alike = len(of) > 1 and all(rates == of[0][1] for _, rates in of)
    chips = [{"latency": "", "far": "", "holds": "", "rates": rates, "index": i} for i, rates in of]
    return [*found, {"name": "TFLOP/s", "alike": alike, "chips": chips[:1] if alike else chips}] if chips else found


def _arithmetic(side: Side) -> list[tuple[str, str]]:
    """Of each type the peak, and what a matrix product reaches."""
    found, rows = side.arithmetic(), []
    for name in TYPES:
        peak, reached = (found.get(row, {}).get(name) for row in ("peak", "reached"))
        if peak:
            limited = " at the power limit" if reached and side.at_power_limit(reached) else ""
            more = f", reached {value_text(reached, False)}{limited}" if reached else ""
            rows.append((name, value_text(peak, False) + more))
    return rows


def costs(sides: list[Side]) -> list[dict]:
    """What costs most, worst first by the first archive that has it."""
    order = {q.id: q.definition.screen.cost for side in sides for q in side.costs()}
    told = [{q.id: (value_text(q, False), sure_text(q)) for q in side.costs()} for side in sides]
    return [{"name": text, "cells": [of.get(name, ("", "")) for of in told]} for name, text in order.items()]


def _cell(q: Quantity | None) -> dict:
    names = ("value", "sure", "interval", "reported", "reason")
    if q is None:
        return dict.fromkeys(names, "") | {"value": "-"}
    value, reason = (value_text(q), "") if q.determined else ("not determined", q.reason)
    return dict(zip(names, (value, sure_text(q), interval_text(q), reported_text(q), reason), strict=True))


def sheet(sides: list[Side], groups: dict[str, str]) -> dict[str, list[dict]]:
    """The rows by memory, nearest first, then those that are of none by the group of their effect."""
    by_id = [{q.id: q for q in side.quantities} for side in sides]
    rows: dict[str, list[dict]] = {row: [] for side in sides for row in side.rows()}
    first = (q for side in sides for q in side.on_screen() if q.definition.screen.row)
    of_prefix = {q.id.partition(".")[0]: q.definition.screen.row for q in first}
    rows |= {group: [] for group in groups.values()}
    for name in sorted(set().union(*by_id)):
        of = [found.get(name) for found in by_id]
        change = change_text(of[0], of[-1]) if len(of) > 1 else ""
        definition = next(q for q in of if q).definition
        row = {"id": name, "meaning": definition.meaning, "cells": [_cell(q) for q in of], "change": change}
        memory = of_prefix.get(name.partition(".")[0], groups.get(definition.probe, "Others"))
        rows.setdefault(memory, []).append(row)
    return {memory: found for memory, found in rows.items() if found}


def claims(pages: list[Judged]) -> list[dict]:
    """One row per sentence: the verdict of each archive, in numbers, and what decides it."""
    rows: dict[tuple[str, str], dict] = {}
    for index, page in enumerate(pages):
        for verdict in page.verdicts:
            name = f"claim-{verdict.probe}-{zlib.crc32(verdict.text.encode()):08x}"
            empty = fields_of(verdict, "probe text source") | {"id": name, "cells": [None] * len(pages)}
            row = rows.setdefault((verdict.probe, verdict.text), empty)
            word = verdict.verdict
            row["cells"][index] = {"verdict": word, "word": WORDS.index(word), "short": short(verdict)}
    return list(rows.values())


def compared(comparison: Comparison, margin: float, names: tuple[str, str]) -> dict:
    """Another archive against the first, the base: totals, what explains most of the changes, each probe, and what
    nothing explains, worst first. names: of the first and of the other."""
    explained_by = factors(comparison, margin, comparison.quantities)
    probes, table = grouped(comparison.rows, lambda row: row.probe), []
    for probe, rows in probes.items():
        ratios = sorted(row.ratio for row in rows if row.ratio)
        words = {word: sum(row.verdict == word for row in rows) for word in comparison.counts}
        middle = percent(median(ratios)) if ratios else ""
        ends = f"{percent(ratios[0])} .. {percent(ratios[-1])}" if ratios else ""
        verdicts = ", ".join(f"{n} {word}" for word, n in words.items() if n)
        far = abs(log(median(ratios))) if ratios and ratios[0] > 0 else 0.0
        same = all(row.verdict in ("SAME", "UNSURE") for row in rows)
        row = {"probe": probe, "cases": len(rows), "middle": middle, "ends": ends, "verdicts": verdicts}
        table.append(row | {"same": same, "far": far})
    table.sort(key=lambda row: -row["far"])
    changed = unexplained(comparison, explained_by)
    told = [*shared_text(comparison), *map(factor_text, explained_by), *folded(comparison)]
    found = {"first": names[0], "second": names[1], "explained": told, "totals": totals(comparison)}
    found |= {"terms": terms(comparison, margin), "notes": notes_on(comparison), "facts": comparison.facts}
    found |= {"probes": table, "left": max(0, len(changed) - MOST_CHANGES)}
    return found | {"changed": [*map(_changed, changed[:MOST_CHANGES])]}


def _changed(row: Row) -> dict:
    interval = f"{percent(row.low)} .. {percent(row.high)}" if row.low else ""
    found = fields_of(row, "probe case metric verdict") | {"first": number(row.base), "second": number(row.new)}
    return found | {"change": percent(row.ratio), "interval": interval}
