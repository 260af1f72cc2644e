"""Charts: every probe gets its figure, the same bytes every time, marked where it is synthetic, whatever is missing."""

import hashlib
import os
import re
import stat
from dataclasses import dataclass

import pytest
from invent import PROBES, archive_lines, name_of, write

from gpufx_plot import UserError
from gpufx_plot import archive as archives
from gpufx_plot.charts import chart, draw, draw_all
from gpufx_plot.charts.style import LEAST_WIDTH, device_colour

WATERMARK = b'id="watermark-synthetic"'


def texts(figure) -> str:
    """All words of a figure."""
    found = [text.get_text() for text in figure.texts]
    for ax in figure.axes:
        found += [t.get_text() for t in ax.texts] + [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    return "\n".join(found)


def digests(paths):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
def test_all_files_are_there_and_byte_identical_on_every_call(full, tmp_path):
    loaded = archives.load(full)
    first = draw_all([loaded], tmp_path / "new" / "one", None, ("png", "svg"))
    second = draw_all([archives.load(full)], tmp_path / "two", None, ("png", "svg"))
    assert [path.name for path in first] == [f"{probe}.{kind}" for probe in sorted(PROBES) for kind in ("png", "svg")]
    assert digests(first) == digests(second)
    assert sorted(p.name for p in (tmp_path / "two").iterdir()) == sorted(p.name for p in second)
    for path in first:
        content = path.read_bytes()
        if path.suffix == ".svg":
            assert WATERMARK in content
            assert b"<dc:date>" not in content
        else:
            assert content.startswith(b"\x89PNG")
            assert b"Software" not in content


@pytest.mark.slow
def test_the_users_own_settings_change_nothing(tmp_path, full, monkeypatch):
    import matplotlib as mpl

    loaded = archives.load(full)
    before = digests(draw_all([loaded], tmp_path, "constant", ("svg", "png")))
    monkeypatch.setitem(mpl.rcParams, "font.size", 30)
    monkeypatch.setitem(mpl.rcParams, "svg.hashsalt", "mine")
    assert digests(draw_all([loaded], tmp_path, "constant", ("svg", "png"))) == before


@pytest.mark.slow
def test_the_layout_repeats_to_the_last_digit(full):
    """The solver behind the layout does not, so this holds only because positions are rounded."""
    loaded = archives.load(full)
    every = {tuple(tuple(ax.get_position().bounds) for ax in draw([loaded], "constant").axes) for _ in range(6)}
    assert len(every) == 1


@pytest.mark.slow
def test_measured_archives_carry_no_watermark_and_overlays_name_both(full, other, tmp_path):
    measured, synthetic = archives.load(other), archives.load(full)
    (alone,) = draw_all([measured], tmp_path, "null", ("svg",))
    assert WATERMARK not in alone.read_bytes()
    for probe in PROBES:
        words = texts(draw([measured, synthetic], probe))
        assert "NVIDIA H200 (sm_90) · driver 580.65.06 · 2 processes · 2026-11-20" in words
        assert "NVIDIA RTX 4090 (sm_89)" in words
        assert "SYNTHETIC" in words


@pytest.mark.parametrize("probe", sorted(set(PROBES) - {"null"}))
def test_each_of_the_six_has_a_designed_figure(probe):
    assert chart(probe).__name__ == f"gpufx_figure_{probe}"


@pytest.mark.parametrize("probe", ["null", "nosuch", "style", "default", "a-b", "__init__"])
def test_any_other_probe_gets_the_default(probe):
    assert chart(probe).__name__.endswith(".default")


@pytest.mark.slow
@pytest.mark.parametrize("probe", sorted(PROBES))
def test_a_figure_is_drawn_from_whatever_is_there(probe, tmp_path):
    """One case alone, single sweeps, no fits, one process: no chart may assume that a case exists."""
    head, *lines = archive_lines(1, n=1, probes=(probe,))
    cases = [line for line in lines if line["type"] == "case"]
    sweeps = {case["sweep"] for case in cases}
    parts = [cases[:1], cases[-1:], cases[::7]] + [[c for c in cases if c["sweep"] == sweep] for sweep in sweeps]
    for index, part in enumerate(parts):
        loaded = archives.load(write(tmp_path / f"{index}.jsonl", [head, *part]))
        assert "What" in texts(draw([loaded], probe)) or "?" in texts(draw([loaded], probe))


def coalescing_cases(tmp_path, change):
    """An archive of coalescing whose cases were changed."""
    head, *lines = archive_lines(1, n=1, probes=("coalescing",))
    cases = [change(line) for line in lines if line["type"] == "case"]
    cases = {name_of(line["probe"], line["params"]): line for line in cases}  # two may have become one
    return archives.load(write(tmp_path / "odd.jsonl", [head, *(line | {"name": n} for n, line in cases.items())]))


@pytest.mark.slow
def test_odd_cases_end_in_the_default_figure(tmp_path):
    as_text = coalescing_cases(tmp_path, lambda c: c | {"params": c["params"] | {"width": str(c["params"]["width"])}})
    no_axis = coalescing_cases(tmp_path, lambda c: c | {"params": {a: v for a, v in c["params"].items() if a != "op"}})
    nothing = coalescing_cases(tmp_path, lambda c: c | {"median": 0.0, "samples": [0.0], "ci95": [0.0, 0.0]})
    below = coalescing_cases(tmp_path, lambda c: c | {"median": -1.0, "samples": [-1.0], "ci95": [-1.0, -1.0]})
    for loaded in (as_text, no_axis, nothing, below):
        assert draw([loaded], "coalescing").axes


@pytest.mark.slow
@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyError("width"), TypeError(), ValueError()])
def test_a_chart_that_fails_is_replaced_and_says_so(error, full, monkeypatch):
    def fail(*_):
        raise error

    loaded = archives.load(full)
    monkeypatch.setattr(chart("constant"), "draw", fail)
    words = texts(draw([loaded], "constant"))
    assert "the probe's own figure can't be drawn from these cases" in words
    assert "constant: how does the cost go with" in words
    monkeypatch.setattr(chart("nosuch"), "draw", fail)
    with pytest.raises(UserError, match=r"^constant: no figure can be drawn from its cases"):
        draw([loaded], "constant")


