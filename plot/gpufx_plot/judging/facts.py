"""What differs between two runs beside their numbers, and what that means for a comparison of them."""

import re
from statistics import median

from ..archive.load import Archive
from ..call.number_text import counted

MOVING = re.compile(r"temperature|power|uptime|load|free|pid$|started")


def _flat(prefix: str, value) -> dict[str, str]:
    if isinstance(value, dict):
        return {k: v for name, part in value.items() for k, v in _flat(f"{prefix}.{name}", part).items()}
    if isinstance(value, list):
        value = " ".join(map(str, value)) or "none"
    return {prefix: "unknown" if value is None else str(value)}


def facts(archive: Archive) -> dict[str, str]:
    """Everything about a run that may explain a difference, as flat texts."""
    run = archive.run
    result = {"provenance": run["provenance"]}
    for part in ("device", "driver", "environment", "program"):
        result |= _flat(part, run[part])
    result |= {"quick": str(run["quick"]).lower(), "processes": str(archive.processes)}
    result["complete"] = archive.incomplete or "true"
    clocks = archive.clocks
    for name, known in (("clocks.sm_MHz", clocks.sm_mhz), ("clocks.memory_MHz", clocks.memory_mhz)):
        # Three figures: a clock that wanders by less explains nothing.
        result[name] = f"{float(f'{median(known):.3g}'):.0f}" if known else "unknown"
    result["clocks.throttle_reasons"] = " ".join(sorted(clocks.throttle_reasons)) or "none"
    return result


def differing_facts(base: Archive, new: Archive) -> list[tuple[str, str, str]]:
    old, young = facts(base), facts(new)
    return [
        (name, old.get(name, "not reported"), young.get(name, "not reported"))
        for name in dict.fromkeys((*old, *young))
        if old.get(name) != young.get(name) and not MOVING.search(name)
    ]


def board_of(archive: Archive) -> str:
    """The card: its UUID; an archive that reports none stands for a card of its own."""
    return archive.run["device"].get("uuid") or f"run {archive.run['id']}"


def sources_changed(base: Archive, new: Archive, probe: str) -> str:
    """How the probe's sources differ; empty: they are the same, or an archive or its build does not say."""
    old, young = ((archive.run["probes"].get(probe) or {}).get("source_hash") for archive in (base, new))
    return f"the probe's sources changed: {old} against {young}" if old and young and old != young else ""


def rebuilt_note(cases: int) -> list[str]:
    """Of cases that are compared although their probe's sources differ."""
    if not cases:
        return []
    they = "these ran" if cases > 1 else "it ran", "they are" if cases > 1 else "it is"
    return [
        f"The sources of the probes of {counted(cases, 'case')} changed, but {they[0]} the same machine code with as "
        f"many blocks, threads and registers, so {they[1]} compared."
    ]


def searched_note(cases: int) -> list[str]:
    """Of points that a search added to one archive alone."""
    if not cases:
        return []
    return [f"{counted(cases, 'case')} of one archive alone: a search put points there, between those of the sweeps."]


def harness_note(base: Archive, new: Archive) -> list[str]:
    old, young = (archive.run["program"].get("harness_hash") for archive in (base, new))
    if old and young and old != young:
        return [
            f"The harness changed ({old} against {young}): what stands around the probes' kernels may differ, such as "
            "buffers, warm-up and clocks."
        ]
    return []
