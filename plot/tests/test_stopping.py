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


ECHO = """
import signal
from gpufx_plot.call.stopping import Asked
asked = Asked()
asked.listen()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    signal.raise_signal(signal.SIGINT)  # its echo: what was begun is still tidied up
    print("tidied up", flush=True)
    asked.since -= 60
    signal.raise_signal(signal.SIGINT)
print("not reached")
"""


def test_an_echo_of_ctrl_c_is_not_a_second_one():
    done = subprocess.run([sys.executable, "-P", "-c", ECHO], check=False, capture_output=True, text=True)
    assert done.returncode < 0 or done.returncode == 130
    assert done.stdout == "tidied up\n"
