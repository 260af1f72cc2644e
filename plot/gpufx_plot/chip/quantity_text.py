"""Quantities in words: a value and its interval to the same place, a bracket, how sure. The one rule of digits is
places(): what the screen, sheets, titles of figures, pages and papers print of a quantity is the same text."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from ..call.number_text import number, scale_of, size_text, time_text
from .quantity import VAGUE, Estimate, Quantity

WORDS = {"reported": "reported", "period": "exact"}
MOST_DIGITS, LEAST_DIGITS, SURE_DIGITS = 4, 2, 5  # of a value; of one that nothing makes unsure
LONGEST = 12  # places
DOUBLE = math.log(2)  # cards further apart are given as a factor, not in percent
EXACT = 0.0005  # of the value: a narrower interval is printed as this
EQUAL = 1.002  # times another value: nearly the same
RATIO = "times"  # the unit of ratios: 10.5x
SCALED = ("bytes", "ns")  # amounts of which each has its own: KiB, µs


def _order(value: float) -> int:
    """The power of ten of the first of its digits."""
    return int(f"{abs(value):.{MOST_DIGITS - 1}e}".partition("e")[2])


def places(estimate: Estimate, scale: float = 1) -> int | None:
    """Decimals of the value and of both ends, below 0 for tens: two digits of half of the interval, but of the value 4
    at most, and 2 at least, 3 after a leading 1. None: there is no interval."""
    low, high, value = estimate.low, estimate.high, estimate.value / scale
    if low is None or high is None or high <= low:
        return None
    of_half = 1 - _order((high - low) / 2 / scale)
    if not value:
        return of_half
    least = LEAST_DIGITS - 1 + (f"{abs(value):e}"[0] == "1") - _order(value)
    return max(least, min(of_half, MOST_DIGITS - 1 - _order(value)))


def _to_place(x: float, place: int, rounding: str = ROUND_HALF_EVEN) -> str:
    """An interval's ends are rounded away from the value, so that it lies between what is printed of them."""
    rounded = Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-place), rounding)
    return f"{rounded:f}" if abs(place) < LONGEST else f"{rounded:g}"


def ratio_text(value: float, digits: int = 3) -> str:
    """10.5x, 1.00x."""
    if not math.isfinite(value):
        return "-"
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:.{max(0, digits - 1 - math.floor(math.log10(abs(rounded) or 1)))}f}x"


def amount(value: float, unit: str, digits: int = 4) -> str:
    """34 cycles, 208 KiB, 2.8 µs, 1.98x."""
    if unit == "bytes":
        return size_text(value, min(digits, 3))
    if unit == "ns":
        return time_text(value, min(digits, 3))
    if unit == RATIO:
        return ratio_text(value, digits)
    return f"{number(float(f'{value:.{digits - 1}e}'), digits)} {unit}"


def bare(text: str, unit: str) -> str:
    """An amount without its unit, unless another amount may have another one."""
    return text if unit in SCALED else text.removesuffix("x" if unit == RATIO else f" {unit}")


def between(low: str, high: str) -> str:
    """The unit once, where it is the same."""
    amount_low, _, unit = low.removesuffix("x").partition(" ")
    return f"{amount_low if unit == high.partition(' ')[2] else low}..{high}"


def _end(value: float, unit: str, rounding: str) -> str:
    """Of a bracket: a size that was measured, rounded away from the other one."""
    name, scale = scale_of(value, unit)
    text = _to_place(value / scale, max(0, MOST_DIGITS - 1 - _order(value / scale)), rounding) if value else "0"
    return _with_unit(text.rstrip("0").rstrip(".") if "." in text else text, name)


def _with_unit(text: str, name: str) -> str:
    return f"{text}x" if name == RATIO else f"{text} {name}"


def printed(e: Estimate, unit: str) -> tuple[str, str, str, str]:
    """Value, ends and unit; without an interval no ends."""
    name, scale = scale_of(e.value, unit)
    if (place := places(e, scale)) is None:
        return bare(amount(e.value, unit, SURE_DIGITS), name), "", "", name
    ends = ((e.value, ROUND_HALF_EVEN), (e.low, ROUND_FLOOR), (e.high, ROUND_CEILING))
    return *(_to_place(end / scale, place, rounding) for end, rounding in ends), name


