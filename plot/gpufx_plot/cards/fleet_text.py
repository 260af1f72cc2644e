"""The report of a fleet on a screen of 80 columns, and as JSON: the answer first."""

import math

import numpy as np

from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.tables import fitted, wrapped
from ..call.terminal import is_quiet
from ..call.text import json_text
from ..chip.quantity_text import amount
from .card_table import percent
from .card_verdict import FAIL, NOT_JUDGED, PASS, UNSURE
from .fleet_report import Chip
from .judge import FEWEST
from .read_archives import Refused
from .settings import value_text

MOST_SICK, MOST_GROUPS, MOST_QUANTITIES = 20, 10, 3  # that are shown


def headline(chip: Chip) -> str:
    """The answer."""
    cards = counted(len(chip.cards.cards), "card")
    name = f"{chip.cards.name}{' (SYNTHETIC: invented numbers)' if chip.cards.synthetic else ''}"
    if not chip.enough and not chip.sick:
        return f"{name}: {cards}, too few to find a sick one: 4 are needed"
    named = ", ".join(chip.names[one.card] for one in chip.sick[:3]) + (", ..." if len(chip.sick) > 3 else "")
    if not chip.sick:
        sick = f"no sick card among {cards}"
    else:
        sick = f"{len(chip.sick)} of {cards} {'is' if len(chip.sick) == 1 else 'are'} sick: {named}"
    sick += f", {len(chip.unsure)} unsure" if chip.unsure else ""
    sets = {group.cards.tobytes() for group in chip.groups}
    sick += "".join(f"; {text}" for text in [*chip.slower[:1], *[chip.fell] * bool(chip.fell)])
    differ = f"; {counted(len(sets), 'group')} of cards differ{'s' if len(sets) == 1 else ''}" if sets else ""
    return f"{name}: {sick}{differ}"


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
            rows.append((card, s.setting.words, "-", s.here, usual, place))
            card = place = ""  # said once
        for i, q in enumerate(one.quantities[:3]):
            unit, away, here = chip.cards.units[q], chip.judged.away[one.card, q], chip.cards.logs[one.card, q]
            name = chip.cards.quantities[q] + (f" (and {left} more)" if i == 2 and left > 0 else "")
            amounts = (amount(math.exp(log), unit, 4) for log in (here, here - away))
            rows.append((card, name, percent(away), *amounts, place))
            card = place = ""
    return rows


SICK_HEAD = ("sick card", "quantity", "deviation", "here", "others", "where")


def group_lines(chip: Chip, most: int) -> list[str]:
    """A line for each set of cards: what they have in common, and the quantities, the farthest first."""
    sets = grouped(chip.groups, lambda group: group.cards.tobytes())
    lines = []
    for groups in sorted(sets.values(), key=lambda g: -max(abs(one.away) for one in g))[:most]:
        groups.sort(key=lambda one: -abs(one.away))
        off = ", ".join(f"{chip.cards.quantities[one.quantity]} {percent(one.away)}" for one in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        lines.append(f"{', '.join(groups[0].names)} ({counted(groups[0].count, 'card')}): {off}{more}")
    if len(sets) > most:
        lines.append(f"and {len(sets) - most} more; --format json has all")
    return lines


def spread_line(chip: Chip) -> str:
    """The quantities that cards differ in most."""
    ranges = {}
    for q, name in enumerate(chip.cards.quantities):
        low, middle, high = chip.quantiles(q)
        ranges[
            f"{name} ({percent(math.log(low / middle)).removesuffix(' %')} to {percent(math.log(high / middle))})"
        ] = high / low
    widest = sorted((text for text in ranges if ranges[text] > 1), key=lambda text: -ranges[text])[:MOST_QUANTITIES]
    said = f"90 % of the cards differ most in {', '.join(widest)}; --format json has all quantities"
    return said if widest else ""


def of_chip(chip: Chip) -> list[str]:
    lines = [*wrapped(headline(chip)), *wrapped(basis(chip))]
    if chip.unsure:
        lines += wrapped(f"unsure: {', '.join(chip.names[card] for card in sorted(chip.unsure))}", indent="  ")
    if chip.sick:
        lines += ["", *fitted(SICK_HEAD, sick_rows(chip, MOST_SICK), {"deviation"})]
        if len(chip.sick) > MOST_SICK:
            lines.append(f"and {len(chip.sick) - MOST_SICK} more; --format json has all")
        causes = grouped([one for one in chip.sick[:MOST_SICK] if one.cause], lambda one: one.cause)
        for cause, of in causes.items():
            lines += wrapped(f"{', '.join(chip.names[one.card] for one in of)}: {cause}", indent="  ")
    for title, more in (
        ("groups of cards that differ from the others", group_lines(chip, MOST_GROUPS)),
        ("notes", chip.notes),
    ):
        if more:
            lines += ["", title, *(line for text in more for line in wrapped(f"  {text}", indent=" " * 4))]
    spread = spread_line(chip)
    return [*lines, *(["", *wrapped(spread)] if spread else [])]


def as_text(chips: list[Chip], notes: list[str]) -> str:
    if is_quiet():
        return "".join(f"{headline(chip)}\n" for chip in chips)
    said = [line for note in notes for line in wrapped(f"note: {note}", indent=" " * 6)]
    return "\n\n".join("\n".join(part) for part in (*map(of_chip, chips), said) if part) + "\n"


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
    return {
        "card": chip.cards.cards[card],
        "archive": newest.file,
        "host": host or None,
        "labels": newest.labels,
        "verdict": word,
        "reasons": reasons,
    }


def _json(chip: Chip) -> dict:
    c, j = chip.cards, chip.judged
    names = c.quantities

    def number(value) -> float | None:
        return float(value) if math.isfinite(value) else None

    return {
        "device": c.name,
        "slug": c.device,
        "arch": c.arch,
        "synthetic": c.synthetic,
        "answer": headline(chip),
        "archives": c.archives,
        "first": c.first,
        "last": c.last,
        "cards": [_card(chip, card) for card in range(len(c.cards))],
        "sick": [
            {
                "card": c.cards[one.card],
                "where": chip.place(one.card),
                "likely_cause": one.cause or None,
                "settings": [
                    {"name": s.setting.path, "here": s.card, "others": s.usual, "reason": s.text} for s in one.settings
                ],
                "quantities": [
                    {
                        "quantity": names[q],
                        "unit": c.units[q],
                        "here": math.exp(c.logs[one.card, q]),
                        "others": math.exp(c.logs[one.card, q] - j.away[one.card, q]),
                        "off_pct": 100 * math.expm1(j.away[one.card, q]),
                        "p": number(j.p[one.card, q]),
                    }
                    for q in one.quantities
                ],
            }
            for one in chip.sick
        ],
        "groups": [
            {
                "common": list(group.names),
                "cards": group.count,
                "quantity": names[group.quantity],
                "off_pct": 100 * math.expm1(group.away),
                "p": group.p,
                "surely": group.surely,
            }
            for group in chip.groups
        ],
        "quantities": [
            {
                "quantity": name,
                "unit": c.units[q],
                "cards": int(np.isfinite(c.logs[:, q]).sum()),
                **dict(zip(("low", "median", "high"), chip.quantiles(q), strict=True)),
                "spread_pct": number(100 * j.spread[q]),
            }
            for q, name in enumerate(names)
        ],
        "notes": chip.notes,
    }
