"""`gpufx compare --all`, and comparisons as JSON or CSV."""

from dataclasses import asdict, fields
from itertools import groupby

from ..archive.cases import describe
from ..archive.load import Archive
from ..call.number_text import counted, number
from ..call.tables import csv_text, fitted, table, wrapped
from ..call.terminal import columns
from ..call.text import fields_of, json_text, shown
from ..judging.compare import TIMEBASES, Comparison, Row, Shared, percent
from ..statistics.rules import CONFIDENCE, FALSE_DISCOVERIES, OF_COMMON, UNITS, UNKNOWN_FACTOR, UNKNOWN_SPREAD

HEAD = ("case", "base", "new", "change", "95 % interval", "verdict", "reason")
NUMBERS = {"base", "new", "change"}


def _cells(row: Row) -> tuple[str, ...]:
    change = percent(row.ratio) if row.ratio else "-"
    interval = f"{percent(row.low)} .. {percent(row.high)}" if row.low else "-"
    return (row.case, number(row.base), number(row.new), change, interval, row.verdict, row.reason)


def notes_on(comparison: Comparison) -> list[str]:
    base, new = comparison.base, comparison.new
    notes = list(comparison.notes)
    if base.synthetic != new.synthetic:
        notes.append("One archive is synthetic: the differences come from its parameter file, not from a GPU.")
    if not comparison.behind and comparison.level == "process" and base.processes == new.processes == 1:
        notes.append(
            f"No archive says how far processes of this device differ: {UNKNOWN_FACTOR:g} times the error of a "
            f"process's own samples was taken, at least {100 * UNKNOWN_SPREAD:g} %."
        )
    return notes


def totals(comparison: Comparison) -> str:
    counts = comparison.counts
    count = len(comparison.rows)
    return f"{count} case{'s' * (count != 1)}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items())


def level_text(comparison: Comparison) -> str:
    """What is compared, and what a difference is held against."""
    base, new = comparison.base, comparison.new
    cards = [archive.run["device"].get("uuid") for archive in (base, new)]
    if base.slug != new.slug:
        what = "different GPU models, differences as measured"
    elif None in cards:
        what = "one model"
    else:
        what = "one card" if cards[0] == cards[1] else "two cards of one model" + _kinds_text(comparison.kinds)
    against = f"{comparison.cards} other cards" if comparison.cards else UNITS[comparison.level]
    learnt = f" ({', '.join(comparison.behind)})" if comparison.behind else ""
    by_kind = ", separately by kind" if any(comparison.kinds) else ""
    return f"{what}; judged by the variation between {against}{by_kind}{learnt}"


def _kinds_text(kinds: tuple[str, str]) -> str:
    """Boards of one model may be built in different ways."""
    if not any(kinds):
        return ""
    base, new = (kind or "an unknown kind" for kind in kinds)
    if base == new:
        return f", both of kind ({base})"
    return f", but of two kinds ({base} and {new}), which are built differently"


def terms(comparison: Comparison, margin: float) -> str:
    """What the verdicts are made with."""
    return f"margin {number(margin * 100, 3)} %; {level_text(comparison)}"


def shared_text(comparison: Comparison) -> list[str]:
    """A sentence for each timebase whose times have a factor in common that is worth a word."""
    lines = []
    for one in comparison.shared:
        change, worth = one.ratio - 1, comparison.margin / 2
        if one.verdict in ("SLOWER", "FASTER"):
            lines.append(f"{one.verdict}: all {TIMEBASES.get(one.timebase, 'times')} together, {_shared_change(one)}")
        elif abs(change) > worth:
            why = f"as usual between {UNITS[comparison.level]}"
            if not one.low <= 1 <= one.high:  # surer than 95 % it is, and not as sure as a word for thousands of cases
                why = f"by chance in more than 1 of {1 / (FALSE_DISCOVERIES * OF_COMMON):g} comparisons"
            lines.append(
                f"all {TIMEBASES.get(one.timebase, 'times')} are {_shared_change(one)}: {why}; removed from each case"
            )
    return lines


def _shared_change(one: Shared) -> str:
    word = "longer" if one.ratio > 1 else "shorter"
    ends = sorted(100 * (end - 1) * (1 if one.ratio > 1 else -1) for end in (one.low, one.high))
    return (
        f"{abs(100 * (one.ratio - 1)):.1f} % {word}, {100 * CONFIDENCE:g} % CI {ends[0]:.1f}..{ends[1]:.1f} % "
        f"({counted(one.cases, 'case')})"
    )


