"""What figure.json says: the figure of an effect as data, as results/schema/figure-1.schema.json describes it.

A figure selects cases in the axis language, says what of them is drawn, in the words of quantities.json (of, scale,
inverse, against), and names them. It computes nothing: a number that a title needs is a quantity. What the file says
that can't be is a UserError with the file and the key.

In words {id} is a quantity as the first screen has it, {id:peak} its share of the peak, {id:bare} without its unit, {}
the number of a mark."""

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ... import UserError
from ...archive.selection import Axis, Selection, axes_in, parse_all
from ...call.text import safe, shown
from ...chip.quantity import Estimate, Quantity
from ...chip.quantity_text import alike_texts, between
from ...judging.changes import within_cards

ALONE = re.compile(r"\{([a-z0-9_.]+)\}")  # a bar that is a quantity
FIELD = re.compile(r"\{([a-z0-9_.]*)(?::([a-z]+))?\}")
FORMS = ("bare", "peak")
ALIKE = 0.005  # a ratio that is printed as 1.00x
Text = Annotated[str, Meta(max_length=300)]
ScaleName = Literal["zero", "linear", "log2", "log10", "counts", "sizes", "times", "ratio", "named"]
Named = dict[str, str]


class Clause(msgspec.Struct, forbid_unknown_fields=True):
    """One of two clauses: whether a ratio differs from 1, or can't be told from it."""

    of: str
    differs: Text
    alike: Text = ""


class Series(msgspec.Struct, forbid_unknown_fields=True):
    """Cases of one colour; colour: of the palette."""

    cases: str
    colour: int | None = None
    of: str | None = None


class Guide(msgspec.Struct, forbid_unknown_fields=True):
    """A line at a number, a fact of the device ("l2_bytes") or a quantity ("{l2.size}"); at: its axis."""

    at: Literal["x", "y"]
    of: float | str
    text: Text = ""


class Panel(msgspec.Struct, forbid_unknown_fields=True):
    """What each key means: docs/figures.md."""

    title: Text = ""
    axes: Annotated[list[Text], Meta(min_length=1, max_length=2)] = msgspec.field(default_factory=lambda: ["", ""])
    scales: Annotated[list[ScaleName | list[float]], Meta(min_length=1, max_length=2)] = []
    each: str = ""
    cases: str = ""
    x: str = ""
    x_scale: float = 1.0
    zero: str = ""
    bars: str | dict[str, str | Series] = ""
    residuals: str = ""
    series: str | dict[str, str | Series] = ""
    colours: list[int] = []
    ordered: bool = False
    of: str = "cost"
    scale: float | str | dict[str, dict[str, float]] = 1.0
    inverse: bool = False
    against: str = ""
    take: Literal["", "best", "range"] = ""
    law: Literal["", "line", "ticks"] = ""
    join: bool = True
    dots: bool = False
    peak: bool = False
    titled: str = ""
    labels: Named = {}
    guides: list[Guide] = []
    notes: list[Text] = []
    height: Annotated[float, Meta(gt=0.3, lt=3)] = 1.0
    wide: bool = False


class FigureFile(msgspec.Struct, forbid_unknown_fields=True):
    question: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\?$")]
    panels: Annotated[list[Panel], Meta(max_length=4)]
    title: list[Text | Clause] = []
    otherwise: list[Text | Clause] = []
    names: dict[str, str | Named] = {}
    supplement: list[Panel] = []
    without: Text = ""


@cache
def read(path: Path) -> FigureFile:
    """Raises UserError that names the file and the key."""
    try:
        return checked(msgspec.json.decode(path.read_bytes()))
    except (OSError, msgspec.DecodeError, UserError) as error:
        raise UserError(f"{shown(path)}: {safe(str(error))[:300]}") from None


def checked(data) -> FigureFile:
    """Raises UserError that names the key."""
    try:
        found = msgspec.convert(data, FigureFile)
    except msgspec.ValidationError as error:
        raise UserError(str(error)) from None
    for where, panel in named_panels(found):
        if wrong := _wrong(panel):
            raise UserError(f"{where}: {wrong}")
    for where, text in texts(found):
        if unknown := [form for _, form in FIELD.findall(text) if form and form not in FORMS]:
            raise UserError(f"{where}: '{unknown[0]}' is none of {', '.join(FORMS)}")
    return found


