"""Loading: what is refused and with which words, what is tolerated, and that another schema is refused."""

import copy
import gzip
import json
import os
import random
import threading
import tracemalloc
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from invent import NS, archive_lines, case_line, null, packed, run_line, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive import lines
from gpufx_plot.archive import load as archive
from gpufx_plot.archive.cases import flag_text
from gpufx_plot.cards.read_archives import read

SCHEMA = Path(__file__).parents[2] / "results" / "schema" / "archive-2.schema.json"
CASE = case_line("null", next(null()), 0, [1.0, 2.0, 3.0])
DEEP = "[" * 100_000


def refused(path: Path) -> str:
    with pytest.raises(UserError) as error:
        archive.load(path)
    text = str(error.value)
    assert text.startswith(str(path))
    assert not text.endswith(".")
    assert "\n" not in text
    return text.removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"hello\n", ":1: not JSON"),
        (b'{"a": 1}\n', ':1: not a gpufx archive: the first line must be a "run" line'),
        (packed([run_line() | {"driver": {"half": 1}}]).replace(b"half", b"\xed\xa0\x80"), ":1: not JSON"),
        (DEEP.encode() + b"\n", ":1: objects are nested too deep"),
        (b'{"type": "run", "schema": true}\n', ":1: not a gpufx archive"),
        (b'{"type": "run", "schema": 1' + b"0" * 30 + b"}\n", "update gpufx"),
        (json.dumps(run_line()).encode(), ":1: the first line is truncated"),
        (b"\xef\xbb\xbf" + packed([run_line()]), "it starts with a byte-order mark; save it"),
        (json.dumps(run_line()).encode("utf-16"), "it starts with UTF-16; save it"),
        (gzip.compress(packed([run_line()]))[:-20], "the compressed file is truncated; copy it again"),
        (gzip.compress(packed([run_line()]))[:-8] + bytes(8), "the compressed file is damaged"),
        (gzip.compress(packed([run_line()])) + b"junk", "the compressed file is damaged"),
        (json.dumps(run_line() | {"driver": []}).encode() + b"\n", ":1: bad run line: driver must be object"),
        (packed([run_line() | {"processes": 1 << 63}]), ":1: bad run line: processes must be smaller than or equal to"),
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
        ("[1]", ":2: expected object, got array"),
        (json.dumps({"type": ["case"]}), ":2: expected str as the type of a line"),
        (json.dumps(CASE | {"median": float("nan")}), ":2: not JSON"),
        (json.dumps(CASE | {"n": 0}), ":2: bad case line: n: expected int >= 1"),
        (json.dumps({k: v for k, v in CASE.items() if k != "median"}), ":2: bad case line: it lacks median"),
        (json.dumps(CASE | {"samples": [1, "2"]}), ":2: bad case line: samples[1]: expected float, got str"),
        (json.dumps({"type": "holiday"}), ":2: invalid value 'holiday' as the type of a line; known: run, case"),
        (json.dumps(run_line()), ':2: a second "run" line'),
        (json.dumps(CASE | {"probe": "../../../evil"}), ":2: bad line: '../../../evil' is not a probe name"),
        (
            json.dumps(CASE).replace('"median": 2.0', '"median": 1e999'),
            ":2: bad case line: median: number out of range",
        ),
        (json.dumps(CASE | {"median": -1e301}), ":2: bad case line: median: expected float >= -1e+300"),
        (json.dumps(CASE | {"samples": [1, 2, 1e301]}), ":2: bad case line: a sample exceeds 1e+300"),
        (json.dumps(CASE | {"params": {"stride": 2**63}}), ":2: bad case line: params[...]: expected int <="),
        (json.dumps(CASE | {"flags": ["x"]}).replace('"x"', '"\\ud800"'), ":2: not JSON"),
        (json.dumps(CASE | {"more": 1}).replace('"more": 1', f'"more": {DEEP}'), ":2: objects are nested too"),
        (json.dumps(CASE | {"name": "null/" + "x" * 2000}), ":2: a case name is longer than 1000 characters"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(tmp_path, line, words):
    path = write(tmp_path / "x.jsonl", [run_line()])
    path.write_text(path.read_text() + line + "\n" + json.dumps(CASE) + "\n")
    assert words in refused(path)


def test_a_line_after_the_end_is_refused(tmp_path):
    content = archive_lines(1, probes=("null",))
    assert ':5: a line after the "end" line' in refused(write(tmp_path / "x.jsonl", [*content, CASE]))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "no.jsonl")
    assert "can't be read: it is a folder" in refused(tmp_path)
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert "neither a file nor a pipe" in refused(tmp_path / "zero")


