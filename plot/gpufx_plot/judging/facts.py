"""What differs between two runs beside their numbers, and what that means for a comparison of them."""

import re
from statistics import median

from ..archive.cases import Point, value_at
from ..archive.load import Archive
from ..call.number_text import counted
from ..call.text import clipped, shown

SHARED = "gpu_shared"  # the flag
SYNTHETIC = "SYNTHETIC: these numbers come from a parameter file, not from a GPU."
# What the host's times depend on.
HOST = {"CPU": "host.cpu", "logical CPUs": "host.logical_cpus", "GPUs": "device.gpu_count", "kernel": "host.kernel",
        "driver": "driver.version", "link generation": "environment.pcie_generation",
        "link width": "environment.pcie_width"}  # fmt: skip
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
    result |= _flat("host", {name: value for name, value in (run.get("host") or {}).items() if name != "gpus"})
    result |= {"quick": str(run["quick"]).lower(), "processes": str(archive.processes)}
    result["complete"] = archive.incomplete or "true"
    clocks = archive.clocks
    for name, known in (("clocks.sm_MHz", clocks.sm_mhz), ("clocks.memory_MHz", clocks.memory_mhz)):
        # Three figures: a clock that wanders by less explains nothing.
        result[name] = f"{float(f'{median(known):.3g}'):.0f}" if known else "unknown"
    result["clocks.throttle_reasons"] = "unknown" if clocks.reasons is None else clocks.reasons or "none"
    return result


def host_text(run: dict) -> str:
    known = ((name, value_at(run, path)) for name, path in HOST.items())
    return ", ".join(f"{name} {shown(str(value))}" for name, value in known if value is not None)


def hosts_apart(base: Archive, new: Archive) -> str:
    """Of two cards: in what their hosts differ, as far as the archives say."""
    if board_of(base) == board_of(new):
        return ""
    known = [(name, *(shown(str(value_at(of.run, path))) for of in (base, new))) for name, path in HOST.items()]
    apart = [f"{name} {old} -> {ours}" for name, old, ours in known if old != ours]
    return f"two hosts: {', '.join(apart)}" if apart else "two hosts, alike in CPU, driver and link"


def differing_facts(base: Archive, new: Archive) -> list[tuple[str, str, str]]:
    of_base, of_new = facts(base), facts(new)
    return [
        (name, of_base.get(name, "not reported"), of_new.get(name, "not reported"))
        for name in dict.fromkeys((*of_base, *of_new))
        if of_base.get(name) != of_new.get(name) and not MOVING.search(name)
    ]


def board_of(archive: Archive) -> str:
    """The card: its UUID; an archive that reports none stands for a card of its own."""
    return archive.run["device"].get("uuid") or f"run {archive.run['id']}"


def part_number_of(run: dict) -> str:
    """Of the board; "" where the archive has none."""
    found = (run.get("device") or {}).get("board_part_number")
    return clipped(found, 40) if isinstance(found, str) else ""


def shared_cases(archive: Archive) -> int:
    """Cases beside which another program had a context on the GPU."""
    return sum(SHARED in point.flags for point in archive.points)


def shared_note(archive: Archive) -> list[str]:
    """For the head of a screen: one case in a thousand, which has its flag, is no news of the whole."""
    count, of = shared_cases(archive), len(archive.points)
    return [f"another program was on the GPU during {count} of {counted(of, 'case')}"] if count * 1000 > of else []


def warnings(archive: Archive) -> list[str]:
    """What a reader has to know before any number."""
    lines = [SYNTHETIC] if archive.synthetic else []
    lines += [f"INCOMPLETE: {archive.incomplete}"] if archive.incomplete else []
    return lines + [f"NOT ALONE: {note}" for note in shared_note(archive)]


def sources_changed(base: Archive, new: Archive, probe: str) -> bool:
    """False where an archive or its build does not say."""
    of_base, of_new = ((archive.run["probes"].get(probe) or {}).get("source_hash") for archive in (base, new))
    return bool(of_base and of_new and of_base != of_new)


def code_changed(base: Point, new: Point) -> str:
    """What differs in the kernels that ran; empty: nothing, or it is not known, or there was none."""
    if not base.code or not new.code or base.code == new.code:
        return ""
    ran = [{hashed for hashed, *_ in point.code} for point in (base, new)]
    if ran[0] != ran[1]:
        return "the machine code differs"
    return "the launch differs: blocks, threads, registers or shared memory"


def harness_note(base: Archive, new: Archive) -> list[str]:
    of_base, of_new = (archive.run["program"].get("harness_hash") for archive in (base, new))
    changed = of_base and of_new and of_base != of_new
    said = f"The harness changed ({of_base} against {of_new})"
    return [f"{said}: buffers, warm-up or clocks around the kernels may differ."] if changed else []
