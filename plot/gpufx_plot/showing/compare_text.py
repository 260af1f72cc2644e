"""Comparisons as JSON or CSV, and what the screen and the report say of how they were made."""

from dataclasses import asdict, fields

from ..archive.load import Archive
from ..call.annotation import of_gate
from ..call.number_text import counted, number
from ..call.tables import csv_text
from ..call.text import fields_of, json_text
from ..chip.definitions import OF_HOST
from ..judging.compare import TIMEBASES, Comparison, Row, change_words
from ..judging.facts import hosts_apart
from ..statistics.rules import CONFIDENCE, FALSE_DISCOVERIES, OF_COMMON, UNITS, UNKNOWN_FACTOR, UNKNOWN_SPREAD


def notes_on(comparison: Comparison) -> list[str]:
    base, new = comparison.base, comparison.new
    notes = list(comparison.notes)
    of_host = any(q.definition.kind in OF_HOST for q, _ in comparison.quantities)
    of_host |= any(one.timebase == "host_ns" and one.verdict != "SAME" for one in comparison.shared)
    if of_host and (hosts := hosts_apart(base, new)):
        notes.append(f"Copies, launches and host times depend on the host, and these are {hosts}.")
    if base.synthetic != new.synthetic:
        notes.append("One archive is synthetic: the differences come from its parameter file, not from a GPU.")
    if not comparison.behind and comparison.level == "process" and base.processes == new.processes == 1:
        notes.append(
            f"No archive says how far processes of this device differ: {UNKNOWN_FACTOR:g} times the error of a "
            f"process's own samples was taken, at least {100 * UNKNOWN_SPREAD:g} %."
        )
    return notes


def totals(comparison: Comparison) -> str:
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in comparison.counts.items())
    return f"{counted(len(comparison.rows), 'case')}: {verdicts}"


def level_text(comparison: Comparison) -> str:
    """What is compared, and what a difference is held against."""
    base, new = comparison.base, comparison.new
    cards = [archive.run["device"].get("uuid") for archive in (base, new)]
    if base.slug != new.slug:
        what = "different GPU models, beyond what archives of one model differ by"
    elif None in cards:
        what = "one model"
    else:
        what = "one card" if cards[0] == cards[1] else "two cards of one model"
        ours, theirs = (kind or "an unknown kind" for kind in comparison.kinds)
        if cards[0] != cards[1] and any(comparison.kinds):  # boards of one model may be built in different ways
            of_two = f", but of two kinds ({ours} and {theirs}), which are built differently"
            what += f", both of kind ({ours})" if ours == theirs else of_two
    against = f"{comparison.cards} other cards" if comparison.cards else UNITS[comparison.level]
    learnt = f" ({', '.join(comparison.behind)})" if comparison.behind else ""
    by_kind = ", separately by kind" if any(comparison.kinds) else ""
    return f"{what}; judged by the variation between {against}{by_kind}{learnt}"


def terms(comparison: Comparison, margin: float) -> str:
    """What the verdicts are made with."""
    return f"margin {number(margin * 100, 3)} %; {level_text(comparison)}"


def shared_text(comparison: Comparison) -> list[str]:
    """A sentence for each timebase whose times have a factor in common that is worth a word."""
    lines = []
    for one in comparison.shared:
        which = TIMEBASES.get(one.timebase, "times")
        change = f"{change_words(one, 'longer', 'shorter')} ({counted(one.cases, 'case')})"
        if one.verdict in ("SLOWER", "FASTER"):
            lines.append(f"{one.verdict}: all {which} together, {change}")
        elif abs(one.ratio - 1) > comparison.margin / 2:
            why = f"as usual between {UNITS[comparison.level]}"
            if not one.low <= 1 <= one.high:  # surer than 95 % it is, and not as sure as a word for thousands of cases
                why = f"less sure than the {100 * (1 - FALSE_DISCOVERIES * OF_COMMON):g} % that a verdict takes"
            lines.append(f"all {which} are {change}: {why}; removed from each case")
    return lines


def identity(archive: Archive) -> dict:
    run = archive.run
    known = {"id": run["id"], "started_utc": run["started_utc"], "device": run["device"]["name"], "slug": archive.slug}
    known |= {"provenance": run["provenance"], "processes": archive.processes, "path": str(archive.path)}
    return known | ({"incomplete": archive.incomplete} if archive.incomplete else {})


def _json(comparison: Comparison) -> dict:
    facts = [dict(zip(("fact", "base", "new"), fact, strict=True)) for fact in comparison.facts]
    found = {"new": identity(comparison.new), "differing_facts": facts, **fields_of(comparison, "level behind")}
    found |= {"held_against": level_text(comparison), "shared": [asdict(one) for one in comparison.shared]}
    found |= fields_of(comparison, "fail_on judged") | {"notes": notes_on(comparison), "counts": comparison.counts}
    return found | {"rows": [asdict(row) for row in comparison.rows]}


def as_json(comparisons: list[Comparison], margin: float) -> str:
    found = {"margin_pct": round(margin * 100, 9), "confidence_pct": CONFIDENCE * 100}
    found |= {"false_discoveries_pct": FALSE_DISCOVERIES * 100, "base": identity(comparisons[0].base)}
    return json_text(found | {"comparisons": [*map(_json, comparisons)]}, 2)


def as_csv(comparisons: list[Comparison], margin: float) -> str:
    names = [f.name for f in fields(Row)]
    cells = []
    for comparison in comparisons:
        start = [comparison.base.run["id"], comparison.new.run["id"], f"{margin * 100:g}"]
        for row in comparison.rows:
            values = asdict(row) | {"flags": " ".join(row.flags)}
            cells.append(start + [values[n] for n in names])
    return csv_text(["base_id", "new_id", "margin_pct", *names], cells)


def as_github(comparisons: list[Comparison], conditions: bool) -> str:
    """Workflow commands of GitHub Actions: what the gate says; without one, how many cases are slower."""
    if conditions:
        return of_gate("compare", (told for one in comparisons for told in one.fail_on))
    slower = (one for one in comparisons if one.counts.get("SLOWER"))
    return of_gate("compare", (f"{one.new.run['id']} vs {one.base.run['id']}: {totals(one)}" for one in slower))


FORMATS = {"json": as_json, "csv": as_csv, "github": as_github}
