"""A verdict for people, and for other programs."""

import math
from collections import Counter

from ..call.grouped import grouped
from ..call.number_text import counted
from ..call.tables import fitted, wrapped
from ..call.terminal import columns, is_quiet
from ..call.text import fields_of, from_here, json_text
from ..chip.definitions import link_of
from ..chip.quantity_text import amount
from .card_verdict import FAIL, NOT_JUDGED, PASS, UNSURE, Finding, Verdict, percent
from .declared import NO_HINT
from .judge import RATE
from .settings import Differs

HEAD = ("", "quantity", "here", "base", "deviation", "fails from")
SHOWN = 6  # quantities that pass, of those that lie nearest to failing
LISTED = 20


def finite(value: float | None) -> float | None:
    """For JSON, which has no infinity."""
    return None if value is None or not math.isfinite(value) else float(value)


def _row(f: Finding) -> tuple[str, ...]:
    here = amount(f.value, f.unit) if f.value is not None else "?"
    base = amount(f.usual, f.unit) if f.usual is not None else "-"
    return (f.word, f.name, here, base, _deviation(f), percent(f.reach) if math.isfinite(f.reach) else "-")


def _deviation(f: Finding) -> str:
    """+4.1 %, -85 % better; where it passes since others are off, too, how many: -1.8 %, as 12 of 25"""
    more = " better" if -f.away >= f.reach else ""
    more += f", as {f.reason.partition(' cards')[0]}" if f.word == PASS and f.reason else ""
    return "-" if not f.change else f"{'+' if f.value >= f.usual else '-'}{f.change.rpartition(' ')[0]}{more}"


def _counts(v: Verdict) -> str:
    """card: 115 PASS, 152 NOT JUDGED"""
    parts = []
    for whose, of_host in (("card", False), (link_of(v.card.run), True)):
        words = [(len(v.of(word, of_host)), word) for word in (FAIL, UNSURE, PASS, NOT_JUDGED)]
        if any(count for count, _ in words):
            parts.append(f"{whose}: " + ", ".join(f"{count} {word}" for count, word in words if count))
    return "; ".join(parts)


def title(v: Verdict) -> str:
    other = f"{link_of(v.card.run).capitalize()} {v.host_word}: {v.host_reason}" if v.host_word != NOT_JUDGED else ""
    other = f"Card {v.card_word}: {v.card_reason}" if v.of_host else other
    reason = v.details if v.word == UNSURE else v.reason
    return f"{v.word} {v.card.device} {v.card.name}: {reason}{'. ' * bool(other)}{other}"


def as_text(v: Verdict) -> str:
    if is_quiet():
        told = "".join(f", {note}" for note in v.notes if note.startswith("recorded"))
        notes = f". {counted(len(v.notes), 'note')}{told}" if v.notes else ""
        return f"{title(v)}{notes}\n"
    lines = wrapped(title(v), columns(answer=True))
    shown_first = [*v.of(FAIL), *v.of(UNSURE), *v.kinds][:LISTED]
    passed = sorted((f for f in v.of(PASS) if not f.reason), key=lambda f: -f.away / f.reach if f.reach else 0.0)
    rows = [_row(f) for f in [*shown_first, *passed[:SHOWN]]]
    if rows:
        lines += ["", *fitted(HEAD, rows)]
    by_reason = grouped(shown_first, lambda f: f.reason)  # each once, behind the quantities that have it
    reasons = [f"{', '.join(f.name for f in of)}: {reason}" for reason, of in by_reason.items()]
    cures = [s.setting.cure for s in v.settings if s.fails and s.usual is not None]
    hints = [*dict.fromkeys(hint for hint in (*cures, *(f.hint for f in shown_first)) if hint)]
    known = [hint for hint in hints if not hint.startswith(NO_HINT.partition(":")[0])]  # of all that is off, perhaps
    causes = [hint[0].upper() + hint[1:] for hint in known or hints[:1]]
    lines += [""] if reasons or causes else []
    lines += [line for text in [*reasons, *causes] for line in wrapped(text, indent="  ")]
    why = Counter(f.reason for f in v.of(NOT_JUDGED)).most_common(1)
    most = f"; {why[0][1]} NOT JUDGED: {why[0][0]}" if why else ""
    more = f"; the {SHOWN} closest to failing are shown" if len(passed) > SHOWN else ""
    lines += ["", *wrapped(f"{_counts(v)}{more}{most}")]
    for note in v.notes:
        lines += wrapped(f"note: {note}", indent="  ")
    lines.append(f"archive: {from_here(v.card.path)}")
    return "\n".join(lines) + "\n"


def _finding(f: Finding) -> dict:
    row = {"id": f.name, "verdict": f.word, "reason": f.reason or None, "unit": f.unit or None}
    row |= {"value": finite(f.value), "base": finite(f.usual), "worse_pct": finite(100 * math.expm1(f.away))}
    row |= {"fails_from_pct": finite(100 * math.expm1(f.reach)), "p": finite(f.p)}
    hint = (f.hint or None) if f.word in (FAIL, UNSURE) else None
    return row | {"base_cards": f.cards, "hint": hint, "of": "host" if f.of_host else "card"}


def _setting(s: Differs) -> dict:
    word = FAIL if s.fails else UNSURE if s.doubt else PASS
    return {"name": s.setting.path, "card": s.card, "base": s.usual, "verdict": word, "reason": s.text}


def as_json(v: Verdict) -> str:
    base = {"kind": v.base.kind.name if v.base.kind else None, "cards": list(v.base.cards)}
    base |= {"runs": [b.id for b in v.base.boards], "left_out": v.base.left_out}
    said = {"verdict": v.word, "reason": v.details, "status": v.status}
    said |= {"of_card": {"verdict": v.card_word, "reason": v.card_reason}}
    said |= {"host_link": {"verdict": v.host_word, "reason": v.host_reason or None}}
    said |= fields_of(v.card, "device card") | {"run": v.card.id, "archive": str(v.card.path)}
    said |= fields_of(v.card, "synthetic driver") | {"board_part_number": v.card.part_number or None}
    said |= {"cases_beside_another_program": v.card.shared, "base": base, "margin_pct": 100 * v.margin}
    said |= {"false_fail_rate": RATE, "settings": [*map(_setting, v.settings)]}
    return json_text(said | {"quantities": [*map(_finding, v.findings)], "notes": v.notes}, 2)


FORMATS = {"text": as_text, "json": as_json}
