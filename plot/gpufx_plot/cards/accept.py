"""`gpufx accept`: chooses what tells most, measures it, and judges."""

import math
import time
from collections.abc import Sequence
from pathlib import Path

from .. import UserError
from ..call.arguments import Call
from ..call.number_text import counted
from ..call.program import ask
from ..call.terminal import complain, notice, say
from ..call.text import shown
from ..chip.definitions import Definition, definitions
from .accept_run import NOTHING, NothingRan, device_of, folder, measure
from .accept_text import FORMATS
from .base import Base, boards, newest, paths_of, table
from .board import Board, board, needed
from .card_verdict import HEALTHY, Verdict, verdict_on
from .choose_cases import Chosen, Listed, cases_of, choose, family, listed, seconds
from .judge import FEWEST
from .tolerance import Tolerance, read

NEWEST = 2  # archives of the base that say how long cases take
START_S, END_S = 6.0, 6.0  # that a process takes before its first case, and that the rest takes behind the last
LEAST_S = 10.0  # of cases: with less two processes are not worth it
SLOWER = 1.15  # than in the base
SLACK = 0.9  # of the time that is left when the choice is made
PROCESSES = (3, 2, 1)  # as many as there is time for: what differs between them is no property of the card


def accept(call: Call) -> int:
    began = time.monotonic()
    margin = call.margin
    if call.words:
        verdict = _archived(call, margin)
    else:
        try:
            verdict = _measured(call, margin, began)
        except NothingRan as why:
            complain(f"gpufx accept: {why}")
            return NOTHING
    say(FORMATS[call["--format"]](verdict), plain=call["--format"] != "text")
    return verdict.status


def _tolerances(call: Call, known: Sequence[Definition]) -> dict[str, Tolerance]:
    return read(call.get("--tolerance"), {d.id for d in known})


def _others(paths: Sequence[Path]) -> list[Board]:
    taken = newest(paths)
    if len(taken) < len(paths):
        notice(f"note: the base has {len(paths)} archives; only the newest {len(taken)} are read")
    found, unread = boards(taken)
    for why in unread:
        notice(f"note: not in the base: {why}")
    return found


def _archived(call: Call, margin: float) -> Verdict:
    """Judges an archive as it is."""
    card = board(call.words[0])
    tolerances = _tolerances(call, [*definitions({"probes": {}}), *card.definitions.values()])
    others = _others(paths_of(call.get("--against"), card.slug))
    return verdict_on(card, others, margin, tolerances, call.has("--host"))


def _measured(call: Call, margin: float, began: float) -> Verdict:
    def left() -> float:
        return 60 * float(call["--minutes"]) - (time.monotonic() - began)

    words = ["--device", call["--device"]] if call.has("--device") else []
    device = device_of(words)
    if not words and not device.get("uuid"):
        notice("note: there is no NVIDIA GPU here (gpufx info prints why); a synthetic device is judged")
    paths = paths_of(call.get("--against"), device["slug"])
    others = _others(paths)
    told = ask("list", "--json", "--cases", *words)
    known = [d for d in definitions({"probes": {}}) if d.by != "reported"]
    tolerances = _tolerances(call, known)
    budget_s = SLACK * left() - END_S
    processes, chosen = _plan(device, others, known, listed(told), margin, budget_s, tolerances)
    if not chosen.cases:
        raise UserError(_nothing(laid_out(device, others, known), device, call))
    out = folder(call.get("--out"))
    limit = left() - END_S
    if limit <= 0:
        raise UserError(f"reading the base used up --minutes {call['--minutes']}; allow more, or name fewer archives")
    done = measure(chosen.cases, processes, call.get("--device"), out, limit)
    if done.stopped:
        cases = counted(len(chosen.cases), "case")
        notice(f"note: --minutes {call['--minutes']} ran out before all {cases} were measured")
    # From the archive alone, so that whoever judges it again gets the same answer.
    return verdict_on(board(done.archive), others, margin, tolerances, call.has("--host"))


def _nothing(base: Base, device: dict, call: Call) -> str:
    """Why there is nothing to measure."""
    if base.boards:
        archives = counted(len(base.boards), "archive")
        return (
            f"nothing can be chosen from {archives} of {shown(device['name'])}: it takes whole runs of {FEWEST} other "
            f"cards, and some seconds to measure in (--minutes {call['--minutes']})"
        )
    out = f" (left out: {', '.join(base.left_out)})" if base.left_out else ""
    return f"the base has no usable archive of {shown(device['name'])}{out}; {HEALTHY}"


def _stand_in(device: dict, others: list[Board], known: Sequence[Definition]) -> Board:
    """A card of which nothing is known, so that the base is laid out as the archives have it."""
    synthetic = not device.get("uuid") and all(one.synthetic for one in others)
    card = device.get("uuid") or "new"
    return Board(
        *(Path(), "", card, device["slug"], device["name"], synthetic, "", "", False, None, {"device": device}, {}, {}),
        definitions={d.id: d for d in known},
    )


def laid_out(device: dict, others: list[Board], known: Sequence[Definition]) -> Base:
    names = sorted({name for one in others if one.slug == device["slug"] for name in one.figures})
    return table(_stand_in(device, others, known), others, [n for n in names if n in {d.id for d in known}])


def _plan(device, others, known, cases, margin, budget_s, tolerances) -> tuple[int, Chosen]:
    """How many processes, and what each measures: everything worth a case in as many as there is time for; where not
    even two can do that, what tells most in two."""
    base = laid_out(device, others, known)
    wanted, took = offered(base, known, cases, tolerances)
    whole = choose(base, wanted, took, math.inf, margin)
    for processes in PROCESSES[:-1]:
        if processes * (whole.seconds + START_S) <= budget_s:
            return processes, whole
    for processes in PROCESSES[1:]:
        chosen = choose(base, wanted, took, max(budget_s / processes - START_S, 0.0), margin)
        if chosen.seconds > LEAST_S or processes == 1:
            return processes, chosen
    return 1, Chosen()


def offered(base: Base, known, cases: Listed, tolerances) -> tuple[dict[str, set[str]], dict[str, float]]:
    """The cases of each quantity, if they are all that it takes, and how long cases take."""
    by_id = {d.id: d for d in known}
    skipped = {name for name, one in tolerances.items() if one.skip}
    wanted = {
        name: family(by_id[name], cases_of(by_id[name], cases), base.boards)
        for name in base.quantities
        if name not in skipped
    }
    wanted = {name: cases for name, cases in wanted.items() if needed(name, base.boards) <= cases}
    latest = sorted(base.boards, key=lambda one: one.started)[-NEWEST:]
    took = {name: SLOWER * s for name, s in seconds(latest).items()}
    return wanted, took
