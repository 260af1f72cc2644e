"""What help promises of a verb's defaults is what its archive says: on a synthetic device one process, unless the verb
has another number, seed 1, and the sampler's settings."""

import gzip
import json
import re
import subprocess

import pytest
import stage
from typed import type_in

GPUFX = stage.PROGRAM / "gpufx"
VERBS = {
    "run": "gpufx run null",
    "characterize": "gpufx characterize null",
}


def default(verb: str, option: str) -> str:
    """As --help prints it."""
    told = subprocess.run(
        [GPUFX, *verb.split(), "--help"], capture_output=True, text=True, check=True, env=stage.environment(stage.TREE)
    ).stdout
    text = re.search(rf"^  {option} .*?(?=^  -|^\S)", told, re.MULTILINE | re.DOTALL)[0]
    return re.search(r"default ([^\]]*)\]", " ".join(text.split()))[1]


def promised(verb: str, quick: bool) -> dict:
    processes = default(verb, "--processes")
    sides = re.fullmatch(r"\d+", processes)
    assert sides or re.search(r"\b1 with --quick, --no-archive or a synthetic device", processes), processes
    count = 2 * int(sides[0]) if sides else 1
    assert re.search(r"\b1 on a synthetic device", default(verb, "--seed"))
    usual, single, short = re.fullmatch(
        r"([\d.]+); ([\d.]+) with one process, ([\d.]+) with --quick", default(verb, "--max-time")
    ).groups()
    precision = re.match(r"[\d.]+", default(verb, "--precision"))[0]
    return {
        "processes": count,
        "seed": 1,
        "time_limit_s": float(short if quick else single if count == 1 else usual),
        "precision_pct": float(precision),
    }


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("verb", VERBS)
def test_an_archive_is_what_help_promises(verb, quick, tmp_path):
    folder = tmp_path / "typed"
    stage.make(folder)
    found = type_in(VERBS[verb] + " --quick" * quick + " --out made", folder, stage.environment(folder))
    assert found.status in (0, 3), found.screen.lines[-3:]
    (path,) = (folder / "made").rglob("*.jsonl.gz")
    first, *rest = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    said = {name: first["sampler"][name] for name in ("time_limit_s", "precision_pct")}
    assert promised(verb, quick) == {"processes": first["processes"], "seed": first["seed"]} | said
    assert {line["process"] for line in rest if line["type"] == "case"} == set(range(first["processes"]))


def test_every_verb_that_measures_is_here():
    """Its help says what the default of --seed is on a synthetic device."""
    from commands import verbs

    here = stage.environment(stage.TREE)
    measuring = set()
    for verb in verbs(GPUFX, here):
        told = subprocess.run(
            [GPUFX, *verb.split(), "--help"], capture_output=True, text=True, check=True, env=here
        ).stdout
        if re.search(r"default random", " ".join(told.split())):
            measuring.add(verb)
    assert measuring == set(VERBS)
