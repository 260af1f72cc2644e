"""From what a user types to a file."""

import json
import os

import pytest
from invent import NS, case_line, run_line, sealed, write

from gpufx_plot import UserError, names
from gpufx_plot.names import resolve

ARCHIVES = {
    "results/sm_90/nvidia-h200/a.jsonl": ("NVIDIA H200", "sm_90", "measured", "2021-11-01", "aaaa0001"),
    "results/sm_90/nvidia-h200/b.jsonl": ("NVIDIA H200", "sm_90", "measured", "2021-11-03", "bbbb0002"),
    "results/sm_90/nvidia-h100-pcie/c.jsonl": ("NVIDIA H100 PCIe", "sm_90", "measured", "2021-11-04", "cccc0003"),
    "results/sm_89/nvidia-l4/d.jsonl": ("NVIDIA L4", "sm_89", "measured", "2021-10-01", "dddd0004"),
    "out/synthetic/e.jsonl": ("Synthetic H200", "sm_90", "synthetic", "2021-11-05", "eeee0005"),
    "out/toy/f.jsonl": ("Toy 16", "sm_00", "synthetic", "2021-09-05", "ffff0006"),
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
        write(path, [run_line(1, started_utc="2021-12-01T00:00:00Z", run_id=f"0000000{index}")])
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
    said = capsys.readouterr().err
    assert said.startswith("note: nvidia: taking ")
    assert said.endswith("(nvidia-h100-pcie, 2021-11-04T00:00:00Z), which fits 4 archives, the newest\n")


def test_what_is_no_regular_file_is_left_out_of_searches_and_refused_by_name(root):
    """A FIFO would be waited for, and /dev/zero has a first line without an end."""
    os.mkfifo(root / "out/pipe.jsonl")
    (root / "out/zero.jsonl").symlink_to("/dev/zero")
    (root / "out/deep.jsonl").write_text("[" * 100_000)
    (root / "out/long.jsonl").write_text(" " * (2 << 20) + "{}\n")
    assert resolve("latest").stem == "e"
    with pytest.raises(UserError, match="neither a file nor a pipe"):
        resolve(str(root / "out/zero.jsonl"))
    assert resolve(str(root / "out/pipe.jsonl")).stem == "pipe"  # by name it is meant, and waited for


def test_complete_archives_go_before_others_and_what_was_taken_is_said(root, capsys):
    new = {"name": "NVIDIA L40S", "arch": "sm_89", "provenance": "measured"}
    first, second = (f"2021-11-{day}T00:00:00Z" for day in ("08", "09"))
    write(root / "out/g.jsonl.gz", sealed([run_line(1, started_utc=first, run_id="99990000", **new)]))
    cut = write(root / "out/h.jsonl", [run_line(1, started_utc=second, run_id="99990001", **new)])
    assert resolve("latest").name == "g.jsonl.gz"
    said = capsys.readouterr().err
    assert said.startswith("note: latest: taking ")
    assert said.endswith(
        "out/g.jsonl.gz (nvidia-l40s, 2021-11-08T00:00:00Z), passing over 1 newer that is incomplete\n"
    )
    assert resolve("l40s").name == "g.jsonl.gz"
    assert resolve(str(root / "out")).name == "g.jsonl.gz"
    interrupted = sealed([run_line(1, started_utc=second, run_id="99990001", **new)], complete=False, reason="io")
    write(cut, interrupted)
    assert resolve("l40s").name == "g.jsonl.gz"
    write(cut, sealed(interrupted))
    capsys.readouterr()
    assert resolve("l40s").name == "h.jsonl"
    assert capsys.readouterr().err == ""


def test_a_date_that_is_still_to_come_is_not_the_latest(root):
    write(root / "out/z.jsonl", sealed([run_line(1, started_utc="9999-12-31T00:00:00Z", run_id="eeee9999")]))
    write(root / "out/y.jsonl", sealed([run_line(1, started_utc="2021-11-06T00:00:00Z", run_id="eeee9998")]))
    assert resolve("latest").stem == "y"
    assert resolve("eeee9999").stem == "z"


def test_an_archive_and_its_compressed_copy_are_one(root):
    lines = sealed([run_line(1, started_utc="2021-11-06T00:00:00Z", run_id="eeee9998")])
    write(root / "out/y.jsonl", lines)
    write(root / "out/y.jsonl.gz", lines)
    assert resolve("latest").name.startswith("y.")
    assert resolve("latest~1").stem != "y"


def test_a_search_reads_first_lines_alone(root, monkeypatch):
    """Of ten archives with many cases, a few KB each are read, and of the one that is taken the end."""
    case = case_line("null", {"sweep": "s", "params": {}, "metric": ("overhead_ns", *NS)}, 0, [1.0])
    for i in range(10):
        head = run_line(1, started_utc=f"2021-11-07T00:00:0{i}Z", run_id=f"0000000{i}")
        write(root / f"out/{i}.jsonl", sealed([head, *(case | {"process": p} for p in range(400))]))
    read = []
    monkeypatch.setattr(
        names.json, "loads", lambda text: read.append(len(text)) or json.JSONDecoder().decode(text.decode())
    )
    monkeypatch.setattr(names, "lines_of", None)
    assert resolve("latest").stem == "9"
    assert sum(read) < 17 * 8192


def test_a_file_system_is_not_walked(tmp_path, monkeypatch):
    monkeypatch.setattr(names, "MOST_ENTRIES", 200)
    for i in range(30):
        for j in range(10):
            (tmp_path / f"{i}" / f"{j}").mkdir(parents=True)
    with pytest.raises(UserError, match="over 200 files lie here; name the archive's own folder"):
        resolve(str(tmp_path))
    deep = tmp_path / "0" / "deep" / "a/b/c/d/e/f"
    write(deep / "x.jsonl", [run_line()])
    with pytest.raises(UserError, match="no archive in this folder"):
        resolve(str(tmp_path / "0"))


def test_unknown_names_end_with_status_2(root, cli):
    status, out, err = cli("summary", "h20o")
    assert (status, out) == (2, "")
    assert err.startswith("gpufx summary: no archive is called 'h20o'; did you mean")
