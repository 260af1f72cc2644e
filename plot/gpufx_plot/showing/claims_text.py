"""Verdicts on claims as text or JSON: totals first, then one line per claim; on request with the numbers
and the cases that decide."""

from collections.abc import Sequence

from msgspec import to_builtins

from ..archive.cases import describe
from ..archive.load import Archive
from ..call.number_text import binary_text, counted, number
from ..call.tables import wrapped
from ..chip.quantity import Estimate
from ..chip.quantity_text import RATIO, printed, ratio_text
from ..judging.claims import DEPENDS, DIRECTION, FAILS, UNKNOWN, WORDS, Judged, Split, Verdict
from ..judging.facts import host_text
from ..judging.ratio import INSIDE, OUTSIDE, UNCLEAR, Ratio, spread_of
from .side import chip_names

NOBODY_S = "common advice"  # the source of what many repeat
APART = "DIFFERENT VERDICTS"
MOST_VALUES = 8  # of an axis that are listed one by one


def totals(verdicts: Sequence[Verdict]) -> str:
    """What guides say is counted apart from what nobody was found to have written."""
    if not verdicts:
        return "no claim matches a case of this archive"
    return "; ".join(f"{counted(len(of), 'claim')} {whose}: {_words(of)}" for whose, of in _by_source(verdicts))


