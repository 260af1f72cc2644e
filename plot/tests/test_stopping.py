"""What processes that listen for Ctrl-C hand on to their forks."""

import subprocess
import sys

FORKED = """
import os, signal, sys
from gpufx_plot.call.stopping import Asked
Asked().listen()
child = os.fork()
if not child:
    os._exit(sum(signal.getsignal(number) is signal.SIG_DFL for number in (signal.SIGINT, signal.SIGTERM)))
sys.exit(10 * os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + (signal.getsignal(signal.SIGTERM) != signal.SIG_DFL))
"""


def test_a_fork_ends_by_the_first_signal():
    """Two handlers are the default there, and its parent still listens."""
    done = subprocess.run([sys.executable, "-P", "-c", FORKED], check=False)
    assert done.returncode == 21


def test_what_is_ignored_stays_ignored():
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + FORKED
    done = subprocess.run([sys.executable, "-P", "-c", ignoring], check=False)
    assert done.returncode == 11
