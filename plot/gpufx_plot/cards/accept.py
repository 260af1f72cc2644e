"""`gpufx accept`: measure the declared quantities in three processes, by one `gpufx run --only` that is interrupted by
SIGINT when the time is over, and judge the card."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .. import UserError
from ..call.arguments import Call
from ..call.number_text import counted
from ..call.output import write
from ..call.program import RefusedError, ask, home, path_of_program
from ..call.terminal import notice, say
from ..call.text import safe, shown
from ..judging.evidence import NO_ANSWER, not_ours
from .accept_text import FORMATS
from .base import boards, newest, of_model, paths_of
from .board import Board, board
from .card_verdict import HEALTHY, NOT_JUDGED, UNSURE, Verdict, verdict_on
from .declared import cases_of, declared, listed
from .judge import FEWEST

END_S = 6.0  # for what follows the measurement
PROCESSES = 3  # differences between processes are no property of the card
LAST_S = 15.0  # for an interrupted run to write its last line
NOTHING = 77


class NothingRan(UserError):  # noqa: N818
    """Nothing was measured; the text is the reason."""

    def __init__(self, why: str, status: int = NOTHING):
        super().__init__(why)
        self.ends_with = status


def accept(call: Call) -> int:
    verdict = _archived(call) if call.words else _measured(call)
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


def _verdict(card: Board, call: Call) -> Verdict:
    """Judge by archives alone, so that judging the archive again gives the same answer. The cards of the tree show
    which kinds the model has, whatever --against names."""
    others = _others(paths_of(call.get("--against"), card.slug))
    known = [one for one in boards(of_model(card.slug))[0] if one.synthetic == card.synthetic]
    return verdict_on(card, others, call.margin, known)


def _archived(call: Call) -> Verdict:
    """Judge an archive that exists. What `latest` is on a machine without its GPU says nothing of that machine."""
    card = board(call.words[0])
    verdict = _verdict(card, call)
    if why := not_ours([card]):
        return replace(verdict, card_word=UNSURE, card_reason=why, host_word=NOT_JUDGED, findings=[])
    return verdict


def _check_base(device: dict, others: Sequence[Board]) -> None:
    """Refuse a base that is too small before anything is measured."""
    alike = [one for one in others if one.slug == device["slug"] and one.card != device.get("uuid")]
    usable = {one.card for one in alike if not (one.incomplete or one.quick)}
    if len(usable) < FEWEST:
        cards, out = counted(len(usable), "other card"), len({one.card for one in alike} - usable)
        left = f" ({counted(out, 'card')} left out: --quick, or cut)" if out else ""
        why = f"UNSURE: the base has {cards} of {shown(device['name'])}{left}, but {FEWEST} are needed; {HEALTHY}"
        raise NothingRan(why, NO_ANSWER)


def _measured(call: Call) -> Verdict:
    began = time.monotonic()
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
    out = Path(call["--out"]) if call.get("--out") else home() / "out" / "accept"
    archive, stopped = measure(cases, PROCESSES, words + labels, out, limit_s)
    card = board(archive)
    if stopped:
        card = replace(card, incomplete=f"--minutes {call['--minutes']} ran out")
    return _verdict(card, call)


def measure(cases: Sequence[str], processes: int, more: Sequence[str], out: Path, limit_s: float) -> tuple[Path, bool]:
    """The archive, and whether the time was over. more: words of the run. Raises UserError, or NothingRan."""
    with tempfile.TemporaryDirectory(prefix="gpufx-accept-") as place:
        names = Path(place) / "cases"
        write(names, "".join(f"{name}\n" for name in cases).encode())
        probes = sorted({name.partition("/")[0] for name in cases})
        words = [path_of_program(), "run", *probes, "--only", str(names), "--out", str(out)]
        words += ["--processes", str(processes), *more]
        before = set(_archives(out))
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as run:
            stopped = False
            try:
                _, said = run.communicate(timeout=max(limit_s, 0.3))
            except subprocess.TimeoutExpired:
                stopped = True
                run.send_signal(signal.SIGINT)
                try:
                    _, said = run.communicate(timeout=LAST_S)
                except subprocess.TimeoutExpired:
                    run.kill()
                    _, said = run.communicate()
            except BaseException:
                run.send_signal(signal.SIGINT)
                raise
    new = sorted(set(_archives(out)) - before, key=lambda path: path.stat().st_mtime)
    # The lines of standard error, each once.
    reasons = [*dict.fromkeys(safe(line).removeprefix("gpufx: ") for line in said.splitlines() if line.strip())]
    if not new:
        why = reasons[-1] if reasons else f"gpufx run failed with status {run.returncode}"
        if stopped:
            raise NothingRan("the time that --minutes gives ran out before anything was measured")
        if run.returncode == NOTHING:
            raise NothingRan(why)
        raise UserError(why)
    for line in reasons:
        if run.returncode and not stopped:
            print(f"gpufx accept: {line}", file=sys.stderr)
    return new[-1], stopped


def device_of(words: list[str]) -> dict:
    """What the device says of itself. Raises UserError, or NothingRan where there is no such device."""
    try:
        opened = ask("info", "--json", *words)["opened"]
    except RefusedError as error:
        raise NothingRan(error.reason, error.status) from None
    except (TypeError, KeyError):
        raise UserError("gpufx info did not describe a device; is it the same version?") from None
    return opened["device"]


def _archives(out: Path) -> list[Path]:
    return [path for path in out.glob("*.jsonl*") if path.is_file()] if out.is_dir() else []