def test_a_defect_of_a_chart_is_not_hidden(full, monkeypatch):
    monkeypatch.setattr(chart("constant"), "draw", lambda sources: sources.nothing)
    with pytest.raises(AttributeError):
        draw([archives.load(full)], "constant")


@pytest.mark.slow
def test_one_panel_makes_a_narrow_figure(full, tmp_path):
    assert draw([archives.load(full)], "coalescing").get_size_inches()[0] == 13
    head, *lines = archive_lines(1, n=1, probes=("coalescing",))
    wanted = {"level": "l1", "op": "load", "order": "linear", "offset": 0}
    cases = [line for line in lines if line["type"] == "case" and wanted.items() <= line["params"].items()]
    figure = draw([archives.load(write(tmp_path / "x.jsonl", [head, *cases]))], "coalescing")
    assert len(figure.axes) == 1
    assert figure.get_size_inches()[0] == LEAST_WIDTH


@dataclass
class Place:
    """As much of a point as tells which line an SM read, and how long it took."""

    params: dict
    value: float


def test_lines_are_quick_by_what_other_sms_see_not_by_the_first_alone():
    """On SM 0 the lines lie at 270, 280, 290 and 300 cycles; that 280 is slow shows only from SM 1."""
    seen = {0: {"a": 270, "b": 280, "c": 290, "d": 300}, 1: {"a": 292, "b": 258, "c": 312, "d": 278}}
    seen[2] = {line: value + 1 for line, value in seen[0].items()}
    points = [Place({"sm": sm, "line": line}, value) for sm, lines in seen.items() for line, value in lines.items()]
    assert chart("memory_latency")._quick(points) == {"a", "c"}
    assert chart("memory_latency")._quick(points[:1]) == {"a"}
    alike = [p for p in points if p.params["sm"] != 1] + [Place({"sm": 0, "line": "e"}, 340)]
    assert chart("memory_latency")._quick(alike) == {"a", "b", "c", "d"}


