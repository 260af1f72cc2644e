"""How all figures look: one colour per device everywhere, one frame around every figure, the same bytes every time.

Hue says the device. Lightness and marker say the series within it (a width, a path), and the dash says which archive
where several are overlaid.
"""

import math
from dataclasses import dataclass, field

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from ..model import Point, driver_text, fit_rows, number, plateaus, size_text
from ..sizes import sizes
from ..tables import table
from ..text import clipped
from .look import Source

# Okabe and Ito's palette for all kinds of colour vision, without its black and its yellow (too pale for lines).
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = "osD^vPX*<>"
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY, PALE = "#5f6368", "#c4c7cc"
BLANK = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}  # behind text that lies on lines
LEAST_WIDTH = 8  # inches that a title needs
MOST_TEXT = 60  # characters of a device's name or a driver's version
MOST_FITS = 16  # rows of one law under a figure; beyond that they are merged

# Nothing of the user's own settings, nor a matplotlibrc in the present folder, may change a figure.
RC = {key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"} | {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.hashsalt": "gpufx",
    "svg.fonttype": "path",
    "path.simplify": False,
    "text.parse_math": False,  # a name may hold any character
}


def shade(colour: str, index: int, count: int) -> str:
    """The index-th of `count` steps from dark to light of one hue."""
    if count < 2:
        return colour
    place = index / (count - 1)
    target, weight = ((0, 0, 0), 0.45 * (1 - 2 * place)) if place < 0.5 else ((1, 1, 1), 0.5 * (2 * place - 1))
    return to_hex([c + (t - c) * weight for c, t in zip(to_rgb(colour), target, strict=True)])


@dataclass
class Canvas:
    """A figure in the making: panels are added by the chart, the frame at the end by `finish`."""

    sources: list[Source]
    figure: Figure
    notes: list[str] = field(default_factory=list)  # what was left out, for the caption
    keys: dict[str, Line2D] = field(default_factory=dict)  # legend of the series, by label

    def key(self, label: str, **style) -> None:
        """Adds a series to the figure's legend, once, drawn with the first source's hue."""
        if label:
            self.keys.setdefault(label, Line2D([], [], **style))

    def look(self, source: Source, index: int, count: int) -> dict:
        """Colour, marker and dash of the index-th of `count` series. The markers of a second archive are hollow."""
        colour = shade(source.colour, index, count)
        face = {"markerfacecolor": "none"} if source.index else {}
        return {"color": colour, "marker": MARKERS[index % len(MARKERS)], "linestyle": source.dash} | face

    def law_look(self, source: Source) -> dict:
        """The law's line: grey, or the device's colour where there are several."""
        colour = source.colour if len(self.sources) > 1 else GREY
        return {"color": colour, "linestyle": source.dash, "linewidth": 0.9, "zorder": 1.8}

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def canvas(sources: list[Source], width: float, height: float) -> Canvas:
    return Canvas(sources, Figure(figsize=(width, height), layout="constrained"))


def _subtitle(source: Source) -> str:
    run = source.archive.run
    parts = [f"{run['device']['name']} ({run['device']['arch']})", driver_text(run)]
    parts += [source.archive.processes_text, run["started_utc"][:10]]
    if source.archive.incomplete:
        parts.append("incomplete run")
    return " · ".join(clipped(part, MOST_TEXT) for part in parts)


