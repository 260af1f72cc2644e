"""--fail-on passes on evidence alone."""

import json

import pytest
from invent import sealed, write

FIVE = [100.0, 100.1, 99.9, 100.05, 99.95]
SLOW = [value * 1.1 for value in FIVE]
WILD = [100.0, 140.0, 70.0, 120.0, 90.0]
GONE = "in null, over half of the cases are MISSING: measure the cases of the base (its --quick, --config or --axis)"
BLIND = "in null, over half of the cases may have changed by 10 %: measure with more "


def cases(count, medians):
    return {f"{i}": medians for i in range(count)}


@pytest.mark.parametrize(
    ("base", "new", "condition", "status", "why"),
    [
        (cases(4, FIVE), cases(4, FIVE), "slower", 0, None),
        (cases(4, FIVE), cases(4, SLOW), "slower", 1, "4 of 4 cases are SLOWER, worst null/case:0 +10.00 %"),
        (cases(4, FIVE), cases(4, SLOW), "faster", 0, None),
        (cases(4, FIVE), cases(3, FIVE), "slower", 0, None),
        (cases(4, FIVE), cases(1, FIVE), "slower", 3, GONE),
        (cases(4, FIVE), cases(2, FIVE), "missing", 1, "2 of 4 cases are MISSING"),
        (cases(4, FIVE), cases(4, [150.0]), "slower", 1, "4 of 4 cases are SLOWER, worst null/case:0 +50.00 %"),
        (cases(4, FIVE), cases(4, [100.0]), "slower", 0, None),
        (cases(4, WILD), cases(4, WILD), "slower", 3, BLIND),
        (cases(4, WILD), cases(4, [100.0]), "slower", 3, BLIND),
        (cases(4, FIVE), cases(4, [0.0, 0.0]), "slower", 3, BLIND),
        (cases(4, FIVE), cases(1, SLOW), "slower", 1, "1 of 4 cases are SLOWER, worst null/case:0 +10.00 %"),
        (cases(1, FIVE), cases(40, FIVE), "slower", 0, None),
        ({}, cases(4, FIVE), "slower", 3, "no case of the base was compared"),
        (cases(4, FIVE), cases(3, FIVE) | {"3": WILD}, "unsure", 3, "1 of 4 cases are UNSURE, worst null/case:3 "),
    ],
)
def test_statuses(archive, cli, base, new, condition, status, why):
    old, young = archive("base.jsonl", base), archive("new.jsonl", new, run_id="bbbbbbbb")
    got, out, err = cli("compare", old, young, "--fail-on", condition)
    assert got == status
    assert out
    if why:
        words = {1: "is met by", 3: "can't be decided for"}[status]
        assert err.startswith(f"gpufx compare: --fail-on '{condition}' {words} bbbbbbbb: {why}")
        assert err.count("\n") == 1
    else:
        assert err == ""
    assert cli("compare", old, young)[0] == 0  # without a gate it is a report


@pytest.mark.parametrize("side", ["base", "new"])
def test_an_incomplete_run_never_passes(archive, cli, side):
    paths = {name: archive(f"{name}.jsonl", cases(4, FIVE)) for name in ("base", "new")}
    lines = paths[side].read_bytes().splitlines(keepends=True)
    paths[side].write_bytes(b"".join(lines[:-1]))
    status, _, err = cli("compare", *paths.values(), "--fail-on", "slower")
    assert status == 3
    assert "did not finish (cut off)" in err
    content = [json.loads(line) for line in lines]
    write(paths[side], sealed(content, complete=False, reason="interrupted"))
    assert "did not finish (interrupted)" in cli("compare", *paths.values(), "--fail-on", "slower")[2]


@pytest.mark.parametrize("words", ["share:slower>100%", "unsure>100%", "slower>\u0665%", "slower,,faster"])
def test_a_condition_that_nothing_can_meet_is_refused(archive, cli, words):
    same = archive("a.jsonl", cases(4, FIVE)), archive("b.jsonl", cases(4, FIVE))
    status, out, err = cli("compare", *same, "--fail-on", words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert cli("compare", *same, "--fail-on", "share:slower>99.9%,slower>500%")[0] == 0


def test_one_of_several_is_enough(archive, cli):
    base, good = archive("base.jsonl", cases(4, FIVE)), archive("good.jsonl", cases(4, FIVE))
    poor = archive("poor.jsonl", cases(4, WILD))
    assert cli("compare", base, good, poor, "--fail-on", "slower")[0] == 3
    assert cli("compare", base, good, good, "--fail-on", "slower")[0] == 0
