"""Many archives as four files of Parquet: each archive once, what can't be used is named and holds up nothing, what a
stranger's files can do; archives listed and verified."""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from invent import archive_lines, packed, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.cards import parquet
from gpufx_plot.cards.table_columns import TABLES
from gpufx_plot.chip.quantities import infer

pytestmark = pytest.mark.slow  # test_sheet_formats and test_fleet_report write and read such tables, too
PROBES = ("null", "constant")


def lines(card: int, **run) -> list[dict]:
    """An archive of a card, one of each per minute."""
    made = archive_lines(2, card, probes=PROBES, n=3, every=8, run_id=f"{card:08x}", **run)
    made[0]["device"]["uuid"] = f"GPU-{card % 3:08x}"
    made[0]["started_utc"] = run.get("started_utc", f"2026-10-20T10:{card:02}:00Z")
    return sealed(made)


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """Archives, and their tables: each test has a copy of its own."""
    place = tmp_path_factory.mktemp("made")
    for card in range(4):
        write(place / "in" / f"{card}.jsonl{'.gz' if card % 2 else ''}", lines(card))
    export(place / "in", place / "tables")
    return place


@pytest.fixture
def folder(made, tmp_path) -> Path:
    return shutil.copytree(made / "in", tmp_path / "in")


@pytest.fixture
def tables(made, tmp_path) -> Path:
    return shutil.copytree(made / "tables", tmp_path / "tables")


def export(place: Path, target: Path) -> tuple[int, list]:
    return parquet.export([place], target)


def rows(folder: Path, sql: str) -> list[tuple]:
    with duckdb.connect(config={"file_search_path": str(folder)}) as database:
        for table in TABLES:
            file = str(folder / f"{table}.parquet").replace("'", "''").replace("[", "[[]")
            database.execute(f"CREATE VIEW {table} AS FROM read_parquet('{file}')")
        return database.execute(sql).fetchall()


def count(folder: Path) -> int:
    return rows(folder, "SELECT count(*) FROM archives")[0][0]


# ---- What is in them ----


def test_the_rows_are_those_of_the_archives(folder, tables):
    archive = load(folder / "0.jsonl")
    mine = "archive = '20261020T100000Z-00000000'"
    cases = rows(tables, f"SELECT name, process, value, low, high FROM cases WHERE {mine} ORDER BY ALL")
    assert cases == sorted(
        (p.name, process, p.medians[i], *p.intervals[i])
        for p in archive.points
        for i, process in enumerate(p.processes)
    )
    sql = f"SELECT quantity, value, low, high, reason FROM quantities WHERE {mine} ORDER BY quantity"
    known = [(q.id, *((e.value, e.low, e.high) if (e := q.estimate) else (None,) * 3), q.reason or None)
             for q in infer(archive)]  # fmt: skip
    assert rows(tables, sql) == known
    one = rows(tables, f"SELECT card, device, arch, cases, complete FROM archives WHERE {mine}")
    assert one == [("GPU-00000000", "nvidia-h200", "sm_90", len(cases), True)]


def test_the_law_the_clocks_and_the_flags_of_a_case_are_there(h200, tmp_path):
    export(h200, tmp_path / "t")
    wanted = next(p for p in load(h200).points if p.law and p.flags)
    sql = (
        "SELECT DISTINCT law, count, in_fit, metric, unit, better FROM cases "
        f"WHERE name = '{wanted.name}' AND sm_clock_MHz > 0 AND power_W > 0 AND temperature_C > 0"
    )
    assert rows(tmp_path / "t", sql) == [
        (wanted.law, wanted.count, wanted.in_fit, wanted.metric, wanted.unit, wanted.better)
    ]
    (flags,) = rows(tmp_path / "t", f"SELECT DISTINCT unnest(flags) FROM cases WHERE name = '{wanted.name}'")[0]
    assert flags in wanted.flags


def test_all_columns_are_in_the_page():
    page = (Path(__file__).resolve().parents[2] / "docs" / "queries.md").read_text(encoding="utf-8")
    for name in {name for columns in TABLES.values() for name in columns}:
        assert f"`{name}`" in page


