"""Work in a process of its own, for libraries that hear of no signal, take what memory they get, or end the process
when they fail: it takes so much memory and no more, and it is gone, with its temporary files, when the caller is."""

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from threading import Thread

from .. import UserError


def belong_to_the_parent(folder: str | None = None) -> None:
    """Ctrl-C is the parent's, and one that was killed leaves no process that waits for more work for ever, nor a folder
    of temporary files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent_process(), folder), daemon=True).start()


def _end_with(parent, folder: str | None) -> None:
    parent.join()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


@contextmanager
def apart(work: Callable[[], Iterable], memory_bytes: int, too_much: str) -> Iterator[Iterator]:
    """What the work gives, one by one. Raises what it raises, UserError(too_much) where memory was not enough, and
    UserError with the signal or status of a process that ended otherwise."""
    context = get_context("fork")
    with tempfile.TemporaryDirectory(prefix="gpufx-") as folder:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_do, args=(work, here, there, folder, memory_bytes))
        child.start()
        there.close()
        try:
            yield _given(here, child, too_much)
        finally:
            child.kill()
            child.join()


def _given(here: Connection, child, too_much: str) -> Iterator:
    try:
        while not isinstance(one := here.recv(), Exception):
            yield one
    except EOFError:
        child.join()
        if child.exitcode:
            raise UserError(_ended(child.exitcode, too_much)) from None
        return
    raise UserError(too_much) if isinstance(one, MemoryError) else one


def _ended(status: int, too_much: str) -> str:
    """Of a process that ended without a word. Some libraries abort where they get no memory, and the system kills."""
    how = f"signal {signal.Signals(-status).name}" if -status in set(signal.Signals) else f"status {status}"
    told = f"the subprocess that should answer was ended by {how}"
    return f"{told}: {too_much}" if -status in (signal.SIGABRT, signal.SIGKILL) else told


def _do(work: Callable[[], Iterable], here: Connection, there: Connection, folder: str, memory_bytes: int) -> None:
    belong_to_the_parent(folder)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the parent ends it, also where `timeout` tells both
    here.close()
    tempfile.tempdir = folder
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    try:
        for one in work():
            there.send(one)
    except Exception as error:  # the parent's to tell
        there.send(error)
