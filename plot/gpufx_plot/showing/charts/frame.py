"""The frame around panels: the finding as title, the question below, letters, labels at the lines' ends, the source."""

from collections import Counter
from functools import cached_property
from itertools import pairwise
from statistics import median

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ...archive.cases import driver_text
from ...call.grouped import grouped
from ...call.number_text import counted, number
from ...call.text import clipped
from ...judging.compare import why_incomparable
from . import scales
from .look import GREY, LAW, MARKERS, TEXT, Source, Wanted, balanced, sheet_of, wide, wrapped
from .pairs import ALIKE, doubt, hosts_behind, without_counterpart
from .pen import EARLY, PAD, SAME, Panel, Pen, Row, paired
from .placing import place_words

MOST_TEXT = 60  # characters of a device's name or a driver's version
TITLE, EDGE = 1.15, 1.3  # sizes of the text: the title of several archives, and what is free at the left and right
GAP = 0.75  # and between panels
UNIT = 20  # sizes of the text: the height of a panel of height 1
SHRUNK = 0.65  # of its height: a panel that would be lower
INNER = 0.7  # of a panel's place, about, is its axes
MOST_MOVED, MOST_WIDE = 1.6, 0.37  # lines of text, of the panel's place: labels that fit less well stand above
LEADING = 1.19  # sizes of the text: from line to line of a panel's title
BARS = (1.6, 1.35, 5.2)  # and of the first bar of a name, of each further one, and of what stands around all of them
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def origin(source: Source) -> str:
    """Where the numbers of a figure come from."""
    run = source.archive.run
    parts = [f"{run['device']['name']} ({run['device']['arch']})", driver_text(run)]
    parts += [source.processes_text, run["started_utc"][:10], f"archive {run['id']}"]
    if source.archive.incomplete:
        parts.append("incomplete run")
    return " · ".join(clipped(str(part), MOST_TEXT) for part in parts)


