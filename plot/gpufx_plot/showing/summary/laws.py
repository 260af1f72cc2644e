"""What each law costs: fits that are alike in one line, rates of copies, and laws that do not hold."""

from collections.abc import Callable

from ...archive.cases import Point
from ...archive.pooled_fits import Fit
from ...call.number_text import number, size_text, span, time_text
from ...call.tables import table
from ...call.terminal import columns
from ...statistics.leave_one_out import together
from ..fit_formula import formula, half_size, held_text
from .words import INDENT, MOST_ROWS, in_words, low_to_high, packed, percentage, products, within

LARGE = 64 << 20  # bytes from which on a transfer's rate is told


def _close(fits: list[Fit]) -> bool:
    """a and b differ by no more than 2 % of what a small case costs."""
    most = 0.02 * max(abs(f.a) + abs(f.b) for f in fits)
    return all(max(v) - min(v) <= most for v in ([f.a for f in fits], [f.b for f in fits]))


def _alike(fits: list[Fit]) -> bool:
    """Slopes differ by no more than 2 times, rates of copies by 1.25, and what small cases cost by 4: fits that are no
    more alike than that would make a range that says nothing."""
    small = [abs(f.a) + abs(f.b) for f in fits]
    return within([f.b for f in fits], 1.25 if fits[0].over_bytes else 2) and within(small, 4)


def _split(fits: list[Fit], alike: Callable[[list[Fit]], bool]) -> list[list[Fit]]:
    """Fits of one law in few parts that are each alike: along the axis that makes the fewest, neighbours in slope are
    put together as long as they are alike; what is left apart is split along the other axes."""
    if alike(fits):
        return [fits]
    best = [[fit] for fit in fits]
    for axis in dict.fromkeys(a for fit in fits for a in fit.group):
        values: dict[object, list[Fit]] = {}
        for fit in fits:
            values.setdefault(fit.group.get(axis), []).append(fit)
        if len(values) < 2:
            continue
        clusters: list[list[Fit]] = []
        for value in sorted(values.values(), key=lambda part: min(f.b for f in part)):
            if clusters and alike(clusters[-1] + value):
                clusters[-1] += value
            else:
                clusters.append(value)
        parts = [part for cluster in clusters for part in _split(cluster, alike)]
        if len(parts) < len(best):
            best = parts
    order = {id(fit): i for i, fit in enumerate(fits)}
    best = [sorted(part, key=lambda fit: order[id(fit)]) for part in best]
    return sorted(best, key=lambda part: order[id(part[0])])


def _laws(fits: list[Fit]) -> list[list[Fit]]:
    laws: dict[tuple, list[Fit]] = {}
    for fit in fits:
        laws.setdefault((fit.metric, fit.law), []).append(fit)
    return list(laws.values())


def _named(part: list[Fit], law: list[Fit]) -> str:
    words = in_words([f.group for f in part], [f.group for f in law])
    return words + (f" ({len(part)} fits)" if len(part) > 1 else "")


def fit_lines(fits: list[Fit]) -> list[str]:
    """What each law costs, as a table where the screen has room for it."""
    parts: list[tuple[list[Fit], list[Fit]]] = []
    for law in _laws(fits):
        split = _split(law, _close)
        if len(split) > MOST_ROWS:
            split = _split(law, _alike)
        parts += [(part, law) for part in split]
    rows = [(_named(part, law), formula(part), f"±{percentage(_far(part))} %", *_held(part)) for part, law in parts]
    rows.sort()
    lines = table(rows[0], rows[1:]) if rows else []
    if all(len(line) <= columns() - INDENT for line in lines):
        return lines
    return [", ".join(filter(None, (f"{name}: {text} {far}", *held))) for name, text, far, *held in rows]


def _held(fits: list[Fit]) -> tuple[str, str]:
    share, ratios = held_text(fits)
    return (f"held out {share}", f"measured/predicted {ratios}") if share != "-" else ("", "")


def _far(fits: list[Fit]) -> float:
    """How far in % the farthest case lies from a prediction without it; from the fit, where nothing is held out."""
    held = together([f.held_out for f in fits])
    return 100 * max(held.most - 1, 1 - held.least) if held else max(abs(f.residual_pct) for f in fits)


