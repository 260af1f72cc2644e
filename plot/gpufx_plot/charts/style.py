"""How all figures look: one colour per device everywhere, one frame around every figure, the same bytes every time.

Hue says the device. Lightness and marker say the series within it (a width, a path), and the dash says which archive
where several are overlaid.
"""

import hashlib
import math
from dataclasses import dataclass, field

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from ..archive import Archive
from ..model import Fit, Point, driver_text, number, predicted, size_text

# Okabe and Ito's palette for all kinds of colour vision, without its black and its yellow (too pale for lines).
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = "osD^vPX*<>"
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY, PALE = "#5f6368", "#c4c7cc"

# Nothing of the user's own settings may change a figure.
RC = mpl.rc_params_from_file(mpl.matplotlib_fname(), use_default_template=True) | {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
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
}


def device_colour(slug: str) -> str:
    return PALETTE[hashlib.sha256(slug.encode()).digest()[0] % len(PALETTE)]


def shade(colour: str, index: int, count: int) -> str:
    """The index-th of `count` steps from dark to light of one hue."""
    if count < 2:
        return colour
    place = index / (count - 1)
    target, weight = ((0, 0, 0), 0.45 * (1 - 2 * place)) if place < 0.5 else ((1, 1, 1), 0.6 * (2 * place - 1))
    return to_hex([c + (t - c) * weight for c, t in zip(to_rgb(colour), target, strict=True)])


@dataclass
class Source:
    """One archive in a figure, reduced to one probe."""

    archive: Archive
    points: list[Point]
    fits: list[Fit]
    index: int
    colour: str
    label: str

    @property
    def dash(self):
        return DASHES[self.index % len(DASHES)]

    def predicted(self, point: Point) -> float | None:
        return predicted(self.fits, point)


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
        """Colour, marker and dash of the index-th of `count` series."""
        colour = shade(source.colour, index, count)
        return {"color": colour, "marker": MARKERS[index % len(MARKERS)], "linestyle": source.dash}

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def note_fits(self, axis: str) -> None:
        """What the fits gave, for each value of the group's `axis`."""
        for source in self.sources:
            groups: dict[tuple, list[Fit]] = {}
            for fit in source.fits:
                groups.setdefault((fit.group.get(axis, ""), fit.law, fit.metric), []).append(fit)
            for (value, law, metric), fits in groups.items():
                slopes = [number(b, 4) for b in sorted(f.b for f in fits)]
                between = slopes[0] if slopes[0] == slopes[-1] else f"{slopes[0]} to {slopes[-1]}"
                unit = metric.rsplit("_", 1)[-1]
                r2 = min((f.r_squared for f in fits if f.r_squared is not None), default=None)
                sure = "" if r2 is None else f", R² at least {math.floor(r2 * 1e6) / 1e6:.6f}"
                self.note(f"{source.label}, {value}: {between} {unit} per {law.removesuffix('s')}{sure}")


def canvas(sources: list[Source], width: float, height: float) -> Canvas:
    return Canvas(sources, Figure(figsize=(width, height), layout="constrained"))


def _subtitle(source: Source) -> str:
    run = source.archive.run
    launches = source.archive.launches
    parts = [f"{run['device']['name']} ({run['device']['arch']})", driver_text(run)]
    parts += [f"{launches} launch{'' if launches == 1 else 'es'}", run["started_utc"][:10]]
    if source.archive.incomplete:
        parts.append("incomplete run")
    return " · ".join(parts)


def finish(c: Canvas, title: str) -> Figure:
    """Title, subtitle, legends, caption and watermark around the panels."""
    width, height = c.figure.get_size_inches()
    many = len(c.sources) > 1
    used, left = 0.12, 0.12 / width

    def line(text: str, step: float, **style) -> None:
        nonlocal used
        c.figure.text(left, 1 - used / height, text, va="top", **style)
        used += step

    line(title, 0.27, fontsize=13, fontweight="bold")
    for source in c.sources:
        if many:
            colour = source.colour
            dash = Line2D([left, left + 0.35 / width], [1 - (used + 0.08) / height] * 2, color=colour, lw=2)
            dash.set_linestyle(source.dash)
            c.figure.add_artist(dash)
        c.figure.text(left + (0.45 / width if many else 0), 1 - used / height, _subtitle(source), va="top", color=GREY)
        used += 0.19
    if c.keys:
        rows = -(-sum(0.62 + 0.07 * len(text) for text in c.keys) // (width - 0.3))
        columns = -(-len(c.keys) // int(rows))
        c.figure.legend(
            list(c.keys.values()),
            list(c.keys),
            loc="upper left",
            bbox_to_anchor=(left, 1 - used / height),
            borderaxespad=0.1,
            borderpad=0.2,
            ncols=columns,
            columnspacing=1.6,
        ).set_in_layout(False)
        used += 0.19 * rows + 0.06
    notes = _wrapped(" · ".join(c.notes), int(width * 15.5))
    for index, text in enumerate(reversed(notes)):
        c.figure.text(left, (0.08 + 0.15 * index) / height, text, color=GREY, fontsize=7.5, va="bottom")
    bottom = 0.15 * len(notes) + 0.08
    c.figure.get_layout_engine().set(
        rect=(0.005, bottom / height, 0.99, 1 - (used + 0.04 + bottom) / height), w_pad=0.06, h_pad=0.06
    )
    if any(source.archive.synthetic for source in c.sources):
        style = {
            "fontsize": min(6.5 * width, 14 * height),
            "rotation": 25,
            "ha": "center",
            "va": "center",
            "fontweight": "bold",
        }
        mark = c.figure.text(0.5, 0.48, "SYNTHETIC", color="#b3261e", alpha=0.13, zorder=50, **style)
        mark.set_gid("watermark-synthetic")
        mark.set_in_layout(False)
    return c.figure


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width and lines[-1]:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines if text else []


def empty(ax: Axes, title: str, why: str) -> None:
    """A panel whose data the archives lack says so."""
    ax.set_title(title)
    ax.set_axis_off()
    ax.text(0.5, 0.5, why, ha="center", va="center", color=GREY, transform=ax.transAxes, wrap=True)


def decorate(ax: Axes, title: str, x: str, y: str) -> None:
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def from_zero(ax: Axes, values) -> None:
    """A linear y axis from zero: what is twice as high costs twice as much."""
    ax.set_ylim(min(0, *values), 1.08 * max(0, *values) or 1)


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
    axis.set_major_locator(FixedLocator([2**p for p in range(low, high + 1, step)]))
    axis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))
    axis.set_minor_locator(NullLocator())


def bytes_axis(axis, values, most=9) -> None:
    log2_axis(axis, values, lambda v: size_text(v).replace(" ", "\u2009"), most)


def log10_axis(axis, values) -> None:
    """A logarithmic axis in plain decimal figures, with ticks at 2 and 5 where it spans few decades."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    few = max(values) < 300 * min(values)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=9))
    if few:
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda v, _: number(v)))
    axis.set_minor_formatter(NullFormatter())
