"""`gpufx predict` as text and JSON."""

import math
from dataclasses import dataclass

from ..archive.cases import describe
from ..call.number_text import counted, number, time_text
from ..call.tables import GAP, fitted, wrapped
from ..call.terminal import columns
from ..call.text import json_text
from ..chip.demands import START
from ..chip.predict import APART, NEAR, TOLD, Prediction, Score, Section
from ..chip.quantity_text import amount
from ..judging.facts import SYNTHETIC
from .compare_text import identity

SEEN = 0.05  # of the time of a case: parts that never take as much have no column
MODEL = "launch + all parts, blended by a root of the sum of their powers: a roofline with latency"
INDENT, LABEL = 2, 28  # of a table on the screen, its first column at most
RIGHT = {"predicted", "measured", "ratio"}  # columns to the right


def _ratio(ratio: float | None) -> str:
    return f"{ratio:.2f}" if ratio is not None and ratio < 1e4 else f"{ratio:.1g}" if ratio is not None else "-"


def score_text(score: Score | None, per_section: bool = False) -> str:
    if not score:
        return "prediction only: the archive has no measured case"
    share = f"{score.near} of {score.cases} within {100 * NEAR:.0f} %"
    text = f"median error {number(100 * score.median_error, 2)} %, {share}"
    if score.pairs:
        text += f", {score.right} of {counted(score.pairs, 'pair')} in order"
    if score.tau is None:
        return text
    order = f"tau {score.tau:.2f}"
    if score.somers is not None:
        order += f", Somers' d {score.somers:.2f} of {score.told} that the measurement separates"
    return f"{text}, {order}" if per_section else f"{text} ({order})"


@dataclass(frozen=True)
class Shown:
    """A table: a ladder, or what has no other rung beside it. lines: label of each case, and where it stands."""

    title: str
    column: str
    lines: list[tuple[str, Section, int]]


def _title(p: Prediction, section: Section) -> str:
    """The values of the axes in which sections differ."""
    several = {name for s in p.sections for name in s.params if s.params.get(name) != p.sections[0].params.get(name)}
    return ", ".join(f"{name} {_value(p, name, value)}" for name, value in section.params.items() if name in several)


def _value(p: Prediction, axis: str, value) -> str:
    unit = p.units.get(axis, "")
    return amount(value, unit) if unit == "bytes" and isinstance(value, (int, float)) else str(value)


def _tables(p: Prediction) -> list[Shown]:
    def rung(section: Section, at: int) -> str:
        return _value(p, section.axis, section.cases[at].params.get(section.axis, ""))

    found, alone = [], []
    for s in p.sections:
        if len(s.cases) > 1:
            title = f"{_title(p, s) or 'all cases'}: {score_text(s.score, True)}" if s.score else _title(p, s)
            found.append(Shown(title or "all cases", s.axis, [(rung(s, at), s, at) for at in range(len(s.cases))]))
        else:
            alone.append((", ".join(filter(None, (rung(s, 0), _title(p, s)))), s, 0))
    return [*found, Shown("a single rung", "case", alone)] if alone else found


def _part(name: str) -> str:
    """The start of a kernel is called launch overhead everywhere else."""
    return "launch" if name == START else name


def _next(section: Section, at: int) -> str:
    found = section.next_removes(at)
    if not found:
        return ""
    part, now, then = found
    said = "" if part == section.cases[at].time.bound else f"{_part(part)} "
    return f"{said}{time_text(now)} > {time_text(then) if then else '0'}"


def _rows(p: Prediction, shown: Shown) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    measured = any(case.measured for case in p.cases)
    head = (shown.column, "predicted", *(("measured", "ratio") if measured else ()), "bound by", "next rung removes")
    rows = []
    for label, section, at in shown.lines:
        case = section.cases[at]
        beside = (time_text(case.measured) if case.measured else "-", _ratio(case.ratio)) if measured else ()
        predicted = time_text(case.time.total) + ("+" if case.time.unpriced else "")
        rows.append((label, predicted, *beside, _part(case.time.bound), _next(section, at)))
    return head, rows


REST = "rest"


