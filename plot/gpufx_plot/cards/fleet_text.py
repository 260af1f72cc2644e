"""The report of a fleet on a screen of 80 columns, and as JSON: the answer first."""

import math
from collections.abc import Sequence

import numpy as np

from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.tables import fitted, wrapped
from ..call.terminal import columns, is_quiet
from ..call.text import fields_of, json_text, shown
from ..chip.quantity_text import amount
from ..judging.evidence import named
from .accept_text import finite
from .card_groups import Group
from .card_table import percent
from .card_verdict import FAIL, NOT_JUDGED, PASS, UNSURE
from .fleet_report import Chip, Sick
from .judge import FEWEST
from .read_archives import Refused
from .settings import value_text

MOST_SICK, MOST_GROUPS = 20, 10  # that are shown


def headline(chip: Chip) -> str:
    """The answer."""
    cards = counted(len(chip.cards.cards), "card")
    name = f"{chip.cards.name}{' (SYNTHETIC: invented numbers)' if chip.cards.synthetic else ''}"
    unread = [f"{counted(chip.unread, 'file')} unreadable"] * bool(chip.unread)
    if not chip.enough and not chip.sick:
        return "; ".join([f"{name}: {cards}, too few to find a sick one: 4 are needed", *unread])
    names = named([chip.names[one.card] for one in chip.sick])
    are = "are" if chip.sick[1:] else "is"
    sick = f"{len(chip.sick)} of {cards} {are} sick: {names}" if chip.sick else f"no sick card among {cards}"
    sick += f", {len(chip.unsure)} unsure" if chip.unsure else ""
    told = [one.text for one in chip.apart[:1] if one.worse]
    more = len(chip.apart) - len(told)
    told += [chip.fell] * bool(chip.fell)
    told += [f"{counted(more, 'other group' if told else 'group')} of cards differ{'s' * (more == 1)}"] * bool(more)
    return f"{name}: {'; '.join([sick, *told, *unread])}"


def basis(chip: Chip) -> str:
    c = chip.cards
    days = f", {c.first} to {c.last}" if c.first and c.first != c.last else f", {c.first}" if c.first else ""
    several = ", of each card the newest that finished" if c.archives != len(c.cards) else ""
    return f"{counted(c.archives, 'archive')}{several}, {counted(len(c.quantities), 'quantity')}, {c.arch}{days}"


def sick_rows(chip: Chip, most: int) -> list[tuple[str, ...]]:
    """A row for each quantity that is off."""
    rows = []
    for one in chip.sick[:most]:
        card, place, left = chip.names[one.card], chip.place(one.card), len(one.quantities) - 3
        for s in one.settings:
            usual = "-" if s.usual is None else value_text(s.setting, s.usual)
            rows.append((card, s.setting.words, "-", value_text(s.setting, s.card), usual, place))
            card = place = ""  # said once
        for i, q in enumerate(one.quantities[:3]):
            unit, away, here = chip.cards.units[q], chip.judged.away[one.card, q], chip.cards.logs[one.card, q]
            name = chip.cards.quantities[q] + (f" (and {left} more)" if i == 2 and left > 0 else "")
            amounts = (amount(math.exp(log), unit, 4) for log in (here, here - away))
            rows.append((card, name, percent(away), *amounts, place))
            card = place = ""
    return rows


SICK_HEAD = ("sick card", "quantity", "deviation", "here", "others", "where")


def of_chip(chip: Chip, places: Sequence[str]) -> list[str]:
    """places: where its archives are, as they were named."""
    lines = [*wrapped(headline(chip), columns(answer=True)), *wrapped(basis(chip))]
    for why, of in [*grouped(sorted(chip.unsure), lambda card: "; ".join(chip.unsure[card])).items()][:MOST_GROUPS]:
        lines += wrapped(f"unsure: {chip.called(of[0]) if not of[1:] else f'{len(of)} cards'}: {why}", indent="  ")
    if chip.sick:
        lines += ["", *fitted(SICK_HEAD, sick_rows(chip, MOST_SICK), {"deviation"})]
        if len(chip.sick) > MOST_SICK:
            lines.append(f"and {len(chip.sick) - MOST_SICK} more; --format json has all")
        causes = grouped([one for one in chip.sick[:MOST_SICK] if one.cause], lambda one: one.cause)
        for cause, of in causes.items():
            lines += wrapped(f"{', '.join(chip.names[one.card] for one in of)}: {cause}", indent="  ")
        first, base = chip.sick[0].card, f" --against {','.join(map(shown, places))}" * bool(places)
        where = f" on {chip.place(first)}" * bool(chip.place(first))
        if not chip.cards.synthetic:
            lines.append(f"next{where}: gpufx accept --device {chip.cards.cards[first]}{base}")
    if chip.notes:
        lines += ["", "notes", *(line for text in chip.notes for line in wrapped(f"  {text}", indent=" " * 4))]
    return lines


