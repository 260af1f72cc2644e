"""The quantities of an archive. They follow from its bytes, from what quantities there are (definitions.py) and from
how archives differ (spreads.py): what was inferred once is kept (call/cache.py), and had without numpy.
"""

from collections.abc import Collection

from msgspec import Raw, Struct, json, structs

from ..archive.foreign import BY
from ..archive.load import Archive
from ..call.cache import kept
from ..call.number_text import counted
from ..call.program import root
from ..call.text import safe
from .definitions import SPREADS, Definition, definitions, files
from .quantity import CONFIDENCE, Estimate, Quantity


class _Told(Struct):
    """What a basis says of that file."""

    archives: dict[str, Raw]
    quantities: dict[str, Raw]


def basis(archive: Archive) -> str:
    """What the intervals of an archive's quantities hold for."""
    if archive.is_foreign:
        return f"figures as stated by {archive.tool}; one without a range counts as exact"
    sure = f"{100 * CONFIDENCE:g} % CIs"
    told = root() / SPREADS
    if not archive.synthetic and told.is_file() and (known := json.decode(told.read_bytes(), type=_Told)).quantities:
        return f"{sure} for another run of this card within the hour, learnt from {len(known.archives)} archives"
    if archive.processes < 2:
        return f"{sure} from one process; run-to-run variation may be larger"
    return f"{sure} from {counted(archive.processes, 'process')} of this run; other days may differ by more"


def infer(archive: Archive, wanted: Collection[str] | None = None) -> list[Quantity]:
    """All quantities of the probes that were measured, by id; of a foreign archive those that it states. Intervals hold
    for another run of the card. wanted: the ids of these alone."""
    if archive.is_foreign:
        return _stated(archive)
    if not archive.sum:
        return _inferred(archive, wanted)
    found = kept("quantities", (archive.sum, *data()), list[Quantity], lambda: _inferred(archive))
    return [q for q in found if wanted is None or q.id in wanted]


def of(archive: Archive, own: Collection[Definition]) -> list[Quantity]:
    """Figures that no sheet has, by definitions of their own; of a foreign archive there are none."""
    if archive.is_foreign or not own:
        return []
    from .inference import Inference, in_another_run, one

    alone = Inference(archive)
    return [in_another_run(one(definition, alone), alone) for definition in own]


def data() -> list[bytes]:
    """What quantities follow from beside an archive."""
    return [path.read_bytes() for path in (*files(root()), root() / SPREADS) if path.is_file()]


def _inferred(archive: Archive, wanted: Collection[str] | None = None) -> list[Quantity]:
    from .inference import Inference, in_another_run, inferred

    alone = Inference(archive)
    return [in_another_run(q, alone) for q in inferred(archive, alone, wanted)]


def _stated(archive: Archive) -> list[Quantity]:
    """What a foreign archive says, under the definitions of this tree; a figure in another unit is not determined."""
    ours, found = {d.id: d for d in definitions(archive.run)}, []
    for stated in sorted(archive.foreign, key=lambda stated: stated.id):
        definition = ours.get(stated.id)
        if definition is None or definition.unit != stated.unit:
            why = f"its unit is {safe(stated.unit)}" if definition else "unknown quantity"
            definition = definition or Definition(safe(stated.id), safe(stated.unit), "unknown here", "reported")
            found.append(Quantity(_as_foreign(definition), None, why))
            continue
        low, high = (stated.value if end is None else end for end in (stated.low, stated.high))
        note = f"{safe(stated.name)} = {stated.stated:g} {safe(stated.stated_unit)}"
        note += f"; {safe(stated.note)}" if stated.note else ""
        found.append(Quantity(_as_foreign(definition), Estimate(stated.value, low, high, stated.n, note)))
    return found


def _as_foreign(definition: Definition) -> Definition:
    """Without what the device reports, which this device may not."""
    return structs.replace(definition, by=BY, reported=None, screen=None)
