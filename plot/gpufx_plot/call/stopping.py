"""Ctrl-C and SIGTERM: what was begun is tidied up on the way out, and the exit status says which signal it was."""

import os
import signal
import sys
from typing import NoReturn


class Asked:
    """Whether this process was asked to stop, once it listens."""

    def __init__(self) -> None:
        self.status = 0  # 128 and the signal

    def listen(self) -> None:
        """gpufx starts Python with SIGINT blocked, so that one that comes while modules are loaded waits for this."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def _stop(self, number: int, _frame) -> None:
        """The second Ctrl-C ends it at once; `timeout` and launchers send SIGTERM twice as a matter of course."""
        self.status = 128 + number
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt


def _end_at_once() -> None:
    """A fork has nothing to tidy up. With a handler of Python's one that waits for a lock might not hear of SIGTERM, by
    which pools end what they forked, and they would wait for it for ever."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


os.register_at_fork(after_in_child=_end_at_once)


def leave(status: int) -> NoReturn:
    """Ends the process. Where gpufx has started it, "no" is the number that gpufx has told, since Python and libraries
    in it end with 1 when they die."""
    for number in (signal.SIGINT, signal.SIGTERM):  # all is tidied up
        signal.signal(number, signal.SIG_DFL)
    sys.exit(int(os.environ.get("GPUFX_SAYS_NO", "1")) if status == 1 else status)