def test_a_folder_is_written_over_as_a_whole(folder, tables, cli):
    assert sorted(path.name for path in tables.iterdir()) == [f"{name}.parquet" for name in sorted(TABLES)]
    status, said, _ = cli("export", folder / "0.jsonl", "--format", "parquet", "--output", tables)
    assert (status, said) == (0, f"1 archive\nParquet: {tables} (archives, quantities, cases, fits)\n")
    assert count(tables) == 1
    assert sorted(path.name for path in tables.iterdir()) == [f"{name}.parquet" for name in sorted(TABLES)]


def test_export_says_what_is_missing(folder, tmp_path, cli):
    assert "name a folder with --output" in cli("export", folder, "--format", "parquet")[2]
    wrong = cli("export", folder, "--format", "parquet", "--by", "case", "--output", tmp_path / "t")[2]
    assert wrong == "gpufx export: --format parquet writes them all; leave out --by\n"
    wrong = cli("export", folder / "0.jsonl", folder / "2.jsonl", "--format", "csv")[2]
    assert "--format csv takes one archive; `gpufx sheet A B --format csv` has the quantities of several" in wrong


# ---- Each archive once ----


def test_a_report_reads_the_newest_archives_of_each_card_and_an_export_all(tmp_path, cli):
    for night in range(11):
        write(tmp_path / "in" / f"{night}.jsonl", lines(3 * night))  # of one card
    write(tmp_path / "in" / "wrong-clock.jsonl", lines(33, started_utc="2199-01-01T00:00:00Z"))
    write(tmp_path / "in" / "another.jsonl", lines(1))
    said = cli("fleet report", tmp_path / "in", "--format", "json")
    chip = json.loads(said[1])["chips"][0]
    assert (chip["archives"], len(chip["cards"])) == (9, 2) and "4 older ones left out" in said[2]
    assert chip["cards"][0]["archive"].endswith("/10.jsonl")
    assert export(tmp_path / "in", tmp_path / "t")[0] == 13


def test_a_copy_counts_once(folder, tmp_path):
    write(folder / "copy" / "of-2.jsonl.gz", lines(2))
    archives, refused = export(folder, tmp_path / "t")
    assert (archives, refused, count(tmp_path / "t")) == (4, [], 4)
    unique = "SELECT count(*) = count(DISTINCT (archive, process, name)) FROM cases"
    assert rows(tmp_path / "t", unique) == [(True,)]


def test_two_archives_of_one_id_are_told_apart(folder, tmp_path):
    other = lines(1)
    other[1]["elapsed_s"] += 1
    write(folder / "z.jsonl", sealed(other))
    archives, refused = export(folder, tmp_path / "t")
    assert (archives, len(refused)) == (4, 1)
    assert re.fullmatch(".*: another archive has the same id and time, but other cases", refused[0].text())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty|the compressed file is truncated"),
        (packed(lines(7)[:-1]), "it has no end line"),
        (packed(lines(5)).replace(b'"began_s": ', b'"began_s": 1', 1), "the checksum"),
        (packed(sealed([lines(5)[0] | {"started_utc": "2026-02-31T10:00:00Z"}, *lines(5)[1:]])), "no|time"),
    ],
)
def test_what_is_no_archive_is_named_and_holds_up_nothing(folder, tmp_path, cli, content, reason):
    (folder / "bad.jsonl").write_bytes(content)
    status, said, wrong = cli("export", folder, "--format", "parquet", "--output", tmp_path / "t")
    assert (status, said.splitlines()[0]) == (1, "4 archives, 1 left out")
    assert re.search(reason, wrong)
    assert len(wrong.splitlines()) == 1 and "bad.jsonl" in wrong
    assert cli("fleet report", folder)[0] == 0
    of_both = [cli("fleet report", place, "--fail-on", "sick") for place in (folder, tmp_path / "t")]
    assert of_both[0] == of_both[1] and of_both[0][0] == 3
    said = " ".join(of_both[1][1].split())
    assert "; 1 file unreadable" in said and re.search(reason, said) and "1 archive could not be read" in of_both[1][2]
    for path in folder.iterdir():
        path.write_bytes(content)
    assert cli("export", folder, "--format", "parquet", "--output", tmp_path / "n" / "t")[:2] == (2, "")
    assert not (tmp_path / "n" / "t").exists()


