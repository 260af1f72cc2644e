"""One screen about an archive: what was measured on what, what the laws gave, and how it compares.

Nothing here knows a probe: fits, best rates, staircases over bytes and ranges are found in the cases themselves.

A probe has a title, the laws that do not hold, and sections in order of weight. The same section can be said at three
levels: ROOMY, with all that differs in a line of its own; MERGED, what is alike in one line; PACKED, several of these
in a line. The longest blocks are squeezed until all fit into the screen; only when that is not enough are lines left
out, where there are most and from the least weighty end, and the title says how many.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from textwrap import wrap

from . import limits
from .archive import Archive
from .compare import Comparison, compare, percent
from .held_out import together
from .model import (
    Fit,
    Point,
    counted,
    formula,
    half_size,
    held_text,
    key_of,
    leading_axes,
    number,
    ordered,
    size_text,
    span,
    time_text,
)
from .report import describe, overview
from .sizes import Size, sizes
from .tables import table
from .text import shown

SCREEN, WIDTH = 60, 160
ROOMY, MERGED, PACKED = range(3)
MOST_ROWS = 8  # of one law or one range, when there is room
MOST_BROKEN = 8  # names beside the worst
MOST_CHANGED = 12  # probes in a comparison that has no room for its table
LARGE = 64 << 20  # bytes from which on a transfer's rate is told


def _packed(head: str, items: list[str], between: str = ";") -> list[str]:
    """Items in as few lines as they need, in their order; lines after the first are indented. A head that is but a word
    or two doesn't stand alone."""
    lines, line = [], head
    for i, item in enumerate(items):
        text = item + between * (i < len(items) - 1)
        if not line or (line == head and len(head) < WIDTH // 4) or len(line) + 1 + len(text) <= WIDTH - 2:
            line = f"{line} {text}" if line else text
        else:
            lines.append(line)
            line = f"  {text}"
    return [*lines, line]


def _wrapped(lines: list[str]) -> list[str]:
    """Lines that are too long for the screen go on in the next; what fits stays as it is."""
    return [part for line in lines for part in wrap(line, WIDTH - 2, subsequent_indent="  ", break_on_hyphens=False)]


def _value_text(value) -> str:
    """As --axis takes it: 2097152 is 2Mi."""
    for unit, factor in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if isinstance(value, int) and value and value % factor == 0:
            return f"{value // factor}{unit}"
    return str(value)


def _words(keys: list[dict], among: list[dict] | None = None, terse: bool = False) -> str:
    """Groups in words: choices as they are, numbers behind the name of their axis. Where these are all that there are
    `among` the groups, so that they tell nothing apart, numbers go unsaid, and choices too if terse."""
    words = []
    for axis in dict.fromkeys(a for key in keys for a in key):
        values = ordered(key[axis] for key in keys if axis in key)
        choice = isinstance(values[0], str)
        if len(values) > 1 and among and (terse or not choice) and len(values) == len({k.get(axis) for k in among}):
            continue
        words.append(("" if choice else f"{axis} ") + "/".join(map(_value_text, values)))
    return " ".join(words) or "all cases"


def _products(keys: list[dict]) -> list[list[dict]]:
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


def _between(values: list[float], text: Callable[[float], str]) -> str:
    """A range whose unit is said once, where it is the same."""
    low, high = text(min(values)), text(max(values))
    if low == high:
        return low
    return f"{low.split()[0] if low.split()[-1] == high.split()[-1] else low}..{high}"


def _within(values: list[float], times: float) -> bool:
    return max(values) <= times * min(values)


def _close(fits: list[Fit]) -> bool:
    """a and b differ by no more than 2 % of what a small case costs."""
    most = 0.02 * max(abs(f.a) + abs(f.b) for f in fits)
    return all(max(v) - min(v) <= most for v in ([f.a for f in fits], [f.b for f in fits]))


def _alike(fits: list[Fit], times: float = 2) -> bool:
    """Slopes differ by no more than 2 times, rates of copies by 1.25, and what small cases cost by 4: fits that are no
    more alike than that would make a range that says nothing."""
    small = [abs(f.a) + abs(f.b) for f in fits]
    return _within([f.b for f in fits], 1.25 if fits[0].over_bytes else times) and _within(small, 4)


def _nearly_alike(fits: list[Fit]) -> bool:
    """A doubling and its noise: for when there is no room."""
    return _alike(fits, 2.1)


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


def _named(part: list[Fit], law: list[Fit], terse: bool) -> str:
    words = _words([f.group for f in part], [f.group for f in law], terse)
    return words + (f" ({len(part)} fits)" if len(part) > 1 else "")


def _fit_lines(fits: list[Fit], points: list[Point], level: int) -> list[str]:
    """What each law costs. Packed they stand in the order of the probe's cases, otherwise in that of their names."""
    parts: list[tuple[list[Fit], list[Fit]]] = []
    for law in _laws(fits):
        split = _split(law, (_close, _alike, _nearly_alike)[level])
        if level == ROOMY and len(split) > MOST_ROWS:
            split = _split(law, _alike)
        parts += [(part, law) for part in split]
    rows = [
        (_named(part, law, False), formula(part), f"±{_percentage(_far(part))} %", *_held(part)) for part, law in parts
    ]
    rows.sort()
    lines = table(rows[0], rows[1:]) if rows else []
    if level < PACKED and all(len(line) <= WIDTH - 2 for line in lines):
        return lines
    first = {id(fit): i for i, point in reversed([*enumerate(points)]) for fit in fits if fit.holds(point)}
    parts.sort(key=lambda entry: min(first.get(id(fit), len(points)) for fit in entry[0]))
    items = [f"{_named(part, law, True)}: {formula(part, 3)} ±{_percentage(_far(part))} %" for part, law in parts]
    return _packed("", items) if items else []


def _held(fits: list[Fit]) -> tuple[str, str]:
    share, ratios = held_text(fits)
    return (f"held out {share}", f"measured/predicted {ratios}") if share != "-" else ("", "")


def _percentage(value: float) -> str:
    """Two figures, and two decimals at most."""
    return f"{value:.{min(2, max(0, 1 - math.floor(math.log10(max(value, 0.001)))))}f}"


def _far(fits: list[Fit]) -> float:
    """How far in % the farthest case lies from a prediction without it; from the fit, where nothing is held out."""
    held = together([f.held_out for f in fits])
    return 100 * max(held.most - 1, 1 - held.least) if held else max(abs(f.residual_pct) for f in fits)


def _best(fits: list[Fit], points: list[Point], terse: bool) -> str:
    """What times over bytes come to: the best rate of large cases, start-up time where there is one for sure, and what
    follows from both, the half-bandwidth size, unless terse."""
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
        text += " marginal" + (f", {_one_launch(plain)}" if len(plain) == 1 else "")
    if all((f.a_ci95[0] if f.a_ci95 else f.a) > 0 for f in fits):
        text += f", t0 {_between([f.a for f in fits], time_text)}"
        text += f", half at {_between(halves, size_text)}{ways.pop()}" if len(ways) == 1 and not terse else ""
    return text


def _last_choice(fits: list[Fit]) -> str | None:
    """The last axis by which the fits are told apart, if all of its values are words."""
    axes = list(dict.fromkeys(a for f in fits for a in f.group))
    values = {f.group.get(axes[-1]) for f in fits} if axes else set()
    return axes[-1] if len(values - {None}) > 1 and all(isinstance(v, str | None) for v in values) else None


def _copy_lines(fits: list[Fit], points: list[Point], level: int) -> list[str]:
    """Times over bytes: where there is room, a table with a column for each value of the last choice that groups
    them."""
    head, across = f"best of the fit's cases from {size_text(LARGE)} on", _last_choice(fits)
    if level == ROOMY and across:
        cells: dict[str, dict[str, str]] = {}
        for fit in fits:
            row = cells.setdefault(_words([{a: v for a, v in fit.group.items() if a != across}]), {})
            row[str(fit.group.get(across, "rate"))] = _best([fit], points, False)
        columns = list(dict.fromkeys(name for row in cells.values() for name in row))
        rows = [(name, *(row.get(c, "-") for c in columns)) for name, row in cells.items()]
        lines = table((head, *columns), sorted(rows, key=lambda row: row.count("-")))
        if all(len(line) <= WIDTH - 2 for line in lines):
            return lines
    terse = level == PACKED
    items = [
        f"{_named(part, law, terse)} {_best(part, points, terse)}"
        for law in _laws(fits)
        for part in (_split(law, _alike) if level > ROOMY else [[fit] for fit in law])
    ]
    return _packed(f"{head}:", items) if items else []


def _one_launch(points: list[Point]) -> str:
    """Beside marginal rates: what their cases get in one launch. A size is said once where it is the same."""
    known = [p.one_launch for p in points if p.one_launch[0]]
    if len(known) < len(points):
        return "one launch not measured"
    alike = len({size for _, size in known}) == 1
    return ", ".join(rate if alike else f"{rate} of {size}" for rate, size in known) + (
        f" in one launch of {known[0][1]}" if alike else " in one launch"
    )


def _best_lines(best: list[tuple[tuple, tuple[float, str, Point]]]) -> list[str]:
    """Rates of which some are marginal say so, and what one launch gets stands behind them."""
    lines = []
    for marginal in (False, True):
        found = [(text, p) for group, (_, text, p) in best if (group[0] == "GB/s" and p.marginal) == marginal]
        head = "best useful rate, marginal:" if marginal else "best useful rate:"
        items = [text for text, _ in found]
        items[-1:] = [f"{text}; {_one_launch([p for _, p in found])}" for text in items[-1:] if marginal] or items[-1:]
        lines += _packed(head, items, ",") if items else []
    return lines


def _rate_lines(points: list[Point]) -> list[str]:
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


def _choices(points: list[Point]) -> list[dict]:
    """The choices in each point's params, on the axes where points differ."""
    keys = [{a: v for a, v in p.params.items() if isinstance(v, str)} for p in points]
    differ = {a for a in dict.fromkeys(a for key in keys for a in key) if len({key.get(a) for key in keys}) > 1}
    return [{a: v for a, v in key.items() if a in differ} for key in keys]


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


def _stairs(points: list[Point], l2_bytes: int, level: int) -> list[str]:
    """The flat parts of every walk over a number of bytes that no law explains, and where each ends: "34 cycles to
    208..216 KiB" means that 208 KiB fit and 216 do not, 95 % sure. The device's own word stands beside it. A walk is
    timed by the clock of its SM."""
    points = [p for p in points if p.law is None and p.unit == "cycles"]
    axis = _swept_bytes(points)
    sweeps: dict[tuple, list[Point]] = {}
    for point in points:
        rest = {k: v for k, v in point.params.items() if k != axis}
        if point.params.get(axis):
            sweeps.setdefault((key_of(rest), point.metric), []).append(point)
    flat: list[tuple[dict, str]] = []
    for sweep in (s for s in sweeps.values() if len(s) > 4):
        unit = sweep[0].unit
        parts = [f"{number(s.cost, 3)} {unit} to {s.text}{_reported(s, l2_bytes)}" for s in sizes(sweep, axis)]
        if parts:
            flat.append(({k: v for k, v in sweep[0].params.items() if k != axis}, ", ".join(parts)))
    same: dict[str, list[dict]] = {}
    for name, (_, text) in zip(_sweep_names([params for params, _ in flat]) if flat else [], flat, strict=True):
        same.setdefault(text, []).append(name)
    items = [f"{', '.join(map(_words, _products(names)))}: {text}" for text, names in same.items()]
    if level < PACKED:
        return [f"by {axis}, {item}" for item in items]
    return _packed(f"by {axis},", items) if items else []


def _ranges(points: list[Point], metrics: bool, level: int) -> list[str]:
    """The range of the metric, if asked for, and of the extras, by the choices that come first: always by the first.
    Packed, a metric that varies by no more than 2 % is one figure, and an extra that does goes unsaid."""
    keys = _choices(points)
    first = list(dict.fromkeys(a for key in keys for a in key))[:1]
    axes = (leading_axes(keys, MOST_ROWS) if level == ROOMY else []) or first
    groups: dict[tuple, dict[str, list[float]]] = {}
    for point, key in zip(points, keys, strict=True):
        group = groups.setdefault(tuple(key[a] for a in axes if a in key), {})
        for name, value in [(point.metric, point.value)] * metrics + [*point.extras.items()]:
            group.setdefault(name, []).append(value)
    items = []
    for group, values in groups.items():
        texts = []
        for name, range_ in values.items():
            if level < PACKED or not _within(range_, 1.02):
                texts.append(f"{name} {span(range_, lambda value: number(value, 4))}")
            elif metrics and not texts:
                texts.append(f"{name} {'~' * (min(range_) < max(range_))}{number(median(range_), 4)}")
        text = ", ".join(texts)
        items += [f"{' '.join(group)}: {text}" if group else text.replace(" ", ": ", 1)] if texts else []
    return _packed("", items) if level == PACKED and items else items


def _over_sms(points: list[Point]) -> list[str]:
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


def _broken(fits: list[Fit]) -> tuple[tuple[str, ...], list[tuple[str, int]]]:
    """The fits whose law does not hold on this chip: the worst one with its worst case, whole and without what the name
    of the fit says of it; and the names of the others, each with the number of fits that it means."""
    broken = [f for f in fits if not f.law_holds]
    if not broken:
        return (), []
    worst = max(broken, key=lambda f: abs(f.residual_pct))
    said = {f"{axis}:{value}" for axis, value in worst.group.items()}
    whole = worst.worst_case.removeprefix(worst.probe + "/")
    text = f"LAW DOES NOT HOLD: {_words([worst.group])} over {worst.law.replace('_', ' ')}, "
    text += f"{abs(worst.residual_pct):.1f} % off at "
    others = _products([f.group for f in broken if f is not worst])
    short = "/".join(part for part in whole.split("/") if part not in said) or whole
    return (text + whole, text + short), [(_words(part), len(part)) for part in others]


def _titles(archive: Archive, probe: str, points: list[Point]) -> tuple[str, str]:
    """The probe and how many cases there are, with all flags and with the number of cases that have any."""
    text = f"{probe}: {counted(len(points), 'case')}"
    for word, absences in (("waived", archive.waived), ("FAILED", archive.failed)):
        count = len({absence.name for absence in absences if absence.probe == probe})
        if count:
            text += f", {count} {word}"
    flags = Counter(limits.words(flag, p.limits) for p in points for flag in p.flags)
    if not flags:
        return text, text
    whole = ", ".join(f"{n} {flag}" for flag, n in sorted(flags.items()))
    return f"{text}, flagged: {whole}", f"{text}, {sum(bool(p.flags) for p in points)} flagged"


@dataclass
class _Block:
    """What is said of a probe: law is the worst of those that do not hold, at length and short; also has the others."""

    titles: tuple[str, str]
    law: tuple[str, ...]
    also: list[tuple[str, int]]
    sections: list[list[str]]
    named: int = MOST_BROKEN  # of the others
    left_out: int = 0  # lines that were dropped
    joined: bool = False  # what comes first stands behind the title, be it the short one, where it has the room

    def _laws(self, head: str) -> list[str]:
        more = sum(count for _, count in self.also[self.named :])
        items = [name for name, _ in self.also[: self.named]] + [f"{more} more"] * (more > 0)
        texts = (_packed(f"{head}{law}; also", items, ",") if items else [head + law] for law in self.law)
        return min(map(_wrapped, texts), key=len, default=[])

    @property
    def lines(self) -> list[str]:
        laws = self._laws("")
        rest = [line for section in self.sections for line in section]
        note = f" ({self.left_out} line{'s' * (self.left_out > 1)} left out)" if self.left_out else ""
        if self.joined or len(laws) + len(rest) == 1:
            for title in self.titles[: 1 + self.joined]:
                head = f"{title}{note}; "
                if laws and len(together := self._laws(head)) <= len(laws):
                    return [together[0], *(f"  {line}" for line in [*together[1:], *rest])]
                if not laws and rest and len(head + rest[0]) <= WIDTH:
                    return [head + rest[0], *(f"  {line}" for line in rest[1:])]
        title = next((t for t in self.titles if len(t + note) <= WIDTH), self.titles[-1])
        return [title + note, *(f"  {line}" for line in laws + rest)]

    @property
    def spare(self) -> tuple[int, int]:
        """What there is to drop: lines of sections, and names of broken laws."""
        return sum(map(len, self.sections)), min(self.named, len(self.also))

    def drop(self) -> None:
        """The end of the longest section, of several the least weighty; without any, a name of the broken laws, which
        are still counted. The worst one stays."""
        longest = max(reversed(self.sections), key=len, default=[])
        if not longest:
            self.named = self.spare[1] - 1
            return
        longest.pop()
        if longest:
            longest[-1] = longest[-1].rstrip(",;")
        self.left_out += 1


def _fitted(archive: Archive, probe: str, level: int) -> tuple[list[Point], list[Fit], list[list[str]]]:
    """The cases of a probe, its fits, and these in lines: those over counts, and those over bytes."""
    points = [p for p in archive.points if p.probe == probe]
    fits = [f for f in archive.merged_fits if f.probe == probe]
    by_count, by_bytes = ([f for f in fits if f.over_bytes is over] for over in (False, True))
    return points, fits, [_fit_lines(by_count, points, level), _copy_lines(by_bytes, points, level)]


def _block(archive: Archive, probe: str, level: int) -> _Block:
    points, fits, laws = _fitted(archive, probe, level)
    sections = [
        *laws,
        _rate_lines(points) if not any(f.over_bytes for f in fits) else [],
        _stairs(points, archive.run["device"]["l2_bytes"], level),
        _over_sms(points),
    ]
    if points and not fits and (not any(sections) or any(p.extras for p in points)):
        sections.append(_ranges(points, not sections[3], level))
    return _Block(_titles(archive, probe, points), *_broken(fits), [_wrapped(part) for part in sections if part])


def _blocks(archive: Archive, height: int) -> list[_Block]:
    """All probes, squeezed where they are longest, and then with lines left out, until they fit into the height."""
    probes = sorted({*archive.probes, *(absence.probe for absence in archive.waived + archive.failed)})
    levels = {p: [_block(archive, p, level) for level in (ROOMY, MERGED, PACKED)] for p in probes}
    blocks = {p: said[ROOMY] for p, said in levels.items()}

    def too_long() -> bool:
        return sum(len(block.lines) for block in blocks.values()) > height

    for level in (MERGED, PACKED):
        for probe in sorted(probes, key=lambda p: -len(blocks[p].lines)):
            if too_long() and len(levels[probe][level].lines) < len(blocks[probe].lines):
                blocks[probe] = levels[probe][level]
    for block in blocks.values():
        block.joined = too_long()
    while too_long():
        block = max(blocks.values(), key=lambda b: b.spare)
        if not any(block.spare):
            break
        block.drop()
    return list(blocks.values())


def _head(archive: Archive) -> list[str]:
    run = archive.run
    device, program = run["device"], run["program"]
    peak = device["memory_peak_GBps"]
    lines = [describe(archive)]
    if archive.synthetic:
        lines.append("SYNTHETIC: these numbers come from a parameter file, not from a GPU.")
    commit = f" at {program['commit'][:12]}{' with changes' if program['dirty'] else ''}" if program["commit"] else ""
    quick = ", quick" if run["quick"] else ""
    lines.append(
        f"{device['sm_count']} SMs, L2 {size_text(device['l2_bytes'])}, memory {size_text(device['memory_bytes'])}"
        + (f" at {peak:.4g} GB/s peak" if peak else "")
        + f"; gpufx {program['version']}{commit}, {program['build_type']} build{quick}"
    )
    return [*lines, shown(archive.path), ""]


def _changes(comparison: Comparison, margin: float) -> list[str]:
    """The overview in few lines: the probes that changed, most first, and the names of the others."""
    changed, same = [], []
    for probe, group in groupby((r for r in comparison.rows if r.ratio), key=lambda row: row.probe):
        rows = sorted(group, key=lambda row: row.ratio)
        low, middle, high = (rows[round(q * (len(rows) - 1))].ratio for q in (0.05, 0.5, 0.95))
        slower = sum(row.verdict == "SLOWER" for row in rows)
        if 1 / (1 + margin) <= low and high <= 1 + margin and not slower:
            same.append(probe)
            continue
        text = f"{probe} {percent(middle)} ({percent(low)} .. {percent(high)}"
        changed.append((max(middle, 1 / middle), text + (f", {slower} SLOWER)" if slower else ")")))
    items = [text for _, text in sorted(changed, key=lambda entry: -entry[0])]
    if len(items) > MOST_CHANGED:
        items[MOST_CHANGED:] = [f"and {len(items) - MOST_CHANGED} more"]
    lines = _packed("new over base, median (nine in ten cases within):", items) if items else []
    return lines + (_packed(f"nine in ten cases within {number(margin * 100, 3)} %:", same, ",") if same else [])


def _comparison(against: Archive, archive: Archive, margin: float, others: Sequence[Archive]) -> list[list[str]]:
    """What stands at the end: at length, and short. Only of the probes that were measured this time."""
    comparison = compare(against, archive, margin, set(archive.probes), others=others)
    whole = overview(comparison, margin)
    probes = len({row.probe for row in comparison.rows if row.ratio})
    rows = probes + 1 if probes else 0  # of its table, with the head
    short = whole[: len(whole) - rows] + _changes(comparison, margin)
    return [["", f"against {describe(against)}", *(f"  {line}" for line in _wrapped(text))] for text in (whole, short)]


def summarise(archive: Archive, against: Archive | None, margin: float, others: Sequence[Archive] = ()) -> str:
    """The screen as text, at most SCREEN lines of about WIDTH characters, where that is possible. The comparison is
    told in short where its table would cost a probe a line."""
    head = _head(archive)
    for tail in _comparison(against, archive, margin, others) if against else [[]]:
        blocks = _blocks(archive, SCREEN - len(head) - len(tail))
        if not any(block.left_out for block in blocks):
            break
    return "\n".join([*head, *(line for block in blocks for line in block.lines), *tail]) + "\n"


def laws_of(archive: Archive) -> str:
    """What each law costs and which do not hold, probe by probe, however long that is."""
    lines = _head(archive)
    for probe in archive.probes:
        points, fits, sections = _fitted(archive, probe, ROOMY)
        if fits:
            titles = _titles(archive, probe, points)
            lines += _Block(titles, *_broken(fits), [_wrapped(part) for part in sections if part]).lines
    return "\n".join(lines) + "\n"