def test_what_unpacks_to_more_than_any_archive_has_is_refused(tmp_path, monkeypatch):
    """A thousand times its size, as gzip can pack it."""
    cases = [CASE | {"process": process, "later": "x" * 100_000} for process in range(100)]
    path = write(tmp_path / "x.jsonl.gz", [run_line(100), *cases])
    assert 1000 * path.stat().st_size > 10_000_000
    monkeypatch.setattr("gpufx_plot.archive.file.LARGEST", 5 << 20)
    assert "the archive has more than 5 MiB of text" in refused(path)


@pytest.mark.parametrize("kind", ["case", "waived"])
def test_more_lines_of_a_kind_than_any_run_writes_are_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(archive, "MOST", 20)
    spec = {"sweep": "s", "metric": ("access_ns", "ns", "gpu_ns")}
    cases = [case_line("null", spec | {"params": {"stride": s}}, 0, [1.0]) for s in range(21)]
    if kind == "waived":
        told = ("name", "probe", "params", "process", "place")
        cases = [{"type": "waived", "reason": "no", **{key: case[key] for key in told}} for case in cases]
    assert f":22: the archive has more than 20 {'cases' if kind == 'case' else 'waived lines'}" in refused(
        write(tmp_path / "x.jsonl", [run_line(), *cases])
    )


def test_a_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("gpufx_plot.archive.file.LONGEST_LINE", 10_000)
    path = write(tmp_path / "x.jsonl", [run_line(), CASE | {"samples": [1.5] * 10_000}])
    assert ":2: the line is too long for an archive" in refused(path)


@pytest.mark.parametrize("cut", [1, 30, 400])
def test_a_cut_off_last_line_is_left_out(tmp_path, cut):
    path = write(tmp_path / "x.jsonl", [run_line(), CASE, CASE | {"process": 1}])
    path.write_bytes(path.read_bytes()[:-cut])
    loaded = archive.load(path)
    assert loaded.truncated
    assert loaded.counts["case"] == 1
    assert loaded.incomplete == "cut off"


@pytest.mark.parametrize("kind", ["run", "fit", "case"])
def test_what_takes_a_hundred_times_its_length_in_memory_is_not_parsed(tmp_path, kind):
    """Two million empty lists: 4 MB of text."""
    path = write(tmp_path / "x.jsonl", [run_line(), CASE])
    bomb = b'{"type":"%s","params":[%s]}\n' % (kind.encode(), b"[]," * 2_000_000 + b"[]")
    path.write_bytes(bomb if kind == "run" else path.read_bytes() + bomb)
    tracemalloc.start()
    try:
        said = refused(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 64 << 20
    assert ("the line has more than 4 MiB" in said) == (kind != "case")


def test_half_a_line_behind_the_end_is_no_complete_archive(tmp_path):
    path = write(tmp_path / "x.jsonl", sealed(archive_lines(1, probes=("null",))))
    assert archive.load(path).incomplete is None
    with path.open("ab") as file:
        file.write(b'{"type":"ca')
    assert archive.load(path).incomplete == "half a line follows its end"
    (refused,) = read([path], whole=True)
    assert "half a line follows its end line" in refused.reason


def same(a: archive.Archive, b: archive.Archive) -> bool:
    return (a.run, a.points, a.fits, a.end) == (b.run, b.points, b.fits, b.end)


@pytest.mark.slow
def test_plain_compressed_and_piped_archives_are_the_same(tmp_path):
    content = archive_lines(2, n=3, probes=("constant",))
    plain = archive.load(write(tmp_path / "x.jsonl", content))
    gz = write(tmp_path / "x.jsonl.gz", content)
    assert same(plain, archive.load(gz))
    assert same(plain, archive.load(gz.rename(tmp_path / "unnamed")))
    for data in (packed(content), gzip.compress(packed(content))):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(data,))
        writer.start()
        assert same(plain, archive.load(pipe))
        writer.join()
        pipe.unlink()


