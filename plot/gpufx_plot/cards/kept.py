"""Cards whose archives left the tree: what an acceptance reads of each, in results/kept/DEVICE.jsonl.gz.

    python -m gpufx_plot.cards.kept ARCHIVE...

adds archives, before they are removed. A line is an archive: its name, and its text of base_row.py. Nothing else can be
asked of it: no case, no sample. What can fool it: figures are those of the day it was kept; a quantity that is defined
anew since then has cases of another method, and is not set beside it.
"""

import gzip
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from .. import UserError
from ..call.output import write
from ..call.program import root
from ..call.terminal import complain
from .base_row import board_of_text, text_of
from .board import Board, board

FOLDER, ENDING = "results/kept", ".jsonl.gz"


class _Line(msgspec.Struct):
    archive: str
    acceptance: str


_decode = msgspec.json.Decoder(_Line).decode


def file_of(top: Path, slug: str) -> Path:
    return top / FOLDER / f"{slug}{ENDING}"


def is_kept(path: Path) -> bool:
    return path.parent.name == Path(FOLDER).name and path.parent.parent.name == Path(FOLDER).parent.name


def _lines(file: Path) -> list[bytes]:
    try:
        return gzip.decompress(file.read_bytes()).splitlines() if file.exists() else []
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{file} can't be read: {error}") from None


def kept_in(file: Path) -> list[Board | str]:
    """The cards, and for those that can't be read the reasons."""
    found = []
    try:
        for line in _lines(file):
            try:
                one = _decode(line)
                found.append(board_of_text(one.acceptance, file.parent / one.archive))
            except msgspec.MsgspecError as error:
                found.append(f"{file}: {error}")
            except UserError as error:
                found.append(str(error))
    except UserError as error:
        found.append(str(error))
    return found


def keep(top: Path, archives: Iterable[Path]) -> None:
    """Each in place of what was kept of it before. Raises UserError."""
    for path in archives:
        one = board(path)
        if one.synthetic or one.quick or one.incomplete or one.cases is not None:
            raise UserError(f"{path}: not a complete archive of a card")
        file = file_of(top, one.slug)
        lines = {_decode(line).archive: line for line in _lines(file)}
        lines[path.name] = msgspec.json.encode(_Line(path.name, text_of(one)))
        file.parent.mkdir(exist_ok=True)
        write(file, gzip.compress(b"".join(lines[name] + b"\n" for name in sorted(lines)), mtime=0))


def main(words: list[str]) -> int:
    try:
        keep(root(), map(Path, words))
    except UserError as error:
        return complain(f"gpufx_plot.cards.kept: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