class Frame:
    """A figure in the making."""

    def __init__(self, sources: list[Source], wanted: Wanted, question: str):
        self.sources, self.wanted, self.sheet = sources, wanted, sheet_of(wanted.sheet)
        self.finding, self.question, self.parts = "", question, 1
        self.asides: list[str] = []  # of the title, for the caption
        self.titled = wanted.heads or wanted.sheet == "report"
        self.figure = Figure(figsize=[self.sheet.width] * 2)
        self.pens: list[Pen] = []

    def _pen(self, panel: Panel) -> Pen:
        pen = Pen(self.figure.add_axes((0.1, 0.1, 0.8, 0.8)), self.sources, self.sheet, panel, titled=self.titled)
        panel.draw(pen)
        self._compare_bars(pen)
        return pen

    def drawn(self, panels: list[Panel]) -> list[Pen]:
        """The panels that show something."""
        return [pen for pen in map(self._pen, panels) if pen.telling]

    def _notes(self) -> str:
        notes = [*dict.fromkeys(note for pen in self.pens for note in pen.notes), *self.asides]
        notes += hosts_behind(self.sources)
        drawn = [{row.case for pen in self.pens for row in pen.rows if row.source is s} for s in self.sources]
        for source, cases in zip(self.sources[1:], drawn[1:], strict=True):
            why = Counter(self._unlike[at] for case in cases & drawn[0] if (at := (source.index, case)) in self._unlike)
            both = counted(len(cases & drawn[0]), "case")
            notes += [f"{n} of {both} not comparable: {reason}" for reason, n in why.items()]
        notes += without_counterpart(self.sources, [pen for pen in self.pens if pen.panel.draw != self._ratios])
        return ". ".join(note[:1].upper() + note[1:] for note in notes)

    def caption(self) -> str:
        """What stands around the panels of a figure with a title, a line each."""
        lines = [self.finding, self.question, *map(origin, self.sources), self._notes()]
        return "".join(f"{line}\n" for line in lines if line)

    def title_lines(self, text: str) -> int:
        """That a finding of several archives takes."""
        return len(wrapped(text, TITLE * self.sheet.size, self.sheet.width - 2 * EDGE * self.sheet.size / 72, "bold"))

    def _words(self) -> tuple[list[tuple], list[str], float, float]:
        """What stands above and below the panels, and inches that they take."""
        sheet, many = self.sheet, len(self.sources) > 1
        unit, room = sheet.size / 72, sheet.width - 2 * EDGE * sheet.size / 72
        heads = self._heads((1.3 if not many else TITLE) * sheet.size, room)
        whose = [] if many else wrapped(origin(self.sources[0]), sheet.small, room)
        foot = [*whose, *balanced(self._notes(), sheet.small, room, "normal")] if self.titled else []
        return heads, foot, 1.5 * unit + sum(1.32 * points / 72 for points, *_ in heads), unit * (0.5 + 1.3 * len(foot))

    def draw(self, pens: list[Pen], letters: str) -> Figure:
        """These panels of those that were drawn, behind them the ratio of the archives where there are several."""
        self.pens = pens
        for pen, letter in zip(pens, letters, strict=False):
            pen.letter = letter
            for row in pen.rows:
                row.panel = letter
        ratios = [ratio for *_, pairs in self._over_first() for *_, ratio in pairs]
        if ratios and max(*ratios, 1 / min(ratios)) > ALIKE:
            narrow = sum(not pen.panel.wide for pen in pens)
            self.pens = [*pens, self._pen(Panel(self._ratios, wide=narrow % 2 == 0 or narrow == 1))]
        if self.wanted.panel:
            self.pens = [pen for pen in self.pens if pen.letter == self.wanted.panel]
        if not self.pens:
            return self.figure
        self._grid()
        for pen in self.pens:
            pen.lettered = len(self.pens) > 1 or self.wanted.panel < pen.letter != "a"
            pen.nest(72 * INNER * self._room(pen))
            pen.name_ranges(72 * INNER * self._room(pen))
            self._label(pen)
        for pen in self.pens:  # of several archives panels side by side name the same series alike
            names = {f"{label.shape} {label.text}" for label in pen.labels if not pen.alone}
            beside = [other for other in self.pens if other.place[0] == pen.place[0]]
            if names and names in [{key.get_text() for key in other.keys} for other in beside]:
                self._key_names(pen)
        heights = self._fitting(self._grid())
        for ax in {*self.figure.axes} - {pen.ax for pen in self.pens}:
            ax.remove()
        return self._finish(heights)

    def _fitting(self, heights: list[float]) -> list[float]:
        """So that a page has room for all rows: those without names down the left side shrink, but not much; where
        that does not do, a page has as many rows as fit, and the others stand on further ones."""
        _, _, top, bottom = self._words()
        room = (self.sheet.most - top - bottom) / (UNIT * self.sheet.size / 72)
        over = sum(heights) - room
        listed = {pen.place[0] for pen in self.pens if pen.listed}
        shrinks = sum(height for row, height in enumerate(heights) if row not in listed)
        kept = 1 - max(0, over) / shrinks if shrinks else float(over <= 0)
        if kept > SHRUNK:
            return [height * (1 if row in listed else kept) for row, height in enumerate(heights)]
        pages: list[list[int]] = []
        for row, height in enumerate(heights):
            if not pages or sum(heights[other] for other in pages[-1]) + height > room:
                pages.append([])
            pages[-1].append(row)
        self.pens, self.parts = [pen for pen in self.pens if pen.place[0] in pages[self.wanted.part]], len(pages)
        return self._grid()

    def _height(self, pen: Pen) -> float:
        if not pen.listed:
            return pen.panel.height + (pen.pad - PAD) / UNIT
        lines = [1 + label.get_text().count("\n") for label in pen.ax.get_yticklabels()]
        both = max(map(sum, pairwise(lines)), default=2)  # of names that stand below each other
        first, further, around = BARS
        bar = max(first + further * (pen.slots - 1), 0.3 + 0.63 * both)
        return (pen.listed * bar + around + pen.pad) / UNIT

    def _grid(self) -> list[float]:
        """Gives each panel its (row, column, columns), and returns the height of each row. A panel that would stand
        alone in its row takes all of it; so does the first where the number is odd."""
        columns, row, beside = self.sheet.columns, -1, False
        narrow = [pen for pen in self.pens if not pen.panel.wide]
        for pen in self.pens:
            whole = pen.panel.wide or columns == 1 or (len(narrow) % 2 == 1 and pen is narrow[0])
            beside = not (whole or beside)
            row += whole or beside
            pen.place = (row, 0, columns) if whole else (row, int(not beside), 1)
            pen.lay_keys(self._room(pen) - 3 * self.sheet.size / 72, 0)
            if pen.listed:
                room = (0.38 if pen.place[2] > 1 else 0.42) * self._room(pen)
                names = [balanced(of.get_text(), pen.sheet.small, room, "normal") for of in pen.ax.get_yticklabels()]
                pen.ax.set_yticks(range(len(names)), ["\n".join(lines) for lines in names])
        return [max(self._height(pen) for pen in self.pens if pen.place[0] == at) for at in range(row + 1)]

    def _room(self, pen: Pen) -> float:
        """Inches that its place is wide."""
        return self.sheet.width * pen.place[2] / self.sheet.columns

    def _entitle(self) -> None:
        """Breaks the panels' titles, what their colours mean and the names of their axes where their places end. Titles
        begin where the places do, not where the axes do, so that letters stand below each other, and side by side at
        one height."""
        size, (width, height) = self.sheet.size, self.figure.get_size_inches()
        over = {}  # of the panels of each row: how far the first line stands over the axes
        for pen in self.pens:
            row, column, span = pen.place
            begin, end = (width * at / self.sheet.columns for at in (column, column + span))
            box = pen.ax.get_position()
            start = begin + ((GAP if column else EDGE) + 1.6 * pen.lettered) * size / 72
            room = end - start - 0.5 * size / 72
            pen.lay_keys(room, start - box.x0 * width)
            lines = wrapped(pen.ax.get_title("left"), size, room)
            pen.ax.set_title("\n".join(lines), linespacing=1.25, x=(start / width - box.x0) / box.width)
            over.setdefault(row, []).append(pen.pad + LEADING * (len(lines) - 1))
            middle = width * (box.x0 + box.x1) / 2
            beside = min(middle - begin, end - middle) - 0.5 * size / 72
            pen.ax.set_xlabel("\n".join(wrapped(pen.names[0], size, 2 * beside)))
            pen.ax.set_ylabel("\n".join(wrapped(pen.names[1], size, 1.05 * box.height * height)))
        for pen in self.pens:
            pen.pad = max(over[pen.place[0]]) - LEADING * pen.ax.get_title("left").count("\n")
            pen.ax.set_title(pen.ax.get_title("left"), pad=pen.pad * size)

    def _label(self, pen: Pen) -> None:
        """Makes the texts, so that the layout leaves room for them; `_settle` moves them apart. Where the ends of lines
        lie too close, or the panel is too narrow for names beside it, these stand in a line below the title."""
        to_panel = pen.ax.transScale + pen.ax.transLimits
        ends: dict[str, list] = {}  # of several archives' lines, too, one name
        for label in sorted(pen.labels, key=lambda at: -at.y) if pen.alone else pen.labels:
            ends.setdefault(label.text, [label]).append(to_panel.transform((label.x, label.y)))
        apart = any(np.ptp(places, axis=0).max() > SAME / 2 for _, *places in ends.values())
        pen.labels = [label for label, *_ in ends.values()]
        if apart or self._crowded(pen, [tuple(place) for _, place, *_ in ends.values()]):
            self._key_names(pen)
        for label in pen.labels:
            x, y = to_panel.transform((label.x, label.y))
            if x <= EARLY:
                pen.words.append(label)
                continue
            style = {"fontsize": pen.sheet.small, "color": label.colour, "va": "center", "zorder": 5}
            pen.made.append((label, x, y, pen.ax.text(1.02, y, label.text, transform=pen.ax.transAxes, **style)))

    @staticmethod
    def _key_names(pen: Pen) -> None:
        """Names of series stand below the title, not at the lines' ends."""
        for *_, text in pen.made:
            text.remove()
        pen.key([(f"{label.shape} {label.text}", label.colour) for label in pen.labels])
        pen.labels, pen.made, pen.words = [], [], [word for word in pen.words if not word.shape]

    def _crowded(self, pen: Pen, ends: list[tuple[float, float]]) -> bool:
        """Whether names at the ends of lines would stand too far from them."""
        if len(ends) < 2:
            return False
        step = 1.25 * pen.sheet.small / 72 / (INNER * pen.panel.height * UNIT * self.sheet.size / 72)
        heights = sorted(y for x, y in ends if x > EARLY)
        moved = max((abs(a - b) for a, b in zip(heights, spread_out(heights, step), strict=True)), default=0)
        widest = max(wide(label.text, pen.sheet.small) for label in pen.labels)
        return moved > (MOST_MOVED if pen.alone else 0.4) * step or widest > MOST_WIDE * self._room(pen)

    def _have_places(self) -> bool:
        """Whether all words have places in this layout. Those that have not are moved: names of series to below the
        title, words at guides to the caption; words beside bars that would leave their place become numbers."""
        found = True
        for pen in self.pens:
            end = self.figure.bbox.width * sum(pen.place[1:]) / self.sheet.columns
            for _, words, plain in pen.beside:
                if words.get_window_extent().x1 > end:
                    words.set_text(plain)
            if (pen.words or pen.guides) and not place_words(pen, self.figure, write=False):
                found = False
                if any(word.shape for word in pen.words):
                    self._key_names(pen)
        return found

    def _settle(self) -> None:
        """Once the layout stands: labels that would overlap are moved apart, and led to their lines."""
        for pen in self.pens:
            box = pen.ax.get_window_extent()
            step = 1.25 * pen.sheet.small / 72 * self.figure.dpi / box.height
            mine = sorted(pen.made, key=lambda m: m[2])
            for (label, x, y, text), place in zip(mine, spread_out([m[2] for m in mine], step), strict=True):
                text.set_y(place)
                if x < 0.96 or abs(place - y) > 0.4 * step:
                    pen.lead((x + 0.008, 1.015), (y, place), label.colour)
            if pen.words or pen.guides:
                place_words(pen, self.figure, write=True)

    @cached_property
    def _unlike(self) -> dict[tuple[int, str], str]:
        """Cases of each further archive that `compare` would not hold against the first one's, and why."""
        first = {point.name: point for point in self.sources[0].points}
        pairs = ((s.index, first[p.name], p) for s in self.sources[1:] for p in s.points if p.name in first)
        return {(index, new.name): why for index, base, new in pairs if (why := why_incomparable(base, new))}

    def unlike(self, pens: list[Pen]) -> str:
        """For the title, why no drawn case can be held against the first archive's."""
        reasons = {self._unlike.get((row.source.index, row.case), "") for pen in pens for row in pen.rows
                   if row.source is not self.sources[0]}  # fmt: skip
        return f" ({reasons.pop().partition(':')[0]})" if len(reasons) == 1 and "" not in reasons else ""

    def _held(self, pen: Pen) -> list[Row]:
        """What ratios are of; those of two archives' bars stand beside them."""
        if not pen.comparable or (pen.listed and len(self.sources) == 2):
            return []
        return [row for row in pen.rows if (row.source.index, row.case) not in self._unlike]

    def _compare_bars(self, pen: Pen) -> None:
        """Of two archives the ratio stands behind the number of the second one's bar."""
        known = {row.x: row for row in pen.rows if row.source is self.sources[0] and row.y > 0}
        for row, (_, words, _) in zip(pen.rows, pen.beside, strict=False) if len(self.sources) == 2 else ():
            base = known.get(row.x, row)
            ratio = row.y / base.y if row.y > 0 else 1
            if max(ratio, 1 / ratio) > ALIKE and (row.source.index, row.case) not in self._unlike:
                mark, why = doubt(self.sources, base, row)
                words.set_text(f"{words.get_text()} ({ratio:.2f}x{mark})")
                row.ratio = ratio
                over = " over ".join(source.label for source in reversed(self.sources))
                pen.notes += [f"in brackets: {over}", *[f"{mark}: {why}"] * bool(mark)]
                pen.make_room()

    def _over_first(self) -> list[tuple[str, Source, list[tuple[str, str, float]]]]:
        """What every other archive measured over the first, case by case, for each series of the panels."""
        rows, found = [row for pen in self.pens for row in self._held(pen) if row.y > 0], []
        for source in self.sources[1:]:
            pairs = grouped(paired(rows, self.sources[0], source)[0], lambda pair: (pair[0].panel, pair[0].series))
            for (panel, series), both in sorted(pairs.items(), key=lambda of: of[0][0]):
                name = f"{panel}: {series or 'all'}"
                found += [(name, source, [(new.case, old.case, new.y / old.y) for old, new in both])]
        return found

    def _ratios(self, pen: Pen) -> None:
        first, found = self.sources[0], self._over_first()
        names = [*dict.fromkeys(name for name, *_ in found)]
        pen.letter = LETTERS[LETTERS.index(self.pens[-1].letter) + 1]
        for name, source, pairs in found:
            ratios = [ratio for *_, ratio in pairs]
            place = names.index(name) + 0.5 * (source.index - len(self.sources) / 2) / len(self.sources)
            style = {"marker": MARKERS[0], "linestyle": "none", "markersize": 0.4 * self.sheet.size}
            style |= {"color": source.colour, "alpha": 0.45, "markeredgewidth": 0}
            pen.ax.plot(ratios, [place] * len(ratios), **style)
            middle = median(ratios)
            drawn = [*pairs, ("median", "", middle)]
            pen.rows += [
                Row("", source, of, name, *[y] * 3, "", None, pen.letter, y, over=base) for of, base, y in drawn
            ]
            pen.ax.plot([middle] * 2, [place - 0.3, place + 0.3], color=TEXT, linewidth=0.15 * self.sheet.size)
            text = f"{middle:.2f}" if 0.1 < middle < 10 else number(middle, 3)
            pen.write(1, place, text, 4, va="center_baseline", colour=TEXT, xycoords=pen.ax.get_yaxis_transform())
            pen.xs += ratios
        pen.write(1, -0.5, "median", 4, 2, va="bottom", xycoords=pen.ax.get_yaxis_transform())
        pen.ax.axvline(1, color=LAW, linewidth=0.09 * self.sheet.size, zorder=1.6)
        pen.xs.append(1.0)
        pen.listed, pen.slots = max(len(names), 2), len(self.sources) - 1
        pen.ax.set_yticks(range(len(names)), names)
        pen.ax.set_ylim(len(names) - 0.5, -0.5)
        pen.ax.grid(visible=False, axis="y")
        whose = self.sources[1].label if len(self.sources) == 2 else "each other archive"
        of = grouped((other for other in self.pens if self._held(other)), lambda other: other.names[not other.listed])
        each = [f"{', '.join(other.letter for other in others)}: {axis}" for axis, others in of.items()]
        what = f"of {next(iter(of))}" if len(of) == 1 else f"({'; '.join(each)})"
        pen.axes(f"{whose} over {first.label}, case by case", f"ratio {what}", "", scales.ratio, None)

    def _finish(self, heights: list[float]) -> Figure:
        sheet, size, unit = self.sheet, self.sheet.size, self.sheet.size / 72
        panels = sum(heights) * UNIT * unit
        for again in (False, True):
            heads, foot, top, bottom = self._words()
            width, height = sheet.width, top + panels + bottom
            self.figure.set_size_inches(width, height)
            self._lay_out(heights, top / height, bottom / height)
            if again or self._have_places():
                break

        def write(x, y, text, **style):
            self.figure.text(x / width, 1 - y / height, text, va="top", **style)

        left, y = EDGE * unit, 0.8 * unit
        for points, text, (indent, style), source in heads:
            if source:
                middle = 1 - (y + 0.45 * points / 72) / height
                look = {"lw": 0.2 * size, "linestyle": source.dash, "marker": MARKERS[0], "markersize": 0.5 * size}
                look |= {"markerfacecolor": "white", "markevery": [1]} if source.index else {"markevery": [1]}
                bars = [bool(pen.ax.containers) for pen in self.pens if pen.panel.draw != self._ratios]
                begin, end = 1.1 * any(bars), 2 - 1.1 * (not all(bars))  # both: a bar, behind it a line
                if any(bars):
                    place = (left / width, middle - 0.3 * unit / height), end * unit / width, 0.6 * unit / height
                    bar = {"facecolor": source.fill, "edgecolor": source.colour, "linewidth": 0.07 * size}
                    self.figure.add_artist(Rectangle(*place, **bar))
                if not all(bars):
                    xs = [(left + x * unit) / width for x in (begin, (begin + 2) / 2, 2)]
                    self.figure.add_artist(Line2D(xs, [middle] * 3, color=source.colour, **look))
            write(left + 2.6 * unit * indent, y, text, fontsize=points, **style)
            y += 1.32 * points / 72
        for pen in (pen for pen in self.pens if pen.lettered):
            x = sheet.width * pen.place[1] / sheet.columns + (GAP if pen.place[1] else EDGE) * unit
            first = pen.pad + LEADING * pen.ax.get_title("left").count("\n")  # line of its title
            style = {"fontweight": "bold", "fontsize": 1.15 * size}
            self.figure.text(x / width, pen.ax.get_position().y1 + first * unit / height, pen.letter, **style)
        y = top + panels + 0.2 * unit
        for line in foot:
            write(left, y, line, color=GREY, fontsize=sheet.small)
            y += 1.3 * unit
        if any(source.archive.synthetic for source in self.sources):
            style = {"rotation": 25, "ha": "center", "va": "center", "fontweight": "bold", "color": "#b3261e"}
            points = min(6.5 * width, 14 * height)
            mark = self.figure.text(0.5, 0.48, "SYNTHETIC", fontsize=points, alpha=0.13, zorder=50, **style)
            mark.set_gid("watermark-synthetic")
            mark.set_in_layout(False)
        self._settle()
        return self.figure

    def _lay_out(self, heights: list[float], top: float, bottom: float) -> None:
        """Gives each panel what its words leave of its place; all in shares of the figure. Words may break otherwise in
        an axes of another size, so it is done twice. Rounded: the same figure every time."""
        self.figure.set_dpi(self.sheet.dpi)
        renderer = FigureCanvasAgg(self.figure).get_renderer()
        width, height = self.figure.bbox.width, self.figure.bbox.height
        gap = GAP * self.sheet.size / 72 * self.figure.dpi
        ends = [1 - top - (1 - top - bottom) * sum(heights[:row]) / sum(heights) for row in range(len(heights) + 1)]
        for again in (False, True):
            spare = {}
            for pen in self.pens if again else ():
                (scales.fold if pen.worded else scales.thin_out)(pen.ax.xaxis, renderer)
            self._entitle()
            for pen in self.pens:
                inner, outer = pen.ax.get_window_extent(), pen.ax.get_tightbbox(renderer)
                title = pen.ax.set_title(pen.ax.get_title("left"), pad=pen.pad * self.sheet.size)
                title.set_visible(False)  # it ends where its panel's place does, not where the axes do
                beside = pen.ax.get_tightbbox(renderer)
                title.set_visible(True)
                left, right = inner.x0 - beside.x0, beside.x1 - inner.x1
                spare[id(pen)] = (left, right, inner.y0 - outer.y0, outer.y1 - inner.y1)
            for pen in self.pens:
                row, column, span = pen.place
                beside = [spare[id(other)] for other in self.pens if other.place[0] == row]
                alike = [o for o in self.pens if o.place[1:] == (column, span) and (o.listed > 0) == (pen.listed > 0)]
                left = max(spare[id(other)][0] for other in alike) + gap / GAP * (GAP if column else EDGE)
                right = max(spare[id(other)][1] for other in alike if other.names[0] == pen.names[0]) + gap
                under, over = max(s[2] for s in beside) + gap, max(s[3] for s in beside) + gap / 2
                x0 = column / self.sheet.columns + left / width
                x1 = (column + span) / self.sheet.columns - right / width
                y0, y1 = ends[row + 1] + under / height, ends[row] - over / height
                place = (x0, y0, max(x1 - x0, 0.05), max(y1 - y0, 0.05))
                pen.ax.set_position([round(float(edge), 5) for edge in place])
        self._entitle()

    def _heads(self, title: float, room: float) -> list[tuple]:
        """Lines above the panels: (points, text, style, whose colour stands before it). Without heads those
        alone that tell several archives apart."""
        size, bold, grey = self.sheet.size, {"fontweight": "bold"}, {"color": GREY}
        if not self.wanted.heads:
            return [(size, clipped(source.label), (1, {}), source) for source in self.sources if len(self.sources) > 1]
        heads = [(title, line, (0, bold), None) for line in balanced(self.finding, title, room)]
        asked, unsure = self.question.partition("? ")[::2] if wide(self.question, size) > room else (self.question, "")
        for part in (f"{asked}?" if unsure else asked, unsure):  # each from the beginning of a line
            heads += [(size, line, (0, grey), None) for line in balanced(part, size, room, "normal")]
        for source in self.sources if len(self.sources) > 1 else ():
            small, inner = self.sheet.small, room - 2.6 * size / 72
            told = enumerate(wrapped(origin(source), small, inner))
            heads += [(small, line, (1, grey), None if at else source) for at, line in told]
        return heads


def spread_out(places: list[float], step: float) -> list[float]:
    """The same places in order, at least `step` apart, each cluster about its middle, in the panel if it can be."""
    blocks: list[list] = []  # [sum of place - index x step, count]
    for index, place in enumerate(places):
        blocks.append([place - index * step, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    flat = [total / count for total, count in blocks for _ in range(count)]
    moved = [base + index * step for index, base in enumerate(flat)]
    over = max(0.0, moved[-1] - 1.0) if moved else 0.0
    return [place - over * (index + 1) / len(moved) if over else place for index, place in enumerate(moved)]
