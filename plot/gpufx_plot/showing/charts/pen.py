"""Draws the marks of one panel, and keeps every number drawn: for labels, ratios of two archives, and --data."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import geometric_mean, median

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator

from ...archive.cases import Point
from ...call.grouped import grouped
from ...call.number_text import number
from ...chip.definitions import Definition
from . import scales
from .look import BAND, DASHES, GREY, LAW, MARKERS, SERIES, SHAPES, TEXT, Sheet, Source, ramp, wide

BLANK = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}  # behind words that lie on lines
EARLY = 0.8  # of the panel's width: a line that ends before it is named where it ends, any other on the panel's right
UPON = 0.015  # of the panel's height: marks that cover each other
TURN = 14  # widths of a line: after so many, lines that lie upon each other show again
RING, MOST_RINGS = 0.35, 2  # of a mark: what it grows by for each series upon it, and for how many
SEEN, SHORT = 0.04, 0.4  # of the panel's height; of bars sizes of the text: a longer range stands out of its mark
NEAR = 1.5  # times the outermost mark: a guide further away is left out
PAD = 0.9  # of a title, in sizes of the text
SMALLEST, APART = 0.3, 0.6  # a mark in sizes of the text, of the way to the next one: of those that would touch
BARS_WIDE = 0.6  # of its place, about: what a panel's names leave for its bars
MIDDLE = 0.55  # of the panel's height
HEIGHTS = ((0.98, "top"), (0.02, "bottom"), (0.75, "center"), (0.3, "center"))  # of words at a vertical guide
HEADROOM = 0.08  # of the panel's height, above the highest mark
RIGHT = 2  # per cent: closer to its law, a case counts as right
SAME = 0.06  # of the panel's height: a label that is closer to a line covers it


def centre(values: list[float]) -> float:
    """Of processes: their mean, as the sheet has it, so that a number of the title stands at its mark."""
    if len(values) == 1:
        return values[0]
    return geometric_mean(values) if min(values) > 0 else median(values)


def short(value: float) -> str:
    """Three digits, four of thousands."""
    digits = 4 if abs(value) >= 1000 else 3
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:#.3g}" if 1e-3 <= abs(rounded) < 100 else number(rounded, digits)


def residual(source: Source) -> Callable:
    """Measured over predicted, in per cent."""
    return lambda p, v: 100 * (v / source.predicted(p) - 1)


def ends_of(point: Point, y: Callable, raw: Sequence[float]) -> tuple[float, float, float] | None:
    """What is drawn of a point and both ends of its range, raw: as measured; None of one that has no such figure."""
    ends = [y(point, value) for value in raw]
    if not ends or any(v is None or not math.isfinite(v) for v in ends):
        return None
    return ends[0], min(ends), max(ends)


def interval_of(point: Point, low: float, high: float) -> str:
    """What the ends of a point's range are."""
    if len(point.medians) > 1:
        return "range of processes"
    ends = point.intervals[0]  # a figure other than the cost has none
    return "95 % CI of the median" if ends and (ends[0] < ends[1]) == (low < high) else ""


@dataclass
class Row:
    """One number of a panel. x is a word where the panel has rows of names."""

    series: str
    source: Source
    case: str
    x: float | str
    y: float
    low: float
    high: float
    interval: str  # what low and high are; "": there is none
    law: float | None = None
    panel: str = ""  # its letter
    ratio: float | None = None  # over the first archive's, where it stands beside the number
    of_cost: bool = True  # what `compare` says of the case is said of this number
    over: str = ""  # the case that it is divided by


def paired(rows: Sequence[Row], first: Source, other: Source) -> tuple[list[tuple[Row, Row]], list[Row]]:
    """Numbers of two archives that stand for the same: of one case, or each the only one of its series at its place,
    for the case may be called otherwise, as the best one of a bar. And those that have no counterpart."""
    pairs, left = [], [[row for row in rows if row.source is source] for source in (first, other)]
    for of in (lambda row: (row.panel, row.series, row.x, row.case), lambda row: (row.panel, row.series, row.x)):
        one, two = ({at: of[0] for at, of in grouped(side, of).items() if len(of) == 1} for side in left)
        pairs += [(row, two[at]) for at, row in one.items() if at in two]
        taken = {id(row) for pair in pairs for row in pair}
        left = [[row for row in side if id(row) not in taken] for side in left]
    return pairs, [row for side in left for row in side]


