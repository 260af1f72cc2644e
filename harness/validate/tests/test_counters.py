"""From a listing and ncu's launches to verdicts: counters that agree, planted disagreements, and what is missing."""

from argparse import Namespace

import pytest

from gpufx_validate import counters
from gpufx_validate.ncu import Launch
from gpufx_validate.results import Context


def counter(**changes):
    line = {"where": "op=load", "count": "wavefronts", "scale": 1.0, "metric": "x__w.sum", "over": "x__i.sum"}
    return line | {"relative": 0.01, "absolute": 0.02} | changes


def case(name, *expected, waived=None):
    told = [{"counter": i, "count": float(count)} for i, count in enumerate(expected) if count is not None]
    return {"name": f"p/{name}", "waived": waived, "law": {"name": "own_law"}, "counters": told}


def probe(counts, *cases, sweeps=("op=load,store stride=1:4",)):
    listed = [{"name": f"s{i}", "axes": text, "quick": None} for i, text in enumerate(sweeps)]
    sass = [{"kernel": "chase<4>", "opcode": "LDS", "count": 1, "min_compute": 0}]
    return {"name": "p", "sweeps": listed, "counters": counts, "cases": list(cases), "sass": sass}


def launch(name, **metrics):
    return Launch(f'7  "gpufx:p/{name}:none:none:none:none:none:none"', metrics)


def counted(name, wavefronts, accesses=1000):
    return launch(name, **{"x__w.sum": wavefronts, "x__i.sum": accesses})


def verdicts(results):
    return {(r.name.removeprefix("p/"), r.law): r.verdict for r in results}


def only(plans):
    assert len(plans) == 1
    return plans[0]


def test_what_agrees_and_what_differs():
    plan = only(counters.plans_of(probe([counter()], case("a", 1), case("b", 4), case("c", 32), case("d", 32))))
    told = [counted("a", 1019), counted("b", 5000), counted("c", 31_700), counted("d", 31_000)]
    results = counters.compare(plan, told)
    wanted = {"a": "agree", "b": "failed", "c": "agree", "d": "failed"}  # 2 in 100 absolute; 1 % of 32; one of 32
    assert {name: verdict for (name, _), verdict in verdicts(results).items()} == wanted
    assert [r.reason for r in results if r.verdict == "failed"] == ["the counter differs from the law"] * 2
    rows = counters.rows_of(results)
    assert [(row.cases, row.agree, row.failed, row.verdict) for row in rows] == [(4, 2, 2, "FAILED")]
    details = "\n".join(counters.details_of(results))
    assert details.index("p/b") < details.index("p/d") and "p/a" not in details  # the farthest first, no good ones


def test_the_farthest_is_shown_where_all_agree():
    plan = only(counters.plans_of(probe([counter()], case("a", 10), case("b", 10))))
    details = counters.details_of(counters.compare(plan, [counted("a", 10_001), counted("b", 10_050)]))
    assert [line for line in details if "p/" in line] == ["       10      10.05  agrees   p/b"]


def test_launches_of_a_case_and_metrics_of_a_line_are_summed_before_they_are_divided():
    plan = only(counters.plans_of(probe([counter(scale=64.0)], case("a", 2))))
    result = only(counters.compare(plan, [counted("a", 100_000, 1000), counted("a", 284_000, 2000)]))
    assert (result.sums, result.measured, result.predicted, result.launches) == ((384_000, 3000), 128, 128, 2)
    assert result.verdict == "agree"
    plan = only(counters.plans_of(probe([counter(over="x__i.sum+x__j.sum")], case("a", 3))))
    assert plan.metrics == ["x__i.sum", "x__j.sum", "x__w.sum"]
    told = launch("a", **{"x__w.sum": 3000, "x__i.sum": 0, "x__j.sum": 1000})
    assert only(counters.compare(plan, [told])).measured == 3