def head_of(comparison: Comparison, margin: float) -> list[str]:
    """How it was judged."""
    said = [terms(comparison, margin), *shared_text(comparison)]
    return [line for text in said for line in wrapped(text, indent="  ")]


def overview(comparison: Comparison, margin: float) -> list[str]:
    """Per probe the middle ratio, how far the ratios spread, the two extremes, and the change that half of the cases
    would show."""
    rows = []
    for probe, group in groupby((r for r in comparison.rows if r.ratio), key=lambda row: row.probe):
        ratios = sorted(group, key=lambda row: row.ratio)
        at = [percent(ratios[round(q * (len(ratios) - 1))].ratio) for q in (0.5, 0.05, 0.95, 0.0, 1.0)]
        widths = sorted(row.high / row.low for row in ratios if row.low)
        seen = f"{number(100 * ((1 + margin) * widths[len(widths) // 2] ** 0.5 - 1), 3)} %" if widths else "-"
        rows.append((probe, str(len(ratios)), at[0], f"{at[1]} .. {at[2]}", f"{at[3]} .. {at[4]}", seen))
    head = ("new / base", "cases", "median", "90 % of them within", "all within", "half resolve changes of")
    return fitted(head, rows, {"cases", "median", head[-1]}) if rows else []


def _groups(rows: list[Row]):
    return groupby(rows, key=lambda row: (row.probe, row.metric, row.better))


def _listed(rows: list[tuple[str, ...]]) -> list[str]:
    """A table where it fits the screen; else below each case's name what is said of it."""
    lines = ["  " + line for line in table(HEAD, rows, NUMBERS)]
    if max(map(len, lines)) <= columns():
        return lines
    lines = []
    for case, base, new, change, interval, verdict, reason in rows:
        seen = f"{base} -> {new}, {change} ({interval}), " if interval != "-" else ""
        lines += [*wrapped(f"  {case}", indent="  "), *wrapped(f"    {seen}{verdict}: {reason}", indent="      ")]
    return lines


def as_text(comparisons: list[Comparison], margin: float) -> str:
    lines = []
    for comparison in comparisons:
        lines += wrapped(totals(comparison), indent="  ", between=",")
        for word, side in (("base", comparison.base), ("new", comparison.new)):
            lines += [*wrapped(f"{word:<4}  {describe(side)}", indent=" " * 6), f"      {shown(side.path)}"]
        lines += [*head_of(comparison, margin), "", *overview(comparison, margin), ""]
        lines += [line for note in notes_on(comparison) for line in wrapped(f"note: {note}", indent="  ")]
        if comparison.facts:
            lines += [*fitted(("differing fact", "base", "new"), comparison.facts), ""]
        for (probe, metric, better), group in _groups(comparison.rows):
            lines += [f"{probe}: {metric}, {better} is better"]
            lines += [*_listed([_cells(row) for row in group]), ""]
    return "\n".join(lines)


def identity(archive: Archive) -> dict:
    run = archive.run
    return {
        "id": run["id"],
        "started_utc": run["started_utc"],
        "device": run["device"]["name"],
        "slug": archive.slug,
        "provenance": run["provenance"],
        "processes": archive.processes,
        "path": str(archive.path),
    } | ({"incomplete": archive.incomplete} if archive.incomplete else {})


def as_json(comparisons: list[Comparison], margin: float) -> str:
    result = {
        "margin_pct": round(margin * 100, 9),
        "confidence_pct": CONFIDENCE * 100,
        "false_discoveries_pct": FALSE_DISCOVERIES * 100,
        "base": identity(comparisons[0].base),
        "comparisons": [
            {
                "new": identity(comparison.new),
                "differing_facts": [dict(zip(("fact", "base", "new"), f, strict=True)) for f in comparison.facts],
                **fields_of(comparison, "level behind"),
                "held_against": level_text(comparison),
                "shared": [asdict(one) for one in comparison.shared],
                **fields_of(comparison, "fail_on judged"),
                "notes": notes_on(comparison),
                "counts": comparison.counts,
                "rows": [asdict(row) for row in comparison.rows],
            }
            for comparison in comparisons
        ],
    }
    return json_text(result, 2)


def as_csv(comparisons: list[Comparison], margin: float) -> str:
    names = [f.name for f in fields(Row)]
    cells = []
    for comparison in comparisons:
        start = [comparison.base.run["id"], comparison.new.run["id"], f"{margin * 100:g}"]
        for row in comparison.rows:
            values = asdict(row) | {"flags": " ".join(row.flags)}
            cells.append(start + [values[n] for n in names])
    return csv_text(["base_id", "new_id", "margin_pct", *names], cells)


FORMATS = {"text": as_text, "json": as_json, "csv": as_csv}
