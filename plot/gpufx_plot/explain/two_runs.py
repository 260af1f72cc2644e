"""A program under the recorder, and once more to be timed: its trace."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import UserError
from ..call.output import write
from ..call.terminal import complain, notice
from .finish import finish
from .recorded import Process, processes
from .recording import Ended, Wanted, input_begins, limit_s, run, run_again


@contextmanager
def recorded(
    words: list[str], wanted: Wanted, once: bool, output: int | None, keep: str | None
) -> Iterator[tuple[Path, Ended, list[Process]]]:
    """The program's trace, how it ended, and what was recorded. once: it is not timed. output: where its standard
    output goes; None: to ours. keep: a file that the trace is kept in."""
    with tempfile.TemporaryDirectory(prefix="gpufx-") as name:
        folder, again = Path(name), Path(name, "times")
        begins = input_begins()
        ended = run(words, folder, wanted, False, output)
        again.mkdir()
        found = processes(folder)
        if not (once or ended.interrupted or ended.status) and any(one.has_records for one in found):
            _time(words, again, wanted, begins, limit_s(ended))
        target = folder / "finished"
        finish(found, folder, target, ended, processes(again), words)
        if keep and any(one.has_records for one in found):
            write(keep, target.read_bytes())
        yield target, ended, found


def _time(words: list[str], folder: Path, wanted: Wanted, begins: int | None, limit: float) -> None:
    """What goes wrong in a second run costs times, and nothing else."""
    told = f"to time its launches: {limit:.0f} s at most; Ctrl-C ends it and keeps the answer, --once leaves it out"
    notice(f"gpufx explain: running the program again without recording, {told}")
    try:
        second = run_again(words, folder, wanted, begins, limit)
    except UserError as error:
        complain(f"gpufx explain: no times: {error}")
        return
    if second.status:
        stopped = second.interrupted or second.seconds >= limit
        how = f"was stopped after {second.seconds:.0f} s" if stopped else f"ended with status {second.status}"
        complain(f"gpufx explain: the second run {how}, so times may be missing")