def _by_source(verdicts: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    common = [v for v in verdicts if v.source.startswith(NOBODY_S)]
    found = [v for v in verdicts if not v.source.startswith(NOBODY_S)]
    return [(whose, of) for whose, of in (("with a source", found), (f"of {NOBODY_S}", common)) if of]


def _words(verdicts: Sequence[Verdict]) -> str:
    counts = {word: sum(v.verdict == word for v in verdicts) for word in WORDS}
    return ", ".join(f"{n} {word}" for word, n in counts.items() if n)


def _notes(page: Judged) -> list[str]:
    few = f"Few processes: the variation between them was estimated from {', '.join(page.teachers)} as well."
    host = f"(host): of this host, too ({host_text(page.archive.run)}); another may give another verdict."
    notes = ["Claims as recorded in the archive."] * bool(page.verdicts) + [few] * bool(page.teachers)
    return notes + [host] * any(verdict.of_host for verdict in page.verdicts)


def bounds_text(verdict: Verdict) -> str:
    low, high = verdict.bounds
    unit = "x" if verdict.compares else f" {verdict.unit}" if verdict.unit else ""
    if high is None:
        return f"at least {number(low, 3)}{unit}"
    if not low:
        return f"at most {number(high, 3)}{unit}"
    if verdict.compares and abs(low + high - 2) < 1e-9:
        return f"the same within {number(100 * (high - 1), 3)} %"
    return f"{number(low, 3)} to {number(high, 3)}{unit}"


def measured_text(verdict: Verdict) -> str:
    low, high = spread_of(verdict.ratios)
    if verdict.compares:
        return " to ".join(dict.fromkeys((ratio_text(low), ratio_text(high))))
    ends = dict.fromkeys((number(low, 3), number(high, 3)))
    return f"{' to '.join(ends)} {verdict.unit}".strip()


def _cases(values: list[tuple], axes: tuple[str, ...], units: dict[str, str]) -> str:
    """The values as selections: one axis as stride=2,4, several as a=1 b=2, a=1 b=4."""
    of = {axis: binary_text if units.get(axis) == "bytes" else str for axis in axes}
    texts = [[of[axis](v) for axis, v in zip(axes, row, strict=True)] for row in values]
    if len(axes) == 1:
        return f"{axes[0]}={','.join(text for (text,) in texts)}"
    return ", ".join(" ".join(f"{axis}={text}" for axis, text in zip(axes, row, strict=True)) for row in texts)


def _on(split: Split) -> str:
    if not split.axes:
        return "on something other than the axes"
    axes = " and ".join(filter(None, (", ".join(split.axes[:-1]), split.axes[-1])))
    return f"mostly on {axes}" if split.astray else f"on {axes}"


def _where(verdict: Verdict, archive: Archive) -> str:
    """At which values the claim holds, and at which it does not: the longer list is what is left."""
    split, units = verdict.splits, archive.units(verdict.probe)
    inside, outside = (_cases(part, split.axes, units) if part else "" for part in (split.inside, split.outside))
    if max(len(split.inside), len(split.outside)) > MOST_VALUES:
        if len(split.inside) > len(split.outside):
            inside = "all others"
        else:
            outside = "any other"
    parts = [f"holds at {inside}" if inside else "", f"not at {outside}" if outside else ""]
    text = "; ".join(filter(None, parts))
    return f"{text}; {split.astray} of {len(verdict.ratios)} are exceptions" if split.astray else text


def short(verdict: Verdict, claimed: bool = True) -> str:
    """What a line says behind the sentence: what was measured, and, if asked for, the bounds that were claimed."""
    if verdict.verdict == UNKNOWN:
        return verdict.reason
    text = measured_text(verdict) + (f", claimed {bounds_text(verdict)}" if claimed else "")
    if unclear := verdict.sides[UNCLEAR]:
        why = f" ({verdict.decides.doubt})" if verdict.decides.side == UNCLEAR and verdict.decides.doubt else ""
        text += f"; {unclear} of {len(verdict.ratios)} too uncertain{why}"
    if verdict.verdict == DIRECTION:
        return f"{verdict.effect}, {text}"
    if verdict.verdict == DEPENDS:
        return f"{_on(verdict.splits)}, {text}"
    return text


def _case(verdict: Verdict, ratio: Ratio) -> str:
    unit = f" {verdict.unit}" if verdict.unit else ""
    text = f"{ratio.case}: {verdict.quantity} {number(ratio.tested, 4)}{unit}"
    value, low, high, _ = printed(Estimate(ratio.value, ratio.low, ratio.high, 1), RATIO)
    if ratio.base:
        text += f" vs {number(ratio.against, 4)}{unit} at {_differing(ratio)}: {value}x"
    text += f" ({ratio.level_pct} % CI {low}..{high})" if low else ""
    return f"{text}, outside in each process" if ratio.in_each else ", ".join(filter(None, (text, ratio.doubt)))


def _differing(ratio: Ratio) -> str:
    """The parts of the base's name that the case has not."""
    parts = [part for part in ratio.base.split("/") if part not in ratio.case.split("/")]
    return " ".join(parts) or ratio.base


def explained(verdict: Verdict, archive: Archive) -> list[str]:
    """Source, how many pairs are where, what parts them, and the one that decides."""
    lines = [f"source: {verdict.source}"]
    if verdict.ratios:
        what = "pairs" if verdict.compares else "cases"
        sides = verdict.sides
        text = f"{sides[INSIDE]} of {len(verdict.ratios)} {what} inside the bounds, {sides[OUTSIDE]} outside"
        lines.append(text + (f", {sides[UNCLEAR]} undecided" if sides[UNCLEAR] else ""))
    lines += [_where(verdict, archive)] if verdict.splits else []
    decides = "refuted by" if verdict.verdict == FAILS else "deciding case"
    lines += [f"{decides}: {_case(verdict, verdict.decides)}"] if verdict.decides else []
    missing = verdict.missing if verdict.ratios else {}
    return lines + [f"not measured: {n} more: {reason}" for reason, n in missing.items()]


def as_text(page: Judged, explain: bool) -> str:
    """A heading for each verdict that there is, and below it the claims, a line each where the screen has the room."""
    lines = [*wrapped(describe(page.archive)), "", *wrapped(totals(page.verdicts), indent="  ", between=",")]
    lines += [line for note in _notes(page) for line in wrapped(note, indent="  ")]
    for word in WORDS:
        found = [v for v in page.verdicts if v.verdict == word]
        counts = ", ".join(f"{len(of)} {whose}" for whose, of in _by_source(found))
        lines += ["", f"{word} ({counts})"] if found else []
        for verdict in found:
            name = f"  {verdict.probe}{' (host)' * verdict.of_host}"
            lines += wrapped(f"{name}: {verdict.text}: {short(verdict, explain)}", indent=" " * 4)
            more = explained(verdict, page.archive) if explain else []
            lines += [line for text in more for line in wrapped(f"      {' '.join(text.split())}", indent=" " * 8)]
    lines += [] if explain or not page.verdicts else ["", "sources, numbers and deciding cases: --full"]
    return "\n".join(lines) + "\n"


def beside(pages: Sequence[Judged], explain: bool) -> str:
    """Each claim once, with what it is on each chip; first those whose verdicts differ."""
    chips = chip_names([page.archive for page in pages])
    sides = [{(v.probe, v.text, v.source): v for v in page.verdicts} for page in pages]
    rows: dict[str, list[str]] = {word: [] for word in (APART, *WORDS)}
    for key in dict.fromkeys(key for side in sides for key in side):
        of = {chip: side[key] for chip, side in zip(chips, sides, strict=True) if key in side}
        word, *others = {v.verdict for v in of.values()}
        told = [f"{chip} {f'{v.verdict}, ' * bool(others)}{short(v, explain)}" for chip, v in of.items()]
        name = f"  {key[0]}{' (host)' * any(v.of_host for v in of.values())}"
        lines = [f"{name}: {key[1]}: {'; '.join(told)}"]
        lines += [f"      {chip}: {' '.join(text.split())}" for page, chip in zip(pages, chips, strict=True)
                  for text in (explained(of[chip], page.archive) if explain and chip in of else ())]  # fmt: skip
        rows[APART if others else word] += [part for line in lines for part in wrapped(line, indent=" " * 8)]
    heads = [line for page in pages for line in wrapped(describe(page.archive))]
    return "\n".join([*heads, *(line for word, of in rows.items() if of for line in ("", word, *of))]) + "\n"


def as_json(page: Judged) -> dict:
    run = page.archive.run
    head = {"id": run["id"], "device": run["device"]["name"], "provenance": run["provenance"]}
    head |= {"processes": page.archive.processes, "complete": page.archive.incomplete is None, "quick": run["quick"]}
    whole = {"archive": head, "claims_of": "archive", "spreads_from": page.teachers}
    return whole | {"claims": to_builtins(page.verdicts)}
