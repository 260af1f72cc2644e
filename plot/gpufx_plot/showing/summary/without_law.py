"""What cases without a law say: best rates, staircases over bytes, ranges, and how far SMs differ."""

from ...archive.cases import Point
from ...archive.params import key_of, leading_axes
from ...call.number_text import number, span
from ...chip.sizes import Size, Walks
from .laws import one_launch
from .words import MOST_ROWS, in_words, packed, products


def _choices(points: list[Point]) -> list[dict]:
    """The choices in each point's params, on the axes where points differ."""
    keys = [{a: v for a, v in p.params.items() if isinstance(v, str)} for p in points]
    differ = {a for a in dict.fromkeys(a for key in keys for a in key) if len({key.get(a) for key in keys}) > 1}
    return [{a: v for a, v in key.items() if a in differ} for key in keys]


def _best_lines(best: list[tuple[tuple, tuple[float, str, Point]]]) -> list[str]:
    """Rates of which some are marginal say so, and what one launch gets stands behind them."""
    lines = []
    for marginal in (False, True):
        found = [(text, p) for group, (_, text, p) in best if (group[0] == "GB/s" and p.marginal) == marginal]
        head = "best useful rate, marginal:" if marginal else "best useful rate:"
        items = [text for text, _ in found]
        items[-1:] = [f"{text}; {one_launch([p for _, p in found])}" for text in items[-1:] if marginal] or items[-1:]
        lines += packed(head, items, ",") if items else []
    return lines


def rate_lines(points: list[Point]) -> list[str]:
    """The best useful rate by the choices that come first: of a probe whose accesses move more than is useful, or of
    cases that are held against the memory's peak."""
    wasteful = any(p.moved_bytes not in (0, p.useful_bytes) for p in points)
    points = [p for p in points if wasteful or "peak_pct" in p.derived]
    keys = _choices(points)
    leading = leading_axes(keys, MOST_ROWS)
    lines: list[str] = []
    finest: dict[tuple, float] = {}
    # By as few of the axes as tell rates that differ by more than 2 %.
    for axes in (leading[:2], leading[:1], []):
        best: dict[tuple, tuple[float, str, Point]] = {}
        for point, key in zip(points, keys, strict=True):
            for name, unit in (("useful_GBps", "GB/s"), ("useful_bytes_per_cycle", "B/cycle/SM")):
                rate = point.derived.get(name)
                group = (unit, *(key.get(a, "") for a in axes))
                if rate and rate > best.get(group, (0,))[0]:
                    peak = point.derived.get("peak_pct")
                    share = f" ({peak:.1f} % of peak)" if peak else ""
                    best[group] = (rate, " ".join((*filter(None, group[1:]), number(rate, 4), unit)) + share, point)
        finest = finest or {group: rate for group, (rate, *_) in best.items()}
        if any(rate < 0.98 * best[group[: 1 + len(axes)]][0] for group, rate in finest.items()):
            break
        lines = _best_lines([*best.items()]) if best else []
    return lines


def _sweep_names(sweeps: list[dict]) -> list[dict]:
    """What tells sweeps apart: choices on the axes where any differ, numbers where those of the same choices do."""

    def differing(keys: list[dict], kind: type) -> list[str]:
        axes = dict.fromkeys(a for key in keys for a, v in key.items() if isinstance(v, kind))
        return [a for a in axes if len({key.get(a) for key in keys}) > 1]

    choices = differing(sweeps, str) or [a for a, v in sweeps[0].items() if isinstance(v, str)]
    names = []
    for sweep in sweeps:
        others = [s for s in sweeps if all(s.get(a) == sweep.get(a) for a in choices)]
        names.append({a: sweep[a] for a in (*choices, *differing(others, int)) if a in sweep})
    return names


def _reported(size: Size, l2_bytes: int) -> str:
    return " (the L2, as reported)" if size.low and size.high and size.low <= l2_bytes < size.high else ""


def _swept_bytes(points: list[Point]) -> str | None:
    """The axis of bytes that takes the most values."""
    values: dict[str, set] = {}
    for point in points:
        for axis in point.byte_axes:
            values.setdefault(axis, set()).add(point.params[axis])
    return max(values, key=lambda axis: len(values[axis]), default=None)


def stairs(walks: Walks, points: list[Point], l2_bytes: int) -> list[str]:
    """The flat parts of every walk over a number of bytes that no law explains, and where each ends: "34 cycles to
    208..216 KiB" means that 208 KiB fit and 216 do not, as sure as a quantity is. The device's own word stands beside
    it. A walk is timed by the clock of its SM."""
    points = [p for p in points if p.law is None and p.unit == "cycles"]
    axis = _swept_bytes(points)
    sweeps: dict[tuple, list[Point]] = {}
    for point in points:
        rest = {k: v for k, v in point.params.items() if k != axis}
        if point.params.get(axis):
            sweeps.setdefault((key_of(rest), point.metric), []).append(point)
    flat: list[tuple[dict, str]] = []
    for sweep in (s for s in sweeps.values() if len(s) > 4):
        unit, found = sweep[0].unit, walks.sizes(sweep, axis)
        parts = [f"{number(s.cost, 3)} {unit} to {s.text}{_reported(s, l2_bytes)}" for s in found]
        if parts:
            flat.append(({k: v for k, v in sweep[0].params.items() if k != axis}, ", ".join(parts)))
    same: dict[str, list[dict]] = {}
    for name, (_, text) in zip(_sweep_names([params for params, _ in flat]) if flat else [], flat, strict=True):
        same.setdefault(text, []).append(name)
    items = [f"{', '.join(map(in_words, products(names)))}: {text}" for text, names in same.items()]
    return [f"by {axis}, {item}" for item in items]


def ranges(points: list[Point], metrics: bool) -> list[str]:
    """The range of the metric, if asked for, and of the extras, by the choices that come first: always by the
    first."""
    keys = _choices(points)
    first = list(dict.fromkeys(a for key in keys for a in key))[:1]
    axes = leading_axes(keys, MOST_ROWS) or first
    groups: dict[tuple, dict[str, list[float]]] = {}
    for point, key in zip(points, keys, strict=True):
        group = groups.setdefault(tuple(key[a] for a in axes if a in key), {})
        for name, value in [(point.metric, point.value)] * metrics + [*point.extras.items()]:
            group.setdefault(name, []).append(value)
    items = []
    for group, values in groups.items():
        text = ", ".join(f"{name} {span(range_, lambda value: number(value, 4))}" for name, range_ in values.items())
        items += [f"{' '.join(group)}: {text}" if group else text.replace(" ", ": ", 1)] if text else []
    return items


def over_sms(points: list[Point]) -> list[str]:
    """The case in which the SMs that took turns differ most, where that is over 1 %."""
    turned = [p for p in points if p.over_sms and p.over_sms[0] > 0]
    if not turned:
        return []
    most = max(turned, key=lambda p: p.over_sms[1] / p.over_sms[0])
    low, high = most.over_sms
    if high <= 1.01 * low:
        return []
    span = f"{number(low)}..{number(high)} {most.unit}"
    return [f"SMs differ by up to {number(100 * (high / low - 1), 2)} %: {span} at {most.label}"]