def named_panels(figure: FigureFile) -> list[tuple[str, Panel]]:
    lists = {"panels": figure.panels, "supplement": figure.supplement}
    return [(f"{name}[{i}]", panel) for name, panels in lists.items() for i, panel in enumerate(panels)]


def texts(figure: FigureFile) -> list[tuple[str, str]]:
    """Where words with quantities in them stand, and the words."""
    found = []
    for name, clauses in (("title", figure.title), ("otherwise", figure.otherwise)):
        for i, clause in enumerate(clauses):
            parts = [clause] if isinstance(clause, str) else [f"{{{clause.of}}}", clause.differs, clause.alike]
            found += [(f"{name}[{i}]", part) for part in parts]
    for where, panel in named_panels(figure):
        found += [(f"{where}.labels", text) for text in panel.labels.values()]
        found += [(f"{where}.guides", guide.of) for guide in panel.guides if isinstance(guide.of, str)]
        if isinstance(panel.bars, dict):
            found += [(f"{where}.bars", text) for text in panel.bars.values() if isinstance(text, str)]
    return found


def _wrong(panel: Panel) -> str:
    kinds = [key for key in ("x", "bars", "residuals") if getattr(panel, key)]
    if len(kinds) != 1:
        return "needs one of x, bars and residuals"
    for key in ("zero", "law"):
        if getattr(panel, key) and not panel.x:
            return f"{key} is for panels with x"
    if panel.titled and not panel.bars:
        return "titled is for panels with bars"
    return ""


def joined(first: str, second: str) -> str:
    """Of both, whatever alternatives the second has; what it says of an axis counts."""
    parts = []
    for part in second.split(";"):
        own = {word.partition("=")[0] for word in part.split()}
        parts.append(" ".join([*(w for w in first.split() if w.partition("=")[0] not in own), part.strip()]).strip())
    return ";".join(parts)


def selected(text: str, cases: list[dict]) -> list[Selection]:
    """Raises UserError."""
    found = []
    for part in text.split(";"):
        axes: dict[str, Axis] = axes_in(part, cases)
        if all(word.partition("=")[0] in axes for word in part.split()):
            found += parse_all(part, axes)
    return found


def of_quantities(quantities: list[Quantity], form: str) -> list[str]:
    """One quantity of several archives, in words that can be compared."""
    if form == "peak":
        return [f"{q.share_pct:.0f} %" for q in quantities]
    return [text.replace("..", "\u2013") for text in alike_texts(quantities, form != "bare")]


def surely_apart(base: Quantity, new: Quantity) -> bool:
    """Whether two archives' numbers may be told as a difference."""
    return base.differs(new) and not within_cards(base, new)


def is_one(q: Quantity) -> bool:
    """Whether a ratio can't be told from 1."""
    e = q.estimate
    return not e.bracket and (abs(e.value - 1) < ALIKE or (e.low is not None and e.low <= 1 <= e.high))


def fill(sources: list, text: str, own: str = "") -> str:
    """The words with their numbers; "" where a quantity is not determined. own: what stands for {}. Of several archives
    the numbers of those that have them: one where all say about the same, both ends where none surely differs."""
    known = [source for source in sources if all(source.quantity(name) for name, _ in FIELD.findall(text) if name)]
    if not known:
        return ""

    def put(match: re.Match) -> str:
        if not match[1]:
            return own
        found = [source.quantity(match[1]) for source in known]
        of_each = of_quantities(found, match[2] or "")
        if known == sources and len({*of_each}) == 1:
            return of_each[0]
        if known == sources and not any(surely_apart(found[0], q) for q in found):
            if any(q.estimate.bracket for q in found):  # from the lowest end to the highest
                lows, highs = zip(*(q.estimate.ends for q in found), strict=True)
                both = Estimate(None, *(end if math.isfinite(end) else None for end in (min(lows), max(highs))), 0)
                return of_quantities([replace(found[0], estimate=both)], match[2] or "")[0]
            in_order = [text for _, text in sorted(zip((q.estimate.value for q in found), of_each, strict=True))]
            return between(in_order[0], in_order[-1]).replace("..", "\u2013")
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
