"""What help promises of the defaults of each verb that measures is what its archive says, on a synthetic device: one
process, seed 1, and the sampler's settings."""

import gzip
import json
import re
import subprocess

import pytest
import stage
from commands import verbs

GPUFX, HERE = stage.PROGRAM / "gpufx", stage.environment(stage.TREE)


def help_of(verb: str) -> str:
    words = [GPUFX, *verb.split(), "--help"]
    return subprocess.run(words, capture_output=True, text=True, check=True, env=HERE).stdout


def default(text: str, option: str) -> str:
    part = re.search(rf"^  {option} .*?(?=^  -|^\S)", text, re.MULTILINE | re.DOTALL)[0]
    return re.search(r"default ([^\]]*)\]", " ".join(part.split()))[1]


MEASURING = {verb: text for verb in verbs(GPUFX, HERE) if "default random" in " ".join((text := help_of(verb)).split())}


@pytest.mark.parametrize("quick", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize("verb", MEASURING)
def test_an_archive_is_what_help_promises(verb, quick, tmp_path):
    folder = tmp_path / "typed"
    stage.make(folder)
    words = [GPUFX, verb, "null", "--out", "made", *["--quick"] * quick]
    assert subprocess.run(words, cwd=folder, env=stage.environment(folder), check=False).returncode in (0, 3)
    (path,) = (folder / "made").rglob("*.jsonl.gz")
    first, *rest = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    processes, seed, limit, precision = (
        default(MEASURING[verb], option) for option in ("--processes", "--seed", "--max-time", "--precision")
    )
    assert re.search(r"\b1 with --quick, --no-archive or a synthetic device", processes)
    assert re.search(r"\b1 on a synthetic device", seed)
    single, short = re.search(r"([\d.]+) with one process, ([\d.]+) with --quick", limit).groups()
    assert {line["process"] for line in rest if line["type"] == "case"} == {0}
    assert (first["processes"], first["seed"]) == (1, 1)
    assert first["sampler"]["time_limit_s"] == float(short if quick else single)
    assert first["sampler"]["precision_pct"] == float(re.match(r"[\d.]+", precision)[0])
