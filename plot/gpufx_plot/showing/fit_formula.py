"""Fits in words: what a case costs, and how well that predicts."""

import math

from ..archive.cases import Point
from ..archive.pooled_fits import Fit
from ..call.number_text import number, size_text, span, time_text
from ..statistics.leave_one_out import together


def half_size(fit: Fit, point: Point) -> tuple[float, str]:
    """The size of one copy at which a time over bytes reaches half its rate, and in words. The fit counts all bytes; a
    case that copies both ways at once moves twice its size, which is the one axis of bytes that it has."""
    swept = [point.params[axis] for axis in point.byte_axes if isinstance(point.params.get(axis), int)]
    size = swept[0] if len(swept) == 1 else 0
    ways = point.count / size if size > 0 and point.count > 0 else 1
    half = max(fit.a, 0.0) / fit.b / ways
    return half, f"half at {size_text(half)}{' each way' if ways > 1 else ''}"


def formula(fits: list[Fit], figures: int = 4) -> str:
    """What a case costs: bytes over time as start-up time and rate, anything else as a + b × law."""
    if fits[0].over_bytes:
        rates = span([1 / f.b for f in fits], lambda x: number(x, figures))
        return f"{span([f.a for f in fits], time_text)} + bytes at {rates} GB/s"
    unit = fits[0].metric.rsplit("_", 1)[-1]
    # So many figures of b, and as many decimals of a.
    decimals = figures - 1 - math.floor(math.log10(max(abs(f.b) for f in fits) or 1))
    a, b = (
        span(v, lambda x: number(round(x, decimals) + 0.0, figures + 1))
        for v in ([f.a for f in fits], [f.b for f in fits])
    )
    return f"{unit} = {a} + {b} × {fits[0].law.replace('_', ' ')}"


def held_text(fits: list[Fit]) -> tuple[str, str]:
    """Of the cases held out the share that was predicted right, and measured over predicted."""
    held = together([f.held_out for f in fits])
    return (held.share, held.ratios) if held else ("-", "-")
