"""A dataset of many archives: each archive once or not at all, whatever happens to the ingest; questions that can only
read; the same rows in Polars."""

import fcntl
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
import polars
import pytest
from invent import archive_lines, packed, sealed, waived_line, write

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.cards import dataset_commit as commit
from gpufx_plot.cards import dataset_parts as parts
from gpufx_plot.cards import ingest, query
from gpufx_plot.cards.dataset import files, opened
from gpufx_plot.cards.dataset_columns import PARTITION, TABLES
from gpufx_plot.chip.quantities import infer

pytestmark = pytest.mark.slow

PROBES = ("null", "pinning", "constant")


def lines(card: int, **run) -> list[dict]:
    """An archive of a card, one of each per minute."""
    made = archive_lines(2, card, probes=PROBES, n=3, every=8, run_id=f"{card:08x}", **run)
    made[0]["device"]["uuid"] = f"GPU-{card % 3:08x}"
    made[0]["started_utc"] = run.get("started_utc", f"2026-10-20T10:{card:02}:00Z")
    return sealed(made)


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """Archives, and a dataset of them: each test has a copy of its own."""
    place = tmp_path_factory.mktemp("made")
    for card in range(4):
        write(place / "in" / f"{card}.jsonl{'.gz' if card % 2 else ''}", lines(card))
    pack(place / "in", place / "d")
    return place


@pytest.fixture
def folder(made, tmp_path) -> Path:
    return shutil.copytree(made / "in", tmp_path / "in")


def rows(dataset: Path, sql: str) -> list[tuple]:
    with opened(dataset) as database:
        return database.execute(sql).fetchall()


def count(dataset: Path) -> tuple[int, ...]:
    return tuple(rows(dataset, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES)


def pack(place: Path, dataset: Path) -> ingest.Outcome:
    return ingest.pack([place], dataset)


# ---- What is in it ----


def test_the_rows_are_those_of_the_archives(folder, tmp_path):
    outcome = pack(folder, tmp_path / "d")
    assert (outcome.taken, outcome.copies, outcome.refused) == (4, 0, [])
    archive = load(folder / "0.jsonl")
    mine = "archive = '20261020T100000Z-00000000'"
    cases = rows(tmp_path / "d", f"SELECT name, process, value, low, high FROM cases WHERE {mine} ORDER BY ALL")
    assert cases == sorted(
        (p.name, process, p.medians[i], *p.intervals[i])
        for p in archive.points
        for i, process in enumerate(p.processes)
    )
    sql = f"SELECT quantity, value, low, high, reason FROM quantities WHERE {mine} ORDER BY quantity"
    known_ones = [(q.id, *((e.value, e.low, e.high) if (e := q.estimate) else (None,) * 3), q.reason or None)
                  for q in infer(archive)]  # fmt: skip
    assert rows(tmp_path / "d", sql) == known_ones
    one = rows(tmp_path / "d", f"SELECT card, device, arch, month, cases, complete FROM archives WHERE {mine}")
    assert one == [("GPU-00000000", "nvidia-h200", "sm_90", "2026-10", len(cases), True)]


def test_all_columns_are_in_the_page():
    page = (Path(__file__).resolve().parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
    for name in {name for columns in TABLES.values() for name in columns}:
        assert f"`{name}`" in page


def test_polars_opens_it(folder, tmp_path):
    pack(folder, tmp_path / "d")
    frame = polars.scan_parquet(tmp_path / "d" / "quantities" / "**" / "*.parquet", hive_partitioning=True)
    table = frame.filter(polars.col("determined")).group_by("card").agg(polars.len()).sort("card").collect()
    sql = "SELECT card, count(*) FROM quantities WHERE determined GROUP BY card ORDER BY card"
    assert [tuple(row) for row in table.rows()] == rows(tmp_path / "d", sql)
    assert set(PARTITION) <= set(frame.collect_schema().names())


# ---- Each archive once ----


def test_what_is_there_is_not_taken_again(folder, tmp_path):
    pack(folder, tmp_path / "d")
    before = files(tmp_path / "d")
    write(folder / "copy" / "of-2.jsonl.gz", lines(2))
    write(folder / "9.jsonl", lines(9))
    outcome = pack(folder, tmp_path / "d")
    assert (outcome.taken, outcome.copies, outcome.refused) == (1, 5, [])
    after = files(tmp_path / "d")
    assert all(set(before[table]) < set(after[table]) for table in TABLES)  # nothing was rewritten
    assert count(tmp_path / "d")[0] == 5


def test_two_archives_of_one_id_are_told_apart(folder, tmp_path):
    other = lines(1)
    other[1]["elapsed_s"] += 1
    write(folder / "z.jsonl", sealed(other))
    outcome = pack(folder, tmp_path / "d")
    assert (outcome.taken, len(outcome.refused)) == (4, 1)
    outcome = pack(folder, tmp_path / "d")
    assert outcome.taken == 0
    assert re.fullmatch(".*: the dataset already has an archive with this id and time.*", outcome.refused[0].text())
    assert count(tmp_path / "d")[0] == 4


def test_half_an_archive_waits_until_it_is_whole(folder, tmp_path):
    whole = lines(7)
    half = folder / "7.jsonl"
    write(half, whole[:-1])
    outcome = pack(folder, tmp_path / "d")
    assert outcome.taken == 4
    assert "it has no end line" in outcome.refused[0].text()
    half.write_bytes(packed(whole)[:-9])
    assert pack(folder, tmp_path / "d").taken == 0
    write(half, whole)
    assert pack(folder, tmp_path / "d").taken == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "this is not a gpufx archive"),
        (b"\x1f\x8b\x08\x00\x00", "this is not a gpufx archive"),
        (b'{"type":"run","schema":2}\n', "this is not a gpufx archive"),
        (packed([*lines(5)[:3], {"type": "case", "name": "x" * 9}, lines(5)[-1]]), "bad"),
        (
            packed(lines(5)).replace(b'"n": 3', b'"n": 4', 1),
            "jsonl:[0-9]+: bad case line: n is 4, but there are 3 samples",
        ),
        (packed(lines(5)).replace(b'"began_s": ', b'"began_s": 1', 1), "the checksum"),
        (packed(sealed([lines(5)[0] | {"started_utc": "2026-02-31T10:00:00Z"}, *lines(5)[1:]])), "no|time"),
    ],
)
def test_what_is_no_archive_is_named_and_holds_up_nothing(folder, tmp_path, content, reason):
    (folder / "bad.jsonl").write_bytes(content)
    outcome = pack(folder, tmp_path / "d")
    assert outcome.taken == 4
    assert len(outcome.refused) == 1
    assert re.search(reason, outcome.refused[0].reason)
    assert "\n" not in outcome.refused[0].text()


