"""Numbers as people read them."""

import math

BEYOND = 1e15  # a figure that no device has


def number(value: float | None, digits: int = 5) -> str:
    """A figure with about `digits` significant ones, never in powers of ten where a person would not write them."""
    if value is None or not math.isfinite(value):
        return "-"
    if 10 ** (digits - 1) <= abs(value) < BEYOND:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


FACTOR = 4  # a change by so much, or to a part of it, is told as a factor


def moved(ratio: float, decimals: int = 1, whole: float = 10) -> str:
    """A change: +44 %, -5.6 %, 34x. decimals: of percents below `whole`."""
    if not 1 / FACTOR < ratio < FACTOR:
        return f"{number(ratio, 3)}x"
    change = 100 * (ratio - 1)
    decimals *= abs(round(change, decimals)) < whole
    return f"{round(change, decimals) + 0.0:+.{decimals}f} %"  # never -0.0


def moved_between(ratio: float, low: float, high: float, word: str = "") -> str:
    """+3.1 % (2.0..4.2 %), 34x (30..38x). word: what the interval is."""
    if not 1 / FACTOR < ratio < FACTOR:
        return f"{moved(ratio)} ({word}{number(low, 3)}..{moved(max(high, ratio))})"
    return f"{moved(ratio, whole=100)} ({word}{100 * (low - 1):.1f}..{100 * (high - 1):.1f} %)"


def counted(count: int, what: str) -> str:
    """1 process, 2 processes, 3 quantities."""
    if count != 1 and what.endswith("y"):
        return f"{count} {what[:-1]}ies"
    return f"{count} {what}{'' if count == 1 else 'es' if what.endswith(('s', 'ch')) else 's'}"


UNITS = {"bytes": (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1)),
         "ns": (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1))}  # fmt: skip


def scale_of(value: float, unit: str) -> tuple[str, float]:
    """The unit in which people read such an amount, and how many of `unit` it is."""
    units = UNITS.get(unit, ((unit, 1),))
    return next((u for u in units if abs(value) >= u[1]), units[-1])


def _scaled(value: float, digits: int, of: str) -> str:
    unit, factor = scale_of(value, of)
    return f"{number(float(f'{value / factor:.{digits - 1}e}'), 3)} {unit}"


def size_text(size: float, digits: int = 3) -> str:
    """4096 -> 4 KiB."""
    return _scaled(size, digits, "bytes")


def binary_text(value: float) -> str:
    """A number as --axis takes it: 2097152 is 2Mi."""
    units = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))
    return next((f"{value / of:.0f}{unit}" for unit, of in units if value >= of and value % of == 0), number(value))


def time_text(ns: float, digits: int = 3) -> str:
    return _scaled(ns, digits, "ns")
