"""The command line of the verbs of harness/cli/verbs.c that Python does: `sheet` is the function _sheet here, and
`fleet report`, a verb of two words, _fleet_report. Exit status 0 fine, 1 the answer is no, 2 wrong
use or bad input, 3 undecided, 77 nothing to compare. Each verb imports what it needs: matplotlib alone takes longer to
load than most work."""

import gc
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from . import UserError
from .call.arguments import Call, read
from .call.number_text import counted
from .call.stopping import guarded, leave
from .call.tables import wrapped
from .call.terminal import complain, notice, say
from .call.text import clipped, from_here, json_text, meant, shown


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise UserError(f"--filter '{clipped(text)}' is not a valid regular expression: {error}") from None
    return text


def _wanted(call: Call) -> set[str] | None:
    """The probes that were asked for; None: all."""
    return {name.strip() for name in call["--probe"].split(",")} if call.has("--probe") else None


def _check_probes(call: Call, measured: set[str], what: str = "case") -> None:
    for probe in sorted((_wanted(call) or set()) - measured):
        more = meant(probe, measured, "gpufx list lists the probes")
        raise UserError(f"no {what} of a probe '{clipped(probe)}' in these archives; {more}")


def _accept(call: Call) -> int:
    from .cards.accept import accept

    return accept(call)


def _ask(call: Call) -> int:
    from .archive.load import load
    from .showing.ask import answer

    if not " ".join(call.words).strip():
        raise UserError("there is no word to search for; write some, such as: gpufx ask bank conflict")
    text, document = answer(call.words, load(call["--archive"]) if call.has("--archive") else None)
    if call.has("--json"):
        say(json_text(document, 2), plain=True)
    elif document["found"]:
        say(text, plain=True)  # meanings have words such as "slower"
    else:
        complain(f"gpufx ask: {text.rstrip()}")
    return 0 if document["found"] else 1


def _claims(call: Call) -> int:
    from .archive.load import load
    from .judging.claims import judged
    from .showing.claims_text import as_json, as_text, beside

    # All probes: what is given for a claim may be another one's cases.
    archives = [load(word) for word in dict.fromkeys(call.words)]
    _check_probes(call, set().union(*(archive.measured for archive in archives)))
    first, *others = pages = [judged(archive, sorted(_wanted(call) or ()) or None) for archive in archives]
    full = call.has("--full")
    if call.has("--json"):
        say(json_text({"archives": [*map(as_json, pages)]} if others else as_json(first), 2), plain=True)
    else:
        say(beside(pages, full) if others else as_text(first, full))
    return 0


def _compare(call: Call) -> int:
    gc.disable()  # tens of thousands of small objects and no cycle, in a process that ends soon: an eighth of its time
    from .archive.load import load
    from .chip.inference import Inference
    from .chip.quantities import infer
    from .judging import fail_on as gate
    from .judging.changes import differing
    from .judging.compare import compare
    from .judging.conditions import OfQuantity, parse
    from .judging.evidence import not_ours, same_run
    from .judging.levels import load_beside
    from .showing import changes_text
    from .showing.compare_text import FORMATS

    form = call["--format"]
    conditions = parse(call.get("--fail-on") or "")
    wanted, regex = _wanted(call), _regex(call.get("--filter") or "")
    paths = [Path(word) for word in call.words]
    base = load(paths[0])
    measured, found, copied = set(base.measured), {}, None
    strict = call.has("--strict") or wanted is not None
    selected = call.has("--filter")  # of such cases no quantity speaks
    of_base, of_new, behind_of = infer(base), {}, {}
    if conditions:
        taken = Inference(base)
        behind_of = {q.id: taken.behind(q.definition) for q in of_base}
    _check_quantities({one.id for one in conditions if isinstance(one, OfQuantity)} - {q.id for q in of_base})
    # One archive at a time beside the base and what stands behind it, each file once and whole: a verdict is the same
    # whichever others are shown.
    for path in dict.fromkeys(paths[1:]):
        new = load(path)
        measured |= new.measured
        copied = copied or same_run(base, new)
        found[path] = compare(base, new, call.margin, wanted, regex, load_beside(base, new))
        of_new[path] = infer(new)
        differ = [] if selected else differing(of_base, of_new[path])
        found[path].quantities = [pair for pair in differ if wanted is None or pair[0].definition.probe in wanted]
    _check_probes(call, measured)
    comparisons = [found[path] for path in paths[1:]]
    if not any(c.rows for c in comparisons):
        raise UserError("no case is left to compare; check --probe and --filter, and that the archives have cases")
    of = [gate.Sheets(of_base, of_new[path], behind_of) for path in paths[1:]]
    void = (not_ours([base, *(c.new for c in comparisons)]) or copied) if conditions else None
    status, said = gate.answer(comparisons, conditions, of, strict, selected, void)
    write = changes_text.as_text if form == "text" else FORMATS[form]
    say(write(comparisons, bool(conditions) if form == "github" else call.margin), plain=form != "text")
    for sentence in (sentence for c in comparisons for sentence in c.judged):
        notice("\n".join(wrapped(f"note: {sentence}", indent="  ")))
    for sentence in said:
        complain(f"gpufx compare: {sentence}")
    return status


