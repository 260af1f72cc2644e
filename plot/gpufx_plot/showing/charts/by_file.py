"""Draws what figure.json says."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from pathlib import Path

from ... import UserError
from ...archive.cases import Point
from ...archive.params import key_of
from ...call.number_text import number, size_text
from ...chip.quantity_text import ratio_text
from ...chip.uncertainty import reader
from . import scales
from .figure_file import ALONE, FIELD, FigureFile, Guide, Panel, Series, fill, joined, of_quantities, selected, sentence
from .look import TEXT, Source
from .pen import RIGHT, Label, Pen, centre, ends_of, interval_of, residual, short
from .pen import Panel as Drawn

ORANGE = 1
ROUNDED = 0.001  # of a number: the same in three digits
NEAR_ONE = 0.02  # a ratio that three digits would print as 1
OF_COLOUR = re.compile("(blue|orange|violet|brown): ")  # a note


class Figure:
    """The figure of an effect: question, finding, panels, supplement; without: why there may be none."""

    def __init__(self, file: FigureFile, path: Path):
        self.file, self.path = file, path
        self.question, self.without = file.question, file.without

    def finding(self, sources: list[Source]) -> str:
        told = [source for source in sources if sentence([source], self.file.title)]
        if self.file.otherwise and 0 < len(told) < len(sources):  # each by its name
            return "; ".join(f"{source.label}: {self.finding([source])}" for source in sources)
        return sentence(sources, self.file.title) or sentence(sources, self.file.otherwise) or self._of_laws(sources)

    def _of_laws(self, sources: list[Source]) -> str:
        """Where the figure begins with how far cases lie from their laws."""
        known = {s.label: [residual(s)(p, p.value) for p in s.points if s.predicted(p)] for s in sources}
        if not all(known.values()) or not any(panel.residuals for panel in self.file.panels[:1]):
            return ""
        of = {name: f" ({name})" * (len(known) > 1) for name in known}
        right = " and ".join(
            f"{sum(abs(v) <= RIGHT for v in off)} of {len(off)}{of[name]}" for name, off in known.items()
        )
        worst = " and ".join(f"{max(off, key=abs):+.1f} %{of[name]}" for name, off in known.items())
        return f"{right} cases cost what the laws predict within {RIGHT} %; largest deviation {worst}"

    def panels(self, sources: list[Source], key: str = "panels") -> list[Drawn]:
        found = []
        for index, panel in enumerate(getattr(self.file, key)):
            try:
                family = _combined(panel.each, self.file, sources, panel.cases) if panel.each else [("", {})]
            except UserError as error:
                raise ValueError(f"{key}[{index}]: {error}") from None
            for _, fixed in family:
                way = _Way(panel, self.file, sources, fixed, f"{key}[{index}]")
                found.append(Drawn(way.draw, panel.height, panel.wide))
        return found


def _combined(text: str, file: FigureFile, sources: list[Source], cases: str) -> list[tuple[str, dict]]:
    """The values of axes, and what they are called: of "a=1,2 b" each of a with each of b."""
    points = [p for s in sources for p in picked(s.points, cases)]
    axes = []
    for word in text.split():
        axis, _, chosen = word.partition("=")
        seen = {p.params[axis]: None for p in points if axis in p.params}
        if chosen:
            named = [{p.params[axis] for p in picked(points, f"{axis}={word}")} for word in chosen.split(",")]
            values = [v for of in named for v in seen if v in of]
        elif isinstance(names := file.names.get(axis), dict):
            values = [v for name in names for v in seen if str(v) == name]
        else:
            values = sorted(seen, key=lambda v: (isinstance(v, str), v))
        axes.append([(axis, value) for value in values])
    known = {tuple(p.params.get(axis) for axis in (word.partition("=")[0] for word in text.split())) for p in points}
    found = [pairs for pairs in product(*axes) if tuple(value for _, value in pairs) in known]
    names = [[name for pair in pairs if (name := name_of(file, sources, *pair))] for pairs in found]
    return [(", ".join(words), dict(pairs)) for words, pairs in zip(names, found, strict=True)]


def name_of(file: FigureFile, sources: list[Source], axis: str, value) -> str:
    """What a figure calls the value of an axis."""
    names = file.names.get(axis)
    if isinstance(names, dict) and str(value) in names:
        return names[str(value)]
    text = str(value).replace("_", " ")
    if not isinstance(value, str):
        sized = any(axis in p.params and p.units.get(axis) == "bytes" for s in sources for p in s.points[:1])
        text = size_text(value).replace(" ", "\u2009") if sized and value >= 1024 else number(value)
    return names.replace("{}", text) if isinstance(names, str) else text


def picked(points: list[Point], text: str, fixed: dict | None = None) -> list[Point]:
    """The cases of a selection, in their order. Raises UserError."""
    points = [p for p in points if all(p.params.get(a) == v for a, v in fixed.items())] if fixed else points
    if not text:
        return [*points]
    chosen = selected(text, [p.params for p in points])
    return [p for p in points if any(selection.holds(p.params) for selection in chosen)]


@dataclass
class Measure:
    """What is drawn of a case: its figure, times or under a scale, or over that of the case that it is held against."""

    panel: Panel
    source: Source
    of: str

    @property
    def of_cost(self) -> bool:
        return self.of in ("cost", "rate") and not self.panel.against

    def ends(self, point: Point) -> tuple[float, float, float] | None:
        """The value, and both ends of its range."""
        if self.of in ("cost", "rate"):
            return ends_of(point, self, (centre(point.medians), *self.spread(point)))
        found = reader(self.of)(point)
        return ends_of(point, self, (centre(found), min(found), max(found)) if found else ())

    def spread(self, point: Point) -> tuple[float, float]:
        """Of one that is divided by another, of the quotient: over the processes that have both, else of any two."""
        if not (base := self.base(point)):
            return point.spread
        pairs = [*product(point.spread, base.spread)]
        if point is base or (len(point.medians) > 1 and point.processes == base.processes):
            pairs = [*zip(point.medians, base.medians, strict=True)]
        over = [centre(base.medians) * cost / of for cost, of in pairs]
        return min(over), max(over)

    def __call__(self, point: Point, value: float) -> float | None:
        if self.of == "rate":
            value = point.useful_bytes / value if value > 0 and point.useful_bytes else None
        elif self.panel.against:
            base = self.base(point)
            value = value / centre(base.medians) if base else None
        scale = self.panel.scale
        if isinstance(scale, dict):
            ((axis, known),) = scale.items()
            scale = known.get(str(point.params.get(axis)), math.nan)
        elif isinstance(scale, str):
            scale = point.params[scale]
        if value is None:
            return None
        if self.panel.inverse:
            return scale / value if value > 0 else None
        return value * scale

    @cached_property
    def instead(self) -> dict:
        (selection,) = selected(self.panel.against, [p.params for p in self.source.points]) or [None]
        return selection.alone() if selection else {}

    @cached_property
    def bases(self) -> dict[tuple, Point]:
        return {key_of(p.params): p for p in self.source.points if min(p.value, *p.spread) > 0}

    def base(self, point: Point) -> Point | None:
        """The case that this one is held against."""
        return self.bases.get(key_of(point.params | self.instead)) if self.panel.against else None


class _Way:
    """One panel on the way to the paper."""

    def __init__(self, panel: Panel, file: FigureFile, sources: list[Source], fixed: dict, where: str):
        self.panel, self.file, self.sources, self.fixed, self.where = panel, file, sources, fixed, where

    def pick(self, source: Source, text: str) -> list[Point]:
        return picked(source.points, joined(self.panel.cases, text), self.fixed)

    def named(self, key: str) -> list[tuple[str, Series]]:
        """Series or bars: names and cases, in order."""
        value = getattr(self.panel, key)
        if isinstance(value, dict):
            return [(name, part if isinstance(part, Series) else Series(part)) for name, part in value.items()]
        found = _combined(value, self.file, self.sources, self.panel.cases)
        return [(name, Series(" ".join(f"{axis}={v}" for axis, v in params.items()))) for name, params in found]

    def colour(self, part: Series, index: int) -> int:
        if part.colour is not None:
            return part.colour
        given = self.panel.colours
        return index if not given else given[index] if index < len(given) else given[-1] + index - len(given) + 1

    def taken(self, points: list[Point], measure: Measure, at: Callable) -> list[Point]:
        """take "best": of several cases at one place the one that looks best."""
        if self.panel.take != "best":
            return points
        largest = self.panel.of != "cost" or self.panel.inverse
        best: dict = {}
        for point in points:
            ends = measure.ends(point)
            if ends and (at(point) not in best or (ends[0] > best[at(point)][0]) == largest):
                best[at(point)] = (ends[0], point)
        return [point for _, point in best.values()]

    def draw(self, pen: Pen) -> None:
        panel = self.panel
        try:
            if panel.residuals:
                self.residuals(pen)
                return
            (self.bars if panel.bars else self.lines)(pen)
            # Of several archives colours say the device.
            pen.notes += [text for text in panel.notes if pen.alone or not OF_COLOUR.match(text)]
            across = self.scale(panel.scales[0]) if panel.scales else scales.zero if panel.bars else scales.linear
            up = self.scale(panel.scales[1]) if len(panel.scales) > 1 else scales.zero
            pen.axes(self.worded(panel.title), *(*panel.axes, "")[:2], across, None if panel.bars else up)
        except (UserError, LookupError, TypeError) as error:
            raise ValueError(f"{self.where}: {error}") from None

    def worded(self, text: str) -> str:
        names = {axis: name_of(self.file, self.sources, axis, value) for axis, value in self.fixed.items()}
        found = FIELD.sub(lambda match: names.get(match[1], match[0]), text)
        begins = text.startswith("{") and " " in found.partition(",")[0].partition(":")[0]
        return found[:1].upper() + found[1:] if begins else found

    def scale(self, given) -> Callable:
        if isinstance(given, list):
            return scales.ticks_at(*given, whole=not self.panel.x or given is not self.panel.scales[0])
        if given == "named":
            return scales.named([name_of(self.file, self.sources, self.panel.x, value) for value in self.places])
        return getattr(scales, given)

    @cached_property
    def places(self) -> list:
        """Values of x that stand next to each other, those that have names in their order."""
        seen = {p.params[self.panel.x] for s in self.sources for p in self.pick(s, "") if self.panel.x in p.params}
        names = self.file.names.get(self.panel.x)
        if isinstance(names, dict):
            return [v for name in names for v in seen if str(v) == name]
        return sorted(seen, key=lambda v: (isinstance(v, str), v))

    def across(self, source: Source, point: Point):
        """Where on x a case stands."""
        panel = self.panel
        if "*" in panel.x:
            return math.prod(point.params[axis] for axis in panel.x.split("*"))
        value = point.params.get(panel.x)
        if value is None and panel.x in ("count", *point.counts):
            value = point.count if panel.x == "count" else point.counts[panel.x]
        if value is None:
            value = point.extras.get(panel.x) or None
        if panel.scales and panel.scales[0] == "named":
            return self.places.index(value) if value in self.places else None
        if value == 0 and panel.zero:
            value = source.device.get(panel.zero)
        return None if value is None or isinstance(value, str) else value * panel.x_scale

    def lines(self, pen: Pen) -> None:
        panel = self.panel
        parts = self.named("series") if panel.series else [("", Series(""))]
        colours = {name: self.colour(part, index) for index, (name, part) in enumerate(parts)}
        for source in pen.sources:
            for name, part in parts:
                measure = Measure(panel, source, part.of or panel.of)
                at = partial(self.across, source)
                points = self.taken(self.pick(source, part.cases), measure, at)
                ordered = len(parts) if panel.ordered else 0
                pen.plot(source, points, at, measure, name, colours[name], ordered, panel.join, panel.law)
            self.guides(pen, source)
        self.labels(pen, parts, colours)

    def labels(self, pen: Pen, parts, colours: dict) -> None:
        """Words at marks, of one archive alone."""
        for source in pen.sources if pen.alone else ():
            owner = {p.name: (name, part) for name, part in parts for p in self.pick(source, part.cases)}
            for text, words in self.panel.labels.items():
                for point in (p for p in self.pick(source, text) if p.name in owner):
                    name, part = owner[point.name]
                    measure = Measure(self.panel, source, part.of or self.panel.of)
                    ends, place = measure.ends(point), self.across(source, point)
                    if ends is None or place is None:
                        continue
                    said_here = self.said(source, words, point, ends[0])
                    of = len(parts) if self.panel.ordered else 0
                    colour = pen.colour(source, colours[name], of) if len(parts) > 1 else TEXT
                    if said_here:  # where there is room for it the frame sees once all marks stand
                        pen.words.append(Label(place, ends[0], said_here, colour, source))

    def said(self, source: Source, words: str, point: Point, value: float) -> str:
        """At a mark: what has no unit, or is a share of the peak, stands only where its value is."""
        plain = [q for name, form in FIELD.findall(words) if form and (q := source.quantity(name))]
        for e in (q.estimate for q in plain):
            if e.note not in ("", point.label) or not math.isclose(e.value or 0, value, rel_tol=ROUNDED):
                return ""
        own = self.text(value)
        return fill([source], words, own) or own * ("{}" in words)

    def guides(self, pen: Pen, source: Source) -> None:
        for guide in self.panel.guides:
            value = self.at(guide, source)
            if value is None:
                continue
            text = fill([source], guide.text)
            if isinstance(value, tuple):
                pen.size(*value, source, text, source.quantity(ALONE.fullmatch(guide.of)[1]).definition)
                continue
            fact = source if isinstance(guide.of, str) else None
            if guide.at == "y":
                pen.level(value, text, fact, what=text or "the guide")
            else:
                pen.mark(value, text, fact)
                if not pen.alone and text:
                    pen.notes.append(f"dotted: {text}")
        if self.panel.peak:
            pen.peak(source, across=bool(self.panel.bars))

    @staticmethod
    def at(guide: Guide, source: Source) -> float | tuple[float, float] | None:
        """Where a guide stands; both ends of a bracket."""
        if not isinstance(guide.of, str):
            return guide.of
        if name := ALONE.fullmatch(guide.of):
            quantity = source.quantity(name[1])
            e = quantity.estimate if quantity else None
            return e and ((e.low, e.high) if e.low and e.high and e.bracket else e.value or e.low)
        return source.device.get(guide.of) or None

    def bars(self, pen: Pen) -> None:
        panel = self.panel
        several = self.named("series") if panel.series else []
        rows, texts = [], {}
        for name, part in self.named("bars"):
            if quantity := ALONE.fullmatch(part.cases):
                rows += self.of_quantity(pen, name, quantity[1], part, texts)
                continue
            for index, (_, other) in enumerate(several or [("", Series(""))]):
                for source in pen.sources:
                    measure = Measure(panel, source, part.of or other.of or panel.of)
                    both = joined(part.cases, other.cases)
                    colour = self.colour(other if several else part, index) if several or part.colour is not None else 0
                    rows += self.of_cases(pen, source, name, self.pick(source, both), measure, colour, texts)
        series = {self.colour(part, index): name for index, (name, part) in enumerate(several)}
        if panel.titled and pen.alone and pen.titled:
            told = {p.name for s in pen.sources for p in self.pick(s, panel.titled)}
            rows = [(n, s, f, ORANGE if f[3] in told else c) for n, s, f, c in rows]
            pen.notes.append("orange: what the title speaks of")
        pen.bars(rows, text=self.text, dots=panel.dots, series=series, words=texts)
        for source in pen.sources:
            self.guides(pen, source)

    def of_quantity(self, pen: Pen, name: str, wanted: str, part: Series, texts: dict) -> list[tuple]:
        rows = []
        for source in pen.sources:
            if source.points and (quantity := source.quantity(wanted)):
                e = quantity.estimate
                value = e.value if e.value is not None else e.low if e.low is not None else e.high
                known = not e.bracket and e.low is not None
                low, high = (e.low, e.high) if known else (value, value)
                ends = tuple(v * self.panel.scale for v in (value, low, high))
                kind = "99 % CI of the quantity" if known else ""
                rows.append((name, source, (*ends, wanted, kind, False, ""), part.colour or 0))
                texts[source.index, wanted] = short(ends[0]) if known else of_quantities([quantity], "bare")[0]
                pen.ranges.append(([ends[1]], [ends[2]], "line at a mark: 99 % CI of the quantity"))
        return rows

    def text(self, value: float) -> str:
        """Of a number."""
        return ratio_text(value, 3 + (abs(value - 1) < NEAR_ONE)) if self.panel.against else short(value)

    def of_cases(self, pen, source, name, points, measure: Measure, colour: int, texts: dict) -> list[tuple]:
        points = self.taken(points, measure, lambda _: 0)
        found, kind = [(ends, p) for p in points if (ends := measure.ends(p))], ""
        if self.panel.take == "range" and len(found) > 1:
            kind = "range of cases"
            found.sort(key=lambda pair: pair[0][0])
            middle = found[len(found) // 2]
            found = [((middle[0][0], found[0][0][0], found[-1][0][0]), middle[1])]
        elif found:
            pen.ranges.append(([ends[1] for ends, _ in found], [ends[2] for ends, _ in found], source.range_text))
        for ends, point in found:
            for text, words in self.panel.labels.items() if pen.alone else ():  # of several archives numbers alone
                if point in self.pick(source, text) and (filled := self.said(source, words, point, ends[0])):
                    texts[source.index, point.name] = filled
        rows = []
        for ends, p in found:
            base, said = measure.base(p), kind or interval_of(p, *ends[1:])
            rows.append((name, source, (*ends, p.name, said, measure.of_cost, base.name if base else ""), colour))
        return rows

    def residuals(self, pen: Pen) -> None:
        axes = self.panel.residuals.split()
        known = {p.name for s in pen.sources for p in self.pick(s, "")}

        def column(point: Point) -> str | None:
            if point.name not in known:
                return None
            return ", ".join(name_of(self.file, self.sources, axis, point.params[axis]) for axis in axes)

        pen.notes += self.panel.notes
        pen.residuals(self.worded(self.panel.title), column)
