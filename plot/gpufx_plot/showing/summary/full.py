"""The screen, and the laws at full length."""

from collections.abc import Sequence
from itertools import groupby

from ...archive.contents import describe
from ...archive.load import Archive
from ...call.number_text import number, size_text
from ...call.text import shown
from ...judging.compare import Comparison, compare, percent
from ...judging.facts import shared_note
from ..compare_text import overview
from .blocks import Block, blocks_of, fitted, titles_of
from .laws import broken_laws
from .words import ROOMY, packed, wrapped

SCREEN = 60  # lines
MOST_CHANGED = 12  # probes in a comparison that has no room for its table


def _head(archive: Archive) -> list[str]:
    run = archive.run
    device, program = run["device"], run["program"]
    peak = device["memory_peak_GBps"]
    lines = [describe(archive)]
    if archive.synthetic:
        lines.append("SYNTHETIC: these numbers come from a parameter file, not from a GPU.")
    lines += [f"NOT ALONE: {note}" for note in shared_note(archive)]
    commit = f" at {program['commit'][:12]}{' with changes' if program['dirty'] else ''}" if program["commit"] else ""
    quick = ", quick" if run["quick"] else ""
    lines.append(
        f"{device['sm_count']} SMs, L2 {size_text(device['l2_bytes'])}, memory {size_text(device['memory_bytes'])}"
        + (f" at {peak:.4g} GB/s peak" if peak else "")
        + f"; gpufx {program['version']}{commit}, {program['build_type']} build{quick}"
    )
    return [*lines, shown(archive.path), ""]


def _changes(comparison: Comparison, margin: float) -> list[str]:
    """The overview in few lines: the probes that changed, most first, and the names of the others."""
    changed, same = [], []
    for probe, group in groupby((r for r in comparison.rows if r.ratio), key=lambda row: row.probe):
        rows = sorted(group, key=lambda row: row.ratio)
        low, middle, high = (rows[round(q * (len(rows) - 1))].ratio for q in (0.05, 0.5, 0.95))
        slower = sum(row.verdict == "SLOWER" for row in rows)
        if 1 / (1 + margin) <= low and high <= 1 + margin and not slower:
            same.append(probe)
            continue
        text = f"{probe} {percent(middle)} ({percent(low)} .. {percent(high)}"
        changed.append((max(middle, 1 / middle), text + (f", {slower} SLOWER)" if slower else ")")))
    items = [text for _, text in sorted(changed, key=lambda entry: -entry[0])]
    if len(items) > MOST_CHANGED:
        items[MOST_CHANGED:] = [f"and {len(items) - MOST_CHANGED} more"]
    lines = packed("new / base, median (90 % of the cases within):", items) if items else []
    return lines + (packed(f"90 % of the cases within {number(margin * 100, 3)} %:", same, ",") if same else [])


def _comparison(against: Archive, archive: Archive, margin: float, others: Sequence[Archive]) -> list[list[str]]:
    """What stands at the end: at length, and short. Only of the probes that were measured this time."""
    comparison = compare(against, archive, margin, set(archive.probes), others=others)
    whole = overview(comparison, margin)
    probes = len({row.probe for row in comparison.rows if row.ratio})
    rows = probes + 1 if probes else 0  # of its table, with the head
    short = whole[: len(whole) - rows] + _changes(comparison, margin)
    return [["", f"against {describe(against)}", *(f"  {line}" for line in wrapped(text))] for text in (whole, short)]


def summarise(archive: Archive, against: Archive | None, margin: float, others: Sequence[Archive] = ()) -> str:
    """The screen as text, at most SCREEN lines of about WIDTH characters, where that is possible. The comparison is
    told in short where its table would cost a probe a line."""
    head = _head(archive)
    for tail in _comparison(against, archive, margin, others) if against else [[]]:
        blocks = blocks_of(archive, SCREEN - len(head) - len(tail))
        if not any(block.left_out for block in blocks):
            break
    return "\n".join([*head, *(line for block in blocks for line in block.lines), *tail]) + "\n"


def laws_of(archive: Archive) -> str:
    """What each law costs and which do not hold, probe by probe, however long that is."""
    lines = _head(archive)
    for probe in archive.probes:
        points, fits, sections = fitted(archive, probe, ROOMY)
        if fits:
            titles = titles_of(archive, probe, points)
            lines += Block(titles, *broken_laws(fits), [wrapped(part) for part in sections if part]).lines
    return "\n".join(lines) + "\n"
