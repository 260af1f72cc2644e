"""Loading: what is refused and with which words, what is tolerated, and the way from older schemas."""

import copy
import json
import random
import shutil
import time
from pathlib import Path

import jsonschema
import pytest
from invent import archive_lines, case_line, null, run_line, write

from gpufx_plot import UserError, archive, names

SAMPLE = Path(__file__).parent / "data" / "schema-0.jsonl"
CASE = case_line("null", next(null()), 0, [1.0, 2.0, 3.0])


def refused(path: Path) -> str:
    with pytest.raises(UserError) as error:
        archive.load(path)
    text = str(error.value)
    assert text.startswith(str(path))
    assert text.endswith(".")
    assert "\n" not in text
    return text.removeprefix(str(path))


def test_a_full_archive_loads(full):
    loaded = archive.load(full)
    assert loaded.probes == ["bank_conflict", "coalescing", "constant", "null", "readonly", "transfer"]
    assert loaded.launches == 2
    assert loaded.synthetic
    assert loaded.incomplete is None
    assert all(len(point.medians) == 2 for point in loaded.points)
    assert len(loaded.waived) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"hello\n", ":1: not JSON"),
        (b'{"a": 1}\n', ':1: not a gpufx archive: the first line must be a "run" line'),
        (b"[1]\n", ":1: a line must be a JSON object"),
        (b"\xff\xfe\n", ":1: not JSON"),
        (b"[" * 100000 + b"\n", ":1: not JSON"),
        (b'{"type": "run", "schema": true}\n', ":1: not a gpufx archive"),
        (b'{"type": "run", "schema": -1}\n', ":1: there is no schema -1"),
        (b'{"type": "run", "schema": 99}\n', ":1: the archive has schema 99, this gpufx reads up to 1: update gpufx"),
        (json.dumps(run_line()).encode(), ":1: the first line is cut off"),
        (json.dumps(run_line()).encode()[:50], ":1: not JSON"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(tmp_path, content, words):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert words in refused(path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{broken", ":2: not JSON"),
        ("", ":2: not JSON"),
        (json.dumps(CASE | {"median": float("nan")}), ":2: not JSON (NaN is not allowed"),
        (json.dumps(CASE | {"n": 0}), ":2: bad case line: n must be bigger than or equal to 1"),
        (json.dumps({k: v for k, v in CASE.items() if k != "median"}), ":2: bad case line: must contain ['median']"),
        (json.dumps(CASE | {"samples": [1, "2"]}), ":2: bad case line: samples[1] must be number"),
        (json.dumps({"type": "holiday"}), ":2: unknown type of line 'holiday'; known: run, case"),
        (json.dumps({"type": ["case"]}), ":2: unknown type of line ['case']"),
        (json.dumps(run_line()), ':2: a second "run" line'),
        (json.dumps(CASE | {"probe": "../../../evil"}), ":2: bad case line: probe must match pattern"),
        (json.dumps(CASE).replace('"median": 2.0', '"median": 1e999'), ":2: 1e999 is no number that a run writes"),
        (json.dumps(CASE | {"median": -1e301}), ":2: -1e+301 is no number that a run writes: at most 1e+300"),
        (json.dumps(CASE | {"median": 10**400}), ":2: 10000000000000000000 is no number that a run writes"),
        (json.dumps(CASE | {"params": {"stride": 2**63}}), ":2: bad case line: params.stride does not fit 64 bits"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path, line, words):
    path = write(tmp_path / "x.jsonl", [run_line()])
    path.write_text(path.read_text() + line + "\n" + json.dumps(CASE) + "\n")
    message = refused(path)
    assert words.split(" must contain")[0] in message
    if "must contain" in words:
        assert "median" in message


def test_a_line_after_the_end_is_refused(tmp_path):
    lines = archive_lines(1, probes=("null",))
    assert ':5: a line after the "end" line' in refused(write(tmp_path / "x.jsonl", [*lines, CASE]))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "there is no such file" in refused(tmp_path / "no.jsonl")
    assert "can't be read" in refused(tmp_path)


@pytest.mark.parametrize("cut", [1, 30, 400])
def test_a_cut_off_last_line_is_left_out(tmp_path, cut):
    path = write(tmp_path / "x.jsonl", [run_line(), CASE, CASE | {"launch": 1}])
    path.write_bytes(path.read_bytes()[:-cut])
    loaded = archive.load(path)
    assert loaded.truncated
    assert len(loaded.cases) == 1
    assert loaded.incomplete == "cut off"


def test_an_interrupted_run_says_so(tmp_path):
    *lines, end = archive_lines(1, probes=("null",))
    path = write(tmp_path / "x.jsonl", [*lines, end | {"complete": False, "reason": "interrupted"}])
    assert archive.load(path).incomplete == "interrupted"


def test_schema_0_is_migrated(tmp_path):
    """The sample is frozen: never rewrite it with a newer program."""
    path = shutil.copy(SAMPLE, tmp_path / "old.jsonl")
    loaded = archive.load(path)
    assert '"ci"' in SAMPLE.read_text()
    assert loaded.run["schema"] == 1
    assert [case["ci95"] for case in loaded.cases] == [[349.0, 352.5], [348.5, 351.0]]
    assert loaded.points[0].value == 350.25
    assert set(archive.MIGRATIONS) == set(range(archive.SCHEMA))


def test_the_fast_validator_agrees_with_jsonschema():
    """Lines with one random damage are refused by both or by neither."""
    schema = json.loads(archive.SCHEMA_FILE.read_text())
    rng = random.Random(5)
    seen = {True: 0, False: 0}
    lines = {line["type"]: line for line in archive_lines(1, probes=("coalescing", "null"), n=3)}
    for kind, line in lines.items():
        slow = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
        for _ in range(150):
            damaged = copy.deepcopy(line)
            place = damaged
            while True:
                key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
                if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.3:
                    break
                place = place[key]
            if rng.random() < 0.3:
                del place[key]
            else:
                place[key] = rng.choice([None, True, 0, -1, 1.5, "text", [], [1], {}, {"a": None}, "measured"])
            try:
                archive._validate("here", damaged)
                fast_says = True
            except UserError:
                fast_says = False
            assert fast_says == slow.is_valid(damaged), damaged
            seen[fast_says] += 1
    assert min(seen.values()) > 50


def test_ten_thousand_lines_compile_the_schema_once(tmp_path):
    """With -s it prints the seconds; there is no time limit, since machines differ."""
    path = write(tmp_path / "x.jsonl", [run_line()] + [CASE | {"samples": [1.5] * 101}] * 10000)
    archive._validators.cache_clear()
    start = time.perf_counter()
    assert len(archive.load(path).cases) == 10000
    print(f"{time.perf_counter() - start:.2f} s")
    assert archive._validators.cache_info().misses == 1


def test_repetitions_within_a_launch_are_one_piece_of_evidence(tmp_path):
    spec = {"sweep": "s", "params": {"case": "x"}, "metric": ("access_ns", "ns", "gpu_ns"), "bytes": 1000}
    told = [(0, 10), (0, 12), (1, 20), (0, 90), (1, 22)]
    lines = [case_line("null", spec, launch, [value]) for launch, value in told]
    lines[1]["flags"] = ["drift"]
    point = archive.load(write(tmp_path / "x.jsonl", [run_line(2), *lines])).points[0]
    assert point.medians == [12, 21]
    assert point.intervals == [[10, 90], [20, 22]]
    assert point.flags == {"drift"}
    assert point.derived["useful_GBps"] == pytest.approx((1000 / 12 + (1000 / 20 + 1000 / 22) / 2) / 2)


def test_what_was_taken_under_a_profiler_is_no_measurement(tmp_path, monkeypatch):
    lines = archive_lines(1, n=1, probes=("null",))
    ordinary = write(tmp_path / "out" / "a.jsonl", lines)
    profiled = write(tmp_path / "out" / "b.jsonl", [lines[0] | {"profiled": True, "id": "deadbeef"}, *lines[1:]])
    assert refused(profiled) == ": this was taken under a profiler, so it holds no measurements: use an ordinary run."
    assert archive.load(profiled, profiled=True).points
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    assert names.resolve("latest") == names.resolve(str(tmp_path / "out")) == ordinary
    with pytest.raises(UserError, match="no archive is called 'deadbeef'"):
        names.resolve("deadbeef")
    said = write(tmp_path / "out" / "c.jsonl", [lines[0] | {"profiled": False}, *lines[1:]])
    assert archive.load(said).points