def as_text(chips: list[Chip], notes: list[str], refused: list[Refused], places: Sequence[str] = ()) -> str:
    if is_quiet():
        return "".join(f"{headline(chip)}\n" for chip in chips)
    wrong = grouped(refused, lambda one: one.reason.removeprefix(f"{shown(one.path)}: "))
    for why, of in wrong.items():
        files = f"{len(of)} files: {why}: {named([shown(one.path) for one in of])}"
        notes = [*notes, files if of[1:] else of[0].text()]
    said = [line for note in notes for line in wrapped(f"note: {note}", indent=" " * 6)]
    return "\n\n".join("\n".join(part) for part in (*(of_chip(chip, places) for chip in chips), said) if part) + "\n"


def as_json(chips: list[Chip], notes: list[str], refused: list[Refused], fail_on: list[str]) -> str:
    of_chips = [_json(chip) for chip in chips]
    told = {"chips": of_chips, "notes": notes, "refused": [one.as_json() for one in refused], "fail_on": fail_on}
    return json_text(told | {"incomplete": bool(refused) or any(chip.cards.cut for chip in chips)}, 1)


def _card(chip: Chip, card: int) -> dict:
    """Verdict and reasons of one card, in the words of accept."""
    newest, sick = chip.cards.newest[card], next((one for one in chip.sick if one.card == card), None)
    word, reasons = PASS, chip.unsure.get(card, [])
    if sick:
        off = (f"{chip.cards.quantities[q]} {percent(chip.judged.away[card, q])}" for q in sick.quantities)
        word, reasons = FAIL, [*(one.text for one in sick.settings), *off]
    elif reasons:
        word = UNSURE
    elif not chip.enough or not np.isfinite(chip.judged.p[card]).any():
        word, reasons = NOT_JUDGED, [f"{FEWEST} cards of a kind with common quantities are needed"]
    host = chip.cards.groups["host"][card] if "host" in chip.cards.groups else ""
    row = {"card": chip.cards.cards[card], "archive": newest.file, "host": host or None, "labels": newest.labels}
    return row | {"verdict": word, "reasons": reasons}


def _sick(chip: Chip, one: Sick) -> dict:
    c, j, card, found = chip.cards, chip.judged, one.card, []
    for q in one.quantities:
        log, away = c.logs[card, q], j.away[card, q]
        row = {"quantity": c.quantities[q], "unit": c.units[q], "here": math.exp(log), "others": math.exp(log - away)}
        found.append(row | {"off_pct": 100 * math.expm1(away), "p": finite(j.p[card, q])})
    of = [{"name": s.setting.path, "here": s.card, "others": s.usual, "reason": s.text} for s in one.settings]
    row = {"card": c.cards[card], "where": chip.place(card), "likely_cause": one.cause or None}
    return row | {"settings": of, "quantities": found}


def _group(chip: Chip, one: Group) -> dict:
    row = {"common": list(one.names), "cards": one.count, "quantity": chip.cards.quantities[one.quantity]}
    return row | {"off_pct": 100 * math.expm1(one.away), "p": one.p, "surely": one.surely}


def _quantity(chip: Chip, q: int) -> dict:
    c = chip.cards
    row = {"quantity": c.quantities[q], "unit": c.units[q], "cards": int(np.isfinite(c.logs[:, q]).sum())}
    row |= dict(zip(("low", "median", "high"), chip.quantiles(q), strict=True))
    return row | {"spread_pct": finite(100 * chip.judged.spread[q])}


def _json(chip: Chip) -> dict:
    c = chip.cards
    said = {"device": c.name, "slug": c.device, **fields_of(c, "arch synthetic"), "answer": headline(chip)}
    said |= fields_of(c, "archives first last") | {"cards": [_card(chip, card) for card in range(len(c.cards))]}
    said |= {"sick": [_sick(chip, one) for one in chip.sick], "groups": [_group(chip, one) for one in chip.groups]}
    return said | {"quantities": [_quantity(chip, q) for q in range(len(c.quantities))], "notes": chip.notes}
