"""How a verb ends: by its answer, by an error in one sentence, or by Ctrl-C and SIGTERM: what was begun is tidied up on
the way out, and the exit status says which signal it was."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from .. import UserError
from .program import root
from .terminal import complain, notice, unforeseen
from .text import shown

ECHO_S = 0.5  # within which a signal that comes twice is one


class Asked:
    """Whether this process was asked to stop, once it listens."""

    def __init__(self) -> None:
        self.status = 0  # 128 and the signal
        self.since = 0.0

    def listen(self) -> None:
        """gpufx starts Python with SIGINT blocked, so that one that comes while modules are loaded waits for this."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def _stop(self, number: int, _frame) -> None:
        """The second Ctrl-C ends it at once, unless it is the first one's echo: `timeout` and launchers tell the group
        and the program, which hands the signal on, and send SIGTERM twice as a matter of course."""
        now = time.monotonic()
        if self.status:
            if number == signal.SIGINT and now - self.since > ECHO_S:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                signal.raise_signal(signal.SIGINT)
            return
        self.status, self.since = 128 + number, now
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt


@contextmanager
def held_back() -> Iterator[None]:
    """A Ctrl-C that comes meanwhile is heard afterwards; what is started meanwhile hears of none."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_at_once() -> None:
    """A fork has nothing to tidy up. With a handler of Python's one that waits for a lock might not hear of SIGTERM, by
    which pools end what they forked, and they would wait for it for ever."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


os.register_at_fork(after_in_child=end_at_once)


def guarded(name: str, run: Callable[[], int]) -> int:
    """The exit status of a verb. What is raised in it becomes a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A path may hold any byte but NUL and "/".
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    asked = Asked()
    try:
        if threading.current_thread() is threading.main_thread():
            asked.listen()
        return run()
    except BaseException as error:
        # A library that was interrupted may raise anything.
        if asked.status:
            notice(f"{name}: interrupted")
            return asked.status
        match error:
            case UserError():
                complain(f"{name}: {error}")
                return error.ends_with
            case ModuleNotFoundError() if not (error.name or "").startswith("gpufx"):
                by_hand = (
                    f"set GPUFX_PYTHON to a Python that has those of {shown(root() / 'plot' / 'requirements.txt')}"
                )
                cure = "start it with ./gpufx, which installs them" if (root() / "gpufx").is_file() else by_hand
                return complain(f"{name}: Python packages are missing; {cure} ({error})")
            case KeyboardInterrupt():
                return 130
            case SystemExit():
                raise
        return unforeseen(name, error)


def leave(status: int) -> NoReturn:
    """Ends the process. Where gpufx has started it, "no" is the number that gpufx has told, since Python and libraries
    in it end with 1 when they die."""
    for number in (signal.SIGINT, signal.SIGTERM):  # all is tidied up
        signal.signal(number, signal.SIG_DFL)
    sys.exit(int(os.environ.get("GPUFX_SAYS_NO", "1")) if status == 1 else status)
