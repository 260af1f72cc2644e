"""How a quantity is estimated: each function takes the figures of the selected cases and says what the chip is.
docs/quantities.md lists them.

Each returns an Estimate or raises NotDetermined with the reason, in words that follow "not determined: ".
Errors of several cases of one archive are taken to point all the same way, since a process shifts them together: half
widths add up."""

import math
from collections.abc import Callable

from ..statistics.line import LEAST_COUNTS, fit_line
from ..statistics.steps import TOLERANCE, begin_of, end_of, flat_parts, height
from ..statistics.student import student_quantile
from .quantity import VAGUE, WIDEST, Estimate, NotDetermined
from .quantity_text import amount
from .uncertainty import CONFIDENCE, Value

WORST_FIT = 0.5  # of a case by its line; beyond it the line says nothing
LEAST_POINTS = 3  # values that a period takes


def place(value: Value, along: str) -> int:
    """Where on an axis of numbers a case lies."""
    x = value.point.params.get(along)
    if not isinstance(x, int):
        raise NotDetermined(f"a case has no {along}")
    return x


def _axis(values: list[Value], along: str, unit: Callable[[float], str]) -> list[tuple[float, Value]]:
    """The cases in the order of an axis, each value of it once."""
    found: dict[float, Value] = {}
    for value in values:
        x = place(value, along)
        if x in found:
            raise NotDetermined(f"several cases have {along} {unit(x)}")
        found[x] = value
    return sorted(found.items())


def best(values: list[Value], take: str, scale: float = 1.0, inverse: bool = False) -> Estimate:
    """The case that looks best, which is so by luck in part: its interval has its share of the risk alone, as if all
    cases were judged together (Bonferroni's inequality). The value is scale times its figure, or scale over it."""
    sign = 1 if take == "largest" else -1
    top = max(values, key=lambda v: sign * v.log)
    half, log = top.half(len(values)), math.log(scale) + (-top.log if inverse else top.log)
    value = scale / top.number if inverse else scale * top.number
    note = top.point.label if len(values) > 1 else ""
    return Estimate(value, math.exp(log - half), math.exp(log + half), len(values), note)


def _walk(values: list[Value], along: str, which: str, levels: int, unit) -> tuple[list[float], list[Value], list]:
    walk = _axis(values, along, unit)
    xs, costs = [x for x, _ in walk], [v for _, v in walk]
    parts = flat_parts(costs)
    if not parts:
        raise NotDetermined(f"no plateau of three or more values of {along}")
    if len(parts) < levels:
        flat = "plateau" if len(parts) == 1 else "plateaus"
        raise NotDetermined(f"the walk has {len(parts)} {flat} up to {along} {unit(xs[-1])}, and {levels} are needed")
    if which == "last" and parts[-1].last != len(costs) - 1:
        raise NotDetermined(f"the walk does not end in a plateau along {along}")
    return xs, costs, parts


def plateau(values: list[Value], along: str, which: str, levels: int, unit) -> Estimate:
    _, costs, parts = _walk(values, along, which, levels, unit)
    part = parts[0] if which == "first" else parts[-1]
    inside = costs[part.first : part.last + 1]
    mean = height(costs, part)
    scatter = math.fsum((v.log - mean) ** 2 for v in inside) / (part.count - 1)
    half = student_quantile(part.count - 1, 1 - (1 - CONFIDENCE) / 2) * math.sqrt(scatter / part.count)
    half += math.fsum(v.half() for v in inside) / len(inside)
    ends = math.exp(mean - half), math.exp(mean + half)
    return Estimate(math.exp(mean), *ends, len(inside), processes=_processes(inside))


def change(values: list[Value], along: str, which: str, levels: int, tolerance: float, unit) -> Estimate:
    xs, costs, parts = _walk(values, along, which, levels, unit)
    if which == "first":
        inside, outside = end_of(costs, parts[0], tolerance)
    else:
        inside, outside = begin_of(costs, parts[-1], tolerance)
    low, high = (None if i is None else xs[i] for i in (inside, outside))
    if low is None and high is None:
        raise NotDetermined(f"no value of {along} is clearly inside or outside")
    if which == "last" and low is None:
        raise NotDetermined(f"all values of {along} cost the same")
    ends = [costs[i] for i in (inside, outside) if i is not None]
    return Estimate(None, low, high, len(costs), processes=_processes(ends))


