"""`gpufx archive show`: what an archive says of itself."""

import json

from ..archive.cases import driver_text
from ..archive.file import key_of_run
from ..archive.load import Archive
from ..call.number_text import counted
from ..call.tables import wrapped
from ..call.text import safe, shown


def facts_of(archive: Archive) -> dict:
    """The same as show_text, for programs: what the first line says, and what was measured."""
    return {
        "path": str(archive.path),
        "run": archive.run,
        "incomplete": "it has no end line" if archive.end is None else archive.incomplete,
        "cases": {"measured": len(archive.points), "waived": len(archive.waived), "failed": len(archive.failed)},
        "probes": sorted(archive.measured),
    }


def show_text(archive: Archive) -> str:
    """What an archive says of itself, in a line each."""
    run = archive.run
    device, program = run["device"], run["program"]
    environment = {k: v for k, v in run["environment"].items() if not isinstance(v, dict | list)}
    ended = "truncated: it has no end line" if archive.end is None else archive.incomplete or "complete"
    absent = ((len(archive.waived), "waived"), (len(archive.failed), "failed"))
    cases = [counted(len(archive.points), "case"), *(f"{count} {what}" for count, what in absent if count)]
    lines = {
        "archive": f"{key_of_run(run)}, schema {run['schema']}, {shown(archive.path)}",
        "device": f"{device['name']}, {device['arch']}, {device.get('uuid') or 'no UUID'}",
        "driver": driver_text(run).removeprefix("driver "),
        "program": f"{program['version']}, commit {program['commit'] or 'unknown'}",
        "started": f"{run['started_utc']}, {ended}",
        "measured": f"{', '.join(cases)}, {archive.processes_text}, {len(archive.measured)} probes",
        "labels": ", ".join(f"{name}={value}" for name, value in (run.get("labels") or {}).items()) or "none",
        "settings": ", ".join(f"{name}={json.dumps(value)}" for name, value in environment.items()),
        "command": " ".join(map(str, run["arguments"])),
    }
    if archive.synthetic:
        lines["device"] += "; SYNTHETIC: its numbers are made up"
    return "".join(
        f"{line}\n" for name, text in lines.items() for line in wrapped(f"{name:9} {safe(text)}", indent=" " * 10)
    )
