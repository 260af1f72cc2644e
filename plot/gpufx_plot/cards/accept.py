"""`gpufx accept`: measure the declared quantities in three processes, and judge the card."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .. import UserError
from ..call.arguments import Call
from ..call.number_text import counted
from ..call.program import ask
from ..call.terminal import complain, notice, say
from ..call.text import shown
from ..judging.evidence import NO_ANSWER, not_ours
from .accept_run import NOTHING, NothingRan, device_of, folder, measure
from .accept_text import FORMATS
from .base import boards, newest, of_model, paths_of
from .board import Board, board
from .card_verdict import HEALTHY, NOT_JUDGED, UNSURE, Verdict, verdict_on
from .declared import cases_of, declared, listed
from .judge import FEWEST

END_S = 6.0  # for what follows the measurement
PROCESSES = 3  # differences between processes are no property of the card


class NoBaseError(Exception):
    """There are too few cards to judge by, which is known before anything is measured."""


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
        except NoBaseError as why:
            complain(f"gpufx accept: UNSURE: {why}")
            return NO_ANSWER
    say(FORMATS[call["--format"]](verdict), plain=call["--format"] != "text")
    return verdict.status


def _others(paths: Sequence[Path]) -> list[Board]:
    taken = newest(paths)
    if len(taken) < len(paths):
        notice(f"note: the base has {len(paths)} archives; only the newest {len(taken)} are read")
    found, unread = boards(taken)
    for why in unread:
        notice(f"note: not in the base: {why}")
    return found


def _verdict(card: Board, call: Call, margin: float) -> Verdict:
    """Judge by archives alone, so that judging the archive again gives the same answer. The cards of the tree show
    which kinds the model has, whatever --against names."""
    others = _others(paths_of(call.get("--against"), card.slug))
    known = [one for one in boards(of_model(card.slug))[0] if one.synthetic == card.synthetic]
    return verdict_on(card, others, margin, call.has("--host"), known)


def _archived(call: Call, margin: float) -> Verdict:
    """Judge an archive that exists. What `latest` is on a machine without its GPU says nothing of that machine."""
    card = board(call.words[0])
    verdict = _verdict(card, call, margin)
    if why := not_ours([card]):
        return replace(verdict, word=UNSURE, reason=why, host_word=NOT_JUDGED, findings=[])
    return verdict


def _check_base(device: dict, others: Sequence[Board]) -> None:
    """Refuse a base that is too small before anything is measured."""
    alike = [one for one in others if one.slug == device["slug"] and one.card != device.get("uuid")]
    usable = {one.card for one in alike if not (one.incomplete or one.quick)}
    if len(usable) < FEWEST:
        cards, out = counted(len(usable), "other card"), len({one.card for one in alike} - usable)
        left = f" ({counted(out, 'card')} left out: --quick, or cut)" if out else ""
        raise NoBaseError(f"the base has {cards} of {shown(device['name'])}{left}, but {FEWEST} are needed; {HEALTHY}")


def _measured(call: Call, margin: float, began: float) -> Verdict:
    words = ["--device", call["--device"]] if call.has("--device") else []
    device = device_of(words)
    if not words and not device.get("uuid"):
        raise NothingRan("there is no NVIDIA GPU here (gpufx info prints why); name a device with --device")
    _check_base(device, _others(paths_of(call.get("--against"), device["slug"])))
    known = listed(ask("list", "--json", "--cases", *words))
    cases = sorted({name for d in declared() for name in cases_of(d, known)})
    if not cases:
        raise UserError("the device can run no case of the quantities that accept measures; gpufx list prints why")
    limit_s = 60 * float(call["--minutes"]) - (time.monotonic() - began) - END_S
    labels = [word for label in (call.get("--label") or "").split(",") if label for word in ("--label", label)]
    done = measure(cases, PROCESSES, words + labels, folder(call.get("--out")), limit_s)
    card = board(done.archive)
    if done.stopped:
        card = replace(card, incomplete=f"--minutes {call['--minutes']} ran out")
    return _verdict(card, call, margin)