def test_hostile_texts_do_no_harm(tmp_path):
    hostile = lines(1, name="a'; DROP TABLE cases; --\x1b[31m", arch="../../etc")
    hostile[0]["device"]["slug"] = "x"
    hostile[0]["labels"] = {"host": "=1+1", "'rack": "\u202e\ud83d\ude00"}
    hostile[0]["device"]["uuid"] = "GPU-'\"\n"
    write(tmp_path / "in" / "it's.jsonl", sealed(hostile))
    assert pack(tmp_path / "in", tmp_path / "d'd").taken == 1
    assert rows(tmp_path / "d'd", "SELECT arch, device, card, labels->>'host' FROM archives") == [
        ("unknown", "x", "GPU-'\"?", "=1+1")
    ]
    assert [p for p in tmp_path.rglob("*.parquet") if not p.is_relative_to(tmp_path / "d'd")] == []


def test_numbers_and_names_that_no_column_has_room_for(folder, tmp_path):
    """One archive with such holds up no other."""
    huge = lines(5)
    huge[0]["environment"] |= {"pcie_generation": 10**25, "pcie_width": -(10**25), "power_limit_mW": 10**30}
    write(folder / "huge.jsonl", sealed(huge))
    long = lines(6)
    long[0]["device"]["slug"] = "x" * 250
    write(folder / "long.jsonl", sealed(long))
    wide = lines(7, arch="a" * 250)
    write(folder / "wide.jsonl", sealed(wide))
    outcome = pack(folder, tmp_path / "d")
    assert outcome.taken == 6
    assert re.fullmatch(".*long.jsonl: its device.slug has 250 characters.*", outcome.refused[0].text())
    sql = "SELECT arch, pcie_generation, pcie_width FROM archives WHERE run IN ('00000005', '00000007') ORDER BY run"
    assert rows(tmp_path / "d", sql) == [("sm_90", None, None), ("unknown", None, None)]


