"""What a person names where a dataset is wanted: a dataset, or a folder of archives, which is packed into one that is
gone afterwards."""

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import UserError
from ..call.terminal import notice
from ..call.text import shown
from .dataset import check_mark, is_dataset, usual
from .ingest import Outcome, pack


@contextmanager
def dataset_of(word: str | None):
    """The dataset's folder. Raises UserError."""
    path = Path(word) if word else usual()
    if word == "":
        raise UserError("the name of the dataset is empty; name a folder")
    if is_dataset(path) or not word or not path.exists():
        check_mark(path)
        yield path
        return
    with TemporaryDirectory(prefix="gpufx-") as folder:
        outcome = pack([path], Path(folder, "dataset"))
        tell(outcome)
        if not outcome.taken:
            raise UserError(f"{shown(path)}: it has no archive that can be added")
        yield Path(folder, "dataset")


def tell(outcome: Outcome) -> None:
    """What was not taken, each with its reason."""
    for refused in outcome.refused:
        notice(f"note: {refused.text()}")
    for note in outcome.notes:
        notice(f"note: {note}")
