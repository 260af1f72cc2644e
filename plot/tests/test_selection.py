"""The language of axes is that of the program: both are held to tests/vectors/axis.json."""

import json

import pytest
from conftest import VECTORS, vectors

from gpufx_plot import UserError
from gpufx_plot.archive.selection import axes_of, parse

AXES = axes_of(json.loads((VECTORS / "axis.json").read_text(encoding="utf-8"))["axes"])


@pytest.mark.parametrize("case", vectors("axis.json"), ids=lambda case: case["text"])
def test_vectors(case):
    if "values" in case:
        items = parse(case["text"], AXES).items
        assert {n: list(dict.fromkeys(v for item in i for v in item)) for n, i in items.items()} == case["values"]
    else:
        with pytest.raises(UserError) as refused:
            parse(case["text"], AXES)
        assert str(refused.value) == case.get("error", case.get("begins"))


def test_numbers_of_any_length():
    assert parse("stride=" + "0" * 5000 + "7", AXES).alone() == {"stride": 7}
    with pytest.raises(UserError, match="too large"):
        parse("size=" + "9" * 5000, AXES)


def test_a_range_may_hold_more_than_could_be_written_down():
    held = parse("size=64Mi:1Gi", AXES)
    assert held.holds({"size": 1 << 30})
    assert not held.holds({"size": (1 << 30) + 1})
    assert not held.holds({"size": "64Mi"})
    assert not held.holds({})


def test_one_value_replaces():
    assert parse("size=4:4 op=load", AXES).alone() == {"size": 4, "op": "load"}
    with pytest.raises(UserError, match="against several values of size"):
        parse("size=4,8", AXES).alone()
