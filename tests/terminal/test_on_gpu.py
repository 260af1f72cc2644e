"""on_gpu.py, which is for a machine with a GPU, on the synthetic device."""

import json
import subprocess
import sys

import pytest
import stage
from commands import HERE


def run(*words: str, **settings: str) -> subprocess.CompletedProcess:
    here = stage.environment(stage.TREE) | settings
    return subprocess.run(
        [sys.executable, HERE / "on_gpu.py", *words], capture_output=True, text=True, check=False, env=here
    )


def test_the_list_has_what_people_come_for():
    listed = run("--list").stdout
    for command in ("characterize ", "accept ", "compare latest~1 latest", "explain -- ./app", "pattern --tile"):
        assert f"./gpufx {command}" in listed


@pytest.mark.parametrize("only", ["summary h200|git", "accept"])
def test_a_table_and_transcripts_are_written(tmp_path, only):
    tree = tmp_path / "typed"
    stage.make(tree)
    done = run("--tree", str(tree), "--only", only, **stage.environment(tree))
    rows = json.loads((tree / "out/terminal/table.json").read_text())
    assert done.returncode == 0, done.stdout
    assert done.stdout == (tree / "out/terminal/table.txt").read_text()
    for number, row in enumerate(rows, start=1):
        assert row["command"] in done.stdout
        assert (row["status"] is None) == row["first_line"].startswith("left out: ")
        assert (tree / f"out/terminal/{number:02}.txt").exists() == (row["status"] is not None)


def test_a_wrong_status_is_told(tmp_path):
    tree = tmp_path / "typed"
    stage.make(tree)
    (tree / "gpufx").write_text("#!/bin/sh\necho '[ 10 %] drawing'; exit 1\n")
    done = run("--tree", str(tree), "--only", "summary h200", **stage.environment(tree))
    assert done.returncode == 1
    assert "not 0" in done.stdout
    assert "progress is left" in done.stdout
