"""Processes that work for this one."""

import os
import signal
from multiprocessing import parent_process
from threading import Thread


def belong_to_the_parent() -> None:
    """Ctrl-C is the parent's, and a parent that was killed leaves no process that waits for more work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent) -> None:
    parent.join()
    os._exit(1)
