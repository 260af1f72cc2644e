"""Draws archives: one figure per probe, whose title is what the archive says, all archives in the same panels.

The file figure.json in the folder of an effect is its figure as data (figure_file.py, by_file.py); there is no list. A
probe without one has no figure. A figure takes every case as something that may be absent."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import matplotlib as mpl
import msgspec
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from ... import UserError
from ...archive.load import Archive
from ...call.output import make_folder, write
from ...call.program import root
from ...call.tables import csv_text
from ...call.terminal import counted_off, notice
from ...call.text import clipped
from ...call.workers import shared
from ...chip.quantities import over_cards
from ...chip.quantity import Estimate, Quantity
from ..difference import change, changed
from ..sheet import caption_file
from .by_file import Figure as DataFigure
from .figure_file import FIELD, of_quantities, read, sentence, surely_apart
from .frame import LETTERS, Frame
from .look import Source, Wanted, settings, sheet_of, sources_of
from .pairs import hosts_behind, judged
from .pen import Pen, Row

ODD = (ArithmeticError, LookupError, TypeError, ValueError)  # what cases that no run would write make of a chart
SIDE_BY_SIDE = 2  # processes that draw
NAME = r"[a-z][a-z0-9_]*"  # of a probe
ASIDE = re.compile(r"(;.*|,? ?\([^)]*\))")  # of a meaning, in a title
MOST_LINES = 2  # of what is said of two archives; in one column another one
APART = 0.02  # of the logarithm: cards that differ by less are not told of
MOST_LEFT = 3  # quantities that differ, too, and have a name in the caption
MOST_PANELS = 4  # of a figure; the rest is its supplement
FEW_COLOURS = 24  # of a picture in a page
COLOURS = 192  # of a PNG: a third of the bytes, and nothing that the eye would miss


class NoFigureError(UserError):
    """Why a probe, or all that were to be drawn, have no figure."""


@cache
def chart(probe: str) -> DataFigure:
    """From micro/GROUP/PROBE/figure.json. Raises UserError that names the file, NoFigureError where there is none."""
    for path in sorted((root() / "micro").glob(f"*/{probe}/figure.json")) if re.fullmatch(NAME, probe) else ():
        return DataFigure(read(path), path)
    raise NoFigureError(f"{clipped(probe)}: there is no file micro/*/{clipped(probe)}/figure.json")


def _answer(own: Callable, sources: list[Source]) -> str:
    """What archives say together."""
    try:
        said = own(sources)
    except ODD:
        said = ""
    invented = [source.archive.synthetic for source in sources]
    return ("Synthetic: " if all(invented) else "In part synthetic: ") * (bool(said) and any(invented)) + said


def _meaning(q: Quantity) -> str:
    """In few words."""
    return ASIDE.sub("", q.definition.meaning)


def _both(own: DataFigure, sources: list[Source]) -> Iterator[str]:
    """What two archives say, with fewer and fewer clauses: all that has both of its numbers, or one of both."""
    titles = [own.file.title[:count] for count in range(len(own.file.title), 0, -1)]
    for text in filter(None, [*(sentence(sources, clauses) for clauses in titles), own.finding(sources)]):
        if len({text.count(f"({source.label})") for source in sources}) == 1:
            yield text


def _difference(own: DataFigure, sources: list[Source], pens: Sequence[Pen], frame: Frame, fits: Callable) -> str:
    """How far the second of two chips surely differs from the first in the cases that the figure draws; where none
    does, or there is no room for it, what both say. The line below has what of the difference is not sure, the caption
    which quantities differ, too."""
    leads, aside = judged(sources, pens)
    both, text = [*_both(own, sources)], next(filter(fits, leads), "")
    if not text:
        candidates = [*both, own.finding(sources), *[aside] * bool(aside)]
        text = next(filter(fits, candidates), min(candidates, key=len))
        aside = aside * (text != aside)
    elif added := next((more for one in both if fits(more := f"{text}. {one}")), ""):
        text = added
    probe = sources[0].points[0].probe
    mine = [[q for q in source.quantities.values() if q.definition.probe == probe] for source in sources]
    pairs = [] if frame.unlike(pens) else [pair for pair in changed(*mine) if surely_apart(*pair)]
    left = [f"{_meaning(old)} {change(old, new)}" for old, new in pairs if f"{{{old.id}" not in str(own.file.title)]
    left[MOST_LEFT:] = [f"{len(left) - MOST_LEFT} more"] * (len(left) > MOST_LEFT)
    frame.question += f" {aside}." * bool(aside)
    frame.asides += [f"also differ: {'; '.join(left)}"] * bool(left)
    return "Synthetic: " * sources[0].archive.synthetic + text


def _cards(own: DataFigure, source: Source) -> list[str]:
    """Of what the title quotes, where cards of the model lie that differ by more than another run of this one does."""
    parts = []
    for name, _ in dict.fromkeys(FIELD.findall(str(own.file.title))):
        q = source.quantity(name) if name else None
        if q and q.apart > APART and (ends := over_cards(q, source.archive)):
            of_cards = of_quantities([replace(q, estimate=Estimate(None, *ends, 0))], "")
            parts.append(f"{_meaning(q)}: {of_cards[0]}")
    return [f"cards of this model ({source.label}): {'; '.join(parts)}"] if parts else []


def _title(own: DataFigure, sources: list[Source], pens: Sequence[Pen], frame: Frame) -> str:
    """What all archives say, of two their difference."""
    aside = " (on two hosts)" if hosts_behind(sources) else frame.unlike(pens)
    if len(sources) == 2 and len({source.archive.synthetic for source in sources}) == 1:
        fits = lambda text: frame.title_lines(text + aside) <= MOST_LINES + (frame.sheet.columns == 1)  # noqa: E731
        return _difference(own, sources, pens, frame, fits) + aside
    return _answer(own.finding, sources) + aside


@dataclass
class Drawing:
    figure: Figure
    rows: list[Row]
    names: dict[str, tuple[str, str]]  # of the axes, by panel
    title: str
    question: str
    caption: str
    parts: int


def draw(archives: list[Archive], probe: str, wanted: Wanted | None = None) -> Drawing | None:
    """The figure of a probe; None where there is none: no supplement was made, or its file says why. Raises
    NoFigureError where it can't be drawn from these cases."""
    wanted = wanted or Wanted()
    sheet, sources, own = sheet_of(wanted.sheet), sources_of(archives, probe), chart(probe)
    with mpl.rc_context():
        mpl.rcParams.update(settings(sheet))
        try:
            return _framed(own, sources, wanted)
        except ODD as error:
            name = f"{own.path.parent.name}/{own.path.name}"
            raise NoFigureError(f"{probe}: {name} can't be drawn from these cases: {error}") from None


