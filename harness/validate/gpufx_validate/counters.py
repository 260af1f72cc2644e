"""Hardware counters against the laws: each probe's cases run under Nsight Compute, and what its metrics counted per
warp-level access is compared with the count that the law predicts.

A probe says in its table (fx_counter in core/probe.h) which metrics speak of which cases; gpufx lists, for every case,
the lines that apply and the count to find. Lines with one selection are read in one run of ncu, over the kernels that
the probe names in its table, so that fills, flushes and checks stay out. A launch is known as its case's by the NVTX
range around it; a case that launches more than once is summed up before it is divided."""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from gpufx_plot import UserError
from gpufx_plot.call.grouped import grouped
from gpufx_plot.call.program import path_of_program
from gpufx_plot.call.terminal import notice
from gpufx_plot.call.text import fields_of

from . import ncu
from .results import Context, Report, Row, tallied, waived

WORST = 5  # failed cases that are printed for each row


@dataclass
class Result:
    """One line of a probe's table against one case."""

    probe: str
    name: str
    counter: dict
    law: str  # the count's name
    count: float
    sums: tuple[float, float] | None = None  # what the metric and its denominator counted
    launches: int = 0
    verdict: str = "failed"  # agree, waived, failed
    reason: str | None = None

    @property
    def what(self) -> str:
        return f"{self.probe} {self.counter['where']}: {self.law}"

    @property
    def predicted(self) -> float:
        return self.count * self.counter["scale"]

    @property
    def measured(self) -> float | None:
        return self.sums[0] / self.sums[1] if self.sums else None

    @property
    def off(self) -> float:
        """How far from the law, in tolerances; infinite where nothing was measured."""
        if self.measured is None:
            return float("inf")
        allowed = max(self.counter["relative"] * self.predicted, self.counter["absolute"])
        return abs(self.measured - self.predicted) / allowed

    def settle(self, sums: tuple[float, float]) -> None:
        self.sums = sums
        self.verdict = "agree" if self.off <= 1 else "failed"
        self.reason = None if self.off <= 1 else "the counter differs from the law"

    def as_json(self) -> dict:
        known = fields_of(self, "probe name law count predicted measured")
        known |= {key: self.counter[key] for key in ("metric", "over", "scale", "relative", "absolute")}
        return known | fields_of(self, "sums launches verdict reason")


@dataclass
class Plan:
    """One run of ncu: lines of a probe's table that a run can select alike, and the cases that these speak of."""

    probe: dict
    narrowing: tuple[str, ...]  # AXIS=VALUE
    counters: list[int] = field(default_factory=list)
    cases: list[dict] = field(default_factory=list)
    unknown: dict[int, list[str]] = field(default_factory=dict)  # lines with metrics that this ncu does not know

    @property
    def metrics(self) -> list[str]:
        usable = [i for i in self.counters if i not in self.unknown]
        return sorted({m for i in usable for m in metrics_of(self.probe["counters"][i])})

    def mark_unknown(self, is_unknown) -> None:
        for i in self.counters:
            if unknown := [metric for metric in metrics_of(self.probe["counters"][i]) if is_unknown(metric)]:
                self.unknown[i] = unknown

    def blank(self) -> list[tuple[int, Result]]:
        """Each case with each line that speaks of it."""
        found = []
        for case in self.cases:
            for at, count in ((c["counter"], c["count"]) for c in case["counters"] if c["counter"] in self.counters):
                counter = self.probe["counters"][at]
                law = counter["count"] or case["law"]["name"]
                found.append((at, Result(self.probe["name"], case["name"], counter, law, count)))
        return found

    def waived(self, reason: str) -> list[Result]:
        results = [result for _, result in self.blank()]
        for result in results:
            result.verdict, result.reason = "waived", reason
        return results


def metrics_of(counter: dict) -> list[str]:
    """A metric may be a sum, a+b."""
    return counter["metric"].split("+") + counter["over"].split("+")


def narrowing(probe: dict, where: str) -> tuple[str, ...]:
    """What of a selection `gpufx run --axis` can be told: it drops the sweeps that do not name the axis, and with them
    cases that have the value all the same."""
    sweeps = [text for sweep in probe["sweeps"] for text in (sweep["axes"], sweep["quick"]) if text]
    return tuple(w for w in where.split() if all(re.search(rf"(^| ){w.split('=')[0]}=", sweep) for sweep in sweeps))


def plans_of(probe: dict) -> list[Plan]:
    plans: dict[tuple, Plan] = {}
    for i, counter in enumerate(probe["counters"]):
        narrow = narrowing(probe, counter["where"])
        if cases := [c for c in probe["cases"] if any(e["counter"] == i for e in c["counters"])]:
            plan = plans.setdefault(narrow, Plan(probe, narrow))
            plan.counters.append(i)
            plan.cases += [case for case in cases if case not in plan.cases]
    return list(plans.values())


def _sum(launches: list[ncu.Launch], metric: str) -> float | None:
    values = [launch.metrics.get(name) for launch in launches for name in metric.split("+")]
    return None if None in values else sum(values)


