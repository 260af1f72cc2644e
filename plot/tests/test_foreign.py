"""Import: the forms of other tools, the maps, what is refused, and the mark that what they measured never loses."""

import json
import random
import re
from pathlib import Path

import jsonschema
import pytest

from gpufx_plot import UserError
from gpufx_plot.archive import foreign
from gpufx_plot.archive.load import load
from gpufx_plot.chip.definitions import definitions
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.exports import export, imports

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent / "data"
TOOLS = tuple(imports.READERS)


def schema(name: str):
    return jsonschema.Draft202012Validator(json.loads((ROOT / "results/schema" / name).read_text()))


def take(path: Path, tool: str, mapping=None, gpu=0) -> dict:
    """id: line."""
    return {line.id: line for line in imports.imported(path, tool, mapping, gpu)[1]}


def made(path: Path, tool: str, **more) -> Path:
    head, found, _ = imports.imported(DATA / f"{tool}.json", tool, None, 0, **more)
    path.write_bytes(foreign.content(head, found))
    return path


# ---- The forms ----


def test_nvbandwidth_by_gpu():
    first = take(DATA / "nvbandwidth.json", "nvbandwidth")
    assert {name: line.value for name, line in first.items()} == {
        "dram.copy_rate": 2000.0,
        "link.pinned.d2h_rate": 51.5,
        "link.pinned.h2d_rate": 50.5,
    }
    assert (first["dram.copy_rate"].stated, first["dram.copy_rate"].stated_unit) == (1000.0, "GB/s")
    second = take(DATA / "nvbandwidth.json", "nvbandwidth", gpu=1)
    assert {name: line.value for name, line in second.items()} == {
        "dram.copy_rate": 3000.0,
        "link.pinned.h2d_rate": 25.25,
    }
    heads = [imports.imported(DATA / "nvbandwidth.json", "nvbandwidth", None, gpu)[0] for gpu in (0, 1)]
    assert [head.device.name for head in heads] == ["NVIDIA One", "NVIDIA Two"]
    assert heads[0].id != heads[1].id
    with pytest.raises(UserError, match="--gpu 2: the file has 2 GPUs"):
        take(DATA / "nvbandwidth.json", "nvbandwidth", gpu=2)


def test_nvbandwidth_by_pair(tmp_path):
    document = json.loads((DATA / "nvbandwidth.json").read_text())
    case = {"bandwidth_description": "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", "status": "Passed"}
    document["nvbandwidth"]["testcases"] = [
        case | {"name": "device_to_device_memcpy_write_ce", "bandwidth_matrix": [["N/A", "370"], ["360", "N/A"]]},
        case | {"name": "device_to_device_memcpy_read_ce", "bandwidth_matrix": [["N/A", "381"], ["350", "N/A"]]},
        case | {"name": "device_to_device_memcpy_read_sm", "bandwidth_matrix": [["N/A"]]},
    ]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(document))
    for gpu in (0, 1):
        found = {name: line.value for name, line in take(path, "nvbandwidth", gpu=gpu).items()}
        assert found == {"peer.copy_rate": 381.0, "peer.worst_copy_rate": 360.0}


def test_mt4g_units_and_words():
    found = take(DATA / "mt4g.json", "mt4g")
    document = json.loads((DATA / "mt4g.json").read_text())
    main = document["memory"]["main"]
    assert found["dram.read_rate"].value == pytest.approx(main["readBandwidth"]["value"] * 2**30 / 1e9, rel=1e-15)
    assert found["dram.latency"].value == main["latency"]["p50"]
    assert found["chip.sms"].value == document["compute"]["multiProcessorCount"]
    assert found["constant.second_latency"].value == 106
    head = imports.imported(DATA / "mt4g.json", "mt4g", None, 0)[0]
    assert (head.device.arch, head.started_utc) == ("sm_90", "2025-08-10T00:03:09Z")


