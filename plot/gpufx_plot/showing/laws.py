"""`gpufx summary --full`: an archive probe by probe. Of each fit a row: what a case costs, how far the farthest case is
from it, and how well it predicts cases that it was not fitted to."""

import math
from collections import Counter

from ..archive.cases import describe, flag_text
from ..archive.load import Archive
from ..archive.pooled_fits import Fit
from ..call.number_text import binary_text, counted, number, time_text
from ..call.tables import table, wrapped
from ..call.terminal import columns
from ..call.text import json_text, shown
from ..cards.table_columns import fit_row
from ..judging.facts import warnings
from .compare_text import identity
from .screen import chip_line

INDENT = "  "
FIGURES = 4  # of a slope


def _head(archive: Archive) -> list[str]:
    run = archive.run
    program = run["program"]
    commit = f" at {program['commit'][:12]}{' with changes' if program['dirty'] else ''}" if program["commit"] else ""
    said = [describe(archive), *warnings(archive), chip_line(archive).rpartition("): ")[2]]
    said += [f"gpufx {program['version']}{commit}, {program['build_type']} build{', quick' * run['quick']}"]
    return [*(line for text in said for line in wrapped(text, indent=INDENT)), shown(archive.path), ""]


def _title(archive: Archive, probe: str) -> str:
    """The probe and its number of cases, with all flags."""
    points = [p for p in archive.points if p.probe == probe]
    parts = [f"{probe}: {counted(len(points), 'case')}"]
    for word, absences in (("waived", archive.waived), ("FAILED", archive.failed)):
        count = len({absence.name for absence in absences if absence.probe == probe})
        parts += [f"{count} {word}"] * bool(count)
    flags = Counter(flag_text(flag, p.limits) for p in points for flag in p.flags)
    parts += [f"flagged: {', '.join(f'{n} {flag}' for flag, n in sorted(flags.items()))}"] * bool(flags)
    return ", ".join(parts)


def group_text(fit: Fit) -> str:
    """What the cases of a fit share: choices as they are, numbers behind the name of their axis."""
    words = [v if isinstance(v, str) else f"{axis} {binary_text(v)}" for axis, v in fit.group.items()]
    return " ".join(words) or "all cases"


def formula(fit: Fit) -> str:
    """What a case costs: bytes over time as start-up time and rate, anything else as a + b × law."""
    if fit.law == "bytes" and fit.metric.endswith("_ns") and fit.b > 0:
        return f"{time_text(fit.a)} + bytes at {number(1 / fit.b, FIGURES)} GB/s"
    # So many figures of b, and as many decimals of a.
    decimals = FIGURES - 1 - math.floor(math.log10(abs(fit.b) or 1))
    a, b = (number(round(x, decimals) + 0.0, FIGURES + 1) for x in (fit.a, fit.b))
    return f"{fit.metric.rsplit('_', 1)[-1]} = {a} + {b} × {fit.law.replace('_', ' ')}"


def _farthest(fit: Fit) -> str:
    """How far the farthest case lies from a prediction without it; from the fit, where nothing is held out."""
    held = fit.held_out
    far = 100 * max(held.most - 1, 1 - held.least) if held else abs(fit.residual_pct)
    return f"worst ±{far:.{min(2, max(0, 1 - math.floor(math.log10(max(far, 0.001)))))}f} %"


def _row(fit: Fit) -> tuple[str, ...]:
    held = fit.held_out
    out = (f"held out {held.share}", f"measured/predicted {held.ratios}") if held else ("", "")
    return (group_text(fit), formula(fit), _farthest(fit), *out)


def of_probe(archive: Archive, probe: str) -> list[str]:
    """The title, the laws that do not hold on this chip, the worst first, and all fits."""
    fits = [fit for fit in archive.merged_fits if fit.probe == probe]
    broken = sorted((fit for fit in fits if not fit.law_holds), key=lambda fit: -abs(fit.residual_pct))
    rows = [*map(_row, fits)]
    lines = [_title(archive, probe)]
    for fit in broken:
        case = fit.worst_case.removeprefix(probe + "/")
        text = f"{group_text(fit)} over {fit.law.replace('_', ' ')}, {abs(fit.residual_pct):.1f} % off at {case}"
        lines.append(f"{INDENT}LAW DOES NOT HOLD: {text}")
    found = [INDENT + line for line in (table(rows[0], rows[1:]) if rows else ())]
    if any(len(line) > columns() for line in found):
        found = [
            f"{INDENT}{name}: {', '.join(filter(None, (f'{cost} {far}', *held)))}" for name, cost, far, *held in rows
        ]
    return [part for line in lines + found for part in wrapped(line, indent=2 * INDENT)]


def as_json(archive: Archive) -> str:
    return json_text({"archives": [identity(archive) | {"fits": [*map(fit_row, archive.merged_fits)]}]}, 2)


def as_text(archive: Archive) -> str:
    """The whole answer."""
    probes = sorted({*archive.probes, *(absence.probe for absence in archive.waived + archive.failed)})
    return "\n".join([*_head(archive), *(line for probe in probes for line in of_probe(archive, probe))]) + "\n"
