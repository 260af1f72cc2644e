"""Cards whose archives left the tree: what an acceptance reads of each, in results/kept/DEVICE.jsonl.gz.

    python -m gpufx_plot.cards.kept ARCHIVE...

adds archives, before they are removed. A line is a `Board`. Nothing else can be asked of it: no case, no sample. What
can fool it: figures are those of the day it was kept; a quantity that is defined anew since then has cases of another
method, and is not set beside it."""

import gzip
import sys
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from .. import UserError
from ..call.output import write
from ..call.program import root
from ..call.stopping import guarded, leave
from .board import Board, board

FOLDER, ENDING = "results/kept", ".jsonl.gz"
_encode = msgspec.json.Encoder(enc_hook=str, order="sorted").encode
_decode = msgspec.json.Decoder(Board, dec_hook=lambda kind, text: kind(text)).decode


def file_of(top: Path, slug: str) -> Path:
    return top / FOLDER / f"{slug}{ENDING}"


def is_kept(path: Path) -> bool:
    return path.parent.name == Path(FOLDER).name and path.parent.parent.name == Path(FOLDER).parent.name


def kept_in(file: Path) -> list[Board | str]:
    """The cards, and for those that can't be read the reasons."""
    try:
        lines = gzip.decompress(file.read_bytes()).splitlines() if file.exists() else []
    except (OSError, EOFError, zlib.error) as error:
        return [f"{file} can't be read: {error}"]
    found: list[Board | str] = []
    for number, line in enumerate(lines, start=1):
        try:
            one = _decode(line)
            found.append(replace(one, path=file.parent / one.path.name))
        except (msgspec.MsgspecError, TypeError) as error:
            found.append(f"{file}:{number}: kept by another version of gpufx ({error}); keep the archive again")
    return found


def keep(top: Path, archives: Iterable[Path]) -> None:
    """Each in place of what was kept of it before. Raises UserError."""
    for path in archives:
        one = board(path)
        if one.synthetic or one.quick or one.incomplete or one.cases is not None:
            raise UserError(f"{path}: not a complete archive of a card")
        file = file_of(top, one.slug)
        known = kept_in(file)
        if wrong := [reason for reason in known if isinstance(reason, str)]:
            raise UserError(wrong[0])
        boards = sorted([*(of for of in known if of.path.name != path.name), one], key=lambda of: of.path.name)
        rows = (replace(of, path=Path(of.path.name)) for of in boards)
        file.parent.mkdir(exist_ok=True)
        write(file, gzip.compress(b"".join(_encode(row) + b"\n" for row in rows), mtime=0))


if __name__ == "__main__":
    leave(guarded("gpufx_plot.cards.kept", lambda: keep(root(), map(Path, sys.argv[1:])) or 0))
