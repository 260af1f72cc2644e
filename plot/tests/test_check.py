"""An archive is checked against itself: what it says twice must agree."""

import copy
import random

import pytest
from invent import NS, case_line, run_line, sealed, write

from gpufx_plot import UserError
from gpufx_plot.archive import load as archive

SPEC = {"sweep": "s", "metric": ("access_ns", *NS), "bytes": 128}


def small(scale=1.0, seed=1) -> list[dict]:
    rng = random.Random(seed)
    cases = [
        case_line(
            "null", SPEC | {"params": {"stride": s}}, p, [round(s * scale * rng.gauss(1, 0.001), 6) for _ in range(8)]
        )
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
    with pytest.raises(UserError) as error:
        archive.load(write(tmp_path / "x.jsonl", sealed(change(copy.deepcopy(small())))))
    assert words in str(error.value)


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
    with pytest.raises(UserError) as error:
        archive.load(write(tmp_path / "x.jsonl", change(small())))
    assert words in str(error.value)


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
