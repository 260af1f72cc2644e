"""How all figures look: colours, sizes and fonts.

Where one archive is drawn, colour says the series: a palette of nominal colours, or a ramp where the series have an
order. Where several are drawn, colour says the device, one colour per device everywhere, and the marker says the
series. All colours have a contrast of 3:1 or more on white."""

import hashlib
import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.font_manager import FontProperties, findfont, get_font

from ... import UserError
from ...archive.cases import Point
from ...archive.load import Archive
from ...archive.pooled_fits import Fit
from ...call.number_text import counted
from ...call.text import clipped
from ...chip.quantities import infer
from ...chip.quantity import Quantity
from ...judging.fit_checks import costs
from ..side import chip_names

# After Okabe and Ito's palettes for all kinds of colour vision; what is too pale on white is darker here.
DEVICES = ("#0072B2", "#D55E00", "#009E73", "#B3589A", "#7B5EA7", "#8A6A00")
SERIES = ("#0072B2", "#C04F00", "#00805E", "#A8437F", "#8A6A00", "#3C3C3C", "#7B5EA7", "#A0522D")
RAMP = ("#440154", "#31688E", "#1A8A7A", "#8A9A00")  # dark to light, for series that have an order
MARKERS, SHAPES = "osD^vPX*<>", "\u25cf\u25a0\u25c6\u25b2\u25bc\u271a\u2716\u2605\u25c0\u25b6"  # of a series; in words
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
BREAK = re.compile(r"(?<!\d)\s+|\s+(?!(?:%|[KMGT]?i?B|[KMG]i|bytes|[µmn]?s|cycles|process\w*|TFLOP/s|MHz|W)(?!\w))")
SHARES = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)  # of the room that a title takes
PALER, FILLED = 0.42, 0.6  # of the way to white
TEXT, GREY, LAW, GRID = "#202124", "#5f6368", "#80868b", "#e6e8eb"
STYLE = mpl.rc_params_from_file(Path(__file__).with_name("figures.mplstyle"), use_default_template=False)
BAND = "#dbe0ea"  # darker than the grid, paler than any mark


@dataclass(frozen=True)
class Sheet:
    """The paper: inches, points of ordinary text, panels side by side, dots per inch of a PNG, and how high a
    page may be, in inches."""

    width: float
    size: float
    columns: int
    dpi: int
    most: float = math.inf

    @property
    def small(self) -> float:
        """Points of the smallest text."""
        return 0.93 * self.size


# "page" is the width at which GitHub shows a picture, 830 pixels, at 100 per inch; at 600 pixels a point is a pixel.
SHEETS = {
    "page": Sheet(8.3, 10, 2, 150),
    "report": Sheet(8.3, 10, 2, 125),  # as wide as the report shows it
}
NARROWEST, TWO_COLUMNS, WIDEST = 75, 140, 250  # mm, in print


@cache
def sheet_of(name: str) -> Sheet:
    """Of "page", "report" or a width in print, such as 89mm. Raises UserError."""
    if name in SHEETS:
        return SHEETS[name]
    match = re.fullmatch(r"([0-9]{2,3}(?:\.[0-9]{1,3})?)mm", name)
    if not match or not NARROWEST <= (width := float(match[1])) <= WIDEST:
        raise UserError(f"--width {clipped(name)}: neither page nor {NARROWEST}mm to {WIDEST}mm, such as 89mm")
    return Sheet(width / 25.4, 7.2, 1 + (width >= TWO_COLUMNS), 300, 200 / 25.4)


@dataclass
class Wanted:
    sheet: str = "page"
    supplement: bool = False  # the further panels in place of the first ones
    heads: bool = True  # the words around the panels; a paper's caption, or a page, has them as its own text
    panel: str = ""  # the letter of the only one that is wanted
    part: int = 0  # of a figure that is higher than a page


@cache
def wide(text: str, points: float, weight: str = "normal") -> float:
    """Inches."""
    # Kept by matplotlib, which knows that a fork must open its own.
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight=weight)))
    font.set_size(32, 72)  # so large that it is not rounded to dots
    font.set_text(text, 0)
    return font.get_width_height()[0] / 64 / 32 * points / 72


def wrapped(text: str, points: float, room: float, weight: str = "normal") -> list[str]:
    lines = [""]
    for word in BREAK.split(text.strip()):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and wide(longer, points, weight) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [line.removesuffix(" ·") for line in lines] if text else []  # of an origin


