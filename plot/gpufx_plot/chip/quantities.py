"""The quantities of an archive. They follow from its bytes, from what quantities there are (definitions.py) and from
how archives differ (spreads.py): what was inferred once is kept (call/cache.py), and had without numpy."""

from collections.abc import Collection

from ..archive.load import Archive
from ..call.cache import kept
from ..call.number_text import counted
from ..call.program import root
from .definitions import SPREADS, files
from .quantity import CONFIDENCE, Quantity
from .spread_table import kept as table_of


def _of_model(q: Quantity, archive: Archive) -> list[tuple[str, float | None]]:
    """Card and value in each archive of the model that the interval is learnt from."""
    known = table_of(root())
    row = None if archive.synthetic else known.quantities.get(q.id)
    found = [(known.archives[one], values[0]) for one, values in row.values.items()] if row else []
    return [(of.card, value) for of, value in found if of.model == archive.run["device"]["name"]]


def cards_behind(q: Quantity, archive: Archive) -> int:
    """Of how many cards of its model the interval is learnt; 0: it is this run's own."""
    return len({card for card, _ in _of_model(q, archive)})


def over_cards(q: Quantity, archive: Archive) -> tuple[float, float] | None:
    """The lowest and the highest value of the model, where one lies outside of the interval; None where none does."""
    values = [value for _, value in _of_model(q, archive) if value is not None]
    low, high = q.estimate.ends
    return (min(values), max(values)) if values and (min(values) < low or max(values) > high) else None


def basis(archive: Archive) -> str:
    """What the intervals of an archive's quantities hold for."""
    sure = f"{100 * CONFIDENCE:g} % CIs"  # for another run of this card within the hour: docs/quantities.md
    if not archive.synthetic and (known := table_of(root())).quantities:
        return f"{sure} for another run of this card within the hour, learnt from {len(known.archives)} archives"
    if archive.processes < 2:
        return f"{sure} from one process; another run may differ by more"
    return f"{sure} from {counted(archive.processes, 'process')} of this run; another run may differ by more"


def infer(archive: Archive, wanted: Collection[str] | None = None) -> list[Quantity]:
    """All quantities of the probes that were measured, by id. Intervals: basis. wanted: the ids of these alone."""
    if not archive.sum:
        return _inferred(archive, wanted)
    found = kept("quantities", (archive.sum, *data()), list[Quantity], lambda: _inferred(archive))
    return [q for q in found if wanted is None or q.id in wanted]


def data() -> list[bytes]:
    """What quantities follow from beside an archive."""
    return [path.read_bytes() for path in (*files(root()), root() / SPREADS) if path.is_file()]


def _inferred(archive: Archive, wanted: Collection[str] | None = None) -> list[Quantity]:
    from .inference import Inference, in_another_run, inferred

    alone = Inference(archive)
    return [in_another_run(q, alone) for q in inferred(archive, alone, wanted)]
