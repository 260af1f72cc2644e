"""The language that selects values of axes, as harness/core/axis.h has it: NAME=ITEM[,ITEM...] with blanks between
names, and ITEM a number with Ki, Mi or Gi, A:B, A:B:S, A:B:*F, the name of a choice, or `all`. Several selections with
";" between them select what any of them does."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from .. import UserError
from ..call.text import clipped

NUMBER = re.compile(r"(-?\d{1,18})(Ki|Mi|Gi)?$")
FACTORS = {None: 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


@dataclass(frozen=True)
class Axis:
    """choices: None where the values are numbers."""

    name: str
    choices: tuple[str, ...] | None = None


def axes_of(declared: list[dict]) -> dict[str, Axis]:
    """Axes by name, as a run line or the program's own list has them."""
    found = (Axis(axis["name"], tuple(axis["choices"]) if axis.get("choices") else None) for axis in declared)
    return {axis.name: axis for axis in found}


def _number(text: str) -> int:
    found = NUMBER.match(text)
    if not found:
        raise UserError(f"'{clipped(text)}' is no number")
    return int(found[1]) * FACTORS[found[2]]


def _on_the_way(low: int, factor: int, value: int) -> bool:
    while low < value:
        low *= factor
    return low == value


def _range(first: str, last: str, step: str = "1") -> Callable[[int], bool]:
    low, high, factor = _number(first), _number(last), _number(step.removeprefix("*"))
    if factor < 1 or (step.startswith("*") and (factor < 2 or low < 1)):
        raise UserError(f"'{clipped(step)}' leads nowhere")
    if step.startswith("*"):
        return lambda value: low <= value <= high and _on_the_way(low, factor, value)
    return lambda value: low <= value <= high and (value - low) % factor == 0


def _item(axis: Axis, text: str) -> Callable[[int | str], bool]:
    if axis.choices is not None:
        if text != "all" and text not in axis.choices:
            raise UserError(f"axis {axis.name} has no choice '{clipped(text)}'")
        return lambda value: text in ("all", value)
    parts = text.split(":")
    if len(parts) > 3:
        raise UserError(f"'{clipped(text)}' is no range")
    holds = _range(*parts) if len(parts) > 1 else _number(text).__eq__
    return lambda value: not isinstance(value, str) and holds(value)


@dataclass
class Selection:
    """What is asked of each axis that is named."""

    items: dict[str, list[Callable]]
    texts: dict[str, str]  # behind the "="

    def holds(self, params: dict) -> bool:
        return all(name in params and any(item(params[name]) for item in items) for name, items in self.items.items())


def parse(text: str, axes: dict[str, Axis]) -> Selection:
    """Raises UserError."""
    items, texts = {}, {}
    for word in text.split():
        name, equals, values = word.partition("=")
        if not equals or name not in axes or name in items:
            raise UserError(f"'{clipped(word)}' names no axis, or one twice")
        items[name] = [_item(axes[name], item) for item in values.split(",")]
        texts[name] = values
    return Selection(items, texts)


def parse_all(text: str, axes: dict[str, Axis]) -> list[Selection]:
    return [parse(part, axes) for part in text.split(";")]


def replaced(params: dict, instead: Selection, axes: dict[str, Axis]) -> dict:
    """params with the one value that `instead` has for each axis that it names."""
    changed = {name: text if axes[name].choices else _number(text) for name, text in instead.texts.items()}
    return params | changed


def axes_in(text: str, cases: list[dict]) -> dict[str, Axis]:
    """The axes that a selection names, as the params of cases have them, where nobody declared any: an axis of words
    has those of the cases, and those that are asked for. An axis that no case has is not among them."""
    found = {}
    for word in text.split():
        name, _, values = word.partition("=")
        seen = [params[name] for params in cases if name in params]
        if seen:
            words = {value for value in seen if isinstance(value, str)}
            found[name] = Axis(name, tuple(words | set(values.split(","))) if words else None)
    return found