def balanced(text: str, points: float, room: float, weight: str = "bold") -> list[str]:
    """In as few lines as there must be, none of them much shorter than the others."""
    most = wrapped(text, points, room, weight)
    tried = (wrapped(text, points, share * room, weight) for share in SHARES)
    return next((lines for lines in tried if len(lines) == len(most)), most)


def settings(sheet: Sheet) -> dict:
    """Nothing of the user's own settings, nor a matplotlibrc in the present folder, may change a figure."""
    return {key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"} | {
        **STYLE,
        "font.size": sheet.size,
        "text.color": TEXT,
        "axes.titlesize": sheet.size,
        "axes.labelsize": sheet.size,
        "axes.labelcolor": TEXT,
        "axes.edgecolor": GREY,
        "axes.linewidth": 0.07 * sheet.size,
        **{f"{axis}tick.labelsize": sheet.small for axis in "xy"},
        **{f"{axis}tick.color": GREY for axis in "xy"},
        **{f"{axis}tick.labelcolor": TEXT for axis in "xy"},
        "grid.color": GRID,
        "grid.linewidth": 0.08 * sheet.size,
        "lines.linewidth": 0.15 * sheet.size,
        "lines.markersize": 0.45 * sheet.size,
    }


def device_colour(slug: str) -> str:
    return DEVICES[hashlib.sha256(slug.encode()).digest()[0] % len(DEVICES)]


def device_colours(slug: str) -> tuple[str, str]:
    """On white, as in the figures, and on black."""
    colour = device_colour(slug)
    return colour, paler(colour, PALER)


def paler(colour: str, share: float) -> str:
    return to_hex([part + (1 - part) * share for part in to_rgb(colour)])


def ramp(index: int, count: int) -> str:
    """The index-th of `count` ordered series, from dark to light."""
    place = (len(RAMP) - 1) * index / max(1, count - 1)
    return to_hex([np.interp(place, range(len(RAMP)), part) for part in zip(*map(to_rgb, RAMP), strict=True)])


@dataclass
class Source:
    """One archive in a figure, reduced to one probe."""

    archive: Archive
    points: list[Point]
    index: int
    colour: str
    label: str

    @cached_property
    def fits(self) -> list[Fit]:
        mine = {point.probe for point in self.points}
        return [fit for fit in self.archive.merged_fits if fit.probe in mine]

    @cached_property
    def laws(self) -> dict[str, float]:
        return costs(self.fits, self.points)

    @cached_property
    def astray(self) -> set[str]:
        """Cases whose law does not hold."""
        return {point.name for fit in self.fits if not fit.law_holds for point in fit.cases}

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """By id; of an archive that is not kept those that were asked for."""
        known = self.archive.quantities or {q.id: q for q in (infer(self.archive) if self.archive.sum else ())}
        return {**known}

    def quantity(self, name: str) -> Quantity | None:
        """Where it is determined."""
        if name not in self.quantities:
            self.quantities[name] = next(iter(infer(self.archive, wanted={name})), None)
        found = self.quantities[name]
        return found if found and found.determined else None

    @property
    def processes_text(self) -> str:
        """In how many processes the cases of the probe were measured: 1 process, 2 to 5 processes."""
        counts = sorted({len(point.medians) for point in self.points})
        fewer = f"{counts[0]} to " if len(counts) > 1 else ""
        return fewer + counted(counts[-1], "process")

    @property
    def range_text(self) -> str:
        """What a pale line through a mark is, and a black one at the end of a bar."""
        if self.processes_text == "1 process":
            return "line at a mark or bar: 95 % interval"
        return "mark or bar: geometric mean of the processes; line: their range"

    @property
    def device(self) -> dict:
        return self.archive.run["device"]

    @property
    def fill(self) -> str:
        """Of a bar: every second archive's is paler, so that print without colours tells them apart."""
        return paler(self.colour, FILLED * (self.index % 2))

    @property
    def dash(self):
        return DASHES[self.index % len(DASHES)]

    def predicted(self, point: Point) -> float | None:
        """What the fit says that the point costs, where the law is meant for it."""
        return self.laws.get(point.name) if point.in_fit else None


def sources_of(archives: list[Archive], probe: str) -> list[Source]:
    """The archives that have cases of the probe. The index is the archive's place in the call. Two archives of one
    figure never share a colour, as long as there are colours."""
    found, taken = [], []
    for index, (archive, label) in enumerate(zip(archives, chip_names(archives), strict=True)):
        points = [p for p in archive.points if p.probe == probe]
        if not points:
            continue
        own = device_colour(archive.slug)
        colour = next((c for c in (own, *DEVICES) if c not in taken), own)
        taken.append(colour)
        found.append(Source(archive, points, index, colour, label))
    return found
