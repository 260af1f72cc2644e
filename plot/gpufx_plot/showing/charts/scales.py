"""Axes: linear ones from zero, logarithmic ones in figures that people read."""

import math
from collections.abc import Callable
from functools import partial
from itertools import chain, pairwise
from textwrap import wrap

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from ...call.number_text import binary_text, number, size_text, time_text


def zero(axis, values) -> None:
    """Linear from zero: what is twice as high costs twice as much."""
    finite = [0, *(v for v in values if math.isfinite(v))]
    getattr(axis.axes, f"set_{axis.axis_name}lim")(min(finite), 1.08 * max(finite) or 1)
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))


def linear(axis, values, room: float = 0.06) -> None:
    finite = [v for v in values if math.isfinite(v)]
    room = room * (max(finite) - min(finite)) or 1
    getattr(axis.axes, f"set_{axis.axis_name}lim")(min(finite) - room, max(finite) + room)
    axis.set_major_locator(MaxNLocator(7, steps=[1, 2, 2.5, 5, 10], integer=all(v == int(v) for v in finite)))


def log2(axis, values, text: Callable = number, most: int = 8) -> None:
    """To base 2 with at most `most` ticks on powers of two, written by `text`."""
    positive = sorted({v for v in values if v > 0})
    if not positive:
        return
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=2)
    _hold(axis, positive)
    low, high = math.floor(math.log2(positive[0])), math.ceil(math.log2(positive[-1]))
    step = max(1, -(-(high - low) // (most - 1)))
    ticks = [2.0**p for p in range(low, high + 1, step)]
    if positive[-1] < 6 * positive[0] and any(math.log2(v) % 1 for v in positive):
        ticks += [1.5 * tick for tick in ticks]
    axis.set_major_locator(FixedLocator(sorted(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))
    axis.set_minor_locator(NullLocator())


def _hold(axis, positive) -> None:
    """The ends of a logarithmic axis: all values, and a little room."""
    low, high = min(positive), max(positive)
    room = max(1.06, (high / low) ** 0.05)
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low / room, high * room)


counts = partial(log2, text=binary_text)  # powers of two as 4Ki
sizes = partial(log2, text=lambda v: size_text(v).replace(" ", "\u2009"), most=7)  # bytes


def log10(axis, values, text: Callable = number) -> None:
    """In plain decimal figures, with ticks at 2 and 5 where it spans few decades."""
    positive = [v for v in values if v > 0]
    if not positive:
        return
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    _hold(axis, positive)
    few = max(positive) < 300 * min(positive)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=9))
    axis.set_minor_locator(NullLocator() if few else LogLocator(subs=(2, 5), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))
    axis.set_minor_formatter(NullFormatter())


def ratio(axis, values) -> None:
    """Around 1: logarithmic where the ratios differ much, and never closer than 2 %."""
    if max(values) > 3 * min(values):
        log10(axis, values)
        if max(values) < 10 * min(values):
            axis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7), numticks=9))
    else:
        linear(axis, [*values, 0.98, 1.02])
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))


times = partial(log10, text=time_text)  # nanoseconds in words


def ticks_at(*places: float, whole: bool = True) -> Callable:
    """Linear, with ticks at these places alone: from zero, or with room for whole marks at both ends."""

    def scale(axis, values) -> None:
        finite = [*(v for v in values if math.isfinite(v)), *places]
        (zero if whole else partial(linear, room=0.02))(axis, finite)
        axis.set_major_locator(FixedLocator(places))

    return scale


def _apart(axis, renderer, room: float) -> tuple[list, bool]:
    """The ticks with words, and whether these stand apart by so many heights of a line."""
    axis.get_tightbbox(renderer)  # puts the ticks where they belong
    ticks = [t for t in axis.get_major_ticks() if t.label1.get_text() and t.label1.get_visible()]
    boxes = sorted((t.label1.get_window_extent(renderer) for t in ticks), key=lambda box: box.x0)
    room *= min((box.height for box in boxes), default=0)
    return ticks, all(a.x1 + room < b.x0 for a, b in pairwise(boxes))


def fold(axis, renderer) -> None:
    """Breaks words that would touch each other into lines."""
    words = axis.get_major_formatter()

    def folded(value: float, at: int, most: int) -> str:
        lines = (wrap(part, 1 + len(part) // most, break_long_words=False) for part in words(value, at).split("\n"))
        return "\n".join(chain(*lines))

    for most in (2, 9):
        if not _apart(axis, renderer, 0.6)[1]:
            axis.set_major_formatter(FuncFormatter(partial(folded, most=most)))


def thin_out(axis, renderer) -> None:
    """Leaves ticks out where their words would touch each other."""
    while True:
        ticks, apart = _apart(axis, renderer, 0.9)
        if apart:
            return
        locator = axis.get_major_locator()
        if not isinstance(locator, FixedLocator):
            locator = FixedLocator([t.get_loc() for t in ticks])
        if len(locator.locs) < 3:
            return
        axis.set_major_locator(FixedLocator(locator.locs[::2]))


def named(names: list[str]) -> Callable:
    """Places 0, 1, ... that have names."""

    def scale(axis, _) -> None:
        axis.set_major_locator(FixedLocator(range(len(names))))
        axis.set_major_formatter(FuncFormatter(lambda v, _: names[int(v)] if 0 <= v < len(names) else ""))
        getattr(axis.axes, f"set_{axis.axis_name}lim")(-0.5, len(names) - 0.5)
        axis.grid(visible=False)

    scale.worded = True
    return scale
