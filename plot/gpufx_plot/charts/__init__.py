"""Draws archives: one figure per probe, all archives overlaid.

The file figure.py in the folder of an effect, with a function draw(sources) -> Figure, is that probe's designed figure;
there is no list. Any other probe gets default.py. A chart takes every case as something that may be absent.
"""

import importlib.util
import io
import re
import sys
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from PIL import Image

from .. import UserError
from ..archive import Archive
from ..output import write
from ..program import root
from ..text import clipped, shown
from . import default
from .style import RC, Source, device_colour

ODD = (ArithmeticError, LookupError, TypeError, ValueError)  # what cases that no run would write make of a chart
FALLBACK = "the probe's own figure can't be drawn from these cases"
NAME = r"[a-z][a-z0-9_]*"  # of a probe
DPI = 140
MOST_LABEL = 40  # characters of a device's name in a legend
COLOURS = 255  # of a PNG: a third of the bytes, and nothing that the eye would miss


def sources_of(archives: list[Archive], probe: str) -> list[Source]:
    """The archives that have cases of the probe. The index is the archive's place in the call."""
    result = []
    for index, archive in enumerate(archives):
        points = [p for p in archive.points if p.probe == probe]
        if points:
            fits = [f for f in archive.merged_fits if f.probe == probe]
            label = clipped(archive.run["device"]["name"], MOST_LABEL)
            result.append(Source(archive, points, fits, index, device_colour(archive.slug), label))
    return result


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


def draw(archives: list[Archive], probe: str) -> Figure:
    """The finished figure of a probe. What its chart can't take gets the default figure; raises UserError where that
    can't be drawn either."""
    with mpl.rc_context():
        mpl.rcParams.update(RC)
        sources = sources_of(archives, probe)
        try:
            # A designed figure has nothing to say about a handful of cases: it gives None.
            return _laid_out(chart(probe).draw(sources) or default.draw(sources))
        except ODD:
            pass
        try:
            return _laid_out(default.draw(sources, FALLBACK))
        except ODD as error:
            raise UserError(f"{probe}: no figure can be drawn from its cases ({error})") from None


def _laid_out(figure: Figure) -> Figure:
    """The layout is computed here, once and at one resolution, and then frozen and rounded: the solver's last digits
    differ from call to call, and a second solution wanders by fractions of a pixel."""
    figure.set_dpi(DPI)
    FigureCanvasAgg(figure)
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    for ax in figure.axes:
        ax.set_position([round(float(edge), 6) for edge in ax.get_position().bounds])
    return figure


def _content(figure: Figure, kind: str) -> bytes:
    file = io.BytesIO()
    with mpl.rc_context():
        mpl.rcParams.update(RC)
        if kind == "svg":
            # No dates and no versions: the same archive gives the same bytes.
            FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None, "Creator": "gpufx"})
        else:
            backend = FigureCanvasAgg(figure)
            backend.draw()
            picture = Image.fromarray(np.asarray(backend.buffer_rgba())).convert("RGB")
            picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
                file, "png", optimize=True
            )
    return file.getvalue()


def draw_all(archives: list[Archive], folder: Path, probe: str | None, formats: tuple[str, ...]) -> list[Path]:
    """Draws one probe, or all of the first archive. Returns the files in the order in which they were written."""
    probes = [probe] if probe else archives[0].probes
    if not probes:
        raise UserError("the first archive has no finished case, so there is nothing to draw")
    for name in probes:
        if not re.fullmatch(NAME, name):
            raise UserError(f"'{clipped(name)}' is no name of a probe, so no file can be called by it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"'{shown(folder)}' can't be made: {error.strerror}; choose another -o") from None
    written = []
    for name in probes:
        figure = draw(archives, name)
        for kind in formats:
            path = folder / f"{name}.{kind}"
            write(path, _content(figure, kind))
            written.append(path)
    return written
