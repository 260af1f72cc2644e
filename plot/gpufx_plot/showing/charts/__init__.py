"""Draws archives: one figure per probe, whose title is what the archive says, all archives in the same panels.

The file figure.py in the folder of an effect is what its figure needs; there is no list:

    QUESTION                      what the effect is asked
    finding(source) -> str        the answer in one sentence, computed from one archive; "" if its cases do not say it.
                                  What a quantity says comes from it: source.said("a load takes {l1.latency}")
    panels(sources) -> [Panel]    at most four, those that show the finding first
    supplement(sources)           further panels, drawn on demand; may be absent

Any other probe gets default.py. A figure takes every case as something that may be absent.
"""

import csv
import importlib.util
import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ... import UserError
from ...archive.load import Archive
from ...call.program import root
from ...call.text import clipped
from . import default
from .frame import LETTERS, Frame
from .look import SHEETS, Source, settings, sources_of
from .pen import Row

ODD = (ArithmeticError, LookupError, TypeError, ValueError)  # what cases that no run would write make of a chart
FALLBACK = "the probe's own figure can't be drawn from these cases"
NAME = r"[a-z][a-z0-9_]*"  # of a probe
MOST_LABEL = 40  # characters of a device's name
MOST_PANELS = 4  # of a figure; the rest is its supplement
COLOURS = 192  # of a PNG: a third of the bytes, and nothing that the eye would miss


def chart(probe: str):
    """The module that draws a probe: micro/GROUP/PROBE/figure.py, or default.py."""
    if not re.fullmatch(NAME, probe):
        return default
    for path in sorted((root() / "micro").glob(f"*/{probe}/figure.py")):
        return _load(path)
    return default


@cache
def _load(path: Path):
    name = f"gpufx_figure_{path.parent.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _sources(archives: list[Archive], probe: str) -> list[Source]:
    return sources_of(archives, probe, lambda name: clipped(name, MOST_LABEL))


def _answer(module, source: Source) -> str:
    """What one archive says."""
    own = getattr(module, "finding", None)
    try:
        said = own(source) if own else ""
    except ODD:
        said = ""
    return ("Synthetic: " if source.archive.synthetic else "") + (said or default.finding(source))


def finding(archives: list[Archive], probe: str) -> str:
    """What the archives say of a probe: one sentence, or one for each device that has cases of it."""
    found = [(source.label, _answer(chart(probe), source)) for source in _sources(archives, probe)]
    return found[0][1] if len(found) == 1 else " ".join(f"{label}: {text}." for label, text in found)


def question(probe: str) -> str:
    return getattr(chart(probe), "QUESTION", "")


@dataclass
class Wanted:
    """What of a probe is drawn, and on what sheet."""

    sheet: str = "page"
    supplement: bool = False  # the further panels in place of the first ones
    panel: str | None = None  # the letter of the one panel that is drawn
    axis: str | None = None  # the cost over this axis, in place of the probe's own figure
    heads: bool = True  # finding and question above the panels; a page has them as its own text


@dataclass
class Drawing:
    figure: Figure
    rows: list[Row]
    names: dict[str, tuple[str, str]]  # of the axes, by panel


def draw(archives: list[Archive], probe: str, wanted: Wanted | None = None) -> Drawing | None:
    """The figure of a probe; None where a supplement was wanted and there is none. What its chart can't take gets the
    default figure; raises UserError where that can't be drawn either."""
    wanted = wanted or Wanted()
    sheet, sources = SHEETS[wanted.sheet], _sources(archives, probe)
    with mpl.rc_context():
        mpl.rcParams.update(settings(sheet))
        module = chart(probe)
        if wanted.axis:
            return _framed(probe, default, sources, wanted, lambda s: default.over(s, wanted.axis))
        try:
            return _framed(probe, module, sources, wanted, getattr(module, "panels", default.panels))
        except ODD:
            pass
        try:
            return _framed(probe, default, sources, wanted, default.panels, FALLBACK)
        except ODD as error:
            raise UserError(f"{probe}: no figure can be drawn from its cases ({error})") from None


def _framed(probe, module, sources, wanted: Wanted, panels: Callable, note="") -> Drawing | None:
    asked = getattr(module, "QUESTION", None) or default.question(sources)
    answers = [_answer(module, source) for source in sources] if wanted.heads else []
    frame = Frame(sources, SHEETS[wanted.sheet], asked, answers)
    # A designed figure may have nothing to say about a handful of cases.
    pens = frame.drawn(panels(sources)) or frame.drawn(default.panels(sources))
    first, further = pens[:MOST_PANELS], pens[MOST_PANELS:]
    if wanted.supplement or wanted.panel:
        further += frame.drawn(getattr(module, "supplement", lambda _: [])(sources))
    shown, letters = first, LETTERS[: len(first)]
    if wanted.supplement or (wanted.panel or "a") not in letters:
        shown, letters = further, LETTERS[len(first) :][: len(further)]
        if not shown and not wanted.panel:
            return None
    if wanted.panel:
        if wanted.panel not in letters:
            last = LETTERS[len(first) + len(further) - 1]
            raise UserError(f"{probe} has no panel '{clipped(wanted.panel)}'; its panels are a to {last}")
        index = letters.index(wanted.panel)
        shown, letters = [shown[index]], letters[index]
    figure = frame.draw(shown, letters, note)
    return Drawing(figure, frame.rows, {pen.letter: pen.names for pen in frame.pens})


def content(drawing: Drawing, kind: str, sheet: str = "page") -> bytes:
    """The picture as a file: no dates and no versions, so that the same archive gives the same bytes. A backend is
    loaded where it is needed: each takes as long as a figure."""
    file = io.BytesIO()
    with mpl.rc_context():
        mpl.rcParams.update(settings(SHEETS[sheet]))
        if kind == "svg":
            from matplotlib.backends.backend_svg import FigureCanvasSVG

            FigureCanvasSVG(drawing.figure).print_svg(file, metadata={"Date": None, "Creator": "gpufx"})
        elif kind == "pdf":
            from matplotlib.backends.backend_pdf import FigureCanvasPdf

            none = {"CreationDate": None, "Producer": None, "Creator": "gpufx"}
            FigureCanvasPdf(drawing.figure).print_pdf(file, metadata=none)
        else:
            backend = FigureCanvasAgg(drawing.figure)
            backend.draw()
            picture = Image.fromarray(np.asarray(backend.buffer_rgba())).convert("RGB")
            picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
                file, "png", optimize=True
            )
    return file.getvalue()


def numbers(drawing: Drawing) -> bytes:
    """Every number that the figure draws, as CSV. The law's is empty where none was drawn."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["panel", "series", "device", "archive", "case", "x_name", "x", "y_name", "y", "low", "high", "law"])
    for row in drawing.rows:
        names = drawing.names[row.panel]
        found = [row.y, row.low, row.high, "" if row.law is None else row.law]
        archive = row.source.archive.run["id"]
        table.writerow([row.panel, row.series, row.source.label, archive, row.case, names[0], row.x, names[1], *found])
    return text.getvalue().encode()