@pytest.mark.parametrize("count", [1e308, 2**63, -1, "many"])
def test_a_number_of_measurements_that_none_can_be_is_not_taken(tmp_path, count):
    """What is imported is an archive that every verb reads."""
    text = re.sub(r'"measurements": *[0-9]+', f'"measurements": {json.dumps(count)}', (DATA / "mt4g.json").read_text())
    (tmp_path / "x.json").write_text(text)
    head, found, _ = imports.imported(tmp_path / "x.json", "mt4g", None, 0)
    foreign_archive = tmp_path / "x.jsonl"
    foreign_archive.write_bytes(foreign.content(head, found))
    assert load(foreign_archive, foreign=True)


def test_what_mt4g_did_not_find_is_left_out(tmp_path):
    document = json.loads((DATA / "mt4g.json").read_text())
    document["memory"]["l1"]["size"]["confidence"] = 0.0
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))
    assert take(DATA / "mt4g.json", "mt4g").keys() - take(path, "mt4g").keys() == {"l1.size"}


def test_google_benchmark_medians_ranges_and_counters():
    found = take(DATA / "google-benchmark.json", "google-benchmark")
    assert found.keys() == {"dram.latency", "link.pinned.h2d_rate"}
    latency, rate = found["dram.latency"], found["link.pinned.h2d_rate"]
    assert (latency.value, latency.low, latency.high, latency.n) == (605, 600, 610, 3)
    assert rate.value == 53.6870912
    head = imports.imported(DATA / "google-benchmark.json", "google-benchmark", None, 0)[0]
    assert head.started_utc == "2026-01-02T02:04:05Z"


def test_what_we_export_is_read_again(full, tmp_path):
    archive, path = load(full), tmp_path / "x.json"
    path.write_bytes(export(archive, "google-benchmark", "quantity")[0])
    head, found, _ = imports.imported(path, "google-benchmark", None, 0)
    ours = {q.id: q.estimate.value for q in infer(archive) if q.estimate and q.estimate.value}
    assert len(found) > 10
    for line in found:
        assert line.value == pytest.approx(ours[line.id], rel=1e-15)
    assert head.invented  # the archive is a synthetic one


# ---- The maps ----


@pytest.mark.parametrize("tool", TOOLS)
def test_maps_are_as_the_schema_says_and_name_quantities(tool):
    path = ROOT / "results" / "foreign" / f"{tool}.json"
    document = json.loads(path.read_text())
    schema("foreign-map-1.schema.json").validate(document)
    known = {d.id: d.unit for d in definitions({"probes": {}})}
    for rule in imports.read_map(path).quantities:
        assert rule.id in known
        assert rule.unit in ("", known[rule.id]) or (rule.unit, known[rule.id]) in imports.FACTORS


def test_there_is_a_map_for_each_tool_that_the_program_takes():
    table = (ROOT / "harness/call/option_table.c").read_text()
    choices = re.search(r'"--from".*?\.choices = "([^"]+)"', table, re.S)[1].split()
    assert tuple(choices) == TOOLS
    assert sorted(path.stem for path in (ROOT / "results/foreign").glob("*.json")) == sorted(TOOLS)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"id": "x.y", "unit": "ns"}, "give either name or match"),
        ({"id": "x.y", "unit": "ns", "name": "a", "match": "b"}, "give either name or match"),
        ({"id": "x.y", "unit": "ns", "match": "("}, "not a valid regular expression"),
        ({"id": "x.y", "unit": "ns", "name": "a", "takes": "only"}, "takes"),
        ({"id": "x.y", "unit": "ns", "name": "a", "scale": -1}, "scale"),
    ],
)
def test_a_bad_map_is_refused(tmp_path, rule, words):
    path = tmp_path / "map.json"
    path.write_text(json.dumps({"tool": "t", "source": "s", "quantities": [rule]}))
    with pytest.raises(UserError, match=words):
        imports.read_map(path)


