"""Cards whose archives left the tree."""

import gzip
import json

import pytest

from gpufx_plot import UserError
from gpufx_plot.archive.file import archives_in
from gpufx_plot.call.program import root
from gpufx_plot.cards.base import boards
from gpufx_plot.cards.board import board
from gpufx_plot.cards.kept import FOLDER, file_of, is_kept, keep, kept_in


def test_a_kept_card_is_read_as_its_archive_is(h200, tmp_path):
    (tmp_path / "results").mkdir()
    keep(tmp_path, [h200])
    keep(tmp_path, [h200])  # again: in its place
    file = file_of(tmp_path, "nvidia-h200")
    assert is_kept(file)
    (kept,), unread = boards([file])
    whole = board(h200)
    assert not unread
    assert kept.path.name == h200.name
    for name in ("id", "card", "figures", "missing", "definitions", "of_host", "part_number", "cases"):
        assert getattr(kept, name) == getattr(whole, name), name


def test_it_is_data_from_a_stranger(h200, tmp_path):
    (tmp_path / "results/kept").mkdir(parents=True)
    file = file_of(tmp_path, "nvidia-h200")
    keep(tmp_path, [h200])
    good = gzip.decompress(file.read_bytes())
    for bad in (b"{}\n", b'{"path": "a", "id": 5}\n', b"\xff\n"):
        file.write_bytes(gzip.compress(bad + good))
        found, unread = boards([file])
        assert len(found) == 1
        assert len(unread) == 1
        assert str(file.parent) in unread[0]
    file.write_bytes(gzip.compress(good)[:-20])
    assert [type(one) for one in kept_in(file)] == [str]


def test_what_is_no_whole_archive_of_a_card_is_not_kept(full, tmp_path):
    (tmp_path / "results").mkdir()
    with pytest.raises(UserError, match="not a complete archive of a card"):
        keep(tmp_path, [full])


def test_what_the_tree_keeps_can_be_read():
    files = sorted((root() / FOLDER).glob("*"))
    for file in files:
        _, unread = boards([file])
        assert not unread


def test_folders_of_others_hold_no_archive(tmp_path):
    others = json.loads((root() / "tests/vectors/nearest_archive.json").read_text())["folders_of_others"]
    for folder in (*others, "sm_90"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.jsonl.gz").touch()
    assert [path.parent.name for path in archives_in(tmp_path)] == ["sm_90"]


def test_kept_cards_are_known_by_their_machine_code_whatever_the_kernels_are_called(h200):
    """Those in the tree were kept with the kernels' names."""
    figures = board(h200).figures
    kept = [one for one in kept_in(file_of(root(), "nvidia-h200")) if not isinstance(one, str)]
    same = [one.figures["dram.read_rate"].code == figures["dram.read_rate"].code for one in kept]
    assert any(same) and all({len(of) for of in one.figures["dram.read_rate"].code} == {5} for one in kept)
