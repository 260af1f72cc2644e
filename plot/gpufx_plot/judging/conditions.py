"""What `compare --fail-on` takes: conditions, separated by commas; one that is met fails the comparison.

WORD              a case has this verdict: slower, undecided
WORD>P%           a case has it and changed by more than P %: slower>5%
share:WORD>P%     more than P % of the cases have it: share:slower>1%
undecided>P%      the same as share:undecided>P%, where a verdict has no size: undecided, missing, new, incomparable
incomplete        a run did not come to its end

WORD may be `changed`: slower, faster, missing, new or incomparable.
"""

import re
from dataclasses import dataclass

from .. import UserError
from ..call.text import clipped

CHANGED = ("SLOWER", "FASTER", "MISSING", "NEW", "INCOMPARABLE")
WORDS = {
    "slower": ("SLOWER",),
    "faster": ("FASTER",),
    "small": ("SMALL",),
    "outside": ("OUTSIDE",),
    "missing": ("MISSING",),
    "new": ("NEW",),
    "incomparable": ("INCOMPARABLE",),
    "undecided": ("UNDECIDED",),
    "changed": CHANGED,
    "incomplete": (),
}
SIZED = ("slower", "faster", "small", "outside")
FORM = re.compile(r"(share:)?([a-z]+)(?:>(\d{1,6}(?:\.\d{1,6})?)%?)?", re.ASCII)


@dataclass(frozen=True)
class Condition:
    """share: of all cases; else of one case's change. above: as a fraction, None where any case will do."""

    word: str
    share: bool = False
    above: float | None = None

    @property
    def verdicts(self) -> tuple[str, ...]:
        return WORDS[self.word]


def parse(text: str) -> list[Condition]:
    """No text: no condition. Raises UserError."""
    return [_parse(part.strip().lower().replace(" ", "")) for part in text.split(",")] if text else []


def _parse(text: str) -> Condition:
    found = FORM.fullmatch(text)
    word = found and found[2]
    if word not in WORDS:
        known = f"slower>5%, share:slower>1%, undecided>10% or one of {', '.join(WORDS)}"
        raise UserError(f"--fail-on '{clipped(text)}' is no condition; give {known}")
    share, above = bool(found[1]), found[3] and float(found[3]) / 100
    if word == "incomplete" and (share or above is not None):
        raise UserError(f"--fail-on {text}: incomplete stands alone, since a run is complete or it is not")
    if share and above is None:
        raise UserError(f"--fail-on {text} lacks its limit; give {text}>1%")
    if word == "changed" and above is not None and not share:
        raise UserError(
            f"--fail-on {text} mixes verdicts with a size and without; give slower{text[7:]},faster{text[7:]}"
        )
    share = share or (above is not None and word not in SIZED)
    if share and above >= 1:
        raise UserError(f"--fail-on {text}: more than all cases can't be; give a share below 100 %")
    return Condition(word, share, above)