def test_hostile_texts_do_no_harm(tmp_path, cli):
    hostile = lines(1, name="a'; DROP TABLE cases; --\x1b[31m", arch="../../etc")
    hostile[0]["device"]["slug"] = "x"
    hostile[0]["labels"] = {"host": "=1+1", "'rack": "\u202e\ud83d\ude00"}
    hostile[0]["device"]["uuid"] = "GPU-'\"\n"
    write(tmp_path / "in" / "it's?.jsonl", sealed(hostile))
    write(tmp_path / "in" / "it's1.jsonl", lines(2))  # which the other's name would match as a pattern
    assert export(tmp_path / "in", tmp_path / "d'[d]")[0] == 2
    unique = "SELECT count(*) = count(DISTINCT (archive, process, name)) FROM cases"
    assert rows(tmp_path / "d'[d]", unique) == [(True,)]
    mine = "SELECT arch, card, labels->>'host' FROM archives WHERE device = 'x'"
    assert rows(tmp_path / "d'[d]", mine) == [("../../etc", "GPU-'\"?", "=1+1")]
    assert [p for p in tmp_path.rglob("*.parquet") if not p.is_relative_to(tmp_path / "d'[d]")] == []
    assert "\x1b" not in cli("fleet report", tmp_path / "d'[d]")[1]


def test_numbers_that_no_column_has_room_for(folder, tmp_path):
    """An archive that has such numbers holds up no other."""
    huge = lines(5, arch="a" * 250)
    huge[0]["environment"] |= {"pcie_generation": 10**25, "pcie_width": -(10**25), "power_limit_mW": 10**30}
    huge[0]["device"]["slug"] = "x" * 250
    write(folder / "huge.jsonl", sealed(huge))
    archives, refused = export(folder, tmp_path / "t")
    assert (archives, refused) == (5, [])
    sql = "SELECT pcie_generation, pcie_width FROM archives WHERE run = '00000005'"
    assert rows(tmp_path / "t", sql) == [(None, None)]


def test_times_that_clocks_tell_wrong(tmp_path, cli):
    begun = ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    for card, moment in enumerate(begun):
        write(tmp_path / "in" / f"{card}.jsonl", lines(card, started_utc=moment))
    assert export(tmp_path / "in", tmp_path / "t")[0] == 3
    assert "1 archive from the future" in cli("fleet report", tmp_path / "t")[1]


def test_what_is_no_file_keeps_nobody_waiting(folder, tmp_path):
    """Links in a circle, a pipe that nobody writes to, a device."""
    (folder / "circle.jsonl").symlink_to("circle.jsonl")
    (folder / "back").symlink_to(".")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    archives, refused = export(folder, tmp_path / "t")
    assert archives == 4
    assert [one.path.name for one in refused] == ["circle.jsonl", "pipe.jsonl", "zero.jsonl"]


def test_a_name_that_is_not_utf_8(folder, tmp_path, cli):
    (folder / "2.jsonl").rename(folder / "2\udcff.jsonl")
    archives, refused = export(folder, tmp_path / "t")
    assert (archives, refused[0].reason) == (
        3,
        "its name is not UTF-8, which Parquet requires; rename the file",
    )
    status, said, wrong = cli("export", folder / "0.jsonl", "--format", "parquet", "--output", tmp_path / "u\udcff")
    assert (status, said, "its name is not UTF-8; choose" in wrong) == (2, "", True)


def test_a_place_that_can_t_be_written_is_named(folder, tmp_path, cli):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "t", tmp_path / ("x" * 300)):
        status, said, wrong = cli("export", folder, "--format", "parquet", "--output", place)
        assert (status, said, len(wrong.splitlines())) == (2, "", 1)
        assert "choose another folder with -o" in wrong
    (tmp_path / "t" / "fits.parquet").mkdir(parents=True)
    status, _, wrong = cli("export", folder, "--format", "parquet", "--output", tmp_path / "t")
    assert (status, "can't be written: Is a directory" in wrong) == (2, True)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["fits.parquet"]


def test_a_full_disk_is_named_and_leaves_what_was_there(folder, tables, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "_write_tables", full)
    with pytest.raises(UserError, match="can't be written: No space left on device"):
        export(folder / "0.jsonl", tables)
    assert count(tables) == 4
    assert len(list(tables.iterdir())) == 4


