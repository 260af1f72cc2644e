"""Hardware counters against the laws: each probe's cases run under Nsight Compute, and what its metrics counted per
warp-level access is compared with the count that the law predicts.

A probe says in its table (fx_counter in core/probe.h) which metrics speak of which cases; gpufx lists, for every case,
the lines that apply and the count to find. Lines with one selection are read in one run of ncu, over the kernels that
the probe names in its table, so that fills, flushes and checks stay out. A launch is known as its case's by the NVTX
range around it; a case that launches more than once is summed up before it is divided."""

import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import UserError, costs, ncu, ncu_csv
from .context import Context
from .record import Record, run_line
from .results import Report, Row, waived

TITLE = "the hardware's own counters show what the laws predict (by Nsight Compute)"
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
    cost: costs.Cost | None = None

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

    def judge(self) -> None:
        self.verdict = "agree" if self.off <= 1 else "failed"
        self.reason = None if self.off <= 1 else "the counter differs from the law"

    def as_line(self) -> dict:
        keys = ("metric", "over", "scale", "relative", "absolute")
        return {
            "type": "counter",
            "probe": self.probe,
            "name": self.name,
            "count": {"name": self.law, "value": self.count},
            **{key: self.counter[key] for key in keys},
            "predicted": self.predicted,
            "measured": self.measured,
            "sums": list(self.sums) if self.sums else None,
            "launches": self.launches,
            "cost": self.cost.as_json() if self.cost else None,
            "verdict": {"failed": "differs"}.get(self.verdict, self.verdict),
            "reason": self.reason,
        }


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


def parts(metric: str) -> list[str]:
    """A metric may be a sum, a+b."""
    return metric.split("+")


def metrics_of(counter: dict) -> list[str]:
    return parts(counter["metric"]) + parts(counter["over"])


def narrowing(probe: dict, where: str) -> tuple[str, ...]:
    """What of a selection `gpufx run --axis` can be told: it drops the sweeps that do not name the axis, and with them
    cases that have the value all the same."""
    sweeps = [text for sweep in probe["sweeps"] for text in (sweep["axes"], sweep["quick"]) if text]
    words = where.split()
    return tuple(w for w in words if all(re.search(rf"(^| ){w.split('=')[0]}=", sweep) for sweep in sweeps))


def plans_of(probe: dict) -> list[Plan]:
    plans: dict[tuple, Plan] = {}
    for i, counter in enumerate(probe["counters"]):
        narrow = narrowing(probe, counter["where"])
        cases = [c for c in probe["cases"] if any(e["counter"] == i for e in c["counters"])]
        if cases:
            plan = plans.setdefault(narrow, Plan(probe, narrow))
            plan.counters.append(i)
            known = {case["name"] for case in plan.cases}
            plan.cases += [case for case in cases if case["name"] not in known]
    return list(plans.values())


def _blank(plan: Plan) -> dict[tuple[str, int], Result]:
    results = {}
    for case in plan.cases:
        for expected in case["counters"]:
            if expected["counter"] in plan.counters:
                counter = plan.probe["counters"][expected["counter"]]
                key = (case["name"], expected["counter"])
                law = counter["count"] or case["law"]["name"]
                results[key] = Result(plan.probe["name"], case["name"], counter, law, expected["count"])
    return results


def _sum(launches: list[ncu_csv.Launch], metric: str) -> float | None:
    values = [launch.metrics.get(name) for launch in launches for name in parts(metric)]
    return None if None in values else sum(values)


def compare(plan: Plan, launches: list[ncu_csv.Launch], trouble: str | None = None) -> list[Result]:
    """The verdict on each case and line of the plan. trouble: why ncu may have missed launches."""
    names = {case["name"] for case in plan.cases}
    why_waived = {case["name"]: case["waived"] for case in plan.cases if case["waived"]}
    by_case: dict[str, list[ncu_csv.Launch]] = {}
    undeclared = []
    for launch in launches:
        name = ncu_csv.case_of(launch.ranges, names)
        if name:
            by_case.setdefault(name, []).append(launch)
        else:
            undeclared.append(launch)
    results = _blank(plan)
    for (name, i), result in results.items():
        own = by_case.get(name, [])
        result.launches = len(own)
        if i in plan.unknown:
            result.verdict = "waived"
            result.reason = f"this ncu knows no such metric for this chip: {', '.join(plan.unknown[i])}"
        elif name in why_waived:
            result.verdict, result.reason = "waived", why_waived[name]
        elif not own:
            result.reason = trouble or "no launch of this case was profiled"
            if undeclared and not trouble:
                result.reason += f"; {len(undeclared)} stand in no such range, the first in {undeclared[0].ranges!r}"
        else:
            top, bottom = _sum(own, result.counter["metric"]), _sum(own, result.counter["over"])
            if top is None or bottom is None:
                missing = result.counter["metric" if top is None else "over"]
                result.verdict, result.reason = "waived", f"ncu gave no number for {missing}"
            elif bottom == 0:
                result.reason = f"{result.counter['over']} counted no access"
            else:
                result.sums = (top, bottom)
                result.judge()
    return list(results.values())


