"""Words of figures with numbers in them: {id} is a quantity as the first screen has it, {id:peak} its share of the
peak, {id:bare} without its unit, {} the number of a mark."""

import re

from ...chip.quantity import Quantity
from ...chip.quantity_text import value_text

FIELD = re.compile(r"\{([a-z0-9_.]*)(?::([a-z]+))?\}")
FORMS = ("bare", "peak")
ALIKE = 0.005  # a ratio that is printed as 1.00x


def of_quantity(q: Quantity, form: str) -> str:
    if form == "peak":
        return f"{q.share_pct:.0f} %"
    return value_text(q, form != "bare").replace("..", "\u2013")


def is_one(q: Quantity) -> bool:
    """Whether a ratio can't be told from 1."""
    e = q.estimate
    return not e.bracket and (abs(e.value - 1) < ALIKE or (e.low is not None and e.low <= 1 <= e.high))


def fill(sources: list, text: str, own: str = "") -> str:
    """The words with their numbers; "" where a quantity is not determined. own: what stands for {}. Of several archives
    the numbers of those that have them, where not all say the same."""
    known = [source for source in sources if all(source.quantity(name) for name, _ in FIELD.findall(text) if name)]
    if not known:
        return ""

    def put(match: re.Match) -> str:
        if not match[1]:
            return own
        of_each = [of_quantity(source.quantity(match[1]), match[2] or "") for source in known]
        if len({*of_each}) == 1 and known == sources:
            return of_each[0]
        return " and ".join(f"{text} ({source.label})" for text, source in zip(of_each, known, strict=True))

    return FIELD.sub(put, text)


def sentence(sources: list, clauses: list) -> str:
    """The clauses whose quantities are known; one that begins with ";" ends a sentence, any other continues one
    that has begun. One that is not a text says `differs` where its ratio (of) is another than 1, else `alike`."""
    kept, begun = [], True
    for clause in clauses:
        text = clause
        if not isinstance(clause, str):
            ratios = [source.quantity(clause.of) for source in sources]
            known = all(ratios)
            text = (clause.alike if known and all(map(is_one, ratios)) else clause.differs) if known else ""
        filled = fill(sources, text)
        begun = bool(filled) if clause is clauses[0] or text.startswith(";") else begun
        if filled and begun:
            kept.append(filled if filled.startswith(";") else f", {filled}")
    said = "".join(kept).lstrip(",; ")
    return said[:1].upper() + said[1:]