def test_a_map_of_ones_own(tmp_path):
    path, rule = tmp_path / "map.json", {"id": "dram.read_rate", "name": "device_local_copy", "unit": "GB/s"}
    path.write_text(json.dumps({"tool": "t", "source": "s", "quantities": [rule]}))
    assert take(DATA / "nvbandwidth.json", "nvbandwidth", path)["dram.read_rate"].value == 1000
    path.write_text(json.dumps({"tool": "t", "source": "s", "quantities": [rule | {"unit": "GiB/s"}]}))
    with pytest.raises(UserError, match="none of its 4 values is a quantity of gpufx"):
        take(DATA / "nvbandwidth.json", "nvbandwidth", path)


# ---- What is refused ----

DEEP = b'{"a":' * 5000 + b"1" + b"}" * 5000


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ":1: not JSON"),
        (b'{\n"a": 1,\n}\n', ":3: not JSON"),
        (b'{\n"a": "\xff"}', ":2: not UTF-8"),
        (b'{"a": 1, "a": 2}', "the key 'a' appears twice"),
        (b"[]", "check --from"),
        (b'{"nvbandwidth": 1, "general": 2, "context": []}', "check --from"),
        (DEEP, "x.json: "),
        (b'{"a": ' + b"9" * 6000 + b"}", "unreadable JSON"),
    ],
)
def test_what_no_tool_wrote_is_refused_in_a_sentence(cli, tmp_path, tool, content, words):
    path, out = tmp_path / "x.json", tmp_path / "out.jsonl"
    path.write_bytes(content)
    status, said, err = cli("import", path, "--from", tool, "--output", out)
    assert (status, said) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize("value", ["1e999", "-1e999", "NaN", '"N/A"', '"1e400"', "true", "null", "[]", '"\\u0000"'])
def test_a_figure_that_is_none_is_left_out(tmp_path, value):
    text = (DATA / "nvbandwidth.json").read_text().replace('"50.5"', value)
    path = tmp_path / "x.json"
    path.write_text(text)
    assert take(path, "nvbandwidth").keys() == {"dram.copy_rate", "link.pinned.d2h_rate"}


def test_any_tree_is_read_or_refused(tmp_path):
    """Parts of the files are put in each other's places; nothing but a UserError may come of it."""
    rng, path = random.Random(1), tmp_path / "x.json"
    for tool in TOOLS:
        text = (DATA / f"{tool}.json").read_text().replace("NaN", "1")
        for _ in range(100):
            document = json.loads(text)
            node = document
            while isinstance(node, dict | list) and node:
                key = rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
                if rng.random() < 0.3:
                    node[key] = rng.choice(
                        [None, True, -1, 1e308, "x\x1b[2J", [], {}, [[[]]], {"unit": {}, "value": 1}]
                    )
                    break
                node = node[key]
            path.write_text(json.dumps(document))
            try:
                head, found, _ = imports.imported(path, tool, None, 0)
            except UserError as error:
                assert "\x1b" not in str(error)
                continue
            assert b"\x1b" not in foreign.content(head, found)