def test_what_is_no_file_keeps_nobody_waiting(folder, tmp_path, cli):
    """Links in a circle, a pipe that nobody writes to, a device."""
    (folder / "circle.jsonl").symlink_to("circle.jsonl")
    (folder / "back").symlink_to(".")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    assert pack(folder, tmp_path / "d").taken == 4
    good, refused = ingest.verify([folder])
    assert (good, [one.path.name for one in refused]) == (4, ["circle.jsonl", "pipe.jsonl", "zero.jsonl"])
    status, said, _ = cli("archive list", folder)
    assert (status, len(said.splitlines())) == (1, 5)


def test_a_long_name_widens_no_list(tmp_path, cli):
    long = lines(6)
    long[0]["device"]["slug"] = "x" * 250
    write(tmp_path / "long.jsonl", sealed(long))
    assert max(map(len, cli("archive list", tmp_path)[1].splitlines())) < 120 + len(str(tmp_path))


def test_a_row_that_is_too_long_is_refused_with_what_makes_it_long(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "LONGEST_ROW", 1 << 10)
    monkeypatch.setattr(ingest, "processes", lambda: 1)
    waived = [waived_line(0, "null", {"case": f"more{i}"}, "not here") for i in range(7)]
    write(folder / "long.jsonl", sealed(lines(6)[:-1] + waived))
    refused = {one.path.name: one.reason for one in pack(folder, tmp_path / "d").refused}
    assert refused["long.jsonl"] == (
        "a row of it would be longer than a dataset has room for, 1 KiB: it has a long text, or 8 cases that were "
        "waived or failed are too many"
    )


def test_an_archive_from_the_future_is_taken_and_said(folder, tmp_path):
    write(folder / "f.jsonl", lines(8, started_utc="2190-01-01T00:00:00Z"))
    outcome = pack(folder, tmp_path / "d")
    assert outcome.taken == 5
    assert re.match("1 archive begins later than tomorrow .*: a host clock is wrong", outcome.notes[0])
    assert rows(tmp_path / "d", "SELECT DISTINCT month FROM archives ORDER BY ALL") == [("2026-10",), ("future",)]


# ---- Ingests that meet, and that end early ----


def started(code: str, *words: object) -> subprocess.Popen:
    """A Python of its own: what holds threads can't be forked."""
    begin = "import os, sys\nfrom pathlib import Path\nfrom gpufx_plot.cards import dataset_commit as commit, ingest\n"
    end = "\nif __name__ == '__main__':\n    ingest.pack([Path(sys.argv[1])], Path(sys.argv[2]))\n"
    environment = os.environ | {"PYTHONPATH": str(Path(ingest.__file__).parents[2])}
    script = Path(words[1]).with_suffix(".py")
    script.write_text(begin + code + end)
    return subprocess.Popen([sys.executable, "-P", script, *map(str, words)], env=environment)


