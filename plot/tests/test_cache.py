"""What is kept of an archive is what would be computed, and whatever else lies in its folder counts for nothing."""

import os

import pytest

from gpufx_plot import UserError
from gpufx_plot.archive import load as loading
from gpufx_plot.call import cache
from gpufx_plot.chip import inference
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.report import build as figures


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache._folder.cache_clear()
    yield tmp_path / "cache" / "gpufx"
    cache._folder.cache_clear()


def kept(value, kind="kind", parts=(b"a",), of=list[int]):
    """What it gives, and whether it was computed."""
    asked = []
    return cache.kept(kind, parts, of, lambda: asked.append(1) or value), bool(asked)


def test_it_is_computed_once_and_again_where_anything_else_is_asked(folder, monkeypatch):
    assert kept([1]) == ([1], True)
    assert kept([2]) == ([1], False)
    assert kept([2], kind="other") == ([2], True)
    assert kept([3], parts=(b"", b"a")) == ([3], True)
    monkeypatch.setattr(cache, "_program", lambda: b"another version")
    assert kept([4]) == ([4], True)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b[:10], lambda b: b"", lambda b: b[:-1] + b"\x07"])
def test_what_was_cut_off_or_changed_counts_for_nothing(folder, change):
    kept([1])
    (entry,) = folder.iterdir()
    entry.write_bytes(change(entry.read_bytes()))
    assert kept([2]) == ([2], True)
    assert kept([3]) == ([2], False)


def test_an_entry_under_another_name_or_of_another_type_counts_for_nothing(folder):
    kept([1])
    (entry,) = folder.iterdir()
    kept([2], parts=(b"b",))
    (other,) = {*folder.iterdir()} - {entry}
    other.write_bytes(entry.read_bytes())
    assert kept([3], parts=(b"b",)) == ([3], True)
    assert kept("x", of=str) == ("x", True)


def test_without_a_folder_of_ones_own_nothing_is_kept(folder, tmp_path, monkeypatch):
    folder.parent.mkdir()
    for home in (tmp_path / "file" / "below", "/dev/null", "/proc/nowhere"):
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        cache._folder.cache_clear()
        assert not cache.available()
        assert kept([1]) == ([1], True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)  # others could write here
    cache._folder.cache_clear()
    assert kept([1]) == ([1], True)
    assert not [*folder.iterdir()]


def test_what_was_used_last_stays(folder, monkeypatch):
    kept([0], parts=(b"\0",))
    monkeypatch.setattr(cache, "SWEEPS", 256)
    monkeypatch.setattr(cache, "MOST_BYTES", 3 * next(folder.iterdir()).stat().st_size)
    for i in range(3):
        kept([i], parts=(bytes([i]),))
        os.utime(max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns), (i, i))
    kept([0], parts=(b"\0",))  # is used
    kept([9], parts=(b"9",))
    assert kept([5], parts=(b"\0",)) == ([0], False)
    assert kept([5], parts=(b"\1",)) == ([5], True)
    monkeypatch.setattr(cache, "MOST_BYTES", 10)
    kept([7], parts=(b"7",))
    assert not [*folder.iterdir()]


def test_what_has_no_plain_form_is_computed(folder):
    assert kept({1 << 70: 2}, of=dict) == ({1 << 70: 2}, True)
    assert not [*folder.iterdir()]


def test_an_error_is_raised_each_time(folder):
    def no():
        raise UserError("no")

    for _ in range(2):
        with pytest.raises(UserError, match="no"):
            cache.kept("kind", (b"a",), list[int], no)


# ---- Archives ----


def differences(one, other) -> list[str]:
    return [name for name in one.__dataclass_fields__ if name != "sum" and getattr(one, name) != getattr(other, name)]


@pytest.mark.slow
def test_an_archive_and_its_quantities_are_the_same_from_the_cache(folder, h200, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    cache._folder.cache_clear()
    fresh = loading.load(h200)
    found = infer(fresh)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    cache._folder.cache_clear()
    first, told = loading.load(h200), infer(loading.load(h200))
    monkeypatch.setattr(loading, "_read", None)  # as of now nothing is read or inferred
    monkeypatch.setattr(inference, "inferred", None)
    again = loading.load(h200)
    assert not fresh.sum and first.sum == again.sum
    assert "points" not in vars(again)  # until somebody asks
    assert not differences(fresh, first) + differences(fresh, again)
    assert {type(point.value) for point in again.points} == {float}
    assert [point.derived for point in again.points] == [point.derived for point in fresh.points]
    assert found == told == infer(again)
    assert repr(found) == repr(infer(again))


@pytest.mark.slow
def test_a_picture_is_drawn_once(folder, h100, monkeypatch):
    def drawn() -> dict:
        return figures.draw_all([loading.load(h100)], ["clock_and_power", "launch"])

    first = drawn()
    assert [*first] == ["clock_and_power", "launch"]
    monkeypatch.setattr(figures, "_draw", None)
    assert drawn() == first