def test_an_unknown_key_is_skipped(tmp_path):
    content = archive_lines(2, n=3, probes=("constant",))
    more = [line | {"later": {"a": [{"b": 1}]}} for line in content]
    loaded = [archive.load(write(tmp_path / name, sealed(made))) for name, made in (("a", content), ("b", more))]
    assert loaded[0].points == loaded[1].points


# ---- Schemas ----


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (1, "the archive has schema 1, of development versions before 0.1.0; this gpufx reads schema 2: measure again"),
        (99, "written by a newer gpufx (schema 99), this one reads 2: update gpufx"),
    ],
)
def test_another_schema_is_refused(tmp_path, schema, words):
    assert refused(write(tmp_path / "x.jsonl", [run_line() | {"schema": schema}, CASE])) == f":1: {words}"


def damage(rng: random.Random, line: dict, known) -> dict:
    """Of what is `known` of the line: the keys that are read."""
    damaged = copy.deepcopy(line)
    place = damaged
    while True:
        key = rng.choice(list(known) if isinstance(known, dict) else range(len(known)))
        if not isinstance(place[key], dict | list) or not known[key] or rng.random() < 0.3:
            break
        place, known = place[key], known[key]
    if rng.random() < 0.3:
        del place[key]
    else:
        place[key] = rng.choice([None, True, 0, -1, 1.5, "text", [], [1], {}, {"a": None}, "measured"])
    return damaged


def rich_case() -> dict:
    """A case line with every object that the schema knows."""
    code = {
        "kernel": "k<4>",
        "hash": "0123456789abcdef",
        "registers": 32,
        "blocks": 1,
        "threads": 32,
        "shared_bytes": 0,
    }
    lengths = {"n": 64, "t_n": [1.0, None, 3.0]}
    more = {"code": code, "lengths": lengths, "repetition": 2}
    return next(line for line in archive_lines(1, probes=("constant",), n=3) if line["type"] == "case") | more


def examples() -> dict[str, dict]:
    known = {line["type"]: line for line in archive_lines(1, probes=("transfer", "null"), n=3)}
    del known["run"]  # which the schema checks itself
    known["failed"] = known["waived"] | {"type": "failed", "status": "device"}
    return known | {"case": rich_case()}


def test_machine_code_is_known_by_its_hash_whatever_the_kernels_name():
    case = rich_case()
    one, renamed, other = (
        lines.decode(json.dumps(case | {"code": case["code"] | change}).encode()).machine_code
        for change in ({}, {"kernel": "k"}, {"hash": "f" * 16})
    )
    assert one == renamed and len(one) == 1 and one != other


@pytest.mark.slow
def test_the_structs_agree_with_the_schema_file():
    """Lines with one random damage are refused by both or by neither, but for what is checked case by case."""
    document = json.loads(SCHEMA.read_text())
    rng = random.Random(5)
    seen = {True: 0, False: 0}
    for kind, line in examples().items():
        slow = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": document["$defs"]})
        assert slow.is_valid(line), kind
        known = archive.msgspec.to_builtins(lines.decode(json.dumps(line).encode()))
        for _ in range(300):
            damaged = damage(rng, line, known)
            slow_says = slow.is_valid(damaged)
            try:
                decoded = lines.decode(json.dumps(damaged).encode())
                fast_says = type(decoded).__struct_config__.tag == kind
                fast_says &= not hasattr(decoded, "probe") or bool(archive.PROBE.fullmatch(decoded.probe))
            except archive.msgspec.ValidationError:
                fast_says = False
            assert fast_says == slow_says, damaged
            seen[fast_says] += 1
    assert min(seen.values()) > 200


# ---- Limits of the clock ----


def limited(case: dict, reasons: list[list[str]], clock, reported) -> dict:
    """The case line, flagged; one snapshot for each list of reasons."""
    known = {"sm_MHz": reported, "memory_MHz": None, "temperature_C": 91, "power_W": None}
    moments = [known | {"throttle_reasons": names} for names in reasons]
    clocks = {"nvml": [moment | {"age_ms": 3} for moment in moments]}
    return case | {"flags": ["throttled"], "clocks": clocks | {"sm_clock_MHz": clock}}


