"""Export: every form holds all figures with unit and provenance, and the libraries of the other tools read it."""

import csv
import io
import json
import math
import re

import pytest
from invent import archive_lines, sealed, write
from planted_quantities import ROOT
from prometheus_client.parser import text_string_to_metric_families as families

from gpufx_plot import UserError
from gpufx_plot.archive.load import load
from gpufx_plot.chip.quantities import infer
from gpufx_plot.showing.exports import CASES, QUANTITIES, export
from gpufx_plot.showing.exports.prometheus import scaled

pytestmark = pytest.mark.slow

IDENTITY = ("provenance", "run", "device", "arch")


@pytest.fixture(scope="module")
def both(full, other):
    """A synthetic archive and a measured one."""
    return [load(full), load(other)]


def test_the_dashboard_asks_for_what_is_exported(h200):
    """Names and labels of each expression; panels that do not overlap."""
    archive = load(h200)
    text = export(archive, "prometheus", "quantity")[0].decode()
    told = {family.name: set(family.samples[0].labels) for family in families(text)}
    board = json.loads((ROOT / "docs" / "grafana.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked += [one["query"]["query"] for one in board["templating"]["list"] if one["type"] == "query"]
    names = {name for expression in asked for name in re.findall(r"\bgpufx_[a-z0-9_]+", expression)}
    assert len(names) > 12
    assert names - {"gpufx_"} <= set(told), names - set(told)
    for expression in asked:
        for name, labels in re.findall(r"(gpufx_[a-z0-9_]+){([^}]*)}", expression):
            assert set(re.findall(r"([a-z_]+)=", labels)) <= told[name]
    variables = {one["name"] for one in board["templating"]["list"]}
    assert set(re.findall(r"\$\{?([a-z]+)", json.dumps(board))) == variables
    places = [panel["gridPos"] for panel in board["panels"]]
    cells = [(x, y) for p in places for x in range(p["x"], p["x"] + p["w"]) for y in range(p["y"], p["y"] + p["h"])]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def table(text: bytes) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text.decode())))


def test_a_row_for_each_quantity_and_each_case(both):
    for archive in both:
        for by, expected in (("quantity", infer(archive)), ("case", archive.points)):
            content, note = export(archive, "csv", by)
            rows = table(content)
            assert (len(rows), note) == (len(expected), "")
            for row in rows:
                assert [row[name] for name in IDENTITY] == [
                    archive.run["provenance"],
                    archive.run["id"],
                    *(archive.run["device"][name] for name in ("name", "arch")),
                ]
                assert row["unit"]


def test_cases_keep_their_figures_and_params(both):
    for point, row in zip(both[0].points, table(export(both[0], "csv", "case")[0]), strict=True):
        assert row["name"] == point.name
        assert float(row["value"]) == point.value
        assert [float(row[end]) for end in ("low", "high")] == list(point.spread)
        params = {n: v for n, v in row.items() if n.startswith("params.") and v not in ("", None)}
        assert {n: str(v) for n, v in params.items()} == {f"params.{n}": str(v) for n, v in point.params.items()}


def test_prometheus_by_quantity_is_read_by_its_own_parser(both):
    for archive in both:
        text = export(archive, "prometheus", "quantity")[0].decode()
        found = {f.name: f for f in families(text)}
        wanted = [q for q in infer(archive) if q.estimate]
        assert len(found) == 1 + len(wanted)
        samples = [s for f in found.values() for s in f.samples]
        assert {s.labels["provenance"] for s in samples} == {archive.run["provenance"]}
        assert all(s.name.isascii() and s.name.startswith("gpufx_") for s in samples)
        values = {(s.labels["quantity"], s.labels["bound"]): s.value for s in samples if "quantity" in s.labels}
        for q in wanted:
            bounds = {"value": q.estimate.value, "low": q.estimate.low, "high": q.estimate.high}
            power = {"GB/s": 9, "ns": -9, "MHz": 6}.get(q.unit, 0)
            for bound, value in bounds.items():
                assert values.get((q.id, bound)) == (None if value is None else scaled(value, power))
        assert {s.labels["uuid"] for s in samples if "uuid" in s.labels} <= {archive.run["device"].get("uuid")}


def test_two_runs_of_a_card_are_one_series(tmp_path):
    found = []
    for run_id in ("11111111", "22222222"):
        lines = archive_lines(1, n=3, probes=("null",))
        lines[0]["id"] = run_id
        archive = load(write(tmp_path / f"{run_id}.jsonl", sealed(lines)))
        found.append({f.name: f for f in families(export(archive, "prometheus", "case")[0].decode())})
    series = [{tuple(sorted(s.labels.items())) for name in of if name != "gpufx_run_info" for s in of[name].samples}
              for of in found]  # fmt: skip
    assert series[0] == series[1] != set()
    assert [of["gpufx_run_info"].samples[0].labels["run"] for of in found] == ["11111111", "22222222"]


def test_prometheus_names_end_in_base_units(both):
    names = [f.name for f in families(export(both[0], "prometheus", "quantity")[0].decode())]
    units = ("info", "bytes", "bytes_per_second", "bytes_per_cycle_per_sm", "seconds", "cycles", "ratio", "hertz")
    plain = ("banks", "copies", "pieces", "sms", "warps")
    assert [name for name in names if not name.endswith(tuple(f"_{unit}" for unit in units + plain))] == []


