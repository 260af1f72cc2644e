"""The "Measured" part of an effect's page: the picture, and a table of what each reference archive says of the effect:
its quantities, its fits and the verdicts on its claims, a row each."""

from dataclasses import dataclass
from pathlib import Path

from ..archive.load import Archive, load
from ..archive.pooled_fits import Fit
from ..archive.reference import references
from ..call.number_text import counted
from ..call.tables import markdown_table
from ..call.text import markdown
from ..chip.quantities import infer
from ..chip.quantity import Quantity
from ..chip.quantity_text import sure_text, value_text
from ..judging.claims import UNDECIDED, UNKNOWN, Verdict, archived, judged
from .claims_text import bounds_text, short
from .fit_formula import formula, held_text
from .summary.laws import alike_parts

NONE = "-"  # a cell of a chip that has nothing to say there
DIGITS = 4  # of a value, at most


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

    def fits(self, effect: str) -> list[Fit]:
        return [fit for fit in self.archive.merged_fits if fit.probe == effect]


def read(top: Path) -> list[Reference]:
    def one(chip: str, path: Path) -> Reference:
        archive = load(path)
        return Reference(chip, archive, infer(archive), judged(archive, None, archived(archive)).verdicts)

    return [one(chip, path) for chip, path in references(top).items()]


def measured_by(known: list[Reference], effect: str) -> list[Reference]:
    """The reference archives that have the effect."""
    return [of for of in known if effect in of.archive.measured]


def _rows(cells: list[dict]) -> list[tuple]:
    """A row for each key of any chip, in the order in which they come."""
    return [(key, *(of.get(key, NONE) for of in cells)) for key in dict.fromkeys(key for of in cells for key in of)]


def _quantities(known: list[Reference], effect: str) -> list[tuple]:
    def cell(q: Quantity) -> str:
        return f"{value_text(q, most=DIGITS)} {sure_text(q)}".strip() if q.determined else f"not determined: {q.reason}"

    cells = [
        {q.id: cell(q) for q in of.quantities if q.definition.probe == effect and not q.waived} for of in known
    ]  # what a machine can't have is no row
    meanings = {q.id: q.definition.meaning for of in known for q in of.quantities}
    return [(meanings[name], f"`{name}`", *values) for name, *values in _rows(cells)]


def _fit_text(fits: list[Fit]) -> str:
    if not fits:
        return NONE
    share = held_text(fits)[0]
    broken = sum(not fit.law_holds for fit in fits)
    text = formula(fits) + ("" if share == "-" else f"; {share}")
    return text + (f"; LAW DOES NOT HOLD in {broken} of {counted(len(fits), 'fit')}" if broken else "")


def _fits(known: list[Reference], effect: str) -> list[tuple]:
    """Fits that are alike on the first chip that has them share a row; beside them those of the same cases."""
    of = [{(f.metric, f.law, tuple(sorted(f.group.items()))): f for f in side.fits(effect)} for side in known]
    rows, told = [], set()
    for fits in of:
        for words, part in alike_parts([fit for key, fit in fits.items() if key not in told]):
            keys = [key for key, fit in fits.items() if any(fit is one for one in part)]
            told.update(keys)
            rows.append((words, "", *(_fit_text([side[key] for key in keys if key in side]) for side in of)))
    return rows


def _verdict_text(verdict: Verdict) -> str:
    if verdict.verdict == UNKNOWN:
        return verdict.verdict
    text = short(verdict, False)
    return f"{verdict.verdict}: {text.partition(';')[0] if verdict.verdict == UNDECIDED else text}"


def _claims(known: list[Reference], effect: str) -> list[tuple]:
    cells = [{(v.text, v.source): v for v in of.verdicts if v.probe == effect} for of in known]
    rows = []
    for (text, source), *of in _rows(cells):
        verdicts = [v if isinstance(v, Verdict) else None for v in of]
        judged = next((v for v in verdicts if v and v.verdict != UNKNOWN), None)
        words = [_verdict_text(v) if v else NONE for v in verdicts]
        rows.append((f"{text} ({source})", bounds_text(judged) if judged else NONE, *words))
    return rows


def part(known: list[Reference], effect: str, finding: str = "") -> str:
    """finding: what the effect's measured.png shows; nothing where there is none."""
    chips = measured_by(known, effect)
    if not chips:
        names = " and ".join(of.name for of in known)
        return f"The reference archives ({names}) have no case of it yet." if known else "Not measured yet."
    lines = [f"![{markdown(finding)}](measured.png)", ""] if finding else []
    cases = (f"{of.name}, {counted(sum(p.probe == effect for p in of.archive.points), 'case')}" for of in chips)
    head, *rows = _sections(chips, effect) or [("", "")]
    return "\n".join([*lines, *_table((*head[:2], *cases), rows)])


def _sections(chips: list[Reference], effect: str) -> list[tuple]:
    """All rows below each other, those of each kind below a row that names its first two columns."""
    rows = []
    for head, of_kind in (
        (("**quantity**", "**id**"), _quantities(chips, effect)),
        (("**fit**", ""), _fits(chips, effect)),
        (("**claim**", "**claimed**"), _claims(chips, effect)),
    ):
        rows += [(*head, *("" for _ in chips)), *of_kind] if of_kind else []
    return rows


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    lines = markdown_table(head, [tuple(" ".join(cell.split()) for cell in row) for row in rows])
    return [line.replace("\\`", "`").replace("\\*\\*", "**") for line in lines]
