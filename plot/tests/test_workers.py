"""Work is shared by processes, and done by one where they can't: a container or a chroot without /dev/shm."""

import _multiprocessing
from pathlib import Path

import pytest

from gpufx_plot.archive.load import load
from gpufx_plot.call import workers
from gpufx_plot.cards.base import SEVERAL, boards
from gpufx_plot.cards.many_archives import verify
from gpufx_plot.showing.report.figures import draw_all


def no_semaphore(*_):
    raise PermissionError(13, "Permission denied")


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.setattr(_multiprocessing, "SemLock", no_semaphore)
    workers.can_share.cache_clear()
    yield
    workers.can_share.cache_clear()


def test_processes_share_work_where_they_can():
    assert workers.can_share()
    assert workers.at_most(1) == 1


def test_one_process_does_it_where_they_cannot(alone, h200):
    assert workers.at_most(16) == 1
    assert list(workers.shared(str.upper, ["a", "b"])) == ["A", "B"]
    assert verify([h200]) == (1, [])
    assert len(boards([Path("nowhere.jsonl.gz")] * SEVERAL)[1]) == SEVERAL
    assert list(draw_all([load(h200)], ["stencil"])) == ["stencil"]
