"""The lean reader says the same as the one that knows everything, or leaves an archive to it."""

import random
from pathlib import Path

import pytest
from invent import archive_lines, case_line, run_line, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive import lean
from gpufx_plot.archive.load import Archive, load

pytestmark = pytest.mark.slow


def known(archive: Archive) -> dict:
    """All that spreads and claims are learnt from."""
    return {
        point.key: (
            *(point.probe, point.name, point.params, point.metric, point.unit, point.better, point.method_version),
            *(point.medians, [tuple(ends) if ends else None for ends in point.intervals], point.processes),
            *(point.useful_bytes, point.extras),
        )
        for point in archive.points
    }


def same(path: Path, probes=None) -> bool:
    whole, read = load(path, probes=probes), lean.load_lean(path, probes, True)
    about = [(a.run, a.measured, a.processes, a.usual_processes, a.incomplete) for a in (whole, read)]
    derived = all(
        point.derived.items() <= other.derived.items()
        for point, other in zip(read.points, ordered(read, whole), strict=True)
    )
    return known(whole) == known(read) and about[0] == about[1] and derived


def ordered(by: Archive, archive: Archive) -> list:
    points = {point.key: point for point in archive.points}
    return [points[point.key] for point in by.points]


@pytest.fixture
def alone(monkeypatch):
    """After this the other reader may not help."""

    def refuse(*_, **__):
        raise AssertionError("it was left to the reader that knows everything")

    monkeypatch.setattr(lean, "load", refuse)


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz"])
def test_it_says_the_same(tmp_path, suffix):
    assert same(write(tmp_path / f"x.{suffix}", archive_lines(3, n=3)))
    assert same(write(tmp_path / f"y.{suffix}", archive_lines(2, n=3)), {"null", "constant"})


def test_it_needs_no_help_with_plain_archives(tmp_path, alone):
    assert lean.load_lean(write(tmp_path / "x.jsonl", archive_lines(2, n=3))).points


def test_what_is_not_plain_is_left_to_the_other_reader(tmp_path):
    spec = {"sweep": "s", "params": {"case": "ü"}, "metric": ("access_ns", "ns", "gpu_ns")}
    case = case_line("null", spec, 0, [1.0, 2.0, 3.0])
    assert same(write(tmp_path / "text.jsonl", sealed([run_line(1), case])))
    plain = case_line("null", spec | {"params": {"case": "a"}}, 0, [1.0, 2.0, 3.0])
    again = [plain | {"repetition": i} if i else plain for i in range(3)]
    assert same(write(tmp_path / "again.jsonl", sealed([run_line(1), *again])))
    cut = write(tmp_path / "cut.jsonl", archive_lines(2, n=3))
    cut.write_bytes(cut.read_bytes()[:-30])
    assert same(cut)


def test_what_the_other_reader_refuses_it_refuses(tmp_path):
    rng, path = random.Random(3), tmp_path / "x.jsonl"
    whole = write(path, archive_lines(1, n=3, probes=("null", "constant"))).read_bytes()
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            load(path)
        except UserError:
            with pytest.raises(UserError):
                lean.load_lean(path)
        else:
            assert same(path)
