"""Files are written in one way: what stands there decides, nobody sees half of one, and nothing is left behind."""

import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import vectors

from gpufx_plot import UserError
from gpufx_plot.call import output

PLOT = str(Path(output.__file__).parents[2])
OLD, NEW = b"the old file", b"the new file" * 1000


def test_a_new_file_and_a_replaced_one(tmp_path):
    path = tmp_path / "x"
    output.write(path, OLD)
    assert path.read_bytes() == OLD
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()
    path.chmod(0o640)
    output.write(path, NEW)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("case", vectors("output.json"), ids=str)
def test_what_stands_there_decides(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(OLD)
    Path("folder").mkdir()
    Path("link").symlink_to("file")
    Path("dangling").symlink_to("nowhere")
    if case["refused"]:
        before = {path: path.lstat()[:7] + path.lstat()[8:] for path in Path().rglob("*")}  # but when it was read
        with pytest.raises(UserError, match=re.escape(case["refused"])):
            output.write(case["path"], NEW)
        assert {path: path.lstat()[:7] + path.lstat()[8:] for path in Path().rglob("*")} == before
        assert Path("file").read_bytes() == OLD
    else:
        output.write(case["path"], NEW)
        assert Path(case["path"]).read_bytes() == NEW


def test_a_pipe_and_a_link_to_a_device_are_written_as_they_are(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    output.write(pipe, NEW)
    reader.join()
    assert got == [NEW]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    output.write(link, NEW)
    assert link.is_symlink()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(UserError, match=r"'/dev/full' can't be written: No space left on device; choose another place"):
        output.write("/dev/full", NEW)


@pytest.mark.parametrize("step", ["fsync", "fchmod", "replace"])
def test_after_a_failure_the_old_file_stands_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "x"
    path.write_bytes(OLD)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.os, step, fail)
    with pytest.raises(UserError, match="No space left on device"):
        output.write(path, NEW)
    assert path.read_bytes() == OLD
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import sys
from gpufx_plot import __main__ as command
from gpufx_plot.call import output
def slow(stream, content):
    stream.write(content)
    print("in the middle", flush=True)
    import time
    time.sleep(60)
output._put = slow
command._run = lambda _: output.write(sys.argv[1], b"half")
sys.exit(command.main([]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_in_the_middle_leaves_nothing(tmp_path, number, status):
    words = [sys.executable, "-c", KILLED, str(tmp_path / "x")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": PLOT}) as process:
        assert process.stdout.readline() == b"in the middle\n"
        time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(30) == status
    assert list(tmp_path.iterdir()) == []


def test_there_is_no_other_way_to_write():
    """In the sources of gpufx_plot."""
    allowed = {"output.py", "parquet.py"}  # lines in a folder of its own
    writing = re.compile(r"""open\([^)]*["'][wax]b?["']|\.write_text\(|\.write_bytes\(|\.savefig\(""")
    found = [
        f"{path.name}: {match[0]}"
        for path in Path(output.__file__).parents[1].rglob("*.py")
        if path.name not in allowed and (match := writing.search(path.read_text(encoding="utf-8")))
    ]
    assert found == []
    assert writing.search('path.open("wb")')