@dataclass
class Label:
    x: float
    y: float
    text: str
    colour: str
    source: Source
    shape: str = ""  # what tells the series before its name: of several archives the marks; "": a number


@dataclass
class Panel:
    """One panel: a function that draws it, its height in units of the sheet, and whether it takes a whole row. Bars are
    as high as they are many. A panel that drew nothing, or a curve of one point, is left out."""

    draw: Callable[["Pen"], None]
    height: float = 1.0
    wide: bool = False


@dataclass
class Pen:
    ax: Axes
    sources: list[Source]
    sheet: Sheet
    panel: Panel
    titled: bool = True  # the figure has a title, or its page
    letter: str = ""
    notes: list[str] = field(default_factory=list)  # what the caption says beside the archive's own line
    place: tuple[int, int, int] = (0, 0, 1)  # row, column, columns
    rows: list[Row] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    words: list[Label] = field(default_factory=list)  # beside marks
    guides: list[tuple] = field(default_factory=list)  # words at guides, where these may stand, how the guide looks
    xs: list[float] = field(default_factory=list)  # what the axes must hold
    ys: list[float] = field(default_factory=list)
    names: tuple[str, str] = ("", "")  # of the axes
    pad: float = PAD  # of the title, in text sizes
    end: float = 0.0  # of the axis along bars
    comparable: bool = True  # ratios of its numbers mean something
    worded: bool = False  # names along x, of which none can be left out
    listed: int = 0  # names down the left side
    slots: int = 1  # bars of each
    drawn: list[Line2D] = field(default_factory=list)  # the series, from the lowest to the topmost
    ranges: list[tuple] = field(default_factory=list)  # of each series: lows, highs, what is said of them
    whiskers: list[Line2D] = field(default_factory=list)  # of bars
    made: list = field(default_factory=list)  # texts of the labels
    keys: list = field(default_factory=list)  # and of what colours mean
    lettered: bool = False
    beside: list[tuple[float, Annotation, str]] = field(default_factory=list)  # behind bars: words, the number alone

    @property
    def alone(self) -> bool:
        return len(self.sources) == 1

    @property
    def telling(self) -> bool:
        return bool(self.rows) and (self.listed > 0 or len({row.x for row in self.rows}) > 1)

    def colour(self, source: Source, index: int, of: int = 0) -> str:
        """of: so many series that have an order."""
        if not self.alone:
            return source.colour
        return ramp(index, of) if of else SERIES[index % len(SERIES)]

    def plot(self, source, points, x, y, label="", index=0, of=0, join=True, law="", size=1.0, named=True) -> None:
        """One series: marks, a line between them, and bars for the range over the processes.

        x: a function of a point. y: a function of a point and of its cost or one end of its range, or a measure; None
        leaves the point out. law: how the law is drawn ("line", "ticks"), "" for none. named:
        whether the label stands at the line's end."""
        marks = []
        for point in points:
            raw = (centre(point.medians), *point.spread)
            at, found = x(point), y.ends(point) if hasattr(y, "ends") else ends_of(point, y, raw)
            if at is not None and found:
                marks.append((at, *found, self._law(source, point, y) if law else None, point))
        if not marks:
            return
        marks.sort(key=lambda mark: mark[0])
        xs, ys, lows, highs, laws, _ = map(list, zip(*marks, strict=True))
        if any(v is not None for v in laws):
            self._law_line(xs, laws, law)
            join = join and not self.alone  # of several archives lines tell them apart
        colour = self.colour(source, index, of)
        style = {"color": colour, "marker": MARKERS[index % len(MARKERS)], "linestyle": "none", "zorder": 2.5}
        if join:
            style["linestyle"] = source.dash
        if source.index:
            style |= {"markerfacecolor": "none", "markeredgewidth": 0.11 * self.sheet.size}
            size *= 1 + 0.5 * source.index  # a ring around the mark of the archive before
        width = 0.28 * self.sheet.size
        self.ax.vlines(xs, lows, highs, color=colour, linewidth=width, alpha=0.35, zorder=2.2)
        (line,) = self.ax.plot(xs, ys, markersize=0.45 * size * self.sheet.size, **style)
        self.drawn.append(line)
        self.ranges.append((lows, highs, source.range_text))
        if label and named:
            look = (colour, source, "\u25a0") if self.alone else (TEXT, source, SHAPES[index % len(SHAPES)])
            self.labels.append(Label(xs[-1], ys[-1], label, *look))
        base = getattr(y, "base", lambda _: None)
        for at, height, low, high, predicted, point in marks:
            of = label, source, point.name, at, height, low, high, interval_of(point, low, high), predicted
            self.rows.append(Row(*of, of_cost=getattr(y, "of_cost", False), over=getattr(base(point), "name", "")))
        self.xs += xs
        self.ys += [*ys, *lows, *highs, *(v for v in laws if v is not None)]

    def nest(self, points: float) -> None:
        """Once the axes stand, so many points wide: marks that would touch the next ones of their series shrink, those
        below others become thin rings, and lines upon each other show in turns."""
        for line in (line for line in self.drawn if np.ptp(line.get_xdata())):
            gap = points * float(np.median(np.diff(np.unique([x for x, _ in self.in_panel(line)]))))
            line.set_markersize(min(line.get_markersize(), max(APART * gap, SMALLEST * self.sheet.size)))
        places = [self.in_panel(line) for line in self.drawn] if self.alone else []
        below = [0] * len(places)
        for index, (line, mine) in enumerate(zip(self.drawn, places, strict=False)):
            covered, hidden = np.zeros(len(mine), int), {}
            for at, other in enumerate(places[index + 1 :], index + 1):
                known = dict(other)
                covered += [abs(known.get(x, math.inf) - y) < UPON for x, y in mine]
                if line.get_linestyle() == self.drawn[at].get_linestyle() == "-":
                    along = np.interp([x for x, _ in mine], *zip(*other, strict=True), np.nan, np.nan)
                    if (near := np.abs(along - [y for _, y in mine]) < UPON).sum() > 1:
                        hidden[at] = near
            xs, ys = np.transpose(line.get_xydata())
            style = {"color": line.get_color(), "zorder": 2.5}
            if hidden:
                for at in hidden:
                    below[at] += 1
                on = TURN / (1 + len(hidden) + below[index])
                dashes = {"linestyle": (-on * below[index], (on, TURN - on)), "dash_capstyle": "butt"}
                self.ax.plot(xs, np.where(np.any([*hidden.values()], axis=0), ys, np.nan), **style, **dashes)
            if not covered.any():
                continue
            line.set_markevery(np.flatnonzero(covered == 0).tolist())
            style |= {"marker": line.get_marker(), "linestyle": "none", "markerfacecolor": "none"}
            style["markeredgewidth"] = 0.08 * self.sheet.size
            for above in range(1, MOST_RINGS + 1):
                under = np.minimum(covered, MOST_RINGS) == above
                self.ax.plot(xs[under], ys[under], markersize=(1 + RING * above) * line.get_markersize(), **style)

    def name_ranges(self, points: float) -> None:
        """Once the axes stand, so many points wide: the caption for range bars, where one is visible. Without those of
        bars that would be specks."""
        to_panel, short = self.ax.transScale + self.ax.transLimits, SHORT * self.sheet.size / points
        for line in self.whiskers:
            line.set_visible(np.ptp(to_panel.transform(line.get_xydata())[:, 0]) > short)
        for lows, highs, text in self.ranges:
            along = int(not self.listed)  # bars lie
            ends = [np.full((len(lows), 2), 1.0) for _ in range(2)]
            ends[0][:, along], ends[1][:, along] = lows, highs
            low, high = (to_panel.transform(end)[:, along] for end in ends)
            if np.any(high - low > (SEEN if along else short)):
                self.notes.append(text)
        if self.ranges and any("/" in row.case and not row.interval for row in self.rows):
            self.notes.append("no line: one process, whose error is not known")

    def in_panel(self, line: Line2D) -> list[tuple[float, float]]:
        """The marks of a series, in shares of the panel."""
        to_panel = self.ax.transScale + self.ax.transLimits
        return [tuple(map(float, place)) for place in to_panel.transform(line.get_xydata())]

    def _law(self, source: Source, point: Point, y) -> float | None:
        predicted = source.predicted(point)
        if predicted is not None and point.name in source.astray:
            self.notes.append("no law is drawn where it does not hold")
            return None
        return None if predicted is None else y(point, predicted)

    def _law_line(self, xs, laws, drawn_as) -> None:
        style = {"color": LAW, "linewidth": 0.09 * self.sheet.size, "zorder": 2.1}
        if drawn_as == "ticks":
            style |= {"linestyle": "none", "marker": "_", "markersize": self.sheet.size, "zorder": 3}
        self.ax.plot(xs, [math.nan if v is None else v for v in laws], **style)
        self.notes.append("thin grey: what the fitted law predicts")

    def bars(self, rows, text: Callable, dots: bool, series: dict[int, str], words: dict) -> None:
        """Names down the left side, a bar for each, its number beside it. rows: (name, source, (value, low, high, case,
        interval, of_cost, over), index of the colour). dots: marks in place of bars, for an axis that begins
        above zero. series: what the colours mean, where each name has a bar of each. words: in place of the number, by
        (index of the source, name of the case).
        A bar is as long as its number is: one that is too short to be seen has the number alone."""
        if series and not self.alone:
            rows, series = [(f"{name}, {series[index]}", source, found, 0) for name, source, found, index in rows], {}
        names = [*dict.fromkeys(name for name, *_ in rows)]
        if not names:
            return
        beside = {(name, index if series else source.index) for name, source, _, index in rows}
        slots = {name: sorted(slot for other, slot in beside if other == name) for name in names}
        self.listed, self.slots = max(2, len(names)), max(map(len, slots.values()))
        step = 0.8 / self.slots
        used = {index for *_, index in rows}
        named = [(index, name) for index, name in sorted(series.items()) if index in used]
        self.key([(f"\u25a0 {name}", self.colour(self.sources[0], index)) for index, name in named])
        self.ax.set_yticks(range(len(names)), names)
        self.ax.set_ylim(max(2, len(names)) - 0.5, -0.5)
        self.ax.grid(visible=False, axis="y")
        self.ax.tick_params(axis="y", length=0)
        for name, source, (value, low, high, case, kind, of_cost, over), index in rows:
            colour = self.colour(source, index)
            slot = slots[name].index(index if series else source.index)
            place = names.index(name) + step * (slot - (len(slots[name]) - 1) / 2)
            if dots:
                style = {"markersize": 0.58 * self.sheet.size, "color": colour, "zorder": 2.5}
                style |= {"markerfacecolor": "white"} if source.index else {}  # as in the heads
                self.ax.plot([value], [place], marker="o", **style)
            else:
                look = {"color": source.fill if not self.alone else colour, "edgecolor": colour}
                self.ax.barh(place, value, 0.9 * step, **look, linewidth=0.07 * self.sheet.size, zorder=2)
            look = {"color": colour, "alpha": 0.5} if dots else {"color": TEXT}
            look |= {"linewidth": 0.13 * self.sheet.size, "zorder": 2.6, "solid_capstyle": "butt"}
            self.whiskers += self.ax.plot([low, high], [place] * 2, **look)
            outline = [withStroke(linewidth=0.3 * self.sheet.size, foreground="white")]  # a guide may pass behind
            plain = text(value)
            of_case = words.get((source.index, case)) or plain
            style = {"va": "center_baseline", "zorder": 1.9, "path_effects": outline}
            told = self.write(max(value, high), place, of_case, 6, colour=TEXT, **style)
            self.beside.append((max(value, high), told, plain))
            said = f"{name}, {series[index]}" if series else name
            self.rows.append(Row(said, source, case, name, value, low, high, kind, of_cost=of_cost, over=over))
            self.xs += [value, low, high]
        known = Counter(index for index, _ in {(row.source.index, row.series) for row in self.rows})
        each = len(names) * (len(named) or 1)
        if lacking := [source.label for source in self.sources if known[source.index] < each]:
            whose = "" if self.alone else f" of {' and '.join(lacking)}"
            self.notes.append(f"no {'mark' if dots else 'bar'}{whose}: not measured")

    def residuals(self, title: str, column: Callable[[Point], str | None]) -> None:
        """How far cases lie from their laws, in columns of names; None leaves a case out. Within a column they stand
        side by side by what the law counts, so that they do not hide each other."""
        self.comparable = False
        found = [(source, p, column(p)) for source in self.sources for p in source.points if source.predicted(p)]
        names = [*dict.fromkeys(name for *_, name in found if name)]
        words = [name.replace(",", "") for name in names]
        for at, source in enumerate(self.sources):
            for index, name in enumerate(names):
                mine = sorted((p for s, p, n in found if s is source and n == name), key=lambda p: p.count)
                middle, span = index + 0.76 * ((at + 0.5) / len(self.sources) - 0.5), 0.7 / len(self.sources)
                place = {p.name: middle + span * (i / max(1, len(mine) - 1) - 0.5) for i, p in enumerate(mine)}
                style = {"join": False, "size": 0.6, "named": False}
                self.plot(source, mine, lambda p, at=place: at[p.name], residual(source), name, index, **style)
                inside = sum(abs(residual(source)(p, p.value)) <= RIGHT for p in mine)
                words[index] += f"\n{inside}\u00a0of\u00a0{len(mine)}" * self.alone
        for row in self.rows:
            row.law = 0.0
        self.ax.axhspan(-RIGHT, RIGHT, color=BAND, linewidth=0, zorder=0.6)
        numbers = "numbers: cases within it; " * self.alone
        self.notes.append(f"band: {RIGHT} %; {numbers}each column in the order of the law's count")
        self.ys += [RIGHT, -RIGHT]
        self.axes(title, "", "measured over law (%)", scales.named(words), scales.linear)

    def key(self, words: list[tuple[str, str]]) -> None:
        """What colours mean, in a line below the title."""
        offset = {"xytext": (0, 0), "textcoords": "offset points", "xycoords": "axes fraction"}
        for text, colour in words:
            self.keys.append(self.ax.annotate(text, (0, 1), color=colour, fontsize=self.sheet.small, **offset))
            self.keys[-1].set_in_layout(False)
        self.lay_keys(math.inf, 0)

    def lay_keys(self, room: float, start: float) -> None:
        """In as many lines as there must be. room, and where it begins, from the axes' left: inches."""
        size, gap, lines, at = self.sheet.size, 1.2 * self.sheet.size / 72, [[]], 0.0
        for key in self.keys:
            width = wide(key.get_text(), self.sheet.small)
            if lines[-1] and at + width > room:
                lines.append([])
                at = 0.0
            lines[-1].append((key, at))
            at += width + gap
        low = 0.35 if start == 0 else 0.75  # above the highest number at the axis, which it may reach
        for up, line in enumerate(reversed(lines)):
            for key, left in line:
                key.set_position((72 * (start + left), (low + 1.2 * up) * size))
        self.pad = PAD + (low - 0.35 + 1.2 * len(lines)) * bool(self.keys)

    def write(self, x, y, text, dx=0.0, dy=0.0, ha="left", va="center", colour=GREY, **style) -> Annotation:
        """Words at a place of the data, moved by points."""
        scale = self.sheet.size / 8.8
        at = {"xytext": (dx * scale, dy * scale), "textcoords": "offset points", "ha": ha, "va": va, "zorder": 5}
        at |= {"color": colour, "fontsize": self.sheet.small}
        return self.ax.annotate(text, (x, y), annotation_clip=False, **at | style)

    def lead(self, xs, ys, colour: str) -> None:
        """From a mark to its words, in shares of the panel."""
        line = Line2D(xs, ys, transform=self.ax.transAxes, color=colour, linewidth=0.09 * self.sheet.size)
        line.set(linestyle=DASHES[2], zorder=2, clip_on=False)
        line.set_in_layout(False)
        self.ax.add_artist(line)

    def level(self, y, text="", source=None, what="the peak", note="") -> None:
        """A horizontal guide. One of a device is named where its archive is drawn alone: two names might overlap."""
        colour = source.colour if source and not self.alone else GREY
        self.ax.axhline(y, color=colour, linewidth=0.09 * self.sheet.size, linestyle=DASHES[1], zorder=1.6)
        self.ys.append(y)
        if text and (self.alone or not source):
            ends, sides = ((0.01, "left"), (0.99, "right")), (("bottom", 2), ("top", -2))
            places = [((x, y), (ha, va), (0, dy)) for x, ha in ends for va, dy in sides]
            self.guide(text, self.ax.get_yaxis_transform(), places, "dashed")
        elif text:
            self.notes.append(note or f"dashed: {what} of each device")

    def peak(self, source: Source, across: bool = False) -> None:
        """The DRAM's peak as a guide, where it is known; of several devices the numbers stand below. across: a vertical
        one, behind bars that come near it and behind their numbers."""
        peak = source.device.get("memory_peak_GBps")
        note = f"DRAM peak of {source.label}: {number(peak, 4)} GB/s"
        alone = f"DRAM peak {number(peak, 4)} GB/s"
        if peak and not across:
            self.level(peak, alone, source, note=note)
        elif peak and self.xs and peak <= NEAR * max(self.xs):
            self.xs.append(peak)
            self.mark(peak, "", source)
            for words in self.ax.texts:
                words.set_bbox(BLANK | {"alpha": 1})
            self.notes.append(f"dotted: {alone}" if self.alone else note)

    def mark(self, x, text="", source=None) -> None:
        """A vertical guide, where the marks that are drawn come near it."""
        if not self.xs or not min(self.xs) / NEAR <= x <= NEAR * max(self.xs):
            return
        colour = source.colour if source and not self.alone else GREY
        self.ax.axvline(x, color=colour, linewidth=0.09 * self.sheet.size, linestyle=DASHES[2], zorder=1.6)
        if text and self.alone:
            self.beside_guide(x, x, text, HEIGHTS, "dotted")

    def guide(self, text: str, coordinates, places: list[tuple], look: str) -> None:
        """Words at a guide, once, in one of these places: where, how aligned, and how far away in points."""
        if places not in [known for _, known, _ in self.guides]:
            self.guides.append((self.write(*places[0][0], text, bbox=BLANK, xycoords=coordinates), places, look))

    def beside_guide(self, right: float, left: float, text: str, heights, look: str) -> None:
        """To the right of a place, or to the left of one, at one of these heights."""
        sides = ((left, "right", -4), (right, "left", 4))[:: -1 if left == right else 1]
        places = [((x, y), (ha, va), (dx, 0)) for y, va in heights for x, ha, dx in sides]
        self.guide(text, self.ax.get_xaxis_transform(), places, look)

    def size(self, low: float, high: float, source: Source, text: str, of: Definition) -> None:
        """Shaded between the last footprint that fits and the first that does not, or where what is counted otherwise
        lies; of several archives in its colour; wide enough to be told from a line of the grid."""
        line, style = 0.35 * self.sheet.size, {"color": BAND, "zorder": 0.6}
        if self.alone:
            self.ax.axvline((low * high) ** 0.5 if low > 0 else low, linewidth=line, **style)
            self.ax.axvspan(low, high, linewidth=0, **style)
        else:  # two may lie upon each other
            self.ax.axvspan(low, high, linewidth=line / 2, **style | {"color": source.colour, "alpha": 0.22})
        fits = "between the last footprint that fits and the first that does not"
        each = "" if self.alone else ", of each device in its colour"
        self.notes.append(f"shaded{each}: {of.meaning if of.unit != 'bytes' else fits}")
        if text and self.alone:
            self.beside_guide(high, low, text, ((MIDDLE, "center"), *HEIGHTS), "shaded")

    def axes(self, title, x, y="", xscale: Callable = scales.linear, yscale: Callable | None = scales.zero) -> None:
        """Names and scales, once all marks are drawn. yscale None: rows of names."""
        self.ax.set_title(title, pad=PAD * self.sheet.size)
        self.ax.set_xlabel(x)
        self.ax.set_ylabel(y)
        self.names = (x, y)
        if self.xs:
            xscale(self.ax.xaxis, self.xs)
        self.worded = getattr(xscale, "worded", False)
        if yscale and self.ys:
            yscale(self.ax.yaxis, self.ys)
            if self.words:  # room for words above the highest mark
                low, high = self.ax.get_ylim()
                log = self.ax.get_yscale() == "log"
                self.ax.set_ylim(low, high * (high / low) ** HEADROOM if log else high + HEADROOM * (high - low))
        if yscale is None and self.xs:
            self.make_room()

    def make_room(self) -> None:
        """For the words beside bars: the axis is as long as it must be for all of them to stand in the panel."""
        low, high = self.ax.get_xlim()
        self.end = self.end or high
        log = self.ax.get_xscale() == "log"
        whole = BARS_WIDE * self.sheet.width / (1 if self.panel.wide else self.sheet.columns)
        span = math.log(high / low) if log else high - low
        for x, words, _ in self.beside:
            share = (math.log(x / low) if log else x - low) / span
            left = 1 - (wide(words.get_text(), self.sheet.small) + self.sheet.small / 72) / whole
            if share > 0 and left > 0.2:
                stretch = max(1.0, share / left)
                wanted = low * math.exp(span * stretch) if log else low + span * stretch
                high = max(high, wanted)
        if high > self.end:  # the axis ends where it would without words
            ticks = self.ax.xaxis.get_major_locator().tick_values(low, self.end)
            self.ax.xaxis.set_major_locator(FixedLocator([v for v in ticks if low <= v <= self.end]))
            self.ax.minorticks_off()
            self.ax.spines["bottom"].set_bounds(low, self.end)
        self.ax.set_xlim(low, high)