def waive(plan: Plan, reason: str) -> list[Result]:
    results = list(_blank(plan).values())
    for result in results:
        result.verdict, result.reason = "waived", reason
    return results


def _profile(context: Context, tool: str, plan: Plan, log: Path) -> tuple[list[Result], str | None]:
    """The results of one plan, and why no other need be tried."""
    if not plan.metrics:
        return compare(plan, []), None
    say = f"gpufx validate: {len(plan.cases)} cases of {plan.probe['name']} {' '.join(plan.narrowing)} under ncu"
    print(say, file=sys.stderr, flush=True)
    target = [context.path, "run", plan.probe["name"], "--samples", "1", "--profiled", "--no-archive"]
    target += [*context.device_arguments, *context.selection]
    target += [word for pair in plan.narrowing for word in ("--axis", pair)]
    kernels = [d["kernel"] for d in plan.probe["sass"]]
    outcome = ncu.profile(ncu.command(tool, plan.metrics, kernels, log, target), log)
    if outcome.waiver:
        return waive(plan, outcome.waiver), outcome.waiver
    if outcome.unknown:
        bases = {ncu.base(name) for name in outcome.unknown}
        before = len(plan.unknown)
        mark_unknown(plan, lambda name: ncu.base(name) in bases)
        if len(plan.unknown) > before:
            return _profile(context, tool, plan, log)
    return compare(plan, ncu_csv.read(outcome.text), outcome.trouble), None


def mark_unknown(plan: Plan, is_unknown) -> None:
    for i in plan.counters:
        unknown = [metric for metric in metrics_of(plan.probe["counters"][i]) if is_unknown(metric)]
        if unknown:
            plan.unknown[i] = unknown


def rows_of(results: list[Result]) -> list[Row]:
    rows: dict[str, Row] = {}
    for r in results:
        row = rows.setdefault(r.what, Row("counters", r.what))
        setattr(row, r.verdict, getattr(row, r.verdict) + 1)
        if r.verdict == "waived" or (r.verdict == "failed" and r.measured is None):
            row.reason = r.reason
    return list(rows.values())


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def details_of(results: list[Result]) -> list[str]:
    """For each row the case farthest from its law, or the worst of those that failed."""
    groups: dict[str, list[Result]] = {}
    for r in results:
        if r.measured is not None:
            groups.setdefault(r.what, []).append(r)
    if not groups:
        return []
    lines = [f"{'law':>9}  {'counter':>9}  {'cost':>14}  verdict  case farthest from its law"]
    for what, group in groups.items():
        lines.append(f"{what} = {group[0].counter['metric']} per {group[0].counter['over']}")
        worst = sorted(group, key=lambda r: -r.off)
        for r in [w for w in worst if w.verdict == "failed"][:WORST] or worst[:1]:
            cost = f"{figure(r.cost.median)} {r.cost.unit}" if r.cost else "-"
            verdict = "agrees " if r.verdict == "agree" else "DIFFERS"
            lines.append(f"{figure(r.predicted):>9}  {figure(r.measured):>9}  {cost:>14}  {verdict}  {r.name}")
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
    known = ncu.known_metrics(tool)
    logs = Path(tempfile.mkdtemp(prefix="gpufx-validate-"))
    record = _record(context)
    slug = context.info["opened"]["device"]["slug"]
    priced = costs.of_device(context, slug, {c["name"] for p in plans for c in p.cases})
    results: list[Result] = []
    stopped, reason = None, "interrupted"
    try:
        for number, plan in enumerate(plans):
            if known is not None:
                mark_unknown(plan, lambda name: ncu.base(name) not in known)
            log = logs / f"{number:02d}-{plan.probe['name']}.csv"
            new, stopped = (waive(plan, stopped), stopped) if stopped else _profile(context, tool, plan, log)
            for result in new:
                result.cost = priced.get(result.name)
                if record:
                    record.put(result.as_line(), worth=result.measured is not None)
            results += new
        reason = None
    except OSError as error:
        reason = "failed"
        raise UserError(f"ncu could not be run, or what it printed not be kept: {error}") from None
    finally:
        if record:
            record.end(reason)
    path = str(record.path) if record and record.file else None
    details = [*details_of(results), f"what ncu printed: {logs}", *([f"archive: {path}"] if path else [])]
    data = {"archive": path, "logs": str(logs), "cases": [r.as_line() for r in results]}
    return Report(rows_of(results), details, data)


def _record(context: Context) -> Record | None:
    options = context.options
    if options.no_archive:
        return None
    line = run_line(context.info, ["validate", *options.words], options.quick)
    return Record(Path(options.out) if options.out else None, line)
