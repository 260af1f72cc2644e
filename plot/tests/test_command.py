"""The command line as a process: what it says and how it ends where it can't print, can't import or is stopped. What
forks hear of Ctrl-C, and work that one process does where several can't: without /dev/shm."""

import _multiprocessing
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import handed

from gpufx_plot import __main__ as command
from gpufx_plot.archive import load as archive
from gpufx_plot.call import workers
from gpufx_plot.call.arguments import read
from gpufx_plot.cards import read_archives
from gpufx_plot.cards.base import SEVERAL, boards
from gpufx_plot.showing.report import build as figures

PLOT = str(Path(__file__).resolve().parents[1])


def run(script: str, *arguments, **variables) -> subprocess.CompletedProcess:
    """Runs a shell line in which $@ is the command line of gpufx."""
    words = ["sh", "-c", script, "sh", sys.executable, "-m", "gpufx_plot", *handed(*arguments)]
    environment = os.environ | {"PYTHONPATH": PLOT} | variables
    return subprocess.run(words, capture_output=True, check=False, env=environment)


FULL = b"gpufx summary: standard output can't be written: No space left on device\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "status", "words"),
    [
        ('"$@" >/dev/full', 2, FULL),
        ('PYTHONUNBUFFERED=1 "$@" >/dev/full', 2, FULL),
        ('"$@" >&-', 2, b"gpufx summary: standard output is closed, so there is nowhere to print to\n"),
        ('"$@" >&- 2>&-', 2, b""),
        ('"$@"~ 2>/dev/full', 2, b""),
        ('{ "$@"; echo $? >&2; } | true', 0, b"0\n"),
    ],
)
def test_output_that_goes_nowhere(full, script, status, words):
    done = run(script, "summary", full)
    assert (done.returncode, done.stderr) == (status, words)


def test_a_name_in_no_encoding_is_printed():
    done = run('"$@"', "summary", os.fsdecode(b"/no/\xff.jsonl"), LC_ALL="C", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert done.stderr == b"gpufx summary: /no/?.jsonl: no such file\n"


def test_missing_packages_are_told_in_one_sentence(full, tmp_path):
    (tmp_path / "msgspec.py").write_text("raise ModuleNotFoundError('none', name='msgspec')")
    done = run('"$@"', "summary", full, PYTHONPATH=f"{tmp_path}:{PLOT}")
    assert done.returncode == 2
    assert b"Python packages are missing; start it with ./gpufx, which installs them" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_an_interrupt_has_a_status_and_no_traceback(monkeypatch, cli):
    def stop(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_summary", stop)
    assert cli("summary", "x") == (130, "", "")


def test_only_gpufx_knows_the_defaults():
    with pytest.raises(command.UserError, match="--margin is missing; start it through gpufx"):
        assert read(["summary", "x"]).margin
    call = read(["compare", "--margin", "2", "--strict", "yes", "--", "a", "--b"])
    assert (call.margin, call.has("--strict"), call.words) == (0.02, True, ["a", "--b"])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TypeError("one\ntwo"), "internal error, please report this line: TypeError in .*/.*:[0-9]+: one.two"),
        (RecursionError(), "internal error.* RecursionError in .*: no details"),
        (MemoryError(), "out of memory"),
    ],
)
def test_what_nobody_caught_is_a_sentence_and_no_answer(monkeypatch, capsys, error, said):
    """Status 1 would be one: `accept` fails a card by it."""
    import gpufx_validate.__main__ as validate

    import gpufx_plot.__main__ as program

    def fail(*words):
        raise error

    for module, name in ((program, "gpufx"), (validate, "gpufx validate")):
        monkeypatch.setattr(module, "_run", fail)
        assert module.main([]) == 2
        assert re.fullmatch(f"{name}: {said}\n", capsys.readouterr().err)


def test_no_is_told_in_the_number_that_gpufx_knows(monkeypatch):
    from gpufx_plot.call.stopping import leave

    for told, status, ended in (("101", 1, 101), ("101", 2, 2), ("101", 0, 0), (None, 1, 1)):
        monkeypatch.setenv("GPUFX_SAYS_NO", told) if told else monkeypatch.delenv("GPUFX_SAYS_NO")
        with pytest.raises(SystemExit) as left:
            leave(status)
        assert left.value.code == ended


# ---- Forks, and what they hear ----

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


# ---- Work that processes share ----


def no_semaphore(*_):
    raise PermissionError(13, "Permission denied")


@pytest.fixture
def alone(monkeypatch):
    importlib.import_module("multiprocessing.synchronize")  # which reads the true one
    monkeypatch.setattr(_multiprocessing, "SemLock", no_semaphore)
    workers.can_share.cache_clear()
    yield
    workers.can_share.cache_clear()


def test_processes_share_work_where_they_can():
    assert workers.can_share()
    assert workers.at_most(1) == 1


@pytest.mark.slow
def test_one_process_does_it_where_they_cannot(alone, h200):
    assert workers.at_most(16) == 1
    assert list(workers.shared(str.upper, ["a", "b"])) == ["A", "B"]
    assert [type(one) for one in read_archives.read([h200], False)] == [read_archives.Rows]
    assert len(boards([Path("nowhere.jsonl.gz")] * SEVERAL)[1]) == SEVERAL
    assert list(figures.draw_all([archive.load(h200)], ["stencil"])) == ["stencil"]
