"""The figures of a page, drawn side by side in processes of their own, as pictures that keep well in a page."""

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


@dataclass
class Drawn:
    """The figure of one effect."""

    probe: str
    findings: list[str]  # what each archive says, in a sentence
    picture: bytes  # webp
    width: int
    height: int


def _draw(archives: list[Archive], probe: str) -> Drawn | None:
    from .. import charts

    try:
        drawing = charts.draw(archives, probe, charts.Wanted("report", heads=False))
    except UserError:
        return None
    if not drawing:
        return None
    findings = [charts.finding([archive], probe) if probe in archive.probes else "" for archive in archives]
    canvas = drawing.figure.canvas  # that of the layout, which knows the sizes of all words
    return Drawn(probe, findings, charts.content(drawing, "webp", "report"), *canvas.get_width_height())


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
