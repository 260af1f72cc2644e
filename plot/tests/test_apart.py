"""Work in a process of its own: how it says that this process ended."""

import faulthandler
import os
import signal

import pytest

from gpufx_plot import UserError
from gpufx_plot.call.apart import apart

MUCH = "it needs more memory"


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "ended by signal SIGSEGV$"),
        (lambda: os.kill(os.getpid(), signal.SIGABRT), f"ended by signal SIGABRT: {MUCH}$"),
        (lambda: os._exit(7), "ended by status 7$"),
    ],
)
def test_a_crash_is_named(end, words):
    def work():
        yield 1
        faulthandler.disable()
        end()

    with apart(work, 1 << 40, MUCH) as found:
        assert next(found) == 1
        with pytest.raises(UserError, match=words):
            next(found)


def test_too_little_memory_is_said():
    def work():
        raise MemoryError
        yield

    with apart(work, 1 << 40, MUCH) as found, pytest.raises(UserError, match=f"^{MUCH}$"):
        next(found)
