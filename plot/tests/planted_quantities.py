"""Chips that don't exist, and what is true of them: the models of micro/*/*/synthetic.json with random parameters, and
an oracle that says what each quantity is of such a chip, from the models themselves.

The cases are those of an archive that serves as template (names, counts of the laws, bytes); the figures are invented.
The oracle shares with gpufx_plot the definitions and the language of selections, and none of the inference.
"""

import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from msgspec import structs

from gpufx_plot.archive.cases import Archive, Figures, Point
from gpufx_plot.archive.params import key_of
from gpufx_plot.archive.selection import axes_in, parse
from gpufx_plot.chip.definitions import Definition, definitions
from gpufx_plot.chip.quantities import infer
from gpufx_plot.chip.quantity import Quantity
from gpufx_plot.chip.uncertainty import OF_SM

ROOT = Path(__file__).resolve().parents[2]
SAMPLES, FOURTH = 15, 3  # per case and process; the 4th and the 12th are the interval of their median, 96.5 % sure
STEP = 1.03  # what counts as a step (steps.TOLERANCE)


@cache
def models() -> dict[str, list[dict]]:
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(ROOT.glob("micro/*/*/synthetic.json"))}


def _meets(term, value) -> bool:
    if isinstance(term, dict):
        return isinstance(value, int) and term.get("min", -math.inf) <= value <= term.get("max", math.inf)
    return value in term if isinstance(term, list) else value == term