def finish(c: Canvas, title: str) -> Figure:
    """Title, subtitle, legends, fits, caption and watermark around the panels, whose height they are added to."""
    width, panels = c.figure.get_size_inches()
    many = len(c.sources) > 1
    if any(fit.held_out for source in c.sources for fit in source.fits):
        c.note("behind each fit: cases held out, their share within so much of the prediction, and measured/predicted")
    notes = _wrapped(" · ".join(c.notes), int(width * 15.5))
    blocks = _fit_blocks(c)
    keys = sorted(c.keys, key=lambda label: not label.startswith("the law"))
    key_rows = int(-(-sum(0.62 + 0.07 * len(text) for text in keys) // (width - 0.3)))
    # All in inches; y counts down from the top, then up from the bottom.
    bottom = 0.08 + 0.15 * len(notes)
    top = 0.39 + 0.19 * len(c.sources) + 0.19 * key_rows + 0.08
    fits = 0.125 * sum(max(map(len, row)) for row in blocks) + 0.08 * len(blocks)
    height = top + panels + fits + bottom
    c.figure.set_size_inches(width, height)

    def write(x, y, text, **style):
        c.figure.text(x / width, 1 - y / height, text, va="top", **style)

    left, y = 0.12, 0.12
    write(left, y, title, fontsize=13, fontweight="bold")
    y += 0.27
    for source in c.sources:
        if many:
            ends = [left / width, (left + 0.35) / width], [1 - (y + 0.08) / height] * 2
            c.figure.add_artist(Line2D(*ends, color=source.colour, lw=2, linestyle=source.dash))
        write(left + 0.45 * many, y, _subtitle(source), color=GREY)
        y += 0.19
    if keys:
        style = {"ncols": -(-len(keys) // key_rows), "columnspacing": 1.6, "borderaxespad": 0.1, "borderpad": 0.2}
        at = (left / width, 1 - y / height)
        handles = [c.keys[label] for label in keys]
        c.figure.legend(handles, keys, loc="upper left", bbox_to_anchor=at, **style).set_in_layout(False)
    y = top + panels
    for row in blocks:
        for index, lines in enumerate(row):
            style = {"fontsize": 6.6, "family": "DejaVu Sans Mono", "linespacing": 1.35}
            write(left + index * (width - left) / len(row), y + 0.05, "\n".join(lines), **style)
        y += 0.125 * max(map(len, row)) + 0.08
    for line in notes:
        write(left, y + 0.04, line, color=GREY, fontsize=7.5)
        y += 0.15
    rect = (0.005, (fits + bottom) / height, 0.99, panels / height)
    c.figure.get_layout_engine().set(rect=rect, w_pad=0.06, h_pad=0.06)
    if any(source.archive.synthetic for source in c.sources):
        style = {
            "rotation": 25,
            "ha": "center",
            "va": "center",
            "fontweight": "bold",
            "color": "#b3261e",
            "alpha": 0.13,
        }
        mark = c.figure.text(0.5, 0.48, "SYNTHETIC", fontsize=min(6.5 * width, 14 * height), zorder=50, **style)
        mark.set_gid("watermark-synthetic")
        mark.set_in_layout(False)
    return c.figure


def _fit_blocks(c: Canvas) -> list[list[list[str]]]:
    """What the fits gave, as rows of columns of lines: a column per archive, or as many as find room for one alone."""
    fits = [table(("", "", "", ""), rows)[1:] for source in c.sources if (rows := fit_rows(source.fits, MOST_FITS))]
    if not fits:
        return []
    # A glyph of this size is a whole number of dots wide.
    room = max(1, int((c.figure.get_size_inches()[0] - 0.12) / (0.0592 * (max(len(t) for f in fits for t in f) + 2))))
    if len(c.sources) == 1:
        deep = max(4, -(-len(fits[0]) // room))
        columns = [fits[0][i : i + deep] for i in range(0, len(fits[0]), deep)]
        return [columns + [[""]] * (room - len(columns))]
    columns = [[s.label, *f] for s, f in zip((s for s in c.sources if s.fits), fits, strict=True)]
    return [columns[i : i + room] for i in range(0, len(columns), room)]


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width and lines[-1]:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines if text else []


def tiled(c: Canvas, panels: list, columns: int, cell=None, widths=None) -> None:
    """Draws the panels, functions of an axes, side by side in rows, in the figure or a cell of its grid. A figure that
    has fewer panels than columns becomes as much narrower; four panels stand two by two."""
    if len(panels) == 4 and columns == 3:
        columns = 2
    if not cell and len(panels) < columns:
        width, height = c.figure.get_size_inches()
        c.figure.set_size_inches(max(LEAST_WIDTH, width * len(panels) / columns), height)
        columns, widths = len(panels), widths and widths[: len(panels)]
    rows = -(-len(panels) // columns)
    grid = (cell.subgridspec if cell else c.figure.add_gridspec)(rows, columns, width_ratios=widths)
    for index, panel in enumerate(panels):
        panel(c.figure.add_subplot(grid[index // columns, index % columns]))


def panel_key(ax: Axes, label: str, **style) -> None:
    """Adds a series to the panel's own legend, once, drawn as the first source that has it."""
    if label and label not in ax.get_legend_handles_labels()[1]:
        ax.plot([], [], label=label, **style)


def peak_line(c: Canvas, ax: Axes, source: Source, height: float, text: str, left: bool = False) -> None:
    """A rate that no case can exceed as a line, named where one source is drawn alone: two names might overlap."""
    ax.axhline(height, **c.law_look(source))
    if len(c.sources) > 1:
        c.note("horizontal lines over rates: each device's peak")
        return
    at = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "xytext": (0, 2), "va": "bottom"}
    place = {"ha": "left"} if left else {"ha": "right"}
    ax.annotate(text, (0.01 if left else 0.99, height), fontsize=7.2, color=GREY, bbox=BLANK, **at, **place)


def legend_above(ax: Axes, columns: int = 3) -> None:
    """A panel's own legend, between its title and its data."""
    if ax.get_legend_handles_labels()[1]:
        style = {"fontsize": 7.2, "handlelength": 1.4, "columnspacing": 0.9, "handletextpad": 0.4, "borderpad": 0.1}
        ax.legend(loc="lower left", bbox_to_anchor=(-0.01, 0.995), ncols=columns, borderaxespad=0.1, **style)
        rows = -(-len(ax.get_legend_handles_labels()[1]) // columns)
        ax.set_title(ax.get_title(loc="left"), pad=6 + 11 * rows)


def heights(ax: Axes, pairs: list[tuple[float, float]]) -> None:
    """Writes the height of each flat part of a staircase over it."""
    for value, first, last in plateaus(pairs):
        middle = (max(first, 0) * max(last, 0)) ** 0.5
        at = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center", "va": "bottom"}
        ax.annotate(number(value, 3), (middle, value), fontsize=7.5, color=GREY, bbox=BLANK, **at)


def brackets(ax: Axes, points: list[Point], axis: str) -> None:
    """Shades where each flat part of a staircase over an axis of bytes ends: between the last footprint that fits and
    the first that does not."""
    for size in sizes(points, axis):
        if size.low and size.high:
            ax.axvspan(size.low, size.high, color=PALE, alpha=0.5, linewidth=0)


def decorate(ax: Axes, title: str, x: str, y: str) -> None:
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def from_zero(ax: Axes, values) -> None:
    """A linear y axis from zero: what is twice as high costs twice as much."""
    finite = [0, *(v for v in values if math.isfinite(v))]
    ax.set_ylim(min(finite), 1.08 * max(finite) or 1)


def binary(value: float) -> str:
    """4096 -> 4Ki, as the axes write numbers."""
    for suffix, factor in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if value >= factor and value % factor == 0:
            return f"{value / factor:.0f}{suffix}"
    return number(value)


def log2_axis(axis, values, text=number, most=9) -> None:
    """A logarithmic axis to base 2 with at most `most` ticks on powers of two, written by `text`."""
    positive = sorted({v for v in values if v > 0})
    if not positive:
        return
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=2)
    low, high = int(positive[0]).bit_length() - 1, int(positive[-1]).bit_length()
    step = max(1, -(-(high - low) // (most - 1)))
    ticks = [2.0**p for p in range(low, high + 1, step)]
    if high - low <= 3:
        ticks += [1.5 * tick for tick in ticks]
    axis.set_major_locator(FixedLocator(sorted(ticks)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))
    axis.set_minor_locator(NullLocator())


def bytes_axis(axis, values, most=9) -> None:
    log2_axis(axis, values, lambda v: size_text(v).replace(" ", "\u2009"), most)


def log10_axis(axis, values, text=number) -> None:
    """A logarithmic axis in plain decimal figures, with ticks at 2 and 5 where it spans few decades."""
    positive = [v for v in values if v > 0]
    if not positive:
        return
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    few = max(positive) < 300 * min(positive)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=9))
    if few:
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))
    axis.set_minor_formatter(NullFormatter())