def test_a_limit_is_named_with_what_is_known_of_the_clock(tmp_path):
    """Of several processes the one that knows least decides."""
    spec = {"sweep": "s", "params": {"case": "x"}, "metric": ("access_ns", "ns", "gpu_ns"), "bytes": 1000}
    run, first, second = run_line(2), case_line("null", spec, 0, [1.0]), case_line("null", spec, 1, [1.0])
    one = limited(first, [["gpu_idle"], ["sw_power_cap"]], 1755.5, 1980)
    for other, told in (
        (limited(second, [["sw_power_cap"]], 1800.0, None), "sw_power_cap; clock recorded by the SM"),
        (limited(second, [["hw_slowdown"]], None, 1845),
         "hw_slowdown, sw_power_cap; clock reported by the driver"),
        (limited(second, [["sw_power_cap", "gpu_idle"]], None, None),
         "sw_power_cap; effect on the clock unknown"),
        (second, "sw_power_cap; clock recorded by the SM"),  # not flagged, so it tells nothing of limits
    ):  # fmt: skip
        found = archive.load(write(tmp_path / "x.jsonl", [run, one, other]))
        (point,) = found.points
        slowed = "hw_slowdown" in told
        assert found.clocks.slowdown == ({"slowed_pct": 50, "hottest_C": 91} if slowed else {})
        assert point.flags == {"throttled"} | set(second["flags"] if other is second else [])
        assert flag_text("throttled", point.limits) == f"throttled ({told})"
    assert archive.load(write(tmp_path / "y.jsonl", [run, first])).points[0].limits is None


# ---- Repetitions, profilers ----


def test_repetitions_within_a_process_are_one_piece_of_evidence(tmp_path):
    spec = {"sweep": "s", "params": {"case": "x"}, "metric": ("access_ns", "ns", "gpu_ns"), "bytes": 1000}
    told = [(0, 0, 10), (0, 1, 12), (1, 0, 20), (0, 2, 90), (1, 1, 22)]
    cases = [case_line("null", spec, p, [value]) | ({"repetition": r} if r else {}) for p, r, value in told]
    cases[1]["flags"] = ["drift"]
    point = archive.load(write(tmp_path / "x.jsonl", [run_line(2), *cases])).points[0]
    assert (point.processes, point.medians) == ([0, 1], [12, 21])
    assert point.intervals == [(10, 90), (20, 22)]
    assert point.flags == {"drift"}
    assert point.derived["useful_GBps"] == pytest.approx((1000 / 12 + (1000 / 20 + 1000 / 22) / 2) / 2)


def test_what_was_taken_under_a_profiler_is_no_measurement(tmp_path):
    content = archive_lines(1, n=1, probes=("null",))
    profiled = write(tmp_path / "b.jsonl", sealed([content[0] | {"profiled": True, "id": "deadbeef"}, *content[1:]]))
    assert (
        refused(profiled)
        == ":1: this was recorded under a profiler, so its times are not measurements; use an ordinary run"
    )


# ---- Size ----


