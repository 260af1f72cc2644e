"""From what a user types to a file."""

import os

import pytest
from invent import run_line, write

from gpufx_plot import UserError
from gpufx_plot.names import resolve

ARCHIVES = {
    "results/sm_90/nvidia-h200/a.jsonl": ("NVIDIA H200", "sm_90", "measured", "2026-11-01", "aaaa0001"),
    "results/sm_90/nvidia-h200/b.jsonl": ("NVIDIA H200", "sm_90", "measured", "2026-11-03", "bbbb0002"),
    "results/sm_90/nvidia-h100-pcie/c.jsonl": ("NVIDIA H100 PCIe", "sm_90", "measured", "2026-11-04", "cccc0003"),
    "results/sm_89/nvidia-l4/d.jsonl": ("NVIDIA L4", "sm_89", "measured", "2026-10-01", "dddd0004"),
    "out/synthetic/e.jsonl": ("Synthetic H200", "sm_90", "synthetic", "2026-11-05", "eeee0005"),
    "out/toy/f.jsonl": ("Toy 16", "sm_00", "synthetic", "2026-09-05", "ffff0006"),
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    for path, (name, arch, provenance, day, run_id) in ARCHIVES.items():
        run = {"name": name, "arch": arch, "provenance": provenance, "run_id": run_id}
        write(tmp_path / path, [run_line(1, started_utc=f"{day}T00:00:00Z", **run)])
    write(tmp_path / "results/published/published.jsonl", [{"gpu": "H200"}])
    (tmp_path / "results/strange.jsonl").write_bytes(b"\xff\n")
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("latest", "e"),
        ("latest~1", "c"),
        ("h200", "b"),
        ("H200", "b"),
        ("h200~1", "a"),
        ("nvidia-h200", "b"),
        ("sm_90", "c"),
        ("sm_89", "d"),
        ("toy", "f"),
        ("aaaa", "a"),
        ("eeee0005", "e"),
        ("toy/f.jsonl", "f"),
        ("../results", "c"),
        ("../results/sm_90/nvidia-h200", "b"),
    ],
)
def test_names(root, name, file):
    assert resolve(name).resolve().stem == file


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("h20o", "did you mean"),
        ("sm_91", "sm_90"),
        ("h200~7", "there are only 2 archives of that name"),
        ("no/such.jsonl", "there is no such file or folder"),
        ("such.jsonl", "there is no such file or folder"),
        ("", "an empty name"),
    ],
)
def test_unknown_names(root, name, words):
    with pytest.raises(UserError, match=words):
        resolve(name)


def test_archives_of_one_second_stand_in_the_order_in_which_they_were_written(root):
    paths = [root / f"out/{name}.jsonl" for name in ("z", "a", "m")]
    for index, path in enumerate(paths):
        write(path, [run_line(1, started_utc="2026-12-01T00:00:00Z", run_id=f"0000000{index}")])
        os.utime(path, ns=(0, 1_700_000_000_000_000_000 + index))
    assert [resolve(f"latest~{back}") for back in range(3)] == paths[::-1]
    assert resolve(str(root / "out")) == paths[-1]


def test_an_empty_folder_and_an_empty_project(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    with pytest.raises(UserError, match="no archive in this folder"):
        resolve(str(tmp_path))
    with pytest.raises(UserError, match="run `gpufx characterize` first"):
        resolve("latest")


def test_a_name_that_fits_several_devices_says_which_it_took(root, capsys):
    resolve("nvidia")
    assert "note: nvidia fits 4 archives, taking the newest" in capsys.readouterr().err


def test_what_is_no_regular_file_is_left_out_of_searches_and_refused_by_name(root):
    """A FIFO would be waited for, and /dev/zero has a first line without an end."""
    os.mkfifo(root / "out/pipe.jsonl")
    (root / "out/zero.jsonl").symlink_to("/dev/zero")
    (root / "out/deep.jsonl").write_text("[" * 100_000)
    (root / "out/long.jsonl").write_text(" " * (2 << 20) + "{}\n")
    assert resolve("latest").stem == "e"
    for name in ("pipe", "zero"):
        with pytest.raises(UserError, match="no regular file"):
            resolve(str(root / f"out/{name}.jsonl"))


def test_unknown_names_end_with_status_2(root, cli):
    status, out, err = cli("summary", "h20o")
    assert (status, out) == (2, "")
    assert err.startswith("gpufx summary: no archive is called 'h20o'; did you mean")