def value_text(quantity: Quantity, unit: bool = True) -> str:
    """The value or the bracket; "?" where it is not determined. unit: without it, unless each amount has its own."""
    estimate, name = quantity.estimate, quantity.unit
    if not estimate:
        return "?"
    if not estimate.bracket:
        value, *_, name = printed(quantity.estimate, quantity.unit)
        return _with_unit(value, name) if unit or quantity.unit in SCALED else value
    if estimate.low is None:
        text = f"{_end(estimate.high, name, ROUND_CEILING)} or less"
    elif estimate.high is None:
        text = f"{_end(estimate.low, name, ROUND_FLOOR)} or more"
    else:
        text = between(_end(estimate.low, name, ROUND_FLOOR), _end(estimate.high, name, ROUND_CEILING))
    return text if unit else bare(text, name)


def alike_texts(quantities: Sequence[Quantity], unit: bool = True) -> list[str]:
    """Values of one quantity in one unit and to one place, the coarsest of theirs, in three digits where they are
    nearly the same; a bracket in its own."""
    values = [q.estimate.value for q in quantities]
    name, scale = scale_of(values[0] or 0, quantities[0].unit)
    found = [None if q.estimate.bracket else places(q.estimate, scale) for q in quantities]
    if None in found:
        return [value_text(q, unit) for q in quantities]
    place = min([*found, *[2 - _order(values[0] / scale)] * (min(values) < max(values) < EQUAL * min(values))])
    texts = [_with_unit(_to_place(value / scale, place), name) for value in values]
    return texts if unit else [bare(text, quantities[0].unit) for text in texts]


def doubt(quantity: Quantity) -> float | None:
    """Half of the interval, of the value; None for brackets, what is only reported, and what is not determined."""
    estimate = quantity.estimate
    return None if not estimate or estimate.bracket or estimate.low is None else _half(estimate, estimate.value)


def _half(estimate: Estimate, value: float) -> float | None:
    return max(estimate.high - value, value - estimate.low) / abs(value) if value else None


def sure_text(quantity: Quantity) -> str:
    """±0.2 % of the value as it is printed; for brackets, whole periods, and what is only reported the word."""
    if quantity.definition.by in WORDS:
        return WORDS[quantity.definition.by] if quantity.estimate else ""
    if doubt(quantity) is None:
        return "bracket" if quantity.estimate else ""
    _, scale = scale_of(quantity.estimate.value, quantity.unit)
    return share_text(_half(quantity.estimate, float(printed(quantity.estimate, quantity.unit)[0]) * scale))


def share_text(half: float) -> str:
    """Of the value, never less; wide intervals are symmetric in its logarithm."""
    if half > VAGUE:
        return f"within a factor of {math.ceil(1 + half)}"
    percent = max(half, EXACT) * 100
    step = 10.0 ** (math.floor(math.log10(percent)) - 1) if percent < 10 else 1.0
    return f"±{math.ceil(percent / step - 1e-6) * step:.2g} %" if percent < 10 else f"±{math.ceil(percent - 1e-6)} %"


def cards_text(quantity: Quantity) -> str:
    """How far other cards of the model are from this one, in 99 of 100 cases; of a bracket not said."""
    if quantity.cards is None or (quantity.estimate and quantity.estimate.bracket):
        return ""
    if quantity.cards > DOUBLE:
        return f"up to {math.exp(quantity.cards):.2g}x"
    return share_text(math.expm1(quantity.cards))


def interval_text(quantity: Quantity) -> str:
    if not quantity.estimate or quantity.estimate.bracket:
        return ""
    _, low, high, name = printed(quantity.estimate, quantity.unit)
    return (f"{low}..{high} {name}" if quantity.unit in SCALED else f"{low}..{high}") if low else ""


def with_ends(quantity: Quantity, wide: float = 0.1) -> str:
    """220 cycles ±0.2 %; the ends of a wide interval, which may not be symmetric: 4.4 µs (2.9..6.5 µs)."""
    half = doubt(quantity)
    sure = (
        f"({interval_text(quantity)})"
        if half is not None and half >= wide
        else sure_text(quantity).replace("bracket", "")
    )
    return f"{value_text(quantity)} {sure}".strip()


def reported_text(quantity: Quantity) -> str:
    """What the device says of it, and whether that fits."""
    if quantity.share_pct is not None:
        return f"{quantity.share_pct:.1f} % of peak"
    if quantity.reported is None or quantity.definition.by == "reported":
        return ""
    at_most = "at most " * (quantity.definition.reported.kind == "bound")
    return f"{at_most}{amount(quantity.reported, quantity.unit)}" + " DIFFERS" * (quantity.agrees is False)