@dataclass
class Chip:
    """Random parameters on the models of all probes: levels, costs per count, sizes, noise."""

    seed: int

    def __post_init__(self):
        rng = np.random.default_rng([self.seed, 11])
        self.processes = int(rng.choice([1, 2, 3, 5]))
        self.noise = rng.uniform(0.1, 3)
        # Of one process nothing is said beyond itself.
        self.spread = rng.uniform(0, 3) if self.processes > 1 else 0.0
        self.drift = rng.uniform(0, 0.01)  # of a case, over 100 samples, in the worst process
        self.outliers = rng.uniform(0, 0.02)
        self.slow_sm = np.random.default_rng([self.seed, 11, *b"sms"]).uniform(1, 1.2)  # cost, of that of the fastest
        # By names, so that a new probe leaves the others as they are.
        self.models = {
            probe: self._changed(np.random.default_rng([self.seed, 11, *probe.encode()]), own)
            for probe, own in models().items()
        }
        self.rng = rng

    @staticmethod
    def _changed(rng, own: list[dict]) -> list[dict]:
        """All levels of a probe by one monotone curve, so that stairs stay stairs; sizes by one factor."""
        scale, power, slope, size = rng.uniform(0.5, 2), rng.uniform(0.8, 1.3), rng.uniform(0.5, 2), rng.uniform(0.3, 3)
        changed = []
        for model in own:
            new = json.loads(json.dumps(model))
            if model.get("b"):
                new["a"], new["b"] = model["a"] * scale, model["b"] * slope
            else:
                new["a"] = scale * model["a"] ** power
            for term in [t for axis, t in new.get("match", {}).items() if axis == "footprint" and isinstance(t, dict)]:
                for end in term:
                    term[end] = round(term[end] * size)
            changed.append(new)
        return changed

    def model(self, point: Point, params: dict) -> dict:
        words = params | {"metric": point.metric, "sweep": point.sweep}
        for model in self.models.get(point.probe, ()):
            match = model.get("match", {})
            if all(axis in words and _meets(term, words[axis]) for axis, term in match.items()):
                return model
        return {"a": 40.0, "b": 2.0, "noise_pct": 0.2, "process_spread_pct": 0.1}

    def cost(self, point: Point, params: dict | None = None) -> float:
        """The truth; params: another place on its axes, with the same counts."""
        model = self.model(point, params or point.params)
        count = point.counts.get(model["count"]) if "count" in model else point.count
        return model["a"] + model.get("b", 0) * (count or 0)

    def archive(self, template: Archive) -> Archive:
        points, rng = [p for p in template.points if self.cost(p) > 0], self.rng
        own = [self.model(p, p.params) for p in points]
        shape = (len(points), self.processes)
        true = np.array([self.cost(p) for p in points])[:, None, None]
        spread = np.array([m.get("process_spread_pct", 0) for m in own])[:, None] / 100 * self.spread
        noise = np.array([m.get("noise_pct", 0) for m in own])[:, None, None] / 100 * self.noise
        level = 1 + spread * rng.standard_normal(shape)
        drift = rng.uniform(0, self.drift, shape)[:, :, None] * np.arange(SAMPLES) / 100
        samples = true * level[:, :, None] * (1 + noise * rng.standard_normal((*shape, SAMPLES)) + drift)
        samples *= np.where(rng.random((*shape, SAMPLES)) < self.outliers, 2.0, 1.0)
        samples.sort(axis=2)
        middle = samples[:, :, SAMPLES // 2].tolist()
        low, high = samples[:, :, FOURTH].tolist(), samples[:, :, -1 - FOURTH].tolist()
        made = []
        for i, point in enumerate(points):
            more = None
            if own[i].get("extras"):
                more = Figures()
                for k in range(self.processes):
                    more.add({n: v * float(level[i, k]) for n, v in own[i]["extras"].items()})
            intervals = list(zip(low[i], high[i], strict=True))
            fresh = {"processes": list(range(self.processes)), "medians": middle[i], "intervals": intervals}
            fresh |= {"figures": None, "more": more, "flags": frozenset()}
            fresh["over_sms"] = point.over_sms and (middle[i][0], middle[i][0] * self.slow_sm)
            made.append(structs.replace(point, **fresh))
        run = template.run | {"id": f"{self.seed:08x}", "provenance": "synthetic"}
        return Archive(template.path, run, made)


class Oracle:
    """What is true of a chip, quantity by quantity."""

    def __init__(self, chip: Chip, archive: Archive):
        self.chip, self.run = chip, archive.run
        self.points = {p.key: p for p in archive.points}

    def figure(self, point: Point, name: str, params: dict | None = None) -> float:
        cost = self.chip.cost(point, params)
        if name == "cost":
            return cost
        if name == "rate":
            return point.useful_bytes / cost
        if name == "sms":
            return self.chip.slow_sm
        if name in OF_SM:
            return cost * (self.chip.slow_sm if OF_SM[name] else 1)
        return self.chip.model(point, params or point.params)["extras"][name]

    def has(self, point: Point, name: str) -> bool:
        """Of what a model does not say, its cases have no figure."""
        extras = self.chip.model(point, point.params).get("extras", {})
        return name in {"cost", "rate", "sms", *OF_SM, *extras}

    def selected(self, d: Definition) -> list[Point]:
        own = [p for p in self.points.values() if p.probe == d.probe]
        selection = parse(d.cases, axes_in(d.cases, [p.params for p in own]))
        return [p for p in own if selection.holds(p.params) and self.has(p, d.of)]

    def pairs(self, d: Definition) -> list[tuple[Point, Point]]:
        selected = self.selected(d)
        axes = axes_in(d.against, [p.params for p in selected])
        other = parse(d.against, axes).alone()
        found = ((p, self.points.get((d.probe, key_of(p.params | other)))) for p in selected)
        return [(a, b) for a, b in found if b]

    def walk(self, d: Definition) -> list[tuple[int, Point]]:
        return sorted(((p.params[d.along], p) for p in self.selected(d)), key=lambda entry: entry[0])

    def runs(self, d: Definition) -> list[list[int]]:
        """Indexes of neighbours whose truths differ by no more than a step, three or more."""
        costs = [self.figure(p, d.of) for _, p in self.walk(d)]
        runs = [[0]]
        for i in range(1, len(costs)):
            if abs(math.log(costs[i] / costs[i - 1])) < 1e-12:
                runs[-1].append(i)
            else:
                runs.append([i])
        return [run for run in runs if len(run) > 2]

    def edges(self, d: Definition, point: Point) -> list[int]:
        """Where a model's range ends, along the axis."""
        found = set()
        for model in self.chip.models[d.probe]:
            term = model.get("match", {}).get(d.along)
            if isinstance(term, dict):
                found |= {term["max"]} if "max" in term else set()
                found |= {term["min"] - 1} if "min" in term else set()
        return sorted(found)

    # ---- One for each estimator: whether an estimate is right ----

    def holds(self, q: Quantity) -> bool:
        return getattr(self, f"_{q.definition.by}")(q.definition, q.estimate)

    @staticmethod
    def inside(truth: float, e) -> bool:
        return e.low <= truth <= e.high

    def _best(self, d, e) -> bool:
        return self.inside(self.best(d), e)

    def best(self, d) -> float:
        take = max if (d.extreme or ("largest" if d.of != "cost" else "smallest")) == "largest" else min
        figure = take(self.figure(p, d.of) for p in self.selected(d))
        value = d.scale / figure if d.inverse else d.scale * figure
        if d.whole_chip:
            value *= self.run["environment"]["sm_max_clock_MHz"] * self.run["device"]["sm_count"] / 1e6
        return value

    def _quotient(self, d, e) -> bool:
        above, below = (self.best(next(q for q in definitions(self.run) if q.id == name)) for name in d.ids)
        return self.inside(d.scale * above / below, e)

    def _plateau(self, d, e) -> bool:
        run = self.runs(d)[0 if d.which == "first" else -1]
        return self.inside(self.figure(self.walk(d)[run[0]][1], d.of), e)

    def _change(self, d, e) -> bool:
        walk = self.walk(d)
        run = self.runs(d)[0 if d.which == "first" else -1]
        x0, point = walk[run[0]]
        level, step = self.figure(point, d.of), 1 + (d.tolerance or STEP - 1)
        edges = self.edges(d, point)

        def at(x: int) -> float:
            return self.figure(point, d.of, point.params | {d.along: x})

        low, high = -math.inf if e.low is None else e.low, math.inf if e.high is None else e.high
        if d.which == "first":
            end = next((x for x in edges if x >= x0 and at(x + 1) > level * step), math.inf)
        else:
            end = max((x for x in edges if at(x) < level / step), default=-math.inf)
        # The estimate says that low fits and high does not; between two measured points the truth may lie anywhere.
        return low <= end < high

    def _period(self, d, e) -> bool:
        return e.value == self.period(d)

    def period(self, d) -> float:
        """By the geometry, where the costs follow it by a law; else from where on they are those of the models."""
        if not any(p.law for p in self.selected(d)):
            walk = [(x, self.figure(p, d.of)) for x, p in self.walk(d)]
            return next(x for x, cost in walk if cost == walk[-1][1])
        geometry = self.run["device"]["geometry"]
        return geometry[d.reported.path.rpartition(".")[2]]

    def line(self, d) -> tuple[float, float]:
        points = [p for p in self.selected(d) if (p.counts.get(d.count) is not None if d.count else p.in_fit)]
        x = np.array([p.counts[d.count] if d.count else p.count for p in points])
        y = np.array([self.figure(p, d.of) for p in points])
        b, a = np.polyfit(x, y, 1, w=1 / y)
        return a, b

    def _slope(self, d, e) -> bool:
        return self.inside(self.line(d)[1], e)

    def _intercept(self, d, e) -> bool:
        return self.inside(self.line(d)[0], e)

    def _half(self, d, e) -> bool:
        a, b = self.line(d)
        return self.inside(a / b, e)

    def _ratio(self, d, e) -> bool:
        take = min if d.extreme == "smallest" else max
        return self.inside(d.scale * take(self.figure(a, d.of) / self.figure(b, d.of) for a, b in self.pairs(d)), e)

    def _payback(self, d, e) -> bool:
        saves = structs.replace(d, probe=d.saves.probe, cases=d.saves.cases, against=d.saves.against)
        ((used, instead),) = self.pairs(saves)
        paid = math.fsum(self.figure(p, "cost") for p in self.selected(d))
        return self.inside(paid / (self.figure(instead, "cost") - self.figure(used, "cost")), e)

    def so(self, d) -> list[tuple[int, bool]]:
        """At each value of the axis whether it is so."""
        if d.share:
            rates = [(x, self.figure(p, d.of)) for x, p in self.walk(d)]
            top = max(rate for _, rate in rates)
            return [(x, rate >= d.share * top) for x, rate in rates]
        return sorted((a.params[d.along], self.figure(a, d.of) < self.figure(b, d.of)) for a, b in self.pairs(d))

    def _crossing(self, d, e) -> bool:
        so = self.so(d)
        return all(yes for x, yes in so if x >= e.high) and (e.low is None or not dict(so)[e.low])

    def _reported(self, d, e) -> bool:
        return e.value is not None

    # ---- Whether "not determined" is right ----

    def undetermined(self, q: Quantity) -> bool:
        """Whether the data could not tell: too few flat parts, an end that is not flat, no multiple of the period, one
        cost along the axis, not so at the end, no SMs that took turns, or noise."""
        d = q.definition
        return (
            (d.by in ("plateau", "change") and self.merged(d) < d.levels)
            or (d.which == "last" and self.runs(d)[-1][-1] != len(self.walk(d)) - 1)
            or (d.by == "period" and (not self.repeats(d) or self.same(d)))
            or (d.by == "crossing" and not self.so(d)[-1][1])
            or d.of == "sms"
            or any(words in q.reason for words in ("is all that can be said", "noise hides", "surely", "zero"))
        )

    def same(self, d) -> bool:
        """A cost that is the same everywhere shows no period."""
        costs = [self.figure(p, d.of) for _, p in self.walk(d)]
        return max(costs) < min(costs) * STEP

    def repeats(self, d) -> bool:
        xs, truth = [x for x, _ in self.walk(d)], self.period(d)
        return 2 * truth <= max(xs) or (truth in xs and 0 in xs and d.extreme == "smallest")

    def merged(self, d) -> int:
        walk, levels = self.walk(d), []
        for run in self.runs(d):
            cost = self.figure(walk[run[0]][1], d.of)
            if not levels or abs(math.log(cost / levels[-1])) > math.log(STEP) * 1.2:
                levels.append(cost)
        return len(levels)


@dataclass
class Tally:
    inside: int = 0
    outside: int = 0
    wrongly_refused: int = 0
    misses: list = field(default_factory=list)


def judge(seed: int, template: Archive, tally: Tally) -> None:
    """One chip: every quantity of it against the truth."""
    chip = Chip(seed)
    archive = chip.archive(template)
    oracle = Oracle(chip, archive)
    for q in infer(archive):
        if q.definition.by != "reported" and not oracle.selected(q.definition):
            continue
        if not q.determined:
            if not oracle.undetermined(q):
                tally.wrongly_refused += 1
                tally.misses.append((chip.seed, chip.processes, q.id, q.reason))
            continue
        try:
            right = oracle.holds(q)
        except IndexError:  # a level that the truth does not have
            right = False
        tally.inside += right
        tally.outside += not right
        if not right:
            tally.misses.append((chip.seed, chip.processes, q.id, q.estimate))