def test_two_ingests_at_once(folder, tmp_path):
    for card in range(10, 22):
        write(folder / f"{card}.jsonl", lines(card))
    both = [started("", folder, tmp_path / "d") for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert rows(tmp_path / "d", "SELECT count(*), count(DISTINCT archive) FROM archives") == [(16, 16)]
    assert rows(tmp_path / "d", "SELECT count(*) = count(DISTINCT (archive, process, name)) FROM cases") == [(True,)]


def test_what_another_ingest_added_meanwhile_is_left_out(folder, tmp_path, monkeypatch):
    """Of a part of four archives one is there by the time that it is put in place."""
    real = ingest.read_part

    def slow(part, stage, now):
        read = real(part, stage, now)
        if not files(tmp_path / "d")["archives"]:
            monkeypatch.setattr(ingest, "read_part", real)
            pack(folder / "1.jsonl.gz", tmp_path / "d")
        return read

    monkeypatch.setattr(ingest, "processes", lambda: 1)
    monkeypatch.setattr(ingest, "parts_of", lambda found, workers: [[one.path for one in found]])
    monkeypatch.setattr(ingest, "read_part", slow)
    outcome = pack(folder, tmp_path / "d")
    assert (outcome.taken, outcome.copies, outcome.refused) == (3, 1, [])
    assert rows(tmp_path / "d", "SELECT count(*), count(DISTINCT archive) FROM archives") == [(4, 4)]
    assert rows(tmp_path / "d", "SELECT count(*) = count(DISTINCT (archive, process, name)) FROM cases") == [(True,)]


KILLED = """
rename = Path.rename
Path.rename = lambda self, new: os._exit(9) if new.parent.name == "archives" else rename(self, new)
"""


SLOW = """
import time
def slow(*arguments):
    Path(sys.argv[2]).with_name(f"{os.getpid()}.pid").touch()
    time.sleep(600)
ingest.read_part = slow
ingest.processes = lambda: 2
ingest.parts_of = lambda found, workers: [[one.path] for one in found]
"""


def test_processes_end_with_the_one_that_was_killed(folder, tmp_path):
    parent = started(SLOW, folder, tmp_path / "d")
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


def test_what_a_killed_ingest_left_is_not_read_and_goes(folder, tmp_path):
    assert started(KILLED, folder, tmp_path / "d").wait() == 9
    assert list((tmp_path / "d").glob("cases/**/*.parquet")) and list((tmp_path / "d").glob(".staging-*"))
    assert count(tmp_path / "d") == (0, 0, 0)
    assert pack(folder, tmp_path / "d").taken == 4
    assert list((tmp_path / "d").glob(".staging-*")) == []
    names = {path.name for path in (tmp_path / "d").rglob("*.parquet")}
    assert names == {Path(name).name for name in files(tmp_path / "d")["archives"]}


def test_a_full_disk_is_named_and_leaves_what_was_there(folder, tmp_path, monkeypatch):
    pack(folder / "0.jsonl", tmp_path / "d")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ingest, "processes", lambda: 1)
    monkeypatch.setattr(parts, "_convert", full)
    with pytest.raises(UserError, match="can't be written: No space left on device"):
        pack(folder, tmp_path / "d")
    monkeypatch.undo()
    assert count(tmp_path / "d")[0] == 1
    assert list((tmp_path / "d").glob(".staging-*")) == []
    assert pack(folder, tmp_path / "d").taken == 3