@pytest.mark.slow
def test_nothing_is_kept_per_sample(tmp_path):
    """Twice the samples take no more memory; there is no limit in seconds, since machines differ."""
    peaks = []
    for count in (100, 2000):
        cases = [
            CASE | {"process": p, "samples": [1.5] * count, "n": count, "median": 1.5, "ci95": None} for p in range(300)
        ]
        path = write(tmp_path / "x.jsonl", sealed([run_line(300), *cases]))
        archive.load(path)
        tracemalloc.start()
        archive.load(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert path.stat().st_size > 3_000_000
    assert peaks[1] < peaks[0] + 1_000_000


# ---- What an archive says twice must agree ----

SPEC = {"sweep": "s", "metric": ("access_ns", *NS), "bytes": 128}


def small() -> list[dict]:
    rng = random.Random(1)
    cases = [
        case_line("null", SPEC | {"params": {"stride": s}}, p, [round(s * rng.gauss(1, 0.001), 6) for _ in range(8)])
        for p in range(2)
        for s in (1, 2, 4)
    ]
    return sealed([run_line(2, provenance="measured"), *cases])


def case_of(content: list[dict], **changes) -> list[dict]:
    content[2] |= changes
    return content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: case_of(c, n=7), ":3: bad case line: n is 7, but there are 8 samples"),
        (lambda c: case_of(c, median=c[2]["median"] * 1.0000001), ":3: bad case line: its median is"),
        (lambda c: case_of(c, ci95=[0.5, 1.0]), ":3: bad case line: its ci95 lies outside its samples"),
        (lambda c: case_of(c, ci95=c[2]["ci95"][::-1]), ":3: bad case line: its ci95 lies outside its samples"),
        (
            lambda c: case_of(c, name="null/stride:8"),
            ":3: bad line: its name 'null/stride:8' does not match its params",
        ),
        (lambda c: case_of(c, name="other/stride:2"), ":3: bad line: its name 'other/stride:2' does not match"),
        (lambda c: case_of(c, name="null/stride:2/stride:2"), "does not match its params"),
        (lambda c: case_of(c, params={"stride": 16}), "does not match its params"),
        (lambda c: case_of(c, params={"stride": 1}, name="null/stride:1"), ":3: a second line of null/stride:1 in pro"),
        (lambda c: c[:3] + c[2:], ":4: a second line of null/stride:2 in process 0"),
        (lambda c: case_of(c, method_version=2), ":6: its method_version differs from an earlier line of null/stri"),
        (lambda c: case_of(c, process=2), ":3: process 2 does not exist: the run has 2"),
        (lambda c: [c[0], *(x | {"name": "null"} for x in c[1:4]), *c[4:]], "'null' leaves out stride"),
        (lambda c: case_of(c, metric=c[2]["metric"] | {"name": "copy_ns"}), ":6: its metric differs from an earlier"),
    ],
)
def test_what_does_not_agree_is_refused_with_the_line(tmp_path, change, words):
    assert words in refused(write(tmp_path / "x.jsonl", sealed(change(copy.deepcopy(small())))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c[:3] + c[4:], ":7: the end line counts 6 case lines, and there are 5: restore the file"),
        (lambda c: [*c[:-1], c[-1] | {"waived": 1}], ":8: the end line counts 1 waived lines, and there are 0"),
        (lambda c: [*c[:-1], c[-1] | {"crc32": "00000000"}], ":8: the checksum of the preceding lines is wrong"),
        (lambda c: [c[0], c[2], c[1], *c[3:]], ":8: the checksum of the preceding lines is wrong"),
        (lambda c: [*c[:-1], {k: v for k, v in c[-1].items() if k != "crc32"}], ":8: bad end line: it lacks crc32"),
    ],
)
def test_what_the_end_line_says_is_checked(tmp_path, change, words):
    assert words in refused(write(tmp_path / "x.jsonl", change(small())))


def test_the_cases_of_a_run_are_put_in_the_order_of_their_axes(tmp_path):
    """A run shuffles them, and who compares or draws wants to read them."""
    axes = [{"name": "op", "unit": "", "choices": ["store", "load"]}, {"name": "stride", "unit": "elements"}]
    first = run_line(1)
    first["probes"]["null"]["axes"] = axes
    cases = [
        case_line("null", SPEC | {"params": {"op": op, "stride": stride}}, 0, [1.5])
        for op, stride in (("load", 10), ("store", 9), ("load", 9), ("store", 10))
    ]
    loaded = archive.load(write(tmp_path / "x.jsonl", sealed([first, *cases])))
    order = [(point.params["op"], point.params["stride"]) for point in loaded.points]
    assert order == [("store", 9), ("store", 10), ("load", 9), ("load", 10)]


@pytest.mark.slow
def test_bits_that_flip_are_refused_or_leave_it_incomplete_or_the_same(tmp_path):
    path, content = tmp_path / "x.jsonl", packed(small())
    whole = archive.load(write(path, small())).points
    for seed in range(1000):
        rng, damaged = random.Random(seed), bytearray(content)
        for _ in range(rng.randint(1, 8)):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        with suppress(UserError):
            found = archive.load(path)
            assert found.incomplete or found.points == whole, seed
