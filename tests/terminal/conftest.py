"""Folders to type in: each test has its own."""

import fcntl
import shutil
from pathlib import Path

import pytest
import stage


@pytest.fixture(scope="session")
def made(tmp_path_factory, worker_id) -> Path:
    """Once for all workers."""
    top = tmp_path_factory.getbasetemp()
    folder = (top if worker_id == "master" else top.parent) / "stage"
    with (folder.parent / "stage.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            stage.make(folder)
            stage.furnish(folder)
    return folder


@pytest.fixture
def folder(made, tmp_path) -> Path:
    return stage.copied(made, tmp_path / "typed")