def test_a_foreign_archive_does_not_go_under_results(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("GPUFX_ROOT", str(tmp_path))
    (tmp_path / "results/foreign").mkdir(parents=True)
    for out in ("results/sm_90/x.jsonl", "results/x.jsonl", "out/../results/sm_90/x/y.jsonl"):
        words = ("import", DATA / "nvbandwidth.json", "--from", "nvbandwidth", "--output", tmp_path / out)
        status, _, err = cli(*words)
        assert (status, "can't be kept under results/" in err) == (2, True)
    assert sorted(path.name for path in (tmp_path / "results").rglob("*")) == ["foreign"]


# ---- The archive ----


@pytest.fixture(params=TOOLS)
def imported(tmp_path, request) -> Path:
    return made(tmp_path / "f.jsonl", request.param)


def test_every_line_is_as_the_schema_says(imported):
    check = schema("foreign-1.schema.json")
    for line in imported.read_text().splitlines():
        check.validate(json.loads(line))


def test_it_is_read_back(imported):
    archive = load(imported, foreign=True)
    assert archive.is_foreign
    assert archive.incomplete is None
    found = {q.id: q for q in infer(archive)}
    assert found
    for line in archive.foreign:
        assert found[line.id].estimate.value == line.value
        assert line.name in found[line.id].estimate.note


def test_only_the_verbs_of_quantities_take_it(cli, imported, full):
    for words in (("compare", full, imported), ("summary", imported), ("claims", imported), ("plot", imported)):
        status, out, err = cli(*words)
        assert (status, out) == (2, "")
        assert "a foreign archive has no cases" in err
    status, _, err = cli("export", imported, "--by", "case", "--format", "csv")
    assert (status, "a foreign archive has no cases" in err) == (2, True)


@pytest.mark.parametrize("form", ["text", "markdown", "json", "csv"])
def test_it_is_marked_everywhere(cli, imported, full, form):
    for words in (("sheet", imported), ("sheet", full, imported), ("compare", full, imported, "--by", "quantity")):
        status, out, _ = cli(*words, "--format", form)
        assert status == 0
        assert "foreign" in out.lower()
    for other in ("csv", "prometheus"):
        assert "foreign" in cli("export", imported, "--format", other)[1]


def test_what_is_invented_stays_so(full, tmp_path, cli):
    (tmp_path / "x.json").write_bytes(export(load(full), "google-benchmark", "quantity")[0])
    words = ("import", tmp_path / "x.json", "--from", "google-benchmark", "--output", tmp_path / "f.jsonl")
    assert cli(*words)[0] == 0
    assert load(tmp_path / "f.jsonl", foreign=True).synthetic
    assert "SYNTHETIC" in cli("sheet", tmp_path / "f.jsonl")[1]


def test_no_accident_goes_unseen(imported):
    rng, whole = random.Random(2), imported.read_bytes()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        if data == whole:
            continue
        imported.write_bytes(data)
        with pytest.raises(UserError):
            load(imported, foreign=True)
    for lines in (whole.splitlines(True)[:-1], whole.splitlines(True) * 2, whole.splitlines(True)[::-1]):
        imported.write_bytes(b"".join(lines))
        with pytest.raises(UserError):
            load(imported, foreign=True)


def test_a_quantity_of_another_unit_is_not_determined(tmp_path):
    head, found, _ = imports.imported(DATA / "mt4g.json", "mt4g", None, 0)
    found[0].unit, found[1].id = "furlongs", "no.such"
    path = tmp_path / "f.jsonl"
    path.write_bytes(foreign.content(head, found))
    reasons = {q.id: q.reason for q in infer(load(path, foreign=True)) if not q.determined}
    assert reasons == {found[0].id: "its unit is furlongs", "no.such": "unknown quantity"}


# ---- compare --by quantity ----


def test_two_archives_by_quantity(cli, full, other, imported, tmp_path):
    again = tmp_path / Path(full).name
    again.write_bytes(Path(full).read_bytes())
    status, out, _ = cli("compare", full, again, "--by", "quantity")
    assert (status, "DIFFERS" in out, " SAME" in out) == (0, False, True)
    assert max(len(line) for line in out.splitlines() if ".jsonl" not in line) <= 80
    document = json.loads(cli("compare", full, other, "--by", "quantity", "--format", "json")[1])
    (one,) = document["comparisons"]
    verdicts = {row["id"]: row["verdict"] for row in one["rows"]}
    assert verdicts["link.pinned.h2d_rate"] == "WORSE"  # the fixture's transfers take twice as long
    assert sum(one["counts"].values()) == len(one["rows"])
    rows = json.loads(cli("compare", other, imported, "--by", "quantity", "--format", "json")[1])["comparisons"][0][
        "rows"
    ]
    assert {row["verdict"] for row in rows} <= {"SAME", "DIFFERS"}


def test_what_is_about_cases_is_refused_by_quantity(cli, full, other):
    for more in (("--fail-on", "slower"), ("--filter", "x"), ("--probe", "null"), ("--level", "board")):
        status, _, err = cli("compare", full, other, "--by", "quantity", *more)
        assert (status, f"{more[0]} applies to cases" in err) == (2, True)
