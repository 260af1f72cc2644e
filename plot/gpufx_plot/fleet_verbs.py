"""The verbs of many archives: `archive`, `query`, `fleet`, `history`."""

from pathlib import Path

from . import UserError
from .call.arguments import Call
from .call.number_text import counted
from .call.program import home
from .call.terminal import complain, notice, say
from .call.text import json_text, safe_lines, shown
from .cards.dataset import usual


def _target(call: Call) -> Path:
    if call.get("--output") == "":
        raise UserError("--output is empty; name a folder")
    return Path(call["--output"]) if call.has("--output") else usual()


def _places(call: Call) -> list[Path]:
    return [Path(word) for word in call.words]


def archive_list(call: Call) -> int:
    from .cards.archive_verbs import list_text

    text, wrong = list_text(_places(call), call.has("--json"))
    say(text, plain=call.has("--json"))
    for sentence in wrong:
        notice(f"note: {sentence}")
    return 1 if wrong else 0


def archive_show(call: Call) -> int:
    from .archive.load import load
    from .cards.archive_verbs import facts_of, show_text

    archives = (load(path, profiled=True) for path in call.words)
    if call.has("--json"):
        say(json_text([facts_of(archive) for archive in archives], 2), plain=True)
        return 0
    for i, archive in enumerate(archives):
        say(("\n" if i else "") + show_text(archive))
    return 0


def archive_verify(call: Call) -> int:
    from .cards.ingest import verify

    good, wrong = verify(_places(call))
    told = {"whole": good, "refused": [refused.as_json() for refused in wrong]}
    say(json_text(told, 2) if call.has("--json") else f"{counted(good, 'archive')} intact, {len(wrong)} not\n")
    for refused in wrong:
        complain(f"gpufx archive: {refused.text()}")
    return 1 if wrong else 0


def archive_pack(call: Call) -> int:
    from .cards.ingest import pack

    return _told(call, pack(_places(call), _target(call)))


def archive_merge(call: Call) -> int:
    from .cards.archive_verbs import merge

    return _told(call, merge(_places(call), _target(call)))


def _told(call: Call, outcome) -> int:
    from .cards.dataset_place import tell

    target = _target(call)
    say(json_text(outcome.as_json(target), 2) if call.has("--json") else outcome.text(target))
    tell(outcome)
    return 1 if outcome.refused else 0


def query(call: Call) -> int:
    from .cards.dataset_place import dataset_of
    from .cards.query import asked

    sql, *place = call.words
    with dataset_of(place[0] if place else None) as path, asked(path, sql, call["--format"]) as pieces:
        for piece in pieces:
            say(piece, plain=call["--format"] != "text")
    return 0


def history(call: Call) -> int:
    from .cards.dataset import opened
    from .cards.dataset_place import dataset_of
    from .cards.history_text import FORMATS, gather

    quantity, *place = call.words
    with dataset_of(place[0] if place else None) as path, opened(path) as database:
        found = gather(database, quantity, call.get("--card"))
    say(FORMATS[call["--format"]](found), plain=call["--format"] != "text")
    return 0


def fleet_report(call: Call) -> int:
    from .cards.dataset import opened
    from .cards.dataset_place import dataset_of
    from .cards.fleet_report import gather

    form = call["--format"]
    target = _report_file(call, form)
    with dataset_of(call.words[0] if call.words else None) as path, opened(path) as database:
        chips, notes = gather(database)
    if form == "html":
        from .call.output import write
        from .showing.fleet_html import as_html

        write(target, as_html(chips, notes).encode())
        say(f"report: {shown(target)}\n")
        return 0
    from .cards.fleet_text import as_json, as_text

    text = as_text(chips, notes) if form == "text" else as_json(chips, notes)
    if form == "text" and call.has("--output"):
        from .call.output import write

        write(target, safe_lines(text).encode())
    else:  # the caller of this program puts JSON where --output says
        say(text, plain=form != "text")
    return 0


def _report_file(call: Call, form: str) -> Path:
    if call.get("--output") == "":
        raise UserError("--output is empty; name a file")
    if call.has("--output"):
        return Path(call["--output"])
    folder = home() / "out"
    if form == "html":
        folder.mkdir(parents=True, exist_ok=True)
    return folder / "fleet.html"
