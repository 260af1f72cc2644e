"""The cards and quantities of one chip as a table of logarithms, so that a difference of 0.01 is 1 %; and such tables
from the Parquet tables of many archives.

A card's figure is that of its newest run that finished; the runs before it give the change since then, by the mean of
their logarithms. Errors follow from the intervals. A bracket counts with its middle, and half of it is the error; one
with an open end is left out."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec
import numpy as np

from .. import UserError
from ..call.number_text import moved
from ..call.text import clipped, safe, safe_tree
from ..statistics.rules import QUANTITY_HALF_WIDTHS
from .parquet import ask
from .read_archives import EARLIER
from .settings import SETTINGS, Value, value_text

SIGNS = {"largest": 1, "higher": 1, "smallest": -1, "lower": -1}  # as definitions and tables say which is better

SQL = Path(__file__).with_name("figures.sql").read_text(encoding="utf-8")
FIGURES = SQL.format(half_widths=QUANTITY_HALF_WIDTHS, earlier=EARLIER)
CUT = "CASE WHEN NOT complete THEN coalesce(incomplete, 'not complete') END"
# What groups cards, beside their settings and the labels of the archives.
COLUMNS = {"board_part_number": "board_part_number", "driver": "driver", "version": "gpufx version", "host": "host"}


@dataclass(frozen=True)
class Cards:
    """logs, errors: [card, quantity], NaN where nothing is known. better: 1 where larger is better, -1 where smaller
    is, 0 where neither is. groups: of each card, by what parts cards; "" where it is not known."""

    cards: list[str]
    quantities: list[str]
    better: np.ndarray
    logs: np.ndarray
    errors: np.ndarray
    groups: dict[str, np.ndarray] = field(default_factory=dict)

    def without(self, card: int) -> "Cards":
        cards = self.cards[:card] + self.cards[card + 1 :]
        logs, errors = (np.delete(part, card, axis=0) for part in (self.logs, self.errors))
        return Cards(cards, self.quantities, self.better, logs, errors)


@dataclass(frozen=True)
class Newest:
    """What the last archive of a card says. settings: those of settings_of. incomplete: why its run did not finish."""

    file: str
    labels: dict[str, str]
    settings: dict
    throttled: set[str]
    sm_clock_MHz: float | None  # noqa: N815
    incomplete: str | None
    started: datetime
    earlier: datetime | None  # when the run before began
    driver_before: str  # of that run
    settings_before: dict  # the same


@dataclass(frozen=True, kw_only=True)
class Fleet(Cards):
    """All cards of a chip."""

    device: str
    arch: str
    units: list[str]
    disturbed: np.ndarray  # [card, quantity]: another program was on the GPU
    unlike: np.ndarray  # the same: known in another unit or by another method than on most
    earlier: Cards | None = None  # the same cards, by their runs before the newest
    name: str = ""  # of the device, as it reports it
    synthetic: bool = False
    archives: int = 0
    cut: bool = False  # one of them is of a run that did not finish
    newest: list["Newest"] = field(default_factory=list)  # of each card
    first: str = ""  # days
    last: str = ""


def chips(database) -> list[tuple]:
    """Devices, those with most cards first: provenance, device, arch, name, archives, whether a run was cut, first and
    last day."""
    return ask(
        database,
        "SELECT provenance, device, arch, any_value(device_name), count(*), bool_or(NOT complete), "
        "strftime(min(started_utc) FILTER (NOT future), '%Y-%m-%d'), "
        "strftime(max(started_utc) FILTER (NOT future), '%Y-%m-%d') "
        "FROM archives GROUP BY ALL ORDER BY count(DISTINCT card) DESC, device",
    )


def of_tables(database) -> list[Fleet]:
    """One table a device. Raises UserError where there is no archive."""
    found = [_of_chip(database, *chip) for chip in chips(database)]
    if not found:
        raise UserError("the tables have no archive; export some")
    return found


def _of_chip(database, provenance, device, arch, name, archives, cut, first, last) -> Fleet:
    mine = "provenance = ? AND device = ? AND arch = ?"
    whose = [provenance, device, arch]
    cards = [row[0] for row in ask(database, f"SELECT DISTINCT card FROM archives WHERE {mine} ORDER BY 1", *whose)]
    # One question for all: each opens every file.
    sql = (
        "SELECT quantity, unit, coalesce(method, 0), coalesce(any_value(better), ''), card, number = 1, avg(log), "
        "coalesce(sqrt(sum(error * error)) / count(error), 'NaN'), coalesce(bool_or(shared), false) "
        f"FROM ({FIGURES}) WHERE {mine} GROUP BY ALL"
    )
    places = {card: i for i, card in enumerate(cards)}
    found = [row for row in ask(database, sql, *whose) if row[4] in places]
    counts = Counter()  # of what came in two units or by two methods the usual one of newest runs
    for *of, _, is_newest, _, _, _ in found:
        counts[tuple(of)] += is_newest
    usual = {quantity: of for quantity, *of in sorted(counts, key=lambda one: (counts[one], one))}
    quantities = sorted(usual)
    logs, errors, before, before_errors = (np.full((len(cards), len(quantities)), np.nan) for _ in range(4))
    disturbed, unlike = np.zeros(logs.shape, dtype=bool), np.zeros(logs.shape, dtype=bool)
    columns = {quantity: j for j, quantity in enumerate(quantities)}
    for quantity, *of, card, is_newest, log, error, shared in found:
        at = places[card], columns[quantity]
        if of != usual[quantity]:
            unlike[at] |= is_newest
        elif is_newest:
            logs[at], errors[at], disturbed[at] = log, error, shared
        else:
            before[at], before_errors[at] = log, error
    better = np.array([SIGNS.get(usual[quantity][2], 0) for quantity in quantities], dtype=np.int8)
    newest, groups = _newest(database, mine, whose, cards)
    return Fleet(
        *(cards, quantities, better, logs, errors, groups),
        **{"device": device, "arch": arch, "units": [usual[quantity][0] for quantity in quantities]},
        **{"name": clipped(name or device), "synthetic": provenance == "synthetic", "archives": archives, "cut": cut},
        **{"earlier": Cards(cards, quantities, better, before, before_errors), "newest": newest},
        **{"disturbed": disturbed, "unlike": unlike, "first": first or "", "last": last or ""},
    )


def _newest(database, mine: str, whose: list, cards: list[str]) -> tuple[list[Newest], dict[str, np.ndarray]]:
    """Also as groups of cards."""
    newest = (
        f"SELECT card, file, labels, settings, throttle_reasons, sm_clock_MHz, {CUT}, started_utc, "
        "lead(started_utc) OVER newest, lead(driver) OVER newest, lead(settings) OVER newest, "
        f"{', '.join(COLUMNS)} FROM archives WHERE {mine} "
        "WINDOW newest AS (PARTITION BY card ORDER BY future, started_utc DESC, archive) "
        "QUALIFY row_number() OVER newest = 1"
    )
    rows = {row[0]: row[1:] for row in ask(database, newest, *whose)}
    try:
        found = [
            Newest(
                safe(file or ""),
                safe_tree(msgspec.json.decode(labels, type=dict[str, str])),
                msgspec.json.decode(settings or "{}", type=dict[str, Value]),
                set(safe(throttled or "").split()),
                clock,
                clipped(cut) if cut else None,
                *times,
                clipped(driver or ""),
                msgspec.json.decode(before or "{}", type=dict[str, Value]),
            )
            for file, labels, settings, throttled, clock, cut, *times, driver, before in (
                rows[card][:10] for card in cards
            )
        ]
    except msgspec.MsgspecError as error:
        raise UserError(
            f"labels or settings of the archives are invalid ({safe(str(error))[:100]}); export the archives again"
        ) from None
    names = sorted({name for one in found for name in one.labels if name != "host"})
    groups = {f"label {name}": [one.labels.get(name, "") for one in found] for name in names}
    for s in SETTINGS:
        groups[s.words] = [value_text(s, one.settings[s.path]) if s.path in one.settings else "" for one in found]
    for i, name in enumerate(COLUMNS.values(), start=10):
        groups[name] = [clipped(rows[card][i] or "") for card in cards]
    groups = {name: np.array(values, dtype=object) for name, values in groups.items() if len(set(values) - {""}) > 0}
    return found, groups


def percent(log: float) -> str:
    return moved(math.exp(log), whole=100)


def shorts(cards: Sequence[str]) -> list[str]:
    """Cards in a line: the first part of a UUID, as nvidia-smi's users know them; whole where two would be alike."""
    cards = [safe(card) for card in cards]
    texts = [card[:12] if card.startswith("GPU-") else card[:16] for card in cards]
    seen = Counter(texts)
    return [text if seen[text] == 1 else card for text, card in zip(texts, cards, strict=True)]
