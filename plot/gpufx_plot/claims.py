"""What the guides claim, held against an archive: holds, holds in part, does not hold, with the case that decides.

The claims are data of the probes (fx_claim in harness/core/probe.h), and the program tells them with the pairs of cases
that each speaks of. A claim holds where the ratio of every measured pair lies within its bounds. It holds in part where
that of some pairs does, or where a size was claimed ("twice": bounds on both sides that leave out 1) and that of some
pairs has the right direction and at least half, at most twice the claimed effect, in logarithms.
"""

import math
from dataclasses import asdict, dataclass

from . import UserError
from .archive import Archive
from .compare import exp, welch
from .model import Point, key_of, number
from .program import ask
from .report import describe
from .text import json_text, markdown

HOLDS, IN_PART, FAILS, UNKNOWN = "HOLDS", "HOLDS IN PART", "DOES NOT HOLD", "NOT MEASURED"
NEAR = 2.0  # factor between the logarithms of a ratio and of the bounds


@dataclass
class Ratio:
    """What one pair of cases gives, and the 95 % interval of it where there are processes for one."""

    case: str
    base: str | None
    value: float
    tested: float  # the quantity of the case itself
    against: float | None
    low: float | None = None
    high: float | None = None


@dataclass
class Verdict:
    probe: str
    text: str
    source: str
    quantity: str
    bounds: tuple[float, float | None]
    verdict: str
    asked: int = 0  # pairs that the claim speaks of
    pairs: int = 0  # of them measured
    within: int = 0  # of those inside the bounds
    unit: str = ""  # of the quantity
    smallest: float | None = None
    largest: float | None = None
    decides: Ratio | None = None
    reason: str = ""


def listed() -> list[dict]:
    """The probes with their claims, from the program that called."""
    probes = ask("list", "--claims", "--json")
    try:
        told = [(p["name"], p["method_version"], [c["pairs"] for c in p["claims"]]) for p in probes]
    except (TypeError, KeyError):
        told = []
    if not told:
        raise UserError("`gpufx list --claims` told no claims: is it as new as this?")
    return probes


def quantity_of(point: Point, name: str) -> list[float]:
    """The quantity in each process; for what is archived as a median over them, that one number."""
    if name == "cost":
        return point.medians
    if name == "rate":
        return [point.useful_bytes / m for m in point.medians] if point.useful_bytes and min(point.medians) > 0 else []
    value = point.derived.get(name, point.extras.get(name))
    return [] if value is None else [value]


def ratio_of(tested: Point, base: Point | None, quantity: str) -> Ratio | None:
    """None where the quantity is not there, is not above zero, or has another unit in the two cases."""
    sides = [quantity_of(p, quantity) for p in (tested, *([base] if base else []))]
    if not all(side and min(side) > 0 for side in sides) or (base and tested.unit != base.unit):
        return None
    logs = [[math.log(v) for v in side] for side in sides]
    centres = [exp(sum(side) / len(side)) for side in logs]
    result = Ratio(tested.label, base and base.label, centres[0], centres[0], None)
    if not base:
        result.low, result.high = (min(sides[0]), max(sides[0])) if len(sides[0]) > 1 else (None, None)
        return result
    result.value, result.against = centres[0] / centres[1], centres[1]
    if min(map(len, logs)) > 1:
        difference, half = welch(logs[1], logs[0])
        result.low, result.high = exp(difference - half), exp(difference + half)
    return result


def distance(value: float, low: float, high: float) -> float:
    """How far outside the bounds, as the logarithm of a factor; negative inside, by the way to the nearer bound."""
    below = math.log(low / value) if low > 0 else -math.inf
    above = math.log(value / high) if math.isfinite(high) else -math.inf
    return max(below, above)


def is_near(value: float, low: float, high: float) -> bool:
    """True if a size was claimed and the ratio has half to twice the claimed effect."""
    if low > 1 and math.isfinite(high):
        return math.log(low) / NEAR <= math.log(value) <= math.log(high) * NEAR
    return low > 0 and high < 1 and math.log(low) * NEAR <= math.log(value) <= math.log(high) / NEAR


def unit_of(quantity: str, point: Point) -> str:
    """What the quantity of a point is told in; extras carry their unit in their name."""
    rates = {"ns": "GB/s", "cycles": "B/cycle"}
    return {"cost": point.unit, "rate": rates.get(point.unit, ""), "peak_pct": "% of peak"}.get(quantity, "")


def judge(probe: str, claim: dict, points: dict, why_not: dict) -> Verdict:
    low, high = claim["low"], math.inf if claim["high"] is None else claim["high"]
    result = Verdict(probe, claim["text"], claim["source"], claim["quantity"], (low, claim["high"]), UNKNOWN)
    result.asked = len(claim["pairs"])
    ratios, reasons = [], {}
    for pair in claim["pairs"]:
        keys = [(probe, key_of(pair[side])) for side in ("tested", "base") if pair[side]]
        missing = [why_not.get(key, "not among the archive's cases") for key in keys if key not in points]
        if missing:
            reasons[missing[0]] = None
        elif ratio := ratio_of(*[points[key] for key in keys], *[None] * (2 - len(keys)), claim["quantity"]):
            ratios.append(ratio)
        else:
            reasons[f"no {claim['quantity']} to compare"] = None
    result.reason = "; ".join(reasons)
    if not ratios:
        return result
    outside = [distance(r.value, low, high) for r in ratios]
    result.pairs, result.within = len(ratios), sum(d <= 0 for d in outside)
    result.smallest, result.largest = min(r.value for r in ratios), max(r.value for r in ratios)
    result.decides = ratios[max(range(len(ratios)), key=outside.__getitem__)]
    result.unit = unit_of(claim["quantity"], next(p for p in points.values() if p.label == result.decides.case))
    near = claim["pairs"][0]["base"] and any(is_near(r.value, low, high) for r in ratios)
    result.verdict = HOLDS if result.within == result.pairs else IN_PART if result.within or near else FAILS
    return result


