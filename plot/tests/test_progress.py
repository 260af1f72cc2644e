"""Progress: a line on a terminal of what takes long, gone at the end; nothing anywhere else."""

import os
import pty
import sys

import pytest

from gpufx_plot.call import terminal
from gpufx_plot.call.terminal import counted_off


class Tty:
    """Standard error as a terminal; what it was told comes back as text."""

    def __init__(self, monkeypatch):
        leader, follower = pty.openpty()
        self.leader = leader
        self.stream = os.fdopen(follower, "w")
        monkeypatch.setattr(sys, "stderr", self.stream)
        monkeypatch.setenv("TERM", "xterm")

    def text(self) -> str:
        self.stream.write("END")
        self.stream.flush()
        said = ""
        while not said.endswith("END"):
            said += os.read(self.leader, 4096).decode()
        return said.removesuffix("END")


@pytest.fixture
def tty(monkeypatch):
    """A function that opens one: pytest sets its own standard error between a fixture and its test."""
    monkeypatch.setattr(terminal, "QUIET_S", -1.0)
    return lambda: Tty(monkeypatch)


def test_it_is_gone_after_a_failure(tty):
    screen = tty()
    with pytest.raises(ZeroDivisionError):
        list(counted_off("reading", (1 // n for n in (1, 0)), 2))
    assert screen.text() == "\rreading  50 %\x1b[K\r\x1b[K"


@pytest.mark.parametrize(("quiet_s", "term"), [(3600, "xterm"), (-1.0, "dumb")])
def test_what_is_quick_says_nothing_nor_does_a_dumb_terminal(tty, monkeypatch, quiet_s, term):
    monkeypatch.setattr(terminal, "QUIET_S", quiet_s)
    screen = tty()
    monkeypatch.setenv("TERM", term)
    list(counted_off("drawing", "ab", 2))
    assert screen.text() == ""


def test_nothing_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "QUIET_S", -1.0)
    list(counted_off("drawing", "ab", 2))
    assert capsys.readouterr() == ("", "")