def test_prometheus_by_case(both):
    found = list(families(export(both[1], "prometheus", "case")[0].decode()))
    assert {f.name for f in found} == {"gpufx_run_info", "gpufx_case_seconds", "gpufx_case_cycles"}
    samples = [s for f in found for s in f.samples if "case" in s.labels]
    assert len(samples) == len(both[1].points)
    point = next(p for p in both[1].points if p.unit == "ns")
    sample = next(s for s in samples if (s.labels["probe"], s.labels["case"]) == (point.probe, point.label))
    assert math.isclose(sample.value, point.value * 1e-9)


def test_texts_of_an_archive_can_not_leave_their_label(tmp_path):
    name = 'A"} 1\ngpufx_evil 2 \\ {'
    lines = archive_lines(1, n=3, probes=("null",))
    lines[0] |= {"labels": {"no de": 'x"y', "no_de": "later"}}
    lines[0]["device"]["name"] = name
    archive = load(write(tmp_path / "x.jsonl", sealed(lines)))
    found = list(families(export(archive, "prometheus", "case")[0].decode()))
    assert not [f for f in found if "evil" in f.name]
    labels = found[0].samples[0].labels
    assert labels["device"] == archive.run["device"]["name"]
    assert labels["label_no_de"] == 'x"y'


def test_scaled_rounds_once():
    assert scaled(7.0, -9) == 7e-9
    assert scaled(4648.3, 9) == 4648.3e9
    assert scaled(1e-7, 9) == 100.0


def test_google_benchmark_by_case_has_a_repetition_for_each_process(both):
    for archive in both:
        content, note = export(archive, "google-benchmark", "case")
        document = json.loads(content)
        assert note == ""
        assert document["context"]["gpufx_provenance"] == archive.run["provenance"]
        runs = document["benchmarks"]
        assert len(runs) == sum(len(point.medians) for point in archive.points)
        # What tools/compare.py of Google Benchmark 1.9 asks of an entry.
        needed = {"name", "run_name", "run_type", "real_time", "cpu_time", "time_unit", "repetitions"}
        assert all(needed <= run.keys() and run["real_time"] > 0 for run in runs)
        clock = document["context"]["gpufx_sm_clock_MHz"] / 1000
        by_name = {point.name: point for point in archive.points}
        for run in runs:
            point = by_name[run["name"]]
            cost = point.medians[run["repetition_index"]]
            assert run[point.metric] == cost
            assert math.isclose(run["real_time"], cost / clock if point.unit == "cycles" else cost)


def test_google_benchmark_says_what_has_no_time(both):
    content, note = export(both[0], "google-benchmark", "quantity")
    runs = {run["name"]: run for run in json.loads(content)["benchmarks"]}
    known = {q.id: q for q in infer(both[0])}
    rate = next(name for name in runs if known[name].unit == "GB/s")
    assert runs[rate]["bytes_per_second"] == known[rate].estimate.value * 1e9
    assert math.isclose(runs[rate]["real_time"], 1e6 / known[rate].estimate.value)
    assert note.startswith(f"{len(known) - len(runs)} quantities left out")


def test_a_foreign_or_empty_archive_has_no_cases(both):
    with pytest.raises(UserError, match="no case"):
        export(both[0].without_cases(), "csv", "case")


def test_the_same_forms_by_quantity_and_by_case():
    assert list(QUANTITIES) == list(CASES)


def test_the_verb_writes_to_standard_output_or_a_file(cli, full, tmp_path):
    status, out, err = cli("export", full, "--format", "csv")
    assert (status, err) == (0, "")
    assert out.startswith("provenance,tool,run,")
    path = tmp_path / "x.csv"
    assert cli("export", full, "--by", "case", "--format", "csv", "--output", path)[:2] == (0, "")
    assert path.read_bytes()[:11] == b"provenance,"
    status, _, err = cli("export", full)
    assert (status, "--format is missing" in err) == (2, True)


def test_what_was_cut_off_says_so_in_every_form(tmp_path, cli):
    """A run that was ended in the middle must not pass for a whole one in the next tool."""
    path = write(tmp_path / "cut.jsonl", archive_lines(2, n=3)[:-1])
    cut = load(path)
    assert cut.incomplete == "cut off"
    for by in ("quantity", "case"):
        assert {row["incomplete"] for row in table(export(cut, "csv", by)[0])} == {"cut off"}
        samples = [s for family in families(export(cut, "prometheus", by)[0].decode()) for s in family.samples]
        assert {s.labels["incomplete"] for s in samples} == {"cut off"}
    assert json.loads(export(cut, "google-benchmark", "case")[0])["context"]["gpufx_incomplete"] == "cut off"
    status, _, told = cli("export", path, "--format", "csv")
    assert (status, told) == (0, "note: the archive is incomplete: cut off\n")
    assert json.loads(cli("sheet", path, "--format", "json")[1])["archives"][0]["incomplete"] == "cut off"