def test_a_place_that_can_t_be_written_is_named(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for place, reason in (
        (tmp_path / "file" / "d", "a dataset can't be created there"),
        (folder, "is neither empty nor"),
    ):
        with pytest.raises(UserError, match=reason):
            pack(folder, place)
    pack(folder / "0.jsonl", tmp_path / "d")

    def refuse(path, wait):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(commit, "_locked", refuse)
    with pytest.raises(UserError, match="the dataset can't be written: Permission denied"):
        pack(folder, tmp_path / "d")


def test_a_file_system_without_locks_is_named(folder, tmp_path, monkeypatch):
    def none(file, what):
        raise OSError(commit.errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with pytest.raises(UserError, match="this file system has no locks"):
        pack(folder, tmp_path / "d")


# ---- merge ----


def test_datasets_are_merged(folder, tmp_path):
    from gpufx_plot.cards.archive_verbs import merge

    write(tmp_path / "there" / "9.jsonl", lines(9))
    write(tmp_path / "there" / "1.jsonl", lines(1))
    pack(folder, tmp_path / "a")
    pack(tmp_path / "there", tmp_path / "b")
    outcome = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert (outcome.taken, outcome.copies) == (5, 1)
    ingest.pack([folder, tmp_path / "there"], tmp_path / "all")
    for table in TABLES:
        columns = ", ".join(f'"{name}"' for name in TABLES[table] if name not in ("ingested_utc", "file"))
        sql = f"SELECT {columns} FROM {table} ORDER BY ALL"
        assert rows(tmp_path / "c", sql) == rows(tmp_path / "all", sql)
    assert merge([tmp_path / "b"], tmp_path / "c").taken == 0
    with pytest.raises(UserError, match="can't be merged into itself"):
        merge([tmp_path / "c"], tmp_path / "c")


@pytest.fixture
def stranger(made, tmp_path):
    """A function that makes a dataset of which the rows of archives say what is given."""
    shutil.copytree(made / "d", tmp_path / "stranger")
    name = files(tmp_path / "stranger")["archives"][0]

    def make(**says: str) -> Path:
        columns = ", ".join(f"{value} AS {column}" for column, value in says.items())
        duckdb.execute(
            f"COPY (SELECT * REPLACE ({columns}) FROM read_parquet('{name}')) TO '{name}.new' (FORMAT parquet)"
        )
        Path(f"{name}.new").replace(name)
        return tmp_path / "stranger"

    return make


@pytest.mark.parametrize("tables", [("cases",), ("cases", "quantities")])
@pytest.mark.parametrize("arch", ["%2e%2e%2f" * 5 + "elsewhere", "sm_9", "..", "x%2fy"])
def test_a_stranger_s_dataset_writes_nowhere_else(cli, folder, tmp_path, tables, arch):
    pack(folder, tmp_path / "d")
    for table in tables:
        (tmp_path / "d" / table / "arch=sm_90").rename(tmp_path / "d" / table / f"arch={arch}")
    before = set(tmp_path.rglob("*"))
    status, said, wrong = cli("archive merge", tmp_path / "d", "-o", tmp_path / "merged")
    assert (status, said) == (2, "")
    assert "not a file of the dataset" in wrong
    more = set(tmp_path.rglob("*")) - before
    assert {path.relative_to(tmp_path).parts[0] for path in more} == {"merged"}
    assert files(tmp_path / "merged")["archives"] == []


def test_a_stranger_s_rows_name_no_place_elsewhere(cli, stranger, tmp_path):
    place = stranger(arch="'../../../elsewhere'")
    for words in (
        ("archive merge", place, "-o", tmp_path / "m"),
        ("query", "SELECT 1", place),
        ("archive list", place),
    ):
        status, said, wrong = cli(*words)
        assert (status, said) == (2, "")
        assert "was not written by an ingest" in wrong


def test_an_incomplete_dataset_is_not_merged(cli, dataset, tmp_path):
    Path(files(dataset)["cases"][0]).unlink()
    status, _, wrong = cli("archive merge", dataset, "-o", tmp_path / "m")
    assert status == 2
    assert "it lacks 1 file with packed archives" in wrong


def test_links_in_a_dataset_are_not_followed(cli, folder, dataset, tmp_path):
    """Neither the folders of its tables, nor where an ingest would write."""
    pack(folder / "0.jsonl", tmp_path / "other")
    (dataset / "archives").rename(tmp_path / "archives")
    (dataset / "archives").symlink_to(tmp_path / "other" / "archives")
    for words in (("query", "SELECT 1", dataset), ("archive pack", folder, "-o", dataset)):
        status, _, wrong = cli(*words)
        assert status == 2
        assert "archives: a link, where a dataset has a folder" in wrong
    (dataset / "archives").unlink()
    (dataset / "archives").mkdir()
    (dataset / "cases" / "arch=sm_90").rename(tmp_path / "elsewhere")
    (dataset / "cases" / "arch=sm_90").symlink_to(tmp_path / "elsewhere")
    before = sorted((tmp_path / "elsewhere").rglob("*"))
    status, _, wrong = cli("archive pack", folder, "-o", dataset)
    assert (status, "is a link, or is reached through one" in wrong) == (2, True)
    assert sorted((tmp_path / "elsewhere").rglob("*")) == before


# ---- Damaged datasets: status 1 would be an answer ----


DAMAGED = (
    {"archive": "NULL"},
    {"device": "NULL", "started_utc": "NULL"},
    {"content_crc32": "'x'"},
    {"content_crc32": "NULL"},
    {"cases": "NULL"},
)


@pytest.mark.parametrize("says", DAMAGED)
def test_a_damaged_dataset_is_refused_in_a_sentence(cli, stranger, folder, tmp_path, says):
    place = stranger(**says)
    for words in (
        ("query", "SELECT 1", place),
        ("fleet report", place),
        ("archive list", place),
        ("archive pack", folder, "-o", place),
        ("archive merge", place, "-o", tmp_path / "m"),
    ):
        status, said, wrong = cli(*words)
        assert (status, said, len(wrong.splitlines())) == (2, "", 1)
        assert "was not written by an ingest" in wrong or "the dataset can't be" in wrong


def test_a_mark_that_is_deeper_than_json_goes(cli, dataset):
    (dataset / "gpufx-dataset.json").write_text("[" * 100_000)
    status, _, wrong = cli("query", "SELECT 1", dataset)
    assert (status, len(wrong.splitlines())) == (2, 1)
    assert "gpufx-dataset.json: can't be read" in wrong


# ---- Questions ----


@pytest.fixture
def dataset(made, tmp_path) -> Path:
    return shutil.copytree(made / "d", tmp_path / "d")


def test_a_question_is_answered_in_three_forms(cli, dataset):
    sql = (
        "SELECT card, count(*) AS archives, max(started_utc) AS last FROM archives GROUP BY card ORDER BY card LIMIT 2"
    )
    assert cli("query", sql, dataset)[:2] == (
        0,
        "card          archives  last\n"
        "GPU-00000000         2  2026-10-20T10:03:00Z\n"
        "GPU-00000001         1  2026-10-20T10:01:00Z\n",
    )
    assert cli("query", sql, dataset, "--format", "csv")[1].splitlines()[1] == "GPU-00000000,2,2026-10-20T10:03:00Z"
    answer = json.loads(cli("query", sql, dataset, "--format", "json")[1])
    assert answer[0] == {"card": "GPU-00000000", "archives": 2, "last": "2026-10-20T10:03:00Z"}


def test_an_answer_of_many_rows_comes_in_parts(cli, dataset):
    sql = "SELECT range AS x FROM range(25000)"
    text = cli("query", sql, dataset)[1].splitlines()
    assert len(text) == 10002 and text[-1] == "(the first 10000 rows; --format csv has all)"
    assert cli("query", sql, dataset, "--format", "csv")[1].split() == ["x", *map(str, range(25000))]
    assert [row["x"] for row in json.loads(cli("query", sql, dataset, "--format", "json")[1])] == [*range(25000)]
    assert cli("query", "SELECT 1 AS x WHERE false", dataset, "--format", "json")[1] == "[]\n"
    assert cli("query", "SELECT 1 AS x WHERE false", dataset)[1] == "x\n"


def test_columns_of_one_name_are_told_apart(cli, dataset):
    sql = "SELECT 1 AS a, 2 AS a, 3 AS a_2"
    assert json.loads(cli("query", sql, dataset, "--format", "json")[1]) == [{"a": 1, "a_2": 2, "a_2_2": 3}]


def test_a_question_that_is_no_utf8(cli, dataset):
    assert cli("query", "SELECT '\udcff'", dataset)[:2] == (2, "")


ENDLESS = {
    "between two steps": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "in one step": "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))",
}
ASKED = """
import sys
from gpufx_plot.cards import query
real = query.answer
def told(*arguments):
    print("asked", flush=True)
    return real(*arguments)
query.answer = told
from gpufx_plot.__main__ import main
sys.exit(main(["query", "--format", "text", "--", *sys.argv[1:]]))
"""


def asking(sql: str, dataset: Path, **environment) -> subprocess.Popen:
    """A question that DuckDB is at."""
    words = [sys.executable, "-P", "-c", ASKED, sql, dataset]
    environment = os.environ | {"PYTHONPATH": str(Path(ingest.__file__).parents[2])} | environment
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"asked\n"
    time.sleep(0.3)
    return process


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("where", ENDLESS)
def test_a_question_without_end_can_be_stopped(dataset, tmp_path, where, number, status):
    """DuckDB itself hears of no signal in the middle of it."""
    (tmp_path / "tmp").mkdir()
    with asking(ENDLESS[where], dataset, TMPDIR=str(tmp_path / "tmp")) as process:
        process.send_signal(number)
        assert process.communicate()[1] == b""
        assert process.returncode == status
    assert not list((tmp_path / "tmp").iterdir())


def test_a_question_ends_with_the_one_that_asked(dataset, tmp_path):
    """Its process holds the other end of standard output."""
    (tmp_path / "tmp").mkdir()
    with asking(ENDLESS["in one step"], dataset, TMPDIR=str(tmp_path / "tmp")) as process:
        process.kill()
        process.wait()
        ended = select.select([process.stdout], [], [], 60)[0]
        assert ended
        assert process.stdout.read() == b""
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 20000000) AS x FROM range(100)",  # a step of DuckDB's
        "SELECT repeat('x', 4000000000) AS x",  # one value
        "SELECT list(i) FROM range(200000000) t(i)",  # what DuckDB counts itself
        "SELECT repeat('x', 1000000) AS x FROM range(2000), cases",  # rows that wait to be printed
    ],
)
def test_a_question_has_so_much_memory_and_no_more(cli, dataset, monkeypatch, sql):
    monkeypatch.setattr(query, "ALL_GB", 1)
    assert cli("query", sql, dataset, "--format", "json") == (2, "", f"gpufx query: {query.TOO_MUCH}\n")