def compare(plan: Plan, launches: list[ncu.Launch], trouble: str | None = None) -> list[Result]:
    """The verdict on each case and line of the plan. trouble: why ncu may have missed launches."""
    why_waived = {case["name"]: case["waived"] for case in plan.cases}
    by_case = grouped(launches, lambda launch: ncu.case_of(launch.ranges, why_waived))
    strangers = by_case.get(None, [])
    found = plan.blank()
    for at, result in found:
        own = by_case.get(result.name, [])
        result.launches = len(own)
        top, bottom = (_sum(own, result.counter[key]) for key in ("metric", "over"))
        if at in plan.unknown:
            result.verdict = "waived"
            result.reason = f"this ncu knows no such metric for this chip: {', '.join(plan.unknown[at])}"
        elif why_waived[result.name]:
            result.verdict, result.reason = "waived", why_waived[result.name]
        elif not own:
            result.reason = trouble or "no launch of this case was profiled"
            if strangers and not trouble:
                result.reason += f"; {len(strangers)} stand in no such range, the first in {strangers[0].ranges!r}"
        elif top is None or bottom is None:
            missing = result.counter["metric" if top is None else "over"]
            result.verdict, result.reason = "waived", f"ncu gave no number for {missing}"
        elif bottom == 0:
            result.reason = f"{result.counter['over']} counted no access"
        else:
            result.settle((top, bottom))
    return [result for _, result in found]


def _profile(context: Context, tool: str, plan: Plan, log: Path) -> tuple[list[Result], str | None]:
    """The results of one plan, and why no other need be tried."""
    if not plan.metrics:
        return compare(plan, []), None
    notice(f"gpufx validate: {len(plan.cases)} cases of {plan.probe['name']} {' '.join(plan.narrowing)} under ncu")
    target = [path_of_program(), "run", plan.probe["name"], "--samples", "1", "--profiled", "--no-archive"]
    target += [*context.device_arguments, *context.selection]
    target += [word for pair in plan.narrowing for word in ("--axis", pair)]
    kernels = [d["kernel"] for d in plan.probe["sass"]]
    outcome = ncu.profile(ncu.command(tool, plan.metrics, kernels, log, target), log)
    if outcome.waiver:
        return plan.waived(outcome.waiver), outcome.waiver
    bases, before = {ncu.base(name) for name in outcome.unknown}, len(plan.unknown)
    plan.mark_unknown(lambda name: ncu.base(name) in bases)
    if len(plan.unknown) > before:
        return _profile(context, tool, plan, log)
    return compare(plan, ncu.read(outcome.text), outcome.trouble), None


def rows_of(results: list[Result]) -> list[Row]:
    unmeasured = (r.reason if r.verdict == "waived" or r.measured is None else None for r in results)
    return tallied("counters", ((r.what, r.verdict, why) for r, why in zip(results, unmeasured, strict=True)))


def details_of(results: list[Result]) -> list[str]:
    """For each row the case farthest from its law, or the worst of those that failed."""
    groups = grouped((r for r in results if r.measured is not None), lambda r: r.what)
    lines = [f"{'law':>9}  {'counter':>9}  verdict  case farthest from its law"] if groups else []
    for what, group in groups.items():
        lines.append(f"{what} = {group[0].counter['metric']} per {group[0].counter['over']}")
        worst = sorted(group, key=lambda r: -r.off)
        for r in [w for w in worst if w.verdict == "failed"][:WORST] or worst[:1]:
            verdict = "agrees " if r.verdict == "agree" else "DIFFERS"
            lines.append(f"{r.predicted:>9.4g}  {r.measured:>9.4g}  {verdict}  {r.name}")
    return lines


def run(context: Context) -> Report:
    if reason := context.no_device():
        return waived("counters", reason)
    tool = ncu.find()
    if not tool:
        return waived("counters", "there is no ncu on PATH or under /usr/local/cuda and /opt/nvidia/nsight-compute: "
                      "install Nsight Compute, which is part of the CUDA toolkit.")  # fmt: skip
    wanted = [probe["name"] for probe in context.probes if probe["counters"]]
    if not wanted:
        return waived("counters", "none of the selected probes declares a counter.")
    listing = context.ask("list", *wanted, "--json", "--cases", *context.device_arguments, *context.selection)
    plans = [plan for probe in listing for plan in plans_of(probe)]
    if not plans:
        return waived("counters", "no counter speaks of the selected cases.")
    known, logs = ncu.known_metrics(tool), Path(tempfile.mkdtemp(prefix="gpufx-validate-"))
    results, stopped = [], None
    try:
        for number, plan in enumerate(plans):
            if known is not None:
                plan.mark_unknown(lambda name: ncu.base(name) not in known)
            log = logs / f"{number:02d}-{plan.probe['name']}.csv"
            new, stopped = (plan.waived(stopped), stopped) if stopped else _profile(context, tool, plan, log)
            results += new
    except OSError as error:
        raise UserError(f"ncu could not be run, or what it printed not be kept: {error}") from None
    details = [*details_of(results), f"what ncu printed: {logs}"]
    return Report(rows_of(results), details, {"logs": str(logs), "cases": [r.as_json() for r in results]})
