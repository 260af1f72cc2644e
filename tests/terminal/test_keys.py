"""What a terminal adds to a command: progress that is wiped, colour, keys, a narrow window, one that is closed."""

import gzip
import json
import re
from pathlib import Path

import pytest
import stage
from typed import Typed, WaitsForEverError, screen_of, type_in

DRAWN = r"\[ *\d+ %\]"
RUN = "gpufx run bank_conflict divergence null --device synthetic:generic --out made"


def typed(command: str, folder: Path, columns: int = 80, keys=(), **settings: str) -> Typed:
    return type_in(command, folder, stage.environment(folder) | settings, columns, keys)


@pytest.fixture
def empty(tmp_path) -> Path:
    """A folder without the reader's files."""
    stage.make(tmp_path / "typed")
    return tmp_path / "typed"


def archived(folder: Path, where: str = "made") -> list[dict]:
    (path,) = (folder / where).rglob("*.jsonl*")
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def clean(found: Typed) -> None:
    assert not found.screen.garbage
    assert not [line for line in found.screen.lines if re.search(DRAWN, line)], "progress is left on the screen"


@pytest.mark.parametrize("columns", [80, 40])
def test_progress_is_drawn_and_wiped(empty, columns):
    found = typed(RUN, empty, columns)
    assert found.status == 0
    assert re.search(DRAWN, found.output)
    clean(found)
    assert archived(empty)[-1]["complete"]


@pytest.mark.parametrize("how", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_terminal_that_can_do_nothing_gets_no_escapes(empty, how):
    found = typed(f"{RUN}; gpufx claims h200", empty, **how)
    assert found.status == 0
    assert "\x1b" not in found.output


def test_colour_is_for_a_terminal_alone(empty):
    assert typed("gpufx claims h200", empty).screen.colours > 0
    assert typed("gpufx claims h200 | cat", empty).screen.colours == 0


LONG = "gpufx run bank_conflict coalescing --samples 20000 --device synthetic:generic --out made"
SOME = r"\[ *[1-9]\d* %\]"


def test_the_first_ctrl_c_keeps_what_was_measured(empty):
    found = typed(LONG, empty, keys=((SOME, "\x03"),))
    assert found.status == 130
    clean(found)
    assert "the archive has the results so far and is marked incomplete" in " ".join(found.screen.lines)
    lines = archived(empty)
    assert (lines[-1]["complete"], lines[-1]["reason"]) == (False, "interrupted")
    assert any(line["type"] == "case" for line in lines)
    assert typed("gpufx claims made", empty).status == 0


def test_the_second_ctrl_c_ends_it_at_once(empty):
    found = typed(LONG, empty, keys=((DRAWN, "\x03\x03"),))
    assert found.status == 130
    assert not found.screen.garbage


@pytest.mark.slow
@pytest.mark.parametrize("after", ["archive: ", r"drawing .* \d+ %"])
def test_ctrl_c_behind_the_run_leaves_a_complete_archive(empty, after):
    found = typed("gpufx characterize --quick", empty, keys=((after, "\x03"),))
    assert found.status == 130
    clean(found)
    assert archived(empty, "out/sm_90")[-1]["complete"]


def test_ctrl_c_is_no_skip(empty):
    long = "for (int i = 0; i < 60; i++) for (int k = 0; k < 60; k++) s[(tid * i ^ k) % 4096] = 0;"
    gate = f"gpufx pattern --code '__shared__ float s[4096]; {long}' --block 1024 --fail-on 'ways>99'"
    found = typed(f"(sleep 1; echo begun) & {gate}", empty, keys=(("begun", "\x03"),))
    assert (found.status, found.screen.lines[-1]) == (130, "^Cgpufx: interrupted")


def test_keys_that_mean_nothing_harm_nothing(empty):
    found = typed(RUN, empty, keys=((DRAWN, "q"), (DRAWN, "\n"), (DRAWN, "q\n")))
    assert found.status == 0
    assert archived(empty)[-1]["complete"]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_closed_terminal_keeps_what_was_measured(empty, processes):
    found = typed(f"{LONG} --processes {processes}", empty, keys=((SOME, None),))
    assert found.status == 129
    lines = archived(empty)
    assert (lines[-1]["complete"], lines[-1]["reason"]) == (False, "interrupted")


def test_a_reader_that_goes_away_is_no_error(empty):
    for command in ("gpufx list", "gpufx sheet h200", "gpufx help", RUN):
        found = typed(command + " | head -n 1; echo status ${PIPESTATUS[0]}", empty)
        assert found.screen.lines[-1] == "status 0", command
        assert not found.screen.garbage
        assert "roken pipe" not in found.output
    assert archived(empty)[-1]["complete"]


def test_json_in_a_terminal_is_json(empty):
    found = typed(f"{RUN} --quick --json", empty)
    clean(found)
    text = "\n".join(found.screen.lines)
    assert json.loads(text[text.index("{") :])["status"] == 0


def test_quiet_draws_nothing(empty):
    found = typed("gpufx characterize bank_conflict --quick -q", empty)
    assert found.status == 0
    assert not re.search(DRAWN, found.output)
    assert not found.screen.wiped
    assert not [line for line in found.screen.lines if line.startswith("gpufx:")]


# ---- That this room sees what it is for ----


def test_what_waits_for_ever_is_seen(tmp_path):
    with pytest.raises(WaitsForEverError, match="cat: not done in 1 s"):
        type_in("cat", tmp_path, stage.environment(tmp_path), limit_s=1)


def test_what_was_not_wiped_is_seen():
    assert screen_of("[ 10 %] a\r\x1b[Kdone\r\n").lines == ["done"]
    assert screen_of("[ 10 %] a\rdone\r\n").lines == ["done %] a"]
    assert screen_of("[ 10 %] abcdef\r\x1b[Kdone\r\n", columns=10).lines == ["[ 10 %] abdone"]
    assert screen_of("\x1b[2Ja\x07\r\n").garbage == ["'\\x1b[2J'", "'\\x07'"]