def test_a_library_that_dies_is_no_answer(cli, dataset, monkeypatch):
    monkeypatch.setattr(query, "answer", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    ended = "the subprocess that should answer was ended by signal SIGKILL"
    assert cli("query", "SELECT 1", dataset) == (2, "", f"gpufx query: {ended}: {query.TOO_MUCH}\n")


def test_a_wide_row_is_a_paragraph(cli, dataset):
    said = cli("query", "SELECT * FROM archives ORDER BY archive LIMIT 1", dataset)[1]
    assert re.search(r"^card +GPU-00000000$", said, re.M)
    assert max(map(len, said.splitlines())) <= 80


def test_a_folder_of_archives_is_asked_too(cli, folder):
    status, said, _ = cli("query", "SELECT count(*) AS n FROM archives", folder)
    assert (status, said) == (0, "n\n4\n")


HOSTILE = (
    "COPY cases TO '{}'",
    "COPY (SELECT 1) TO '{}'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{}'",
    "EXPORT DATABASE '{}'",
    "ATTACH '{}'",
    "CREATE TABLE x AS SELECT 1",
    "DROP VIEW cases",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET allowed_paths",
    "PRAGMA enable_profiling",
    "CALL force_checkpoint()",
    "SELECT 1; COPY cases TO '{}'",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM glob('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "FROM query('SELECT * FROM read_text(''{secret}'')')",
    "SELECT getenv('HOME')",
    "",
    "; --",
    "no SQL",
)


@pytest.mark.parametrize("sql", HOSTILE)
def test_nothing_else_is_read_or_written(cli, dataset, tmp_path, sql):
    secret, target = tmp_path / "secret.csv", tmp_path / "target.csv"
    secret.write_text("swordfish\n")
    before = sorted(tmp_path.rglob("*"))
    status, said, wrong = cli("query", sql.replace("{}", str(target)).replace("{secret}", str(secret)), dataset)
    assert status == 2 or "swordfish" not in said + wrong
    assert "swordfish" not in said + wrong
    assert sorted(tmp_path.rglob("*")) == before
    if status:
        assert wrong.startswith("gpufx query: ") and len(wrong.splitlines()) == 1


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        (
            "SELECT * FROM enable_logging('FileSystem', level = 'trace', storage = 'stdout'), cases LIMIT 1",
            "enable_logging",
        ),
        ("SELECT (SELECT count(*) FROM Disable_Logging())", "disable_logging"),
        ("WITH a AS (SELECT write_log('x') AS b) SELECT b FROM a", "write_log"),
        ("FROM force_checkpoint('x')", "force_checkpoint"),
        ("FROM truncate_duckdb_logs()", "truncate_duckdb_logs"),
    ],
)
def test_functions_that_do_more_than_read_are_refused(cli, dataset, sql, name):
    status, said, wrong = cli("query", sql, dataset)
    assert (status, said) == (2, "")
    assert wrong == f"gpufx query: a dataset is read-only: {name} is not allowed; leave it out\n"