def _parts(shown: Shown, width: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Share of each part in the predicted time, %; the start first, then what takes most in any case, as many as the
    screen has room for; then the rest, so that a row adds up."""
    shares = [(label, section.cases[at].time.shares) for label, section, at in shown.lines]
    most: dict[str, float] = {}
    for _, share in shares:
        for part, of in share.items():
            most[part] = max(most.get(part, 0.0), of)
    names = sorted((n for n, share in most.items() if share >= SEEN and n != START), key=lambda n: -most[n])
    room = width - min(LABEL, max(len(word) for word in (shown.column, *(label for label, _ in shares))))
    kept = [START]
    for name in names:
        if sum(len(word) + GAP for word in (*kept, name, REST)) <= room:
            kept.append(name)
    rows = [(label, *whole([share.get(n, 0.0) for n in kept])) for label, share in shares]
    return (shown.column, *map(_part, kept), REST), rows


def whole(shares: list[float]) -> list[str]:
    """In %, and what is left, rounded so that they add up to 100; a blank for none."""
    exact = [100 * share for share in (*shares, max(1 - math.fsum(shares), 0.0))]
    told = [int(percent) for percent in exact]
    up = sorted(range(len(exact)), key=lambda i: told[i] - exact[i])[: 100 - sum(told)]
    return [str(n + (i in up)) if n + (i in up) else "" for i, n in enumerate(told)]


def _notes(p: Prediction) -> list[str]:
    notes = []
    if unpriced := sorted({name for case in p.cases for name in case.time.unpriced}):
        notes.append(f"+: without {', '.join(unpriced)}, because no quantity gives their cost")
    notes += [f"{name}: not determined: {why}" for name, why in sorted(p.chip.lacking.items()) if unpriced]
    return notes


def _head(p: Prediction) -> list[str]:
    own = p.chip.archive is p.archive
    by = "its own quantities" if own else f"quantities of {describe(p.chip.archive)}"
    lines = [
        f"{p.algorithm} on {describe(p.archive)}",
        f"predicted from {by}: {MODEL} (docs/predict.md)",
    ]
    if p.archive.synthetic or p.chip.archive.synthetic:
        lines.append(SYNTHETIC)
    if len(p.sections) == 1 and len(p.cases) > 1 and p.score:
        return lines  # the one table says it
    return [*lines, f"{counted(len(p.cases), 'case')}: {score_text(p.score)}"]


def as_text(p: Prediction) -> str:
    lines = [line for text in _head(p) for line in wrapped(text, indent="  ")]
    for shown in _tables(p):
        lines += ["", *wrapped(shown.title, indent="  ")]
        lines += [f"  {line}" for line in fitted(*_rows(p, shown), RIGHT, INDENT)]
        lines += ["", "  where the time goes, % of the prediction"]
        head, rows = _parts(shown, columns() - INDENT)
        lines += [f"  {line}" for line in fitted(head, rows, set(head[1:]), INDENT)]
    lines += [""] * bool(_notes(p))
    lines += [line for note in _notes(p) for line in wrapped(note, indent="  ")]
    return "\n".join(lines) + "\n"


def _score_json(score: Score | None) -> dict | None:
    if not score:
        return None
    known = {"cases": score.cases, "median_error_pct": 100 * score.median_error, "near": score.near}
    known |= {"near_pct": 100 * NEAR, "tau": score.tau}
    known |= {"pairs": score.pairs, "pairs_right": score.right, "apart_pct": 100 * APART}
    return known | {"told_apart": score.told, "told_apart_pct": 100 * TOLD, "somers_d": score.somers}


def as_json(p: Prediction) -> str:
    def case_json(section: Section, at: int) -> dict:
        case, then = section.cases[at], section.next_removes(at)
        return {
            "name": case.name,
            "params": case.params,
            "demands": case.demands,
            "predicted_ns": case.time.total,
            "measured_ns": case.measured,
            "low_ns": case.low,
            "high_ns": case.high,
            "ratio": case.ratio,
            "bound": case.time.bound,
            "parts_ns": case.time.all,
            "shares": case.time.shares,
            "unpriced": case.time.unpriced,
            "next_removes": {"part": then[0], "ns": then[1], "then_ns": then[2]} if then else None,
        }

    sections = [
        {
            "params": section.params,
            "score": _score_json(section.score),
            "cases": [case_json(section, at) for at in range(len(section.cases))],
        }
        for section in p.sections
    ]
    document = {
        "algorithm": p.algorithm,
        "per": p.per,
        "archive": identity(p.archive),
        "quantities_of": identity(p.chip.archive),
        "sm_clock_MHz": 1000 * p.chip.ghz,
        "sm_count": p.chip.sms,
        "prices": {
            f"{demand} beside {beside}" if beside else demand: q.id
            for (demand, beside), q in sorted(p.chip.prices.items(), key=lambda entry: (entry[0][0], entry[0][1] or ""))
        },
        "score": _score_json(p.score),
        "sections": sections,
    }
    return json_text(document, 2)
