"""`gpufx compare` on one screen: totals, what explains most of the changes, and then by
quantity, probe and case, worst first. `report` has every row."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..archive.cases import driver_text
from ..archive.load import Archive
from ..call.number_text import counted, moved
from ..call.tables import fitted, wrapped
from ..call.terminal import columns, height, is_quiet
from ..call.text import from_here
from ..chip.quantities import infer
from ..chip.quantity_text import value_text
from ..judging.changes import Factor, by_probe, change_of, factors, folded, unexplained
from ..judging.compare import Comparison, percent
from ..judging.evidence import named
from .compare_text import notes_on, shared_text, terms, totals
from .difference import change_text, in_order, legend, sentences
from .side import Side

MOST_NAMES = 3
SET = ("environment.ecc", "environment.mig", "environment.power_limit", "driver.version")
LEAST = 5  # lines of a table that is cut short: a blank one, its head, two rows, and how many more


@dataclass
class Table:
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: frozenset[str] = frozenset()

    def __post_init__(self):
        most = self.rows[: height()]  # more lines than there is room for, and thousands take their time
        self.lines = fitted(self.head, most, self.right) if self.rows else []

    def cut(self, room: int) -> list[str]:
        """As many of its lines as there is room for, with whole rows and how many are left out."""
        if len(self.lines) <= room:
            return self.lines
        kept = min(len(self.rows), room)
        while kept and len(lines := fitted(self.head, self.rows[:kept], self.right)) >= room:
            kept -= max(1, (len(lines) - room) // 4)
        return [*lines, f"... and {len(self.rows) - kept} more"] if kept else []


def _side(word: str, archive: Archive) -> str:
    run = archive.run
    parts = [run["id"], run["device"]["name"], driver_text(run), run["started_utc"][:10]]
    parts += [archive.processes_text, *["SYNTHETIC"] * archive.synthetic]
    parts += [f"INCOMPLETE: {archive.incomplete}"] if archive.incomplete else []
    return f"{word:<4}  {', '.join(parts)}"


def _names(factor: Factor) -> str:
    """What moved so: places of the first screen, else facts, else, of one probe, quantities; "" where none fits."""
    places = [pair for pair in factor.quantities if pair[0].definition.screen and pair[0].definition.screen.row]
    pairs = places or (factor.quantities if len(factor.probes) == 1 and not factor.facts else [])
    screens = [base.definition.screen for base, _ in places]
    names = list(dict.fromkeys(f"{screen.row} {screen.column}" for screen in screens)) or [base.id for base, _ in pairs]
    if names:
        return f"{named(names, MOST_NAMES)} {moved(change_of(*pairs[0]))}"
    return "; ".join(f"{name.partition('.')[2]} {base} -> {new}" for name, base, new in factor.facts[:1])


def factor_text(factor: Factor) -> str:
    """explained by DRAM rate -30 %: 812 of 906 changed cases (3 probes, +43 % in ns)"""
    name, probes = _names(factor) or "one factor", factor.probes
    of = probes[0] if len(probes) == 1 else f"{len(probes)} probes"
    text = f"explained by {name}: {len(factor.rows)} of {factor.of} changed cases"
    text += f", which include {factor.unsure} UNSURE" if factor.unsure else ""
    return f"{text} ({of}, {moved(factor.value)} in {factor.unit})"


def _quantities(comparison: Comparison) -> Table:
    told = [pair for pair in comparison.quantities if not pair[0].definition.follows]
    if comparison.of_two_models:
        told = in_order(told)
    else:
        most = 1 + comparison.margin
        told = [pair for pair in told if not (change := change_of(*pair)) or not 1 / most <= change <= most]
    rows = [(q.id, value_text(q), value_text(other), change_text(q, other)) for q, other in told]
    return Table(("quantity", "base", "new", "change"), rows)


def headline(comparison: Comparison) -> str:
    """The cases; and of one model, whose cases may all be UNSURE, what became worse or better."""
    rows = [row for row in _quantities(comparison).rows if row[-1].endswith(("worse", "better"))]
    more = f" and {counted(len(rows) - 1, 'more quantity')}" if rows[1:] else ""
    told = [f"{name} {change.partition(' (')[0]}{more}" for name, *_, change in rows[:1]]
    return "; ".join([totals(comparison), *(told if not comparison.of_two_models else [])])


def _probes(comparison: Comparison, found: Sequence[Factor]) -> Table:
    head = ("probe", "cases", "SLOWER", "FASTER", "UNSURE", *["explained"] * bool(found), "worst")
    rows = []
    for entry in by_probe(comparison, found):
        words = [str(entry.verdicts[word]) for word in head[2:5]]
        words += [str(entry.explained)] * bool(found)
        rows.append((entry.probe, str(entry.cases), *words, percent(entry.worst.ratio)))
    return Table(head, rows, frozenset(head[1:]))


def _cases(comparison: Comparison, found: Sequence[Factor]) -> Table:
    rows = [(f"{row.probe}/{row.case}", percent(row.ratio), row.verdict) for row in unexplained(comparison, found)]
    return Table(("worst case" if not found else "not explained", "change", "verdict"), rows, frozenset({"change"}))


def _slower(comparison: Comparison) -> list[str]:
    rows = sorted((row for row in comparison.rows if row.verdict == "SLOWER"), key=lambda row: -row.ratio)
    names = [f"{row.probe}/{row.case} {percent(row.ratio)}" for row in rows]
    return wrapped(f"SLOWER: {named(names, MOST_NAMES)}", indent="  ") if names else []


def _differs(comparison: Comparison) -> list[str]:
    """Facts that differ: what was set, and as many of the others as a line holds, first the driver and the clocks."""
    order = (*SET, "clocks.", "environment.", "device.")
    ranked = sorted(comparison.facts, key=lambda fact: [not fact[0].startswith(part) for part in order])
    texts = [f"{name} {base} -> {new}" for name, base, new in ranked]
    room, said = columns() - len("differs: ; 99 more"), []
    for text in texts:
        if len(text) <= room or text.startswith(SET):
            said.append(text)
            room -= len(text) + 2
    more = len(texts) - len(said)
    said += [f"{more} more" if said else counted(more, "fact")] if more else []
    return wrapped(f"differs: {'; '.join(said)}") if said else []


def _shared(tables: Sequence[Table], room: int) -> list[str]:
    """The tables below each other, the first ones for sure, each with its share of the lines after a blank one."""
    tables = [table for table in tables if table.rows]
    while tables and sum(min(LEAST, len(table.lines) + 1) for table in tables) > room and len(tables) > 1:
        tables = tables[:-1]
    lines: list[str] = []
    for i, table in enumerate(tables):
        later = sum(min(len(other.lines) + 1, max(LEAST, room // len(tables))) for other in tables[i + 1 :])
        part = table.cut(max(room - len(lines) - later, LEAST) - 1)
        lines += ["", *part] if part else []
    return lines


def _screen(comparison: Comparison, margin: float) -> list[str]:
    found = factors(comparison, margin, comparison.quantities)
    head = wrapped(headline(comparison), columns(answer=True), indent="  ", between=",")
    head += [line for word, a in (("base", comparison.base), ("new", comparison.new))
             for line in wrapped(_side(word, a), indent=" " * 6)]  # fmt: skip
    said = [terms(comparison, margin), *map(factor_text, found), *shared_text(comparison)]
    if comparison.of_two_models:
        said = [*sentences(*(Side(one, infer(one)) for one in (comparison.base, comparison.new))), *said]
    head += [line for text in said for line in wrapped(text, indent="  ")]
    tables = [_quantities(comparison), _probes(comparison, found), _cases(comparison, found)]
    foot = legend(row[-1] for row in tables[0].rows)
    foot += [line for text in folded(comparison) for line in wrapped(text, indent="  ")] + _differs(comparison)
    notes = [line for note in notes_on(comparison) for line in wrapped(f"note: {note}", indent="  ")]
    room = height() - len(head) - len(foot) - len(_next(comparison)) - 2
    last = "all cases: --format csv"
    if notes and sum(len(table.lines) + 1 for table in tables if table.rows) + len(notes) > room:
        last, notes = f"{last}; {counted(len(notes_on(comparison)), 'note')}: --json", []
    shown = _shared(tables, room - len(notes))
    if not (found or any("SLOWER" in line for line in shown)) and (slower := _slower(comparison)):  # named nowhere else
        foot, shown = [*slower, *foot], _shared(tables, room - len(notes) - len(slower))
    if tables[0].rows and not {*tables[0].lines} <= {*shown}:
        last = f"all quantities: gpufx sheet {comparison.base.run['id']} {comparison.new.run['id']}; {last}"
    return [*head, *shown, "", *foot, *notes, *wrapped(last, indent="  ", between=";"), *_next(comparison)]


def _next(comparison: Comparison) -> list[str]:
    """What tells whether a card that became slower is sick."""
    new = comparison.new
    slower = comparison.counts.get("SLOWER") and not (comparison.of_two_models or new.synthetic)
    return [f"next: gpufx accept {from_here(new.path)}"] if slower else []


def as_text(comparisons: list[Comparison], margin: float) -> str:
    if is_quiet():
        ids = [f"{comparison.new.run['id']}: " * (len(comparisons) > 1) for comparison in comparisons]
        return "".join(f"{name}{headline(one)}\n" for name, one in zip(ids, comparisons, strict=True))
    return "\n\n".join("\n".join(_screen(comparison, margin)) for comparison in comparisons) + "\n"