def _check_quantities(absent: set[str]) -> None:
    from .call.program import root
    from .chip.definitions import of_the_tree

    known = [d.id for effect in of_the_tree(root()).values() for d in effect] if absent else []
    for name in sorted(absent):
        if name not in known:
            raise UserError(f"--fail-on: there is no quantity '{name}'; {meant(name, known, 'gpufx sheet lists them')}")


def _quieten_matplotlib() -> None:
    """Importing it logs two lines where the home folder can't be written, which concerns its list of fonts alone."""
    import logging

    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _plot(call: Call) -> int:
    from .archive.load import load

    paths = [Path(word) for word in call.words]
    # Whole ones: a finding or a panel may speak of another probe's cases.
    archives = {path: load(path) for path in dict.fromkeys(paths)}
    measured = set().union(*(archive.measured for archive in archives.values()))
    _quieten_matplotlib()
    from .call.output import make_folder
    from .call.program import home
    from .showing.charts import NoFigureError, Wanted, draw_all
    from .showing.report.roofline import PICTURES, files_of

    _check_probes(call, measured | {*PICTURES})
    folder = Path(call["--output"]) if call.has("--output") else home() / "out" / "charts" / _chart_folder(paths)
    formats = ("png", "svg") if call["--format"] == "both" else (call["--format"],)
    what = Wanted(call["--width"], call.has("--supplement"), not call.has("--no-title"), call.get("--panel") or "")
    loaded = [archives[path] for path in paths]
    wanted, drawn = _wanted(call), []
    pictures = [name for name in PICTURES if name in (PICTURES if wanted is None else wanted)]
    for option in ("--panel", "--supplement") if wanted and pictures else ():
        if call.has(option):
            raise UserError(f"{' and '.join(pictures)}: no panels and no supplement; leave {option} out")
    try:
        if wanted is None or wanted - {*PICTURES}:
            drawn = draw_all(loaded, folder, sorted((wanted or set()) - {*PICTURES}), formats, what, call.has("--data"))
    except NoFigureError as reason:
        if not call.has("--brief"):
            raise
        say(f"charts: {reason}\n")  # characterize has measured what it was told to: no mistake of its user
        return 0
    if not (what.supplement or what.panel):
        make_folder(folder)
        drawn += files_of(loaded, folder, pictures, formats, what)
    if not drawn:
        raise UserError(f"these archives have not what {' and '.join(pictures)} would show")
    if call.has("--json"):
        say(json_text({"files": [str(path) for path in drawn]}, 2), plain=True)
        return 0
    files = f"charts: {from_here(folder)} ({counted(len(drawn), 'file')})\n"
    say(files if call.has("--brief") else "".join(f"{from_here(path)}\n" for path in drawn))
    return 0


def _chart_folder(paths: list[Path]) -> str:
    """A folder for each archive, or pair of them, so that no device's charts are written over."""
    names = [path.name.partition(".")[0] for path in dict.fromkeys(paths)]
    return "+".join(names[:2]) + (f"+{len(names) - 2}" if len(names) > 2 else "")


def _report(call: Call) -> int:
    _quieten_matplotlib()
    from .call.output import make_folder
    from .call.program import home
    from .showing.report import build

    target = Path(call["--output"]) if call.has("--output") else home() / "out" / "report.html"
    if not call.has("--output"):
        make_folder(target.parent)
    build.html([Path(word) for word in call.words], target, call.margin)
    json = call.has("--json")
    say(json_text({"files": [str(target)]}, 2) if json else f"report: {from_here(target)}\n", plain=json)
    return 0


