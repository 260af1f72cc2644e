"""What `compare --fail-on` takes: conditions, separated by commas, as docs/gates.md lists them; one that is met fails
the comparison. Where a verdict has no size, as unsure, WORD>P% is a share of the cases."""

import re
from dataclasses import dataclass

from .. import UserError
from ..call.text import clipped, meant

CHANGED = ("SLOWER", "FASTER", "MISSING", "NEW", "INCOMPARABLE")
WORDS = {word: (word.upper(),) for word in ("slower", "faster", "missing", "new", "incomparable", "unsure")}
WORDS |= {"changed": CHANGED, "incomplete": ()}
SIZED = ("slower", "faster")
FORM = re.compile(r"([a-z]+)(?:>(\d{1,6}(?:\.\d{1,6})?)%?)?", re.ASCII)
OF_QUANTITY = re.compile(r"([a-z0-9_]+(?:\.[a-z0-9_]+)+)([<>])([+-]?\d{1,6}(?:\.\d{1,6})?)%?", re.ASCII)


@dataclass(frozen=True)
class Condition:
    """above: as a fraction, None where any case will do."""

    word: str
    above: float | None = None

    @property
    def share(self) -> bool:
        """Of all cases; else of one case's change."""
        return self.above is not None and self.word not in SIZED

    @property
    def verdicts(self) -> tuple[str, ...]:
        return WORDS[self.word]

    def __str__(self) -> str:
        above = "" if self.above is None else f">{100 * self.above:g}%"
        return f"{self.word}{above}"


@dataclass(frozen=True)
class OfQuantity:
    """A quantity changed by less, or by more, than `limit`, a fraction: new / base, less 1."""

    id: str
    falls: bool
    limit: float

    def __str__(self) -> str:
        return f"{self.id}{'<' if self.falls else '>'}{100 * self.limit:g}%"


def parts(text: str) -> list[str]:
    """Of any gate: one part for each condition, without blanks. No text: no condition."""
    return ["".join(part.lower().split()) for part in text.split(",")] if text else []


def parse(text: str) -> list[Condition | OfQuantity]:
    """Raises UserError."""
    return [_parse(part) for part in parts(text)]


def _parse(text: str) -> Condition | OfQuantity:
    if (quantity := OF_QUANTITY.fullmatch(text)) and quantity[1] not in WORDS:
        if float(quantity[3]) <= -100:
            raise UserError(f"--fail-on {text}: a quantity can't fall by 100 %; give a change above -100 %")
        return OfQuantity(quantity[1], quantity[2] == "<", float(quantity[3]) / 100)
    found = FORM.fullmatch(text)
    word = found and found[1]
    if word not in WORDS:
        known = f"'slower>5%', 'dram.read_rate<-3%', in quotes, or one of {', '.join(WORDS)}"
        raise UserError(f"--fail-on '{clipped(text)}' is not a condition; {meant(word or '', WORDS, f'give {known}')}")
    condition = Condition(word, found[2] and float(found[2]) / 100)
    if word == "incomplete" and condition.share:
        raise UserError(f"--fail-on {text}: incomplete takes no limit")
    if word == "changed" and condition.share:
        size = text.removeprefix("changed")
        raise UserError(f"--fail-on {text} mixes verdicts with a size and without; give slower{size},faster{size}")
    if condition.share and condition.above >= 1:
        raise UserError(f"--fail-on {text}: a share can't exceed 100 %; give a share below 100 %")
    return condition
