"""Quantities in words: a value with as many figures as it is sure of, a bracket, how sure."""

import math

from ..call.number_text import digits_of, number, size_text, time_text
from .quantity import VAGUE, Estimate, Quantity

WORDS = {"reported": "reported", "period": "exact"}
MOST_DIGITS, LEAST_DIGITS = 5, 2
DOUBLE = math.log(2)  # cards further apart are given as a factor, not in percent
EXACT = 0.0005  # of the value: a narrower interval is printed as this
RATIO = "times"  # the unit of ratios: 10.5x
SCALED = ("bytes", "ns")  # amounts of which each has its own: KiB, µs


def figures(estimate: Estimate) -> int:
    """Digits that the interval supports, none below a tenth of half of it, and 2 at least, 3 after a leading 1, so that
    rounding adds 2.5 % at most; without an interval 5."""
    return _figures(estimate, estimate.value)


def _figures(estimate: Estimate, value: float) -> int:
    """Of the value, or an end of the interval."""
    if estimate.low is None or not value or estimate.high <= estimate.low:
        return MOST_DIGITS
    last = math.ceil(math.log10((estimate.high - estimate.low) / 2 / 10))
    least = LEAST_DIGITS + (f"{abs(value):e}"[0] == "1")
    return min(MOST_DIGITS, max(least, math.floor(math.log10(abs(value))) - last + 1))


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


def _between(low: str, high: str) -> str:
    """The unit once, where it is the same."""
    amount_low, _, unit = low.removesuffix("x").partition(" ")
    return f"{amount_low if unit == high.partition(' ')[2] else low}..{high}"


def value_text(quantity: Quantity, unit: bool = True, most: int = 5) -> str:
    """The value, with `most` digits at most, or the bracket; "?" where it is not determined."""
    estimate, name = quantity.estimate, quantity.unit
    if not estimate:
        return "?"
    if not estimate.bracket:
        text = amount(estimate.value, name, min(most, figures(estimate)))
    elif estimate.low is None:
        text = f"{amount(estimate.high, name)} or less"
    elif estimate.high is None:
        text = f"{amount(estimate.low, name)} or more"
    else:
        text = _between(amount(estimate.low, name), amount(estimate.high, name))
    return text if unit else bare(text, name)


def short_text(quantity: Quantity, unit: bool = True) -> str:
    """With as many digits as a mark has: on the first screen, in answers and in figures."""
    value = quantity.estimate.value if quantity.estimate and not quantity.estimate.bracket else 0
    return value_text(quantity, unit, digits_of(value))


def title_text(quantity: Quantity, unit: bool = True) -> str:
    """In the title of a figure: as on the first screen."""
    return short_text(quantity, unit).replace("..", "\u2013")


def doubt(quantity: Quantity) -> float | None:
    """Half of the interval, of the value; None for brackets, what is only reported, and what is not determined."""
    estimate = quantity.estimate
    if not estimate or estimate.bracket or estimate.low is None or not estimate.value:
        return None
    return max(estimate.high - estimate.value, estimate.value - estimate.low) / abs(estimate.value)


def sure_text(quantity: Quantity) -> str:
    """±0.2 %; for brackets, whole periods, and what is only reported the word."""
    half = doubt(quantity)
    if quantity.definition.by in WORDS:
        return WORDS[quantity.definition.by] if quantity.estimate else ""
    if half is not None:
        return share_text(half)
    return "bracket" if quantity.estimate else ""


def share_text(half: float) -> str:
    """Of the value; wide intervals are symmetric in its logarithm."""
    if half > VAGUE:
        return f"within a factor of {math.ceil(1 + half)}"
    return "±0.05 %" if half < EXACT else f"±{100 * half:.2g} %" if half < 0.1 else f"±{100 * half:.0f} %"


def cards_text(quantity: Quantity) -> str:
    """How far other cards of the model are from this one, in 99 of 100 cases."""
    if quantity.cards is None:
        return ""
    if quantity.cards > DOUBLE:
        return f"up to {math.exp(quantity.cards):.2g}x"
    return share_text(math.expm1(quantity.cards))


def interval_text(quantity: Quantity) -> str:
    estimate = quantity.estimate
    if not estimate or estimate.low in (None, estimate.high) or estimate.high is None or estimate.bracket:
        return ""
    ends = (amount(end, quantity.unit, _figures(estimate, end)) for end in (estimate.low, estimate.high))
    return _between(*(bare(end, quantity.unit) for end in ends))


def reported_text(quantity: Quantity) -> str:
    """What the device says of it, and whether that fits."""
    if quantity.share_pct is not None:
        return f"{quantity.share_pct:.1f} % of peak"
    reported = quantity.definition.reported
    if quantity.reported is None or quantity.definition.by == "reported":
        return ""
    text = amount(quantity.reported, quantity.unit)
    if reported.kind == "bound":
        text = f"at most {text}"
    if quantity.agrees is False:
        text += " DIFFERS"
    return text