@pytest.mark.parametrize(
    ("of", "name", "error", "says"),
    [
        (parquet, "TemporaryDirectory", FileNotFoundError(2, "No usable temporary directory found"), "set TMPDIR"),
        (Path, "is_file", PermissionError(13, "Permission denied"), "can't be read: Permission denied"),
    ],
)
def test_what_the_system_refuses_is_said(folder, monkeypatch, cli, of, name, error, says):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(of, name, refuse)
    status, said, wrong = cli("fleet report", folder)
    assert (status, said, len(wrong.splitlines()), says in wrong) == (2, "", 1, True)


SLOW = """
import os, sys, time
from pathlib import Path
from gpufx_plot.call import workers
def slow(_):
    Path(sys.argv[1]).with_name(f"{os.getpid()}.pid").touch()
    time.sleep(600)
workers.at_most = lambda most: 2
list(workers.shared(slow, range(4)))
"""


def test_processes_end_with_the_one_that_was_killed(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    environment = os.environ | {"PYTHONPATH": str(Path(parquet.__file__).parents[2])}
    parent = subprocess.Popen([sys.executable, "-P", script, tmp_path / "t"], env=environment)
    while len(names := list(tmp_path.glob("*.pid"))) < 2:
        assert parent.poll() is None
        time.sleep(0.05)
    children = [os.pidfd_open(int(name.stem)) for name in names]
    parent.kill()
    parent.wait()
    for child in children:
        ended = select.select([child], [], [], 60)[0]
        if not ended:
            signal.pidfd_send_signal(child, signal.SIGKILL)
        os.close(child)
        assert ended


# ---- A stranger's tables: status 1 would be an answer ----


@pytest.mark.parametrize(
    ("status", "table", "says"),
    [
        *((2, "archives", {column: "NULL"}) for column in ("archive", "card", "started_utc")),
        (2, "archives", {"labels": "'[1]'"}),
        (2, "archives", {"quick": "[1]"}),
        (2, "quantities", {"quantity": "NULL"}),
        (2, "quantities", {"value": "'x'"}),
        (None, "quantities", {"better": "{'a': 1}", "card": "0"}),
        (None, "archives", {"elapsed_s": "'inf'::DOUBLE", "device_name": "NULL"}),
        (None, "quantities", {"low": "'nan'::DOUBLE", "high": "'inf'::DOUBLE"}),
    ],
)
def test_what_a_column_can_t_hold_is_refused_in_a_sentence(cli, tables, status, table, says):
    """None: it is read or refused."""
    replace(tables / f"{table}.parquet", says)
    for form in ("text", "json") if status is None else ("text",):
        got, said, wrong = cli("fleet report", tables, "--format", form)
        assert got in ((0, 2) if status is None else (status,))
        assert "internal error" not in wrong and "\x1b" not in said + wrong
        assert len(wrong.splitlines()) == 1 or got == 0


def replace(file: Path, says: dict[str, str]) -> None:
    columns = ", ".join(f"{value} AS {column}" for column, value in says.items())
    duckdb.execute(f"COPY (SELECT * REPLACE ({columns}) FROM read_parquet('{file}')) TO '{file}.new' (FORMAT parquet)")
    Path(f"{file}.new").replace(file)


def test_a_file_that_is_cut_off_or_missing_is_named(cli, tables):
    os.truncate(tables / "quantities.parquet", 100)
    assert cli("fleet report", tables)[0] == 2
    (tables / "quantities.parquet").unlink()
    status, said, wrong = cli("fleet report", tables)
    assert (status, said, len(wrong.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("text", ["[", '[{"path": 1}]', '[{"path": "x"}]', "[" * 9999])
def test_metadata_of_a_stranger_are_refused_in_a_sentence(cli, tables, text):
    file = str(tables / "archives.parquet")
    copy = f"COPY (FROM read_parquet('{file}')) TO '{file}' (FORMAT parquet, KV_METADATA $metadata)"
    duckdb.execute(copy, {"metadata": {"left_out": text}})
    status, said, wrong = cli("fleet report", tables)
    assert (status, said, len(wrong.splitlines())) == (2, "", 1)
    assert "export the archives again" in wrong


def test_a_place_that_is_not_there_is_named(cli, folder):
    assert cli("fleet report", folder / "none")[2].endswith("none: no such file or folder\n")
    status, said, wrong = cli("fleet report", "x" * 5000)
    assert (status, said, len(wrong.splitlines())) == (2, "", 1)
    assert "internal error" not in wrong
