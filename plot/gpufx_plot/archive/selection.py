"""The language that selects values of axes, as harness/core/axis.h has it: NAME=ITEM[,ITEM...] with blanks between
names, and ITEM a number with Ki, Mi or Gi, A:B, A:B:S, A:B:*F, the name of a choice, or `all`. tests/vectors/axis.json
holds both to the same values and sentences. Here a selection asks which of the known cases it holds, so that a range
may have any number of values. Several selections with ";" between them select what any of them does."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import UserError
from ..call.text import safe

NUMBER = r"([+-]?)0*(\d+)(Ki|Mi|Gi)?"
RANGE = re.compile(rf"{NUMBER}(?::{NUMBER}(?::(\*?){NUMBER})?)?", re.ASCII)
FACTORS = {None: 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
LEAST, LARGEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class Axis:
    """choices: None where the values are numbers. low, high: the limits of these, where they are known."""

    name: str
    choices: tuple[str, ...] | None = None
    unit: str = ""
    low: int = LEAST
    high: int = LARGEST

    def error(self, words: str) -> UserError:
        return UserError(f"axis {safe(self.name)}: {words}")

    @property
    def limits(self) -> str:
        return f"{self.low}..{self.high}"


def axes_of(declared: list[dict]) -> dict[str, Axis]:
    """Axes by name, as a run line or the program's own list has them; the list tells limits."""
    return {
        axis["name"]: Axis(
            axis["name"],
            tuple(axis["choices"]) if axis.get("choices") else None,
            axis.get("unit", ""),
            axis.get("min", LEAST),
            axis.get("max", LARGEST),
        )
        for axis in declared
    }


def _quoted(text: str) -> str:
    return f'"{safe(text[:60])}"'


def _number(axis: Axis, text: str, sign: str, digits: str, unit: str | None) -> int:
    # Python refuses to read very many digits.
    value = int(digits[:20]) * FACTORS[unit] * (-1 if sign == "-" else 1)
    if len(digits) > 19 or not LEAST <= value <= LARGEST:
        raise axis.error(f"{_quoted(text)} is too large; the limits are {axis.limits}")
    return value


def _numbers(axis: Axis, text: str) -> Sequence[int]:
    found = RANGE.fullmatch(text)
    if not found:
        forms = "write 3, 4Ki, A:B, A:B:STEP or A:B:*FACTOR"
        raise axis.error(f"{_quoted(text)} is not a number or a range; {forms} within {axis.limits}")
    groups = found.groups()
    low = _number(axis, text, *groups[:3])
    high = _number(axis, text, *groups[3:6]) if groups[4] else low
    step = _number(axis, text, *groups[7:]) if groups[8] else 1
    if low > high:
        raise axis.error(f"range {_quoted(text)} runs downwards; write the smaller end first")
    for value in (low, high):
        if not axis.low <= value <= axis.high:
            raise axis.error(f"{value} is outside its limits {axis.limits}{axis.unit and ' '}{safe(axis.unit)}")
    if groups[6]:
        if step < 2 or low < 1:
            raise axis.error(f"{_quoted(text)} must start at 1 or more and have a factor of 2 or more")
        values = [low]
        while values[-1] * step <= high:
            values.append(values[-1] * step)
        return tuple(values)
    if step < 1:
        raise axis.error(f"the step of {_quoted(text)} must be 1 or more")
    return range(low, high + 1, step)


def _item(axis: Axis, text: str, whole: str) -> Sequence[int] | Sequence[str]:
    if not text:
        raise axis.error(f"empty value in {_quoted(whole)}; write {safe(axis.name)}=VALUE[,VALUE...]")
    if axis.choices is None:
        return _numbers(axis, text)
    if text != "all" and text not in axis.choices:
        raise axis.error(f"unknown choice {_quoted(text)}")
    return axis.choices if text == "all" else (text,)


@dataclass
class Selection:
    """The values of each axis that is named, item by item."""

    items: dict[str, list[Sequence]]

    def holds(self, params: dict) -> bool:
        for name, items in self.items.items():
            value = params.get(name)
            for item in items:
                # A range would be gone through number by number for what is no integer.
                if (type(value) is int or not isinstance(item, range)) and value in item:
                    break
            else:
                return False
        return True

    def alone(self) -> dict:
        """The one value of each axis that is named. Raises UserError where there are more."""
        ends = {name: {end for item in items for end in (item[0], item[-1])} for name, items in self.items.items()}
        if several := [name for name, values in ends.items() if len(values) > 1]:
            raise UserError(f"against several values of {safe(several[0])}")
        return {name: values.pop() for name, values in ends.items()}


def parse(text: str, axes: dict[str, Axis]) -> Selection:
    """Raises UserError."""
    items: dict[str, list[Sequence]] = {}
    for word in text.split():
        name, equals, values = word.partition("=")
        if not equals:
            raise UserError(f"{_quoted(word)} is not an axis selection; write NAME=VALUE[,VALUE...]")
        if name not in axes:
            raise UserError(f"unknown axis {_quoted(name)}")
        if name in items:
            raise UserError(f"axis {safe(name)} is given twice; join its values with a comma")
        items[name] = [_item(axes[name], item, values) for item in values.split(",")]
    return Selection(items)


def parse_all(text: str, axes: dict[str, Axis]) -> list[Selection]:
    return [parse(part, axes) for part in text.split(";")]


def axes_in(text: str, cases: list[dict]) -> dict[str, Axis]:
    """The axes that a selection names, as the params of cases have them, where nobody declared any: an axis of words
    has those of the cases, and those that are asked for. An axis that no case has is not among them."""
    found = {}
    for word in text.split():
        name, _, values = word.partition("=")
        if seen := {params[name] for params in cases if name in params}:
            words = {value for value in seen if isinstance(value, str)}
            found[name] = Axis(name, tuple(words | set(values.split(","))) if words else None)
    return found
