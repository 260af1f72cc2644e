"""From schema 1 to 2, line by line: what schema 1 does not say is frozen data, results/schema/migrate-1.json. The
program reads the same file; probes are named there and nowhere else."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import lines

DATA = Path(__file__).resolve().parents[3] / "results" / "schema" / "migrate-1.json"


@dataclass(frozen=True)
class Rule:
    """Cases of a probe that are another probe's today."""

    where: dict
    to: str
    drop: tuple[str, ...]
    method_version: int | None = None  # of its cases, where the new probe measures them otherwise

    def params(self, params: dict) -> dict:
        return {axis: value for axis, value in params.items() if axis not in self.drop}

    def name(self, name: str) -> str:
        parts = name.split("/")[1:]
        return "/".join([self.to, *(part for part in parts if part.partition(":")[0] not in self.drop)])


@dataclass(frozen=True)
class Migration:
    units: dict[str, dict[str, str]]
    rules: dict[str, list[Rule]]
    limits: dict[str, float]

    def rule(self, probe: str, params: dict) -> Rule | None:
        """The first rule that fits a case, a group of a fit or, by the words of its name, a counter's case."""
        return next((r for r in self.rules.get(probe, ()) if r.where.items() <= params.items()), None)

    def holds(self, fit: lines.Fit1) -> bool:
        """Whether a law held, as the programs judged it that wrote schema 1 and did not archive it."""
        low = fit.r_squared is not None and fit.r_squared < self.limits["least_r_squared"]
        return abs(fit.largest_residual_pct) <= self.limits["small_residual_pct" if low else "most_residual_pct"]

    def run(self, run: dict) -> dict:
        """The first line as schema 2 has it, as far as anything here reads it. Of a probe the axes are known."""
        probes = {
            probe: {"axes": [{"name": axis, "unit": unit} for axis, unit in axes.items()], "metrics": []}
            for probe, axes in self.units.items()
        }
        known = {"quick": False, "profiled": False, "labels": {}, "probes": probes, "processes": run["launches"]}
        return known | {name: value for name, value in run.items() if name != "launches"}


@cache
def from_1() -> Migration:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    rules: dict[str, list[Rule]] = {}
    for entry in data["split"]:
        rule = Rule(entry["where"], entry["to"], tuple(entry["drop"]), entry.get("method_version"))
        rules.setdefault(entry["probe"], []).append(rule)
    return Migration(data["units"], rules, data["fit_holds"])


def params_in(name: str) -> dict:
    """What the name of a case says of its params; numbers as numbers."""
    pairs = (part.partition(":") for part in name.split("/")[1:])
    return {axis: int(value) if value.lstrip("-").isdigit() else value for axis, _, value in pairs}