def one_launch(points: list[Point]) -> str:
    """Beside marginal rates: what their cases get in one launch. A size is said once where it is the same."""
    known = [p.one_launch for p in points if p.one_launch[0]]
    if len(known) < len(points):
        return "one launch not measured"
    alike = len({size for _, size in known}) == 1
    return ", ".join(rate if alike else f"{rate} of {size}" for rate, size in known) + (
        f" in one launch of {known[0][1]}" if alike else " in one launch"
    )


def _best(fits: list[Fit], points: list[Point]) -> str:
    """What times over bytes come to: the best rate of large cases, start-up time where there is one for sure, and what
    follows from both, the half-bandwidth size."""
    rates, shares, halves, ways, plain = [], [], [], set(), []
    for fit in fits:
        mine = [p for p in points if fit.holds(p)]
        large = [p for p in mine if p.count >= LARGE and p.gbps] or [p for p in mine[-1:] if p.gbps]
        best = max(large, key=lambda p: p.gbps, default=None)
        rates.append(best.gbps if best else 1 / fit.b)
        shares += [best.derived["peak_pct"]] if best and "peak_pct" in best.derived else []
        plain += [best] if best and best.marginal else []
        half, words = half_size(fit, mine[-1]) if mine else (max(fit.a, 0) / fit.b, "")
        halves.append(half)
        ways.add(" each way" if words.endswith("each way") else "")
    text = f"{span(rates, lambda v: number(v, 4))} GB/s"
    if len(shares) == len(fits):
        text += f" ({span(shares, lambda v: f'{v:.1f}')} % of peak)"
    if plain:
        text += " marginal" + (f", {one_launch(plain)}" if len(plain) == 1 else "")
    if all((f.a_ci95[0] if f.a_ci95 else f.a) > 0 for f in fits):
        text += f", t0 {low_to_high([f.a for f in fits], time_text)}"
        text += f", half at {low_to_high(halves, size_text)}{ways.pop()}" if len(ways) == 1 else ""
    return text


def _last_choice(fits: list[Fit]) -> str | None:
    """The last axis by which the fits are told apart, if all of its values are words."""
    axes = list(dict.fromkeys(a for f in fits for a in f.group))
    values = {f.group.get(axes[-1]) for f in fits} if axes else set()
    return axes[-1] if len(values - {None}) > 1 and all(isinstance(v, str | None) for v in values) else None


def copy_lines(fits: list[Fit], points: list[Point]) -> list[str]:
    """Times over bytes: where there is room, a table with a column for each value of the last choice that groups
    them."""
    head, across = f"best of the fitted cases from {size_text(LARGE)} up", _last_choice(fits)
    if across:
        cells: dict[str, dict[str, str]] = {}
        for fit in fits:
            row = cells.setdefault(in_words([{a: v for a, v in fit.group.items() if a != across}]), {})
            row[str(fit.group.get(across, "rate"))] = _best([fit], points)
        choices = list(dict.fromkeys(name for row in cells.values() for name in row))
        rows = [(name, *(row.get(c, "-") for c in choices)) for name, row in cells.items()]
        lines = table((head, *choices), sorted(rows, key=lambda row: row.count("-")))
        if all(len(line) <= columns() - INDENT for line in lines):
            return lines
    items = [f"{_named([fit], law)} {_best([fit], points)}" for law in _laws(fits) for fit in law]
    return packed(f"{head}:", items) if items else []


def broken_laws(fits: list[Fit]) -> list[str]:
    """The fits whose law does not hold on this chip: the worst one with its worst case, and the names of the others."""
    broken = [f for f in fits if not f.law_holds]
    if not broken:
        return []
    worst = max(broken, key=lambda f: abs(f.residual_pct))
    case = worst.worst_case.removeprefix(worst.probe + "/")
    text = f"LAW DOES NOT HOLD: {in_words([worst.group])} over {worst.law.replace('_', ' ')}, "
    text += f"{abs(worst.residual_pct):.1f} % off at {case}"
    others = products([f.group for f in broken if f is not worst])
    return packed(f"{text}; also", list(map(in_words, others)), ",") if others else [text]