def _processes(values: list[Value]) -> int:
    return min(len(v.point.processes) for v in values)


def period(values: list[Value], along: str, extreme: str, unit) -> Estimate:
    """Extreme is what costs the largest (or smallest) within TOLERANCE. A period is confirmed by its multiples, or by
    what costs the same at 0; values between that cost the same refute it, those that could leave it open."""
    sign = 1 if extreme == "largest" else -1
    walk = _axis(values, along, unit)
    zero = [v for x, v in walk if x == 0]
    walk = [(x, v) for x, v in walk if x > 0]
    if len(walk) < LEAST_POINTS:
        raise NotDetermined(f"fewer than {LEAST_POINTS} values of {along}")
    top = max(sign * v.log for v in [*zero, *(v for _, v in walk)])
    limit = top - math.log1p(TOLERANCE)
    confirmed = any(sign * v.log > limit for v in zero)
    at = [x for x, v in walk if sign * v.log > limit]
    if any(abs(sign * v.log - limit) < v.half() for _, v in walk):
        raise NotDetermined("noise hides which cases cost the same")
    if not at:
        raise NotDetermined(f"the cost repeats at {along} {unit(walk[-1][0])} or later, if at all")
    if len(at) == len(walk):
        raise NotDetermined(f"all values of {along} cost the same")
    first = at[0]
    multiples = [x for x, _ in walk if x % first == 0]
    if len(multiples) < 2 and not confirmed:
        raise NotDetermined(f"the cost repeats at {along} {unit(first)} or later: no multiple of it was measured")
    if multiples != at:
        raise NotDetermined(f"the cost along {along} has no period")
    return Estimate(first, first, first, len(walk))


def _line(values: list[Value], count: str | None) -> tuple:
    """a, b, half of both, and how far the farthest case lies from the line. The halves hold the errors of the cases,
    all to one side, and what the line leaves over."""
    pairs = []
    for v in values:
        c = v.point.counts.get(count) if count else v.point.count
        if c is not None and v.point.in_fit:
            pairs.append((float(c), v))
    if len({c for c, _ in pairs}) < LEAST_COUNTS:
        raise NotDetermined(f"fewer than {LEAST_COUNTS} counts of {count or 'the law'} among the cases")
    line = fit_line([(c, v.number) for c, v in pairs])
    worst = max(map(abs, line.residuals))
    if worst > WORST_FIT:
        raise NotDetermined(f"the line has a residual of {100 * worst:.0f} %")
    t = student_quantile(len(pairs) - 2, 1 - (1 - CONFIDENCE) / 2)
    halves = []
    for shares, unit_error in zip(line.shares, line.unit_errors, strict=True):
        cases = math.fsum(abs(share) * v.number * v.half() for share, (_, v) in zip(shares, pairs, strict=True))
        halves.append(cases + t * line.residual_sd * unit_error)
    return line.a, line.b, *halves, worst, len(pairs)


def _rough(worst: float) -> str:
    return f"rough: the line has a residual of {100 * worst:.0f} %" if worst > 0.1 else ""


def slope(values: list[Value], count: str | None) -> Estimate:
    _, b, _, half, worst, n = _line(values, count)
    return Estimate(b, b - half, b + half, n, _rough(worst))


def intercept(values: list[Value], count: str | None) -> Estimate:
    a, _, half, _, worst, n = _line(values, count)
    return Estimate(a, a - half, a + half, n, _rough(worst))


def half(values: list[Value], count: str | None) -> Estimate:
    a, b, a_half, b_half, worst, n = _line(values, count)
    if b - b_half <= 0 or a <= 0:
        raise NotDetermined("the cost per count, or the start-up cost, can't be distinguished from zero")
    return Estimate(a / b, max(a - a_half, 0) / (b + b_half), (a + a_half) / (b - b_half), n, _rough(worst))


def ratio(pairs: list[tuple[Value, Value]], take: str, scale: float = 1.0) -> Estimate:
    """The largest (or smallest) of figure / figure, times scale, judged as `best` does."""
    sign = 1 if take == "largest" else -1
    a, b = max(pairs, key=lambda pair: sign * (pair[0].log - pair[1].log))
    log, half = a.log - b.log + math.log(scale), a.half(len(pairs)) + b.half(len(pairs))
    note = a.point.label if len(pairs) > 1 else ""
    return Estimate(math.exp(log), math.exp(log - half), math.exp(log + half), 2 * len(pairs), note)


