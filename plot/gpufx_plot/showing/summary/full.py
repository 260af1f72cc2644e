"""All that an archive says, probe by probe."""

from collections.abc import Sequence

from ...archive.cases import describe
from ...archive.load import Archive
from ...call import tables
from ...call.number_text import size_text
from ...call.text import shown
from ...judging.compare import compare
from ...judging.facts import shared_note
from ..compare_text import head_of, overview, totals
from .blocks import block_of


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
    return [*(part for line in lines for part in tables.wrapped(line, indent="  ")), shown(archive.path), ""]


def summarise(archive: Archive, against: Archive | None, margin: float, others: Sequence[Archive] = ()) -> str:
    """The laws of every probe, and how it compares."""
    lines = _head(archive)
    for probe in sorted({*archive.probes, *(absence.probe for absence in archive.waived + archive.failed)}):
        lines += block_of(archive, probe)
    if against:  # only of the probes that were measured this time
        comparison = compare(against, archive, margin, set(archive.probes), others=others)
        lines += ["", *tables.wrapped(f"against {describe(against)}", indent="  ")]
        lines += tables.wrapped(totals(comparison), indent="  ", between=",")
        lines += [*head_of(comparison, margin), "", *overview(comparison, margin)]
    return "\n".join(lines) + "\n"