@pytest.mark.slow
def test_a_foreign_probe_gets_a_figure_that_tells_what_it_left_out(tmp_path):
    head, *lines = archive_lines(1, n=1, probes=("bank_conflict",))
    cases = [line for line in lines if line["type"] == "case"]
    renamed = [line | {"probe": "l2_slices", "name": name_of("l2_slices", line["params"])} for line in cases]
    figure = draw([archives.load(write(tmp_path / "x.jsonl", [head, *renamed]))], "l2_slices")
    assert "l2_slices: how does the cost go with stride" in texts(figure)
    assert "left out:" in texts(figure)
    assert len(figure.axes) == 5


@pytest.mark.slow
def test_what_was_not_measured_gets_no_panel(full, tmp_path):
    assert "L1 hit: store" not in texts(draw([archives.load(full)], "coalescing"))
    head, *lines = archive_lines(1, n=1, probes=("coalescing",))
    only_l1 = [line for line in lines if line["type"] == "case" and line["params"]["level"] == "l1"]
    words = texts(draw([archives.load(write(tmp_path / "x.jsonl", [head, *only_l1]))], "coalescing"))
    assert "L1 hit: load, by stride" in words
    assert "L2" not in words
    assert "DRAM" not in words


@pytest.mark.slow
def test_the_law_is_drawn_with_its_own_name_and_figures(full):
    loaded = archives.load(full)
    words = texts(draw([loaded], "bank_conflict"))
    assert "cycles = 21 + 2 × wavefronts and half phases" in words
    assert re.search(r"100 % within 2 %  \d\.\d{3}\.\.\d\.\d{3}", words)
    assert "R²" not in words
    assert "4 to 64 bytes apart" in str([t.get_text() for t in draw([loaded], "constant").axes[0].get_legend().texts])
    words = texts(draw([loaded], "transfer"))
    assert "h2d: t0 2 µs, B 55.4 GB/s, half at 108 KiB" in words


@pytest.mark.slow
def test_equivalence_is_a_word_from_the_processes(full, tmp_path):
    words = texts(draw([archives.load(full)], "readonly"))
    assert "DIFFERENT" in words
    one = archives.load(write(tmp_path / "x.jsonl", archive_lines(1, n=1, probes=("readonly",))))
    assert "one process" in texts(draw([one], "readonly"))


def test_the_colour_of_a_device_never_changes():
    assert device_colour("nvidia-h200") == "#D55E00"
    assert device_colour("nvidia-rtx-4090") == "#009E73"


def test_break_even_counts_copies(full):
    pairs = dict(chart("pinning").break_even(archives.load(full).points, "h2d"))
    size = 1 << 20
    pin, unpin = 40000 + size / 3.1, 20000 + size / 9
    saved = (9000 + size / 12) - (2100 + size / 55.1)
    assert pairs[size] == pytest.approx((pin + unpin) / saved, rel=0.01)


def test_the_command_line(full, tmp_path, cli):
    status, out, err = cli("plot", full, "-o", tmp_path / "deep" / "er", "--probe", "null", "--format", "png")
    assert (status, out, err) == (0, f"{tmp_path}/deep/er/null.png\n", "")
    assert cli("plot", full, "-o", tmp_path, "--probe", "nosuch")[0] == 2


def test_a_folder_that_cant_be_written(full, tmp_path, cli):
    (tmp_path / "file").write_text("in the way")
    status, _, err = cli("plot", full, "-o", tmp_path / "file", "--probe", "null")
    assert status == 2
    assert "choose another -o" in err
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(locked, os.W_OK):
        pytest.skip("permissions do not bind this user")
    assert cli("plot", full, "-o", locked, "--probe", "null")[0] == 2
    assert list(locked.iterdir()) == []


def test_an_archive_without_cases(tmp_path, cli):
    path = write(tmp_path / "x.jsonl", [archive_lines(1, probes=())[0]])
    status, _, err = cli("plot", path, "-o", tmp_path)
    assert status == 2
    assert "no finished case" in err