def quotient(a: Estimate, b: Estimate, scale: float = 1.0) -> Estimate:
    if a.bracket or b.bracket or not a.low or not b.low or min(a.low, b.low) <= 0:
        raise NotDetermined("one of the two has no value above zero")
    value, low, high = (scale * ratio for ratio in (a.value / b.value, a.low / b.high, a.high / b.low))
    return Estimate(value, low, high, a.points + b.points)


def crossing(signs: list[tuple[float, int]], along: str, unit) -> Estimate:
    """signs: along the axis, +1 where it is surely so, -1 where it surely is not, 0 in between. What is asked for is
    the first value from which on all are +1; below it lies the last that is -1."""
    if not signs:
        raise NotDetermined(f"no two cases with the same {along}")
    above = next((i for i in range(len(signs), 0, -1) if signs[i - 1][1] <= 0), 0)
    low = next((x for x, sign in reversed(signs) if sign < 0), None)
    if above == len(signs):
        raise NotDetermined(f"not certain at the largest {along} measured, {unit(signs[-1][0])}")
    high = signs[above][0]
    if low is None and above == 0:
        return Estimate(None, None, high, len(signs), f"true from the smallest {along} measured")
    return Estimate(None, low, high, len(signs))


def cheaper(pairs: list[tuple[float, Value, Value]]) -> list[tuple[float, int]]:
    """Whether the first of two costs less, along an axis."""
    signs = []
    for x, a, b in sorted(pairs, key=lambda entry: entry[0]):
        difference, doubt = b.log - a.log, a.half() + b.half()
        signs.append((x, (difference > doubt) - (difference < -doubt)))
    return signs


def reaches(walk: list[tuple[float, Value]], share: float) -> list[tuple[float, int]]:
    """Whether a rate is `share` of the best one, or more."""
    top = max((v for _, v in walk), key=lambda v: v.log)
    limit = top.log + math.log(share)
    signs = []
    for x, v in walk:
        doubt = v.half() + (top.half() if v is not top else 0.0)
        signs.append((x, 1 if v is top else (v.log - limit > doubt) - (v.log - limit < -doubt)))
    return signs


def payback(paid: list[Value], used: Value, instead: Value) -> Estimate:
    """How many uses pay for what was paid once, if each costs `used` instead of `instead`."""

    if instead.low <= used.high:
        raise NotDetermined("it is not certain that a use saves anything")
    price, low, high = (math.fsum(getattr(v, name) for v in paid) for name in ("number", "low", "high"))
    ends = low / (instead.high - used.low), high / (instead.low - used.high)
    return Estimate(price / (instead.number - used.number), *ends, len(paid) + 2)


def checked(estimate: Estimate, unit: str, vague: float = VAGUE) -> Estimate:
    """Raises NotDetermined for an interval that says nothing, wider than `vague`, ArithmeticError for an open one."""
    if not all(math.isfinite(x) for x in (estimate.value, estimate.low, estimate.high) if x is not None):
        raise OverflowError
    if not estimate.bracket and estimate.low is not None and estimate.value:
        wide = max(estimate.high - estimate.value, estimate.value - estimate.low) / abs(estimate.value)
        if wide > vague:
            raise says_nothing(estimate, unit)
    if estimate.bracket and estimate.low and estimate.high and estimate.high > estimate.low * widest(vague):
        raise says_nothing(estimate, unit)
    return estimate


def in_a_sheet(estimate: Estimate, unit: str) -> Estimate:
    """Raises NotDetermined for an interval, or a bracket, that is wider than the value itself."""
    wide = not estimate.bracket and estimate.low is not None and estimate.high - estimate.low > abs(estimate.value)
    if wide and estimate.value:
        raise says_nothing(estimate, unit)
    return checked(estimate, unit, WIDEST if estimate.bracket else VAGUE)


def says_nothing(estimate: Estimate, unit: str) -> NotDetermined:
    return NotDetermined(f"{amount(estimate.low, unit, 3)} to {amount(estimate.high, unit, 3)} is all that can be said")


def widest(vague: float) -> float:
    """The ratio of the ends of a bracket half of which is `vague` of its geometric mean."""
    return (vague + math.hypot(vague, 1.0)) ** 2
