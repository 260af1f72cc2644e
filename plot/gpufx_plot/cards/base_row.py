"""What an acceptance reads of an archive, as one text that kept.py keeps of archives that left the tree."""

import math
from pathlib import Path

import msgspec

from .. import UserError
from ..call.text import shown
from ..chip.definitions import Definition
from .board import Board, Figure

VERSION = 2


class _Figure(msgspec.Struct, array_like=True):
    log: float
    error: float | None
    versions: list[int]
    over_sms: bool
    names: list[int]  # places in the list of cases
    family: dict[int, float]
    sign: int
    source: str | None
    code: list


class _Kept(msgspec.Struct):
    version: int
    board: dict
    cases: list[str]
    tried: list[int] | None
    of_host: list[str]
    figures: dict[str, _Figure]
    missing: dict[str, str]
    definitions: list[Definition]


PLAIN = ("id", "card", "slug", "device", "synthetic", "started", "driver", "quick", "incomplete", "run", "processes")
PLAIN += ("cases_count", "shared")
_decode = msgspec.json.Decoder(_Kept).decode
_encode = msgspec.json.Encoder().encode


def _frozen(part):
    return tuple(map(_frozen, part)) if isinstance(part, list) else part


def text_of(board: Board) -> str:
    places: dict[str, int] = {}

    def place(name: str) -> int:
        return places.setdefault(name, len(places))

    figures = {
        name: _Figure(
            *(f.log, None if math.isnan(f.error) else f.error, list(f.kind[0]), bool(f.kind[1])),
            *([place(case) for case in sorted(f.names)], {place(case): log for case, log in f.family.items()}),
            *(f.sign, f.source, sorted(f.code, key=repr)),
        )
        for name, f in board.figures.items()
    }
    tried = None if board.cases is None else [place(case) for case in sorted(board.cases)]
    plain = {name: getattr(board, name) for name in PLAIN}
    known = list(board.definitions.values())
    return _encode(
        _Kept(VERSION, plain, list(places), tried, sorted(board.of_host), figures, board.missing, known)
    ).decode()


def board_of_text(text: str, path: Path) -> Board:
    """Raises UserError."""
    try:
        kept = _decode(text)
        if kept.version != VERSION:
            raise ValueError
        cases = kept.cases
        figures = {
            name: Figure(
                *(f.log, math.nan if f.error is None else f.error, (tuple(f.versions), f.over_sms)),
                *({cases[i]: log for i, log in f.family.items()}, f.sign, f.source, frozenset(map(_frozen, f.code))),
                frozenset(cases[i] for i in f.names),
            )
            for name, f in kept.figures.items()
        }
        tried = None if kept.tried is None else frozenset(cases[i] for i in kept.tried)
        definitions = {d.id: d for d in kept.definitions}
        more = {"definitions": definitions, "of_host": frozenset(kept.of_host)}
        return Board(path, figures=figures, missing=kept.missing, cases=tried, **more, **kept.board)
    except (ValueError, TypeError, IndexError, msgspec.MsgspecError):
        raise UserError(f"{shown(path)}: it was kept by another version of gpufx; keep the archive again") from None