def test_the_dataset_s_own_files_can_t_be_written(dataset):
    mine = files(dataset)["cases"][0]
    before = Path(mine).read_bytes()
    with opened(dataset) as database, pytest.raises(duckdb.Error):
        database.execute("SET lock_configuration = false")
    with pytest.raises(UserError, match="read-only"), opened(dataset) as database:
        query.answer(database, f"COPY (SELECT 1) TO '{mine}'")
    assert Path(mine).read_bytes() == before


@pytest.mark.parametrize("table", ["cases", "quantities"])
def test_a_copy_that_lacks_files_is_named(cli, dataset, monkeypatch, table):
    """As of a copy that is not done: its archives are there, and what they hold is not."""
    monkeypatch.chdir(dataset)
    assert cli("query", "SELECT 1 AS x", ".")[0] == 0
    Path(files(dataset)[table][0]).unlink()
    for words in (("query", "SELECT 1 AS x", dataset), ("fleet report", "."), ("archive list", dataset)):
        status, said, wrong = cli(*words)
        assert (status, said) == (2, "")
        assert f"it lacks 1 file with packed archives, such as {table}/arch=sm_90/device=nvidia-h200" in wrong


def test_archives_without_a_case_lack_no_file(cli, tmp_path):
    empty = lines(1)
    write(tmp_path / "in" / "1.jsonl", sealed([empty[0], empty[-1]]))
    assert pack(tmp_path / "in", tmp_path / "d").taken == 1
    assert count(tmp_path / "d") == (1, 0, 0)


