"""The figures of a page, drawn side by side in processes of their own, as pictures that keep well in a page."""

import gc
import io
import multiprocessing
from dataclasses import dataclass

from ... import UserError
from ...archive.load import Archive
from ...call.cache import Place, version_of
from ...call.program import root
from ...call.terminal import counted_off
from ...call.workers import can_share
from ...chip.quantities import data

PROCESSES = 2
COLOURS = 24  # of a picture
_archives: list[Archive] = []  # of the process that draws


@dataclass
class Drawn:
    """The figure of one effect."""

    probe: str
    findings: list[str]  # what each archive says, in a sentence
    picture: bytes  # webp
    width: int
    height: int


def _picture(figure) -> tuple[bytes, int, int]:
    import matplotlib as mpl
    import numpy as np
    from PIL import Image

    from ..charts import look

    file = io.BytesIO()
    with mpl.rc_context():
        mpl.rcParams.update(look.settings(look.SHEETS["report"]))
        canvas = figure.canvas  # that of the layout, which knows the sizes of all words
        canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        few = picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.convert("RGB").save(file, "webp", lossless=True, quality=50, method=4)
    return file.getvalue(), *picture.size


def _draw(probe: str) -> Drawn | None:
    from .. import charts

    try:
        drawing = charts.draw(_archives, probe, charts.Wanted("report", heads=False))
    except UserError:
        return None
    if not drawing:
        return None
    findings = [charts.finding([archive], probe) if probe in archive.probes else "" for archive in _archives]
    content, width, height = _picture(drawing.figure)
    return Drawn(probe, findings, content, width, height)


class Drawing:
    """Begins at once; the archives must not change until `done`. Processes are forked, so that they need not be read
    again."""

    def __init__(self, archives: list[Archive], probes: list[str]):
        _archives[:] = archives
        self.probes = probes
        self.pool, self.found, sums = None, (), [archive.sum for archive in archives]
        libraries = [version_of(name).encode() for name in ("matplotlib", "pillow")]
        code = [path.read_bytes() for path in sorted((root() / "micro").rglob("figure.*"))]
        follows_from = [*libraries, *data(), *code, *sums]
        self.places = {p: Place("picture", [p.encode(), *follows_from], Drawn) for p in probes if all(sums)}
        self.known = {probe: drawn for probe, place in self.places.items() if (drawn := place.find())}
        missing = [probe for probe in probes if probe not in self.known]
        self.missing = len(missing)
        if missing:
            from .. import charts  # noqa: F401, before processes part

            # What was loaded has no cycles, and what a process makes goes with it.
            self.pool = multiprocessing.get_context("fork").Pool(PROCESSES, gc.disable) if can_share() else None
            self.found = (self.pool.imap if self.pool else map)(_draw, missing)

    def done(self) -> dict[str, Drawn]:
        try:
            for drawn in counted_off("drawing figures", self.found, self.missing):
                if drawn:
                    self.known[drawn.probe] = drawn
                    if drawn.probe in self.places:
                        self.places[drawn.probe].keep(drawn)
            return {probe: self.known[probe] for probe in self.probes if probe in self.known}
        finally:
            self.close()

    def close(self) -> None:
        if self.pool:
            self.pool.terminate()
            self.pool.join()
        _archives.clear()