def _summary(call: Call) -> int:
    from .archive.load import load
    from .showing import laws, screen

    archive, json = load(call.words[0]), call.has("--json")
    whole = laws.as_json if json else laws.as_text
    say(whole(archive) if call.has("--full") else screen.first_screen(archive, json), plain=json)
    return 0


def _sheet(call: Call) -> int:
    from .archive.load import load
    from .chip.quantities import infer
    from .showing.sheet import FORMATS

    probes, regex = (_wanted(call) or set()) - {""}, re.compile(_regex(call.get("--filter") or ""), re.I)
    words = not set(regex.pattern) & set("^$(\\")  # what is anchored or negated is meant of names

    def chosen(q) -> bool:
        wanted = not probes or q.definition.probe in probes
        texts = (q.id, q.definition.meaning, q.unit) if words else (q.id,)
        return wanted and any(map(regex.search, texts))

    found, known = {}, set()
    for path in call.words:
        if path not in found:
            archive = load(path)
            of = infer(archive)
            known |= {q.definition.probe for q in of}
            found[path] = (archive, [q for q in of if chosen(q)])
    _check_probes(call, known | {""}, "quantity")  # "": the chip's own
    if (probes or call.has("--filter")) and not any(of for _, of in found.values()):
        names = {q.id for archive, _ in found.values() for q in infer(archive)}
        more = meant(call.get("--filter") or "", names, "check --probe and --filter")
        raise UserError(f"no quantity is left; {more}")
    say(FORMATS[call["--format"]](list(found.values())), plain=call["--format"] != "text")
    return 0


def _export(call: Call) -> int:
    from .archive.load import load
    from .call.output import write
    from .cards.export_rows import export

    form = call.get("--format")
    if not form:
        raise UserError("--format is missing; choose a format; gpufx export --help lists them")
    if form == "parquet":
        return _export_parquet(call)
    if len(call.words) > 1:
        beside = f"`gpufx sheet A B --format {form}` has the quantities of several"
        raise UserError(f"--format {form} takes one archive; {beside}, --format parquet -o FOLDER all rows")
    archive = load(call.words[0])
    content = export(archive, form, call["--by"])
    if call.has("--output") and form != "json":
        write(call["--output"], content)
    else:  # the caller of this program puts JSON where --output says
        say(content.decode(), plain=True)
    if archive.incomplete:
        notice(f"note: the archive is incomplete: {archive.incomplete}")
    return 0


def _explain(call: Call) -> int:
    from .explain_verb import verb

    return verb(call)


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


def _export_parquet(call: Call) -> int:
    from .cards.parquet import export
    from .cards.table_columns import TABLES

    if not call.get("--output"):
        raise UserError("--format parquet writes four files; name a folder with --output")
    if call["--by"] != "quantity":
        raise UserError("--format parquet writes them all; leave out --by")
    folder = Path(call["--output"])
    archives, refused = export(_places(call), folder)
    left_out = f", {len(refused)} left out" if refused else ""
    say(f"{counted(archives, 'archive')}{left_out}\nParquet: {shown(folder)} ({', '.join(TABLES)})\n")
    for one in refused:
        notice(f"note: {one.text()}")
    return 1 if refused else 0


def _fleet_report(call: Call) -> int:
    from .cards.fleet_report import gate, gather
    from .cards.fleet_text import as_json, as_text
    from .cards.parquet import opened

    form, left_out = call["--format"], []
    try:
        with opened(_places(call), left_out.extend) as database:
            chips, notes = gather(database)
    except UserError:
        for refused in left_out:
            notice(f"note: {refused.text()}")
        raise
    chips[0].unread = len(left_out)
    status, why = gate(chips, len(left_out)) if call.has("--fail-on") else (0, "")
    said = [f"--fail-on sick: {why}"] if why else []
    found = chips, notes, left_out
    text = as_text(*found, call.words) if form == "text" else as_json(*found, said)
    say(text, plain=form != "text")
    for sentence in said:
        complain(f"gpufx fleet report: {sentence}")
    return status


def _run(arguments: list[str]) -> int:
    call = read(arguments)
    return globals()[f"_{call.verb.replace(' ', '_')}"](call)


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    return guarded(" ".join(["gpufx", *words[:1]]), lambda: _run(words))


if __name__ == "__main__":
    leave(main())
