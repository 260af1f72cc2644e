"""Work that several processes share, and how many may do so here."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from threading import Thread

from .. import UserError
from .stopping import held_back

MOST = 16
PARTS, MOST_OF_CHUNK = 64, 250  # of all items: who stops the work waits for what was begun

_work: list[Callable] = []  # what a fork does, which it has from its parent


@cache
def can_share() -> bool:
    """Processes that share work need a semaphore, and a container or chroot may have no /dev/shm for it."""
    try:
        from multiprocessing import Lock

        Lock()
    except (ImportError, OSError):
        return False
    return True


def at_most(wanted: int) -> int:
    """This many, but no more than there are processors, and this one alone where processes can't share work."""
    return min(wanted, len(os.sched_getaffinity(0))) if can_share() else 1


def shared(work: Callable, items: Sequence, most: int = MOST, least: int = 2) -> Iterator:
    """Call work(item) for each item, in their order: in forks, which share what was loaded, where there are `least`
    items or more. Raises what `work` raises."""
    workers = min(at_most(most), len(items))
    if workers < 2 or len(items) < least:
        yield from map(work, items)
        return
    _work.append(work)
    pool = ProcessPoolExecutor(workers, get_context("fork"), _belong_to_the_parent)
    try:
        with held_back():  # from processes that start, and have not yet heard that Ctrl-C is the parent's
            results = pool.map(_call, items, chunksize=max(1, min(len(items) // PARTS, MOST_OF_CHUNK)))
        yield from results
    except BrokenProcessPool:
        raise UserError("a process was killed, perhaps for lack of memory; start again") from None
    finally:
        _work.pop()
        pool.shutdown(cancel_futures=True)


def _call(item):
    return _work[-1](item)


def _belong_to_the_parent() -> None:
    """Ctrl-C is the parent's, and a parent that was killed leaves no process that waits for more work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent) -> None:
    parent.join()
    os._exit(1)
