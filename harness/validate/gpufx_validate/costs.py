"""What the cases cost in an ordinary run, from the archives of the same device: the newest one that has a case tells.
What a profiler's run took is no cost, so no number here comes from one."""

import json
from dataclasses import dataclass
from statistics import median

from gpufx_plot.archive.file import lines_of_kind
from gpufx_plot.call.program import entries

from .context import Context


@dataclass(frozen=True)
class Cost:
    metric: str
    unit: str
    median: float  # over the medians of the processes
    archive: str  # its run's id

    def as_json(self) -> dict:
        return {"metric": self.metric, "unit": self.unit, "median": self.median, "archive": self.archive}


def of_device(context: Context, slug: str, names: set[str]) -> dict[str, Cost]:
    """Costs by the names of the cases, as far as archives of this device have them."""
    costs: dict[str, Cost] = {}
    for entry in entries(context.ask("archive", "list", "--json")):
        left = names - costs.keys()
        if not left:
            break
        if entry.slug != slug or entry.synthetic:
            continue
        medians: dict[str, list[float]] = {}
        metrics: dict[str, dict] = {}
        for line in map(json.loads, lines_of_kind(entry.path, "case")):
            if line["name"] in left:
                medians.setdefault(line["name"], []).append(line["median"])
                metrics[line["name"]] = line["metric"]
        for name, values in medians.items():
            costs[name] = Cost(metrics[name]["name"], metrics[name]["unit"], median(values), entry.id)
    return costs
