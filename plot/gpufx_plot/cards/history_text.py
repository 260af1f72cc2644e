"""What `gpufx history` prints: the changes first, then the series."""

import math

from .. import UserError
from ..call.number_text import counted
from ..call.program import root
from ..call.tables import csv_text, fitted, wrapped
from ..call.text import clipped, json_text, meant
from ..chip.definitions import of_the_tree
from ..chip.quantity_text import amount
from ..statistics.rules import QUANTITY_HALF_WIDTHS
from .card_table import FIGURES, chips, shorts
from .dataset import ask
from .history import Change, Series, Told, differing, read, tell

MOST_CARDS, MOST_LINES = 20, 40  # that are shown
HEAD = ("started", "value", "", "driver", "")


def percent(log: float) -> str:
    return f"{100 * math.expm1(log):+.3g} %"


def gather(database, quantity: str, card: str | None) -> list[tuple[str, Told]]:
    """One entry a device that has the quantity, with its name. Raises UserError."""
    known = [row[0] for row in ask(database, f"SELECT DISTINCT quantity FROM ({FIGURES}) ORDER BY 1")]
    if quantity not in known:
        more = meant(quantity, known, "`gpufx sheet` lists quantities")
        raise UserError(f"the dataset has no quantity '{clipped(quantity)}'; {more}")
    found = []
    for provenance, device, arch, name, *_ in chips(database):
        mine = "provenance = ? AND device = ? AND arch = ? AND quantity = ?"
        series = read(database, mine, [provenance, device, arch, quantity])
        told = tell(quantity, series.get(quantity, []))
        if card:
            told = _of_card(told, card)
        if told.series:
            made_up = " (SYNTHETIC)" if provenance == "synthetic" else ""
            found.append((f"{name}{made_up}", told))
    if not found:
        raise UserError(f"no card '{clipped(card or '')}' has this quantity; `gpufx archive list DATASET` lists them")
    return found


def _of_card(told: Told, card: str) -> Told:
    """What is known of one card, told by the noise of all."""
    mine = [one for one in told.series if card.lower() in one.card.lower()]
    changes = [change for change in told.changes if change.series in mine]
    return Told(told.quantity, mine, changes, told.causes, told.noise, told.learnt)


def _states(quantity: str) -> list[str]:
    """What else than the card moves it, as its definition says."""
    return [d.state for effect in of_the_tree(root()).values() for d in effect if d.id == quantity and d.state]


def change_text(change: Change, name: str) -> str:
    unit, day = change.series.unit, f"{change.series.when[change.at]:%Y-%m-%d}"
    if change.drift:
        return f"{name}: drifts by {percent(change.away)} in 30 days"
    levels = f"{amount(math.exp(change.before), unit)} to {amount(math.exp(change.after), unit)}"
    causes = "; ".join(change.causes) or "nothing else that the archives record"
    return f"{name}: {percent(change.away)} on {day}, {levels}; changed there: {causes}"


def as_text(found: list[tuple[str, Told]]) -> str:
    return "\n".join("\n".join(_lines(name, told)) + "\n" for name, told in found)


def _lines(name: str, told: Told) -> list[str]:
    cards = shorts([one.card for one in told.series])
    named = dict(zip((id(one) for one in told.series), cards, strict=True))
    touched = len({id(change.series) for change in told.changes})
    archives = sum(len(one.logs) for one in told.series)
    once = archives == len(told.series)
    what = f"{counted(len(told.changes), 'change')} on {touched} of " if told.changes else "no change on any of "
    what = f"{'' if once else what}{counted(len(cards), 'card')}, {counted(archives, 'archive')}"
    lines = wrapped(f"{told.quantity} of {name}: {what}")
    for state in _states(told.quantity):
        lines += wrapped(f"  {told.quantity}: {state}", indent=" " * 4)
    order = sorted(told.changes, key=lambda change: -abs(change.away))
    for change in order[:MOST_CARDS]:
        lines += wrapped(f"  {change_text(change, named[id(change.series)])}", indent=" " * 4)
    if len(order) > MOST_CARDS:
        lines.append(f"  and {len(order) - MOST_CARDS} smaller ones; --format csv has all")
    for cause in told.causes[:MOST_CARDS]:
        line = f"  on {counted(cause.count, 'card')} together: {cause.text}: {percent(cause.away)}"
        lines += wrapped(line, indent=" " * 4)
    if once:
        lines += wrapped("Each card was measured once, so changes can't be seen.")
    else:
        how = "from the steps of all cards" if told.learnt else "from the intervals of the archives: too few steps"
        lines += wrapped(f"The values of a card vary from archive to archive by {100 * told.noise:.2g} % ({how}).")
    if len(told.series) == 1:
        lines += ["", *_table(told.series[0], told.changes)]
    return lines


def _table(one: Series, changes: list[Change]) -> list[str]:
    at = {change.at: change for change in changes if not change.drift}
    rows = []
    for i, log in enumerate(one.logs):
        mark = f"{percent(at[i].away)}: {'; '.join(at[i].causes)}".rstrip(": ") if i in at else ""
        value = amount(math.exp(log), one.unit, 5)
        rows.append((f"{one.when[i]:%Y-%m-%dT%H:%M:%SZ}", value, _sure(one.errors[i]), _fact(one.facts[i]), mark))
    left_out = max(len(rows) - MOST_LINES, 0)
    more = [f"({left_out} earlier ones; --format csv has all)"] if left_out else []
    return fitted(HEAD, rows[left_out:], {"value"}) + more


def _sure(error: float) -> str:
    return f"± {100 * QUANTITY_HALF_WIDTHS * error:.2g} %" if error else ""


def _fact(facts: dict) -> str:
    return str(facts["driver"])


COLUMNS = ("device", "card", "archive", "started_utc", "quantity", "unit", "value", "change_pct", "changed_there")


def _rows(found: list[tuple[str, Told]]) -> list[list]:
    rows = []
    for name, told in found:
        at = {(id(change.series), change.at): change for change in told.changes if not change.drift}
        for one in told.series:
            for i, log in enumerate(one.logs):
                change = at.get((id(one), i))
                there = "; ".join(differing(one.facts[i - 1], one.facts[i])) if i else ""
                away = 100 * math.expm1(change.away) if change else None
                when = f"{one.when[i]:%Y-%m-%dT%H:%M:%SZ}"
                rows.append(
                    [name, one.card, one.archives[i], when, told.quantity, one.unit, math.exp(log), away, there]
                )
    return rows


def as_csv(found: list[tuple[str, Told]]) -> str:
    return csv_text(list(COLUMNS), _rows(found))


def as_json(found: list[tuple[str, Told]]) -> str:
    drifts = [
        {"device": name, "card": change.series.card, "pct_in_30_days": 100 * math.expm1(change.away)}
        for name, told in found
        for change in told.changes
        if change.drift
    ]
    causes = [
        {"device": name, "changed": cause.text, "cards": cause.count, "change_pct": 100 * math.expm1(cause.away)}
        for name, told in found
        for cause in told.causes
    ]
    archives = [dict(zip(COLUMNS, row, strict=True)) for row in _rows(found)]
    return json_text({"archives": archives, "drifts": drifts, "causes": causes}, 2)


FORMATS = {"text": as_text, "csv": as_csv, "json": as_json}
