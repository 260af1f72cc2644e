"""The report of a fleet as one HTML page that needs no network and no script: the answers, a square for every card, and
the worst cards quantity by quantity."""

import math
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ..cards.fleet_report import Chip
from ..cards.fleet_text import (
    QUANTITY_HEAD,
    SICK_HEAD,
    basis,
    group_lines,
    headline,
    mapped,
    quantity_rows,
    sick_rows,
)
from .report import templates
from .report.build import POLICY, sha
from .report.colours import device_colours

MOST = 1000  # rows of a table
MAP_CARDS, MAP_QUANTITIES = 60, 60
LEVELS = (2.5, 4.0, 6.0)  # standard deviations of healthy cards on the bad side, from which on a square is darker
PER_ROW, SQUARE = 100, 8


@dataclass(frozen=True)
class Squares:
    """A picture of squares, one path a level: level 0 is fine, the last one sick, -1 not known."""

    width: int
    height: int
    paths: list[tuple[str, str]]


def _level(far: np.ndarray, sick: np.ndarray, known: np.ndarray) -> np.ndarray:
    level = np.searchsorted(LEVELS, far, side="right")
    return np.where(known, np.where(sick, len(LEVELS) + 1, level), -1)


NAMES = ("none", *(f"far{i}" for i in range(len(LEVELS) + 1)), "sick", "group")  # classes, from level -1 on


def _paths(level: np.ndarray) -> list[tuple[str, str]]:
    """level: [row, column]; -2: nothing is there."""
    found = []
    for value, name in enumerate(NAMES, start=-1):
        at = np.argwhere(level == value)
        if len(at):
            side = SQUARE - 1
            path = "".join(f"M{x * SQUARE} {y * SQUARE}h{side}v{side}h-{side}z" for y, x in at.tolist())
            found.append((name, path))
    return found


def overview(chip: Chip) -> Squares:
    """A square for each card, host by host, by its worst quantity."""
    hosts = chip.cards.groups.get("host")
    order = sorted(range(len(chip.cards.cards)), key=lambda i: (hosts[i] if hosts is not None else "", i))
    known, sick = np.isfinite(chip.cards.logs).any(axis=1), chip.judged.sick.any(axis=1)
    level = _level(chip.far().max(axis=1, initial=0.0), sick, known)
    for group in chip.groups:
        level[group.cards & ~sick] = len(NAMES) - 2
    level = level[order]
    columns = min(PER_ROW, max(len(level), 1))
    rows = -(-len(level) // columns)
    grid = np.full(rows * columns, -2)
    grid[: len(level)] = level
    return Squares(columns * SQUARE, rows * SQUARE, _paths(grid.reshape(rows, columns)))


@dataclass(frozen=True)
class MapRow:
    name: str
    place: str
    cells: list[tuple[str, str]]  # class, and what a pointer is told


def detail(chip: Chip) -> tuple[list[str], list[MapRow]]:
    """The worst cards by the quantities in which they are worst."""
    far, sick = chip.far(), chip.judged.sick
    cards, quantities = mapped(chip, MAP_CARDS, MAP_QUANTITIES)
    level = _level(far, sick, np.isfinite(chip.cards.logs))
    rows = []
    for card in cards:
        cells = []
        for q in quantities:
            away = chip.judged.away[card, q]
            told = f"{100 * math.expm1(away):+.2g} %" if math.isfinite(away) else "not known"
            cells.append((NAMES[int(level[card, q]) + 1], f"{chip.names[card]}, {chip.cards.quantities[q]}: {told}"))
        rows.append(MapRow(chip.names[card], chip.place(card), cells))
    return [chip.cards.quantities[q] for q in quantities], rows


def _values(chip: Chip) -> dict:
    heads, rows = detail(chip) if chip.enough else ([], [])
    return {
        "answer": headline(chip),
        "basis": basis(chip),
        "name": chip.cards.name,
        "sick": sick_rows(chip, MOST),
        "groups": group_lines(chip, MOST),
        "notes": chip.notes,
        "overview": overview(chip) if chip.enough else None,
        "heads": heads,
        "rows": rows,
        "quantities": quantity_rows(chip),
        "count": len(chip.cards.cards),
        "by_host": "host" in chip.cards.groups,
        "synthetic": chip.cards.synthetic,
    }


def as_html(chips: list[Chip], notes: list[str]) -> str:
    colours = [device_colours(chip.cards.device) for chip in chips]
    style = templates.render("page.css", colours=colours, common=Markup(templates.text("fleet.css")))
    return templates.render(
        "fleet.html",
        policy=POLICY.format(sha(style), sha("")),
        style=Markup(style),
        chips=[_values(chip) for chip in chips],
        notes=notes,
        sick_head=SICK_HEAD,
        quantity_head=QUANTITY_HEAD,
    )