def test_what_is_missing_fails_with_its_reason():
    plan = only(counters.plans_of(probe([counter()], case("a", 1), case("b", 1), case("c", 1, waived="no such unit"))))
    stranger = Launch('7  "gpufx:q/a:none"', {})
    a, b, c = counters.compare(plan, [stranger, counted("a", 0, 0)])
    assert (a.verdict, a.reason) == ("failed", "x__i.sum counted no access")
    assert b.verdict == "failed" and "no launch of this case was profiled; 1 stand in no such range" in b.reason
    assert (c.verdict, c.reason) == ("waived", "no such unit")
    a, b, _ = counters.compare(plan, [counted("a", 1000)], "ncu ended with status 139")
    assert (a.verdict, b.verdict, b.reason) == ("agree", "failed", "ncu ended with status 139")


def test_no_number_and_an_unknown_metric_are_waived():
    plan = only(counters.plans_of(probe([counter()], case("a", 1))))
    result = only(counters.compare(plan, [launch("a", **{"x__w.sum": None, "x__i.sum": 5})]))
    assert (result.verdict, result.reason) == ("waived", "ncu gave no number for x__w.sum")
    plan.mark_unknown(lambda name: name == "x__w.sum")
    assert plan.metrics == []
    result = only(counters.compare(plan, [counted("a", 5000)]))
    assert result.verdict == "waived" and "knows no such metric" in result.reason and result.sums is None


def test_lines_are_read_together_where_a_run_can_select_them_alike():
    lines = [
        counter(where="op=load"),
        counter(where="op=load", count="sectors", metric="x__s.sum"),
        counter(where="op=store"),
        counter(where="op=store layout=stream", count=None),
    ]
    listing = probe(lines, case("a", 1, 2), case("b", None, None, 3), case("c", None, None, 3, 4))
    first, second = counters.plans_of(listing)
    assert (first.narrowing, first.counters) == (("op=load",), [0, 1])
    assert first.metrics == ["x__i.sum", "x__s.sum", "x__w.sum"]
    # --axis layout=stream would drop the sweep, which does not name it
    assert (second.narrowing, second.counters) == (("op=store",), [2, 3])
    assert [c["name"] for c in second.cases] == ["p/b", "p/c"]
    results = counters.compare(second, [counted("b", 3000), counted("c", 4000)])
    assert verdicts(results) == {("b", "wavefronts"): "agree", ("c", "wavefronts"): "failed", ("c", "own_law"): "agree"}
    both, one = "op=store layout=stream", "op=store my_layout=stream"
    for sweeps, narrow in (((both,), ("op=store", "layout=stream")), ((both, one), ("op=store",))):
        named = probe(lines, case("c", None, None, None, 4), sweeps=sweeps)
        assert only(counters.plans_of(named)).narrowing == narrow


class Machine(Context):
    """A context that answers from what it was given."""

    def __init__(self, told: dict, device: str | None = None):
        super().__init__(Namespace(device=device))
        self.__dict__.update(
            info={"no_cuda_device": None, "not_opened": None} | told, probes=[{"name": "p", "counters": []}]
        )


@pytest.mark.parametrize(
    ("told", "device", "tool", "part"),
    [
        ({"no_cuda_device": "built without CUDA"}, None, "ncu", "no CUDA device (built without CUDA)"),
        ({"not_opened": "it is busy."}, None, "ncu", "can't be used now: it is busy."),
        ({}, "synthetic:generic", "ncu", "a synthetic device is no witness"),
        ({}, None, None, "there is no ncu"),
        ({}, None, "ncu", "declares a counter"),
    ],
)
def test_why_no_counter_can_be_read_is_said(told, device, tool, part, monkeypatch):
    monkeypatch.setattr(counters.ncu, "find", lambda: tool)
    rows = counters.run(Machine(told, device)).rows
    assert [(row.what, row.verdict, row.cases) for row in rows] == [("all", "waived", 0)]
    assert part in rows[0].reason
