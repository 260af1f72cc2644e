"""The verbs of many archives: `archive verify`, `fleet report`, and `export --format parquet`."""

import os
from contextlib import suppress
from pathlib import Path

from . import UserError
from .call.arguments import Call
from .call.number_text import counted
from .call.terminal import complain, notice, say
from .call.text import json_text, shown


def _places(call: Call) -> list[Path]:
    """Files and folders, and of what is neither the archives that the name means, if it is one."""
    from .call.program import archives

    found = []
    for word in call.words:
        named = []
        if word and "/" not in word and not os.path.lexists(word):
            with suppress(UserError):
                named = [one.path for one in archives(word)]
        found += named or [Path(word)]
    return found


def archive_verify(call: Call) -> int:
    from .cards.many_archives import verify

    good, wrong = verify(_places(call))
    told = {"whole": len(good), "refused": [refused.as_json() for refused in wrong], "incomplete": not all(good)}
    intact = f"{counted(len(good), 'archive')} intact"
    intact += "" if all(good) else f" ({good.count(False)} of a run that did not finish)"
    say(json_text(told, 2) if call.has("--json") else f"{intact}, {len(wrong)} not\n")
    for refused in wrong:
        complain(f"gpufx archive: {refused.text()}")
    return 1 if wrong else 0


def export_parquet(call: Call) -> int:
    from .cards.archive_tables import TABLES
    from .cards.parquet import counted_archives, export

    if not call.get("--output"):
        raise UserError("--format parquet writes four files; name a folder with --output")
    if call["--by"] != "quantity":
        raise UserError("--format parquet writes them all; leave out --by")
    folder = Path(call["--output"])
    outcome = export(_places(call), folder)
    say(f"{counted_archives(outcome)}\nParquet: {shown(folder)} ({', '.join(TABLES)})\n")
    _tell_refused(outcome)
    return 1 if outcome.refused else 0


def _tell_refused(outcome) -> None:
    for refused in outcome.refused:
        notice(f"note: {refused.text()}")


def fleet_report(call: Call) -> int:
    from .cards.fleet_report import gate, gather
    from .cards.fleet_text import as_json, as_text
    from .cards.parquet import opened

    form, left_out = call["--format"], []

    def tell(outcome) -> None:
        left_out.extend(outcome.refused)
        _tell_refused(outcome)

    with opened(_places(call), tell) as database:
        chips, notes = gather(database)
    status, why = gate(chips, len(left_out)) if call.has("--fail-on") else (0, "")
    said = [f"--fail-on sick: {why}"] if why else []
    text = as_text(chips, notes) if form == "text" else as_json(chips, notes, left_out, said)
    say(text, plain=form != "text")
    for sentence in said:
        complain(f"gpufx fleet report: {sentence}")
    return status