def judge_all(archive: Archive, probes: list[dict], only: str | None = None) -> list[Verdict]:
    """One verdict per claim of the probes that the archive speaks of, in the order in which they are listed."""
    points = {point.key: point for point in archive.points}
    absences = archive.waived + archive.failed
    why_not = {absence.key: f"{absence.kind}: {absence.reason}" for absence in absences}
    known = {*archive.probes, *(absence.probe for absence in absences)}
    verdicts = []
    for probe in probes:
        name, version = probe["name"], probe["method_version"]
        if name not in known or only not in (None, name):
            continue
        own = {key: p for key, p in points.items() if key[0] == name}
        old = {key: p for key, p in own.items() if p.method_version != version}
        changed = {k: f"the method changed: version {p.method_version} against {version}" for k, p in old.items()}
        same = {key: p for key, p in own.items() if key not in old}
        verdicts += [judge(name, claim, same, why_not | changed) for claim in probe["claims"]]
    return verdicts


def _bounds(verdict: Verdict) -> str:
    low, high = verdict.bounds
    if high is None:
        return f"{number(low, 3)} or more"
    return f"{number(low, 3)} to {number(high, 3)}" if low else f"{number(high, 3)} or less"


def _numbers(verdict: Verdict) -> list[str]:
    """The ratios beside the bounds, and the case that decides."""
    if not verdict.decides:
        return [verdict.reason or "the probe has no such case"]
    ratio, times = verdict.decides, " times" if verdict.decides.base else ""
    ends = sorted({number(verdict.smallest, 3), number(verdict.largest, 3)}, key=float)
    unit = f" {verdict.unit}" if verdict.unit else ""
    text = f"{' to '.join(ends)}{times or unit}, claimed {_bounds(verdict)}"
    if verdict.pairs > 1:
        text += f"; within in {verdict.within} of {verdict.pairs}"
    if verdict.reason:
        text += f"; only {verdict.pairs} of {verdict.asked} measured: {verdict.reason}"
    decides = f"decides: {ratio.case}: {verdict.quantity} {number(ratio.tested, 4)}{unit}"
    if ratio.base:
        decides += f" against {number(ratio.against, 4)}{unit} at {_differing(ratio)}, {number(ratio.value, 4)} times"
    return [text, decides + (f" (95 %: {number(ratio.low, 4)} .. {number(ratio.high, 4)})" if ratio.low else "")]


def _differing(ratio: Ratio) -> str:
    """The parts of the base's name that the case has not."""
    parts = [part for part in ratio.base.split("/") if part not in ratio.case.split("/")]
    return " ".join(parts) or ratio.base


def counted(verdicts: list[Verdict]) -> str:
    if not verdicts:
        return "no claim speaks of a case of this archive"
    words = {word: sum(v.verdict == word for v in verdicts) for word in (HOLDS, IN_PART, FAILS, UNKNOWN)}
    return f"{len(verdicts)} claims: " + ", ".join(f"{n} {word}" for word, n in words.items() if n)


def as_text(archive: Archive, verdicts: list[Verdict]) -> str:
    lines = [describe(archive), ""]
    probe = None
    for verdict in verdicts:
        if verdict.probe != probe:
            probe = verdict.probe
            lines.append(probe)
        lines.append(f"  {verdict.verdict:<14} {verdict.text} ({verdict.source})")
        lines += [f"{'':17}{' '.join(text.split())}" for text in _numbers(verdict)]
    return "\n".join([*lines, "", counted(verdicts)]) + "\n"


def as_markdown(archive: Archive, verdicts: list[Verdict]) -> str:
    lines = [markdown(describe(archive)), "", "| probe | claim | verdict | numbers |", "|---|---|---|---|"]
    for verdict in verdicts:
        cells = (verdict.probe, f"{verdict.text} ({verdict.source})", verdict.verdict, "; ".join(_numbers(verdict)))
        lines.append("| " + " | ".join(markdown(" ".join(cell.split())) for cell in cells) + " |")
    return "\n".join([*lines, "", counted(verdicts)]) + "\n"


def as_json(archive: Archive, verdicts: list[Verdict]) -> str:
    run = archive.run
    head = {"id": run["id"], "device": run["device"]["name"], "provenance": run["provenance"]}
    head |= {"processes": archive.processes, "complete": archive.incomplete is None, "quick": run["quick"]}
    return json_text({"archive": head, "claims": [asdict(v) for v in verdicts]}, 2)


FORMATS = {"text": as_text, "markdown": as_markdown, "json": as_json}