def _framed(own: DataFigure, sources: list[Source], wanted: Wanted) -> Drawing | None:
    frame = Frame(sources, wanted, own.question)
    pens = frame.drawn(own.panels(sources))
    if wanted.supplement:  # does not draw what the finding is about
        frame.question, asked = "", f"Supplement: {own.question}"
        frame.finding = _answer(lambda _: asked, sources)
    else:
        if at := [pens[i : i + 1] for i, letter in enumerate(LETTERS[:MOST_PANELS]) if letter == wanted.panel]:
            plain = [pen.ax.get_title("left") for pen in at[0]]
            own = DataFigure(msgspec.structs.replace(own.file, title=plain, otherwise=[]), own.path)
        frame.finding = _title(own, sources, pens[:MOST_PANELS], frame)
        frame.asides += [text for source in sources for text in _cards(own, source)]
    if not pens and own.without:
        return None
    if not pens:
        raise NoFigureError(f"{sources[0].points[0].probe}: these cases are too few for its figure")
    shown, letters = pens[:MOST_PANELS], LETTERS
    if wanted.supplement:
        shown, letters = [*pens[MOST_PANELS:], *frame.drawn(own.panels(sources, "supplement"))], LETTERS[len(shown) :]
        if not shown:
            return None
    figure = frame.draw(shown, letters)
    if not frame.pens:
        raise NoFigureError(f"{sources[0].points[0].probe}: it has no panel {wanted.panel}")
    rows = [row for pen in frame.pens for row in pen.rows]
    names = {pen.letter: pen.names for pen in frame.pens}
    return Drawing(figure, rows, names, frame.finding, frame.question, frame.caption(), frame.parts)


