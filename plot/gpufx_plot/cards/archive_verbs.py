"""`gpufx archive list` and `show`: what lies in a folder."""

import json
from pathlib import Path

from ..archive.cases import driver_text
from ..archive.file import archives_in, key_of_run, look_at, nothing_usable
from ..archive.load import Archive
from ..call.number_text import counted
from ..call.tables import table, wrapped
from ..call.text import clipped, json_text, safe, shown

WIDEST = 40  # of a column, but the last
HEAD = ("started", "id", "device", "arch", "processes", "archive")
KEYS = ("started_utc", "id", "device", "arch", "processes", "path", "card", "host", "driver")


def rows_of(place: Path) -> tuple[list[tuple], list[str]]:
    """Archives of a folder, newest first, and what is wrong with others."""
    rows, wrong = [], []
    for found in (look_at(path) for path in archives_in(place)):
        head = found.head
        if head is None:
            wrong.append(f"{shown(found.path)}: {found.problem}")
            continue
        device = head.device
        texts = (head.started_utc, head.id, clipped(device.slug), clipped(device.arch), head.processes)
        card, host = device.uuid and clipped(device.uuid), head.labels.get("host")
        rows.append((*texts, shown(found.path), card, host and clipped(host), None))
    return sorted(rows, key=lambda row: (row[0], row[5]), reverse=True), wrong


def list_text(places: list[Path], as_json: bool) -> tuple[str, list[str]]:
    rows, wrong = [], []
    for place in places:
        more, bad = rows_of(place)
        rows += more
        wrong += bad
    if wrong and not rows:
        raise nothing_usable(wrong)
    if as_json:
        return json_text([dict(zip(KEYS, row, strict=True)) for row in rows], 2), wrong
    shown_rows = [(*(clipped(str(cell), WIDEST) for cell in row[:5]), row[5]) for row in rows]
    return "\n".join(table(HEAD, shown_rows, {"processes"})) + "\n", wrong


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
