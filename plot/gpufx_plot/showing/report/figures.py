"""The figures of a page, drawn side by side in processes of their own, as pictures that keep well in a page."""

import gc
import io
import multiprocessing
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from PIL import Image

from ... import UserError
from ...archive.load import Archive
from ...call.workers import can_share
from .. import charts
from ..charts import look

PROCESSES = 2
COLOURS = 128  # of a picture
_archives: list[Archive] = []  # of the process that draws


@dataclass
class Drawn:
    """The figure of one effect."""

    probe: str
    findings: list[str]  # what each archive says, in a sentence
    picture: bytes
    kind: str  # webp, png
    width: int
    height: int


def _picture(figure, kind: str) -> tuple[bytes, int, int]:
    file = io.BytesIO()
    with mpl.rc_context():
        mpl.rcParams.update(look.settings(look.SHEETS["page"]))
        canvas = figure.canvas  # that of the layout, which knows the sizes of all words
        canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        few = picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        if kind == "webp":
            few.convert("RGB").save(file, "webp", lossless=True, quality=20, method=1)
        else:
            few.save(file, "png", optimize=True)
    return file.getvalue(), *picture.size


def _draw(job: tuple[str, str]) -> Drawn | None:
    probe, kind = job
    try:
        figure = charts.draw(_archives, probe, charts.Wanted(heads=False)).figure
    except UserError:
        return None
    findings = [charts.finding([archive], probe) if probe in archive.probes else "" for archive in _archives]
    content, width, height = _picture(figure, kind)
    return Drawn(probe, findings, content, kind, width, height)


class Drawing:
    """Begins at once; the archives must not change until `done`. Processes are forked, so that they need not be read
    again."""

    def __init__(self, archives: list[Archive], probes: list[str], kind: str):
        _archives[:] = archives
        # What was loaded has no cycles, and what a process makes goes with it.
        self.pool = multiprocessing.get_context("fork").Pool(PROCESSES, gc.disable) if can_share() else None
        self.found = (self.pool.imap if self.pool else map)(_draw, [(probe, kind) for probe in probes])

    def done(self) -> dict[str, Drawn]:
        try:
            return {drawn.probe: drawn for drawn in self.found if drawn}
        finally:
            self.close()

    def close(self) -> None:
        if self.pool:
            self.pool.terminate()
            self.pool.join()
        _archives.clear()
