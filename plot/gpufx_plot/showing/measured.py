"""The "Measured" part of an effect's page: the picture, and a table of what each reference archive says of the effect:
its quantities, a row each, and the verdicts on its claims."""

import re
from dataclasses import dataclass
from pathlib import Path

from ..archive.file import references
from ..archive.load import Archive, load
from ..call.number_text import counted
from ..call.program import root
from ..call.tables import markdown_table
from ..call.text import markdown
from ..chip.quantities import infer
from ..chip.quantity import Quantity
from ..chip.quantity_text import with_ends
from ..judging.claims import UNDECIDED, UNKNOWN, WORDS, Verdict, judged
from .claims_text import short

NONE = "-"  # a cell of a chip that has nothing to say there


@dataclass(frozen=True)
class Reference:
    """A reference archive, read once, with all that pages say of it."""

    chip: str
    archive: Archive
    quantities: list[Quantity]
    verdicts: list[Verdict]

    @property
    def name(self) -> str:
        return f"{self.chip.upper()} `{self.archive.run['id']}`"


def read(top: Path) -> list[Reference]:
    archives = {chip: load(path) for chip, path in references(top).items()}
    return [Reference(chip, a, infer(a), judged(a).verdicts) for chip, a in archives.items()]


def measured_by(known: list[Reference], effect: str) -> list[Reference]:
    """The reference archives that have the effect."""
    return [of for of in known if effect in of.archive.measured]


def _quantities(known: list[Reference], effect: str) -> dict[str, tuple]:
    def cell(q: Quantity) -> str:
        return with_ends(q) if q.determined else f"not determined: {q.reason}"

    cells = [
        {q.id: cell(q) for q in of.quantities if q.definition.probe == effect and not q.waived} for of in known
    ]  # what a machine can't have is no row
    meanings = {q.id: q.definition.meaning for of in known for q in of.quantities if q.determined}
    names = (name for name in dict.fromkeys(name for of in cells for name in of) if name in meanings)
    return {name: (meanings[name], f"`{name}`", *(of.get(name, NONE) for of in cells)) for name in names}


def _main(known: list[Reference], effect: str) -> set[str]:
    """The quantities that the first screen or the effect's figure speaks of."""
    drawn = "".join(path.read_text(encoding="utf-8") for path in root().glob(f"micro/*/{effect}/figure.json"))
    every = {q.id: q.definition.screen for of in known for q in of.quantities}
    return {name for name, screen in every.items() if screen or re.search(rf'["{{]{re.escape(name)}\b', drawn)}


def _claims(known: list[Reference], effect: str) -> list[str]:
    """A line for each verdict of the first chip that has one; what another chip says differently is said."""
    lines: dict[str, list[str]] = {word: [] for word in WORDS}
    of_host = "'s host"
    cells = [{(v.text, v.source): v for v in of.verdicts if v.probe == effect} for of in known]
    for key in dict.fromkeys(key for of in cells for key in of):
        of = [(side.chip.upper(), cell[key]) for side, cell in zip(known, cells, strict=True) if key in cell]
        of = [(chip, v) for chip, v in of if v.verdict != UNKNOWN]
        if of:
            first = of[0][1]
            told = [(f"{chip}{of_host * v.of_host}", v) for chip, v in of[1:] if v.verdict != first.verdict]
            others = [f"{name} {v.verdict}: {short(v, False)}" for name, v in told]
            lines[first.verdict].append(f"{first.text} ({'; '.join([short(first, False), *others])})")
    return [f"- **{word}**: {markdown('; '.join(of))}" for word, of in lines.items() if of and word != UNDECIDED]


def part(known: list[Reference], effect: str, finding: str = "") -> str:
    """finding: what the effect's measured.png shows; nothing where there is none."""
    chips = measured_by(known, effect)
    if not chips:
        names = " and ".join(of.name for of in known)
        return f"The reference archives ({names}) have no case of it yet." if known else "Not measured yet."
    lines = [f"![{markdown(finding)}](measured.png)", ""] if finding else []
    cases = (f"{of.name}, {counted(sum(p.probe == effect for p in of.archive.points), 'case')}" for of in chips)
    rows, main = _quantities(chips, effect), _main(chips, effect)
    kept = [row for name, row in rows.items() if name in main] or [*rows.values()]
    more = f", {len(rows) - len(kept)} more: `gpufx sheet h200 h100 --probe {effect}`" if len(kept) < len(rows) else ""
    table = markdown_table((f"quantity{more}", "id", *cases), [tuple(" ".join(c.split()) for c in row) for row in kept])
    lines += [line.replace("\\`", "`").replace("\\*\\*", "**") for line in table]
    if claims := _claims(chips, effect):
        of = f"** of what guides and papers claim (sources: `gpufx claims h200 --probe {effect}`):"
        lines += ["", claims[0].replace("**:", of, 1), *claims[1:]]
    return "\n".join(lines)
