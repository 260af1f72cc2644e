"""`gpufx compare --by quantity`: what archives say of a chip, ours or another tool's, where both say it in one unit."""

from ..archive.contents import describe
from ..archive.load import Archive
from ..call.number_text import counted
from ..call.tables import csv_text, fitted, markdown_table, wrapped
from ..call.text import from_here, json_text, markdown
from ..chip.quantities import basis
from ..chip.quantity import Quantity
from ..chip.quantity_text import change_text, sure_text, value_text
from .compare_text import identity
from .sheet import quantity_json

Sheet = tuple[Archive, list[Quantity]]
Pair = tuple[Quantity, Quantity]

FEW = 8  # that are named
HEAD = ("quantity", "base", "", "new", "", "new vs base")


def pairs(base: Sheet, new: Sheet) -> tuple[list[Pair], list[str], list[str]]:
    """What both sides know; the ids that the base alone, and that the new one alone knows."""
    sides = [{q.id: q for q in found if q.determined} for _, found in (base, new)]
    both = [(q, sides[1][name]) for name, q in sides[0].items() if name in sides[1]]
    return both, sorted(sides[0].keys() - sides[1].keys()), sorted(sides[1].keys() - sides[0].keys())


def verdict(base: Quantity, new: Quantity) -> str:
    """SAME: a value lies in both intervals. DIFFERS: none does, and no side is better, or one is another tool's."""
    if not base.differs(new):
        return "SAME"
    words = change_text(base, new).rpartition(" ")[2]
    return words.upper() if words in ("better", "worse") else "DIFFERS"


def _rows(found: list[Pair]) -> list[tuple[str, ...]]:
    return [(a.id, value_text(a), _sure(a), value_text(b), _sure(b), change_text(a, b)) for a, b in found]


def _sure(q: Quantity) -> str:
    return sure_text(q).replace("bracket", "")


def _counts(found: list[Pair]) -> dict[str, int]:
    seen = [verdict(a, b) for a, b in found]
    return {word: seen.count(word) for word in ("SAME", "BETTER", "WORSE", "DIFFERS")}


def _totals(found: list[Pair]) -> str:
    counts = ", ".join(f"{count} {word}" for word, count in _counts(found).items() if count)
    return f"{counted(len(found), 'quantity')} in both archives{': ' if found else ''}{counts}"


def _alone(base: Sheet, new: Sheet) -> list[str]:
    _, left, right = pairs(base, new)
    sides = (("base", left), ("new one", right))
    names = {side: f": {', '.join(ids)}" if len(ids) <= FEW else "" for side, ids in sides}
    return [f"{counted(len(ids), 'quantity')} only in the {side}{names[side]}" for side, ids in sides if ids]


def as_text(base: Sheet, others: list[Sheet]) -> str:
    lines = []
    for new in others:
        found = pairs(base, new)[0]
        for name, (archive, _) in (("base", base), ("new", new)):
            lines += wrapped(f"{name:5} {describe(archive)}", indent=" " * 6)
            lines += [f"      {from_here(archive.path)}", *wrapped(f"      {basis(archive)}", indent=" " * 6)]
        lines += ["", *wrapped(_totals(found)), "", *(fitted(HEAD, _rows(found)) if found else []), ""]
        lines += [line for text in _alone(base, new) for line in wrapped(text, indent="  ")] + [""]
    return "\n".join(lines)


def as_markdown(base: Sheet, others: list[Sheet]) -> str:
    lines = []
    for new in others:
        found = pairs(base, new)[0]
        for name, (archive, _) in (("base", base), ("new", new)):
            lines += [f"- {name}: {markdown(describe(archive))}; {markdown(basis(archive))}"]
        lines += [f"- **{_totals(found)}**", *(f"- {markdown(text)}" for text in _alone(base, new)), ""]
        lines += [*markdown_table(HEAD, _rows(found)), ""]
    return "\n".join(lines)


def as_json(base: Sheet, others: list[Sheet]) -> str:
    comparisons = []
    for new in others:
        found, left, right = pairs(base, new)
        rows = [
            {"id": a.id, "verdict": verdict(a, b), "base": quantity_json(a), "new": quantity_json(b)} for a, b in found
        ]
        known = {"new": identity(new[0]), "counts": _counts(found), "rows": rows}
        comparisons.append(known | {"base_alone": left, "new_alone": right})
    return json_text({"base": identity(base[0]), "comparisons": comparisons}, 2)


def as_csv(base: Sheet, others: list[Sheet]) -> str:
    head = ["base_id", "base_provenance", "new_id", "new_provenance", "id", "unit", "verdict"]
    ends = [f"{side}_{end}" for side in ("base", "new") for end in ("value", "low", "high")]
    rows = []
    for new in others:
        who = [word for archive, _ in (base, new) for word in (archive.run["id"], archive.run["provenance"])]
        for a, b in pairs(base, new)[0]:
            values = [getattr(q.estimate, end) for q in (a, b) for end in ("value", "low", "high")]
            rows.append([*who, a.id, a.unit, verdict(a, b), *values])
    return csv_text([*head, *ends], rows)


FORMATS = {"text": as_text, "markdown": as_markdown, "json": as_json, "csv": as_csv}
