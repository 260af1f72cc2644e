"""Words and lines of the summary: groups of cases in words, ranges, and lines that fit the screen."""

import math
from collections.abc import Callable

from ...archive.params import ordered
from ...call import tables
from ...call.terminal import columns

INDENT = 2  # of what is said of a probe
MOST_ROWS = 8  # of one law or one range, when there is room


def packed(head: str, items: list[str], between: str = ";") -> list[str]:
    """Items in as few lines as they need, in their order; lines after the first are indented. A head that is but a word
    or two doesn't stand alone."""
    lines, line, room = [], head, columns() - INDENT
    for i, item in enumerate(items):
        text = item + between * (i < len(items) - 1)
        if not line or (line == head and len(head) < room // 4) or len(line) + 1 + len(text) <= room:
            line = f"{line} {text}" if line else text
        else:
            lines.append(line)
            line = f"  {text}"
    return [*lines, line]


def wrapped(lines: list[str]) -> list[str]:
    """Lines that are too long for the screen go on in the next; what fits stays as it is."""
    room = columns() - INDENT
    return [p for line in lines for p in ([line] if len(line) <= room else tables.wrapped(line, room, "  "))]


def _value_text(value) -> str:
    """As --axis takes it: 2097152 is 2Mi."""
    for unit, factor in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if isinstance(value, int) and value and value % factor == 0:
            return f"{value // factor}{unit}"
    return str(value)


def in_words(keys: list[dict], among: list[dict] | None = None) -> str:
    """Groups in words: choices as they are, numbers behind the name of their axis. Numbers go unsaid where these are
    all that there are `among` the groups, so that they tell nothing apart."""
    words = []
    for axis in dict.fromkeys(a for key in keys for a in key):
        values = ordered(key[axis] for key in keys if axis in key)
        choice = isinstance(values[0], str)
        if len(values) > 1 and among and not choice and len(values) == len({k.get(axis) for k in among}):
            continue
        words.append(("" if choice else f"{axis} ") + "/".join(map(_value_text, values)))
    return " ".join(words) or "all cases"


def products(keys: list[dict]) -> list[list[dict]]:
    """Groups that differ in one axis put together, so that the words for each part mean its groups and no others."""
    axes = list(dict.fromkeys(a for key in keys for a in key))
    parts = [[key] for key in keys]
    for axis in reversed(axes):
        same: dict[tuple, list[dict]] = {}
        for part in parts:
            rest = tuple(frozenset(key.get(a) for key in part) for a in axes if a != axis)
            same.setdefault(rest, []).extend(part)
        parts = list(same.values())
    return parts


def low_to_high(values: list[float], text: Callable[[float], str]) -> str:
    """A range whose unit is said once, where it is the same."""
    low, high = text(min(values)), text(max(values))
    if low == high:
        return low
    return f"{low.split()[0] if low.split()[-1] == high.split()[-1] else low}..{high}"


def within(values: list[float], times: float) -> bool:
    return max(values) <= times * min(values)


def percentage(value: float) -> str:
    """Two figures, and two decimals at most."""
    return f"{value:.{min(2, max(0, 1 - math.floor(math.log10(max(value, 0.001)))))}f}"
