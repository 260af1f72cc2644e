"""The text exposition format (https://prometheus.io/docs/instrumenting/exposition_formats/): names end in base units,
labels say whose figure it is. No time stamps, which node_exporter's textfile collector refuses. Written here, in 15
lines: prometheus_client 0.26, whose parser the tests read it with, takes 0.15 s to load, an HTTP server with it, needs
a registry and a collector, and sorts the labels."""

import re
from decimal import Decimal

from ...archive.contents import driver_text
from ...archive.load import Archive
from ...chip.quantity import Quantity

# A unit of ours as a suffix, and the power of ten that makes a base unit of it.
UNITS = {
    "GB/s": ("bytes_per_second", 9),
    "B/cycle per SM": ("bytes_per_cycle_per_sm", 0),
    "GFLOP/s per SM": ("flop_per_second_per_sm", 9),
    "B": ("bytes", 0),
    "ns": ("seconds", -9),
    "MHz": ("hertz", 6),
    "times": ("ratio", 0),
    "%": ("ratio", -2),
}
NAME = re.compile(r"[^a-z0-9_]+")
LABEL = re.compile(r"[^a-zA-Z0-9_]")


def scaled(value: float, power: int) -> float:
    """Times a power of ten, rounded once: 7e-9, not 7.000000000000001e-09."""
    return float(Decimal(repr(value)).scaleb(power)) if power else value


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _labels(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items()) + "}"


def unit_of(unit: str) -> tuple[str, int]:
    return UNITS.get(unit) or (NAME.sub("_", unit.lower()).strip("_"), 0)


def _name(words: str, unit: str) -> str:
    """gpufx_dram_read_rate_bytes_per_second; a unit that stands there already is not said again."""
    name = "gpufx_" + NAME.sub("_", words.lower())
    suffix = unit_of(unit)[0]
    return name if name.endswith(f"_{suffix}") else f"{name}_{suffix}"


def whose(archive: Archive) -> dict[str, str]:
    """The labels of every sample: the same for all runs of a card, so that they are one line over time; the run's id
    stands in gpufx_run_info alone. Those of `--label` follow with label_ before their names, as kube-state-metrics has
    it; of two that would be called the same the first stays."""
    run = archive.run
    labels = {"device": run["device"]["name"], "arch": run["device"]["arch"], "uuid": run["device"].get("uuid")}
    labels |= {"provenance": run["provenance"], "tool": archive.tool}
    labels |= {"incomplete": archive.incomplete}
    own: dict[str, str] = {}
    for name, text in (run.get("labels") or {}).items():
        own.setdefault("label_" + LABEL.sub("_", name), text)
    return {name: text for name, text in (labels | own).items() if text}


def _family(name: str, meaning: str, samples: list[str]) -> list[str]:
    text = meaning.replace("\\", r"\\").replace("\n", r"\n")
    return [f"# HELP {name} {text}", f"# TYPE {name} gauge", *samples]


def _run(archive: Archive, labels: dict[str, str]) -> list[str]:
    facts = {"run": archive.run["id"]}
    facts |= {"driver": driver_text(archive.run).removeprefix("driver "), "started": archive.run["started_utc"] or ""}
    sample = f"gpufx_run_info{_labels(labels | {name: text for name, text in facts.items() if text})} 1"
    return _family("gpufx_run_info", "the run that the other samples come from", [sample])


def of_quantities(archive: Archive, found: list[Quantity]) -> bytes:
    """bound: value, low and high; a bracket has no value."""
    labels = whose(archive)
    lines = _run(archive, labels)
    for q in found:
        if not q.estimate:
            continue
        name, power = _name(q.id, q.unit), unit_of(q.unit)[1]
        bounds = {"value": q.estimate.value, "low": q.estimate.low, "high": q.estimate.high}
        samples = [
            f"{name}{_labels(labels | {'quantity': q.id, 'bound': bound})} {scaled(value, power)!r}"
            for bound, value in bounds.items()
            if value is not None
        ]
        lines += _family(name, q.definition.meaning, samples)
    return ("\n".join(lines) + "\n").encode()


def of_cases(archive: Archive) -> bytes:
    """One family for each unit; the labels probe, metric and case say which case it is."""
    labels, families = whose(archive), {}
    for point in archive.points:
        name, power = _name("case", point.unit), unit_of(point.unit)[1]
        case = {"probe": point.probe, "metric": point.metric, "case": point.label}
        sample = f"{name}{_labels(labels | case)} {scaled(point.value, power)!r}"
        families.setdefault(name, []).append(sample)
    lines = _run(archive, labels)
    for name, samples in families.items():
        lines += _family(name, "median over the processes of one case", samples)
    return ("\n".join(lines) + "\n").encode()