def content(drawing: Drawing, kind: str, sheet: str = "page") -> bytes:
    """The picture as a file: no dates and no versions, so that the same archive gives the same bytes. A backend is
    loaded where it is needed: each takes as long as a figure."""
    file = io.BytesIO()
    with mpl.rc_context():
        mpl.rcParams.update(settings(sheet_of(sheet)))
        if kind == "svg":
            from matplotlib.backends.backend_svg import FigureCanvasSVG

            FigureCanvasSVG(drawing.figure).print_svg(file, metadata={"Date": None, "Creator": "gpufx"})
        elif kind == "pdf":
            from matplotlib.backends.backend_pdf import FigureCanvasPdf

            none = {"CreationDate": None, "Producer": None, "Creator": "gpufx"}
            FigureCanvasPdf(drawing.figure).print_pdf(file, metadata=none)
        else:
            canvas = drawing.figure.canvas  # that of the layout, which knows the sizes of all words
            canvas.draw()
            picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
            if kind == "webp":
                few = picture.quantize(FEW_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
                few.convert("RGB").save(file, "webp", lossless=True, quality=50, method=4)
                return file.getvalue()
            few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, 1, dither=Image.Dither.NONE)  # 1: no tints
            few.save(file, "png", optimize=True, dpi=[sheet_of(sheet).dpi] * 2)
    return file.getvalue()


HEAD = (
    *("panel", "series", "device_name", "run", "case", "over", "x_name", "x", "y_name", "y"),
    *("low", "high", "interval", "processes", "law", "ratio"),
)


def numbers(drawing: Drawing) -> bytes:
    """Every number that the figure draws, as CSV; x is a word where names stand down the left side."""
    sources = {row.source.index: row.source for row in drawing.rows}
    cases = {(i, p.name): len(p.processes) for i, source in sources.items() for p in source.points}
    lines = []
    for row in drawing.rows:
        names = drawing.names[row.panel][:: -1 if isinstance(row.x, str) else 1]
        behind = cases.get((row.source.index, row.case)) or getattr(row.source.quantity(row.case), "processes", None)
        ends = (row.low, row.high) if row.interval else (None, None)
        of = row.source.device["name"], row.source.archive.run["id"], row.case, row.over
        found = [row.y, *ends, row.interval, behind, row.law, row.ratio]
        lines.append([row.panel, row.series, *of, names[0], row.x, names[1], *found])
    return csv_text(HEAD, lines).encode()


def draw_all(
    archives: list[Archive],
    folder: Path,
    probes: Sequence[str],
    formats: tuple[str, ...],
    wanted: Wanted | None = None,
    data: bool = False,
) -> list[Path]:
    """Draws these probes; none: all of the first archive. Returns the files in the order of the probes' names."""
    probes = probes or archives[0].probes
    if not probes:
        raise UserError("the first archive has no finished case, so there is nothing to draw")
    make_folder(folder)
    one = partial(_files, archives, folder=folder, formats=formats, wanted=wanted or Wanted(), data=data)
    written = [*counted_off("drawing", shared(one, probes, SIDE_BY_SIDE), len(probes))]
    reasons = [reason for reason in written if isinstance(reason, str)]
    files = [path for found in written if not isinstance(found, str) for path in found]
    if not files:
        without = {name: chart(name).without for name, of in zip(probes, written, strict=True) if not of}
        reasons += [f"{name}: {why}" for name, why in without.items() if why]
        if len(reasons) < len(probes):
            raise UserError("there is no supplement to draw; leave --supplement out")
        raise NoFigureError(f"no figure of {'; '.join(reasons)}")
    for reason in reasons:
        notice(f"note: no figure of {reason}")
    return files


def _files(archives: list[Archive], probe: str, folder, formats, wanted: Wanted, data: bool) -> list[Path] | str:
    """The files of a probe, or why it has none."""
    try:
        drawing = draw(archives, probe, wanted)
    except NoFigureError as reason:
        return str(reason)
    if drawing is None:
        return []
    name = probe + "-supplement" * wanted.supplement + f"-{wanted.panel}" * bool(wanted.panel)
    name += f"-{wanted.sheet}" * (wanted.sheet != "page")
    name += f"-{wanted.part + 1}" * (wanted.part > 0)
    written = [(f"{name}.{kind}", content(drawing, kind, wanted.sheet)) for kind in formats]
    if data:
        written.append((f"{name}.csv", numbers(drawing)))
    if not wanted.heads:
        written.append(caption_file(name, drawing.caption.splitlines(), formats))
    for file, text in written:
        write(folder / file, text)
    further = replace(wanted, part=wanted.part + 1)
    rest = _files(archives, probe, folder, formats, further, data) if further.part < drawing.parts else []
    return [*(folder / file for file, _ in written), *rest]