@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_is_cut_off_is_named(cli, dataset, table):
    os.truncate(files(dataset)[table][0], 100)
    for words in (("query", f"SELECT count(*) FROM {table}"), ("fleet report",)):
        status, said, wrong = cli(*words, dataset)
        assert (status, said, len(wrong.splitlines())) == (2, "", 1)
        assert "the dataset can't be opened: " in wrong and wrong.endswith("pack the archives into a new dataset\n")


def test_a_folder_that_may_not_be_looked_into_is_named(cli, dataset, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    assert cli("query", "SELECT 1", dataset) == (2, "", f"gpufx query: {dataset}: can't be read: Permission denied\n")


def test_times_that_clocks_tell_wrong(tmp_path):
    """A month has seven characters, however long ago."""
    begun = ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    for card, moment in enumerate(begun):
        write(tmp_path / "in" / f"{card}.jsonl", lines(card, started_utc=moment))
    assert pack(tmp_path / "in", tmp_path / "d").taken == 3
    assert rows(tmp_path / "d", "SELECT month FROM archives ORDER BY started_utc") == [
        ("0001-01",),
        ("1970-01",),
        ("future",),
    ]


def test_what_is_no_dataset_is_named(cli, tmp_path):
    assert cli("query", "SELECT 1", tmp_path / "none")[2].startswith("gpufx query: ")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "gpufx-dataset.json").write_text('{"dataset": 1}')
    older = cli("query", "SELECT 1", tmp_path / "d")[2]
    assert "the dataset has version 1, this gpufx knows 3: pack the archives again" in older
    (tmp_path / "d" / "gpufx-dataset.json").write_text('{"dataset": 3}')
    assert cli("query", "SELECT count(*) AS n FROM cases", tmp_path / "d")[1] == "n\n0\n"


# ---- gpufx archive ----


def test_list_show_and_verify(cli, folder, tmp_path):
    dataset = tmp_path / "d"
    pack(folder, dataset)  # it keeps the paths
    listed = cli("archive list", folder)[1].splitlines()
    assert listed[0].split() == ["started", "id", "device", "arch", "processes", "archive"]
    assert [line.split()[1] for line in listed[1:]] == [f"{card:08x}" for card in (3, 2, 1, 0)]
    of_dataset = json.loads(cli("archive list", dataset, "--json")[1])
    assert of_dataset == [one | {"driver": "580.65.06"} for one in json.loads(cli("archive list", folder, "--json")[1])]
    assert "GPU-00000002" in cli("archive show", folder / "2.jsonl")[1]
    assert cli("archive verify", folder)[:2] == (0, "4 archives intact, 0 not\n")
    (folder / "0.jsonl").write_bytes((folder / "0.jsonl").read_bytes().replace(b'"outliers": 0', b'"outliers": 1', 1))
    status, said, wrong = cli("archive verify", folder)
    assert (status, said) == (1, "3 archives intact, 1 not\n")
    assert "0.jsonl" in wrong


def test_a_place_that_is_not_there_is_named(cli, folder):
    assert cli("archive verify", folder / "none")[2].endswith("none: no such file or folder\n")
    assert cli("archive pack", folder, "--output", "")[2] == "gpufx archive pack: --output is empty; name a folder\n"
