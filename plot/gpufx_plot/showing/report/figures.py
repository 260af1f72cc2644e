"""The figures of a page, drawn side by side in processes of their own, as pictures that keep well in a page."""

import io
from dataclasses import dataclass
from functools import partial

from ... import UserError
from ...archive.load import Archive
from ...call.cache import Place, version_of
from ...call.program import root
from ...call.terminal import counted_off
from ...call.workers import shared
from ...chip.quantities import data

PROCESSES = 2
COLOURS = 24  # of a picture


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


def _draw(archives: list[Archive], probe: str) -> Drawn | None:
    from .. import charts

    try:
        drawing = charts.draw(archives, probe, charts.Wanted("report", heads=False))
    except UserError:
        return None
    if not drawing:
        return None
    findings = [charts.finding([archive], probe) if probe in archive.probes else "" for archive in archives]
    return Drawn(probe, findings, *_picture(drawing.figure))


def draw_all(archives: list[Archive], probes: list[str]) -> dict[str, Drawn]:
    """The figures of these probes that there are, in their order; what was drawn once is kept."""
    sums = [archive.sum for archive in archives]
    libraries = [version_of(name).encode() for name in ("matplotlib", "pillow")]
    code = [path.read_bytes() for path in sorted((root() / "micro").rglob("figure.json"))]
    follows_from = [*libraries, *data(), *code, *sums]
    places = {p: Place("picture", [p.encode(), *follows_from], Drawn) for p in probes if all(sums)}
    known = {probe: drawn for probe, place in places.items() if (drawn := place.find())}
    missing = [probe for probe in probes if probe not in known]
    if missing:
        from .. import charts  # noqa: F401, before processes part
    found = shared(partial(_draw, archives), missing, PROCESSES) if missing else ()
    for drawn in counted_off("drawing figures", found, len(missing)):
        if drawn:
            known[drawn.probe] = places[drawn.probe].keep(drawn) if places else drawn
    return {probe: known[probe] for probe in probes if probe in known}
